// Command dpcppdriver runs an installed DPC++ as a device compiler: clang++, llvm-link,
// sycl-post-link and llvm-spirv, one after the other, without the rest of what DPC++'s own
// driver does. Its command lines, outputs and exit codes are those of //rules/dpcpp:driver,
// which runs the library libsycl-jit, so that a build can have either.
//
// What the programs are called with is what intel/llvm calls them with: clang/lib/Driver and
// clang/tools/clang-linker-wrapper, and for device images sycl-jit/jit-compiler.
package main

import (
	"flag"
	"os"

	"github.com/rules-sycl/rules_sycl/internal/cli"
)

func main() {
	// clang reads these, but the command line is to say all.
	for _, name := range []string{"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "CCC_OVERRIDE_OPTIONS"} {
		os.Unsetenv(name)
	}
	tool().Main()
}

func tool() *cli.Tool {
	return &cli.Tool{
		Name:  "dpcppdriver",
		Short: "run an installed DPC++ as a device compiler",
		Commands: []*cli.Command{
			{
				Name:  "compile",
				Args:  "SOURCE -- CLANG-OPTION...",
				Short: "turn a SYCL source into bitcode, to which device libraries are not linked yet",
				Long: `
Runs clang++ for the device alone. Exit code 1 says that the source does not compile;
clang++ has printed why.`,
				Example: "dpcppdriver compile --library installation.json --output axpy.bc axpy.cpp -- -std=c++20 -O2",
				Setup:   func(fs *flag.FlagSet) cli.Run { return new(compiler).setup(fs) },
			},
			{
				Name:  "post-link",
				Args:  "IN.bc -- OPTION...",
				Short: "link device libraries to bitcode, split it and translate it to SPIR-V",
				Long: `
Runs llvm-link, sycl-post-link and, for each image, llvm-spirv. The folder gets N.spv,
N.prop (property sets) and N.sym (symbols) of each image, and images.table, the file
table of all, whose names are relative to the folder. Options are
-fsycl-device-code-split=auto|per_source|per_kernel|off and
-fsycl-allow-device-image-dependencies.`,
				Example: "dpcppdriver post-link --library installation.json --output-dir axpy axpy.bc --",
				Setup:   func(fs *flag.FlagSet) cli.Run { return new(postLinker).setup(fs) },
			},
			{
				Name:    "check",
				Args:    "-- CLANG-OPTION...",
				Short:   "compile a kernel and look at the image",
				Long:    "It prints nothing when all is well.",
				Example: "dpcppdriver check --library installation.json --",
				Setup:   func(fs *flag.FlagSet) cli.Run { return new(checker).setup(fs) },
			},
		},
	}
}
