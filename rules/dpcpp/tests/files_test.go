//go:build linux

package dpcpp

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

// TestEndless checks that endless or blocking inputs are rejected.
func TestEndless(t *testing.T) {
	driver, fake := driver(t), fake(t)
	t.Chdir(t.TempDir())
	write(t, "k.cpp", "")
	testkit.NoError(t, syscall.Mkfifo("pipe", 0o600))
	sparse, err := os.Create("huge.cpp")
	if err == nil {
		err = errors.Join(sparse.Truncate(1<<42), sparse.Close())
	}
	testkit.NoError(t, err)
	const want = ": error: is a pipe or a device, not a regular file; write the content to a file\n"
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"a pipe":            {[]string{"build", "--library", fake, "--output-dir", "out", "pipe"}, "pipe" + want},
		"a device":          {[]string{"post-link", "--library", fake, "--output-dir", "out", "/dev/zero"}, "/dev/zero" + want},
		"a pipe of names":   {[]string{"compile", "--library", fake, "--output", "k.bc", "--unused", "un", "--candidates", "pipe", "k.cpp"}, "pipe" + want},
		"a large file":      {[]string{"build", "--library", fake, "--output-dir", "out", "huge.cpp"}, "huge.cpp: error: file too large (limit 2 GiB)\n"},
		"a pipe as library": {[]string{"check", "--library", "./pipe"}, "./pipe" + want},
		"an odd name":       {[]string{"build", "--library", fake, "--output-dir", "out", "a\x1b[31m\nb.cpp"}, "a\\x1b[31m\\x0ab.cpp: error: No such file or directory\n"},
	} {
		t.Run(name, func(t *testing.T) {
			done := make(chan struct{})
			cmd := exec.Command(driver, test.args...)
			var errs strings.Builder
			cmd.Stderr = &errs
			timer := time.AfterFunc(20*time.Second, func() { cmd.Process.Kill() })
			go func() { defer close(done); cmd.Run() }()
			<-done
			timer.Stop()
			if code := cmd.ProcessState.ExitCode(); code != 3 || errs.String() != test.want {
				t.Errorf("exit %d\n%swant 3\n%s", code, &errs, test.want)
			}
			if got := names(t, "."); got != "huge.cpp k.cpp pipe" {
				t.Errorf("files: %s", got)
			}
		})
	}
}

// TestPlaces tests that writing an output keeps the type and attributes of an existing file.
func TestPlaces(t *testing.T) {
	driver, fake := driver(t), fake(t)
	t.Chdir(t.TempDir())
	compile := func(output string) {
		t.Helper()
		must(t, driver, "compile", "--library", fake, "--output", output, "k.cpp")
	}
	write(t, "k.cpp", "")

	testkit.NoError(t, os.Symlink("/dev/null", "null"))
	compile("null")
	if info, err := os.Stat("/dev/null"); err != nil || info.Mode().IsRegular() {
		t.Errorf("/dev/null: %v, %v", info.Mode(), err)
	}

	write(t, "file", "old")
	testkit.NoError(t, errors.Join(os.Chmod("file", 0o640), os.Mkdir("dir", 0o755), os.Symlink("../file", "dir/link")))
	compile("dir/link")
	if info, err := os.Lstat("dir/link"); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is %v, %v", info.Mode(), err)
	}
	if info, err := os.Stat("file"); err != nil || info.Mode().Perm() != 0o640 || read(t, "file") != "BC\xc0\xde" {
		t.Errorf("the file: %v, %v, %q", info.Mode(), err, read(t, "file"))
	}

	testkit.NoError(t, syscall.Mkfifo("pipe", 0o600))
	got := make(chan string)
	go func() { data, _ := os.ReadFile("pipe"); got <- string(data) }()
	compile("pipe")
	if data := <-got; data != "BC\xc0\xde" {
		t.Errorf("the pipe has %q", data)
	}
	if code, _, stderr := run(t, driver, "compile", "--library", fake, "--output", "dir", "k.cpp"); code != 4 || stderr != "dir: error: is a directory\n" {
		t.Errorf("exit %d, %s", code, stderr)
	}
	if got := names(t, ".") + " " + names(t, "dir"); got != "dir file k.cpp null pipe link" {
		t.Errorf("files: %s", got)
	}
}

