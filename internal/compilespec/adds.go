package compilespec

import (
	"maps"
	"slices"
	"strings"
)

// A Position is the position of an added option on a command line.
type Position uint8

const (
	First Position = iota // before all options, so that user options take precedence
	Front                 // before the user's include directories
	Own                   // after the user's options
	Last                  // after all options
)

// A Frontend is a set of programs that compile by this specification.
type Frontend uint8

const (
	Command Frontend = 1 << iota // syclc++
	Bazel                        // the Bazel rules
)

// A Cond is a set of conditions.
type Cond uint16

const (
	GCC        Cond = 1 << iota // the host compiler is g++
	Clang                       // the host compiler is clang
	NoStandard                  // no option selects a C++ standard
	Warnings                    // an option is about warnings
	Numbered                    // the release of DPC++ is known, and the host compiler is clang
	GCCDir                      // the directory of g++ is known
	RDC                         // device code is linked at the program's link
	Emulate                     // kernels that only convert doubles run on devices without fp64
	LTO                         // an option asks for link-time optimization
)

// An Add is a list of options that rules_sycl adds.
type Add struct {
	Words      []string // {NAME} is a placeholder that the front end fills in
	To         Step     // Host or Device
	At         Position
	If, Unless Cond // applies if all conditions of If and none of Unless are true
	For        Frontend
	Why        string
}

// Adds returns all options that rules_sycl adds, in the order of a command line.
//
// The placeholders are: front, the directory of the headers that precede libsycl's; dpcpp,
// libsycl's include directory; number, the value of __INTEL_LLVM_COMPILER; prefix, the unique
// prefix of a source's internal names; split, the mode of -fsycl-device-code-split=; and gcc, the
// directory of g++'s libraries.
func Adds() []Add {
	both := Command | Bazel
	return []Add{
		// The host compile.
		{To: Host, At: First, For: Command, If: NoStandard, Words: words("-std=gnu++17"), Why: "icpx's default"},
		{To: Host, At: First, For: Command, If: Clang, Words: words("-stdlib=libstdc++"), Why: "libsycl uses libstdc++, which is not the default of every clang"},
		{To: Host, At: First, For: both, If: GCC, Words: words("--param=ggc-min-heapsize=262144"),
			Why: "libsycl's headers fill 200 MB of g++'s heap; garbage collection frees almost nothing and takes 10% of the compile time"},
		{To: Host, At: First, For: both, If: GCC, Words: words("-Wno-psabi"),
			Why: "g++ prints notes about the size of vectors in libsycl's headers, even though they are system headers"},
		{To: Host, At: First, For: both, Words: words("-D__SYCL_ID_QUERIES_FIT_IN_INT__=1 -D__SYCL_UNNAMED_LAMBDA__=1"),
			Why: "libsycl-jit defines these macros"},
		{To: Host, At: Front, For: both, Words: words("-isystem {front} -isystem {dpcpp}/sycl/stl_wrappers"),
			Why: "these headers precede libsycl's, even if an option names libsycl's directory"},
		{To: Host, At: Own, For: both, Words: words("-isystem {dpcpp}"), Why: "libsycl's headers"},
		{To: Host, At: Last, For: both, If: Clang | Numbered, Words: words("-D__INTEL_LLVM_COMPILER={number} -D__INTEL_CLANG_COMPILER={number}"),
			Why: "either both compiles have icpx's macros, or neither has: explicit SIMD code checks for them and does not compile with g++"},
		{To: Host, At: Last, For: both, If: Clang, Words: words("-Xclang -fsycl-is-host -Wno-unknown-attributes"),
			Why: "clang then names kernels as the device compile does; it does not support the attributes of device code"},
		{To: Host, At: Last, For: Command, If: Clang, Words: words("-Wno-unused-command-line-argument"), Why: "some options only affect the link"},
		{To: Host, At: Last, For: both, If: GCC, Words: words("-DSYCL_LANGUAGE_VERSION=202012L -Wno-attributes=sycl:: -Wno-attributes=intel:: -Wno-unknown-pragmas"),
			Why: "clang defines the macro, and g++ does not support the attributes and pragmas of device code"},
		{To: Host, At: Last, For: Command, If: LTO, Words: words("-fno-lto"), Why: "the object is linked with the device images by ld -r"},
		{To: Host, At: Last, For: Command, Words: words("-DRULES_SYCL_TABLE"), Why: "the table of kernels is added to the object after the compile"},

		// The device compile.
		{To: Device, At: First, For: both, Words: words("-Xclang -debug-info-kind=line-tables-only -Xclang -dwarf-version=4 -fdebug-info-for-profiling -ffile-compilation-dir=. -Xclang -fdebug-compilation-dir=."),
			Why: "reports show the lines of kernels and of code that requires an aspect"},
		{To: Device, At: First, For: both, Words: words("-Xclang -fsycl-unique-prefix={prefix}"), Why: "internal names are unique to a source"},
		{To: Device, At: First, For: Command, Words: words("-fsycl-device-code-split={split}"), Why: "determines which kernels share an image"},
		{To: Device, At: First, For: Command, If: RDC, Words: words("-fsycl-allow-device-image-dependencies"), Why: "other sources may define the functions that kernels call"},
		{To: Device, At: First, For: both, If: RDC, Words: words("-Xclang -mno-constructor-aliases"), Why: "DPC++ does not find the constructors that other sources define as aliases"},
		{To: Device, At: First, For: Command, If: GCCDir, Words: words("--gcc-install-dir={gcc}"), Why: "both compiles read the same standard headers"},
		{To: Device, At: First, For: Command, If: NoStandard, Words: words("-std=gnu++17"), Why: "icpx's default"},
		{To: Device, At: First, For: both, Words: words("-U__INTEL_LLVM_COMPILER -U__INTEL_CLANG_COMPILER"),
			Why: "see the host compile; the compiler of a pip package can have a different number, as 2026.1.1 in 2026.1.2"},
		{To: Device, At: First, For: both, If: Numbered, Words: words("-D__INTEL_LLVM_COMPILER={number} -D__INTEL_CLANG_COMPILER={number}"), Why: "see the host compile"},
		{To: Device, At: First, For: both, If: GCC, Words: words("-Xclang -debug-info-kind=limited"),
			Why: "images then describe the classes of kernels, which g++ may lay out differently"},
		{To: Device, At: First, For: both, Words: words("-Wno-overriding-option"), Why: "clang warns about a second -march=, which gcc accepts silently"},
		{To: Device, At: First, For: Command, If: Emulate, Words: words("-Xclang -fsycl-fp64-conv-emu"), Why: "the front end marks kernels that only convert double"},
		{To: Device, At: Last, For: Command, If: Warnings, Words: words("-Wno-unknown-warning-option"), Why: "clang does not support all warnings of the host compiler"},
	}
}

func words(text string) []string { return strings.Fields(text) }

// AddedOptions returns the options that a front end adds to a compile at a position. {NAME} is
// replaced with fill[NAME].
func AddedOptions(front Frontend, to Step, at Position, is Cond, fill map[string]string) []string {
	var pairs []string
	for _, name := range slices.Sorted(maps.Keys(fill)) {
		pairs = append(pairs, "{"+name+"}", fill[name])
	}
	filler := strings.NewReplacer(pairs...)
	var out []string
	for _, a := range Adds() {
		if a.For&front == 0 || a.To != to || a.At != at || a.If&^is != 0 || a.Unless&is != 0 {
			continue
		}
		for _, word := range a.Words {
			out = append(out, filler.Replace(word))
		}
	}
	return out
}
