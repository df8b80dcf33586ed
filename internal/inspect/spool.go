package inspect

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/outfile"
)

// inMemory is the maximum size of a member kept in memory.
const inMemory = 8 << 20

// A spooledContent is the content of a stream with random access.
type spooledContent struct {
	io.ReaderAt
	size  int64
	close func() error
}

func (s *spooledContent) Size() int64  { return s.size }
func (s *spooledContent) Close() error { return s.close() }

// spool reads a stream to its end. Large content is stored in a scratch file, which is unlinked if
// the system allows this. The expected size saves memory and time if it is right.
func spool(in io.Reader, expected int64) (*spooledContent, error) {
	var start bytes.Buffer
	if expected < inMemory {
		start.Grow(int(max(expected, 0)) + bytes.MinRead)
		n, err := io.Copy(&start, io.LimitReader(in, inMemory))
		if err != nil {
			return nil, err
		}
		if n < inMemory {
			return &spooledContent{bytes.NewReader(start.Bytes()), n, func() error { return nil }}, nil
		}
	}
	dir, remove, err := outfile.TempDir()
	if err != nil {
		return nil, &scratchError{err.Error()}
	}
	f, err := os.Create(filepath.Join(dir, "member"))
	if err != nil {
		remove()
		return nil, noSpace(err)
	}
	if os.Remove(f.Name()) == nil { // Windows keeps files that are open
		remove()
		remove = func() {}
	}
	closeFile := func() error {
		err := f.Close()
		remove()
		return err
	}
	size, err := io.Copy(scratch{f}, io.LimitReader(io.MultiReader(&start, in), maxMember+1))
	if err == nil && size > maxMember {
		err = cli.BadInput(fmt.Errorf("the member has more than %d MiB; %s", maxMember>>20, unpackIt))
	}
	if err != nil {
		closeFile()
		return nil, err
	}
	return &spooledContent{f, size, closeFile}, nil
}

// A scratch is a scratch file with descriptive errors.
type scratch struct{ f *os.File }

func (s scratch) Write(b []byte) (int, error) {
	n, err := s.f.Write(b)
	if err != nil {
		err = noSpace(err)
	}
	return n, err
}

// A scratchError is returned if a member cannot be unpacked for reasons other than an error in the
// archive.
type scratchError struct{ text string }

func (e *scratchError) Error() string {
	return "cannot unpack a member of an archive: " + e.text
}

// noSpace returns the error for a failed write to a scratch file.
func noSpace(err error) error {
	return &scratchError{fmt.Sprintf("%v; set TMPDIR to a directory with more space", err)}
}
