// Package tables finds and reads the files that file tables name.
package tables

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/rules-sycl/rules_sycl/internal/cli"
)

// Open opens a file that a table names: by its path from the current folder, as
// DPC++'s tools do, or else from that of the table. It must be a regular file,
// so that a table cannot make a tool wait.
func Open(table, path string) (*os.File, error) {
	f, err := open(path)
	if errors.Is(err, fs.ErrNotExist) && !filepath.IsAbs(path) {
		if beside, errBeside := open(filepath.Join(filepath.Dir(table), path)); !errors.Is(errBeside, fs.ErrNotExist) {
			return beside, errBeside
		}
	}
	return f, err
}

func open(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, cli.BadInput(fmt.Errorf("%s is not a regular file", path))
	}
	return os.Open(path)
}

// maxText is above any property or symbol file that a compiler makes.
const maxText = 256 << 20

// Read reads a text file that a table names, and returns the path it has.
func Read(table, path string) (data []byte, found string, err error) {
	f, err := Open(table, path)
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, "", err
	}
	if info.Size() > maxText {
		return nil, "", cli.BadInput(fmt.Errorf("%s has %d bytes; at most %d are read", f.Name(), info.Size(), maxText))
	}
	data = make([]byte, info.Size())
	if n, err := f.ReadAt(data, 0); n < len(data) {
		return nil, "", fmt.Errorf("%s: %w", f.Name(), err)
	}
	return data, f.Name(), nil
}
