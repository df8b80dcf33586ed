package constants

import "testing"

// TestNumbers checks floating-point numbers as written by llvm-dis 22 and 23.
func TestNumbers(t *testing.T) {
	m := parse(t, "target triple = \"spir64\"\n")
	for _, c := range []struct {
		typ, older, newer string
		bits              uint64
	}{
		{"half", "0xH3E00", "1.500000e+00", 0x3e00},
		{"half", "0xH7C00", "+inf", 0x7c00},
		{"half", "0xHFC00", "-inf", 0xfc00},
		{"half", "0xH7E00", "+qnan", 0x7e00},
		{"half", "0xHFE01", "-nan(0x1)", 0xfe01},
		{"half", "0xH7C01", "+snan(0x1)", 0x7c01},
		{"half", "0xH0001", "5.960460e-08", 1},
		{"half", "0xH8000", "-0.000000e+00", 0x8000},
		{"half", "0xH2E66", "9.997550e-02", 0x2e66},
		{"bfloat", "0xR3F80", "1.000000e+00", 0x3f80},
		{"bfloat", "0xR7FC0", "+qnan", 0x7fc0},
		{"float", "0x7FF0000000000000", "+inf", 0x7f800000},
		{"float", "0x7FF4000000000000", "+snan(0x200000)", 0x7fa00000},
		{"float", "0x3FB99999A0000000", "1.000000e-01", 0x3dcccccd},
		{"float", "-0.000000e+00", "-0.000000e+00", 0x80000000},
		{"double", "0xFFF0000000000000", "-inf", 0xfff << 52},
		{"double", "0x7FF8000000000123", "+nan(0x123)", 0x7ff8000000000123},
		{"double", "1.000000e-01", "1.000000e-01", 0x3fb999999999999a},
		{"half", "f0x3E00", "1.5", 0x3e00},
	} {
		for _, text := range []string{c.older, c.newer} {
			v, err := m.Value(c.typ + " " + text)
			if err != nil {
				t.Fatal(err)
			}
			if bits, ok := scalarBits(v); !ok || bits != c.bits {
				t.Errorf("%s %s is %#x, %v, want %#x", c.typ, text, bits, ok, c.bits)
			}
		}
	}
	for _, text := range []string{"65520.0", "+nan(0x200)", "+nan()", "inf", "1x", "+qnan(0x1)", "0x1p3", "Infinity", "0xH10000"} {
		if v, err := m.Value("half " + text); err == nil {
			if bits, ok := scalarBits(v); ok {
				t.Errorf("half %s is %#x", text, bits)
			}
		}
	}
}
