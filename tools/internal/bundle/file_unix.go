//go:build unix

package bundle

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"syscall"

	"github.com/rules-sycl/rules_sycl/internal/cli"
)

// A regularFile is an open file that is neither a directory nor a device. It makes fewer
// system calls than an [os.File], which matters for tens of thousands of small files.
type regularFile struct {
	name string
	size int64
	fd   int
	stat syscall.Stat_t
}

func openRegular(name string) (*regularFile, error) {
	f := &regularFile{name: name}
	// Without O_NONBLOCK, opening a named pipe blocks until another process writes to it.
	err := again(func() (err error) {
		f.fd, err = syscall.Open(name, syscall.O_RDONLY|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
		return err
	})
	if err != nil {
		return nil, cli.InputReason(name, &os.PathError{Op: "open", Path: name, Err: err})
	}
	if err := again(func() error { return syscall.Fstat(f.fd, &f.stat) }); err != nil {
		f.Close()
		return nil, &os.PathError{Op: "stat", Path: name, Err: err}
	}
	if f.stat.Mode&syscall.S_IFMT != syscall.S_IFREG {
		f.Close()
		_, err := cli.StatInput(name, "") // reports the kind of file
		return nil, cmp.Or(err, cli.BadInput(fmt.Errorf("%s: not a regular file", name)))
	}
	f.size = f.stat.Size
	return f, nil
}

func (f *regularFile) Read(b []byte) (n int, err error) {
	err = again(func() error { n, err = syscall.Read(f.fd, b); return err })
	return f.result(n, len(b), err)
}

func (f *regularFile) ReadAt(b []byte, offset int64) (total int, err error) {
	for total < len(b) && err == nil {
		var n int
		err = again(func() error { n, err = syscall.Pread(f.fd, b[total:], offset+int64(total)); return err })
		n, err = f.result(n, len(b), err)
		total += n
	}
	return total, err
}

func (f *regularFile) result(n, wanted int, err error) (int, error) {
	switch {
	case err != nil:
		return 0, &os.PathError{Op: "read", Path: f.name, Err: err}
	case n == 0 && wanted > 0:
		return 0, io.EOF
	}
	return n, nil
}

func (f *regularFile) Close() { syscall.Close(f.fd) }

// is reports whether info describes this file.
func (f *regularFile) is(info os.FileInfo) bool {
	other, ok := info.Sys().(*syscall.Stat_t)
	return ok && other.Dev == f.stat.Dev && other.Ino == f.stat.Ino
}

// again repeats a system call that a signal interrupted.
func again(call func() error) error {
	for {
		if err := call(); err != syscall.EINTR {
			return err
		}
	}
}
