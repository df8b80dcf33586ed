// Package safetext makes text from files safe to show: on a terminal, in the log of a continuous
// integration job or on a page. It also has functions for messages: suggestions for misspelled
// names, and plurals.
package safetext

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// Escape replaces characters that could control a terminal or hide text from the reader: control
// characters, changes of writing direction, zero-width characters, line and paragraph separators.
// They become \u{N}, with N in hexadecimal.
//
// Continuous integration runners read commands from logs: words that begin with "::" or follow
// "##[" for GitHub, "##vso[" for Azure Pipelines and "##teamcity[" for TeamCity. Escape changes
// these words, too.
func Escape(s string) string {
	if !strings.ContainsFunc(s, hidden) && !strings.Contains(s, "##") && !strings.HasPrefix(s, "::") && !strings.Contains(s, " ::") {
		return s
	}
	var b strings.Builder
	last := ' '
	for i, r := range s {
		switch {
		case hidden(r), r == ':' && last == ' ' && strings.HasPrefix(s[i:], "::"), r == '#' && last == '#' && opensCommand(s[i+1:]):
			fmt.Fprintf(&b, `\u{%x}`, r)
		default:
			b.WriteRune(r)
		}
		last = r
	}
	return b.String()
}

// opensCommand reports whether a runner may read the text after "##" as a command: a bracket,
// possibly after the name of the runner.
func opensCommand(s string) bool {
	return strings.HasPrefix(strings.TrimLeftFunc(s, unicode.IsLetter), "[")
}

// EscapeLines is like [Escape] for multi-line text: it keeps line breaks and tabs.
func EscapeLines(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		rest, broken := strings.CutSuffix(line, "\n")
		rest = strings.TrimSuffix(rest, "\r")
		for i, part := range strings.Split(rest, "\t") {
			if i > 0 {
				b.WriteByte('\t')
			}
			b.WriteString(Escape(part))
		}
		if broken {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// hidden reports whether Escape replaces a character. Combining marks count, because they have no
// width.
func hidden(r rune) bool {
	if r < 0x7f { // almost all text
		return r < ' '
	}
	return !unicode.IsPrint(r) || unicode.Is(unicode.M, r) || r == unicode.ReplacementChar
}

// Printable returns text with control characters, line breaks and invalid bytes replaced with Go
// escapes. Unlike [Escape], the result identifies the replaced bytes.
func Printable(s string) string {
	if IsPrintable(s) {
		return s
	}
	quoted := strconv.Quote(s)
	return strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)
}

// IsPrintable reports whether [Printable] returns a text unchanged.
func IsPrintable(s string) bool {
	i := 0
	for i < len(s) && s[i] >= ' ' && s[i] < 0x7f {
		i++ // almost all text
	}
	return !strings.ContainsFunc(s[i:], func(r rune) bool { return r == unicode.ReplacementChar || !unicode.IsPrint(r) })
}

// Quote returns text in quotation marks for a message, truncated if it is too long.
func Quote(s string) string {
	const most = 100 // bytes
	if len(s) > most {
		return strconv.Quote(strings.ToValidUTF8(s[:most], "")) + "..."
	}
	return strconv.Quote(s)
}

// Shorten omits the middle of a message that is too long. It keeps both ends, because a message
// that quotes a file begins with what is wrong and ends with what to do.
func Shorten(s string) string {
	const start, end = 600, 200 // bytes
	if len(s) <= start+end {
		return s
	}
	return strings.ToValidUTF8(s[:start], "") + " ... " + strings.ToValidUTF8(s[len(s)-end:], "")
}
