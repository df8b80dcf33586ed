package packager

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
)

// A placer writes a file of which several stretches are copied at once: of whole
// files whose places in it are known before their bytes are. It must be finished.
type placer struct {
	p         *progress
	f         *os.File
	offset    int64 // where the next part starts
	next      stretch
	stretches chan stretch
	copies    sync.WaitGroup
	once      sync.Once
	err       error // of the first stretch that failed
	failed    chan struct{}
}

// A stretch is files to copy one after another.
type stretch struct {
	offset, size int64
	files        []*fileSource
}

// stretchSize is how much one write has: the kernel lets one at a time into a file.
const stretchSize = 1 << 20

// newPlacer returns a writer to f from its start.
func newPlacer(f *os.File, p *progress) *placer {
	w := &placer{p: p, f: f, stretches: make(chan stretch, 16), failed: make(chan struct{})}
	for range min(runtime.GOMAXPROCS(0), 16) { // each has an open file
		w.copies.Go(func() {
			buf := make([]byte, 0, stretchSize)
			for s := range w.stretches {
				if err := w.copy(s, buf); err != nil {
					w.once.Do(func() { w.err = err; close(w.failed) })
				}
			}
		})
	}
	return w
}

func (w *placer) Write(b []byte) (int, error) {
	if err := w.flush(); err != nil {
		return 0, err
	}
	n, err := w.f.WriteAt(b, w.offset)
	w.advance(int64(n))
	return n, err
}

// copyLater has a file copied to where the next part starts.
func (w *placer) copyLater(s *fileSource) (int64, error) {
	if len(w.next.files) == 0 {
		w.next.offset = w.offset
	}
	w.next.files = append(w.next.files, s)
	w.next.size += s.size
	w.advance(s.size)
	if w.next.size >= stretchSize {
		return s.size, w.flush()
	}
	return s.size, nil
}

// flush has copied what was asked for.
func (w *placer) flush() error {
	if len(w.next.files) == 0 {
		return nil
	}
	select {
	case w.stretches <- w.next:
		w.next = stretch{}
		return nil
	case <-w.failed:
		return w.err
	}
}

func (w *placer) advance(n int64) {
	w.offset += n
	w.p.advance(n)
}

// copy copies a stretch by way of buf, which is empty.
func (w *placer) copy(s stretch, buf []byte) error {
	select {
	case <-w.failed:
		return nil
	default:
	}
	out := io.NewOffsetWriter(w.f, s.offset)
	for _, file := range s.files {
		f, err := openRegular(file.path)
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
				err = fmt.Errorf("%s ended after %d of its %d bytes: it changed while it was read", file.path, file.size-left, file.size)
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

// finish waits for all stretches.
func (w *placer) finish() error {
	err := w.flush()
	close(w.stretches)
	w.copies.Wait()
	return cmp.Or(w.err, err)
}
