package hostbin

import (
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/rules-sycl/rules_sycl/sycl/internal/binfile"
	"github.com/rules-sycl/rules_sycl/sycl/offload"
)

// maxInflated is the maximum total size of a file's compressed images after inflation.
const maxInflated = binfile.MaxInflated

// inflatedImage returns the content of a zstd frame, which is inflated when it is read. The frame
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
	return &lazy{size: want, images: &s.images, inflate: func() (*binfile.Memory, error) {
		mem := new(binfile.Memory)
		if err := binfile.Inflate(mem, in.section(at, size), binfile.Zstd, want); err != nil {
			return nil, in.errorf(at, "cannot decompress an image: %v", err)
		}
		return mem, nil
	}}, nil
}

// maxKept is the maximum total size in bytes of a file's inflated images that are kept in memory.
const maxKept = 32 << 20

// inflatedImages holds the most recently inflated images of a file. An image that is no longer kept
// is inflated again when it is read.
type inflatedImages struct {
	mu   sync.Mutex
	kept []*lazy // in the order of their inflation
	size int64   // in bytes
}

// A lazy image is inflated when it is read.
type lazy struct {
	size    int64
	inflate func() (*binfile.Memory, error)

	images  *inflatedImages
	content *binfile.Memory // nil if it is not kept
	err     error
}

func (l *lazy) Size() int64 { return l.size }

func (l *lazy) ReadAt(b []byte, offset int64) (int, error) {
	m, err := l.images.contentOf(l)
	if err != nil {
		return 0, err
	}
	return m.ReadAt(b, offset)
}

// contentOf returns the content of an image. It inflates the image unless it is kept.
func (f *inflatedImages) contentOf(l *lazy) (*binfile.Memory, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if l.content != nil || l.err != nil {
		return l.content, l.err
	}
	if l.content, l.err = l.inflate(); l.err != nil {
		return nil, l.err
	}
	f.kept = append(f.kept, l)
	f.size += l.size
	for f.size > maxKept && len(f.kept) > 1 {
		f.kept[0].content = nil
		f.size -= f.kept[0].size
		f.kept = f.kept[1:]
	}
	return l.content, nil
}
