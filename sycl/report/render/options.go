package render

import (
	"cmp"
	"maps"
	"slices"

	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// mostOptions is the maximum number of listed option sets.
const mostOptions = 5

// imageOptions holds options for the runtime's compiler and linker, with the number of images that
// have them.
type imageOptions struct {
	propset.JITOptions
	Images int
}

// optionsOf returns the options of the images of a report, most frequent first, and the number of
// omitted option sets.
func optionsOf(r *report.Report) (list []imageOptions, more int) {
	images := map[propset.JITOptions]int{}
	for _, i := range r.Images {
		k := &r.ImageKinds[i.Kind]
		if o := (propset.JITOptions{Compile: k.CompileOptions, Link: k.LinkOptions}); o != (propset.JITOptions{}) {
			images[o]++
		}
	}
	for _, o := range slices.SortedFunc(maps.Keys(images), func(a, b propset.JITOptions) int {
		return cmp.Or(cmp.Compare(images[b], images[a]), cmp.Compare(a.Compile, b.Compile), cmp.Compare(a.Link, b.Link))
	}) {
		list = append(list, imageOptions{o, images[o]})
	}
	shown := min(len(list), mostOptions)
	return list[:shown], len(list) - shown
}

// optionSentences returns sentences about the options of the images of a report.
func optionSentences(r *report.Report, quote quoter) (lines []string) {
	list, more := optionsOf(r)
	for _, o := range list {
		s := safetext.Count(o.Images, "image") + " with options for the runtime's"
		if o.Compile != "" {
			s += " compiler: " + quote(safetext.Escape(safetext.Shorten(o.Compile)))
		}
		if o.Compile != "" && o.Link != "" {
			s += ", and its"
		}
		if o.Link != "" {
			s += " linker: " + quote(safetext.Escape(safetext.Shorten(o.Link)))
		}
		lines = append(lines, s)
	}
	if more > 0 {
		lines = append(lines, safetext.Count(more, "more set")+" of options; see the JSON report")
	}
	return lines
}
