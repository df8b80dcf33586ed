package offload

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"
)

// note returns a note.
func note(owner string, typ uint32, value ...byte) []byte {
	b := binary.LittleEndian.AppendUint32(nil, uint32(len(owner)))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(value)))
	b = binary.LittleEndian.AppendUint32(b, typ)
	pad := func() {
		for len(b)%4 != 0 {
			b = append(b, 0)
		}
	}
	b = append(b, owner...)
	pad()
	b = append(b, value...)
	pad()
	return b
}

// elfWithNotes returns an ELF file for Intel GPUs with a section of notes.
func elfWithNotes(notes []byte) []byte {
	data := elf(compatSection)
	at := len(data) - 2*64 // the header of the section; the section of names follows
	binary.LittleEndian.PutUint64(data[at+24:], uint64(len(data)))
	binary.LittleEndian.PutUint64(data[at+32:], uint64(len(notes)))
	return append(data, notes...)
}

func TestProductConfig(t *testing.T) {
	version, config := note(noteOwner, 4, '1', '.', '7', '3', 0), note(noteOwner, 6, 0x07, 0x00, 0x0f, 0x03)
	for _, test := range []struct {
		name  string
		notes []byte
		want  uint32
		err   string
	}{
		{"one note", config, 0x030f0007, ""},
		{"after others", bytes.Join([][]byte{version, note("GNU\x00", 6, 1, 2, 3, 4), config}, nil), 0x030f0007, ""},
		{"the same note twice", append(bytes.Clone(config), config...), 0x030f0007, ""},
		{"none", version, 0, ""},
		{"empty section", nil, 0, ""},
		{"last value without padding", version[:len(version)-3], 0, ""},
		{"two different notes", append(bytes.Clone(config), note(noteOwner, 6, 1, 0, 0, 0)...), 0, "duplicate product config"},
		{"three bytes", note(noteOwner, 6, 1, 2, 3), 0, "has 3 bytes, expected 4"},
		{"eight bytes", note(noteOwner, 6, 1, 2, 3, 4, 5, 6, 7, 8), 0, "has 8 bytes, expected 4"},
		{"truncated header", append(bytes.Clone(config), 8, 0, 0, 0), 0, "unexpected end"},
		{"value past the end", put32(config, 4, 1<<31), 0, "past the end"},
		{"owner past the end", put32(config, 0, 0xffffffff), 0, "past the end"},
	} {
		data := elfWithNotes(test.notes)
		got, err := ProductConfig(bytes.NewReader(data), int64(len(data)))
		var format *FormatError
		switch {
		case test.err == "" && (err != nil || got != test.want):
			t.Errorf("%s: %#x, %v, want %#x", test.name, got, err, test.want)
		case test.err != "" && (!errors.As(err, &format) || !strings.Contains(err.Error(), test.err)):
			t.Errorf("%s: %v, want %q", test.name, err, test.err)
		}
	}
	data := elf(compatSection)
	binary.LittleEndian.PutUint64(data[len(data)-2*64+32:], 1<<40)
	if _, err := ProductConfig(bytes.NewReader(data), int64(len(data))); err == nil {
		t.Error("no error for a section larger than the file")
	}
}

func FuzzProductConfig(f *testing.F) {
	f.Add(elfWithNotes(note(noteOwner, 6, 1, 2, 3, 4)))
	f.Add(elfWithNotes(note(noteOwner, 6, 1, 2, 3)))
	f.Add(elf(".text.a"))
	f.Fuzz(func(t *testing.T, data []byte) {
		_, err := ProductConfig(bytes.NewReader(data), int64(len(data)))
		var format *FormatError
		if err != nil && !errors.As(err, &format) {
			t.Fatalf("%T: %v", err, err)
		}
	})
}
