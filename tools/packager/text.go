package main

import (
	"encoding/hex"
	"strconv"
	"strings"
	"unicode"

	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/release"
)

// printable returns text from a file in a form that does nothing to a terminal:
// control characters, line breaks and bytes that are no text become escapes.
func printable(s string) string {
	if isPrintable(s) {
		return s
	}
	quoted := strconv.Quote(s)
	return strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)
}

func isPrintable(s string) bool {
	i := 0
	for i < len(s) && s[i] >= ' ' && s[i] < 0x7f {
		i++ // what nearly all text is
	}
	s = s[i:]
	return strings.IndexFunc(s, func(r rune) bool { return r == unicode.ReplacementChar || !unicode.IsPrint(r) }) < 0
}

// valueText returns a property value for people: numbers as they are, byte
// arrays as text when they can be printed and in hexadecimal otherwise.
func valueText(v propset.Value) string {
	if n, ok := v.Uint(); ok {
		return strconv.FormatUint(uint64(n), 10)
	}
	if s, ok := v.Text(); ok && isPrintable(s) {
		return s
	}
	return hex.EncodeToString(v.Bytes())
}

// describer interprets property values, with the names that aspects' numbers have in
// files for a release.
func describer(r *release.Release) propset.Describer {
	return propset.Describer{AspectName: func(n uint32) string {
		if a := r.Aspect(n); a.Known() {
			return a.String()
		}
		return ""
	}}
}

// plural returns a count with its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
