package testkit

import (
	"encoding/binary"
	"strings"
)

// GPUELF returns an ELF file for Intel GPUs whose notes have a product config.
func GPUELF(config uint32) string {
	const headerSize, sections = 64, 3
	le := binary.LittleEndian
	note := le.AppendUint32([]byte("\x08\x00\x00\x00\x04\x00\x00\x00\x06\x00\x00\x00IntelGT\x00"), config)
	names := "\x00.note.intelgt.compat\x00.shstrtab\x00"
	b := make([]byte, headerSize*(1+sections))
	copy(b, "\x7fELF\x02\x01\x01")
	le.PutUint16(b[18:], 205)
	le.PutUint64(b[40:], headerSize)
	le.PutUint16(b[52:], headerSize)
	le.PutUint16(b[58:], headerSize)
	le.PutUint16(b[60:], sections)
	le.PutUint16(b[62:], sections-1)
	section := func(i int, name string, typ uint32, content string) {
		h := b[headerSize*(1+i):]
		le.PutUint32(h, uint32(strings.Index(names, name)))
		le.PutUint32(h[4:], typ)
		le.PutUint64(h[24:], uint64(len(b)))
		le.PutUint64(h[32:], uint64(len(content)))
		b = append(b, content...)
	}
	section(1, ".note.intelgt.compat", 7, string(note))
	section(2, ".shstrtab", 3, names)
	return string(b)
}
