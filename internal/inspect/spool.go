package inspect

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/outfile"
)

// Sizes of content in memory, in bytes.
const (
	chunkSize = 1 << 20
	inMemory  = 80 << 20 // of all members that are read at the same time
)

// ownChunks is the number of chunks that each member may have even if the memory is used up.
const ownChunks = 8

// A spooler keeps the content of streams for random access. It is safe for concurrent use.
type spooler struct {
	mu   sync.Mutex
	free [][]byte // chunks to reuse
	made int      // number of allocated chunks
}

// chunk returns an empty chunk, or nil if the memory is used up and the chunk is not forced.
func (s *spooler) chunk(forced bool) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.free); n > 0 {
		last := s.free[n-1]
		s.free = s.free[:n-1]
		return last
	}
	if s.made >= inMemory/chunkSize && !forced {
		return nil
	}
	s.made++
	return make([]byte, 0, chunkSize)
}

// A spooledContent is the content of a stream. It must not be used after Close.
type spooledContent struct {
	s      *spooler
	chunks [][]byte // all full, except the last
	file   *os.File // the content if it is too large for memory
	size   int64
	remove func()
}

func (c *spooledContent) Size() int64 { return c.size }

func (c *spooledContent) Close() error {
	c.freeChunks()
	if c.file == nil {
		return nil
	}
	err := c.file.Close()
	c.remove()
	return err
}

func (c *spooledContent) freeChunks() {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	for _, chunk := range c.chunks {
		c.s.free = append(c.s.free, chunk[:0])
	}
	c.chunks = nil
}

// Slice returns a part of the content if it is in one chunk, see [offload.Slice].
func (c *spooledContent) Slice(offset, size int64) []byte {
	if offset < 0 || size < 0 || offset >= c.size || c.file != nil {
		return nil
	}
	if chunk := c.chunks[offset/chunkSize][offset%chunkSize:]; size <= int64(len(chunk)) {
		return chunk[:size:size]
	}
	return nil
}

func (c *spooledContent) ReadAt(b []byte, offset int64) (n int, err error) {
	if c.file != nil {
		return c.file.ReadAt(b, offset)
	}
	if offset < 0 {
		return 0, errors.New("negative offset")
	}
	for n < len(b) && offset < c.size {
		k := copy(b[n:], c.chunks[offset/chunkSize][offset%chunkSize:])
		n += k
		offset += int64(k)
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// spool reads a stream to its end. It stores the content in a scratch file if not enough memory is
// left.
func (s *spooler) spool(in io.Reader) (*spooledContent, error) {
	c := &spooledContent{s: s}
	for {
		chunk := s.chunk(len(c.chunks) < ownChunks)
		if chunk == nil {
			break
		}
		var err error
		for err == nil && len(chunk) < chunkSize {
			var n int
			n, err = in.Read(chunk[len(chunk):chunkSize])
			chunk = chunk[:len(chunk)+n]
		}
		c.chunks = append(c.chunks, chunk)
		c.size += int64(len(chunk))
		if err == io.EOF {
			return c, nil
		}
		if err != nil {
			c.Close()
			return nil, err
		}
	}
	if err := c.store(in); err != nil {
		c.Close()
		return nil, err
	}
	c.freeChunks()
	return c, nil
}

// store moves the content to a scratch file, which is unlinked if the system allows this, and adds
// the rest of the stream.
func (c *spooledContent) store(rest io.Reader) error {
	dir, remove, err := outfile.TempDir()
	if err != nil {
		return &scratchError{err.Error()}
	}
	f, err := os.Create(filepath.Join(dir, "member"))
	if err != nil {
		remove()
		return noSpace(err)
	}
	if os.Remove(f.Name()) == nil { // Windows keeps files that are open
		remove()
		remove = func() {}
	}
	start := io.NewSectionReader(c, 0, c.size)
	size, err := io.Copy(scratch{f}, io.LimitReader(io.MultiReader(start, rest), maxMember+1))
	c.file, c.size, c.remove = f, size, remove
	if err == nil && size > maxMember {
		err = cli.BadInput(fmt.Errorf("the member has more than %d MiB; %s", maxMember>>20, unpackIt))
	}
	return err
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
