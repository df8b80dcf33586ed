package render

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// mostConstants is how many of many specialization constants are listed.
const mostConstants = 10

const constantsTitle = "Specialization constants and their default values"

// imageConstants returns the specialization constants of images with their types and default
// values, by the id of the image.
func (t *table) imageConstants() map[string][]string {
	ofImage := map[string][]string{}
	for i := range t.Images.Len() {
		for _, c := range t.Images.Constants(i) {
			var parts []string
			for _, p := range c.Parts {
				parts = append(parts, strings.TrimSpace(p.Type+" "+p.Default))
			}
			id := t.Images.ID(i)
			ofImage[id] = append(ofImage[id], safetext.Escape(c.DisplayName+": "+strings.Join(parts, ", ")))
		}
	}
	return ofImage
}

// constants returns a function that returns the specialization constants in the images of a kernel.
// One that differs between images is there twice.
func (t *table) constants() func(*report.Kernel) []string { return ofImages(t.imageConstants()) }

// ofImages returns a function that returns what the images of a kernel have, each once. Kernels
// of the same images share a list.
func ofImages(ofImage map[string][]string) func(*report.Kernel) []string {
	known := map[string][]string{}
	return func(k *report.Kernel) []string {
		images := imagesOf(k)
		list, ok := known[images]
		if ok {
			return list
		}
		seen := map[string]bool{}
		for _, id := range k.Images {
			for _, text := range ofImage[id] {
				if !seen[text] {
					seen[text] = true
					list = append(list, text)
				}
			}
		}
		known[images] = list
		return list
	}
}

// imagesOf returns what kernels of the same images have in common.
func imagesOf(k *report.Kernel) string { return strings.Join(k.Images, "\x00") }

// constantLines lists the specialization constants of a report by name, and says how many
// kernels are in images with each. There are at most as many as most says, if it is not 0.
func (t *table) constantLines(most int, quote quoter) (lines []string) {
	ofImage := t.imageConstants()
	if len(ofImage) == 0 {
		return nil
	}
	constants := ofImages(ofImage)
	type user struct {
		kernels int
		name    string // of the first
	}
	users := map[string]user{}
	for _, k := range t.Kernels.All() {
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
			of = count(u.kernels, "kernel")
		}
		lines = append(lines, quote(safetext.Shorten(text))+", in images of "+of)
	}
	if more := len(all) - shown; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more: the report as JSON has them", more))
	}
	return lines
}
