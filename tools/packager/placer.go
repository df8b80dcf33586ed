package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
)

// A placer writes a file of which several parts are copied at once: whole files
// whose places in it are known before their bytes are. It must be finished.
type placer struct {
	p      *progress
	f      *os.File
	offset int64 // where the next part starts
	parts  chan part
	copies sync.WaitGroup
	once   sync.Once
	err    error // of the first part that failed
	failed chan struct{}
}

// part is a file to copy.
type part struct {
	source *fileSource
	offset int64
}

// newPlacer returns a writer to f from its start.
func newPlacer(f *os.File, p *progress) *placer {
	w := &placer{p: p, f: f, parts: make(chan part, 64), failed: make(chan struct{})}
	for range runtime.GOMAXPROCS(0) {
		w.copies.Go(func() {
			buf := make([]byte, 256<<10)
			for part := range w.parts {
				if err := w.copy(part, buf); err != nil {
					w.once.Do(func() { w.err = err; close(w.failed) })
				}
			}
		})
	}
	return w
}

func (w *placer) Write(b []byte) (int, error) {
	n, err := w.f.WriteAt(b, w.offset)
	w.advance(int64(n))
	return n, err
}

// copyLater has a file copied to where the next part starts.
func (w *placer) copyLater(s *fileSource) (int64, error) {
	select {
	case w.parts <- part{s, w.offset}:
		w.advance(s.size)
		return s.size, nil
	case <-w.failed:
		return 0, w.err
	}
}

func (w *placer) advance(n int64) {
	w.offset += n
	w.p.advance(n)
}

func (w *placer) copy(p part, buf []byte) error {
	select {
	case <-w.failed:
		return nil
	default:
	}
	f, err := openRegular(p.source.path)
	if err != nil {
		return err
	}
	defer f.Close()
	n, err := io.CopyBuffer(struct{ io.Writer }{io.NewOffsetWriter(w.f, p.offset)}, struct{ io.Reader }{io.LimitReader(f, p.source.size)}, buf)
	if err == nil && n != p.source.size {
		err = fmt.Errorf("%s ended after %d of its %d bytes: it changed while it was read", p.source.path, n, p.source.size)
	}
	return err
}

// finish waits for all parts.
func (w *placer) finish() error {
	close(w.parts)
	w.copies.Wait()
	return w.err
}
