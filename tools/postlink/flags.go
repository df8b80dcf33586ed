package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/inputs"
	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/postlink"
	"github.com/rules-sycl/rules_sycl/sycl/release"
	"github.com/rules-sycl/rules_sycl/tools/internal/buildstep"
	"github.com/rules-sycl/rules_sycl/tools/internal/steps/splitir"
)

// flags holds the flags of the command and the options that they set.
type flags struct {
	splitir.Options
	split               string // a [postlink.SplitMode], or DPC++'s name of one
	all                 string // the table of all modules, when -o names it
	exclude             cli.Strings
	fixed, configs      cli.Strings
	modules             cli.Strings
	properties, symbols bool
	dpcpp               bool                   // run as DPC++'s post-link step
	given               func(name string) bool // whether a flag is on the command line
}

func (f *flags) declare(fs *flag.FlagSet) {
	f.Sets = splitir.DriverSets()
	f.modes(fs)
	f.outputs(fs)
	f.needs(fs)
	f.files(fs)
	f.dpcppFlags(fs)
	f.given = func(name string) bool {
		found := false
		fs.Visit(func(g *flag.Flag) { found = found || g.Name == name })
		return found
	}
}

// modes declares the flags that control splitting.
func (f *flags) modes(fs *flag.FlagSet) {
	names := make([]string, len(postlink.SplitModes))
	for i, m := range postlink.SplitModes {
		names[i] = string(m)
	}
	split := &f.Run.Split
	fs.StringVar(&f.split, "split", string(postlink.SplitAuto), "how to split kernels into modules: `"+strings.Join(names, "|")+"`; or DPC++'s kernel, source, none")
	fs.BoolVar(&split.KernelsOnly, "emit-only-kernels-as-entry-points", false, "include SYCL_EXTERNAL functions only in the modules of their callers")
	fs.BoolVar(&split.ESIMD, "split-esimd", false, "put explicit SIMD code into separate modules")
	fs.BoolVar(&split.Dependencies, "allow-device-image-dependencies", false, "let modules import the SYCL_EXTERNAL functions that other modules export")
	fs.StringVar(&f.Run.Source, "source", "", "`name` of the source, for code that does not contain it; also renumbers types and metadata, so that a kernel's module does not depend on other kernels")
	fs.BoolVar(&f.AllowNoKernels, "allow-no-kernels", false, "without kernels, write a row only for device globals instead of failing")
	fs.BoolVar(&split.AllowUndefined, "allow-undefined", false, "print a warning instead of an error for a function or variable that kernels use and no source defines, and import the function")
	fs.BoolVar(&f.Run.SYCLBINKernelNames, "syclbin-kernel-names", false, "add the prefix "+kernelname.Prefix+" to kernel names, so that ext_oneapi_get_kernel finds them in a SYCLBIN")
}

// outputs declares the flags for output files.
func (f *flags) outputs(fs *flag.FlagSet) {
	fs.StringVar(&f.Opt, "opt", "", "`path` of LLVM's opt, which cleans up modules and writes them as bitcode")
	fs.BoolVar(&f.Text, "S", false, "write modules as text, even with --opt")
	fs.BoolVar(&f.Run.DPCPPTranslator, "dpcpp-translator", false, "write some properties in the form that only DPC++'s SPIR-V translator reads")
	missing := "required for bitcode"
	if f.dpcpp {
		missing = "default: in PATH"
	}
	fs.StringVar(&f.LLVMDis, "llvm-dis", "", "`path` of llvm-dis ("+missing+")")
	fs.StringVar(&f.Output, "output", "", "write the file table of the modules to this `file`")
	fs.Func("o", "`[TARGET,]FILE`: like --output; with a target, write only modules that it can run, with property files for it; may be repeated", f.addOutput)
	fs.BoolVar(&f.IROnly, "ir-output-only", false, "do not split: write one module with everything that kernels reach, without a table and property files")
	fs.StringVar(&f.OutDir, "out-dir", "", "write the modules of --output to this `directory` instead of next to the table")
	fs.Var(&f.modules, "module", "`SOURCE=DIRECTORY`: write the modules of a source to a directory and their table to DIRECTORY.table; write = in the source's name as %3D; may be repeated")
}

