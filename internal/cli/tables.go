package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/filetable"
)

// OpenListed opens a file that a table names: by its path from the current folder, as
// DPC++'s tools do, or else from that of the table. It must be a regular file,
// so that a table cannot make a tool wait.
func OpenListed(table, path string) (*InputFile, error) {
	path = Moved(table, path)
	f, err := OpenInput(path, "")
	if errors.Is(err, fs.ErrNotExist) && !filepath.IsAbs(path) {
		if beside, errBeside := OpenInput(filepath.Join(filepath.Dir(table), path), ""); !errors.Is(errBeside, fs.ErrNotExist) {
			return beside, errBeside
		}
	}
	return f, err
}

// Moved returns the path of a file that a table names when Bazel has given its outputs
// another folder since, and else the path in the table.
//
// With --experimental_output_paths=strip, Bazel runs some steps in a folder where the paths of
// outputs have cfg in place of the configuration. The file is below the same folder as the
// table in any case.
func Moved(table, path string) string {
	parts := strings.SplitN(filepath.ToSlash(path), "/", 4)
	if len(parts) < 4 || parts[0] != "bazel-out" || parts[2] != "bin" {
		return path
	}
	if _, err := os.Lstat(path); err == nil {
		return path
	}
	for folder := filepath.Dir(table); ; {
		moved := filepath.Join(folder, filepath.FromSlash(parts[3]))
		if _, err := os.Lstat(moved); err == nil {
			return moved
		}
		above := filepath.Dir(folder)
		if above == folder {
			return path
		}
		folder = above
	}
}

// OpenTable opens a file table. Only a file whose name says that it is one may be empty: a
// table without rows. Another empty file is what is left of something else.
func OpenTable(name string) (*InputFile, error) {
	want := "a file table"
	if filepath.Ext(name) == ".table" {
		want = ""
	}
	return OpenInput(name, want)
}

// MaxText is above any property or symbol file that a compiler makes.
const MaxText = 256 << 20

// ReadListed reads a text file that a table names, and returns the path it has.
func ReadListed(table, path string) (data []byte, found string, err error) {
	f, err := OpenListed(table, path)
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	if f.Size > MaxText {
		return nil, "", BadInput(fmt.Errorf("%s has %d bytes; at most %d are read", f.Name(), f.Size, MaxText))
	}
	data = make([]byte, f.Size)
	if n, err := f.ReadAt(data, 0); n < len(data) {
		return nil, "", fmt.Errorf("%s: %w", f.Name(), err)
	}
	return data, f.Name(), nil
}

// ReadTable reads a file table.
func ReadTable(name string) (*filetable.Table, error) {
	f, err := OpenTable(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return filetable.Read(name, f)
}

// Stem is what the files of a row are called that has this code, without their extension.
func Stem(code string) string {
	base := filepath.Base(code)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// Stems returns what the files of a table's rows are called. No two are called the same.
func Stems(name string, t *filetable.Table) ([]string, error) {
	column := t.Column(filetable.Code)
	if column < 0 && len(t.Rows) > 0 {
		return nil, BadInput(fmt.Errorf("%s: no column %s", name, filetable.Code))
	}
	var stems []string
	seen := map[string]bool{}
	for _, cells := range t.Rows {
		stem := Stem(cells[column])
		if seen[stem] {
			return nil, BadInput(fmt.Errorf("%s: two modules are called %s", name, stem))
		}
		seen[stem] = true
		stems = append(stems, stem)
	}
	return stems, nil
}
