package hostwrap

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// A Kernel is an integration header's description of a kernel.
type Kernel struct {
	Name string // of the symbol in device code

	// Type is the class that identifies the kernel in the host compile, without a leading ::. It
	// is "" for an unnamed kernel, which is identified by Name.
	Type string

	// Location is the location of the function or lambda. The path is a file name without
	// directories. It is the zero Location if the header does not state it.
	Location srcloc.Location

	Size int64 // of the function object or lambda, in bytes

	Function string // the header's name for the function object or lambda
	ESIMD    bool   // the kernel uses explicit SIMD

	NumParameters int         // according to the header
	Parameters    []Parameter // the readable ones

	// Class is the kernel's class, or nil if it has no lambdas or the header does not describe it.
	Class *Class
}

// A Parameter is a part of a function object or lambda that its kernel receives.
type Parameter struct {
	Kind string // as accessor, pointer or std_layout

	// Info is the size of a pointer or std_layout, in bytes. Its meaning for other kinds depends
	// on the kind.
	Info int64

	Offset int64 // in the function object or lambda
}

var (
	classes = regexp.MustCompile(`(?m)^template <> struct KernelInfo(Data)?<(.*)> \{$`)
	returns = regexp.MustCompile(`(get\w+|isESIMD)\(\) \{\s*(?:#ifndef NDEBUG\s*)?return (?:"([^"\n]*)"|(\d+));`)

	signatures = regexp.MustCompile(`(?m)^\s*//--- (\S+)$|^\s*\{ kernel_param_kind_t::kind_(\w+), (\d+), (\d+) \},`)

	// Comments that the driver in rules/dpcpp adds.
	described = regexp.MustCompile(`(?m)^// Class of (\S+): (.+)$`)
	files     = regexp.MustCompile(`(?m)^// File (.+)$`)

	// global matches the prefix of the global namespace in the names of types.
	global = regexp.MustCompile(`(^|[^\w>])::`)
)

// HeaderByName is the first line of a header that the host compile of its source does not need,
// because the host finds all kernels by their names.
const HeaderByName = "// The host finds kernels by their names.\n"

// ParseHeader returns the kernels of an integration header in the order of the header.
//
// A header is C++ and contains, among other things, a class for each kernel:
//
//	template <> struct KernelInfo<::app::Scale> {
//	  static constexpr const char* getName() { return "_ZTSN3app5ScaleE"; }
//	  static constexpr unsigned getNumParams() { return 1; }
//	  static constexpr bool isESIMD() { return 0; }
//	  static constexpr const char* getFileName() { … return "scale.cpp"; … }
//	  static constexpr const char* getFunctionName() { … return "::app::Scale"; … }
//	  static constexpr unsigned getLineNumber() { … return 7; … }
//	  static constexpr unsigned getColumnNumber() { … return 42; … }
//	  static constexpr long getKernelSize() { return 8; }
//	};
//
// The class of an unnamed kernel is KernelInfoData<'_', 'Z', …>, with the characters of getName's
// result. A list of the kernels' parameters precedes the classes:
//
//	const kernel_param_desc_t kernel_signatures[] = {
//	  //--- _ZTSN3app5ScaleE
//	  { kernel_param_kind_t::kind_pointer, 8, 0 },
//
// The driver in rules/dpcpp adds descriptions of classes with lambdas, whose format is in
// rules/dpcpp/classes.hpp:
//
//	// Class of _ZTSN3app5ScaleE: 16{data@0:8 n@8:4}
//
// ParseHeader ignores other forms.
func ParseHeader(text string) []Kernel {
	var kernels []Kernel
	byName := strings.HasPrefix(text, HeaderByName)
	parameters := parameters(text)
	descriptions := make(map[string]string)
	for _, m := range described.FindAllStringSubmatch(text, -1) {
		descriptions[m[1]] = m[2]
	}
	for _, class := range classes.FindAllStringSubmatchIndex(text, -1) {
		body, _, closed := strings.Cut(text[class[1]:], "\n};")
		if !closed {
			continue
		}
		var k Kernel
		if class[2] < 0 && !byName {
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
			case "getFunctionName":
				k.Function = m[2]
			case "getNumParams":
				k.NumParameters = int(number)
			case "isESIMD":
				k.ESIMD = number != 0
			}
		}
		if k.Location.Path == "" || k.Location.Line == 0 {
			k.Location = srcloc.Location{}
		}
		if k.Name != "" {
			k.Parameters, k.Class = parameters[k.Name], parseClass(descriptions[k.Name])
			kernels = append(kernels, k)
		}
	}
	return kernels
}

// ParseFiles returns the paths of the files that may contain the kernels of an integration header.
func ParseFiles(text string) []string {
	var paths []string
	for _, m := range files.FindAllStringSubmatch(text, -1) {
		paths = append(paths, m[1])
	}
	return paths
}

// parameters returns the parameters in a header by kernel name.
func parameters(text string) map[string][]Parameter {
	_, text, _ = strings.Cut(text, "kernel_signatures[] = {")
	text, _, _ = strings.Cut(text, "\n};")
	byKernel := make(map[string][]Parameter)
	kernel := ""
	for _, m := range signatures.FindAllStringSubmatch(text, -1) {
		if m[1] != "" {
			kernel = m[1]
			continue
		}
		info, _ := strconv.ParseInt(m[3], 10, 32)
		offset, _ := strconv.ParseInt(m[4], 10, 32)
		byKernel[kernel] = append(byKernel[kernel], Parameter{Kind: m[2], Info: info, Offset: offset})
	}
	return byKernel
}
