//go:build unix

package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rules-sycl/rules_sycl/internal/outfile"
)

// works are functions that the test binary runs instead of tests if WORK names one of them.
var works = map[string]func(ctx context.Context, dir string) int{
	"returns 3": func(context.Context, string) int { return 3 },
	"ends with its context": func(ctx context.Context, dir string) int {
		ready()
		<-ctx.Done()
		if !IsStopped(ctx) {
			return 4
		}
		return 0
	},
	"reads a pipe without a writer": func(_ context.Context, dir string) int {
		ready()
		os.ReadFile(filepath.Join(dir, "pipe"))
		return 0
	},
	"reads standard input": func(context.Context, string) int {
		ready()
		io.ReadAll(os.Stdin)
		return 0
	},
	"runs a script that waits for its child": func(ctx context.Context, dir string) int {
		cmd := Program(ctx, "/bin/sh", "-c", `sleep 60 & echo $! >pid.tmp; mv pid.tmp pid; echo ready; wait`)
		cmd.Dir, cmd.Stdout = dir, os.Stdout
		cmd.Run()
		return 4
	},
	"never ends": func(context.Context, string) int {
		ready()
		select {}
	},
}

func ready() { fmt.Println("ready") }

func TestMain(m *testing.M) {
	work := works[os.Getenv("WORK")]
	if work == nil {
		os.Exit(m.Run())
	}
	dir := os.Getenv("DIR")
	if os.Getenv("WORK") == "never ends" {
		grace = time.Hour
	}
	Main("program", func(ctx context.Context) int {
		os.Setenv("TMPDIR", dir)
		scratch, remove, err := outfile.TempDir()
		if err != nil {
			return 5
		}
		for _, name := range []string{filepath.Join(scratch, "a"), filepath.Join(dir, "kept")} {
			os.WriteFile(name, nil, 0o644)
		}
		defer remove()
		return work(ctx, dir)
	})
}

// start starts the test binary with one of works, and waits until it is ready.
func start(t *testing.T, work string) (cmd *exec.Cmd, dir string, stderr *strings.Builder) {
	t.Helper()
	dir = t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd, stderr = exec.Command(program), new(strings.Builder)
	cmd.Env = append(os.Environ(), "WORK="+work, "DIR="+dir)
	cmd.Stderr = stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stdin.Close() })
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	if line, err := bufio.NewReader(stdout).ReadString('\n'); line != "ready\n" {
		t.Fatalf("%q, %v, %s", line, err, stderr)
	}
	return cmd, dir, stderr
}

func TestSignals(t *testing.T) {
	for _, test := range []struct {
		work    string
		signals []syscall.Signal
	}{
		{"ends with its context", []syscall.Signal{syscall.SIGINT}},
		{"ends with its context", []syscall.Signal{syscall.SIGTERM}},
		{"reads a pipe without a writer", []syscall.Signal{syscall.SIGINT}},
		{"reads a pipe without a writer", []syscall.Signal{syscall.SIGTERM}},
		{"reads standard input", []syscall.Signal{syscall.SIGINT}},
		{"runs a script that waits for its child", []syscall.Signal{syscall.SIGTERM}},
		{"runs a script that waits for its child", []syscall.Signal{syscall.SIGTERM, syscall.SIGTERM}},
		{"never ends", []syscall.Signal{syscall.SIGINT, syscall.SIGINT}},
		{"never ends", []syscall.Signal{syscall.SIGINT, syscall.SIGTERM}},
	} {
		t.Run(test.work, func(t *testing.T) {
			cmd, dir, stderr := start(t, test.work)
			begin := time.Now()
			for _, s := range test.signals {
				cmd.Process.Signal(s)
				time.Sleep(50 * time.Millisecond)
			}
			var failed *exec.ExitError
			if err := cmd.Wait(); !errors.As(err, &failed) {
				t.Fatalf("got %v", err)
			}
			if took := time.Since(begin); took > time.Second {
				t.Errorf("took %v", took)
			}
			if status := failed.Sys().(syscall.WaitStatus); !status.Signaled() || status.Signal() != test.signals[0] {
				t.Errorf("ended with %v", failed)
			}
			want := "program: stopped by " + map[syscall.Signal]string{syscall.SIGINT: "SIGINT", syscall.SIGTERM: "SIGTERM"}[test.signals[0]] + "\n"
			if stderr.String() != want {
				t.Errorf("standard error: %q", stderr)
			}
			entries, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				switch e.Name() {
				case "pipe", "kept":
				case "pid":
					checkEnded(t, filepath.Join(dir, "pid"))
				default:
					t.Errorf("%s remains", e.Name())
				}
			}
		})
	}
}

// checkEnded fails the test if the process whose ID is in a file is still alive.
func checkEnded(t *testing.T, file string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	// The process that becomes its parent may take a moment to wait for it.
	for range 100 {
		state, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if errors.Is(err, os.ErrNotExist) || strings.Contains(string(state), ") Z ") {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("process %d is still running", pid)
}

func TestExitCode(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), "WORK=returns 3", "DIR="+t.TempDir())
	var failed *exec.ExitError
	if err := cmd.Run(); !errors.As(err, &failed) || failed.ExitCode() != 3 {
		t.Errorf("got %v", err)
	}
}
