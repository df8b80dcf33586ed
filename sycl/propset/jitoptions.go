package propset

import (
	"strings"
)

// JITOptionsSet is the property set with the options: texts by the keys compile and link, which are
// absent when they are empty.
const JITOptionsSet = "rules_sycl/options"

const (
	keyCompile = "compile"
	keyLink    = "link"
)

// JITOptions are the options of a device image with which the runtime compiles and links
// its code, such as -ze-intel-greater-than-4GB-buffer-required: texts of several options,
// separated by spaces.
//
// In a program they are in the descriptor of the image, beside its property sets. A
// SYCLBIN and property files have no place for them. So they are kept there in a property
// set ([JITOptionsSet]), which DPC++'s runtime ignores, and go back into a descriptor when
// the image is put into a program again.
type JITOptions struct {
	Compile, Link string
}

// JITOptionsOf returns the options that the property sets of a device image have. What is not text,
// or has a NUL in it, is no option.
func JITOptionsOf(r *Registry) JITOptions {
	set := r.Set(JITOptionsSet)
	return JITOptions{jitOption(set, keyCompile), jitOption(set, keyLink)}
}

func jitOption(set *Set, key string) string {
	v, _ := set.Get(key)
	s, ok := v.Text()
	if !ok || strings.ContainsRune(s, 0) {
		return ""
	}
	return s
}

// PutJITOptions makes r say that the image has these options.
func PutJITOptions(r *Registry, o JITOptions) {
	r.Delete(JITOptionsSet)
	for _, p := range []struct{ key, text string }{{keyCompile, o.Compile}, {keyLink, o.Link}} {
		if p.text != "" {
			r.Add(JITOptionsSet).Put(p.key, String(p.text))
		}
	}
}
