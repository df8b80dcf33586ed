package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/spirv"
	"github.com/rules-sycl/rules_sycl/tools/internal/cli"
	"github.com/rules-sycl/rules_sycl/tools/internal/command"
)

// spirvExtensions are what a translator may use beyond plain SPIR-V 1.4: atomics
// on floating-point numbers have no other form. The device compilers know them.
const spirvExtensions = "--spirv-ext=+SPV_EXT_shader_atomic_float_add,+SPV_EXT_shader_atomic_float_min_max,+SPV_EXT_shader_atomic_float16_add"

type translateStep struct {
	translator, llc, val             string
	code, properties, symbols, table string
}

func translateCommand() *cli.Command {
	return &cli.Command{
		Name:  "translate",
		Args:  "MODULE.bc",
		Short: "translate a module to SPIR-V and write down what it needs",
		Long: `
Writes SPIR-V, a property file with the requirements and kernel names that are
read from it, a symbol file and a table that names the three. An empty module
gives empty files and a table without rows.`,
		Example: "devicec translate --llvm-spirv llvm-spirv-21 --spirv-val spirv-val --code k.spv --properties k.prop --symbols k.sym --table k.table k.bc",
		Setup: func(fs *flag.FlagSet) cli.Run {
			var s translateStep
			fs.StringVar(&s.translator, "llvm-spirv", "", "`path` of llvm-spirv")
			fs.StringVar(&s.llc, "llc", "", "`path` of llc, whose SPIR-V target is used when there is no llvm-spirv")
			fs.StringVar(&s.val, "spirv-val", "", "`path` of spirv-val (required)")
			fs.StringVar(&s.code, "code", "", "the SPIR-V `file` (required)")
			fs.StringVar(&s.properties, "properties", "", "the property `file` (required)")
			fs.StringVar(&s.symbols, "symbols", "", "the symbol `file` (required)")
			fs.StringVar(&s.table, "table", "", "the table `file` (required)")
			return s.run
		},
	}
}

func (s *translateStep) run(ctx context.Context, env *cli.Env, args []string) error {
	in, err := oneInput(args)
	if err != nil {
		return err
	}
	if err := required("spirv-val", s.val, "code", s.code, "properties", s.properties, "symbols", s.symbols, "table", s.table); err != nil {
		return err
	}
	if (s.translator == "") == (s.llc == "") {
		return cli.Usagef("give either --llvm-spirv or --llc")
	}
	n, err := size(in)
	if err != nil {
		return err
	}
	if n == 0 {
		if err := writeEmpty(s.code, s.properties, s.symbols); err != nil {
			return err
		}
		return writeTable(s.table)
	}

	code, done, err := scratchFile(s.code)
	if err != nil {
		return err
	}
	defer done()
	if s.translator != "" {
		err = command.Run(ctx, nil, nil, env.Stderr, s.translator, "--spirv-max-version=1.4", spirvExtensions, in, "-o", code)
	} else {
		err = command.Run(ctx, nil, nil, env.Stderr, s.llc, "-mtriple=spirv64-unknown-unknown", "-O2", "--filetype=obj", spirvExtensions, in, "-o", code)
	}
	if err != nil {
		return err
	}
	if err := command.Run(ctx, nil, nil, env.Stderr, s.val, "--target-env", "spv1.4", code); err != nil {
		return err
	}
	data, err := os.ReadFile(code)
	if err != nil {
		return err
	}
	m, err := spirv.Parse(data)
	if err != nil {
		return fmt.Errorf("%s: %w", s.code, err)
	}
	properties, err := spirv.Properties(m)
	if err != nil {
		return fmt.Errorf("%s: %w", s.code, err)
	}
	var symbols strings.Builder
	for _, k := range m.Kernels {
		symbols.WriteString(k.Name + "\n")
	}
	text, err := properties.MarshalText()
	if err != nil {
		return cli.BadInput(fmt.Errorf("%s: %w", s.code, err))
	}
	if err := cli.WriteFile(s.properties, func(w io.Writer) error { _, err := w.Write(text); return err }); err != nil {
		return err
	}
	if err := cli.WriteFile(s.symbols, func(w io.Writer) error { _, err := io.WriteString(w, symbols.String()); return err }); err != nil {
		return err
	}
	if err := os.Rename(code, s.code); err != nil {
		return err
	}
	return writeTable(s.table, []string{s.code, s.properties, s.symbols})
}
