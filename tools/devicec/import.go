package main

import (
	"context"
	"flag"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/tools/internal/buildstep"
	"github.com/rules-sycl/rules_sycl/tools/internal/steps/importir"
)

func importCommand() *cli.Command {
	return &cli.Command{
		Name:  "import",
		Args:  "FILE.syclbin",
		Short: "convert the IR of a SYCLBIN to linkable device code",
		Long: `
Links the IR modules of all abstract modules for the target into one bitcode file: SPIR-V
or LLVM bitcode for the same architecture, so IR for spir64 can also be used for
spir64_gen and spir64_x86_64. The bitcode also contains facts from property sets that
SPIR-V cannot express: aspects, fixed targets, exported functions, source locations. A property that
bitcode cannot express is an error or a warning.

Native code cannot be linked: an abstract module without IR for the target is
an error, as is a SYCLBIN in executable state.`,
		Example: "devicec import --target spir64 --llvm-spirv llvm-spirv-21 --llvm-link llvm-link-21 --llvm-dis llvm-dis-21 --output math.bc math.syclbin",
		Setup:   setupImport,
	}
}

// setupImport declares the flags of the subcommand import.
func setupImport(fs *flag.FlagSet) cli.Run {
	var o importir.Options
	fs.StringVar(&o.Target, "target", "spir64", "`triple` or name of the target that the code is for")
	fs.StringVar(&o.LLVMSPIRV, "llvm-spirv", "", "`path` of llvm-spirv (required)")
	fs.StringVar(&o.LLVMDis, "llvm-dis", "", "`path` of llvm-dis (required)")
	fs.StringVar(&o.LLVMLink, "llvm-link", "", "`path` of llvm-link (required)")
	fs.StringVar(&o.Module, "module", "", "module `id` of the code (default the file name)")
	fs.BoolVar(&o.AllowExecutable, "allow-executable", false, "accept a file in executable state, whose functions cannot be called from other files")
	o.Reading.Flags(fs)
	fs.StringVar(&o.Output, "output", "", "bitcode `file` to write (required)")
	return func(ctx context.Context, env *cli.Env, args []string) (err error) {
		if o.Input, err = buildstep.OneInput(args); err != nil {
			return err
		}
		if err := buildstep.Required("target", o.Target, "llvm-spirv", o.LLVMSPIRV, "llvm-dis", o.LLVMDis, "llvm-link", o.LLVMLink, "output", o.Output); err != nil {
			return err
		}
		return importir.Run(ctx, env.Stderr, o)
	}
}
