package packager

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"

	"github.com/rules-sycl/rules_sycl/internal/cli"
)

// A placer writes a file into which several others are copied at once: their places in it
// are known before their bytes are. It must be finished.
type placer struct {
	p      *progress
	f      *os.File
	offset int64 // where the next part starts
	files  chan placed
	copies sync.WaitGroup
	once   sync.Once
	err    error // of the first copy that failed
	failed chan struct{}
}

// A placed file is one to copy.
type placed struct {
	*fileSource
	offset int64
}

// newPlacer returns a writer to f from its start.
func newPlacer(f *os.File, p *progress) *placer {
	w := &placer{p: p, f: f, files: make(chan placed, 64), failed: make(chan struct{})}
	for range min(runtime.GOMAXPROCS(0), 16) { // each has an open file
		w.copies.Go(func() {
			buf := make([]byte, 256<<10)
			for file := range w.files {
				if err := w.copy(file, buf); err != nil {
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
	case w.files <- placed{s, w.offset}:
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

// copy copies a file by way of buf.
func (w *placer) copy(file placed, buf []byte) error {
	f, err := cli.OpenInput(file.path, "")
	if err != nil {
		return err
	}
	defer f.Close()
	out := io.NewOffsetWriter(w.f, file.offset)
	n, err := io.CopyBuffer(struct{ io.Writer }{out}, io.LimitReader(f, file.size), buf)
	if err == nil && n < file.size {
		err = fmt.Errorf("%s ended after %d of its %d bytes: it changed while it was read", file.path, n, file.size)
	}
	return err
}

// finish waits for all copies.
func (w *placer) finish() error {
	close(w.files)
	w.copies.Wait()
	return w.err
}
