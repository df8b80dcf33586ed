package render

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// mostConstants is the maximum number of listed specialization constants.
const mostConstants = 10

const constantsTitle = "Specialization constants and their default values"

// constantsOf returns the specialization constants of an image kind, with their types and default
// values.
func constantsOf(k *report.ImageKind) (list []string) {
	for _, c := range k.Constants {
		var parts []string
		for _, p := range c.Parts {
			parts = append(parts, strings.TrimSpace(p.Type+" "+p.Default))
		}
		list = append(list, safetext.Escape(c.DisplayName+": "+strings.Join(parts, ", ")))
	}
	return list
}

// constants returns a function that returns the specialization constants in the images of a kernel.
// A constant that differs between images is listed once per variant.
func (t *table) constants() func(*report.Kernel) []string { return t.collectFromImages(constantsOf) }

// collectFromImages returns a function that calls of for the kind of each image of a kernel and
// returns the distinct results. Kernels whose images have the same kinds share a list.
func (t *table) collectFromImages(of func(*report.ImageKind) []string) func(*report.Kernel) []string {
	texts := make([][]string, len(t.ImageKinds))
	for i := range texts {
		texts[i] = of(&t.ImageKinds[i])
	}
	known := map[string][]string{}
	var kinds []byte
	return func(k *report.Kernel) []string {
		kinds = t.appendKinds(kinds[:0], k)
		list, ok := known[string(kinds)]
		if ok {
			return list
		}
		for _, n := range k.Images {
			list = append(list, texts[t.Images[n].Kind]...)
		}
		list = distinct(list)
		known[string(kinds)] = list
		return list
	}
}

// kindsOf returns a key that is equal for kernels whose images have the same kinds.
func (t *table) kindsOf(k *report.Kernel) string { return string(t.appendKinds(nil, k)) }

func (t *table) appendKinds(key []byte, k *report.Kernel) []byte {
	for _, n := range k.Images {
		key = binary.AppendUvarint(key, uint64(t.Images[n].Kind))
	}
	return key
}

// constantLines returns lines with the specialization constants of a report by name, and the
// numbers of kernels whose images have them. It returns up to most constants, or all if most is 0.
func (t *table) constantLines(most int, quote quoter) (lines []string) {
	constants := t.constants()
	type user struct {
		kernels int
		name    string // of the first kernel
	}
	users := map[string]user{}
	for i := range t.Kernels {
		k := &t.Kernels[i]
		for _, text := range constants(k) {
			u := users[text]
			if u.kernels++; u.kernels == 1 {
				u.name = kernelName(k)
			}
			users[text] = u
		}
	}
	all := slices.Sorted(maps.Keys(users))
	shown := len(all)
	if most > 0 {
		shown = min(shown, most)
	}
	for _, text := range all[:shown] {
		u := users[text]
		of := quote(u.name)
		if u.kernels > 1 {
			of = safetext.Count(u.kernels, "kernel")
		}
		lines = append(lines, quote(safetext.Shorten(text))+", in images of "+of)
	}
	if more := len(all) - shown; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more, which the JSON report lists", more))
	}
	return lines
}
