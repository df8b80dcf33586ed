package bundle

import (
	"errors"
	"os"
	"syscall"
)

// reserve allocates disk space for a file, so that a full disk is reported before any data
// is written. File systems without support for this are ignored.
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
