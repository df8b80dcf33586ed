package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

// The test binary also acts as the tool, so that a test can send a signal to it.
func TestMain(m *testing.M) {
	if os.Getenv("RUN_DEVICEC") != "" {
		main()
	}
	os.Exit(m.Run())
}

// TestSignals checks that a signal ends the tool while it waits for a compiler, and all processes
// that the compiler has started.
func TestSignals(t *testing.T) {
	t.Chdir(t.TempDir())
	testkit.Pipe(t, "started")
	testkit.WriteFile(t, "in.bc", "BC")
	testkit.WriteFile(t, "compiler", "#!/bin/sh\nsleep 60 &\necho $! >started\nwait\n")
	testkit.NoError(t, os.Chmod("compiler", 0o755))
	self := testkit.Must(os.Executable())(t)
	for name, test := range map[string]struct {
		args    []string
		isReady func() (pid string) // waits until the tool is ready, and returns the process that the compiler has started, if any
	}{
		"a compiler that does not end": {
			[]string{"translate", "--llvm-spirv=./compiler", "--spirv-val=spirv-val", "--code-dir=spv", "--properties-dir=prop", "--table=out.table", "in.bc"},
			func() string { return strings.TrimSpace(testkit.ReadFile(t, "started")) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			var stderr bytes.Buffer
			cmd := exec.Command(self, test.args...)
			cmd.Env = append(os.Environ(), "RUN_DEVICEC=1")
			cmd.Stderr = &stderr
			testkit.NoError(t, cmd.Start())
			t.Cleanup(func() { cmd.Process.Kill() })
			pid := test.isReady()
			begin := time.Now()
			cmd.Process.Signal(syscall.SIGTERM)
			var failed *exec.ExitError
			if err := cmd.Wait(); !errors.As(err, &failed) || failed.Sys().(syscall.WaitStatus).Signal() != syscall.SIGTERM {
				t.Errorf("it ended with %v", err)
			}
			if took := time.Since(begin); took > time.Second {
				t.Errorf("it took %v", took)
			}
			if got := stderr.String(); got != "devicec: stopped by SIGTERM\n" {
				t.Errorf("it wrote %q", got)
			}
			for begin = time.Now(); pid != "" && isRunning(pid); time.Sleep(10 * time.Millisecond) {
				if time.Since(begin) > 10*time.Second {
					t.Fatalf("process %s, which the compiler has started, runs on", pid)
				}
			}
			if entries, err := os.ReadDir("."); err != nil || len(entries) != 3 {
				t.Errorf("%v; the directory has %v", err, entries)
			}
		})
	}
}

func isRunning(pid string) bool {
	state, err := os.ReadFile("/proc/" + pid + "/stat")
	return err == nil && !strings.Contains(string(state), ") Z ")
}
