package syclbin

import (
	"errors"
	"slices"
	"testing"
)

// mostAllocated returns the maximum number of bytes that reading a file of a size may allocate,
// regardless of its content.
func mostAllocated(size int) uint64 { return 4*uint64(size) + 16<<20 }

// readOnly reads data, and expects either an error in the file or a file that Verify can check.
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
				t.Fatalf("image of %d bytes has Size() %d", n, img.Size())
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
				// The limit is per file; this loop measures all values together, which stay below it.
				if n := allocated(func() {
					for b := range 256 {
						if changed[i] = byte(b); changed[i] != old {
							readOnly(t, changed)
						}
					}
				}); n > mostAllocated(len(data)) {
					t.Errorf("changing byte %#x allocates %d bytes", i, n)
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
					t.Errorf("truncation to %d of %d bytes accepted", n, len(data))
				}
				if n := allocated(func() { readOnly(t, data[:n]) }); n > mostAllocated(len(data)) {
					t.Errorf("reading a truncated file allocates %d bytes", n)
				}
			}
		})
	}
}

// onlyPadding reports whether b consists of the zeros that may follow a file's content.
func onlyPadding(b []byte) bool {
	return len(b) < 8 && !slices.ContainsFunc(b, func(c byte) bool { return c != 0 })
}
