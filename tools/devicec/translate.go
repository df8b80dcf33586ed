package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
	"github.com/rules-sycl/rules_sycl/sycl/spirv"
	"github.com/rules-sycl/rules_sycl/tools/internal/cli"
	"github.com/rules-sycl/rules_sycl/tools/internal/command"
)

// spirvExtensions are what a translator may use beyond plain SPIR-V 1.4: atomics
// on floating-point numbers have no other form. The device compilers know them.
const spirvExtensions = "--spirv-ext=+SPV_EXT_shader_atomic_float_add,+SPV_EXT_shader_atomic_float_min_max,+SPV_EXT_shader_atomic_float16_add"

type translateStep struct {
	translator, llc, val string
	codeDir, propertyDir string
	table                string
	keepDebugInfo        bool
}

func translateCommand() *cli.Command {
	return &cli.Command{
		Name:  "translate",
		Args:  "IN.table|MODULE.bc",
		Short: "translate modules to SPIR-V and write down what they need",
		Long: `
For each row of the table writes SPIR-V (.spv), a property file (.prop) with the
requirements and kernel names that are read from it and what the row's own property
file says besides, and a symbol file (.sym); and the table of all.

Of debug information, the places of kernels and of what forces their requirements
go to the property file. The SPIR-V is without it: so it stays the same when lines
of the source move, and native code does not grow.`,
		Example: "devicec translate --llvm-spirv llvm-spirv-21 --spirv-val spirv-val --code-dir spv --properties-dir prop --table k.spv.table k.table",
		Setup: func(fs *flag.FlagSet) cli.Run {
			var s translateStep
			fs.StringVar(&s.translator, "llvm-spirv", "", "`path` of llvm-spirv")
			fs.StringVar(&s.llc, "llc", "", "`path` of llc, whose SPIR-V target is used when there is no llvm-spirv")
			fs.StringVar(&s.val, "spirv-val", "", "`path` of spirv-val (required)")
			fs.StringVar(&s.codeDir, "code-dir", "", "the `folder` for SPIR-V (required)")
			fs.StringVar(&s.propertyDir, "properties-dir", "", "the `folder` for property files and symbol files (required)")
			fs.BoolVar(&s.keepDebugInfo, "keep-debug-info", false, "leave debug information in the SPIR-V, for debuggers")
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
	if err := required("spirv-val", s.val, "code-dir", s.codeDir, "properties-dir", s.propertyDir, "table", s.table); err != nil {
		return err
	}
	if (s.translator == "") == (s.llc == "") {
		return cli.Usagef("give either --llvm-spirv or --llc")
	}
	rows, err := readRows(in)
	if err != nil {
		return err
	}
	out := newOutputs()
	defer out.discard()
	written := make([][]string, len(rows))
	err = command.ForEach(runtime.GOMAXPROCS(0), len(rows), func(i int) error {
		code := out.file(s.codeDir, rows[i].stem()+".spv")
		properties, symbols := out.file(s.propertyDir, rows[i].stem()+".prop"), out.file(s.propertyDir, rows[i].stem()+".sym")
		written[i] = []string{code.path, properties.path, symbols.path}
		return s.translate(ctx, env, rows[i], code, properties, symbols)
	})
	if err != nil {
		return err
	}
	if err := out.place(s.codeDir, s.propertyDir); err != nil {
		return err
	}
	return writeTable(s.table, written...)
}

// translate makes the three files of a module.
func (s *translateStep) translate(ctx context.Context, env *cli.Env, in row, code, properties, symbols *output) error {
	if n, err := size(in.code); err != nil {
		return err
	} else if n == 0 {
		return cli.BadInput(fmt.Errorf("%s: the module has no bytes", in.code))
	}
	var err error
	if s.translator != "" {
		err = command.Run(ctx, nil, nil, env.Stderr, s.translator, "--spirv-max-version=1.4", "--spirv-allow-extra-diexpressions", spirvExtensions, in.code, "-o", code.scratch)
	} else {
		err = command.Run(ctx, nil, nil, env.Stderr, s.llc, "-mtriple=spirv64-unknown-unknown", "-O2", "--filetype=obj", spirvExtensions, in.code, "-o", code.scratch)
	}
	if err != nil {
		return err
	}
	data, err := os.ReadFile(code.scratch)
	if err != nil {
		return err
	}
	m, err := spirv.Parse(data)
	if err != nil {
		return fmt.Errorf("%s: %w", code.path, err)
	}
	bare, err := spirv.StripDebug(data)
	if err != nil {
		return fmt.Errorf("%s: %w", code.path, err)
	}
	// What llvm-spirv writes as debug information is not all as spirv-val wants it.
	checked := code.scratch
	if s.keepDebugInfo {
		checked += ".bare"
		defer os.Remove(checked)
	}
	if err := os.WriteFile(checked, bare, 0o644); err != nil {
		return err
	}
	if err := command.Run(ctx, nil, nil, env.Stderr, s.val, "--target-env", "spv1.4", checked); err != nil {
		return err
	}
	own, err := spirv.Properties(m)
	if err != nil {
		return fmt.Errorf("%s: %w", code.path, err)
	}
	m.PutPlaces(own)
	if in.properties != "" {
		if err := addProperties(own, in.properties); err != nil {
			return err
		}
	}
	text, err := own.MarshalText()
	if err != nil {
		return cli.BadInput(fmt.Errorf("%s: %w", code.path, err))
	}
	if err := os.WriteFile(properties.scratch, text, 0o644); err != nil {
		return err
	}
	var names strings.Builder
	for _, k := range m.Kernels {
		names.WriteString(k.Name + "\n")
	}
	return os.WriteFile(symbols.scratch, []byte(names.String()), 0o644)
}

// addProperties adds what a property file says. Sizes that SPIR-V requires, too, are
// those of SPIR-V: what is compiled is what counts.
func addProperties(own *propset.Registry, name string) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	file, err := propset.Parse(name, data)
	if err != nil {
		return err
	}
	needs, err := requirement.FromProperties(own)
	if err != nil {
		return cli.BadInput(err)
	}
	more, err := requirement.FromProperties(file)
	if err != nil {
		return cli.BadInput(fmt.Errorf("%s: %w", name, err))
	}
	if len(needs.WorkGroupSize) > 0 || needs.WorkGroupSizesDiffer {
		more.WorkGroupSize = nil
	}
	if err := needs.Merge(more); err != nil {
		return cli.BadInput(fmt.Errorf("%s: %w", name, err))
	}
	needs.Put(own)
	for _, set := range file.Sets() {
		if set.Name == propset.DeviceRequirements || set.Name == propset.KernelNames {
			continue
		}
		for _, p := range set.Properties() {
			own.Add(set.Name).Put(p.Key, p.Value)
		}
	}
	return nil
}
