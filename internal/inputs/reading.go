// Package inputs opens SYCLBINs and device configurations for tools, and declares the flags
// for reading them.
package inputs

import (
	"flag"
	"fmt"
	"io"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/release"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	"github.com/rules-sycl/rules_sycl/sycl/syclbin"
)

// Reading holds the options for reading SYCLBINs.
type Reading struct {
	Lenient bool
	Assume  *release.Release // the release of files that do not record one; nil means 2026
}

// Flags declares the flags of commands that read SYCLBINs.
func (o *Reading) Flags(fs *flag.FlagSet) {
	fs.BoolVar(&o.Lenient, "lenient", false, "repair files of compilers that do not advance first indices, with a warning")
	o.AssumeFlag(fs)
}

// AssumeFlag declares only the flag for the assumed release.
func (o *Reading) AssumeFlag(fs *flag.FlagSet) {
	ReleaseFlag(fs, &o.Assume, "assume-runtime", "runtime `release` of files that do not record one, which selects their aspect numbers: "+release.Names()+" (default 2026)")
}

// ReleaseFlag declares a flag whose value is the name of a runtime release.
func ReleaseFlag(fs *flag.FlagSet, r **release.Release, name, usage string) {
	fs.Func(name, usage, func(value string) (err error) {
		*r, err = release.Parse(value)
		return err
	})
}

// Open opens a SYCLBIN.
func (o *Reading) Open(env *cli.Env, name string) (*syclbin.File, error) {
	if _, err := cli.StatInput(name, "a SYCLBIN"); err != nil {
		return nil, err
	}
	open := syclbin.Open
	if o.Lenient {
		open = syclbin.OpenLenient
	}
	f, err := open(name)
	if err != nil {
		return nil, err
	}
	o.ResolveRelease(env, name, f)
	return f, nil
}

// Read reads a SYCLBIN of size bytes from r. name is used in messages.
func (o *Reading) Read(env *cli.Env, name string, r io.ReaderAt, size int64) (*syclbin.File, error) {
	read := syclbin.NewFile
	if o.Lenient {
		read = syclbin.NewLenientFile
	}
	f, err := read(r, size)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	o.ResolveRelease(env, name, f)
	return f, nil
}

// ResolveRelease warns about repairs, and applies the assumed release to a file that was read in a
// different way. Without an assumed release, it warns if the meaning of the file depends on the
// release.
func (o *Reading) ResolveRelease(env *cli.Env, name string, f *syclbin.File) {
	if o.Lenient {
		Warn(env, name, f.Findings)
	}
	if o.Assume != nil {
		f.AssumeRelease(o.Assume)
		return
	}
	if a, ok := f.AmbiguousAspect(); ok {
		env.Warnf(name, "the file does not record its runtime release, which determines the meaning of its aspect numbers (as a 2026 file, it would require %v); rebuild the file, or use --assume-runtime %s or --assume-runtime %s", a, release.Default(), release.Before2026())
	}
}

// Warn prints the first problems of a file as warnings, and the number of further ones.
func Warn(env *cli.Env, name string, findings []syclbin.Finding) {
	const most = 10
	for i, found := range findings {
		if i == most {
			env.Warnf(name, "and %d more; 'packager verify' shows all", len(findings)-i)
			return
		}
		env.Warnf(name, "%s", safetext.Printable(found.String()))
	}
}

// Sets converts the property sets of a property file, which does not record a release.
func (o *Reading) Sets(r *propset.Registry) *propset.Registry {
	if o.Assume == nil {
		return r
	}
	return o.Assume.Read(r)
}
