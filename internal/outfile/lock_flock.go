//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package outfile

import (
	"errors"
	"os"
	"syscall"
)

// lockNew creates and locks the file that marks a scratch directory as in use. On file systems
// without locks, it creates no file, and no directory is considered abandoned.
func lockNew(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		if errors.Is(err, os.ErrExist) || errors.Is(err, os.ErrNotExist) {
			return nil, errRemoved
		}
		return nil, err
	}
	if err := flock(f); err != nil {
		if errors.Is(err, syscall.EWOULDBLOCK) {
			f.Close()
			return nil, errRemoved
		}
		return f, nil
	}
	// A different program may have removed the file before it was locked here.
	opened, err := f.Stat()
	there, errThere := os.Lstat(name)
	if err != nil || errThere != nil || !os.SameFile(opened, there) {
		f.Close()
		return nil, errRemoved
	}
	return f, nil
}

// lockAbandoned locks the file of an abandoned scratch directory. It returns nil if the directory is in
// use, or if that cannot be determined.
func lockAbandoned(name string) *os.File {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return nil
	}
	if flock(f) != nil {
		f.Close()
		return nil
	}
	return f
}

// flock locks a file, without waiting.
func flock(f *os.File) error {
	for {
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != syscall.EINTR {
			return err
		}
	}
}
