package inspect

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"github.com/rules-sycl/rules_sycl/sycl/offload"
)

// TestSpool checks that content has the same bytes in memory and in a scratch file, and that
// content in one chunk is not copied.
func TestSpool(t *testing.T) {
	want := make([]byte, ownChunks*chunkSize+3)
	for i := range want {
		want[i] = byte(i / 251)
	}
	var s spooler
	for range 2 { // the second pass reuses the memory
		c, err := s.spool(iotest.HalfReader(bytes.NewReader(want)))
		if err != nil {
			t.Fatal(err)
		}
		checkContent(t, c, want)
		inChunk := offload.Slice(io.NewSectionReader(c, 0, c.Size()), chunkSize+1, 5)
		if !bytes.Equal(inChunk, want[chunkSize+1:][:5]) {
			t.Errorf("in a chunk: %v", inChunk)
		}
		for _, r := range [][2]int64{{chunkSize - 1, 2}, {-1, 1}, {0, -1}, {c.Size() - 1, 2}, {c.Size(), 1}} {
			if got := c.Slice(r[0], r[1]); got != nil {
				t.Errorf("%d bytes at %d: %v", r[1], r[0], got)
			}
		}
		c.Close()
	}
	if s.made != ownChunks+1 {
		t.Errorf("%d chunks for %d at a time", s.made, ownChunks+1)
	}

	s.made = inMemory / chunkSize // only the free chunks are left
	first, err := s.spool(bytes.NewReader(want[:1]))
	if err != nil {
		t.Fatal(err)
	}
	large, err := s.spool(bytes.NewReader(want))
	if err != nil {
		t.Fatal(err)
	}
	if large.file == nil || len(s.free) != ownChunks {
		t.Errorf("without memory: %v, %d free chunks", large.file, len(s.free))
	}
	checkContent(t, large, want)
	if got := large.Slice(0, 1); got != nil {
		t.Errorf("a part of a file: %v", got)
	}
	large.Close()
	s.free = nil
	small, err := s.spool(bytes.NewReader(want[:ownChunks*chunkSize-1]))
	if err != nil || small.file != nil {
		t.Errorf("a small member without memory: %v", err)
	}
	first.Close()
}

func checkContent(t *testing.T, c *spooledContent, want []byte) {
	t.Helper()
	got, err := io.ReadAll(io.NewSectionReader(c, 0, c.Size()))
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if n, err := c.ReadAt(make([]byte, 2), c.Size()-1); n != 1 || err != io.EOF {
		t.Errorf("at the end: %d bytes, %v", n, err)
	}
}

// TestSpoolFails checks that a read error is returned, even if it looks like the end of a truncated
// stream.
func TestSpoolFails(t *testing.T) {
	for _, fails := range []error{io.ErrUnexpectedEOF, errors.New("damaged")} {
		var s spooler
		c, err := s.spool(io.MultiReader(bytes.NewReader(make([]byte, 9)), iotest.ErrReader(fails)))
		if c != nil || err != fails || len(s.free) != s.made {
			t.Errorf("%v: %v, %d of %d chunks are free", err, c, len(s.free), s.made)
		}
	}
}
