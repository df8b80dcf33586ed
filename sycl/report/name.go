package report

import (
	"fmt"
	"path"
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

// sourceLocation returns a place in a form that is the same on every machine:
// without the folders of the build. It is nil when nothing is left that could be
// in a workspace.
func sourceLocation(file string, line, column uint32) *Location {
	file = strings.ReplaceAll(file, `\`, "/")
	if _, after, ok := strings.Cut(file, "/execroot/"); ok {
		_, file, _ = strings.Cut(after, "/")
	}
	file = path.Clean(file)
	if line == 0 || file == "." || path.IsAbs(file) || strings.HasPrefix(file, "../") || file == ".." || strings.Contains(file, ":") {
		return nil
	}
	return &Location{Path: file, Line: line, Column: column}
}
