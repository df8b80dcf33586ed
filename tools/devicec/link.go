package main

import (
	"context"
	"flag"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/tools/internal/buildstep"
	"github.com/rules-sycl/rules_sycl/tools/internal/steps"
)

// setupLink declares the flags of 'devicec link'.
func setupLink(fs *flag.FlagSet) cli.Run {
	var o steps.LinkOptions
	fs.StringVar(&o.LLVMDis, "llvm-dis", "", "`path` of llvm-dis (required)")
	fs.StringVar(&o.LLVMLink, "llvm-link", "", "`path` of llvm-link (required)")
	fs.StringVar(&o.Output, "output", "", "the linked bitcode `file` (required)")
	emulateFlag(fs, &o.EmulateFP64Conversions)
	return func(ctx context.Context, env *cli.Env, args []string) error {
		if err := buildstep.Required("llvm-dis", o.LLVMDis, "llvm-link", o.LLVMLink, "output", o.Output); err != nil {
			return err
		}
		if len(args) == 0 {
			return cli.Usagef("no input: give SOURCE=FILE.bc")
		}
		for _, a := range args {
			source, file, ok := buildstep.SourcePath(a)
			if !ok {
				return cli.Usagef("'%s' is not SOURCE=FILE.bc", a)
			}
			o.Sources = append(o.Sources, steps.SourceFile{Source: source, File: file})
		}
		return steps.Link(ctx, env.Stderr, o)
	}
}
