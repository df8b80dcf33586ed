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
	}
}

// setupImport declares the flags of 'devicec import'.
func setupImport(fs *flag.FlagSet) cli.Run {
	var o importir.Options
	fs.StringVar(&o.Target, "target", "spir64", "the `triple` or the name of the target that the code is for")
	fs.StringVar(&o.LLVMSPIRV, "llvm-spirv", "", "`path` of llvm-spirv (required)")
	fs.StringVar(&o.LLVMDis, "llvm-dis", "", "`path` of llvm-dis (required)")
	fs.StringVar(&o.LLVMLink, "llvm-link", "", "`path` of llvm-link (required)")
	fs.StringVar(&o.Module, "module", "", "the `id` of the code, as a source has one; the name of the file when it is missing")
	fs.BoolVar(&o.AllowExecutable, "allow-executable", false, "also take a file in executable state: nothing of it can be called from outside")
	o.Reading.Flags(fs)
	fs.StringVar(&o.Output, "output", "", "the bitcode `file` (required)")
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