func TestFullOutput(t *testing.T) {
	driver := driver(t)
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	cmd := exec.Command(driver, "--help")
	cmd.Stdout = full
	if cmd.Run(); cmd.ProcessState.ExitCode() != 4 {
		t.Errorf("exit %d", cmd.ProcessState.ExitCode())
	}
}

// TestStopped checks that a signal ends the driver and its compiler, and that no files are left.
func TestStopped(t *testing.T) {
	driver, fake := driver(t), fake(t)
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Chdir(t.TempDir())
		temporary := t.TempDir()
		t.Setenv("TMPDIR", temporary)
		write(t, "k.cpp", "temporary clang++-1\ntouch started\nsleep 60\n")
		cmd := exec.Command(driver, "compile", "--library", fake, "--output", "k.bc", "--header", "k.h", "k.cpp")
		var errs strings.Builder
		cmd.Stderr = &errs
		testkit.NoError(t, cmd.Start())
		for names(t, ".") == "k.cpp" || !strings.Contains(names(t, "."), "started") {
			time.Sleep(5 * time.Millisecond)
		}
		begin := time.Now()
		cmd.Process.Signal(signal)
		cmd.Wait()
		if status := cmd.ProcessState.Sys().(syscall.WaitStatus); !status.Signaled() || status.Signal() != signal || time.Since(begin) > 5*time.Second {
			t.Errorf("it ended with %v after %v", cmd.ProcessState, time.Since(begin))
		}
		if want := map[syscall.Signal]string{syscall.SIGINT: "driver: stopped by SIGINT\n", syscall.SIGTERM: "driver: stopped by SIGTERM\n"}[signal]; errs.String() != want {
			t.Errorf("it wrote %q", errs.String())
		}
		if got := names(t, "."); got != "k.cpp started" {
			t.Errorf("files: %s", got)
		}
		if got := names(t, temporary); got != "" {
			t.Errorf("temporary files: %s", got)
		}
	}
}

// writers are jobs whose outputs have the generation in them: a number of images that is also their name.
func writers(t *testing.T) map[string]testkit.Job {
	driver, fake, in := driver(t), fake(t), t.TempDir()
	if err := os.Chmod(filepath.Dir(in), 0o755); err != nil { // for any user
		t.Fatal(err)
	}
	job := func(main string, args ...string) testkit.Job {
		return testkit.Job{Main: main, Command: func(generation int) *exec.Cmd {
			source := filepath.Join(in, fmt.Sprintf("%d.cpp", generation))
			write(t, source, strings.Repeat(fmt.Sprintf("image 2\nsymbol %d\n", 1+generation), 1+generation))
			return exec.Command(driver, append([]string{args[0], "--library", fake}, append(args[1:len(args):len(args)], source)...)...)
		}}
	}
	return map[string]testkit.Job{
		"files":  job("k.bc", "compile", "--output", "k.bc", "--header", "k.h", "--footer", "k.f"),
		"folder": job("out/images.table", "build", "--output-dir", "out"),
	}
}

// TestKilled checks that after kill -9, all outputs are of the same run.
func TestKilled(t *testing.T) {
	for name, j := range writers(t) {
		t.Run(name, func(t *testing.T) { testkit.Killed(t, j) })
	}
}

// TestUnwritableOutputs checks that a failed write has exit code 4 and keeps the outputs of the previous run.
func TestUnwritableOutputs(t *testing.T) {
	for name, j := range writers(t) {
		t.Run(name, func(t *testing.T) { testkit.UnwritableOutputs(t, j) })
	}
}
