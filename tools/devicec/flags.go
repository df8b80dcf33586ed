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
	"github.com/rules-sycl/rules_sycl/sycl/specialize"
	"github.com/rules-sycl/rules_sycl/tools/internal/buildstep"
	"github.com/rules-sycl/rules_sycl/tools/internal/steps/dpcppimages"
	"github.com/rules-sycl/rules_sycl/tools/internal/steps/gpucode"
	"github.com/rules-sycl/rules_sycl/tools/internal/steps/modulefiles"
	"github.com/rules-sycl/rules_sycl/tools/internal/steps/setconstants"
	"github.com/rules-sycl/rules_sycl/tools/internal/steps/translate"
)

func imagesCommand() *cli.Command {
	return &cli.Command{
		Name:  "images",
		Args:  "IN.bc|SOURCE",
		Short: "make device images of bitcode with DPC++'s own post-link step and translator",
		Long: `
Runs libsycl-jit, DPC++'s compiler as a library, on device code that DPC++ compiled. With
--built the images of SOURCE are in a folder of 'driver build', and nothing is run.
For each image writes SPIR-V (.spv), a property file (.prop) and a symbol file (.sym),
as DPC++ has them, and the table of all. Device libraries are linked to the images.
Of a source without kernels the table has no rows.

Of debug information, the places of kernels and of what forces their requirements go
to the property file, as 'devicec translate' has it.

A function or variable that is used but defined nowhere is an error, unless images may depend on
each other.`,
		Example: "devicec images --driver driver --library lib/libsycl-jit.so --split per_kernel --code-dir spv --properties-dir prop --table k.table k.bc",
		Setup:   setupImages,
	}
}

// setupImages declares the flags of the subcommand images.
func setupImages(fs *flag.FlagSet) cli.Run {
	var o dpcppimages.Options
	dpcppFlags(fs, &o.DPCPP)
	fs.StringVar(&o.Built, "built", "", "`folder` that 'driver build' wrote; --driver, --library and --split are not needed then")
	fs.StringVar(&o.Split, "split", "auto", "which kernels become one image: `"+strings.Join(dpcppimages.SplitModes, "|")+"`")
	fs.BoolVar(&o.Dependencies, "allow-device-image-dependencies", false, "an image may use what another one defines")
	placeFlags(fs, &o.CodeDir, &o.PropertiesDir, &o.Table)
	keepDebugInfoFlag(fs, &o.KeepDebugInfo)
	return func(ctx context.Context, env *cli.Env, args []string) (err error) {
		if o.Bitcode, err = buildstep.OneInput(args); err != nil {
			return err
		}
		required := []string{"code-dir", o.CodeDir, "properties-dir", o.PropertiesDir, "table", o.Table}
		if o.Built == "" {
			required = append([]string{"driver", o.DPCPP.Driver, "library", o.DPCPP.Library}, required...)
		}
		if err := buildstep.Required(required...); err != nil {
			return err
		}
		if !slices.Contains(dpcppimages.SplitModes, o.Split) {
			return cli.Usagef("--split: '%s' is none of %s", o.Split, strings.Join(dpcppimages.SplitModes, ", "))
		}
		return dpcppimages.Run(ctx, env.Stderr, o)
	}
}

func translateCommand(kept *buildstep.Kept) *cli.Command {
	return &cli.Command{
		Name:  "translate",
		Args:  "IN.table|MODULE.bc",
		Short: "translate modules to SPIR-V and write down what they need",
		Long: `
For each row of the table writes SPIR-V (.spv), a property file (.prop) with the
requirements and kernel names that are read from it and what the row's own property
file says besides, and a symbol file (.sym); and the table of all. A module without
bytes whose property file names no kernel becomes an image without bytes.

The translator is llvm-spirv, llc, or with --driver and --library that of DPC++. DPC++
also links its device libraries; those that a runtime has to link are rows of their
own, devicelib0 and so on.

Of debug information, the places of kernels and of what forces their requirements
go to the property file. The SPIR-V is without it: so it stays the same when lines
of the source move, and native code does not grow.`,
		Example: "devicec translate --llvm-spirv llvm-spirv-21 --spirv-val spirv-val --code-dir spv --properties-dir prop --table k.spv.table k.table",
		Setup:   func(fs *flag.FlagSet) cli.Run { return setupTranslate(fs, kept) },
	}
}

