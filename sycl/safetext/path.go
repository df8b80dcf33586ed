package safetext

import (
	"io/fs"
	"slices"
	"strings"
	"unicode"
)

// IsPath reports whether s is a relative file path with "/" that stays in its directory on every
// system and that [IsFileName] accepts. It can contain characters that are special in URLs, in
// Markdown or for continuous integration runners, so each format must escape them.
func IsPath(s string) bool {
	const most = 1000 // bytes
	isDrive := len(s) > 1 && s[1] == ':' && unicode.IsLetter(rune(s[0]))
	return len(s) < most && s != "." && fs.ValidPath(s) && IsFileName(s) && strings.TrimSpace(s) == s &&
		!isDrive && s[0] != '\\' && !slices.Contains(strings.Split(strings.ReplaceAll(s, `\`, "/"), "/"), "..")
}

// IsFileName reports whether [Escape] would not change s, except for the combining marks of letters,
// which file names on macOS contain.
func IsFileName(s string) bool {
	last := ' '
	base := strings.Map(func(r rune) rune {
		isMark := unicode.Is(unicode.M, r) && unicode.IsLetter(last)
		if isMark {
			return -1
		}
		last = r
		return r
	}, s)
	return Escape(base) == base
}
