package bundle

import (
	"errors"
	"os"
	"syscall"
)

// reserve allocates disk space for a file, so that a full disk is reported before data is written.
// It does nothing if the file system does not support this.
func reserve(f *os.File, size int64) error {
	if size == 0 {
		return nil
	}
	err := syscall.Fallocate(int(f.Fd()), 0, 0, size)
	if errors.Is(err, syscall.ENOSPC) {
		return &os.PathError{Op: "reserve", Path: f.Name(), Err: err}
	}
	return nil
}
