package buildstep

import (
	"bytes"
	"container/list"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"sync"
)

// keptLimit is the maximum size of a worker's cache, in bytes.
const keptLimit = 128 << 20

// A Cache holds the most recently used output files. A nil Cache caches nothing.
type Cache struct {
	limit  int64 // in bytes
	mu     sync.Mutex
	bytes  int64
	newest *list.List // of *file, most recently used first
	by     map[Key]*list.Element
}

// A Recipe lists everything that an output file depends on: programs, their options and their
// input. Only the paths of programs matter; other paths do not. A program with a different size or
// modification time is a different program.
type Recipe struct {
	Programs, Options []string
	Input             []byte
	InputFile         string // file with more input, or ""
}

// A Key identifies a recipe.
type Key [sha256.Size]byte

type file struct {
	key              Key
	content, printed []byte
}

// NewCache returns an empty cache of at most limit bytes.
func NewCache(limit int64) *Cache {
	return &Cache{limit: limit, newest: list.New(), by: map[Key]*list.Element{}}
}

func (r *Recipe) key() (sum Key, err error) {
	h := sha256.New()
	for _, program := range r.Programs {
		fmt.Fprintf(h, "%q %s ", program, State(program))
	}
	fmt.Fprintf(h, "%q\n", r.Options)
	h.Write(r.Input)
	if r.InputFile != "" {
		in, err := os.Open(r.InputFile)
		if err != nil {
			return sum, err
		}
		defer in.Close()
		if _, err := io.Copy(h, in); err != nil {
			return sum, err
		}
	}
	h.Sum(sum[:0])
	return sum, nil
}

// State returns the size and modification time of a program, or "" if it does not exist.
func State(program string) string {
	info, err := os.Stat(program)
	if err != nil {
		return ""
	}
	return fmt.Sprint(info.Size(), info.ModTime().UnixNano())
}

// Make writes the file name, and the compilers' output to log. It copies both from the cache, or
// calls do if the recipe is not in the cache.
func (f *Cache) Make(r Recipe, name string, log io.Writer, do func(log io.Writer) error) error {
	if f == nil {
		return do(log)
	}
	key, found, err := f.Take(r, name, log)
	if err != nil || found {
		return err
	}
	var printed bytes.Buffer
	if err := do(io.MultiWriter(log, &printed)); err != nil {
		return err
	}
	return f.add(key, name, printed.Bytes())
}

// Take copies the file of a recipe and the compilers' output if they are in the cache. If not, the
// caller should create the file and pass the returned key to [Cache.Add].
func (f *Cache) Take(r Recipe, name string, log io.Writer) (key Key, found bool, err error) {
	if f == nil {
		return key, false, nil
	}
	if key, err = r.key(); err != nil {
		return key, false, err
	}
	if kept := f.find(key); kept != nil && os.WriteFile(name, kept.content, 0o666) == nil {
		_, err := log.Write(kept.printed)
		return key, true, err
	}
	return key, false, nil
}

// Add adds a file to the cache. Its compilers must not have printed anything.
func (f *Cache) Add(key Key, name string) error {
	if f == nil {
		return nil
	}
	return f.add(key, name, nil)
}

func (f *Cache) find(key Key) *file {
	f.mu.Lock()
	defer f.mu.Unlock()
	e := f.by[key]
	if e == nil {
		return nil
	}
	f.newest.MoveToFront(e)
	return e.Value.(*file)
}

// add adds a file unless it exceeds the limit, and evicts older files if necessary.
func (f *Cache) add(key Key, name string, printed []byte) error {
	if info, err := os.Stat(name); err != nil || info.Size() > f.limit {
		return err
	}
	content, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.by[key] != nil {
		return nil
	}
	added := &file{key, content, printed}
	f.by[key] = f.newest.PushFront(added)
	f.bytes += added.size()
	for f.bytes > f.limit {
		last := f.newest.Remove(f.newest.Back()).(*file)
		delete(f.by, last.key)
		f.bytes -= last.size()
	}
	return nil
}

// size returns the memory that the file uses, including overhead.
func (f *file) size() int64 { return int64(len(f.content) + len(f.printed) + 256) }
