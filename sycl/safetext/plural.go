package safetext

import (
	"fmt"
	"strings"
)

// Plural returns the form for n things.
func Plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// Some joins texts, of many the first ones: "a, b and 5 more".
func Some(list []string, most int) string {
	s := strings.Join(list[:min(len(list), most)], ", ")
	if n := len(list) - most; n > 0 {
		s += fmt.Sprintf(" and %d more", n)
	}
	return s
}
