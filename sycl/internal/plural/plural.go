// Package plural chooses between the forms of a word.
package plural

// Of returns the form for n things.
func Of(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}
