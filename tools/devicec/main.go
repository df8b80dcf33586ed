// Command devicec runs the device compilers for the rules, one build step a
// subcommand: it skips what a step has nothing to do for, checks what the
// compilers do not, and leaves no half-written output.
package main

import (
	"context"
	"flag"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/tools/internal/buildstep"
)

func main() {
	buildstep.MainWorker(tool(nil), func(_ context.Context, kept *buildstep.Kept) (*cli.Tool, func()) { return tool(kept), func() {} })
}

func tool(kept *buildstep.Kept) *cli.Tool {
	return &cli.Tool{
		Name:  "devicec",
		Short: "run one step of a SYCL device build",
		Commands: []*cli.Command{
			{
				Name:  "compile",
				Args:  "-- CLANG++ ARGUMENT... SOURCE",
				Short: "turn a SYCL source into bitcode, and list the headers that it does not need",
				Long: `
Runs stock clang++ as it is given, with -c and -o. With --candidates and --unused it
writes those of the files that the first lists, one a line, which clang++ did not
read and no option names: a change in one of these changes nothing in the bitcode. With
--inputs, a file below the current folder that clang++ read and that is in neither list
is an error.

Exit code 1 says that the source does not compile; clang++ has printed why.`,
				Example: "devicec compile --output axpy.bc -- clang++-21 -fsycl -fsycl-device-only -O2 axpy.cpp",
				Setup:   setupCompile,
			},
			{
				Name:  "host",
				Args:  "SOURCE...",
				Short: "compare the kernels of sources' host code with those of their device code",
				Long: `
Reads DPC++'s integration header and the object file of a host compile that had the
headers of rules/dpcpp/host in front of DPC++'s own. An error is a kernel that only the
host code has, one whose captures differ, and one that g++ may take for another one. A
kernel that only the device code has is a warning.

g++ copies constants of a function into kernels, DPC++ does not. With the command of the
host compile (--compile), a source that may have such a kernel is compiled again, with
debug information, and --layouts gets C code that says where the captures are. So is one
whose object file has no symbols, as -flto makes it, which is not compared otherwise.

Exit code 1 says that the compiles differ.`,
				Example: "devicec host --header axpy.integration.h --object axpy.o axpy.cpp",
				Setup:   setupHost,
			},
			{
				Name:  "import",
				Args:  "FILE.syclbin",
				Short: "turn the IR of a SYCLBIN into device code that can be linked",
				Long: `
Takes the IR module of each abstract module that serves the target: SPIR-V or
LLVM bitcode for the same architecture, so that IR for spir64 also serves spir64_gen
and spir64_x86_64. Links them to one bitcode file in which all is that the property
sets say and SPIR-V cannot: aspects, fixed targets, exported functions, places in the
source. What has no form there is an error or a warning that names it.

Native code cannot be linked: an abstract module without IR for the target is
an error, as is a SYCLBIN in executable state.`,
				Example: "devicec import --target spir64 --llvm-spirv llvm-spirv-21 --llvm-link llvm-link-21 --llvm-dis llvm-dis-21 --output math.bc math.syclbin",
				Setup:   setupImport,
			},
			{
				Name:  "link",
				Args:  "SOURCE=FILE.bc...",
				Short: "link the device code of several sources into one module",
				Long: `
Notes on every kernel which source it comes from, then runs llvm-link. Of a kernel
that several sources define alike, as those do that include a header with it, one
is left; when they differ, that is an error.`,
				Example: "devicec link --llvm-dis llvm-dis-21 --llvm-link llvm-link-21 --output all.bc a.cpp=a.bc b.cpp=b.bc",
				Setup:   setupLink,
			},
			{
				Name:  "images",
				Args:  "IN.bc",
				Short: "make device images of bitcode with DPC++'s own post-link step and translator",
				Long: `
Runs libsycl-jit, DPC++'s compiler as a library, on device code that DPC++ compiled.
For each image writes SPIR-V (.spv), a property file (.prop) and a symbol file (.sym),
as DPC++ has them, and the table of all. Device libraries are linked to the images.
Of a source without kernels the table has no rows.

Of debug information, the places of kernels and of what forces their requirements go
to the property file, as 'devicec translate' has it.

A function or variable that is used but defined nowhere is an error, unless images may depend on
each other.`,
				Example: "devicec images --driver driver --library lib/libsycl-jit.so --split per_kernel --code-dir spv --properties-dir prop --table k.table k.bc",
				Setup:   setupImages,
			},
			{
				Name:  "translate",
				Args:  "IN.table|MODULE.bc",
				Short: "translate modules to SPIR-V and write down what they need",
				Long: `
For each row of the table writes SPIR-V (.spv), a property file (.prop) with the
requirements and kernel names that are read from it and what the row's own property
file says besides, and a symbol file (.sym); and the table of all. A module without
bytes whose property file names no kernel becomes an image without bytes.

The translator is llvm-spirv, llc, or with --driver and --library that of DPC++. DPC++
also links its device libraries; those that a runtime has to link are rows of their
own, devicelib0 and so on.

Of debug information, the places of kernels and of what forces their requirements
go to the property file. The SPIR-V is without it: so it stays the same when lines
of the source move, and native code does not grow.`,
				Example: "devicec translate --llvm-spirv llvm-spirv-21 --spirv-val spirv-val --code-dir spv --properties-dir prop --table k.spv.table k.table",
				Setup:   func(fs *flag.FlagSet) cli.Run { return setupTranslate(fs, kept) },
			},
			{
				Name:  "specialize",
				Args:  "IN.table...",
				Short: "set specialization constants in the SPIR-V of tables",
				Long: `
Writes each table with SPIR-V and property files in which constants have other
default values. A constant has to be in at least one row of all tables. Copies of
images in which the default values are in place of the constants are left out. The flags
for folders and tables are given once for each input, in their order. For the form of
values see 'packager specialize --help'.`,
				Example: "devicec specialize --set app::scale=0.5 --code-dir new.spv --properties-dir new.prop --table new.table k.table",
				Setup:   setupSpecialize,
			},
			{
				Name:  "gpu",
				Args:  "IN.table",
				Short: "compile a filtered table's bitcode for an NVIDIA or AMD GPU",
				Long: `
Runs LLVM's opt and llc for each row of the table, and ld.lld for AMD GPUs, and writes
the table with the column Code naming the results: PTX, or code objects.

The bitcode is that of clang for the triple nvptx64-nvidia-cuda or amdgcn-amd-amdhsa. A
required sub-group size other than the GPU's own is an error, because PTX does not keep
it and the kernel would compute wrong numbers. So are larger work-groups than GPUs have,
and mathematical functions that LLVM does not compile, such as sin and pow.`,
				Example: "devicec gpu --opt opt-21 --llc llc-21 --device sm_90 --code-dir ptx --output k.sm_90.table k.table",
				Setup:   func(fs *flag.FlagSet) cli.Run { return setupGPU(fs, kept) },
			},
		},
	}
}
