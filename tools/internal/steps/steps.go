// Package steps has the steps of a device build: a function a step, with a struct of
// options that has its inputs and outputs. The tools devicec, postlink and aspectfilter
// run one of them a call; 'packager link' runs them one after the other. What they hand
// each other is files and file tables.
//
// A step writes warnings, and what compilers print, to its log. When one of the programs
// that it runs fails, it stops the others and returns that error.
package steps

import "github.com/rules-sycl/rules_sycl/internal/cli"

// size returns a file's size.
func size(file string) (int64, error) {
	info, err := cli.StatInput(file, "")
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
