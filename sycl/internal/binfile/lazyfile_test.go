package binfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func write(t *testing.T, content string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestFewAreOpen checks that only a few of many files are open at any time, even with concurrent
// readers.
func TestFewAreOpen(t *testing.T) {
	var files []*File
	for i := range 10 * maxOpen {
		f, err := Open(write(t, fmt.Sprintf("%04d", i)))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		files = append(files, f)
	}
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for i, f := range files {
				b := make([]byte, 4)
				if n, err := f.ReadAt(b, 0); n != 4 || err != nil || string(b) != fmt.Sprintf("%04d", i) {
					t.Errorf("file %d: %q, %v", i, b, err)
				}
			}
		})
	}
	readers.Wait()
	if n := opened.recent.Len(); n > maxOpen {
		t.Errorf("%d open files", n)
	}
}

func TestChanged(t *testing.T) {
	name := write(t, "before")
	f, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	opened.Lock()
	f.shut()
	opened.Unlock()
	if err := os.WriteFile(name, []byte("afterwards"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := f.ReadAt(make([]byte, 1), 0); err == nil || !strings.Contains(err.Error(), "changed while it was being read") {
		t.Errorf("got %v", err)
	}
}

func TestClose(t *testing.T) {
	f, err := Open(write(t, "x"))
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := f.ReadAt(make([]byte, 1), 0); !errors.Is(err, os.ErrClosed) {
		t.Errorf("got %v", err)
	}
	if _, err := Open(filepath.Join(t.TempDir(), "missing")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
}