// needs declares the flags about requirements of kernels.
func (f *flags) needs(fs *flag.FlagSet) {
	modes := make([]string, len(postlink.SpecConstantModes))
	for i, m := range postlink.SpecConstantModes {
		modes[i] = string(m)
	}
	fs.Func("spec-const", "how to lower specialization constants: `"+strings.Join(modes, "|")+"` (SPIR-V constants, or loads from a buffer that the runtime passes; default native for SPIR-V that is compiled at run time, and emulation for other target triples)", f.setSpecConst)
	fs.BoolVar(&f.Run.DefaultValueImages, "generate-device-image-default-spec-consts", false, "add a copy of each module that reads specialization constants, in which these have their default values")
	fs.BoolVar(&f.Run.KeepAspects, "keep-aspects", false, "use only the aspects that the compiler recorded; do not find aspects in code or propagate them from called functions")
	f.exclude.Split = true
	fs.Var(&f.exclude, "sycl-propagate-aspects-usage-exclude-aspects", "`aspects`, separated by commas, that are not found in code or propagated, unless a function declares them; warnings still include them")
	fs.BoolVar(&f.Run.EmulateFP64Conversions, "fsycl-fp64-conv-emu", false, "do not require fp64 for code that only moves or converts double, because the device's compiler replaces it")
	f.fixed.Split = true
	fs.Var(&f.fixed, "fixed-targets", "`A,B`: the only targets that the kernels are for; may be repeated")
	buildstep.DeviceConfigFiles(fs, &f.configs)
	inputs.ReleaseFlag(fs, &f.Runtime, "runtime", "`release` of the runtime that the images are for, which determines the numbers of aspects in property files: "+release.Names()+" (default 2026)")
	fs.BoolVar(&f.WarningsAsErrors, "warnings-as-errors", false, "fail if there is a warning")
}

// files declares the flags for the contents of property and symbol files.
func (f *flags) files(fs *flag.FlagSet) {
	sets := f.Sets
	fs.BoolVar(&f.properties, "properties", true, "write property files")
	fs.BoolVar(&f.symbols, "symbols", true, "write symbol files")
	fs.BoolVar(&sets.ParamInfo, "emit-param-info", sets.ParamInfo, "write the properties that list the removed parameters of kernels")
	fs.BoolVar(&sets.ExportedSymbols, "emit-exported-symbols", sets.ExportedSymbols, "write the properties that list functions that other images may import")
	fs.BoolVar(&sets.ImportedSymbols, "emit-imported-symbols", sets.ImportedSymbols, "write the properties that list functions that other images must define")
	fs.BoolVar(&sets.KernelNames, "emit-kernel-names", sets.KernelNames, "write the properties that list kernels")
	fs.BoolVar(&sets.DeviceGlobals, "device-globals", sets.DeviceGlobals, "write the properties that list device globals")
	fs.BoolVar(&sets.ProgramMetadata, "emit-program-metadata", sets.ProgramMetadata, "write the properties with sizes of kernels and symbols of device globals; always on for NVPTX and AMDGCN")
}

// setSpecConst parses a mode of specialization constants.
func (f *flags) setSpecConst(v string) error {
	mode := postlink.SpecConstantMode(v)
	if f.dpcpp {
		mode = cmp.Or(oldSpecConstModes[v], mode)
	}
	if !slices.Contains(postlink.SpecConstantModes, mode) {
		return fmt.Errorf("unknown mode; expected one of %v", postlink.SpecConstantModes)
	}
	f.Run.SpecConstants = mode
	return nil
}

