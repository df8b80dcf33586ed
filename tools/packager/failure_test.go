package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

// asTool is set in the environment of processes that are the tool, not the test.
const asTool = "PACKAGER_TEST_AS_TOOL"

func TestMain(m *testing.M) {
	if os.Getenv(asTool) != "" {
		tool().Main()
		return
	}
	os.Exit(m.Run())
}

// process runs the tool in a separate process, which a shell starts after it has executed prepare.
func process(t *testing.T, prepare string, args ...string) (code int, stderr string) {
	t.Helper()
	self := testkit.Must(os.Executable())(t)
	cmd := exec.Command("sh", append([]string{"-c", prepare + `exec "$0" "$@"`, self}, args...)...)
	cmd.Env = append(os.Environ(), asTool+"=1")
	var diag bytes.Buffer
	cmd.Stderr = &diag
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), diag.String()
}

// outputs are command lines that write old.syclbin.
var outputs = map[string][]string{
	"pack":             {"pack", "--output=old.syclbin", "--image=file=large.bin,triple=spir64_gen-unknown-unknown,arch=intel_gpu_pvc"},
	"convert":          {"convert", "--output=old.syclbin", "large.syclbin"},
	"convert to bare":  {"convert", "--bare", "--output=old.syclbin", "large.syclbin"},
	"convert in place": {"convert", "--syclbin-version=2", "--output=old.syclbin", "old.syclbin"},
}

// largeDir creates files that are larger than the limit that the tests set, and an existing output,
// whose content it returns.
func largeDir(t *testing.T) (old []byte) {
	t.Helper()
	enter(t, map[string]string{"large.bin": strings.Repeat("native code ", 40_000)})
	ok := []string{"pack", "--output=large.syclbin", "--image=file=large.bin,triple=spir64_gen-unknown-unknown,arch=intel_gpu_pvc"}
	if code, stderr := process(t, "", ok...); code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	old = file(t, "large.syclbin")
	testkit.NoError(t, os.WriteFile("old.syclbin", old, 0o666))
	return old
}

func TestOutputSurvivesAFullDisk(t *testing.T) {
	for name, args := range outputs {
		t.Run(name, func(t *testing.T) {
			old := largeDir(t)
			code, stderr := process(t, "ulimit -f 64; ", args...)
			if code != 4 || !strings.Contains(stderr, "file too large") {
				t.Errorf("exit code %d: %s", code, stderr)
			}
			checkOld(t, old)
		})
	}
	t.Run("extract", func(t *testing.T) {
		old := largeDir(t)
		code, stderr := process(t, "ulimit -f 64; ", "extract", "--output-dir=parts", "old.syclbin")
		if code != 4 || !strings.Contains(stderr, "file too large") {
			t.Errorf("exit code %d: %s", code, stderr)
		}
		checkOld(t, old)
		if parts, _ := filepath.Glob("parts/*.bin"); len(parts) > 0 {
			t.Errorf("a part of an image is left in %q", parts)
		}
	})
	t.Run("standard output", func(t *testing.T) {
		if _, err := os.Stat("/dev/full"); err != nil {
			t.Skip("there is no /dev/full")
		}
		largeDir(t)
		if code, stderr := process(t, "exec >/dev/full; ", "dump", "old.syclbin"); code != 4 || !strings.Contains(stderr, "no space left") {
			t.Errorf("exit code %d: %s", code, stderr)
		}
	})
}

func TestOutputInReadOnlyDirectory(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	for name, args := range outputs {
		t.Run(name, func(t *testing.T) {
			old := largeDir(t)
			testkit.NoError(t, os.Chmod(".", 0o555))
			code, stderr := process(t, "", args...)
			testkit.NoError(t, os.Chmod(".", 0o755))
			if code != 4 || !strings.Contains(stderr, "permission denied") {
				t.Errorf("exit code %d: %s", code, stderr)
			}
			checkOld(t, old)
		})
	}
}

// checkOld checks that the old output is unchanged and that no temporary files are next to it.
func checkOld(t *testing.T, old []byte) {
	t.Helper()
	if !bytes.Equal(file(t, "old.syclbin"), old) {
		t.Error("the old output has changed")
	}
	if hidden, _ := filepath.Glob(".*"); len(hidden) > 0 {
		t.Errorf("temporary files remain: %q", hidden)
	}
}

// TestFewOpenFiles checks that the number of inputs is not limited by the number of files that a
// process can have open.
func TestFewOpenFiles(t *testing.T) {
	const inputs = 200
	files := map[string]string{}
	var images, packed []string
	for i := range inputs {
		name := fmt.Sprintf("k%d", i)
		files[name+".bin"] = "native code of " + name
		files[name+".sym"] = "__sycl_kernel_" + name + "\n"
		images = append(images, fmt.Sprintf("--image=file=%[1]s.bin,triple=spir64_gen-unknown-unknown,arch=intel_gpu_pvc,syms=%[1]s.sym", name))
		packed = append(packed, name+".syclbin")
	}
	enter(t, files)
	for i, image := range images {
		mustRun(t, "pack", "--state=object", "--output="+packed[i], image)
	}
	for _, args := range [][]string{
		append([]string{"pack", "--output=all.syclbin"}, images...),
		append([]string{"verify"}, packed...),
		append([]string{"dump"}, packed...),
		append([]string{"link", "--output=linked.syclbin"}, packed...),
	} {
		if code, stderr := process(t, "ulimit -n 64; export GOMAXPROCS=32; ", args...); code != 0 {
			t.Errorf("%s: exit code %d: %.500s", args[0], code, stderr)
		}
	}
}
