// Package buildstep contains code that build steps share. It runs compilers, reads their dependency
// files, declares common flags, and implements Bazel's persistent workers with their caches.
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

// An Error is returned if a compiler rejects its input. It contains the compiler's output.
type Error struct {
	Program string
	Code    int
	Output  string
}

func (e *Error) Error() string {
	return appendOutput(fmt.Sprintf("%s failed with exit code %d", e.Program, e.Code), e.Output)
}

// appendOutput appends a program's output to the description of a failure.
func appendOutput(what, output string) string {
	if output = strings.TrimRight(output, "\n"); output != "" {
		return what + ":\n" + output
	}
	return what
}

// Fault returns the error for a program that was terminated by a signal, which its input did not
// cause.
func Fault(what string) error {
	return errors.New(what + "\nnote: the program has a bug or ran out of memory; try again with fewer parallel jobs")
}

// diskFull reports whether a program's output contains the C library's message for a full disk.
// Compilers do not have a separate exit code for this.
func diskFull(output string) bool {
	return slices.ContainsFunc([]syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG}, func(e syscall.Errno) bool {
		return strings.Contains(strings.ToLower(output), e.Error())
	})
}

// BadInput marks the error as caused by the input: the compiler ran and rejected it.
func (e *Error) BadInput() {}

// Run runs a program with the given standard input and output, which may be nil. If the program
// fails, its standard error is part of the returned error; otherwise Run writes it to stderr. If
// ctx is canceled, Run kills the program and its child processes.
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
		return Fault(appendOutput(fmt.Sprintf("%s was terminated by %s", filepath.Base(program), exit), output.String()))
	case errors.As(err, &exit) && diskFull(output.String()):
		return errors.New(appendOutput(fmt.Sprintf("%s could not write", filepath.Base(program)), output.String()) + "\nnote: free disk space and run the step again")
	case errors.As(err, &exit):
		return &Error{filepath.Base(program), exit.ExitCode(), output.String()}
	case err != nil:
		// Not %w, because a missing compiler is not a missing input file.
		return fmt.Errorf("cannot run %s: %v", program, err)
	}
	_, err = output.WriteTo(stderr)
	return err
}
