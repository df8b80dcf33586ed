package safetext

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestEscape(t *testing.T) {
	for s, want := range map[string]string{
		"sim::Reduce<double>": "sim::Reduce<double>",
		"größe":               "größe",
		"a\nb\r\tc":           `a\u{a}b\u{d}\u{9}c`,
		"\x1b[2J":             `\u{1b}[2J`,
		"a\u202eb\u200bc":     `a\u{202e}b\u{200b}c`,
		"a\u2028b\u0085c":     `a\u{2028}b\u{85}c`,
		"a\u0301":             `a\u{301}`,
		"bad\xff":             `bad\u{fffd}`,
		"::error::x":          `\u{3a}:error::x`,
		"a ::error::x":        `a \u{3a}:error::x`,
		"a::b":                "a::b",
		"##[error]##[x":       `#\u{23}[error]#\u{23}[x`,
		"a##VSO[task.x]b":     `a#\u{23}VSO[task.x]b`,
		"###vso[##teamcity[":  `##\u{23}vso[#\u{23}teamcity[`,
		"##a b[, ## [, ##9[":  "##a b[, ## [, ##9[",
	} {
		if got := Escape(s); got != want {
			t.Errorf("%q is %q, want %q", s, got, want)
		}
	}
}

func TestEscapeLines(t *testing.T) {
	for s, want := range map[string]string{
		"":                           "",
		"a\n\tb\r\nc":                "a\n\tb\nc",
		"a\n::error::b\n\t::error::": "a\n\\u{3a}:error::b\n\t\\u{3a}:error::",
		"\x1b[2J\n\rb\n":             "\\u{1b}[2J\n\\u{d}b\n",
	} {
		if got := EscapeLines(s); got != want {
			t.Errorf("%q is %q, want %q", s, got, want)
		}
	}
}

func TestPrintable(t *testing.T) {
	for s, want := range map[string]string{
		"":            "",
		"axpy(float)": "axpy(float)",
		"größe":       "größe",
		`a "b"`:       `a "b"`,
		"a\n\"b\"":    `a\n"b"`,
		"\x1b[2J":     `\x1b[2J`,
		"bad\xff":     `bad\xff`,
		"a\u202eb":    `a\u202eb`,
	} {
		if got := Printable(s); got != want {
			t.Errorf("%q is %q, want %q", s, got, want)
		}
		if IsPrintable(s) != (want == s) {
			t.Errorf("IsPrintable(%q) is %t", s, IsPrintable(s))
		}
	}
}

func TestQuote(t *testing.T) {
	long := strings.Repeat("a", 99)
	for s, want := range map[string]string{
		"ab":        `"ab"`,
		"a\nb":      `"a\nb"`,
		long + "b":  `"` + long + `b"`,
		long + "bc": `"` + long + `b"...`,
		long + "ä":  `"` + long + `"...`, // not truncated within a character
	} {
		if got := Quote(s); got != want {
			t.Errorf("%q is %s, want %s", s, got, want)
		}
	}
}

func TestShorten(t *testing.T) {
	long := "what is wrong with " + strings.Repeat("é", 1000) + ": what to do"
	got := Shorten(long)
	if !strings.HasPrefix(got, "what is wrong with é") || !strings.HasSuffix(got, "é: what to do") || !strings.Contains(got, "é ... é") || len(got) > 810 || !utf8.ValidString(got) {
		t.Errorf("got %q", got)
	}
	if short := long[:800]; Shorten(short) != short {
		t.Error("a short message was truncated")
	}
}

func TestIsPath(t *testing.T) {
	for s, want := range map[string]bool{
		"src/axpy.cpp":            true,
		"größe/a b.cpp":           true,
		"gro\u0308ße/a.cpp":       true, // decomposed, as on macOS
		`a\b`:                     true,
		"100%/a:b#c?d.cpp":        true,
		"@types/[x]<y>|'z'&*.cpp": true,
		"":                        false,
		".":                       false,
		"/etc/passwd":             false,
		"../a":                    false,
		"a//b":                    false,
		`..\a`:                    false,
		`\\server\a`:              false,
		"C:/a":                    false,
		"C:a":                     false,
		"./a":                     false,
		"a ::b":                   false,
		"a##[b":                   false,
		"\u0308a":                 false,
		"a/\u0308":                false,
		"a\nb":                    false,
		" a":                      false,
		"a\u202eb":                false,
		strings.Repeat("a", 1000): false,
	} {
		if got := IsPath(s); got != want {
			t.Errorf("IsPath(%q) is %t", s, got)
		}
	}
}

func TestMarkdown(t *testing.T) {
	for s, want := range map[string]string{
		"a":     "`a`",
		"a`b``": "``` a`b`` ```",
		"`":     "`` ` ``",
		" a ":   "`  a  `",
		"":      "`\"\"`",
	} {
		if got := CodeSpan(s); got != want {
			t.Errorf("%q is %s, want %s", s, got, want)
		}
	}
	for s, want := range map[string]string{"ab": "ab", "a|b": `a\|b`, `a\|b`: `a\\u{7c}b`} {
		if got := TableCell(s); got != want {
			t.Errorf("%q is %s, want %s", s, got, want)
		}
	}
}
