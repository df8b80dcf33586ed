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

// keptLimit is the maximum number of bytes that a worker keeps.
const keptLimit = 128 << 20

// Kept contains the most recently used files. With a nil Kept, a compiler writes every file.
type Kept struct {
	limit  int64 // of bytes
	mu     sync.Mutex
	bytes  int64
	newest *list.List // of *file, the one used last first
	by     map[Key]*list.Element
}

// A Recipe lists everything that a file depends on: programs, their options and inputs. The
// programs' paths are the only paths that matter. A program with a new size or time is a different
// program.
type Recipe struct {
	Programs, Options []string
	Input             []byte
	InputFile         string // has more of the input, unless the name is empty
}

// A Key identifies a recipe.
type Key [sha256.Size]byte

type file struct {
	key              Key
	content, printed []byte
}

// NewKept returns an empty Kept that can hold the given number of bytes.
func NewKept(limit int64) *Kept {
	return &Kept{limit: limit, newest: list.New(), by: map[Key]*list.Element{}}
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

// Make writes a file, and the output of compilers to log. If it has written the file for the same recipe
// before, it copies both; otherwise it calls a function with the log.
func (f *Kept) Make(r Recipe, name string, log io.Writer, do func(log io.Writer) error) error {
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

// Take copies the file of a recipe and the compilers' output if it has them. Otherwise, pass the returned key
// to [Kept.Add].
func (f *Kept) Take(r Recipe, name string, log io.Writer) (key Key, found bool, err error) {
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

// Add keeps a file whose compilers printed nothing.
func (f *Kept) Add(key Key, name string) error {
	if f == nil {
		return nil
	}
	return f.add(key, name, nil)
}

func (f *Kept) find(key Key) *file {
	f.mu.Lock()
	defer f.mu.Unlock()
	e := f.by[key]
	if e == nil {
		return nil
	}
	f.newest.MoveToFront(e)
	return e.Value.(*file)
}

// add keeps a file unless it exceeds the limit.
func (f *Kept) add(key Key, name string, printed []byte) error {
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

// size returns how many bytes it takes, with those that point to it.
func (f *file) size() int64 { return int64(len(f.content) + len(f.printed) + 256) }
