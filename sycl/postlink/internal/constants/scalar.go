package constants

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/internal/llvmir"
	"github.com/rules-sycl/rules_sycl/sycl/specialize"
)

// letters returns the mangling of a type in the names of functions, as in DPC++, or "" for a scalar
// that cannot be a constant.
func letters(t *llvmir.Type) string {
	switch t.Kind() {
	case llvmir.Int:
		return map[int]string{1: "b", 8: "a", 16: "s", 32: "i", 64: "x"}[t.Bits()]
	case llvmir.Half:
		return "Dh"
	case llvmir.Float:
		return "f"
	case llvmir.Double:
		return "d"
	case llvmir.Array:
		return fmt.Sprintf("A%d_%s", t.Len(), letters(t.Elem()))
	case llvmir.Vector:
		return fmt.Sprintf("Dv%d_%s", t.Len(), letters(t.Elem()))
	case llvmir.Named:
		return t.Name()
	case llvmir.Struct:
		return t.String()
	}
	return ""
}

// scalarBytes returns the bytes of a scalar, the least significant first.
func scalarBytes(v llvmir.Value) ([]byte, error) {
	bits, ok := scalarBits(v)
	if !ok {
		return nil, fmt.Errorf("%w: '%s %s'", errNoConstant, v.Type, printable(v.Text))
	}
	size := (v.Type.Bits() + 7) / 8
	return binary.LittleEndian.AppendUint64(nil, bits)[:size], nil
}

// scalarBits returns the bits of a scalar with at most 64 bits.
func scalarBits(v llvmir.Value) (uint64, bool) {
	width := v.Type.Bits()
	if width == 0 || width > 64 {
		return 0, false
	}
	if v.Text == "zeroinitializer" {
		return 0, true
	}
	if digits, ok := strings.CutPrefix(v.Text, "f0x"); ok {
		bits, err := strconv.ParseUint(digits, 16, width)
		return bits, err == nil
	}
	switch v.Type.Kind() {
	case llvmir.Int:
		return integerBits(v.Text, width)
	case llvmir.Half:
		return float16Bits(v.Text, "0xH", specialize.Half)
	case llvmir.BFloat:
		return float16Bits(v.Text, "0xR", specialize.BFloat16)
	case llvmir.Float:
		if bits, ok := specialBits(v.Text, 32, 23); ok {
			return bits, true
		}
		bits, ok := doubleBits(v.Text)
		return uint64(floatBits(bits)), ok
	case llvmir.Double:
		if bits, ok := specialBits(v.Text, 64, 52); ok {
			return bits, true
		}
		return doubleBits(v.Text)
	}
	return 0, false
}

// float16Bits parses a 16-bit number, which LLVM writes as its bits or, since LLVM 23, in decimal.
func float16Bits(text, prefix string, form specialize.Float16) (uint64, bool) {
	if digits, ok := strings.CutPrefix(text, prefix); ok {
		bits, err := strconv.ParseUint(digits, 16, 16)
		return bits, err == nil
	}
	if bits, ok := specialBits(text, 16, form.Fraction); ok {
		return bits, true
	}
	f, ok := decimal(text)
	bits, fits := form.Encode(f)
	return uint64(bits), ok && fits
}

// special matches infinities and NaNs in the form that LLVM 23 writes.
var special = regexp.MustCompile(`^([+-])(?:inf|(q)nan|(s?)nan\(0x([0-9A-Fa-f]+)\))$`)

// specialBits parses an infinity or a NaN of a type with the given numbers of bits and fraction
// bits.
func specialBits(text string, width, fraction int) (uint64, bool) {
	part := special.FindStringSubmatch(text)
	if part == nil {
		return 0, false
	}
	bits := uint64(1)<<(width-1) - 1<<fraction // the exponent of infinities and NaNs
	if part[1] == "-" {
		bits |= 1 << (width - 1)
	}
	if payload := part[4]; payload != "" {
		n, err := strconv.ParseUint(payload, 16, fraction-1)
		if err != nil {
			return 0, false
		}
		bits |= n
	}
	if part[2] != "" || part[4] != "" && part[3] == "" {
		bits |= 1 << (fraction - 1) // quiet
	}
	return bits, true
}

// integerBits parses a signed or unsigned integer with the given number of bits.
func integerBits(text string, width int) (uint64, bool) {
	switch text {
	case "true":
		return 1, width == 1
	case "false":
		return 0, width == 1
	}
	n := new(big.Int)
	var ok bool
	if digits, hex := strings.CutPrefix(strings.TrimPrefix(text, "s"), "u0x"); hex {
		_, ok = n.SetString(digits, 16)
	} else if len(text) <= 40 {
		_, ok = n.SetString(text, 10)
	}
	limit := new(big.Int).Lsh(big.NewInt(1), uint(width))
	if !ok || n.CmpAbs(limit) >= 0 {
		return 0, false
	}
	if n.Sign() < 0 {
		n.Add(n, limit)
	}
	return n.Uint64(), true
}

// doubleBits parses a floating-point number. LLVM writes it in decimal or, if that is not exact, as
// the bits of a double.
func doubleBits(text string) (uint64, bool) {
	if digits, ok := strings.CutPrefix(text, "0x"); ok {
		bits, err := strconv.ParseUint(digits, 16, 64)
		return bits, err == nil
	}
	f, ok := decimal(text)
	return math.Float64bits(f), ok
}

// decimal parses a decimal number.
func decimal(text string) (float64, bool) {
	f, err := strconv.ParseFloat(text, 64)
	return f, err == nil && strings.Trim(text, "+-.0123456789eE") == ""
}

// floatBits converts a double to a float, preserving NaNs.
func floatBits(double uint64) uint32 {
	f := math.Float64frombits(double)
	if f == f {
		return math.Float32bits(float32(f))
	}
	sign, payload := uint32(double>>63)<<31, uint32(double>>29)&(1<<23-1)
	if payload == 0 {
		payload = 1 << 22
	}
	return sign | 0xff<<23 | payload
}

// doubleOf is the inverse of floatBits.
func doubleOf(float uint32) uint64 {
	f := math.Float32frombits(float)
	if f == f {
		return math.Float64bits(float64(f))
	}
	return uint64(float>>31)<<63 | 0x7ff<<52 | uint64(float&(1<<23-1))<<29
}

// scalarText formats bytes as a scalar of a type.
func scalarText(t *llvmir.Type, data []byte) (string, error) {
	if len(data) > 8 {
		return "", fmt.Errorf("its part of type %s cannot be a SPIR-V constant", t)
	}
	bits := binary.LittleEndian.Uint64(append(append(make([]byte, 0, 8), data...), make([]byte, 8-len(data))...))
	switch t.Kind() {
	case llvmir.Int:
		if t.Bits() == 1 {
			return strconv.FormatBool(bits&1 == 1), nil
		}
		shift := 64 - t.Bits()
		return strconv.FormatInt(int64(bits<<shift)>>shift, 10), nil
	case llvmir.Half:
		return fmt.Sprintf("0xH%04X", bits), nil
	case llvmir.Float:
		return fmt.Sprintf("0x%016X", doubleOf(uint32(bits))), nil
	case llvmir.Double:
		return fmt.Sprintf("0x%016X", bits), nil
	}
	return "", fmt.Errorf("its part of type %s cannot be a SPIR-V constant", t)
}
