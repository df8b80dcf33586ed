package compat_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

// ocloc runs Intel's compiler in a directory for its files.
type ocloc struct {
	path string
	dir  string
}

func findOcloc(t *testing.T) ocloc {
	t.Helper()
	return ocloc{testkit.Program(t, "ocloc"), t.TempDir()}
}

// A request is a module to compile for a device.
type request struct {
	file   string
	device string // ocloc's name
}

// An outcome is ocloc's result for a request.
type outcome struct {
	accepted bool
	message  string // its first error
}

// batch is the number of requests per ocloc process. Starting a process takes much longer than
// compiling a small module.
const batch = 100

// compile returns the outcomes of requests.
func (o ocloc) compile(ctx context.Context, requests []request) ([]outcome, error) {
	outcomes := make([]outcome, len(requests))
	errs := make([]error, (len(requests)+batch-1)/batch)
	inParallel(len(errs), func(i int) {
		from, to := i*batch, min((i+1)*batch, len(requests))
		var got []outcome
		got, errs[i] = o.multi(ctx, "batch"+strconv.Itoa(i), requests[from:to])
		copy(outcomes[from:to], got)
	})
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return outcomes, nil
}

// multi compiles with one process, or more if a module crashes it.
func (o ocloc) multi(ctx context.Context, name string, requests []request) ([]outcome, error) {
	var outcomes []outcome
	size := len(requests) // for one process
	for len(outcomes) < len(requests) {
		part := requests[len(outcomes):min(len(outcomes)+size, len(requests))]
		out, err := o.process(ctx, name, part)
		got, parseErr := parseMulti(out, len(part))
		var exit *exec.ExitError
		switch crashed := errors.As(err, &exit) && !exit.Exited(); {
		case crashed && len(part) > 1:
			// Nothing was printed. Bisect to find the module that crashed it.
			size = len(part) / 2
			continue
		case crashed:
			got, size = []outcome{{message: fmt.Sprintf("ocloc ended with %v", err)}}, len(requests)
		case parseErr != nil:
			r := part[len(got)]
			return nil, fmt.Errorf("ocloc with %s for %s: %v (%v)", r.file, r.device, parseErr, err)
		}
		outcomes = append(outcomes, got...)
	}
	return outcomes, nil
}

// process runs ocloc once and returns its output.
func (o ocloc) process(ctx context.Context, name string, requests []request) ([]byte, error) {
	var list strings.Builder
	for _, r := range requests {
		fmt.Fprintf(&list, "-spirv_input -file %s -device %s\n", r.file, r.device)
	}
	file := filepath.Join(o.dir, name+".txt")
	if err := os.WriteFile(file, []byte(list.String()), 0o644); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, o.path, "multi", file)
	cmd.Dir = o.dir
	out, err := cmd.CombinedOutput()
	return out, errors.Join(err, os.RemoveAll(filepath.Join(o.dir, name)))
}

// parseMulti parses the output of "ocloc multi": for each line of its file "Command number N:"
// with N from 1, messages, and whether the build succeeded. A module with an extension that the
// device's compiler does not support ends the process, so there may be fewer outcomes than the n
// lines.
func parseMulti(out []byte, n int) ([]outcome, error) {
	var outcomes []outcome
	var message string
	for line := range bytes.Lines(out) {
		text := string(bytes.TrimSpace(line))
		number, isCommand := strings.CutPrefix(text, "Command number ")
		code, isFailure := strings.CutPrefix(text, "Build failed with error code: ")
		switch {
		case len(outcomes) == n: // a summary follows
			return outcomes, nil
		case isCommand:
			if number != strconv.Itoa(len(outcomes)+1)+":" {
				return outcomes, fmt.Errorf("%q after %d outcomes", text, len(outcomes))
			}
			message = ""
		case text == "Build succeeded.":
			outcomes = append(outcomes, outcome{accepted: true})
		case isFailure && code == "-11": // the device's compiler rejected it
			outcomes = append(outcomes, outcome{message: message})
		case isFailure:
			return outcomes, fmt.Errorf("error code %s: %s", code, message)
		case strings.HasPrefix(text, "InvalidModule: "):
			return append(outcomes, outcome{message: text}), nil
		case message == "" && text != "" && text != "Compilation from IR - skipping loading of FCL":
			message = text
		}
	}
	if len(outcomes) < n {
		return outcomes, fmt.Errorf("no result; ocloc ended with %q", out[max(0, len(out)-300):])
	}
	return outcomes, nil
}

// ask returns ocloc's response to a query.
func (o ocloc) ask(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, o.path, args...)
	cmd.Dir = o.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("ocloc %s: %v: %s", strings.Join(args, " "), err, bytes.TrimSpace(out))
	}
	return string(out), nil
}
