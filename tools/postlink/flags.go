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

// setup declares the flags.
func setup(fs *flag.FlagSet, kept *buildstep.Kept) cli.Run {
	f := &flags{Options: splitir.Options{Kept: kept}}
	f.declare(fs)
	return f.run
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
	fs.StringVar(&f.split, "split", string(postlink.SplitAuto), "which kernels become one module: `"+strings.Join(names, "|")+"`; or DPC++'s kernel, source, none")
	fs.BoolVar(&split.KernelsOnly, "emit-only-kernels-as-entry-points", false, "SYCL_EXTERNAL functions are in the modules of their callers only")
	fs.BoolVar(&split.ESIMD, "split-esimd", false, "keep explicit SIMD code and other code apart")
	fs.BoolVar(&split.Dependencies, "allow-device-image-dependencies", false, "a module imports the SYCL_EXTERNAL functions that another one exports")
	fs.StringVar(&f.Run.Source, "source", "", "`name` of the source that all code is of, for code that does not say so itself; then types and metadata are counted anew, so that a kernel's module does not depend on other kernels")
	fs.BoolVar(&f.AllowNoKernels, "allow-no-kernels", false, "without a kernel the table has a row only for device globals, instead of failing")
	fs.BoolVar(&split.AllowUndefined, "allow-undefined", false, "a function or variable that kernels use and that no source defines is a warning, not an error, and a function is imported")
	fs.BoolVar(&f.Run.SYCLBINKernelNames, "syclbin-kernel-names", false, "kernels get the names by which ext_oneapi_get_kernel finds them in a SYCLBIN: with "+kernelname.Prefix+" before")
}

// outputs declares the flags for output files.
func (f *flags) outputs(fs *flag.FlagSet) {
	fs.StringVar(&f.Opt, "opt", "", "`path` of LLVM's opt, which cleans modules up and writes them as bitcode")
	fs.BoolVar(&f.Text, "S", false, "write modules as text, with --opt too")
	fs.BoolVar(&f.Run.DPCPPTranslator, "dpcpp-translator", false, "DPC++ translates the modules to SPIR-V: some properties have the form that only its translator reads")
	missing := "required for bitcode"
	if f.dpcpp {
		missing = "without it, bitcode is read by that of PATH"
	}
	fs.StringVar(&f.LLVMDis, "llvm-dis", "", "`path` of llvm-dis ("+missing+")")
	fs.StringVar(&f.Output, "output", "", "write the file table of the modules to this `file`")
	fs.Func("o", "`[TARGET,]FILE`: as --output; with a target the table has the modules that it can take, with property files that name it; may be repeated", f.addOutput)
	fs.BoolVar(&f.IROnly, "ir-output-only", false, "do not split; --output is one module of all that kernels reach, without a table and property files")
	fs.StringVar(&f.OutDir, "out-dir", "", "write the modules of --output to this `folder`, instead of beside the table")
	fs.Var(&f.modules, "module", "`SOURCE=FOLDER`: write the modules of a source to a folder and their table to FOLDER.table; = in the name of the source is written %3D; may be repeated")
}

// needs declares the flags about requirements of kernels.
func (f *flags) needs(fs *flag.FlagSet) {
	modes := make([]string, len(postlink.SpecConstantModes))
	for i, m := range postlink.SpecConstantModes {
		modes[i] = string(m)
	}
	fs.Func("spec-const", "what becomes of specialization constants: `"+strings.Join(modes, "|")+"` (constants of SPIR-V, or loads from a buffer that the runtime passes; by default native for SPIR-V that is compiled when a program runs, and emulation for other target triples)", f.setSpecConst)
	fs.BoolVar(&f.Run.DefaultValueImages, "generate-device-image-default-spec-consts", false, "add a copy of each module that reads specialization constants, in which these have their default values")
	fs.BoolVar(&f.Run.KeepAspects, "keep-aspects", false, "functions have the aspects that the compiler has given them: none are found in code or come from what a function calls")
	f.exclude.Split = true
	fs.Var(&f.exclude, "sycl-propagate-aspects-usage-exclude-aspects", "`aspects`, separated by commas, that no function gets from its code or from what it calls, unless one declares them; warnings are about them too")
	fs.BoolVar(&f.Run.EmulateFP64Conversions, "fsycl-fp64-conv-emu", false, "code that only moves or converts a double needs no fp64, as the device's compiler replaces it")
	f.fixed.Split = true
	fs.Var(&f.fixed, "fixed-targets", "`A,B`: the only targets that the kernels are for; may be repeated")
	buildstep.DeviceConfigFiles(fs, &f.configs)
	inputs.ReleaseFlag(fs, &f.Runtime, "runtime", "`release` of the runtime that the images are for, whose numbers of aspects property files get: "+release.Names()+" (without it, those of 2026)")
	fs.BoolVar(&f.WarningsAsErrors, "warnings-as-errors", false, "fail when there is a warning")
}

