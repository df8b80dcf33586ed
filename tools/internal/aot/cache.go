package aot

import (
	"container/list"
	"crypto/sha256"
	"fmt"
	"os"
	"sync"
)

// A cache has native images that were compiled before. An edit of one kernel makes a table
// with many modules, of which all but one are the same as before.
type cache struct {
	limit  int64 // of bytes
	mu     sync.Mutex
	bytes  int64
	newest *list.List // of *cached, the one used last first
	by     map[key]*list.Element
}

// A key is what an image depends on: ocloc, its options and the module. It depends on no
// path.
type key [sha256.Size]byte

type cached struct {
	key            key
	image, printed []byte
}

func newCache(limit int64) *cache {
	return &cache{limit: limit, newest: list.New(), by: map[key]*list.Element{}}
}

func keyOf(k kind, options []string, module []byte) (sum key) {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q\n", k, options)
	h.Write(module)
	h.Sum(sum[:0])
	return sum
}

// copyTo writes an image to a file. It is not ok when it has none.
func (c *cache) copyTo(file string, k key) (printed []byte, ok bool) {
	c.mu.Lock()
	e := c.by[k]
	if e != nil {
		c.newest.MoveToFront(e)
	}
	c.mu.Unlock()
	if e == nil {
		return nil, false
	}
	im := e.Value.(*cached)
	return im.printed, os.WriteFile(file, im.image, 0o666) == nil
}

// add keeps the image in a file.
func (c *cache) add(k key, file string, printed []byte) error {
	if info, err := os.Stat(file); err != nil || info.Size() > c.limit {
		return err
	}
	image, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.by[k] != nil {
		return nil
	}
	im := &cached{k, image, printed}
	c.by[k] = c.newest.PushFront(im)
	c.bytes += im.size()
	for c.bytes > c.limit {
		last := c.newest.Remove(c.newest.Back()).(*cached)
		delete(c.by, last.key)
		c.bytes -= last.size()
	}
	return nil
}

// size returns how many bytes it takes, with those that point to it.
func (im *cached) size() int64 { return int64(len(im.image) + len(im.printed) + 256) }
