package main

import (
	"context"
	"flag"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/tools/internal/buildstep"
	"github.com/rules-sycl/rules_sycl/tools/internal/steps/linkir"
)

func linkCommand() *cli.Command {
	return &cli.Command{
		Name:  "link",
		Args:  "SOURCE=FILE.bc...",
		Short: "link the device code of several sources into one module",
		Long: `
Records the source of each kernel, and then runs llvm-link. If several sources define the
same kernel, for example in a header, one definition is kept; different definitions are
an error.`,
		Example: "devicec link --llvm-dis llvm-dis-21 --llvm-link llvm-link-21 --output all.bc a.cpp=a.bc b.cpp=b.bc",
		Setup:   setupLink,
	}
}

// setupLink declares the flags of the subcommand link.
func setupLink(fs *flag.FlagSet) cli.Run {
	var o linkir.Options
	fs.StringVar(&o.LLVMDis, "llvm-dis", "", "`path` of llvm-dis (required)")
	fs.StringVar(&o.LLVMLink, "llvm-link", "", "`path` of llvm-link (required)")
	fs.StringVar(&o.Output, "output", "", "linked bitcode `file` to write (required)")
	emulateFlag(fs, &o.EmulateFP64Conversions)
	return func(ctx context.Context, env *cli.Env, args []string) error {
		if err := buildstep.Required("llvm-dis", o.LLVMDis, "llvm-link", o.LLVMLink, "output", o.Output); err != nil {
			return err
		}
		if len(args) == 0 {
			return cli.Usagef("no input; expected SOURCE=FILE.bc")
		}
		for _, a := range args {
			source, file, ok := buildstep.SourcePath(a)
			if !ok {
				return cli.Usagef("invalid argument '%s'; expected SOURCE=FILE.bc", a)
			}
			o.Sources = append(o.Sources, linkir.Source{Source: source, File: file})
		}
		return linkir.Run(ctx, env.Stderr, o)
	}
}
