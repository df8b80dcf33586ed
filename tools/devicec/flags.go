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
		Short: "create device images from bitcode with DPC++'s own post-link step and translator",
		Long: `
Runs libsycl-jit, DPC++'s compiler as a library, on device code that DPC++ compiled. With
--built, the images of SOURCE are read from the output directory of 'driver build', and
nothing is run. For each image, writes SPIR-V (.spv), a property file (.prop) and a
symbol file (.sym), as DPC++ does, and a table of all images. Device libraries are linked
to the images. For a source without kernels, the table has no rows.

As in 'devicec translate', the locations of kernels and of their requirements are taken
from debug information and written to the property file.

A function or variable that is used but not defined is an error, unless images may depend
on each other.`,
		Example: "devicec images --driver driver --library lib/libsycl-jit.so --split per_kernel --code-dir spv --properties-dir prop --table k.table k.bc",
		Setup:   setupImages,
	}
}

// setupImages declares the flags of the subcommand images.
func setupImages(fs *flag.FlagSet) cli.Run {
	var o dpcppimages.Options
	dpcppFlags(fs, &o.DPCPP)
	fs.StringVar(&o.Built, "built", "", "output `directory` of 'driver build'; --driver, --library and --split are then not needed")
	fs.StringVar(&o.Split, "split", "auto", "how to split kernels into images: `"+strings.Join(dpcppimages.SplitModes, "|")+"`")
	fs.BoolVar(&o.Dependencies, "allow-device-image-dependencies", false, "allow images to use functions that other images define")
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
			return cli.Usagef("--split: unknown mode '%s'; expected one of %s", o.Split, strings.Join(dpcppimages.SplitModes, ", "))
		}
		return dpcppimages.Run(ctx, env.Stderr, o)
	}
}

func translateCommand(kept *buildstep.Cache) *cli.Command {
	return &cli.Command{
		Name:  "translate",
		Args:  "IN.table|MODULE.bc",
		Short: "translate modules to SPIR-V and write their requirements",
		Long: `
For each row of the table, writes SPIR-V (.spv), a property file (.prop) and a symbol
file (.sym), and a table of all rows. The property file has the requirements and kernel
names in the SPIR-V, and other properties from the row's own property file. An empty
module whose property file lists no kernel becomes an empty image.

The translator is llvm-spirv, llc or, with --driver and --library, DPC++'s. DPC++ also
links its device libraries; libraries that a runtime must link are separate rows,
devicelib0 and so on.

The locations of kernels and of their requirements are taken from debug information and
written to the property file. The SPIR-V has no debug information, so it does not change
if lines in the source move, and native code does not grow.`,
		Example: "devicec translate --llvm-spirv llvm-spirv-21 --spirv-val spirv-val --code-dir spv --properties-dir prop --table k.spv.table k.table",
		Setup:   func(fs *flag.FlagSet) cli.Run { return setupTranslate(fs, kept) },
	}
}

