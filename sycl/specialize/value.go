package specialize

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	"github.com/rules-sycl/rules_sycl/sycl/spirv"
)

// rawBytes is the prefix of a value that holds the bytes of the whole constant in hexadecimal.
const rawBytes = "bytes:"

// maxDepth limits the nesting of lists and objects in a value.
const maxDepth = 32

// scalars returns the scalars of a value in order, including those in nested lists and objects.
// Names in objects are ignored; only the order counts.
func scalars(value string) ([]string, error) {
	p := valueParser{rest: strings.TrimSpace(value)}
	if err := p.value(0); err != nil {
		return nil, err
	}
	if p.space(); p.rest != "" {
		return nil, fmt.Errorf("unexpected %s after the value", safetext.Quote(p.rest))
	}
	return p.found, nil
}

// A valueParser parses a value.
type valueParser struct {
	rest  string
	found []string
}

func (p *valueParser) space() { p.rest = strings.TrimLeft(p.rest, " \t\r\n") }

// take consumes a character if it is next.
func (p *valueParser) take(c byte) bool {
	p.space()
	if p.rest == "" || p.rest[0] != c {
		return false
	}
	p.rest = p.rest[1:]
	return true
}

// word consumes the text before the next separator.
func (p *valueParser) word() string {
	p.space()
	n := strings.IndexAny(p.rest, "[]{},:\" \t\r\n")
	if n < 0 {
		n = len(p.rest)
	}
	word := p.rest[:n]
	p.rest = p.rest[n:]
	return word
}

func (p *valueParser) value(depth int) error {
	switch {
	case depth > maxDepth:
		return fmt.Errorf("lists are nested deeper than %d", maxDepth)
	case p.take('['):
		return p.list(']', func() error { return p.value(depth + 1) })
	case p.take('{'):
		seen := map[string]bool{}
		return p.list('}', func() error {
			name, err := p.name()
			switch {
			case err != nil:
				return err
			case seen[name]:
				return fmt.Errorf("duplicate name %s", safetext.Quote(name))
			}
			seen[name] = true
			return p.value(depth + 1)
		})
	}
	word := p.word()
	if word == "" {
		return p.missing("a value")
	}
	p.found = append(p.found, word)
	return nil
}

// list consumes elements up to the end of a list.
func (p *valueParser) list(end byte, element func() error) error {
	if p.take(end) {
		return nil
	}
	for {
		if err := element(); err != nil {
			return err
		}
		switch {
		case p.take(end):
			return nil
		case !p.take(','):
			return p.missing(fmt.Sprintf("',' or '%c'", end))
		}
	}
}

// name consumes the name of a member and the colon after it.
func (p *valueParser) name() (name string, err error) {
	if p.take('"') {
		before, after, ok := strings.Cut(p.rest, `"`)
		if !ok {
			return "", errors.New(`unterminated '"'`)
		}
		name, p.rest = before, after
	} else {
		name = p.word()
	}
	if name == "" {
		return "", p.missing("the name of a member")
	}
	if !p.take(':') {
		return "", p.missing("':'")
	}
	return name, nil
}

func (p *valueParser) missing(what string) error {
	if p.space(); p.rest == "" {
		return fmt.Errorf("unexpected end of value; expected %s", what)
	}
	return fmt.Errorf("unexpected %s; expected %s", safetext.Quote(p.rest), what)
}

// encode returns the bytes of a scalar, little endian.
func encode(t spirv.Scalar, text string) ([]byte, error) {
	switch t.Kind {
	case spirv.Bool:
		return encodeBool(text)
	case spirv.Int:
		return encodeInt(t, text)
	case spirv.OtherFloat:
		return nil, fmt.Errorf("a %v can only be specified by its bytes, as %s0a", t, rawBytes)
	}
	return encodeFloat(t, text)
}

func encodeBool(text string) ([]byte, error) {
	switch text {
	case "true", "1":
		return []byte{1}, nil
	case "false", "0":
		return []byte{0}, nil
	}
	return nil, fmt.Errorf("expected true or false, got %s", safetext.Quote(text))
}