// files declares the flags for the contents of property and symbol files.
func (f *flags) files(fs *flag.FlagSet) {
	sets := f.Sets
	fs.BoolVar(&f.properties, "properties", true, "write property files")
	fs.BoolVar(&f.symbols, "symbols", true, "write symbol files")
	fs.BoolVar(&sets.ParamInfo, "emit-param-info", sets.ParamInfo, "write the properties that list the removed parameters of kernels")
	fs.BoolVar(&sets.ExportedSymbols, "emit-exported-symbols", sets.ExportedSymbols, "properties list the functions that other images may import")
	fs.BoolVar(&sets.ImportedSymbols, "emit-imported-symbols", sets.ImportedSymbols, "properties list the functions that other images have to define")
	fs.BoolVar(&sets.KernelNames, "emit-kernel-names", sets.KernelNames, "properties list the kernels")
	fs.BoolVar(&sets.DeviceGlobals, "device-globals", sets.DeviceGlobals, "properties list the device globals")
	fs.BoolVar(&sets.ProgramMetadata, "emit-program-metadata", sets.ProgramMetadata, "properties have the sizes of each kernel and the symbols of device globals; for NVPTX and AMDGCN always")
}

// setSpecConst parses a mode of specialization constants.
func (f *flags) setSpecConst(v string) error {
	mode := postlink.SpecConstantMode(v)
	if f.dpcpp {
		mode = cmp.Or(oldSpecConstModes[v], mode)
	}
	if !slices.Contains(postlink.SpecConstantModes, mode) {
		return fmt.Errorf("it is none of %v", postlink.SpecConstantModes)
	}
	f.Run.SpecConstants = mode
	return nil
}

// addOutput parses [TARGET,]FILE. Without a target, the file is the table of all modules.
func (f *flags) addOutput(v string) error {
	target, file, ok := strings.Cut(v, ",")
	switch {
	case !ok && f.all != "":
		return errors.New("there is a table of all modules already")
	case !ok:
		f.all = v
	case target == "" || file == "" || strings.ContainsAny(target, `/\`):
		return errors.New("it is not TARGET,FILE")
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
		return cli.Usagef("--split: '%s' is none of %s", f.split, strings.Join(strings.Fields(fmt.Sprint(postlink.SplitModes)), " "))
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
		return cli.Usagef("give either --output, for a table of all modules, or --module, for one of each source")
	}
	isStdout := func(o splitir.TargetOutput) bool { return cli.IsStdout(o.File) }
	if !f.IROnly && (f.Output == "-" || slices.ContainsFunc(f.TargetOutputs, isStdout)) {
		return cli.Usagef("a table has files beside it and is not written to standard output: name a file, or give --ir-output-only")
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
				return cli.Usagef("--%s can't be used with --ir-output-only", other.flag)
			}
		}
	}
	if f.OutDir != "" && !one {
		return cli.Usagef("--out-dir goes with --output; --module has folders of its own")
	}
	for _, v := range f.modules.Values {
		source, folder, ok := buildstep.SourcePath(v)
		if !ok {
			return cli.Usagef("--module: '%s' is not SOURCE=FOLDER", v)
		}
		if slices.ContainsFunc(f.Sources, func(s splitir.SourceFolder) bool { return s.Source == source }) {
			return cli.Usagef("--module: '%s' is given twice", source)
		}
		f.Sources = append(f.Sources, splitir.SourceFolder{Source: source, Folder: folder})
	}
	return nil
}

// checkNeeds checks the flags about requirements of kernels.
func (f *flags) checkNeeds() error {
	const exclude, fixed = "sycl-propagate-aspects-usage-exclude-aspects", "fixed-targets"
	for _, name := range []string{fixed, exclude, "fsycl-fp64-conv-emu"} {
		if f.Run.KeepAspects && f.given(name) {
			return cli.Usagef("--%s is for aspects that are found in code: it needs --keep-aspects=false", name)
		}
	}
	if f.given(fixed) && len(f.fixed.Values) == 0 {
		return cli.Usagef("--%s names no target: leave it out when the kernels are for any", fixed)
	}
	for _, name := range f.exclude.Values {
		if _, err := aspect.Parse(name); err != nil {
			return cli.Usagef("--%s: %v", exclude, err)
		}
	}
	return nil
}
