package syclbin

import (
	"errors"
	"slices"
	"testing"
)

// mostAllocated is the limit on allocations for reading files of that size, whatever they claim.
func mostAllocated(size int) uint64 { return 4*uint64(size) + 16<<20 }

// readOnly reads data, and expects either an error in the file or a model that Verify can check.
func readOnly(t *testing.T, data []byte) {
	f, err := read(data)
	if err != nil {
		if bad := (interface{ BadInput() })(nil); !errors.As(err, &bad) {
			t.Fatalf("error of type %T: %v", err, err)
		}
		return
	}
	Verify(f)
	for _, m := range f.Modules {
		for _, img := range m.Images() {
			if n := len(content(t, img)); int64(n) != img.Size() {
				t.Fatalf("an image of %d bytes says that it has %d", n, img.Size())
			}
		}
	}
}

func TestEveryValueOfEveryByte(t *testing.T) {
	for _, v := range vectors {
		t.Run(v.name, func(t *testing.T) {
			data := vector(t, v.name)
			changed := slices.Clone(data)
			for i, old := range data {
				// The limit is per file, and all values stay below it.
				if n := allocated(func() {
					for b := range 256 {
						if changed[i] = byte(b); changed[i] != old {
							readOnly(t, changed)
						}
					}
				}); n > mostAllocated(len(data)) {
					t.Errorf("values of byte %#x allocate %d bytes", i, n)
				}
				changed[i] = old
			}
		})
	}
}

func TestEveryTruncation(t *testing.T) {
	for _, v := range vectors {
		t.Run(v.name, func(t *testing.T) {
			data := vector(t, v.name)
			for n := range data {
				if _, err := read(data[:n]); err == nil && !onlyPadding(data[n:]) {
					t.Errorf("the first %d of %d bytes are taken for a file", n, len(data))
				}
				if n := allocated(func() { readOnly(t, data[:n]) }); n > mostAllocated(len(data)) {
					t.Errorf("a truncation allocates %d bytes", n)
				}
			}
		})
	}
}

// onlyPadding reports whether b is the zeros that may follow a file's content.
func onlyPadding(b []byte) bool {
	return len(b) < 8 && !slices.ContainsFunc(b, func(c byte) bool { return c != 0 })
}