// addOutput parses [TARGET,]FILE. Without a target, the file is the table of all modules.
func (f *flags) addOutput(v string) error {
	target, file, ok := strings.Cut(v, ",")
	switch {
	case !ok && f.all != "":
		return errors.New("duplicate table of all modules")
	case !ok:
		f.all = v
	case target == "" || file == "" || strings.ContainsAny(target, `/\`):
		return errors.New("expected TARGET,FILE")
	default:
		f.TargetOutputs = append(f.TargetOutputs, splitir.TargetOutput{Target: target, File: file})
	}
	return nil
}

// run splits the module named by the only argument.
func (f *flags) run(ctx context.Context, env *cli.Env, args []string) error {
	if f.all != "" {
		if f.Output != "" {
			return cli.Usagef("--output and -o both name the table of all modules")
		}
		f.Output = f.all
	}
	if f.dpcpp {
		var err error
		if args, err = f.complete(args); err != nil {
			return err
		}
	}
	f.ImageWithoutKernels = f.dpcpp && !f.AllowNoKernels && len(f.modules.Values) == 0
	f.Stdin, f.Stdout = env.Stdin, env.Stdout
	f.Run.Split.Mode = mode(f.split)
	in, err := buildstep.OneInput(args)
	if err != nil {
		return err
	}
	if f.Run.Split.Mode == "" {
		return cli.Usagef("--split: unknown mode '%s'; expected one of %s", f.split, strings.Join(strings.Fields(fmt.Sprint(postlink.SplitModes)), " "))
	}
	if err := f.checkOutputs(); err != nil {
		return err
	}
	if err := f.checkNeeds(); err != nil {
		return err
	}
	config, err := inputs.LoadDevices(env.Stderr, f.configs.Values)
	if err != nil {
		return err
	}
	f.Input, f.Devices = in, config
	f.NoProperties, f.NoSymbols = !f.properties, !f.symbols
	f.Run.ExcludeAspects = f.exclude.Values
	f.Run.FixedTargets = f.fixed.Values
	return splitir.Run(ctx, env.Stderr, f.Options)
}

// checkOutputs checks the combination of output flags.
func (f *flags) checkOutputs() error {
	one := f.Output != "" || len(f.TargetOutputs) > 0
	if one == (len(f.modules.Values) > 0) {
		return cli.Usagef("expected either --output, for a table of all modules, or --module, for one table per source")
	}
	isStdout := func(o splitir.TargetOutput) bool { return cli.IsStdout(o.File) }
	if !f.IROnly && (f.Output == "-" || slices.ContainsFunc(f.TargetOutputs, isStdout)) {
		return cli.Usagef("cannot write a table to standard output, because it has files next to it; use a file, or --ir-output-only")
	}
	if f.IROnly {
		for _, other := range []struct {
			flag  string
			given bool
		}{
			{"split=" + f.split, f.Run.Split.Mode != postlink.SplitAuto && f.Run.Split.Mode != postlink.SplitOff},
			{"split-esimd", f.Run.Split.ESIMD},
			{"module", len(f.modules.Values) > 0},
			{"out-dir", f.OutDir != ""},
			{"o=TARGET,FILE", len(f.TargetOutputs) > 0},
		} {
			if other.given {
				return cli.Usagef("--%s cannot be combined with --ir-output-only", other.flag)
			}
		}
	}
	if f.OutDir != "" && !one {
		return cli.Usagef("--out-dir requires --output; --module has its own directories")
	}
	for _, v := range f.modules.Values {
		source, dir, ok := buildstep.SourcePath(v)
		if !ok {
			return cli.Usagef("--module: '%s' is not SOURCE=DIRECTORY", v)
		}
		if slices.ContainsFunc(f.Sources, func(s splitir.SourceDirectory) bool { return s.Source == source }) {
			return cli.Usagef("--module: duplicate source '%s'", source)
		}
		f.Sources = append(f.Sources, splitir.SourceDirectory{Source: source, Directory: dir})
	}
	return nil
}

// checkNeeds checks the flags about requirements of kernels.
func (f *flags) checkNeeds() error {
	const exclude, fixed = "sycl-propagate-aspects-usage-exclude-aspects", "fixed-targets"
	for _, name := range []string{fixed, exclude, "fsycl-fp64-conv-emu"} {
		if f.Run.KeepAspects && f.given(name) {
			return cli.Usagef("--%s requires --keep-aspects=false", name)
		}
	}
	if f.given(fixed) && len(f.fixed.Values) == 0 {
		return cli.Usagef("--%s is empty; remove it if the kernels are for any target", fixed)
	}
	for _, name := range f.exclude.Values {
		if _, err := aspect.Parse(name); err != nil {
			return cli.Usagef("--%s: %v", exclude, err)
		}
	}
	return nil
}
