package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestOpenListed checks that files that tables list are found, even if Bazel has moved them.
func TestOpenListed(t *testing.T) {
	for name, c := range map[string]struct {
		table, row, file string // file is the location of the row's file, or "" if it does not exist
	}{
		"current directory":                   {"out/k.table", "code/k.spv", "code/k.spv"},
		"directory of the table":              {"out/k.table", "k.spv", "out/k.spv"},
		"written by a step with mapped paths": {"bazel-out/k8-opt/bin/p/k.device/k.table", "bazel-out/cfg/bin/p/k.device/k.spv", "bazel-out/k8-opt/bin/p/k.device/k.spv"},
		"read by a step with mapped paths":    {"bazel-out/cfg/bin/p/k.device/k.table", "bazel-out/k8-opt/bin/p/k.device/k.spv", "bazel-out/cfg/bin/p/k.device/k.spv"},
		"started manually in bazel-bin":       {"bazel-bin/p/k.device/k.table", "bazel-out/cfg/bin/p/k.device/k.spv", "bazel-bin/p/k.device/k.spv"},
		"file of a different package":         {"bazel-bin/p/k.table", "bazel-out/cfg/bin/q/k.spv", "bazel-bin/q/k.spv"},
		"missing":                             {"bazel-bin/p/k.table", "bazel-out/cfg/bin/p/k.spv", ""},
		"a path outside of Bazel's outputs":   {"out/p/k.table", "bazel-out/cfg/k.spv", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			// Create the listed file, and a file with the same name that must not be used.
			for _, file := range []string{c.file, "k.spv"} {
				if file == "" || file == "k.spv" && c.row == "k.spv" {
					continue
				}
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(file), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			data, found, err := ReadListed(c.table, c.row)
			if c.file == "" {
				if !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("Read(%q, %q) = %q, %v; want an error", c.table, c.row, data, err)
				}
				return
			}
			if err != nil || string(data) != c.file || found != c.file {
				t.Errorf("Read(%q, %q) = %q of %q, %v; want %q", c.table, c.row, data, found, err, c.file)
			}
		})
	}
}
