package hostbin

import (
	"bytes"
	"io"
	"sync"

	"github.com/klauspost/compress/zstd"
	"github.com/rules-sycl/rules_sycl/sycl/offload"
)

// maxInflated is what a compressed image may have once it is inflated.
const maxInflated = 1 << 30

// inflated returns what a zstd frame holds, which is inflated when it is first
// read. The frame has to say how much that is.
func inflated(in *input, at, size int64) (offload.Source, error) {
	var h zstd.Header
	head := make([]byte, min(size, zstd.HeaderMaxSize))
	if err := in.read(head, at, "the start of a compressed image"); err != nil {
		return nil, err
	}
	if err := h.Decode(head); err != nil || h.Skippable {
		return nil, in.errorf(at, "an image is said to be compressed by zstd, but is not a zstd frame")
	}
	if !h.HasFCS || h.FrameContentSize > maxInflated {
		return nil, in.errorf(at, "a compressed image does not say its size, or is larger than %d bytes", maxInflated)
	}
	return &inflatedImage{size: int64(h.FrameContentSize), content: sync.OnceValues(func() (*bytes.Reader, error) {
		d, err := zstd.NewReader(in.section(at, size), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxInflated))
		if err != nil {
			return nil, err
		}
		defer d.Close()
		var b bytes.Buffer
		n, err := io.Copy(&b, io.LimitReader(d, int64(h.FrameContentSize)+1))
		if err != nil || n != int64(h.FrameContentSize) {
			return nil, in.errorf(at, "a compressed image cannot be inflated to its %d bytes: the data is damaged", h.FrameContentSize)
		}
		return bytes.NewReader(b.Bytes()), nil
	})}, nil
}

type inflatedImage struct {
	size    int64
	content func() (*bytes.Reader, error)
}

func (i *inflatedImage) Size() int64 { return i.size }

func (i *inflatedImage) ReadAt(b []byte, offset int64) (int, error) {
	r, err := i.content()
	if err != nil {
		return 0, err
	}
	return r.ReadAt(b, offset)
}
