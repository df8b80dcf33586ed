// Package packager makes SYCLBIN files and shows, checks and changes them: the commands of the
// tool of that name.
package packager

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/inputs"
	"github.com/rules-sycl/rules_sycl/internal/outfile"
	"github.com/rules-sycl/rules_sycl/sycl/offload"
	"github.com/rules-sycl/rules_sycl/sycl/release"
	"github.com/rules-sycl/rules_sycl/sycl/syclbin"
)

// Run runs a subcommand for another tool.
func Run(ctx context.Context, env *cli.Env, name string, args ...string) error {
	for _, c := range Tool().Commands {
		if c.Name == name {
			fs := flag.NewFlagSet(name, flag.ContinueOnError)
			fs.SetOutput(io.Discard)
			run := c.Setup(fs)
			if err := fs.Parse(args); err != nil {
				return err
			}
			return run(ctx, env, fs.Args())
		}
	}
	return fmt.Errorf("packager has no command %s", name)
}

// Tool is the tool.
func Tool() *cli.Tool {
	return &cli.Tool{
		Name:  "packager",
		Short: "make SYCLBIN files, show them, check them and change them",
		Commands: []*cli.Command{
			packCommand(),
			wrapCommand(),
			importCommand(),
			dumpCommand(),
			verifyCommand(),
			extractCommand(),
			convertCommand(),
			diffCommand(),
			linkCommand(),
			explainCommand(),
			specializeCommand(),
		},
	}
}

// form is the flags that say in which form a file is written.
type form struct {
	output     string
	runtime    *release.Release // nil when it was not named
	unrecorded bool
	version    int
	bare       bool
	container  uint // 0 when it was not named
	kind       uint // 0 when it was not named
}

func (f *form) flags(fs *flag.FlagSet) {
	fs.StringVar(&f.output, "output", "", "write the SYCLBIN to this `file` (required)")
	inputs.ReleaseFlag(fs, &f.runtime, "runtime", "`release` of DPC++'s runtime that will load the file: "+release.Names()+"; it decides the container and the numbers of aspects (default 2026.0, which every runtime of 2026 loads)")
	fs.BoolVar(&f.unrecorded, "no-runtime-record", false, "do not record in the file for which release it is; readers then have to know the numbers of aspects")
	fs.IntVar(&f.version, "syclbin-version", 1, "`version` of the format: 1 or 2; no runtime loads 2")
	fs.BoolVar(&f.bare, "bare", false, "write version 1 without a container, which no runtime loads")
	fs.UintVar(&f.container, "container-version", 0, "`version` of the OffloadBinary container, 1 or 2, if not what --runtime reads")
	fs.UintVar(&f.kind, "image-kind", 0, "`number` by which the container calls the file a SYCLBIN, 7 or 6, if not what --runtime reads; without --runtime, 6 is for 2025.3")
}

// options checks the flags.
func (f *form) options() (syclbin.Options, error) {
	o := syclbin.Options{
		Release: f.runtime, Unrecorded: f.unrecorded, Version: f.version, Bare: f.bare,
		Container: uint32(f.container), ImageKind: offload.ImageKind(f.kind),
	}
	switch {
	case f.output == "":
		return o, cli.Usagef("--output is missing: the SYCLBIN to write")
	case f.version != 1 && f.version != 2:
		return o, cli.Usagef("--syclbin-version: %d is neither 1 nor 2", f.version)
	case f.container > 2:
		return o, cli.Usagef("--container-version: %d is neither 1 nor 2", f.container)
	case f.kind != 0 && f.kind != 6 && f.kind != 7:
		return o, cli.Usagef("--image-kind: %d is neither 6 nor 7", f.kind)
	case f.bare && (f.container != 0 || f.kind != 0):
		return o, cli.Usagef("--bare: the file has no container, so leave out --container-version and --image-kind")
	case f.version == 2 && (f.bare || f.container == 1 || f.kind == 6):
		return o, cli.Usagef("--syclbin-version 2 is a container of version 2 with images of kind 7: leave out --bare, --container-version and --image-kind")
	case f.kind == 6 && f.runtime == nil:
		o.Release = release.Before2026() // which alone reads that kind
	}
	return o, nil
}

// parseState reads the value of --state.
func parseState(name string) (syclbin.State, error) {
	s, err := syclbin.ParseState(name)
	if err != nil {
		return s, cli.Usagef("--state: %v", err)
	}
	return s, nil
}

// imageBytes returns how many bytes the images of a file have.
func imageBytes(f *syclbin.File) (total int64) {
	for _, m := range f.Modules {
		for _, img := range m.Images() {
			total += img.Size()
		}
	}
	return total
}

// create writes a SYCLBIN, which appears whole or not at all.
func create(env *cli.Env, name string, f *syclbin.File, o syclbin.Options) error {
	total := imageBytes(f)
	return outfile.Write(name, func(w io.Writer) error {
		p := newProgress(env, w, "writing "+name, total)
		defer p.done()
		file, ok := w.(*os.File)
		if !ok || o.Compression != offload.Uncompressed {
			return syclbin.Write(p, f, o)
		}
		if err := reserve(file, total); err != nil {
			return err
		}
		places := newPlacer(file, p)
		err := syclbin.Write(places, f, o)
		return cmp.Or(places.finish(), err)
	})
}
