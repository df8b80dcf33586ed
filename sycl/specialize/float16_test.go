package specialize

import (
	"math"
	"testing"
)

// TestNearest checks that every 16-bit number is encoded unchanged, and that ties are rounded to
// even.
func TestNearest(t *testing.T) {
	for _, form := range []Float16{Half, BFloat16} {
		for bits := range 1 << 16 {
			v := form.Decode(uint16(bits))
			if math.IsNaN(v) {
				continue
			}
			if got, ok := form.Encode(v); !ok || got != uint16(bits) {
				t.Fatalf("%d bits of fraction: %#04x is %g, and that is %#04x", form.Fraction, bits, v, got)
			}
			next := form.Decode(uint16(bits + 1))
			if math.IsInf(v, 0) || math.IsNaN(next) || math.IsInf(next, 0) || bits == 0x7fff {
				continue
			}
			even := uint16(bits + bits&1)
			if got, ok := form.Encode(v + (next-v)/2); !ok || got != even {
				t.Fatalf("%d bits of fraction: halfway between %g and %g is %#04x, want %#04x", form.Fraction, v, next, got, even)
			}
		}
	}
	if math.Float32frombits(0x3f800000) != float32(BFloat16.Decode(0x3f80)) {
		t.Error("bfloat16 is not the upper half of a float")
	}
}
