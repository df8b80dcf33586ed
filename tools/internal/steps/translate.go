package steps

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
	"github.com/rules-sycl/rules_sycl/sycl/spirv"
	"github.com/rules-sycl/rules_sycl/tools/internal/command"
)

// spirvExtensions are what a translator may use beyond plain SPIR-V 1.4: atomics
// on floating-point numbers have no other form. The device compilers know them.
const spirvExtensions = "--spirv-ext=+SPV_EXT_shader_atomic_float_add,+SPV_EXT_shader_atomic_float_min_max,+SPV_EXT_shader_atomic_float16_add"

// Translate translates modules to SPIR-V and writes down what they need.
type Translate struct {
	LLVMSPIRV, LLC string // paths; LLC counts when there is no LLVMSPIRV
	SPIRVVal       string // path
	CodeDir        string // for SPIR-V
	PropertiesDir  string // for property files and symbol files
	Table          string // of all
	KeepDebugInfo  bool
}

// Setup declares the flags.
func (s *Translate) Setup(fs *flag.FlagSet) cli.Run {
	fs.StringVar(&s.LLVMSPIRV, "llvm-spirv", "", "`path` of llvm-spirv")
	fs.StringVar(&s.LLC, "llc", "", "`path` of llc, whose SPIR-V target is used when there is no llvm-spirv")
	fs.StringVar(&s.SPIRVVal, "spirv-val", "", "`path` of spirv-val (required)")
	fs.StringVar(&s.CodeDir, "code-dir", "", "the `folder` for SPIR-V (required)")
	fs.StringVar(&s.PropertiesDir, "properties-dir", "", "the `folder` for property files and symbol files (required)")
	fs.BoolVar(&s.KeepDebugInfo, "keep-debug-info", false, "leave debug information in the SPIR-V, for debuggers")
	fs.StringVar(&s.Table, "table", "", "the table `file` (required)")
	return s.Run
}

// Run translates the table or the module that is the only argument.
func (s *Translate) Run(ctx context.Context, env *cli.Env, args []string) error {
	in, err := oneInput(args)
	if err != nil {
		return err
	}
	if err := required("spirv-val", s.SPIRVVal, "code-dir", s.CodeDir, "properties-dir", s.PropertiesDir, "table", s.Table); err != nil {
		return err
	}
	if (s.LLVMSPIRV == "") == (s.LLC == "") {
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
		code := out.file(s.CodeDir, rows[i].stem()+".spv")
		properties, symbols := out.file(s.PropertiesDir, rows[i].stem()+".prop"), out.file(s.PropertiesDir, rows[i].stem()+".sym")
		written[i] = []string{code.path, properties.path, symbols.path}
		return s.translate(ctx, env, rows[i], code, properties, symbols)
	})
	if err != nil {
		return err
	}
	if err := out.place(s.CodeDir, s.PropertiesDir); err != nil {
		return err
	}
	return writeTable(s.Table, written...)
}

// translate makes the three files of a module.
func (s *Translate) translate(ctx context.Context, env *cli.Env, in row, code, properties, symbols *output) error {
	if n, err := size(in.code); err != nil {
		return err
	} else if n == 0 {
		return cli.BadInput(fmt.Errorf("%s: the module has no bytes", in.code))
	}
	var err error
	if s.LLVMSPIRV != "" {
		err = command.Run(ctx, nil, nil, env.Stderr, s.LLVMSPIRV, "--spirv-max-version=1.4", "--spirv-allow-extra-diexpressions", spirvExtensions, in.code, "-o", code.scratch)
	} else { // llc says OpenCL C++ 1.0 of all that has no !opencl.ocl.version: see postlink.SetSourceLanguage
		err = command.Run(ctx, nil, nil, env.Stderr, s.LLC, "-mtriple=spirv64-unknown-unknown", "-O2", "--filetype=obj", spirvExtensions, in.code, "-o", code.scratch)
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
	if s.KeepDebugInfo {
		checked += ".bare"
		defer os.Remove(checked)
	}
	if err := os.WriteFile(checked, bare, 0o644); err != nil {
		return err
	}
	if err := command.Run(ctx, nil, nil, env.Stderr, s.SPIRVVal, "--target-env", "spv1.4", checked); err != nil {
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

// addProperties adds what a property file of the post-link step says. Sizes that SPIR-V requires, too, are
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
	// SPIR-V exports each function that is not internal to the module; which of them
	// are for others the step before knows.
	own.Delete(propset.ExportedSymbols)
	own.Delete(propset.ImportedSymbols)
	spirv.AddPlaces(own, file)
	for _, set := range file.Sets() {
		switch set.Name {
		case propset.DeviceRequirements, propset.KernelNames, spirv.PlacesSet:
			continue
		}
		for _, p := range set.Properties() {
			own.Add(set.Name).Put(p.Key, p.Value)
		}
	}
	return nil
}
