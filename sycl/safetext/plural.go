package safetext

import (
	"fmt"
	"strings"
)

// Plural returns one if n is 1, and many otherwise.
func Plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// Count returns a number with its noun, whose plural ends in s.
func Count(n int, noun string) string { return fmt.Sprintf("%d %s", n, Plural(n, noun, noun+"s")) }

// JoinFirst joins the texts in a list, or the first of many: "a, b and 5 more".
func JoinFirst(list []string, most int) string {
	s := strings.Join(list[:min(len(list), most)], ", ")
	if n := len(list) - most; n > 0 {
		s += fmt.Sprintf(" and %d more", n)
	}
	return s
}
