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

// OpenListed opens a file that a table names. As in DPC++'s tools, the path is relative to the
// current directory, or otherwise to the directory of the table. Only regular files are opened, so that
// a table cannot make a tool block.
func OpenListed(table, path string) (*InputFile, error) {
	path = CurrentPath(table, path)
	f, err := OpenInput(path, "")
	if errors.Is(err, fs.ErrNotExist) && !filepath.IsAbs(path) {
		if beside, errBeside := OpenInput(filepath.Join(filepath.Dir(table), path), ""); !errors.Is(errBeside, fs.ErrNotExist) {
			return beside, errBeside
		}
	}
	return f, err
}

// CurrentPath returns the current path of a file that a table names, in case Bazel moved its
// outputs to a different directory.
//
// With --experimental_output_paths=strip, Bazel runs some steps in a directory where the paths of
// outputs contain cfg instead of the configuration. In both cases the file is below the same
// directory as the table.
func CurrentPath(table, path string) string {
	parts := strings.SplitN(filepath.ToSlash(path), "/", 4)
	if len(parts) < 4 || parts[0] != "bazel-out" || parts[2] != "bin" {
		return path
	}
	if _, err := os.Lstat(path); err == nil {
		return path
	}
	for dir := filepath.Dir(table); ; {
		moved := filepath.Join(dir, filepath.FromSlash(parts[3]))
		if _, err := os.Lstat(moved); err == nil {
			return moved
		}
		above := filepath.Dir(dir)
		if above == dir {
			return path
		}
		dir = above
	}
}

// OpenTable opens a file table. A file with the extension .table may be empty, which means a
// table without rows. Any other empty file is an error.
func OpenTable(name string) (*InputFile, error) {
	want := "a file table"
	if filepath.Ext(name) == ".table" {
		want = ""
	}
	return OpenInput(name, want)
}

// MaxText is the maximum size of a property or symbol file, far above the size of real files.
const MaxText = 256 << 20

// ReadListed returns the content and the path of a text file that a table names.
func ReadListed(table, path string) (data []byte, found string, err error) {
	f, err := OpenListed(table, path)
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	if f.Size > MaxText {
		return nil, "", BadInput(fmt.Errorf("%s: file too large: %d bytes (limit %d)", f.Name(), f.Size, MaxText))
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

// Stem returns the base name, without extension, for the files of the row with the given code.
func Stem(code string) string {
	base := filepath.Base(code)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// Stems returns the base names, without extension, for the files of a table's rows. They must be
// unique.
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
			return nil, BadInput(fmt.Errorf("%s: duplicate module name %s", name, stem))
		}
		seen[stem] = true
		stems = append(stems, stem)
	}
	return stems, nil
}
