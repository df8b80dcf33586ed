package hostbin

import (
	"errors"
	"io"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/internal/binfile"
)

// TestInflatedImages checks that only the most recently inflated images stay in memory, that the
// others can still be read, and that an error is permanent.
func TestInflatedImages(t *testing.T) {
	var images inflatedImages
	const size = maxKept / 4
	count := 0 // of inflations
	list := make([]*lazy, 6)
	for i := range list {
		list[i] = &lazy{size: size, images: &images, inflate: func() (*binfile.Memory, error) {
			count++
			mem := new(binfile.Memory)
			mem.Write([]byte{byte(i)})
			return mem, nil
		}}
	}
	read := func(i int) {
		t.Helper()
		if got := testkit.Must(io.ReadAll(io.NewSectionReader(list[i], 0, 1)))(t); len(got) != 1 || got[0] != byte(i) {
			t.Errorf("image %d: %v", i, got)
		}
	}
	for i := range list {
		read(i)
		read(i)
	}
	if count != len(list) || images.size != maxKept || list[1].content != nil || list[2].content == nil {
		t.Errorf("%d inflations, %d bytes in memory", count, images.size)
	}
	read(0)
	if count != len(list)+1 || list[2].content != nil {
		t.Errorf("%d inflations after reading the first image again", count)
	}

	failed := &lazy{size: size, images: &images, inflate: func() (*binfile.Memory, error) {
		count++
		return nil, errors.New("damaged")
	}}
	before := count
	for range 2 {
		if _, err := failed.ReadAt(make([]byte, 1), 0); err == nil || err.Error() != "damaged" {
			t.Errorf("error %v", err)
		}
	}
	if count != before+1 {
		t.Errorf("%d inflations of a damaged image", count-before)
	}
}
