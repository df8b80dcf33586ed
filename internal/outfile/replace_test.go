package outfile

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestReplaceDir(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "in", "site")
	has := func(name, want string) {
		t.Helper()
		if data, _ := os.ReadFile(filepath.Join(dir, name)); string(data) != want {
			t.Errorf("%s: %q, want %q", name, data, want)
		}
	}
	generation := func(content, more string) func(string) error {
		return func(made string) error {
			return errors.Join(os.WriteFile(filepath.Join(made, "mark"), []byte(content), 0o666),
				os.Mkdir(filepath.Join(made, "sub"), 0o777), os.WriteFile(filepath.Join(made, "sub", more), []byte(content), 0o666))
		}
	}
	if err := ReplaceDirectory(dir, "mark", generation("1", "a")); err != nil {
		t.Fatal(err)
	}
	has("mark", "1")
	// A run that fails or is killed leaves the existing files unchanged.
	fault := errors.New("fault")
	err := ReplaceDirectory(dir, "mark", func(made string) error {
		if err := generation("2", "b")(made); err != nil {
			t.Error(err)
		}
		has("mark", "1")
		has("sub/a", "1")
		return fault
	})
	if !errors.Is(err, fault) {
		t.Errorf("got %v", err)
	}
	has("mark", "1")
	has("sub/b", "")
	if err := ReplaceDirectory(dir, "mark", generation("3", "c")); err != nil {
		t.Fatal(err)
	}
	has("mark", "3")
	has("sub/c", "3")
	has("sub/a", "")
	if entries, _ := os.ReadDir(filepath.Dir(dir)); len(entries) != 1 {
		t.Errorf("unexpected files: %v", entries)
	}
	if err := ReplaceDirectory(filepath.Dir(dir), "mark", generation("4", "d")); !errors.As(err, new(*conflictError)) {
		t.Errorf("unrelated directory: %v", err)
	}
	// A link stays, and its target is replaced.
	link := filepath.Join(filepath.Dir(dir), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Skip(err)
	}
	if err := ReplaceDirectory(link, "mark", generation("5", "e")); err != nil {
		t.Fatal(err)
	}
	has("sub/e", "5")
	if info, err := os.Lstat(link); err != nil || info.Mode().Type() != os.ModeSymlink {
		t.Error("link replaced")
	}
}
