//go:build unix

package testkit

import (
	"errors"
	"io/fs"
	"syscall"
)

func makePipe(name string) error {
	if err := syscall.Mkfifo(name, 0o600); !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}