// setupTranslate declares the flags of the subcommand translate.
func setupTranslate(fs *flag.FlagSet, kept *buildstep.Kept) cli.Run {
	o := translate.Options{Kept: kept}
	fs.StringVar(&o.LLVMSPIRV, "llvm-spirv", "", "`path` of llvm-spirv")
	fs.StringVar(&o.LLC, "llc", "", "`path` of llc, whose SPIR-V target is used when there is no llvm-spirv")
	dpcppFlags(fs, &o.DPCPP)
	fs.StringVar(&o.SPIRVVal, "spirv-val", "", "`path` of spirv-val (required with llvm-spirv and llc)")
	placeFlags(fs, &o.CodeDir, &o.PropertiesDir, &o.Table)
	keepDebugInfoFlag(fs, &o.KeepDebugInfo)
	emulateFlag(fs, &o.EmulateFP64Conversions)
	return func(ctx context.Context, env *cli.Env, args []string) (err error) {
		if o.In, err = buildstep.OneInput(args); err != nil {
			return err
		}
		given := slices.DeleteFunc([]string{o.LLVMSPIRV, o.LLC, o.DPCPP.Driver}, func(program string) bool { return program == "" })
		if len(given) != 1 {
			return cli.Usagef("give one of --llvm-spirv, --llc and --driver")
		}
		companion := []string{"spirv-val", o.SPIRVVal}
		if o.DPCPP.Driver != "" {
			companion = []string{"library", o.DPCPP.Library}
		}
		if err := buildstep.Required(append(companion, "code-dir", o.CodeDir, "properties-dir", o.PropertiesDir, "table", o.Table)...); err != nil {
			return err
		}
		return translate.Run(ctx, env.Stderr, o)
	}
}

func specializeCommand() *cli.Command {
	return &cli.Command{
		Name:  "specialize",
		Args:  "IN.table...",
		Short: "set specialization constants in the SPIR-V of tables",
		Long: `
Writes each table with SPIR-V and property files in which constants have other
default values. A constant has to be in at least one row of all tables. Copies of
images in which the default values are in place of the constants are left out. The flags
for folders and tables are given once for each input, in their order. For the form of
values see 'packager specialize --help'.`,
		Example: "devicec specialize --set app::scale=0.5 --code-dir new.spv --properties-dir new.prop --table new.table k.table",
		Setup:   setupSpecialize,
	}
}

// setupSpecialize declares the flags of the subcommand specialize.
func setupSpecialize(fs *flag.FlagSet) cli.Run {
	var settings setconstants.Settings
	var code, properties, tables cli.Strings
	var label string
	fs.Var(&settings, "set", "give a constant a value, as `NAME=VALUE`; may be repeated (required)")
	fs.Var(&code, "code-dir", "the `folder` for SPIR-V, for each input (required)")
	fs.Var(&properties, "properties-dir", "the `folder` for property files and symbol files, for each input (required)")
	fs.Var(&tables, "table", "the table `file`, for each input (required)")
	fs.StringVar(&label, "label", "", "the `target` that sets the constants, for messages")
	return func(_ context.Context, _ *cli.Env, args []string) error {
		switch {
		case len(args) == 0:
			return cli.Usagef("an input table is needed")
		case len(settings) == 0:
			return cli.Usagef("--set is missing: the constants and their values")
		case len(code.Values) != len(args) || len(properties.Values) != len(args) || len(tables.Values) != len(args):
			return cli.Usagef("--code-dir, --properties-dir and --table are needed once for each of the %d inputs", len(args))
		}
		o := setconstants.Options{Settings: settings}
		for i, in := range args {
			o.Tables = append(o.Tables, setconstants.Table{In: in, CodeDir: code.Values[i], PropertiesDir: properties.Values[i], Out: tables.Values[i]})
		}
		err := setconstants.Run(o)
		prefix := ""
		if label != "" {
			prefix = label + ": attribute specialize: "
		}
		var request *specialize.RequestError
		switch {
		case errors.As(err, &request):
			return cli.Usagef("%s%v", prefix, request)
		case err != nil:
			return fmt.Errorf("%s%w", prefix, err)
		}
		return nil
	}
}

