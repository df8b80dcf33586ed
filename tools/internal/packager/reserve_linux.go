package packager

import (
	"errors"
	"os"
	"syscall"
)

// reserve asks for room on the disk for a file, so that one that is too small says
// so at once. Filesystems that cannot do that are not asked again.
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
