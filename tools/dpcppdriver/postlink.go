package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/interrupt"
	"github.com/rules-sycl/rules_sycl/internal/outfile"
	"github.com/rules-sycl/rules_sycl/sycl/filetable"
	"github.com/rules-sycl/rules_sycl/tools/internal/buildstep"
)

// A postLinker turns bitcode into device images.
type postLinker struct {
	Library   string
	OutputDir string

	split        string // as sycl-post-link has it
	dependencies bool   // an image may use what another one defines
}

func (p *postLinker) setup(fs *flag.FlagSet) cli.Run {
	setupInstallation(fs, &p.Library)
	fs.StringVar(&p.OutputDir, "output-dir", "", "the `folder` for the images (required)")
	return p.run
}

func (p *postLinker) run(ctx context.Context, env *cli.Env, args []string) error {
	d, err := readInstallation(p.Library)
	if err != nil {
		return err
	}
	if len(args) == 0 {
		return cli.Usagef("the input file is missing")
	}
	if p.OutputDir == "" {
		return cli.Usagef("--output-dir is missing")
	}
	if err := p.take(args[1:]); err != nil {
		return err
	}
	return p.postLink(ctx, env, d, args[0])
}

// splitModes are the values of -fsycl-device-code-split=, as sycl-post-link has them.
var splitModes = map[string]string{"auto": "auto", "per_source": "source", "per_kernel": "kernel", "off": "none"}

// take takes the options, the last of each kind.
func (p *postLinker) take(options []string) error {
	p.split = "auto"
	for _, o := range options {
		value, isSplit := strings.CutPrefix(o, "-fsycl-device-code-split=")
		switch {
		case isSplit && splitModes[value] != "":
			p.split = splitModes[value]
		case o == "-fsycl-allow-device-image-dependencies":
			p.dependencies = true
		default:
			return cli.Usagef("there is no option '%s'", o)
		}
	}
	return nil
}

// postLink makes the images, all of them in a scratch folder first.
func (p *postLinker) postLink(ctx context.Context, env *cli.Env, d *installation, in string) error {
	if _, err := cli.StatInput(in, "LLVM bitcode"); err != nil {
		return err
	}
	libraries, err := d.deviceLibraryFiles()
	if err != nil {
		return err
	}
	var out outfile.Group
	defer out.Close()
	dir, err := out.Folder(p.OutputDir)
	if err != nil {
		return err
	}
	work, remove, err := interrupt.TempDir()
	if err != nil {
		return err
	}
	defer remove()
	linked, table := filepath.Join(work, "linked.bc"), filepath.Join(work, "images.table")
	if err := runTool(ctx, env, in, d.Link, linkArguments(in, libraries, linked)...); err != nil {
		return err
	}
	if err := runTool(ctx, env, in, d.PostLink, p.arguments(d, linked, table)...); err != nil {
		return err
	}
	images, err := translate(ctx, env, d, in, table, dir)
	if err != nil {
		return out.Relabel(err)
	}
	if err := out.WriteMain(filepath.Join(p.OutputDir, "images.table"), images.Write); err != nil {
		return err
	}
	return out.Commit()
}

// linkArguments returns what llvm-link is called with. Of the libraries it takes what
// the first file needs.
func linkArguments(in string, libraries []string, out string) []string {
	args := append([]string{"-only-needed", "--suppress-warnings", in}, libraries...)
	return append(args, "-o", out)
}

// arguments returns what sycl-post-link is called with. -emit-kernel-names and
// -emit-program-metadata are beyond what DPC++'s driver asks for: SYCLBINs need the names,
// and libsycl-jit writes both.
func (p *postLinker) arguments(d *installation, in, table string) []string {
	args := []string{"-O2", "-device-globals"}
	if _, err := os.Stat(d.libraryFile("native-bfloat16")); err == nil {
		args = append(args, "--device-lib-dir="+d.Libraries)
	}
	args = append(args, "-properties", "-spec-const=native", "-split="+p.split)
	if p.dependencies {
		args = append(args, "-allow-device-image-dependencies")
	} else {
		args = append(args, "-emit-only-kernels-as-entry-points")
	}
	return append(args, "-emit-param-info", "-emit-program-metadata", "-emit-kernel-names", "-symbols",
		"-emit-exported-symbols", "-emit-imported-symbols", "-split-esimd", "-lower-esimd", "-o", table, in)
}

