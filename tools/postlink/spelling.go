package main

import (
	"flag"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/sycl/postlink"
	"github.com/rules-sycl/rules_sycl/tools/internal/steps/splitir"
)

// dpcppName is the name of DPC++'s post-link step. The program and the subcommand of this name have
// that step's defaults.
const dpcppName = "sycl-post-link"

// dpcppLong is the --help text of the subcommand.
const dpcppLong = `
Accepts the command line of DPC++'s sycl-post-link, and can replace it: a link to this
program, or a copy, with the name sycl-post-link does the same. Options have one dash or two.
As in DPC++, outputs are written only on request. Without an input file, it reads standard
input. LLVM programs are looked up in PATH unless flags name them: llvm-dis for bitcode,
and opt, which writes bitcode, unless -S is given.

  sycl-post-link                      postlink
  -o FILE, -o TARGET,FILE             --output FILE, -o TARGET,FILE
  no -o                               INPUT.files, or INPUT.out with -ir-output-only
  -split=kernel|source|auto           --split=per_kernel|per_source|auto
  -split=none: one module             none; --split=off splits by requirements
  -properties, -symbols               the default
  -emit-param-info, -device-globals,  the default
  -emit-exported-symbols,
  -emit-imported-symbols,
  -emit-kernel-names
  a module without kernels: an image  an image if it has device globals, else an error;
                                      in both a row only for device globals
                                      with --allow-no-kernels
  only aspects from the front end     --keep-aspects
  warnings for undefined functions    --allow-undefined
  and variables that kernels use
  warnings for specialization         errors
  constants that only DPC++ accepts
  one module contains functions that  none
  are never called
  -out-dir, -S, -ir-output-only,      the same
  -split-esimd,
  -emit-program-metadata,
  -emit-only-kernels-as-entry-points,
  -allow-device-image-dependencies,
  -spec-const=native|emulation,       the same; sycl-post-link also accepts the names until
                                      2022, -spec-const=rt|default
  -generate-device-image-default-spec-consts
  -lower-esimd                        the same: explicit SIMD code with built-in functions is
                                      an error, other explicit SIMD code a warning
  -device-lib-dir=DIR                 the same: code with bfloat16 is an error
  -O0 to -O3, -Os, -Oz, -f            the same: no effect

Errors and exit codes are the same as for postlink.`

// dpcppDefaults lists the flags whose defaults differ.
var dpcppDefaults = map[string]string{
	"split":                 "none",
	"properties":            "false",
	"symbols":               "false",
	"emit-param-info":       "false",
	"emit-exported-symbols": "false",
	"emit-imported-symbols": "false",
	"emit-kernel-names":     "false",
	"device-globals":        "false",
	"keep-aspects":          "true", // DPC++'s front end has propagated them
	"allow-undefined":       "true",
}

// dpcppCommand returns the command with DPC++'s defaults. Its name is "" for a program with this
// function only.
func dpcppCommand(name string) *cli.Command {
	return &cli.Command{
		Name:    name,
		Args:    "[IN.ll|IN.bc]",
		Short:   "split with the options and defaults of DPC++'s sycl-post-link",
		Long:    dpcppLong,
		Example: dpcppName + " -split=kernel -properties -symbols -S -o k.table linked.ll",
		Setup: func(fs *flag.FlagSet) cli.Run {
			f := &flags{dpcpp: true}
			f.declare(fs)
			for name, value := range dpcppDefaults {
				set(fs.Lookup(name), value)
			}
			return f.run
		},
	}
}

// set changes the default of a flag.
func set(f *flag.Flag, value string) {
	if err := f.Value.Set(value); err != nil {
		panic(err)
	}
	f.DefValue = value
}

// dpcppModes maps the split mode names of DPC++'s post-link step.
var dpcppModes = map[string]postlink.SplitMode{"kernel": postlink.SplitPerKernel, "source": postlink.SplitPerSource, "none": postlink.SplitOff}

// oldSpecConstModes maps the names that DPC++'s post-link step used for its specialization constant
// modes until 2022.
var oldSpecConstModes = map[string]postlink.SpecConstantMode{"rt": postlink.SpecConstantsNative, "default": postlink.SpecConstantsEmulation}

// mode returns the split mode with a name, or "" if there is none.
func mode(name string) postlink.SplitMode {
	if mode, ok := dpcppModes[name]; ok {
		return mode
	}
	if mode := postlink.SplitMode(name); slices.Contains(postlink.SplitModes, mode) {
		return mode
	}
	return ""
}

// dpcppFlags declares the options of DPC++'s post-link step that have no effect here, or that are
// not supported for some code.
func (f *flags) dpcppFlags(fs *flag.FlagSet) {
	fs.BoolVar(&f.LowerESIMD, "lower-esimd", false, "no effect: only DPC++'s own step lowers explicit SIMD code; such code is an error if it uses built-in functions, and otherwise a warning")
	fs.StringVar(&f.DeviceLibDir, "device-lib-dir", "", "`directory` of the bfloat16 libraries; no effect: only DPC++'s own step adds them, and code that needs them is an error")
	for _, level := range []string{"0", "1", "2", "3", "s", "z"} {
		fs.Bool("O"+level, false, "no effect: DPC++'s step optimizes only explicit SIMD code that it lowers")
	}
	fs.Bool("f", false, "no effect: bitcode is only written to files")
}

// dpcppActions lists the action options of DPC++'s post-link step. Options that request a file in
// addition to the code cannot be combined with -ir-output-only.
var dpcppActions = []struct {
	name string
	file bool
}{
	{"split", false}, {"spec-const", false}, {"lower-esimd", false}, {"device-globals", false}, {"split-esimd", false},
	{"symbols", true}, {"properties", true}, {"emit-param-info", true}, {"emit-program-metadata", true},
	{"emit-kernel-names", true}, {"emit-exported-symbols", true}, {"emit-imported-symbols", true},
	{"generate-device-image-default-spec-consts", true},
}

// complete adds the implicit options of DPC++'s post-link step to a command line, and returns the
// arguments after its flags.
func (f *flags) complete(args []string) ([]string, error) {
	action := false
	for _, a := range dpcppActions {
		if !f.given(a.name) {
			continue
		}
		action = true
		if a.file && f.IROnly {
			return nil, cli.Usagef("--%s cannot be combined with --ir-output-only", a.name)
		}
	}
	if !action {
		return nil, cli.Usagef("no actions specified, such as -split=auto or -properties")
	}
	f.FindLLVM, f.Run.AsDPCPP = true, true
	f.Run.Split.Whole = f.split == "none"
	if !f.given("dpcpp-translator") {
		f.Run.DPCPPTranslator = true
	}
	if len(args) == 0 {
		args = []string{splitir.Stdin}
	}
	if f.all == "" && f.Output == "" && len(f.TargetOutputs) == 0 && len(f.modules.Values) == 0 {
		extension := ".files"
		if f.IROnly {
			extension = ".out"
		}
		base := filepath.Base(args[0])
		f.Output = strings.TrimSuffix(base, filepath.Ext(base)) + extension
	}
	return args, nil
}
