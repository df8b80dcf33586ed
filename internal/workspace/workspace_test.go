package workspace

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

// enter creates a directory with the file good.json, and makes it the current directory.
func enter(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	testkit.NoError(t, err)
	t.Chdir(dir)
	testkit.WriteFile(t, "good.json", "")
	return dir
}

// TestAttackS14Sources checks that source files can neither make a program read files outside of
// the workspace nor block it.
func TestAttackS14Sources(t *testing.T) {
	enter(t)
	testkit.Link(t, "/etc/passwd", "passwd.cpp")
	testkit.Link(t, "/etc", "etc")
	testkit.WriteFile(t, "real.cpp", "x\n")
	testkit.Pipe(t, "pipe.cpp")
	dir, err := Open(".")
	testkit.NoError(t, err)
	defer dir.Close()
	s := dir.Sources()
	for path, want := range map[string]bool{"real.cpp": true, "passwd.cpp": false, "etc/passwd": false, "pipe.cpp": false, "../x": false, "/etc/passwd": false, "gone": false} {
		f, err := s.Open(path)
		if (err == nil) != want || s.HasFile(path) != want {
			t.Errorf("%s: %v, %t", path, err, s.HasFile(path))
		}
		if err == nil {
			if data, err := io.ReadAll(f); err != nil || string(data) != "x\n" {
				t.Errorf("%s: %v, %q", path, err, data)
			}
			f.Close()
		}
	}
}

// TestNotRegular checks that the error about a file that is not regular names its type, even for a
// link.
func TestNotRegular(t *testing.T) {
	enter(t)
	testkit.Pipe(t, "pipe")
	testkit.Link(t, "pipe", "link")
	dir := testkit.Must(Open(""))(t)
	for name, want := range map[string]string{
		"pipe": "pipe: pipe, not a regular file; write the content to a file, and pass the file",
		"link": "link: pipe, not a regular file; write the content to a file, and pass the file",
		".":    ".: directory; expected a file",
		"gone": "gone: cannot read the file: no such file or directory",
	} {
		if _, err := dir.Open(name); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}

// FuzzBuilds checks that every BUILD file is either read or rejected, and that written files can be
// read again.
func FuzzBuilds(f *testing.F) {
	for _, seed := range []string{"x(name=\"a\")\n", "load(\":b.bzl\", \"x\")\n\nx(\n    name = \"a\",  # c\n    y = [1, {2: 3}] + z if q else r\"s\",\n)\n", "x(name=\"a\", y=" + strings.Repeat("f(", 600) + strings.Repeat(")", 600) + ")\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		parsed, err := parseBuild("BUILD", data)
		if err != nil {
			return
		}
		for _, r := range parsed.Rules("") {
			r.Name()
		}
		if _, err := parseBuild("BUILD", (&BuildFile{"BUILD", data, parsed}).After()); err != nil {
			t.Errorf("cannot read the written file for %q: %v", data, err)
		}
	})
}

func TestNesting(t *testing.T) {
	text := "x(name=\"a\",\ny=" + strings.Repeat("f(", 20_000) + strings.Repeat(")", 20_000) + ")\n"
	if _, err := parseBuild("BUILD", []byte(text)); err == nil || err.Error() != "BUILD:2: brackets are nested too deeply (limit 500)" {
		t.Errorf("got %v", err)
	}
}

func TestBuilds(t *testing.T) {
	dir := enter(t)
	testkit.WriteFile(t, "demo/BUILD.bazel", "x(name=\"a\")\n")
	testkit.NoError(t, os.Chmod("demo/BUILD.bazel", 0o600))
	b, err := OpenBuilds(".")
	testkit.NoError(t, err)
	defer b.Close()
	f, r, err := b.Find("@@//demo:a")
	if err != nil || r == nil || r.Name() != "a" || f.Path != "demo/BUILD.bazel" {
		t.Fatalf("%v, %+v", err, f)
	}
	testkit.NoError(t, b.Write([]*BuildFile{f}))
	if got := testkit.ReadFile(t, "demo/BUILD.bazel"); got != "x(name = \"a\")\n" {
		t.Errorf("got %s", got)
	}
	if info, err := os.Stat("demo/BUILD.bazel"); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", err, info.Mode())
	}
	if err := b.Write([]*BuildFile{f}); err == nil || !strings.Contains(err.Error(), "changed while it was being read") {
		t.Errorf("second write: %v", err)
	}
	if entries, _ := os.ReadDir(filepath.Join(dir, "demo")); len(entries) != 1 {
		t.Errorf("unexpected files: %v", entries)
	}
	if _, err := OpenBuilds(""); cli.ExitCode(err) != 2 {
		t.Errorf("got %v", err)
	}
	testkit.WriteFile(t, "large/BUILD", strings.Repeat("#", maxBuildFile+1))
	if _, _, err := b.Find("build/axpy"); err == nil || !strings.Contains(err.Error(), "only BUILD files in the workspace can be edited") {
		t.Errorf("path instead of a label: %v", err)
	}
	if _, _, err := b.Find("//large:x"); err == nil || !strings.Contains(err.Error(), "file too large (limit 4 MiB)") {
		t.Errorf("got %v", err)
	}
	if !errors.Is(os.Remove("demo/BUILD.bazel"), nil) {
		t.Fatal("file not removed")
	}
	if err := b.Write([]*BuildFile{f}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}
