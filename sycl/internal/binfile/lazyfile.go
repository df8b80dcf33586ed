package binfile

import (
	"container/list"
	"fmt"
	"os"
	"sync"
)

// maxOpen limits the number of files that stay open.
const maxOpen = 16

// A File is open for reading. A program can have more Files than a process can have open: only a
// few are open at a time, and a file that was closed in favor of others is reopened when it is
// read. It is safe for concurrent reads by multiple goroutines.
type File struct {
	name string
	info os.FileInfo // when it was first opened

	// The rest is guarded by opened.
	file    *os.File      // nil while it is closed
	readers int           // number of calls that use file
	place   *list.Element // in opened.recent
	closed  bool          // by Close
}

// opened holds the open files, most recently read first.
var opened struct {
	sync.Mutex
	recent list.List
}

// Open opens a file.
func Open(name string) (*File, error) {
	f := &File{name: name}
	if _, err := f.acquire(); err != nil {
		return nil, err
	}
	f.release()
	return f, nil
}

// Info describes the file.
func (f *File) Info() os.FileInfo { return f.info }

// ReadAt implements [io.ReaderAt]. It returns an error if the file was replaced since it was
// opened.
func (f *File) ReadAt(b []byte, offset int64) (int, error) {
	file, err := f.acquire()
	if err != nil {
		return 0, err
	}
	defer f.release()
	return file.ReadAt(b, offset)
}

// Close closes the file. It must not be read afterwards.
func (f *File) Close() error {
	opened.Lock()
	defer opened.Unlock()
	f.closed = true
	return f.shut()
}

// acquire opens the file unless it is open.
func (f *File) acquire() (*os.File, error) {
	opened.Lock()
	defer opened.Unlock()
	switch {
	case f.closed:
		return nil, &os.PathError{Op: "read", Path: f.name, Err: os.ErrClosed}
	case f.file == nil:
		makeRoom()
		if err := f.open(); err != nil {
			return nil, err
		}
		f.place = opened.recent.PushFront(f)
	default:
		opened.recent.MoveToFront(f.place)
	}
	f.readers++
	return f.file, nil
}

func (f *File) open() error {
	file, err := os.Open(f.name)
	if err != nil {
		return err
	}
	info, err := file.Stat()
	if err == nil && f.info != nil && (!os.SameFile(info, f.info) || info.Size() != f.info.Size() || !info.ModTime().Equal(f.info.ModTime())) {
		err = fmt.Errorf("%s: the file changed while it was being read", f.name)
	}
	if err != nil {
		file.Close()
		return err
	}
	f.file, f.info = file, info
	return nil
}

func (f *File) release() {
	opened.Lock()
	defer opened.Unlock()
	f.readers--
}

// makeRoom closes the least recently read files.
func makeRoom() {
	for e := opened.recent.Back(); e != nil && opened.recent.Len() >= maxOpen; {
		f := e.Value.(*File)
		e = e.Prev()
		if f.readers == 0 {
			f.shut() // closing after reading has no error to report
		}
	}
}

// shut closes the file if it is open.
func (f *File) shut() error {
	if f.file == nil {
		return nil
	}
	opened.recent.Remove(f.place)
	err := f.file.Close()
	f.file, f.place = nil, nil
	return err
}
