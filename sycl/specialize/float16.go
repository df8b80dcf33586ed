package specialize

import "math"

// A Float16 is a 16-bit floating-point format: a sign, an exponent, and a fraction of Fraction
// bits.
type Float16 struct{ Fraction int }

// The formats of half and bfloat16.
var Half, BFloat16 = Float16{10}, Float16{7}

// bias returns the exponent bias.
func (f Float16) bias() int { return 1<<(14-f.Fraction) - 1 }

// Encode returns the bits of the number in the format that is nearest to v. If v is too large, ok
// is false.
func (f Float16) Encode(v float64) (bits uint16, ok bool) {
	if math.Signbit(v) {
		bits = 1 << 15
	}
	top := uint16(2*f.bias()+1) << f.Fraction // infinity
	v = math.Abs(v)
	switch {
	case math.IsNaN(v):
		return bits | top | 1<<(f.Fraction-1), true
	case math.IsInf(v, 0):
		return bits | top, true
	case v == 0:
		return bits, true
	}
	_, exponent := math.Frexp(v) // 0.5 <= v / 2^exponent < 1
	exponent = max(exponent-1, 1-f.bias())
	steps := math.RoundToEven(math.Ldexp(v, f.Fraction-exponent))
	// A carry out of the fraction increments the exponent.
	number := float64(int(exponent+f.bias()-1)<<f.Fraction) + steps
	if number >= float64(top) {
		return 0, false
	}
	return bits | uint16(number), true
}

// Decode returns the number that bits encodes.
func (f Float16) Decode(bits uint16) float64 {
	exponent, fraction := int(bits&0x7fff)>>f.Fraction, float64(bits&(1<<f.Fraction-1))
	v := math.Ldexp(fraction, 1-f.bias()-f.Fraction)
	switch {
	case exponent == 2*f.bias()+1 && fraction != 0:
		return math.NaN()
	case exponent == 2*f.bias()+1:
		v = math.Inf(1)
	case exponent > 0:
		v = math.Ldexp(fraction+math.Ldexp(1, f.Fraction), exponent-f.bias()-f.Fraction)
	}
	if bits>>15 == 1 {
		v = -v
	}
	return v
}
