package hostbin

import (
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/rules-sycl/rules_sycl/sycl/internal/binfile"
	"github.com/rules-sycl/rules_sycl/sycl/offload"
)

// maxInflated is the maximum total size of a file's compressed images after inflation.
const maxInflated = binfile.MaxInflated

// inflatedImage returns the content of a zstd frame, which is inflated on first read. The frame
// must state its inflated size.
func (s *scanner) inflatedImage(in *input, at, size int64) (offload.Source, error) {
	var h zstd.Header
	head := make([]byte, min(size, zstd.HeaderMaxSize))
	if err := in.read(head, at, "the start of a compressed image"); err != nil {
		return nil, err
	}
	if err := h.Decode(head); err != nil || h.Skippable {
		return nil, in.errorf(at, "an image is marked as compressed with zstd, but is not a zstd frame")
	}
	if !h.HasFCS {
		return nil, in.errorf(at, "a compressed image does not contain its size")
	}
	want := int64(min(h.FrameContentSize, 1<<62))
	if err := binfile.CheckInflatedSize(size, want, maxInflated-s.inflated); err != nil {
		return nil, in.errorf(at, "a compressed image: %v", err)
	}
	s.inflated += want
	return &lazy{size: want, content: sync.OnceValues(func() (*binfile.Memory, error) {
		mem := new(binfile.Memory)
		if err := binfile.Inflate(mem, in.section(at, size), binfile.Zstd, want); err != nil {
			return nil, in.errorf(at, "cannot decompress an image: %v", err)
		}
		return mem, nil
	})}, nil
}

// A lazy image is inflated on first read.
type lazy struct {
	size    int64
	content func() (*binfile.Memory, error)
}

func (l *lazy) Size() int64 { return l.size }

func (l *lazy) ReadAt(b []byte, offset int64) (int, error) {
	m, err := l.content()
	if err != nil {
		return 0, err
	}
	return m.ReadAt(b, offset)
}
