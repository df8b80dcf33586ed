package requirement

import (
	"cmp"
	"slices"
	"strings"
)

// union returns the elements of a and of b, sorted and without duplicates.
func union[T cmp.Ordered](a, b []T) []T {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// intersection returns the elements that are in both a and b, sorted and without duplicates.
func intersection[T cmp.Ordered](a, b []T) []T {
	b = union(b, nil)
	return slices.DeleteFunc(union(a, nil), func(e T) bool {
		_, found := slices.BinarySearch(b, e)
		return !found
	})
}

// mergeRecords adds the records of b that a lacks, separated by ";".
func mergeRecords(a, b string) string {
	var all []string
	seen := map[string]bool{"": true}
	for record := range strings.SplitSeq(a+";"+b, ";") {
		if !seen[record] {
			seen[record] = true
			all = append(all, record)
		}
	}
	return strings.Join(all, ";")
}
