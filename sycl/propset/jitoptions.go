package propset

import (
	"strings"
)

// JITOptionsSet is the property set with the options: strings under the keys compile and link,
// which are absent if empty.
const JITOptionsSet = "rules_sycl/options"

const (
	keyCompile = "compile"
	keyLink    = "link"
)

// JITOptions holds the options with which the runtime compiles and links a device image, such as
// -ze-intel-greater-than-4GB-buffer-required, separated by spaces.
//
// In a program, the options are in the image's descriptor, next to its property sets. SYCLBINs and
// property files have no field for them, so they are stored in a property set ([JITOptionsSet])
// that DPC++'s runtime ignores. When the image is embedded in a program again, they are moved back
// to the descriptor.
type JITOptions struct {
	Compile, Link string
}

// JITOptionsOf returns the options in the property sets of a device image. It ignores values that
// are not text or contain a NUL.
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

// PutJITOptions stores the options of an image in r.
func PutJITOptions(r *Registry, o JITOptions) {
	r.Delete(JITOptionsSet)
	for _, p := range []struct{ key, text string }{{keyCompile, o.Compile}, {keyLink, o.Link}} {
		if p.text != "" {
			r.Add(JITOptionsSet).Put(p.key, String(p.text))
		}
	}
}
