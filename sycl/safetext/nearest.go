package safetext

import (
	"cmp"
	"iter"
	"slices"
	"strings"
)

// longest is the maximum length of compared names. It limits the time for names that come from
// files.
const longest = 100

// Nearest returns up to n candidates that differ from name in few characters, closest first.
// Equally close candidates keep their order.
func Nearest(name string, candidates iter.Seq[string], n int) []string {
	if len(name) > longest {
		return nil
	}
	most := 1 + len(name)/4 // differing characters
	type match struct {
		name     string
		distance int
	}
	var matches []match
	for c := range candidates {
		if len(c) > longest || len(c) > len(name)+most || len(c) < len(name)-most {
			continue
		}
		if d := Distance(name, c); d <= most {
			matches = append(matches, match{c, d})
		}
	}
	slices.SortStableFunc(matches, func(a, b match) int { return cmp.Compare(a.distance, b.distance) })
	var names []string
	for _, m := range matches[:min(n, len(matches))] {
		names = append(names, m.name)
	}
	return names
}

// Suggest returns a suggestion for an unknown name if a similar name is among names, or else a list
// of names.
func Suggest(name string, names []string) string {
	if near := Nearest(name, slices.Values(names), 1); near != nil {
		return "did you mean " + near[0] + "?"
	}
	return "expected one of " + strings.Join(names, ", ")
}

// Distance returns the number of bytes that must be added, removed, changed or swapped with their
// neighbor to turn a into b.
func Distance(a, b string) int {
	// Element j of a row is the distance between b[:j] and the prefix of a that the row is for.
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range len(b) {
			changed := last[j]
			if a[i] != b[j] {
				changed++
			}
			row[j+1] = min(changed, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
