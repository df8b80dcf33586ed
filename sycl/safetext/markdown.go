package safetext

import (
	"fmt"
	"strings"
)

// CodeSpan returns text, which [Escape] must have escaped, as a Markdown code span, delimited by
// more backticks than any run in the text.
func CodeSpan(s string) string {
	if strings.Trim(s, " ") == "" {
		s = fmt.Sprintf("%q", s)
	}
	longest, run := 0, 0
	for _, c := range []byte(s) {
		if c != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	if s[0] == '`' || s[len(s)-1] == '`' || s[0] == ' ' && s[len(s)-1] == ' ' {
		s = " " + s + " "
	}
	return fence + s + fence
}

// TableCell escapes vertical bars, which end a cell of a Markdown table even in a code span.
// Renderers interpret a backslash before an escaped bar differently, so such a bar is written in
// the form that [Escape] uses for invisible characters.
func TableCell(s string) string {
	if !strings.Contains(s, "|") {
		return s
	}
	var b strings.Builder
	for i := range len(s) {
		switch {
		case s[i] != '|':
			b.WriteByte(s[i])
		case i > 0 && s[i-1] == '\\':
			b.WriteString(`\u{7c}`)
		default:
			b.WriteString(`\|`)
		}
	}
	return b.String()
}
