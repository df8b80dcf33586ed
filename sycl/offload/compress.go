package offload

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"io"

	"github.com/klauspost/compress/zstd"

	"github.com/rules-sycl/rules_sycl/sycl/internal/binfile"
)

// A Compression is the compression method of a version 3 container.
type Compression uint8

const (
	Uncompressed Compression = iota
	Zlib
	Zstd
)

// inflate replaces the stored container with the inflated one, which is kept in memory.
func (p *parser) inflate(header []byte) error {
	head := int64(len(header))
	want := p.file.Inflated
	stored := p.file.Size - head
	if want < head {
		return p.errorf(32, "the inflated size, %d, is smaller than the header, %d", want, head)
	}
	if err := binfile.CheckInflatedSize(stored, want, maxInflated-p.spent.inflation); err != nil {
		return p.errorf(32, "%v", err)
	}
	p.spent.inflation += want

	magic := make([]byte, min(stored, 4)) // a truncated stream fails during inflation
	if err := p.readAt(magic, head); err != nil {
		return err
	}
	method := binfile.RecognizeCompression(magic)
	p.file.Compression = Zlib
	if method == binfile.Zstd {
		p.file.Compression = Zstd
	}
	// The header in memory is the header of an uncompressed container.
	mem := new(binfile.Memory)
	inflated := bytes.Clone(header)
	binary.LittleEndian.PutUint64(inflated[8:], uint64(want))
	binary.LittleEndian.PutUint64(inflated[32:], 0)
	mem.Write(inflated)
	err := binfile.Inflate(mem, io.NewSectionReader(p.r, head, stored), method, want-head)
	var size *binfile.InflatedSizeError
	switch {
	case errors.As(err, &size):
		size.Want = want // including the header
		return p.errorf(32, "the container %v of its header", size)
	case err != nil:
		return p.errorf(head, "%v", err)
	}
	p.r, p.size = mem, want
	return nil
}

// compressor returns a writer whose Close ends the stream and leaves w open. Its output depends
// only on its input.
func compressor(w io.Writer, c Compression) (io.WriteCloser, error) {
	if c == Zstd {
		return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedDefault))
	}
	return zlib.NewWriter(w), nil
}
