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

// JoinFirst joins the texts in a list, or the first of many: "a, b and 5 more".
func JoinFirst(list []string, most int) string {
	s := strings.Join(list[:min(len(list), most)], ", ")
	if n := len(list) - most; n > 0 {
		s += fmt.Sprintf(" and %d more", n)
	}
	return s
}
