package report

import (
	"fmt"
	"strings"
	"unicode"
)

// Escape makes text visible that would control a terminal or hide something from
// the reader: control characters, changes of writing direction, characters
// without width, line and paragraph separators. Logs of continuous integration
// can have commands in them, in words that begin with "::" or behind "##[", so
// these are written differently, too.
func Escape(s string) string {
	if !strings.ContainsFunc(s, hidden) && !strings.Contains(s, "##[") && !strings.HasPrefix(s, "::") && !strings.Contains(s, " ::") {
		return s
	}
	var b strings.Builder
	last := ' '
	for i, r := range s {
		switch {
		case hidden(r), r == ':' && last == ' ' && strings.HasPrefix(s[i:], "::"), r == '#' && last == '#' && strings.HasPrefix(s[i:], "#["):
			fmt.Fprintf(&b, `\u{%x}`, r)
		default:
			b.WriteRune(r)
		}
		last = r
	}
	return b.String()
}

// hidden reports characters that Escape replaces. Letters that combine with the
// one before them have no width either.
func hidden(r rune) bool {
	return r != ' ' && (!unicode.IsPrint(r) || unicode.Is(unicode.M, r)) || r == unicode.ReplacementChar
}
