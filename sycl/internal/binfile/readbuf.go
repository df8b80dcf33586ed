// Package binfile reads untrusted binary files: numbers at checked offsets, the headers of ELF
// files, compressed streams, and more files than a process can have open.
package binfile

import "encoding/binary"

// A Buf holds the bytes that are still to be read. Its creator must ensure that it holds all fields
// that will be read: reading more panics.
type Buf []byte

// Uint16 reads 2 bytes.
func (b *Buf) Uint16() uint16 {
	v := binary.LittleEndian.Uint16(*b)
	*b = (*b)[2:]
	return v
}

// Uint32 reads 4 bytes.
func (b *Buf) Uint32() uint32 {
	v := binary.LittleEndian.Uint32(*b)
	*b = (*b)[4:]
	return v
}

// Uint64 reads 8 bytes.
func (b *Buf) Uint64() uint64 {
	v := binary.LittleEndian.Uint64(*b)
	*b = (*b)[8:]
	return v
}

// Sub reads n bytes as a separate Buf.
func (b *Buf) Sub(n int) Buf {
	v := (*b)[:n:n]
	*b = (*b)[n:]
	return v
}

// Skip skips n bytes.
func (b *Buf) Skip(n int) { *b = (*b)[n:] }
