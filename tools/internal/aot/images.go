package aot

import (
	"container/list"
	"crypto/sha256"
	"fmt"
	"os"
	"sync"
)

// images are native images that were compiled before. An edit of one kernel makes a table
// with many modules, of which all but one are the same as before.
type images struct {
	limit  int64 // of bytes
	mu     sync.Mutex
	bytes  int64
	newest *list.List // of *known, the one used last first
	by     map[key]*list.Element
}

// A key is what an image depends on: ocloc, its arguments and the module.
type key [sha256.Size]byte

type known struct {
	key            key
	image, printed []byte
}

func newImages(limit int64) *images {
	return &images{limit: limit, newest: list.New(), by: map[key]*list.Element{}}
}

func keyOf(ocloc string, args []string, module []byte) (k key) {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q\n", ocloc, args)
	h.Write(module)
	h.Sum(k[:0])
	return k
}

// copyTo writes an image to a file. It is not ok when the image is not known.
func (m *images) copyTo(file string, k key) (printed []byte, ok bool) {
	m.mu.Lock()
	e := m.by[k]
	if e != nil {
		m.newest.MoveToFront(e)
	}
	m.mu.Unlock()
	if e == nil {
		return nil, false
	}
	im := e.Value.(*known)
	return im.printed, os.WriteFile(file, im.image, 0o666) == nil
}

// add remembers the image in a file.
func (m *images) add(k key, file string, printed []byte) error {
	if info, err := os.Stat(file); err != nil || info.Size() > m.limit {
		return err
	}
	image, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.by[k] != nil {
		return nil
	}
	im := &known{k, image, printed}
	m.by[k] = m.newest.PushFront(im)
	m.bytes += im.size()
	for m.bytes > m.limit {
		last := m.newest.Remove(m.newest.Back()).(*known)
		delete(m.by, last.key)
		m.bytes -= last.size()
	}
	return nil
}

// size returns how many bytes it takes, with those that point to it.
func (im *known) size() int64 { return int64(len(im.image) + len(im.printed) + 256) }
