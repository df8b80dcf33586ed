package buildstep

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

func TestRun(t *testing.T) {
	var out, errs strings.Builder
	testkit.NoError(t, Run(t.Context(), strings.NewReader("in"), &out, &errs, "/bin/sh", "-c", "cat; echo note >&2"))
	if out.String() != "in" || errs.String() != "note\n" {
		t.Errorf("output %q, %q", out.String(), errs.String())
	}

	errs.Reset()
	err := Run(t.Context(), nil, nil, &errs, "/bin/sh", "-c", "echo first; echo second >&2; exit 245")
	var failed *Error
	if !errors.As(err, &failed) || failed.Code != 245 || err.Error() != "sh failed with exit code 245:\nfirst\nsecond" {
		t.Errorf("got %v", err)
	}
	if errs.Len() > 0 {
		t.Errorf("a failure's output went to stderr too: %q", errs.String())
	}

	if cli.ExitCode(err) != cli.ExitBadInput {
		t.Errorf("exit code %d", cli.ExitCode(err))
	}
	err = Run(t.Context(), nil, nil, &errs, "/bin/sh", "-c", "echo first; kill -9 $$")
	if want := "sh was terminated by signal: killed:\nfirst\nnote: the program has a bug or ran out of memory; try again with fewer parallel jobs"; err == nil || err.Error() != want || cli.ExitCode(err) != cli.ExitFailure {
		t.Errorf("got %v, exit code %d", err, cli.ExitCode(err))
	}

	if err := Run(t.Context(), nil, nil, &errs, "/nonexistent/compiler"); err == nil || errors.As(err, &failed) || !strings.Contains(err.Error(), "cannot run /nonexistent/compiler") {
		t.Errorf("got %v", err)
	}

	// A child process keeps the output that Run reads open.
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	begin := time.Now()
	if err := Run(ctx, nil, nil, &errs, "/bin/sh", "-c", "sleep 60 & wait"); !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) > 10*time.Second {
		t.Errorf("got %v after %v", err, time.Since(begin))
	}

	ctx, cancel = context.WithCancel(t.Context())
	cancel()
	if err := Run(ctx, nil, nil, &errs, "/bin/sh", "-c", "sleep 60"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestFindLLVM checks that FindLLVM does not mix releases. The error names the missing programs of
// the release that has the fewest missing.
func TestFindLLVM(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	program := func(name string) string {
		path := filepath.Join(dir, name)
		testkit.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"), 0o755))
		return path
	}
	dis := program("llvm-dis-22")
	program("llvm-link-22")
	program("opt-21")
	_, err := FindLLVM(21, "llvm-dis", "llvm-link", "opt")
	if err == nil || !strings.HasPrefix(err.Error(), "opt of LLVM 21 or newer, all of one release, not found in PATH") {
		t.Errorf("got %v", err)
	}
	paths, err := FindLLVM(21, "llvm-dis")
	if err != nil || !slices.Equal(paths, []string{dis}) {
		t.Errorf("got %q, %v", paths, err)
	}

	// An older release earlier in PATH does not hide a suitable one, with and without a number.
	first := t.TempDir()
	t.Setenv("PATH", first+":"+dir)
	testkit.NoError(t, os.WriteFile(filepath.Join(first, "llvm-dis"), []byte("#!/bin/sh\necho LLVM version 14.0.6\n"), 0o755))
	if paths, err := FindLLVM(21, "llvm-dis"); err != nil || paths[0] != dis {
		t.Errorf("behind LLVM 14: got %q, %v", paths, err)
	}
	later := t.TempDir()
	newer := filepath.Join(later, "llvm-dis")
	testkit.NoError(t, os.WriteFile(newer, []byte("#!/bin/sh\necho LLVM version 23.1.4\n"), 0o755))
	if paths, err := FindLLVMIn([]string{first, later}, 22, "llvm-dis"); err != nil || paths[0] != newer {
		t.Errorf("in two directories: got %q, %v", paths, err)
	}
	if _, err := FindLLVMIn(nil, 22, "opt"); err == nil || !strings.HasPrefix(err.Error(), "opt of LLVM 22") {
		t.Errorf("in no directory: %v", err)
	}
	t.Setenv("PATH", dir)

	// A program without a release in its name reports its version.
	plain := program("llvm-dis")
	for version, want := range map[string]string{"21.1.8": dis, "22.1.0": plain} {
		testkit.NoError(t, os.WriteFile(plain, []byte("#!/bin/sh\necho Debian LLVM version "+version+"\n"), 0o755))
		if paths, err := FindLLVM(22, "llvm-dis"); err != nil || paths[0] != want {
			t.Errorf("llvm-dis is %s: got %q, %v, want %s", version, paths, err, want)
		}
	}
}
