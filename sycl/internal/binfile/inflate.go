package binfile

import (
	"bufio"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// MaxInflated limits the number of bytes that a file may inflate to.
const MaxInflated = 1 << 30

// Limits on inflation: a size that is always allowed, and a ratio for larger ones. zstd compresses
// device images by a factor of at most 10.
const (
	freeInflation = 16 << 20
	maxRatio      = 256
	freeWindow    = 8 << 20 // of zstd, used by encoders that do not know the size
)

// CheckInflatedSize returns an error if the size in a header is too large: more than most bytes, or
// more than the stored bytes can hold if they are device code.
func CheckInflatedSize(stored, want, most int64) error {
	switch {
	case want > most:
		return fmt.Errorf("the uncompressed size, %d, exceeds the limit of %d bytes", want, most)
	case want > freeInflation && want/maxRatio > stored:
		return fmt.Errorf("%d bytes would inflate to %d, more than %d times as much: refused as a decompression bomb", stored, want, maxRatio)
	}
	return nil
}

// A Compression is a compression method.
type Compression uint8

const (
	Zlib Compression = iota
	Zstd
)

func (m Compression) String() string {
	if m == Zstd {
		return "zstd"
	}
	return "zlib"
}

const zstdMagic = "\x28\xb5\x2f\xfd"

// RecognizeCompression returns the method of a stream from its first bytes. It assumes zlib for
// anything but zstd.
func RecognizeCompression(head []byte) Compression {
	if strings.HasPrefix(string(head), zstdMagic) {
		return Zstd
	}
	return Zlib
}

// An InflatedSizeError is returned for a stream that holds more or fewer bytes than expected.
type InflatedSizeError struct {
	Want int64
	More bool
}

func (e *InflatedSizeError) Error() string {
	relation := "less"
	if e.More {
		relation = "more"
	}
	return fmt.Sprintf("inflates to %s than the %d bytes", relation, e.Want)
}

// Inflate appends the contents of the single stream in r, which must be want bytes, to memory.
func Inflate(to *Memory, r io.Reader, method Compression, want int64) error {
	in := bufio.NewReader(r)
	var out io.ReadCloser
	if method == Zstd {
		// The window size comes from the stream. No encoder needs a window larger than the content,
		// rounded up to a power of 2.
		window := max(freeWindow, uint64(1)<<bits.Len64(uint64(want)))
		d, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxMemory(MaxInflated), zstd.WithDecoderMaxWindow(window))
		if err != nil {
			return fmt.Errorf("zstd: %w", unexpected(err))
		}
		out = d.IOReadCloser()
	} else {
		d, err := zlib.NewReader(in)
		if err != nil {
			return fmt.Errorf("zlib: %w", unexpected(err))
		}
		out = d
	}
	defer out.Close()
	n, err := io.Copy(to, io.LimitReader(out, want+1))
	switch {
	case err != nil:
		return fmt.Errorf("%v: %w", method, unexpected(err))
	case n != want:
		return &InflatedSizeError{want, n > want}
	}
	if _, err := in.ReadByte(); err != io.EOF {
		return fmt.Errorf("%v: bytes follow the end of the compressed data", method)
	}
	return nil
}

// unexpected replaces io.EOF with an error for a truncated file.
func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
