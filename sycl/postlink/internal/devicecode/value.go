package devicecode

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// integer formats an integer for metadata.
func integer(bits int, n uint64) string { return fmt.Sprintf("i%d %d", bits, n) }

// unsigned parses an unsigned number.
func unsigned(text string, bits int) (uint64, error) {
	n, err := strconv.ParseUint(strings.TrimSpace(text), 10, bits)
	if err != nil {
		return 0, fmt.Errorf("%q is not a %d-bit number", text, bits)
	}
	return n, nil
}

// positive parses a number that is not 0.
func positive(text string, bits int) (uint64, error) {
	n, err := unsigned(text, bits)
	if n == 0 && err == nil {
		err = fmt.Errorf("invalid size %q; expected a positive number", text)
	}
	return n, err
}

// alignment parses a power of two.
func alignment(value string) (uint64, error) {
	n, err := unsigned(value, 32)
	if err == nil && bits.OnesCount64(n) != 1 {
		err = fmt.Errorf("%q is not a power of two", value)
	}
	return n, err
}

// isFalse reports whether a boolean is false.
func isFalse(value string) bool { return strings.EqualFold(value, "false") }

// number returns the number of the property's decoration.
func (l *lowering) number(p property) uint32 {
	if l.options.DPCPP && p.withdrawn != 0 {
		return p.withdrawn
	}
	return p.decoration
}

// decorations returns the decorations for a property, each with a number and operands.
func (l *lowering) decorations(p property, value string) ([]string, error) {
	code := "i32 " + strconv.Itoa(int(l.number(p)))
	switch p.value {
	case none:
		return []string{code}, nil
	case number:
		n, err := unsigned(value, 32)
		return []string{code + ", " + integer(32, n)}, err
	case flag:
		switch {
		case isFalse(value): // translators write the decoration regardless of its operand
			return nil, nil
		case l.options.DPCPP:
			code += ", i32 1"
		}
		return []string{code}, nil
	case boolean:
		if isFalse(value) {
			return []string{code + ", i32 0"}, nil
		}
		return []string{code + ", i32 1"}, nil
	case numbers:
		for word := range strings.SplitSeq(value, ",") {
			n, err := unsigned(word, 32)
			if err != nil {
				return nil, err
			}
			code += ", " + integer(32, n)
		}
		return []string{code}, nil
	case text:
		return []string{code + ", !" + MDString(value)}, nil
	}
	controls, err := p.cacheControls(value)
	list := make([]string, len(controls))
	for i, c := range controls {
		list[i] = fmt.Sprintf("i32 %d, i32 %d, i32 %d", p.controls.decoration, c.level, c.control)
	}
	return list, err
}

// A cacheControl is the control of an access at a cache level. L1 is level 0.
type cacheControl struct{ level, control int }

// cacheControls reads the value of a property of kind cache or level. It has 4 bits per mode,
// lowest first, with one bit per level, L1 first.
func (p property) cacheControls(value string) ([]cacheControl, error) {
	n, err := unsigned(value, 32)
	if err != nil {
		return nil, err
	}
	if p.value == level {
		if n > 3 {
			return nil, fmt.Errorf("%q is not a cache level from 0 to 3", value)
		}
		return []cacheControl{{int(n), p.controls.modes[0]}}, nil
	}
	var list []cacheControl
	for mode := 0; n != 0; mode++ {
		levels := n & 15
		n >>= 4
		if levels == 0 {
			continue
		}
		if mode >= len(p.controls.modes) {
			return nil, fmt.Errorf("%q has an unknown cache mode", value)
		}
		control := p.controls.modes[mode]
		if control < 0 {
			return nil, fmt.Errorf("%q has cache mode %s, which %s do not support", value, modeNames[mode], p.controls.of)
		}
		for at := range 4 {
			if c := (cacheControl{at, control}); levels&(1<<at) != 0 && !slices.Contains(list, c) {
				list = append(list, c)
			}
		}
	}
	return list, nil
}
