package binfile

import "testing"

func TestBuf(t *testing.T) {
	b := Buf("\x02\x01\x03\x02\x01\x00\x04\x03\x02\x01\x00\x00\x00\x00......\x05\x00!")
	if n := b.Uint16(); n != 0x102 {
		t.Errorf("%#x", n)
	}
	if n := b.Uint32(); n != 0x10203 {
		t.Errorf("%#x", n)
	}
	if n := b.Uint64(); n != 0x1020304 {
		t.Errorf("%#x", n)
	}
	b.Skip(6)
	sub := b.Sub(2)
	if n := sub.Uint16(); n != 5 || len(sub) != 0 || cap(sub) != 0 {
		t.Errorf("%#x, then %q", n, sub)
	}
	if string(b) != "!" {
		t.Errorf("%q remains", b)
	}
}
