package bundle

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"

	"github.com/rules-sycl/rules_sycl/internal/cli"
)

// A segmentWriter writes a file and concurrently copies other files, whose sizes must be known in
// advance, into it. Callers must call finish.
type segmentWriter struct {
	p        *cli.ProgressWriter
	f        *os.File
	offset   int64 // offset of the next write
	next     segment
	segments chan segment
	copies   sync.WaitGroup
	once     sync.Once
	err      error // error of the first segment that failed
	failed   chan struct{}
}

// A segment is a list of files to copy to consecutive offsets.
type segment struct {
	offset, size int64
	files        []*fileSource
}

// segmentSize is the size of one write. Large writes pay off because the kernel serializes writes
// to a file.
const segmentSize = 1 << 20

// newSegmentWriter returns a writer that starts at offset 0 of f.
func newSegmentWriter(f *os.File, p *cli.ProgressWriter) *segmentWriter {
	w := &segmentWriter{p: p, f: f, segments: make(chan segment, 16), failed: make(chan struct{})}
	for range min(runtime.GOMAXPROCS(0), 16) { // each opens one file at a time
		w.copies.Go(func() {
			buf := make([]byte, 0, segmentSize)
			for s := range w.segments {
				if err := w.copy(s, buf); err != nil {
					w.once.Do(func() { w.err = err; close(w.failed) })
				}
			}
		})
	}
	return w
}

func (w *segmentWriter) Write(b []byte) (int, error) {
	if err := w.flush(); err != nil {
		return 0, err
	}
	n, err := w.f.WriteAt(b, w.offset)
	w.advance(int64(n))
	return n, err
}

// copyLater schedules copying a file to the current offset.
func (w *segmentWriter) copyLater(s *fileSource) (int64, error) {
	if len(w.next.files) == 0 {
		w.next.offset = w.offset
	}
	w.next.files = append(w.next.files, s)
	w.next.size += s.size
	w.advance(s.size)
	if w.next.size >= segmentSize {
		return s.size, w.flush()
	}
	return s.size, nil
}

// flush starts copying the pending segment.
func (w *segmentWriter) flush() error {
	if len(w.next.files) == 0 {
		return nil
	}
	select {
	case w.segments <- w.next:
		w.next = segment{}
		return nil
	case <-w.failed:
		return w.err
	}
}

func (w *segmentWriter) advance(n int64) {
	w.offset += n
	w.p.Advance(n)
}

// copy copies a segment, using buf, which must be empty, as a buffer.
func (w *segmentWriter) copy(s segment, buf []byte) error {
	select {
	case <-w.failed:
		return nil
	default:
	}
	out := io.NewOffsetWriter(w.f, s.offset)
	for _, file := range s.files {
		f, err := cli.OpenInput(file.path, "")
		if err != nil {
			return err
		}
		for left := file.size; left > 0 && err == nil; {
			if len(buf) == cap(buf) {
				if _, err = out.Write(buf); err != nil {
					break
				}
				buf = buf[:0]
			}
			var n int
			n, err = io.ReadFull(f, buf[len(buf):min(int64(cap(buf)), int64(len(buf))+left)])
			buf = buf[:len(buf)+n]
			if left -= int64(n); err == io.EOF || err == io.ErrUnexpectedEOF {
				err = fmt.Errorf("%s: unexpected end of file after %d of %d bytes; the file changed while it was being read", file.path, file.size-left, file.size)
			}
		}
		f.Close()
		if err != nil {
			return err
		}
	}
	_, err := out.Write(buf)
	return err
}

// finish waits until all segments are copied.
func (w *segmentWriter) finish() error {
	err := w.flush()
	close(w.segments)
	w.copies.Wait()
	return cmp.Or(w.err, err)
}
