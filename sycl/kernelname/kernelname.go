// Package kernelname turns the symbols of kernels and device functions into the
// names that people gave them.
//
// A SYCL kernel is named by a type: its symbol is the mangled name of that type's
// type information, so that class VectorAdd becomes _ZTS9VectorAdd. The device
// header sycl_lite wraps the type of a kernel with required sizes into
// sycl_lite::kernel_with, which the author never wrote.
package kernelname

import (
	"regexp"
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// maxMangled bounds the names that are demangled: longer ones come from no
// compiler, and names can grow a lot.
const maxMangled = 16 << 10

// sizes matches what follows the kernel's own name in kernel_with.
var sizes = regexp.MustCompile(`(, \d+u){4}>$`)

// Display returns the name of a kernel or function as people write it:
// "_ZTS9VectorAdd" is VectorAdd. A name that is not mangled stays as it is.
func Display(symbol string) string {
	if len(symbol) > maxMangled {
		return symbol
	}
	s, err := demangle.ToString(symbol, demangle.MaxLength(14)) // up to 1<<14 bytes
	if err != nil {
		return symbol
	}
	s = strings.TrimPrefix(s, "typeinfo name for ")
	if name, ok := strings.CutPrefix(s, "sycl_lite::kernel_with<"); ok {
		if at := sizes.FindStringIndex(name); at != nil {
			return name[:at[0]]
		}
	}
	return s
}
