// Package buildstep has what the steps of a build share: running compilers, the files that one
// reads and writes down, flags, and persistent workers of Bazel with the files that they keep.
package buildstep

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/rules-sycl/rules_sycl/internal/cli"
)

// An Error is a compiler's refusal, with what it wrote.
type Error struct {
	Program string
	Code    int
	Output  string
}

func (e *Error) Error() string {
	return with(fmt.Sprintf("%s failed with exit code %d", e.Program, e.Code), e.Output)
}

// with returns what happened, with what the program wrote.
func with(what, output string) string {
	if output = strings.TrimRight(output, "\n"); output != "" {
		return what + ":\n" + output
	}
	return what
}

// Fault returns the error of a program that did not end by itself, for which its input is not to
// blame.
func Fault(what string) error {
	return errors.New(what + "\nnote: the program has a bug or ran out of memory; try again with fewer at once")
}

// diskFull says whether a program wrote that it could not write, in words of the C library. Compilers
// have no exit code of its own for that.
func diskFull(output string) bool {
	return slices.ContainsFunc([]syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG}, func(e syscall.Errno) bool {
		return strings.Contains(strings.ToLower(output), e.Error())
	})
}

// BadInput marks the input as the cause: the compiler ran and refused it.
func (e *Error) BadInput() {}

// Run runs a program on stdin and writes its standard output to stdout; both may be nil.
// What it prints beside that becomes part of the error when it fails, and goes to
// stderr when it does not. When the context ends, the program is killed, and those
// that it has started.
func Run(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer, program string, args ...string) error {
	cmd := cli.Program(ctx, program, args...)
	cmd.Stdin = stdin
	var output bytes.Buffer
	cmd.Stderr = &output
	cmd.Stdout = stdout
	if stdout == nil {
		cmd.Stdout = &output
	}
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &exit) && exit.ExitCode() < 0: // such as "signal: killed"
		return Fault(with(fmt.Sprintf("%s was terminated by %s", filepath.Base(program), exit), output.String()))
	case errors.As(err, &exit) && diskFull(output.String()):
		return errors.New(with(fmt.Sprintf("%s could not write", filepath.Base(program)), output.String()) + "\nnote: make room on the disk, and run the step again")
	case errors.As(err, &exit):
		return &Error{filepath.Base(program), exit.ExitCode(), output.String()}
	case err != nil:
		// Not %w: a compiler that is not there is no missing input file.
		return fmt.Errorf("cannot run %s: %v", program, err)
	}
	_, err = output.WriteTo(stderr)
	return err
}
