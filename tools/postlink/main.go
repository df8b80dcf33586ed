// Command postlink splits linked SYCL device code into modules.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/filetable"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/llvmir"
	"github.com/rules-sycl/rules_sycl/sycl/postlink"
	"github.com/rules-sycl/rules_sycl/tools/internal/cli"
	"github.com/rules-sycl/rules_sycl/tools/internal/command"
	"github.com/rules-sycl/rules_sycl/tools/internal/devices"
)

func main() { tool().Main() }

func tool() *cli.Tool {
	return &cli.Tool{
		Name:  "postlink",
		Short: "split linked SYCL device code into modules",
		Commands: []*cli.Command{{
			Args:  "IN.ll|IN.bc",
			Short: "split linked SYCL device code into modules",
			Long: `
Finds the aspects that each function uses, and writes the modules of kernels that
belong together and need the same, each with what its kernels reach and nothing
else. A function that kernels reach and nobody defines is an error.

Beside OUT.table there are OUT_0, OUT_1 and so on: LLVM IR (.ll, or .bc with --opt),
property sets (.prop) and symbols (.sym). With --module the modules of each source have a folder and a
table of their own.`,
			Example: "postlink --split per_kernel --llvm-dis llvm-dis-21 --opt opt-21 --output k.table linked.bc",
			Setup:   func(fs *flag.FlagSet) cli.Run { return new(options).setup(fs) },
		}},
	}
}

type options struct {
	split, opt, dis, output       string
	kernelsOnly, esimd, dependent bool
	fixed                         cli.Strings
	configs, modules              cli.Strings
	warningsAsErrors              bool
}

func (o *options) setup(fs *flag.FlagSet) cli.Run {
	names := make([]string, len(postlink.SplitModes))
	for i, m := range postlink.SplitModes {
		names[i] = string(m)
	}
	fs.StringVar(&o.split, "split", string(postlink.SplitAuto), "which kernels become one module: `"+strings.Join(names, "|")+"`")
	fs.StringVar(&o.opt, "opt", "", "`path` of LLVM's opt, which cleans modules up and writes them as bitcode")
	fs.StringVar(&o.dis, "llvm-dis", "", "`path` of llvm-dis (required for bitcode)")
	fs.StringVar(&o.output, "output", "", "write the file table of the modules to this `file`")
	fs.Var(&o.modules, "module", "`SOURCE=FOLDER`: write the modules of a source to a folder and their table to FOLDER.table; may be repeated")
	fs.BoolVar(&o.kernelsOnly, "emit-only-kernels-as-entry-points", false, "SYCL_EXTERNAL functions are in the modules of their callers only")
	fs.BoolVar(&o.esimd, "split-esimd", false, "keep explicit SIMD code and other code apart")
	fs.BoolVar(&o.dependent, "allow-device-image-dependencies", false, "a module may use what another one defines")
	fs.Var(&o.fixed, "fixed-targets", "`A,B`: the only targets that the kernels are for; may be repeated")
	fs.Var(&o.configs, "device-config-file", "`file` with devices, in place of those of the same name that are known; may be repeated")
	fs.BoolVar(&o.warningsAsErrors, "warnings-as-errors", false, "fail when there is a warning")
	return o.run
}

func (o *options) run(ctx context.Context, env *cli.Env, args []string) error {
	switch {
	case len(args) != 1:
		return cli.Usagef("one input file is needed, %d are given", len(args))
	case !slices.Contains(postlink.SplitModes, postlink.SplitMode(o.split)):
		return cli.Usagef("--split: '%s' is none of %s", o.split, strings.Join(strings.Fields(fmt.Sprint(postlink.SplitModes)), " "))
	case (o.output == "") == (len(o.modules.Values) == 0):
		return cli.Usagef("give either --output, for a table of all modules, or --module, for one of each source")
	}
	bySource := map[string]*table{}
	list := []*table{{file: o.output, base: strings.TrimSuffix(o.output, ".table") + "_"}}
	if len(o.modules.Values) > 0 {
		list = nil
	}
	for _, v := range o.modules.Values {
		source, folder, ok := strings.Cut(v, "=")
		if !ok || folder == "" {
			return cli.Usagef("--module: '%s' is not SOURCE=FOLDER", v)
		}
		if bySource[source] != nil {
			return cli.Usagef("--module: '%s' is given twice", source)
		}
		bySource[source] = &table{file: folder + ".table", folder: folder, base: folder + "/"}
		list = append(list, bySource[source])
	}
	config, err := devices.Load(env, o.configs.Values)
	if err != nil {
		return err
	}
	m, err := o.read(ctx, env, args[0])
	if err != nil {
		return err
	}
	run := postlink.Options{
		Split: postlink.SplitOptions{Mode: postlink.SplitMode(o.split), KernelsOnly: o.kernelsOnly, ESIMD: o.esimd, Dependencies: o.dependent},
	}
	if len(o.fixed.Values) > 0 {
		run.Aspects.FixedTargets = strings.Split(strings.Join(o.fixed.Values, ","), ",")
		run.Aspects.Devices = config
	}
	result, err := postlink.Run(m, run)
	if err != nil {
		return cli.BadInput(fmt.Errorf("%s: %w", args[0], err))
	}
	for _, d := range result.Diagnostics {
		fmt.Fprintln(env.Stderr, d)
	}
	if n := len(result.Diagnostics); n > 0 && o.warningsAsErrors {
		return cli.No(fmt.Errorf("%d warnings, which count as errors", n))
	}
	if len(result.Images[0].EntryPoints) == 0 {
		return cli.BadInput(fmt.Errorf("%s: there is no kernel in any source", args[0]))
	}

	for _, image := range result.Images {
		t := list[0]
		if len(bySource) > 0 {
			t = bySource[image.Source]
		}
		if t == nil {
			return cli.BadInput(fmt.Errorf("%s: kernel '%s' comes from source '%s', which no --module names",
				args[0], kernelname.Display(image.EntryPoints[0].Name()), image.Source))
		}
		t.images = append(t.images, image)
	}
	return o.write(ctx, env, m, list, run.Split)
}

