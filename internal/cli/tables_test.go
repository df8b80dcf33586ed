package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestOpen finds files of tables, also those that Bazel has moved.
func TestOpenListed(t *testing.T) {
	for name, c := range map[string]struct {
		table, row, file string // file is where the row's file is, empty when there is none
	}{
		"current directory":              {"out/k.table", "code/k.spv", "code/k.spv"},
		"directory of the table":         {"out/k.table", "k.spv", "out/k.spv"},
		"step ran with mapped paths":     {"bazel-out/k8-opt/bin/p/k.device/k.table", "bazel-out/cfg/bin/p/k.device/k.spv", "bazel-out/k8-opt/bin/p/k.device/k.spv"},
		"reader runs with mapped paths":  {"bazel-out/cfg/bin/p/k.device/k.table", "bazel-out/k8-opt/bin/p/k.device/k.spv", "bazel-out/cfg/bin/p/k.device/k.spv"},
		"by hand, in bazel-bin":          {"bazel-bin/p/k.device/k.table", "bazel-out/cfg/bin/p/k.device/k.spv", "bazel-bin/p/k.device/k.spv"},
		"file of another package":        {"bazel-bin/p/k.table", "bazel-out/cfg/bin/q/k.spv", "bazel-bin/q/k.spv"},
		"missing":                        {"bazel-bin/p/k.table", "bazel-out/cfg/bin/p/k.spv", ""},
		"a path that Bazel has not made": {"out/p/k.table", "bazel-out/cfg/k.spv", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			// Files of that name elsewhere are not the one.
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
					t.Errorf("Read(%q, %q) = %q, %v; there is no such file", c.table, c.row, data, err)
				}
				return
			}
			if err != nil || string(data) != c.file || found != c.file {
				t.Errorf("Read(%q, %q) = %q of %q, %v; want %q", c.table, c.row, data, found, err, c.file)
			}
		})
	}
}