// encodeInt returns the bytes of an integer. OpenCL modules do not record signedness, and represent
// a bool as an 8-bit integer.
func encodeInt(t spirv.Scalar, text string) ([]byte, error) {
	if t.Bits == 8 && (text == "true" || text == "false") {
		return encodeBool(text)
	}
	if digits := strings.TrimLeft(text, "+-"); len(digits) > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9' {
		without := strings.TrimLeft(digits, "0")
		if without == "" {
			return nil, fmt.Errorf("%s starts with 0, which could mean octal; write 0", safetext.Quote(text))
		}
		return nil, fmt.Errorf("%s starts with 0, which could mean octal; omit the 0, or write 0o%s", safetext.Quote(text), without)
	}
	number := text
	if len(text) > 1 && text[0] == '+' && text[1] >= '0' && text[1] <= '9' {
		number = text[1:] // ParseUint does not accept a sign
	}
	var bits uint64
	inRange := false
	signed, err := strconv.ParseInt(number, 0, 64)
	if err == nil && signed < 0 {
		bits, inRange = uint64(signed), signed >= -1<<(t.Bits-1)
	} else {
		limit := uint64(math.MaxUint64) >> (64 - t.Bits)
		if t.Signed {
			limit >>= 1
		}
		bits, err = strconv.ParseUint(number, 0, 64)
		inRange = err == nil && bits <= limit
	}
	switch _, isInteger := new(big.Int).SetString(text, 0); {
	case isInteger && !inRange:
		return nil, fmt.Errorf("%s does not fit in %d bits", safetext.Quote(text), t.Bits)
	case err != nil:
		return nil, fmt.Errorf("%s is not an integer", safetext.Quote(text))
	}
	return binary.LittleEndian.AppendUint64(nil, bits)[:t.Size()], nil
}

func encodeFloat(t spirv.Scalar, text string) ([]byte, error) {
	size := 64
	if t.Bits == 32 {
		size = 32
	}
	f, err := strconv.ParseFloat(text, size)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return nil, fmt.Errorf("%s does not fit in a %v", safetext.Quote(text), t)
	case err != nil:
		return nil, fmt.Errorf("%s is not a number", safetext.Quote(text))
	}
	switch {
	case t.Bits == 64:
		return binary.LittleEndian.AppendUint64(nil, math.Float64bits(f)), nil
	case t.Bits == 32:
		return binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(f))), nil
	}
	form := Half
	if t.Kind == spirv.BFloat16 {
		form = BFloat16
	}
	bits, ok := form.Encode(f)
	if !ok {
		return nil, fmt.Errorf("%s does not fit in a %v", safetext.Quote(text), t)
	}
	return binary.LittleEndian.AppendUint16(nil, bits), nil
}

// formatted returns a scalar in readable form. The signedness of an integer is unknown, so an
// integer with the highest bit set is formatted both as a negative number and in hexadecimal.
func formatted(t spirv.Scalar, value []byte) string {
	var bits uint64
	for i, b := range value {
		bits |= uint64(b) << (8 * i)
	}
	switch {
	case t.Kind == spirv.Bool:
		return strconv.FormatBool(bits != 0)
	case t.Kind == spirv.Int:
		v := int64(bits<<(64-t.Bits)) >> (64 - t.Bits)
		if v < 0 && !t.Signed {
			return fmt.Sprintf("%d (%#x)", v, bits)
		}
		return strconv.FormatInt(v, 10)
	case t.Kind == spirv.BFloat16:
		return strconv.FormatFloat(BFloat16.Decode(uint16(bits)), 'g', -1, 32)
	case t.Kind == spirv.OtherFloat:
		return rawBytes + hex.EncodeToString(value)
	case t.Bits == 16:
		return strconv.FormatFloat(Half.Decode(uint16(bits)), 'g', -1, 32)
	case t.Bits == 32:
		return strconv.FormatFloat(float64(math.Float32frombits(uint32(bits))), 'g', -1, 32)
	}
	return strconv.FormatFloat(math.Float64frombits(bits), 'g', -1, 64)
}