// spirvExtensions are those that DPC++ lets its translator use for spir64.
var spirvExtensions = []string{
	"SPV_EXT_shader_atomic_float_add", "SPV_EXT_shader_atomic_float_min_max",
	"SPV_KHR_no_integer_wrap_decoration", "SPV_KHR_float_controls", "SPV_KHR_expect_assume",
	"SPV_KHR_linkonce_odr", "SPV_INTEL_subgroups", "SPV_INTEL_media_block_io",
	"SPV_INTEL_device_side_avc_motion_estimation", "SPV_INTEL_fpga_loop_controls",
	"SPV_INTEL_unstructured_loop_controls", "SPV_INTEL_fpga_reg", "SPV_INTEL_blocking_pipes",
	"SPV_INTEL_function_pointers", "SPV_INTEL_kernel_attributes", "SPV_INTEL_io_pipes",
	"SPV_INTEL_inline_assembly", "SPV_INTEL_arbitrary_precision_integers",
	"SPV_INTEL_float_controls2", "SPV_INTEL_vector_compute", "SPV_INTEL_fast_composite",
	"SPV_INTEL_arbitrary_precision_fixed_point", "SPV_INTEL_arbitrary_precision_floating_point",
	"SPV_INTEL_variable_length_array", "SPV_INTEL_fp_fast_math_mode", "SPV_INTEL_long_composites",
	"SPV_INTEL_arithmetic_fence", "SPV_INTEL_global_variable_decorations",
	"SPV_INTEL_cache_controls", "SPV_INTEL_fpga_buffer_location",
	"SPV_INTEL_fpga_argument_interfaces", "SPV_INTEL_fpga_invocation_pipelining_attributes",
	"SPV_INTEL_fpga_latency_control", "SPV_KHR_shader_clock", "SPV_INTEL_bindless_images",
	"SPV_INTEL_task_sequence", "SPV_INTEL_bfloat16_conversion", "SPV_INTEL_joint_matrix",
	"SPV_INTEL_hw_thread_queries", "SPV_KHR_uniform_group_instructions",
	"SPV_INTEL_masked_gather_scatter", "SPV_INTEL_tensor_float32_conversion",
	"SPV_INTEL_optnone", "SPV_KHR_non_semantic_info", "SPV_KHR_cooperative_matrix",
	"SPV_EXT_shader_atomic_float16_add", "SPV_INTEL_fp_max_error",
}

// translateArguments returns what llvm-spirv is called with.
func translateArguments(in, out string) []string {
	return []string{
		"-spirv-max-version=1.5",
		"-spirv-debug-info-version=nonsemantic-shader-200",
		"-spirv-allow-unknown-intrinsics=llvm.genx.",
		"-spirv-ext=-all,+" + strings.Join(spirvExtensions, ",+"),
		"-o", out, in,
	}
}

// translate writes the files of the images that a table of sycl-post-link names, and
// returns their table.
func translate(ctx context.Context, env *cli.Env, d *installation, in, table, dir string) (*filetable.Table, error) {
	f, err := os.Open(table)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t, err := filetable.Read(table, f)
	if err == nil {
		t, err = t.Extract(filetable.Code, filetable.Properties, filetable.Symbols)
	}
	if err != nil {
		return nil, cli.BadInput(fmt.Errorf("%s: the table that %s wrote: %w", in, d.PostLink, err))
	}
	err = buildstep.Each(ctx, env.Stderr, len(t.Rows), runtime.GOMAXPROCS(0), func(ctx context.Context, log io.Writer, i int) error {
		cells, stem := t.Rows[i], strconv.Itoa(i)
		if err := runTool(ctx, &cli.Env{Tool: env.Tool, Stderr: log}, in, d.Translate, translateArguments(beside(table, cells[0]), filepath.Join(dir, stem+".spv"))...); err != nil {
			return err
		}
		names := []string{stem + ".spv", stem + ".prop", stem + ".sym"}
		for k := 1; k < len(names); k++ {
			data, err := os.ReadFile(beside(table, cells[k]))
			if err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(dir, names[k]), data, 0o666); err != nil {
				return err
			}
		}
		t.Rows[i] = names
		return nil
	})
	return t, err
}

// beside returns the path of a file that a table names: relative names are those of files
// beside it.
func beside(table, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.Dir(table), name)
}
