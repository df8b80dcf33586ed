package kernelname

import "strings"

// MatchAny reports whether one of the patterns matches one of the texts, see [Match].
func MatchAny(patterns []string, texts ...string) bool {
	for _, p := range patterns {
		for _, t := range texts {
			if Match(p, t) {
				return true
			}
		}
	}
	return false
}

// Match reports whether a pattern matches the whole text. "*" matches any text, even if it is
// empty. No other character is special, because kernel names contain brackets and question marks.
// Each part between stars is searched for once, so no pattern is slow.
func Match(pattern, text string) bool {
	first, rest, ok := strings.Cut(pattern, "*")
	if !ok {
		return pattern == text
	}
	text, ok = strings.CutPrefix(text, first)
	if !ok {
		return false
	}
	for {
		part, more, ok := strings.Cut(rest, "*")
		if !ok {
			return strings.HasSuffix(text, rest)
		}
		if _, text, ok = strings.Cut(text, part); !ok {
			return false
		}
		rest = more
	}
}