// setupTranslate declares the flags of the subcommand translate.
func setupTranslate(fs *flag.FlagSet, kept *buildstep.Cache) cli.Run {
	o := translate.Options{Cache: kept}
	fs.StringVar(&o.LLVMSPIRV, "llvm-spirv", "", "`path` of llvm-spirv")
	fs.StringVar(&o.LLC, "llc", "", "`path` of llc, whose SPIR-V target is used if there is no llvm-spirv")
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
			return cli.Usagef("expected exactly one of --llvm-spirv, --llc and --driver")
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
Writes each table with SPIR-V and property files in which constants have different
default values. A constant must be in at least one row of all tables. Copies of images
in which default values replace the constants are omitted. Repeat the flags for
directories and tables for each input, in the same order. For the syntax of values, see
'packager specialize --help'.`,
		Example: "devicec specialize --set app::scale=0.5 --code-dir new.spv --properties-dir new.prop --table new.table k.table",
		Setup:   setupSpecialize,
	}
}

// setupSpecialize declares the flags of the subcommand specialize.
func setupSpecialize(fs *flag.FlagSet) cli.Run {
	var settings setconstants.Settings
	var code, properties, tables cli.Strings
	var label string
	fs.Var(&settings, "set", "set a constant, as `NAME=VALUE`; may be repeated (required)")
	fs.Var(&code, "code-dir", "`directory` for SPIR-V, for each input (required)")
	fs.Var(&properties, "properties-dir", "`directory` for property files and symbol files, for each input (required)")
	fs.Var(&tables, "table", "table `file`, for each input (required)")
	fs.StringVar(&label, "label", "", "the `target` that sets the constants, for messages")
	return func(_ context.Context, _ *cli.Env, args []string) error {
		switch {
		case len(args) == 0:
			return cli.Usagef("no input tables")
		case len(settings) == 0:
			return cli.Usagef("--set is required")
		case len(code.Values) != len(args) || len(properties.Values) != len(args) || len(tables.Values) != len(args):
			return cli.Usagef("--code-dir, --properties-dir and --table are required once for each of the %d inputs", len(args))
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

func gpuCommand(kept *buildstep.Cache) *cli.Command {
	return &cli.Command{
		Name:  "gpu",
		Args:  "IN.table",
		Short: "compile a filtered table's bitcode for an NVIDIA or AMD GPU",
		Long: `
Runs LLVM's opt and llc for each row of the table, and ld.lld for AMD GPUs, and writes
the table, whose column Code names the results: PTX, or code objects.

The bitcode comes from clang for the triple nvptx64-nvidia-cuda or amdgcn-amd-amdhsa. A
required sub-group size other than the GPU's is an error, because PTX cannot express it
and the kernel would compute wrong numbers. Work-groups that are too large, and
mathematical functions that neither LLVM nor --libclc provides, such as sinh for double, are
errors, too.`,
		Example: "devicec gpu --opt opt-21 --llc llc-21 --device sm_90 --code-dir ptx --output k.sm_90.table k.table",
		Setup:   func(fs *flag.FlagSet) cli.Run { return setupGPU(fs, kept) },
	}
}

// setupGPU declares the flags of the subcommand gpu.
func setupGPU(fs *flag.FlagSet, kept *buildstep.Cache) cli.Run {
	o := gpucode.Options{Cache: kept}
	fs.StringVar(&o.Opt, "opt", "", "`path` of opt (required)")
	fs.StringVar(&o.LLC, "llc", "", "`path` of llc, with the NVPTX or the AMDGPU target (required)")
	fs.StringVar(&o.LLD, "lld", "", "`path` of ld.lld (required for AMD GPUs)")
	fs.StringVar(&o.LibCLC, "libclc", "", "`path` of libclc's nvptx64--.bc, which has sin, pow and similar functions for NVIDIA GPUs")
	fs.StringVar(&o.LLVMLink, "llvm-link", "", "`path` of llvm-link (required with --libclc)")
	fs.StringVar(&o.Device, "device", "", "LLVM's `name` of the device, such as sm_90 or gfx90a (required)")
	fs.StringVar(&o.CodeDir, "code-dir", "", "`directory` for native images (required)")
	fs.StringVar(&o.Output, "output", "", "table `file` to write (required)")
	fs.BoolVar(&o.KeepDebugInfo, "keep-debug-info", false, "keep debug information in the code, for debuggers")
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

// dpcppFlags declares the flags that locate DPC++'s compiler.
func dpcppFlags(fs *flag.FlagSet, d *modulefiles.DPCPP) {
	fs.StringVar(&d.Driver, "driver", "", "`path` of the program that runs libsycl-jit (//rules/dpcpp:driver)")
	fs.StringVar(&d.Library, "library", "", "`path` of libsycl-jit.so, DPC++'s compiler")
}

// placeFlags declares the flags for output locations.
func placeFlags(fs *flag.FlagSet, code, properties, table *string) {
	fs.StringVar(code, "code-dir", "", "`directory` for SPIR-V (required)")
	fs.StringVar(properties, "properties-dir", "", "`directory` for property files and symbol files (required)")
	fs.StringVar(table, "table", "", "table `file` to write (required)")
}

func emulateFlag(fs *flag.FlagSet, emulate *bool) {
	fs.BoolVar(emulate, "fsycl-fp64-conv-emu", false, "as in postlink: do not require fp64 for code that only moves or converts double")
}

func keepDebugInfoFlag(fs *flag.FlagSet, keep *bool) {
	fs.BoolVar(keep, "keep-debug-info", false, "keep debug information in the SPIR-V, for debuggers")
}
