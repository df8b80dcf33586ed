// Package show contains code that all renderings of reports and results share: words, limits of
// lists, device names, and the elements of text tables, Markdown, pages and spreadsheets.
//
// Reports may come from untrusted builds, so functions that accept text from a report escape it,
// unless documented otherwise.
package show

import (
	"fmt"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// MostListed is the maximum number of items that [List] lists.
const MostListed = 6

// List joins the items of a list, or the first of many. The items must be escaped; what is their plural.
func List(list []string, what string) string { return ListOf(list, len(list), what) }

// ListOf is like [List] for n items, of which list holds the first.
func ListOf(list []string, n int, what string) string {
	if n > MostListed {
		if n == MostListed+1 {
			what = strings.TrimSuffix(what, "s")
		}
		return fmt.Sprintf("%s and %d more %s", strings.Join(list[:MostListed], ", "), n-MostListed, what)
	}
	if n > 1 {
		return strings.Join(list[:n-1], ", ") + " and " + list[n-1]
	}
	return list[0]
}

// Group groups the items of a list with equal keys, in the order of the first items.
func Group[S ~[]T, T any, K comparable](list S, key func(T) K) (groups []S) {
	index := map[K]int{}
	for _, item := range list {
		k := key(item)
		n, ok := index[k]
		if !ok {
			n = len(groups)
			index[k] = n
			groups = append(groups, nil)
		}
		groups[n] = append(groups[n], item)
	}
	return groups
}

// Place returns a location without the column, or "" if it is unknown.
func Place(l srcloc.Location) string {
	if l.IsZero() {
		return ""
	}
	return fmt.Sprintf("%s:%d", safetext.Escape(l.Path), l.Line)
}

// CodeSpan returns text as a Markdown code span, in which nothing is markup or a mention of a user.
func CodeSpan(s string) string { return safetext.CodeSpan(safetext.Escape(s)) }

// UpperFirst returns a sentence with its first letter capitalized, unless the first word is a name.
func UpperFirst(s string) string {
	word, _, _ := strings.Cut(s, " ")
	if word == "" || strings.ContainsFunc(strings.TrimRight(word, ",:"), func(c rune) bool { return c < 'a' || c > 'z' }) {
		return s
	}
	return string(s[0]-'a'+'A') + s[1:]
}

// Sentence converts a message to a sentence with a final period and, unless it begins with a name, a
// capital letter.
func Sentence(s string) string { return FullStop(UpperFirst(s)) }

// FullStop returns a message with a final period.
func FullStop(s string) string {
	if strings.HasSuffix(s, "?") || strings.HasSuffix(s, ".") {
		return s
	}
	return s + "."
}

// ShellQuote returns text quoted as a single shell word, without the characters that
// [safetext.Escape] makes visible.
func ShellQuote(s string) string {
	s = safetext.Escape(s)
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,=@+%") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
