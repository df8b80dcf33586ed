package binfile

import (
	"bytes"
	"compress/zlib"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

func compress(t testing.TB, method Compression, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	var w io.WriteCloser = zlib.NewWriter(&b)
	if method == Zstd {
		var err error
		if w, err = zstd.NewWriter(&b); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestStream(t *testing.T) {
	data := []byte(strings.Repeat("device code ", 100000)) // several chunks
	for _, method := range []Compression{Zlib, Zstd} {
		t.Run(method.String(), func(t *testing.T) {
			stream := compress(t, method, data)
			if got := RecognizeCompression(stream); got != method {
				t.Errorf("recognized as %v", got)
			}
			m := new(Memory)
			m.Write([]byte("head"))
			if err := Inflate(m, bytes.NewReader(stream), method, int64(len(data))); err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(io.NewSectionReader(m, 0, m.Size()))
			if err != nil || string(got) != "head"+string(data) {
				t.Errorf("got %d bytes, want %d, or content differs: %v", len(got), len(data)+4, err)
			}
			tests := []struct {
				name   string
				stream []byte
				size   int
				want   string
			}{
				{"less", stream, len(data) + 1, "inflates to less than the 1200001 bytes"},
				{"more", stream, len(data) - 1, "inflates to more than the 1199999 bytes"},
				{"cut", stream[:len(stream)-5], len(data), method.String() + ": unexpected EOF"},
				{"nothing", nil, 1, ""},
				{"no stream", []byte("no stream at all"), 1, method.String() + ": "},
				{"bytes after the stream", append(bytes.Clone(stream), 1, 2), len(data), method.String() + ": "},
			}
			for _, test := range tests {
				err := Inflate(new(Memory), bytes.NewReader(test.stream), method, int64(test.size))
				if err == nil || !strings.Contains(err.Error(), test.want) {
					t.Errorf("%s: error %v, want %q", test.name, err, test.want)
				}
			}
		})
	}
}

func TestAllowed(t *testing.T) {
	tests := []struct {
		name               string
		stored, want, most int64
		fault              string
	}{
		{"nothing", 0, 0, MaxInflated, ""},
		{"a small one by any factor", 10, freeInflation, MaxInflated, ""},
		{"a large one by a small factor", 1 << 20, maxRatio << 20, MaxInflated, ""},
		{"a large one by a large factor", 1 << 20, (maxRatio + 1) << 20, MaxInflated, "refused as a decompression bomb"},
		{"the limit", MaxInflated / 2, MaxInflated, MaxInflated, ""},
		{"above the limit", MaxInflated, MaxInflated + 1, MaxInflated, "exceeds the limit of 1073741824 bytes"},
		{"above the remaining budget", 10, 10, 9, "exceeds the limit of 9 bytes"},
	}
	for _, test := range tests {
		err := CheckInflatedSize(test.stored, test.want, test.most)
		if (err == nil) != (test.fault == "") || err != nil && !strings.Contains(err.Error(), test.fault) {
			t.Errorf("%s: error %v, want %q", test.name, err, test.fault)
		}
	}
}

func TestMemoryReadAt(t *testing.T) {
	m := new(Memory)
	data := bytes.Repeat([]byte("0123456789"), chunkSize/4)
	m.Write(data[:chunkSize-1])
	m.Write(data[chunkSize-1:])
	b := make([]byte, 20)
	for _, offset := range []int64{0, chunkSize - 10, chunkSize, int64(len(data)) - 20} {
		if n, err := m.ReadAt(b, offset); n != len(b) || err != nil || !bytes.Equal(b, data[offset:offset+20]) {
			t.Errorf("offset %d: %d bytes %q, %v", offset, n, b, err)
		}
	}
	if n, err := m.ReadAt(b, m.Size()-5); n != 5 || err != io.EOF {
		t.Errorf("past the end: %d bytes, %v", n, err)
	}
	if _, err := m.ReadAt(b, -1); err == nil {
		t.Error("no error before the start")
	}
}

func FuzzStream(f *testing.F) {
	for _, method := range []Compression{Zlib, Zstd} {
		f.Add(compress(f, method, []byte("device code")), uint16(11))
	}
	f.Fuzz(func(t *testing.T, stream []byte, want uint16) {
		m := new(Memory)
		err := Inflate(m, bytes.NewReader(stream), RecognizeCompression(stream), int64(want))
		if err == nil && m.Size() != int64(want) {
			t.Errorf("%d bytes, want %d", m.Size(), want)
		}
		if size := (*InflatedSizeError)(nil); errors.As(err, &size) && size.More != (m.Size() > int64(want)) {
			t.Errorf("error %v with %d bytes", err, m.Size())
		}
	})
}
