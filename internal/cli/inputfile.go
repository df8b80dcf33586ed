package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// An inputError is returned for a file that cannot be read as an input. It counts as
// invalid input. Running out of memory or open files is a system error instead.
type inputError struct {
	Name string
	Err  error
}

func (e *inputError) Error() string {
	return e.Name + ": " + e.Err.Error()
}
func (e *inputError) Unwrap() error { return e.Err }

// BadInput marks the error as caused by an input file.
func (*inputError) BadInput() {}

func errorf(name, format string, args ...any) error {
	return &inputError{name, fmt.Errorf(format, args...)}
}

// An InputFile is an open regular file.
type InputFile struct {
	*os.File
	Size int64
}

// OpenInput opens a regular file. It does not block on a named pipe. want names the expected
// content, such as "a SYCLBIN", and makes an empty file an error; it is "" if the file may
// be empty.
func OpenInput(name, want string) (*InputFile, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, inputReason(name, err)
	}
	// Stat the open file, so that it cannot be replaced in between.
	info, err := f.Stat()
	if err == nil {
		err = check(name, want, info)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return &InputFile{f, info.Size()}, nil
}

// StatInput checks a file that another program will open, like [OpenInput].
func StatInput(name, want string) (fs.FileInfo, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, inputReason(name, err)
	}
	return info, check(name, want, info)
}

// ReadInput returns the content of a regular file of at most most bytes.
func ReadInput(name, want string, most int64) ([]byte, error) {
	f, err := OpenInput(name, want)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if f.Size > most {
		return nil, errorf(name, "too large for %[2]s (limit %[1]d MiB)", most>>20, cmp.Or(want, "an input of this kind"))
	}
	data := make([]byte, f.Size, f.Size+1)
	n, err := io.ReadFull(f, data)
	switch {
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		return nil, errorf(name, "unexpected end of file after %d of %d bytes; the file changed while it was being read", n, f.Size)
	case err != nil:
		return nil, err
	}
	if n, _ := f.Read(data[f.Size : f.Size+1]); n > 0 {
		return nil, errorf(name, "more than %d bytes; the file changed while it was being read", f.Size)
	}
	return data, nil
}

// check returns an error for a file that OpenInput does not accept.
func check(name, want string, info fs.FileInfo) error {
	switch err := NotRegular(info.Mode()); {
	case err != nil:
		return &inputError{name, err}
	case want != "" && info.Size() == 0:
		return errorf(name, "empty file; expected %s (check whether the step that writes it failed)", want)
	}
	return nil
}

// NotRegular returns an error for a file that is not a regular file, without its name, or nil.
func NotRegular(mode fs.FileMode) error {
	what := ""
	switch {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		return errors.New("directory; expected a file")
	case mode&fs.ModeNamedPipe != 0:
		what = "pipe, "
	case mode&fs.ModeSocket != 0:
		what = "socket, "
	case mode&fs.ModeDevice != 0:
		what = "device, "
	}
	return fmt.Errorf("%snot a regular file; write the content to a file, and pass the file", what)
}

// inputReason returns the error of opening a file as an input error, except for system
// errors.
func inputReason(name string, err error) error {
	for _, system := range []error{syscall.ENFILE, syscall.ENOMEM, syscall.EIO, syscall.EINTR} {
		if errors.Is(err, system) {
			return err
		}
	}
	var why *fs.PathError
	switch {
	case errors.Is(err, syscall.EMFILE):
		return fmt.Errorf("%w; raise the limit, for example with 'ulimit -n 1024'", err)
	case !errors.As(err, &why):
		return err
	case errors.Is(err, syscall.ENXIO):
		return errorf(name, "socket or device, not a regular file; write the content to a file, and pass the file")
	case errors.Is(err, syscall.EINVAL):
		return errorf(name, "invalid file name")
	}
	return &inputError{name, why.Err}
}
