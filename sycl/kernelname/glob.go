package kernelname

import "strings"

// MatchAny reports whether one of the texts is one of the patterns: see [Match].
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

// Match reports whether the whole text is the pattern, in which "*" stands for any text, also
// none. No other character is special, as names of kernels have brackets and question marks in
// them. Each part between stars is looked
// for once, so that no pattern takes long.
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
