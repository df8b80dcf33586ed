// Package steps has the steps of a device build: a function a step, with a struct of
// options that has its inputs and outputs. The tools devicec, postlink and aspectfilter
// run one of them a call; 'packager link' runs them one after the other. What they hand
// each other is files and file tables.
//
// A step writes warnings, and what compilers print, to its log. When one of the programs
// that it runs fails, it stops the others and returns that error.
package steps

import (
	"fmt"
	"os"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/interrupt"
	"github.com/rules-sycl/rules_sycl/internal/outfile"
	"github.com/rules-sycl/rules_sycl/sycl/filetable"
)

// writeTable writes a table with the standard columns.
func writeTable(file string, rows ...[]string) error {
	t := &filetable.Table{
		Columns: []string{filetable.Code, filetable.Properties, filetable.Symbols},
		Rows:    rows,
	}
	return outfile.Write(file, t.Write)
}

// size returns a file's size.
func size(file string) (int64, error) {
	info, err := os.Stat(file)
	if err != nil {
		return 0, err
	}
	if !info.Mode().IsRegular() {
		return 0, cli.BadInput(fmt.Errorf("%s: not a file", file))
	}
	return info.Size(), nil
}

// scratchFile returns the name of a file beside out for a compiler to write;
// done removes it. A rename puts it in place.
func scratchFile(out string) (name string, done func(), err error) {
	name = out + ".tmp"
	if err := os.Remove(name); err != nil && !os.IsNotExist(err) {
		return "", nil, err
	}
	forget := interrupt.Scratch(name)
	return name, func() {
		os.Remove(name)
		forget()
	}, nil
}
