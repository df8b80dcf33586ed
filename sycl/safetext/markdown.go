package safetext

import (
	"fmt"
	"strings"
)

// CodeSpan returns text, which [Escape] has escaped, as a code span of Markdown: between
// more backticks than it has in a row.
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

// TableCell escapes what would end a cell of a Markdown table: a vertical line does so
// also in a code span. Readers do not agree on a backslash before an escaped line, so
// such a line is written as [Escape] writes characters that cannot be seen.
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
