package offload

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"

	"github.com/klauspost/compress/zstd"
)

// A Compression is how a version 3 container is compressed.
type Compression uint8

const (
	Uncompressed Compression = iota
	Zlib
	Zstd
)

func (c Compression) String() string {
	switch c {
	case Zlib:
		return "zlib"
	case Zstd:
		return "zstd"
	}
	return "none"
}

// How far a container may inflate: to a size that costs nothing, or by a factor
// that device images, which zstd makes 10 times smaller at best, do not reach.
const (
	freeInflation = 16 << 20
	maxRatio      = 256
	freeWindow    = 8 << 20 // of zstd, what encoders use that do not know the size
)

const zstdMagic = "\x28\xb5\x2f\xfd"

// inflate replaces the stored container by the inflated one, which is kept in
// memory. Nothing is allocated on the word of the header alone.
func (p *parser) inflate(header []byte) error {
	head := int64(len(header))
	want := p.file.Inflated
	stored := p.file.Size - head
	switch {
	case want < head:
		return p.errorf(32, "the inflated size, %d, is less than that of the header, %d", want, head)
	case want > maxInflated-p.spent.inflation:
		return p.errorf(32, "the inflated size, %d, is more than the %d bytes that are supported", want, maxInflated-p.spent.inflation)
	case want > freeInflation && want/maxRatio > stored:
		return p.errorf(32, "%d bytes would inflate to %d, more than %d times as much: refused as a decompression bomb", stored, want, maxRatio)
	}
	p.spent.inflation += want

	in := bufio.NewReader(io.NewSectionReader(p.r, head, stored))
	magic, _ := in.Peek(4) // a short stream fails when it is inflated
	var out io.Reader
	if string(magic) == zstdMagic {
		p.file.Compression = Zstd
		// The window is allocated on the word of the stream. No encoder needs one
		// that is larger than the content, rounded up to a power of 2.
		window := max(freeWindow, uint64(1)<<bits.Len64(uint64(want)))
		d, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxMemory(maxInflated), zstd.WithDecoderMaxWindow(window))
		if err != nil {
			return p.errorf(head, "zstd: %v", err)
		}
		defer d.Close()
		out = d
	} else {
		p.file.Compression = Zlib
		d, err := zlib.NewReader(in)
		if err != nil {
			return p.errorf(head, "zlib: %v", err)
		}
		defer d.Close()
		out = d
	}

	// A header in memory looks like that of a container that is not compressed.
	mem := new(chunks)
	inflated := bytes.Clone(header)
	binary.LittleEndian.PutUint64(inflated[8:], uint64(want))
	binary.LittleEndian.PutUint64(inflated[32:], 0)
	mem.Write(inflated)
	n, err := io.Copy(mem, io.LimitReader(out, want-head+1))
	switch {
	case err != nil:
		return p.errorf(head, "%v: %v", p.file.Compression, unexpected(err))
	case n != want-head:
		relation := "less"
		if n > want-head {
			relation = "more"
		}
		return p.errorf(32, "the container inflates to %s than the %d bytes of its header", relation, want)
	}
	if _, err := in.ReadByte(); err != io.EOF {
		return p.errorf(head, "%v: bytes follow the end of the compressed data", p.file.Compression)
	}
	p.r, p.size = mem, want
	return nil
}

// unexpected turns an end of input, which no error of a complete file is, into
// one that says so.
func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// chunks is memory that grows without moving.
type chunks struct {
	list [][]byte // all of chunkSize, but for the last
	size int64
}

const chunkSize = 1 << 18

func (c *chunks) Write(b []byte) (int, error) {
	n := len(b)
	c.size += int64(n)
	for len(b) > 0 {
		if len(c.list) == 0 || len(c.list[len(c.list)-1]) == chunkSize {
			c.list = append(c.list, nil)
		}
		last := &c.list[len(c.list)-1]
		m := min(chunkSize-len(*last), len(b))
		*last = append(*last, b[:m]...)
		b = b[m:]
	}
	return n, nil
}

func (c *chunks) ReadAt(b []byte, offset int64) (n int, err error) {
	if offset < 0 {
		return 0, fmt.Errorf("negative offset %d", offset)
	}
	for n < len(b) && offset < c.size {
		m := copy(b[n:], c.list[offset/chunkSize][offset%chunkSize:])
		n += m
		offset += int64(m)
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// compressor returns a writer whose Close ends the stream and leaves w open. Its
// output depends on nothing but its input.
func compressor(w io.Writer, c Compression) (io.WriteCloser, error) {
	if c == Zstd {
		return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedDefault))
	}
	return zlib.NewWriter(w), nil
}
