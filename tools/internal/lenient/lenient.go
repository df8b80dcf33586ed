// Package lenient opens SYCLBINs for tools that may repair what compilers wrote.
package lenient

import (
	"flag"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/sycl/syclbin"
)

// Flag declares the flag of the commands that read SYCLBINs.
func Flag(fs *flag.FlagSet, lenient *bool) {
	fs.BoolVar(lenient, "lenient", false, "repair files of compilers that do not advance first indices, with a warning")
}

// Open opens a SYCLBIN. What a lenient reader repaired is a warning.
func Open(env *cli.Env, name string, lenient bool) (*syclbin.File, error) {
	if !lenient {
		return syclbin.Open(name)
	}
	f, err := syclbin.OpenLenient(name)
	if err != nil {
		return nil, err
	}
	for _, found := range f.Found {
		env.Warnf(name, "%v", found)
	}
	return f, nil
}
