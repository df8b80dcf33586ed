package specialize

import (
	"cmp"
	"io"
	"slices"

	"github.com/rules-sycl/rules_sycl/sycl/offload"
	"github.com/rules-sycl/rules_sycl/sycl/spirv"
)

// patched is a SPIR-V module with patches.
type patched struct {
	src     offload.Source
	patches []spirv.Patch // in order of offset
}

func (p *patched) Size() int64 { return p.src.Size() }

var _ io.ReaderAt = (*patched)(nil)

// ReadAt implements [io.ReaderAt].
func (p *patched) ReadAt(b []byte, at int64) (int, error) {
	n, err := p.src.ReadAt(b, at)
	first, _ := slices.BinarySearchFunc(p.patches, at, func(q spirv.Patch, at int64) int {
		return cmp.Compare(q.Offset+int64(len(q.Bytes)), at+1) // the first that ends after at
	})
	for _, q := range p.patches[first:] {
		if q.Offset >= at+int64(n) {
			break
		}
		if q.Offset < at {
			copy(b[:n], q.Bytes[at-q.Offset:])
		} else {
			copy(b[q.Offset-at:n], q.Bytes)
		}
	}
	return n, err
}