// read parses a module, disassembling it when it is bitcode.
func (o *options) read(ctx context.Context, env *cli.Env, name string) (*llvmir.Module, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	m, err := llvmir.Parse(name, text)
	var bitcode *llvmir.BitcodeError
	if !errors.As(err, &bitcode) {
		return m, err
	}
	if o.dis == "" {
		return nil, cli.Usagef("%s is LLVM bitcode: give --llvm-dis, the path of llvm-dis", name)
	}
	var out bytes.Buffer
	if err := command.Run(ctx, nil, &out, env.Stderr, o.dis, name, "-o", "-"); err != nil {
		return nil, err
	}
	return llvmir.Parse(name, out.Bytes())
}

// A table is a file table with the images whose files are beside it.
type table struct {
	file   string
	folder string // of the files, "" when they are beside the table
	base   string // how the names of the files start
	images []*postlink.Image
	rows   []*row
}

// row is the files of an image.
type row struct {
	image                     *postlink.Image
	code, properties, symbols string // where they will be
	scratch                   string // where the code is
	sets, names               []byte // the content of the other two
}

// write writes all images, and only when all of them are good anything to its place.
func (o *options) write(ctx context.Context, env *cli.Env, m *llvmir.Module, tables []*table, split postlink.SplitOptions) error {
	scratch, err := os.MkdirTemp("", "postlink")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	ext := ".ll"
	if o.opt != "" {
		ext = ".bc"
	}
	var rows []*row
	for _, t := range tables {
		for i, image := range t.images {
			name := t.base + strconv.Itoa(i)
			if image.ESIMD {
				name += "_esimd"
			}
			r := &row{image: image, code: name + ext, properties: name + ".prop", symbols: name + ".sym", scratch: filepath.Join(scratch, strconv.Itoa(len(rows))+ext)}
			t.rows = append(t.rows, r)
			rows = append(rows, r)
		}
	}
	properties, err := postlink.NewPropertyWriter(m)
	if err != nil {
		return err
	}
	err = command.ForEach(runtime.GOMAXPROCS(0), len(rows), func(i int) error {
		if err := rows[i].describe(m, properties, split); err != nil {
			return err
		}
		return o.code(ctx, env, m, rows[i], split)
	})
	if err != nil {
		return err
	}
	for _, t := range tables {
		if t.folder != "" {
			if err := os.MkdirAll(t.folder, 0o777); err != nil {
				return err
			}
		}
		out := &filetable.Table{Columns: []string{filetable.Code, filetable.Properties, filetable.Symbols}}
		for _, r := range t.rows {
			if err := move(r.scratch, r.code); err != nil {
				return err
			}
			for name, content := range map[string][]byte{r.properties: r.sets, r.symbols: r.names} {
				if err := cli.WriteFile(name, func(w io.Writer) error { _, err := w.Write(content); return err }); err != nil {
					return err
				}
			}
			out.Rows = append(out.Rows, []string{r.code, r.properties, r.symbols})
		}
		if err := cli.WriteFile(t.file, out.Write); err != nil {
			return err
		}
	}
	return nil
}

// describe finds the property sets and symbols of an image: all that DPC++'s driver
// asks its post-link step for.
func (r *row) describe(m *llvmir.Module, w *postlink.PropertyWriter, split postlink.SplitOptions) error {
	triple := m.Triple()
	sets, err := r.image.Properties(w, postlink.PropertyOptions{
		ParamInfo: true, ExportedSymbols: true, ImportedSymbols: true, KernelNames: true, DeviceGlobals: true,
		ProgramMetadata: strings.HasPrefix(triple, "nvptx") || strings.HasPrefix(triple, "amdgcn"),
		Dependencies:    split.Dependencies,
	})
	if err != nil {
		return err
	}
	if r.sets, err = sets.MarshalText(); err != nil {
		return cli.BadInput(err)
	}
	names, err := postlink.Symbols(r.image.EntryPoints)
	r.names = []byte(names)
	return err
}

// code writes an image's code to its scratch file.
func (o *options) code(ctx context.Context, env *cli.Env, m *llvmir.Module, r *row, split postlink.SplitOptions) error {
	var text bytes.Buffer
	if err := r.image.WriteTo(&text, m, split); err != nil {
		return err
	}
	if o.opt == "" {
		return os.WriteFile(r.scratch, text.Bytes(), 0o644)
	}
	// By standard input: a file's name would end up in the bitcode.
	return command.Run(ctx, &text, nil, env.Stderr, o.opt, "-passes=always-inline,globaldce,strip-dead-prototypes", "-", "-o", r.scratch)
}

// move puts a finished file at its place, in one step.
func move(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	return cli.WriteFile(to, func(w io.Writer) error { _, err := io.Copy(w, in); return err })
}
