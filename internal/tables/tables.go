// Package tables finds and reads the files that file tables name.
package tables

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/infile"
)

// Open opens a file that a table names: by its path from the current folder, as
// DPC++'s tools do, or else from that of the table. It must be a regular file,
// so that a table cannot make a tool wait.
func Open(table, path string) (*infile.File, error) {
	f, err := infile.Open(path, "")
	if errors.Is(err, fs.ErrNotExist) && !filepath.IsAbs(path) {
		if beside, errBeside := infile.Open(filepath.Join(filepath.Dir(table), path), ""); !errors.Is(errBeside, fs.ErrNotExist) {
			return beside, errBeside
		}
	}
	return f, err
}

// OpenTable opens a file table. Only a file whose name says that it is one may be empty: a
// table without rows. Another empty file is what is left of something else.
func OpenTable(name string) (*infile.File, error) {
	want := "a file table"
	if filepath.Ext(name) == ".table" {
		want = ""
	}
	return infile.Open(name, want)
}

// MaxText is above any property or symbol file that a compiler makes.
const MaxText = 256 << 20

// Read reads a text file that a table names, and returns the path it has.
func Read(table, path string) (data []byte, found string, err error) {
	f, err := Open(table, path)
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	if f.Size > MaxText {
		return nil, "", cli.BadInput(fmt.Errorf("%s has %d bytes; at most %d are read", f.Name(), f.Size, MaxText))
	}
	data = make([]byte, f.Size)
	if n, err := f.ReadAt(data, 0); n < len(data) {
		return nil, "", fmt.Errorf("%s: %w", f.Name(), err)
	}
	return data, f.Name(), nil
}
