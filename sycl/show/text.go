package show

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"
)

// columnsOf measures text in terminal columns, where wide characters count as two. It does not
// depend on the environment, because the output must not.
var columnsOf = runewidth.Condition{StrictEmojiNeutral: true}

// isASCII reports whether a text consists of single-byte characters.
func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Width returns the number of columns of escaped text.
func Width(s string) int {
	if isASCII(s) {
		return len(s)
	}
	return columnsOf.StringWidth(s)
}

// FirstColumns returns the first n columns of a text, or fewer. The result is also limited in
// bytes, because a text may have any number of zero-width characters.
func FirstColumns(s string, n int) string {
	if most := 16 * n; len(s) > most {
		for range utf8.UTFMax - 1 {
			if utf8.RuneStart(s[most]) {
				break
			}
			most--
		}
		s = s[:most]
	}
	if isASCII(s) {
		return s[:min(n, len(s))]
	}
	return columnsOf.Truncate(s, n, "")
}

// WriteTable writes rows with aligned columns. The first column is aligned to the left. The first
// row is the header. Cells must be escaped.
func WriteTable(w io.Writer, rows [][]string) error {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, s := range row {
			widths[i] = max(widths[i], Width(s))
		}
	}
	for n, row := range rows {
		var line strings.Builder
		for i, s := range row {
			fill := strings.Repeat(" ", widths[i]-Width(s))
			if n == 0 {
				s = strings.ToUpper(s)
			}
			if i == 0 {
				line.WriteString(s + fill)
			} else {
				line.WriteString("  " + fill + s)
			}
		}
		if _, err := fmt.Fprintln(w, line.String()); err != nil {
			return err
		}
	}
	return nil
}
