// Package intheader reads the integration headers of DPC++: what the device compile of a
// source tells its host compile of the kernels.
//
// A header is C++ and has, beside other things, a class for each kernel:
//
//	template <> struct KernelInfo<::app::Scale> {
//	  static constexpr const char* getName() { return "_ZTSN3app5ScaleE"; }
//	  static constexpr const char* getFileName() { … return "scale.cpp"; … }
//	  static constexpr unsigned getLineNumber() { … return 7; … }
//	  static constexpr unsigned getColumnNumber() { … return 42; … }
//	  static constexpr long getKernelSize() { return 8; }
//	};
//
// Of a kernel without a name of its own the class is KernelInfoData<'_', 'Z', …>, with the
// characters of what getName returns. What has another form is not read.
package intheader

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// A Kernel is what a header says of a kernel.
type Kernel struct {
	Name string // of the symbol in device code

	// Type is the class by which the host compile finds the kernel, without a leading ::.
	// It is "" for a kernel without a name of its own, which is found by Name.
	Type string

	// Location is where the function or lambda is. The path is that of a file without
	// folders. It is the zero Location when the header does not say it.
	Location srcloc.Location

	Size int64 // of the function object or lambda, in bytes
}

var (
	classes = regexp.MustCompile(`(?m)^template <> struct KernelInfo(Data)?<(.*)> \{$`)
	returns = regexp.MustCompile(`(get\w+)\(\) \{\s*(?:#ifndef NDEBUG\s*)?return (?:"([^"\n]*)"|(\d+));`)

	// In the names of types, of the global namespace.
	global = regexp.MustCompile(`(^|[^\w>])::`)
)

// Parse returns the kernels of a header in their order.
func Parse(text string) []Kernel {
	var kernels []Kernel
	for _, class := range classes.FindAllStringSubmatchIndex(text, -1) {
		body, _, closed := strings.Cut(text[class[1]:], "\n};")
		if !closed {
			continue
		}
		var k Kernel
		if class[2] < 0 {
			k.Type = global.ReplaceAllString(text[class[4]:class[5]], "$1")
		}
		for _, m := range returns.FindAllStringSubmatch(body, -1) {
			number, _ := strconv.ParseUint(m[3], 10, 32)
			switch m[1] {
			case "getName":
				k.Name = m[2]
			case "getFileName":
				k.Location.Path = m[2]
			case "getLineNumber":
				k.Location.Line = uint32(number)
			case "getColumnNumber":
				k.Location.Column = uint32(number)
			case "getKernelSize":
				k.Size = int64(number)
			}
		}
		if k.Location.Path == "" || k.Location.Line == 0 {
			k.Location = srcloc.Location{}
		}
		if k.Name != "" {
			kernels = append(kernels, k)
		}
	}
	return kernels
}
