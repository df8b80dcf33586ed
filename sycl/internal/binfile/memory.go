package binfile

import (
	"fmt"
	"io"
)

// A Memory is a file in memory that grows without moving. Its zero value is empty.
type Memory struct {
	list [][]byte // all of chunkSize, except the last
	size int64
}

const chunkSize = 1 << 18

// Size returns the number of bytes.
func (m *Memory) Size() int64 { return m.size }

// Write appends bytes.
func (m *Memory) Write(b []byte) (int, error) {
	n := len(b)
	m.size += int64(n)
	for len(b) > 0 {
		if len(m.list) == 0 || len(m.list[len(m.list)-1]) == chunkSize {
			m.list = append(m.list, nil)
		}
		last := &m.list[len(m.list)-1]
		k := min(chunkSize-len(*last), len(b))
		*last = append(*last, b[:k]...)
		b = b[k:]
	}
	return n, nil
}

// ReadAt implements [io.ReaderAt].
func (m *Memory) ReadAt(b []byte, offset int64) (n int, err error) {
	if offset < 0 {
		return 0, fmt.Errorf("negative offset %d", offset)
	}
	for n < len(b) && offset < m.size {
		k := copy(b[n:], m.list[offset/chunkSize][offset%chunkSize:])
		n += k
		offset += int64(k)
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}