func gpuCommand(kept *buildstep.Kept) *cli.Command {
	return &cli.Command{
		Name:  "gpu",
		Args:  "IN.table",
		Short: "compile a filtered table's bitcode for an NVIDIA or AMD GPU",
		Long: `
Runs LLVM's opt and llc for each row of the table, and ld.lld for AMD GPUs, and writes
the table with the column Code naming the results: PTX, or code objects.

The bitcode is that of clang for the triple nvptx64-nvidia-cuda or amdgcn-amd-amdhsa. A
required sub-group size other than the GPU's own is an error, because PTX does not keep
it and the kernel would compute wrong numbers. So are larger work-groups than GPUs have,
and mathematical functions that neither LLVM nor --libclc has, such as sinh of double.`,
		Example: "devicec gpu --opt opt-21 --llc llc-21 --device sm_90 --code-dir ptx --output k.sm_90.table k.table",
		Setup:   func(fs *flag.FlagSet) cli.Run { return setupGPU(fs, kept) },
	}
}

// setupGPU declares the flags of the subcommand gpu.
func setupGPU(fs *flag.FlagSet, kept *buildstep.Kept) cli.Run {
	o := gpucode.Options{Kept: kept}
	fs.StringVar(&o.Opt, "opt", "", "`path` of opt (required)")
	fs.StringVar(&o.LLC, "llc", "", "`path` of llc, with the NVPTX or the AMDGPU target (required)")
	fs.StringVar(&o.LLD, "lld", "", "`path` of ld.lld (required for AMD GPUs)")
	fs.StringVar(&o.LibCLC, "libclc", "", "`path` of libclc's nvptx64--.bc, which has sin, pow and the like for NVIDIA GPUs")
	fs.StringVar(&o.LLVMLink, "llvm-link", "", "`path` of llvm-link (required with --libclc)")
	fs.StringVar(&o.Device, "device", "", "LLVM's `name` of the device, such as sm_90 or gfx90a (required)")
	fs.StringVar(&o.CodeDir, "code-dir", "", "the `folder` for native images (required)")
	fs.StringVar(&o.Output, "output", "", "the table `file` (required)")
	fs.BoolVar(&o.KeepDebugInfo, "keep-debug-info", false, "leave debug information in the code, for debuggers")
	return func(ctx context.Context, env *cli.Env, args []string) (err error) {
		o.Table, err = buildstep.OneInput(args)
		err = cmp.Or(err, buildstep.Required("opt", o.Opt, "llc", o.LLC, "device", o.Device, "code-dir", o.CodeDir, "output", o.Output))
		if err == nil && o.LibCLC != "" {
			err = buildstep.Required("llvm-link", o.LLVMLink)
		}
		if err != nil {
			return err
		}
		return gpucode.Run(ctx, env.Stderr, o)
	}
}

// dpcppFlags declares the flags for DPC++'s compiler.
func dpcppFlags(fs *flag.FlagSet, d *modulefiles.DPCPP) {
	fs.StringVar(&d.Driver, "driver", "", "`path` of the program that runs libsycl-jit (//rules/dpcpp:driver)")
	fs.StringVar(&d.Library, "library", "", "`path` of libsycl-jit.so, DPC++'s compiler")
}

// placeFlags declares the flags for the locations of images and their files.
func placeFlags(fs *flag.FlagSet, code, properties, table *string) {
	fs.StringVar(code, "code-dir", "", "the `folder` for SPIR-V (required)")
	fs.StringVar(properties, "properties-dir", "", "the `folder` for property files and symbol files (required)")
	fs.StringVar(table, "table", "", "the table `file` (required)")
}

func emulateFlag(fs *flag.FlagSet, emulate *bool) {
	fs.BoolVar(emulate, "fsycl-fp64-conv-emu", false, "as postlink has it: code that only moves or converts a double needs no fp64")
}

func keepDebugInfoFlag(fs *flag.FlagSet, keep *bool) {
	fs.BoolVar(keep, "keep-debug-info", false, "leave debug information in the SPIR-V, for debuggers")
}
