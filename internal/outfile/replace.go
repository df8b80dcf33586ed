package outfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// ReplaceDirectory creates a directory with exactly the files that write puts into it. It replaces
// an existing directory with two renames if that directory is empty or contains a file named mark,
// as every directory created by ReplaceDirectory does. Otherwise it returns an error.
func ReplaceDirectory(name, mark string, write func(dir string) error) (err error) {
	place, err := filepath.Abs(name)
	if err != nil {
		return failed(name, err)
	}
	if real, err := filepath.EvalSymlinks(place); err == nil {
		place = real
	}
	entries, err := os.ReadDir(place)
	isThere := err == nil
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return failed(name, err)
	}
	if _, err := os.Lstat(filepath.Join(place, mark)); err != nil && len(entries) > 0 {
		return &conflictError{fmt.Sprintf("%s: refusing to replace a directory without %s; choose a different directory or remove it", name, mark)}
	}
	if err := os.MkdirAll(filepath.Dir(place), 0o777); err != nil {
		return failed(name, err)
	}
	scratch, remove, err := ScratchDir(filepath.Dir(place))
	if err != nil {
		return failed(name, err)
	}
	defer remove()
	made := filepath.Join(scratch, "new")
	if err := os.Mkdir(made, 0o777); err != nil {
		return failed(name, err)
	}
	if err := write(made); err != nil {
		return relabel(err, made, name)
	}
	if isThere {
		if err := os.Rename(place, filepath.Join(scratch, "old")); err != nil {
			return failed(name, err)
		}
	}
	if err := os.Rename(made, place); err != nil {
		if isThere {
			os.Rename(filepath.Join(scratch, "old"), place)
		}
		return failed(name, err)
	}
	return nil
}
