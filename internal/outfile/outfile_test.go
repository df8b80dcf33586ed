package outfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// text returns a function that writes s as an output.
func text(s string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
}

// put creates a file.
func put(t *testing.T, name, content string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// checkFiles fails the test unless the current directory contains exactly the given files. The
// names of directories end in "/".
func checkFiles(t *testing.T, want map[string]string) {
	t.Helper()
	got := map[string]string{}
	filepath.WalkDir(".", func(path string, d os.DirEntry, err error) error {
		if err != nil || path == "." {
			return err
		}
		if d.IsDir() {
			got[path+"/"] = ""
		} else if data, err := os.ReadFile(path); err == nil {
			got[path] = string(data)
		}
		return nil
	})
	for name, content := range want {
		if have, ok := got[name]; !ok || have != content {
			t.Errorf("%s: content %q (exists: %t), want %q", name, have, ok, content)
		}
		delete(got, name)
	}
	for name := range got {
		t.Errorf("unexpected file %s", name)
	}
}

func TestWrite(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := Write("out", text("first")); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	err := Write("out", func(w io.Writer) error { io.WriteString(w, "second"); return broken })
	if !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	checkFiles(t, map[string]string{"out": "first"})
	for name, want := range map[string]string{
		"missing/out": "missing/out: cannot be written: directory missing does not exist",
		".":           ".: cannot be written: it is a directory",
		"":            ": cannot be written: empty file name",
	} {
		var failed *outputError
		if err := Write(name, text("")); !errors.As(err, &failed) || err.Error() != want || errors.Is(err, os.ErrNotExist) {
			t.Errorf("%q: got %v, want %s", name, err, want)
		}
	}
}

// TestErrorNames checks that file system errors contain the name of the output, not the name of its
// scratch file.
func TestErrorNames(t *testing.T) {
	t.Chdir(t.TempDir())
	err := Write("out", func(w io.Writer) error {
		f := w.(*os.File)
		f.Close()
		_, err := f.Write([]byte("late"))
		return err
	})
	if err == nil || strings.Contains(err.Error(), ScratchPrefix) || !strings.Contains(err.Error(), "write out: ") || !errors.Is(err, os.ErrClosed) {
		t.Errorf("got %v", err)
	}
}

// TestGroupTaken checks that two outputs of a group cannot be the same file, even if their names
// differ.
func TestGroupTaken(t *testing.T) {
	t.Chdir(t.TempDir())
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll("d/sub", 0o777); err != nil {
		t.Fatal(err)
	}
	put(t, "file", "")
	for name, to := range map[string]string{"l": "d", "dangling": "new", "tofile": "file"} {
		if err := os.Symlink(to, name); err != nil {
			t.Skip(err)
		}
	}
	for _, test := range []struct {
		outputs string // names; names of directories end in "/"
		taken   bool
	}{
		{"a b d/a", false},
		{"a a", true},
		{"a ./a", true},
		{"a d/../a", true},
		{"a " + here + "/a", true},
		{"d/a l/a", true},
		{"new dangling", true},
		{"file tofile", true},
		{"d/ d/a d/b", false},
		{"d/ d/a d/a", true},
		{"d/ d/a l/a", true},
		{"d/ d/", true},
		{"d/ l/", true},
		{"new/ new/sub/", false},
		{"new/ new", true},
		{"new new/", true},
		{os.DevNull + " " + os.DevNull, false},
	} {
		var g Group
		var err error
		for name := range strings.FieldsSeq(test.outputs) {
			if dir, isDir := strings.CutSuffix(name, "/"); isDir {
				_, err = g.Directory(dir)
			} else {
				_, err = g.File(name)
			}
		}
		g.Close()
		os.RemoveAll("new")
		if taken := errors.As(err, new(*conflictError)); taken != test.taken || !taken && err != nil {
			t.Errorf("%s: %v", test.outputs, err)
		}
	}
}

// TestRelabel checks that a message names the output that belongs to the scratch file, even if the
// name of an earlier scratch file is similar.
func TestRelabel(t *testing.T) {
	t.Chdir(t.TempDir())
	var g Group
	defer g.Close()
	for i := range 12 {
		name := fmt.Sprintf("out%d", i)
		scratch, err := g.File(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := g.Relabel(fmt.Errorf("%s: wrong", scratch)).Error(); got != name+": wrong" {
			t.Errorf("got %q, want %s", got, name)
		}
	}
}

func TestGroup(t *testing.T) {
	write := func(t *testing.T, content string, fail bool) {
		t.Helper()
		var g Group
		defer g.Close()
		dir, err := g.Directory("new/parts")
		if err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(dir, "a"), content)
		if err := errors.Join(g.WriteMain("new/parts/list", text("a "+content)), g.Write("note", text(content)), g.WriteMain("table", text("new/parts "+content))); err != nil {
			t.Fatal(err)
		}
		if fail {
			return
		}
		if err := g.Commit(); err != nil {
			t.Fatal(err)
		}
	}
	all := func(content string) map[string]string {
		return map[string]string{"new/": "", "new/parts/": "", "new/parts/a": content, "new/parts/list": "a " + content,
			"note": content, "table": "new/parts " + content}
	}
	t.Run("nothing without a commit", func(t *testing.T) {
		t.Chdir(t.TempDir())
		write(t, "1", true)
		checkFiles(t, map[string]string{"new/": ""})
	})
	t.Run("everything after a commit", func(t *testing.T) {
		t.Chdir(t.TempDir())
		write(t, "1", false)
		checkFiles(t, all("1"))
		write(t, "2", true)
		checkFiles(t, all("1"))
		write(t, "2", false)
		checkFiles(t, all("2"))
	})
	t.Run("next to unrelated files", func(t *testing.T) {
		t.Chdir(t.TempDir())
		write(t, "1", false)
		put(t, "new/parts/other", "kept")
		write(t, "2", false)
		want := all("2")
		want["new/parts/other"] = "kept"
		checkFiles(t, want)
	})
	t.Run("in an empty directory", func(t *testing.T) {
		t.Chdir(t.TempDir())
		if err := os.MkdirAll("new/parts", 0o777); err != nil {
			t.Fatal(err)
		}
		write(t, "1", false)
		checkFiles(t, all("1"))
	})
}

// TestMainInDirectory checks that a table may be in the same directory as the files that it lists.
func TestMainInDirectory(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, content := range []string{"1", "2"} {
		var g Group
		dir, err := g.Directory("parts")
		if err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(dir, "a"), content)
		if err := errors.Join(g.WriteMain("parts/table", text(content)), g.Commit()); err != nil {
			t.Fatal(err)
		}
		checkFiles(t, map[string]string{"parts/": "", "parts/a": content, "parts/table": content})
	}
}

// TestCurrentDirectory checks that the current directory is not replaced.
func TestCurrentDirectory(t *testing.T) {
	t.Chdir(t.TempDir())
	before, err := os.Stat(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, content := range []string{"1", "2"} {
		var g Group
		dir, err := g.Directory(".")
		if err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(dir, "a"), content)
		if err := g.Commit(); err != nil {
			t.Fatal(err)
		}
		checkFiles(t, map[string]string{"a": content})
	}
	if after, err := os.Stat(before.Name()); err != nil || !os.SameFile(before, after) {
		t.Errorf("directory replaced: %v", err)
	}
}
