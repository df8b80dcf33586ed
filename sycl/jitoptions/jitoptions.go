// Package jitoptions has the options of a device image with which the runtime compiles and
// links its code, such as -ze-intel-greater-than-4GB-buffer-required.
//
// In a program they are in the descriptor of the image, beside its property sets. A
// SYCLBIN and property files have no place for them. So they are kept there in a property
// set ([Set]), which DPC++'s runtime ignores, and go back into a descriptor when the image
// is put into a program again.
package jitoptions

import (
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/propset"
)

// Set is the property set with the options: texts by the keys compile and link, which are
// absent when they are empty.
const Set = "rules_sycl/options"

const (
	keyCompile = "compile"
	keyLink    = "link"
)

// Options are texts of several options, separated by spaces.
type Options struct {
	Compile, Link string
}

// Of returns the options that the property sets of a device image have. What is not text,
// or has a NUL in it, is no option.
func Of(r *propset.Registry) Options {
	set := r.Set(Set)
	return Options{text(set, keyCompile), text(set, keyLink)}
}

func text(set *propset.Set, key string) string {
	v, _ := set.Get(key)
	s, ok := v.Text()
	if !ok || strings.ContainsRune(s, 0) {
		return ""
	}
	return s
}

// Put makes r say that the image has these options.
func Put(r *propset.Registry, o Options) {
	r.Delete(Set)
	for _, p := range []struct{ key, text string }{{keyCompile, o.Compile}, {keyLink, o.Link}} {
		if p.text != "" {
			r.Add(Set).Put(p.key, propset.String(p.text))
		}
	}
}
