package gate

import "strings"

// matchAny reports whether text is one of the patterns.
func matchAny(patterns []string, texts ...string) bool {
	for _, p := range patterns {
		for _, t := range texts {
			if match(p, t) {
				return true
			}
		}
	}
	return false
}

// match reports whether text is the pattern, in which "*" stands for any text,
// also none. Each part between stars is looked for once, so that no pattern
// takes long.
func match(pattern, text string) bool {
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
