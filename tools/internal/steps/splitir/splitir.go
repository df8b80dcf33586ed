// Package splitir implements the post-link step, which splits linked device code into modules with
// property sets.
package splitir

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/outfile"
	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/filetable"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/offload"
	"github.com/rules-sycl/rules_sycl/sycl/postlink"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/release"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	"github.com/rules-sycl/rules_sycl/tools/internal/buildstep"
)

// Options holds the options of [Run].
type Options struct {
	Input        string // file with LLVM IR, as text or bitcode; [Stdin] for standard input
	Name         string // what to call the input in messages; "" for Input
	Stdin        io.Reader
	Opt, LLVMDis string // paths of programs; LLVMDis is only needed for bitcode
	FindLLVM     bool   // whether to search PATH for programs that are needed but not set
	Text         bool   // whether to write text even if Opt is set

	// The following options reject code that only DPC++'s own step supports.
	LowerESIMD   bool
	DeviceLibDir string // directory of the bfloat16 libraries

	Run    postlink.Options
	IROnly bool // write one module with all code that kernels reach, without a table, to Output
	Stdout io.Writer

	Output        string // table file for all modules
	TargetOutputs []TargetOutput
	OutDir        string // directory for the modules' files, or "" for the table's directory
	Sources       []SourceDirectory

	AllowNoKernels          bool // write an empty table instead of returning an error; device globals still get an image
	ImageWithoutKernels     bool // write an image for a module without kernels, as DPC++ does
	WarningsAsErrors        bool
	NoProperties, NoSymbols bool                      // columns to omit from tables
	Sets                    *postlink.PropertyOptions // property sets to write; nil for DriverSets
	Devices                 *deviceconfig.Config
	Runtime                 *release.Release // release whose aspect numbers property files use; nil for 2026
	Cache                   *buildstep.Cache // cache of the output of Opt
}

// Stdin is the input name for standard input.
const Stdin = "-"

// stdout is the output name for standard output.
const stdout = "-"

// DriverSets returns the property sets that DPC++'s driver requests from its post-link step.
func DriverSets() *postlink.PropertyOptions {
	return &postlink.PropertyOptions{ParamInfo: true, ExportedSymbols: true, ImportedSymbols: true, KernelNames: true, DeviceGlobals: true}
}

// A TargetOutput is an output table with the modules that a target can run. Their property files
// are specific to the target.
type TargetOutput struct{ Target, File string }

// A SourceDirectory is the output directory for the modules of a source. Their table is
// DIRECTORY.table.
type SourceDirectory struct{ Source, Directory string }

// Run splits linked device code into modules. It writes warnings and compiler output to log.
func Run(ctx context.Context, log io.Writer, o Options) error {
	if o.Input == Stdin {
		o.Input = "<stdin>"
	} else {
		o.Stdin = nil
	}
	m, isText, err := o.read(ctx, log)
	if err != nil {
		return err
	}
	run := o.Run
	run.FromText = isText
	run.Split.Whole = run.Split.Whole || o.IROnly
	if len(run.FixedTargets) > 0 {
		run.Devices = o.Devices
	}
	result, err := postlink.Run(m, run)
	if err != nil {
		return cli.BadInput(o.addName(err))
	}
	if err := o.report(log, result.Diagnostics); err != nil {
		return err
	}
	if err := o.checkImages(log, result.Images); err != nil {
		return err
	}
	if o.IROnly {
		return o.writeIR(ctx, log, result.Images[0])
	}
	images, err := o.withKernels(result.Images)
	if err != nil {
		return err
	}
	tables, err := o.tables(images)
	if err != nil {
		return err
	}
	return o.write(ctx, log, tables)
}

// withKernels removes images without kernels, except an image with device globals, which host
// code looks up by the names in its properties.
func (o *Options) withKernels(images []*postlink.Image) ([]*postlink.Image, error) {
	if o.ImageWithoutKernels || len(images[0].EntryPoints()) > 0 {
		return images, nil
	}
	sets, err := images[0].Properties(postlink.PropertyOptions{DeviceGlobals: true})
	switch {
	case err != nil:
		return nil, cli.BadInput(o.addName(err))
	case sets.Set(propset.DeviceGlobals).Len() > 0:
		return images, nil
	case !o.AllowNoKernels:
		return nil, cli.BadInput(o.addName(errors.New("the sources have neither kernels nor device globals")))
	}
	return nil, nil
}

// name returns the name of the input in messages.
func (o *Options) name() string { return cmp.Or(o.Name, o.Input) }

// addName adds the name of the input to an error.
func (o *Options) addName(err error) error { return fmt.Errorf("%s: %w", o.name(), err) }

// checkImages returns an error for code that only DPC++'s own step supports, and warns about
// explicit SIMD code that DPC++'s step would change.
func (o *Options) checkImages(log io.Writer, images []*postlink.Image) error {
	var warnings []postlink.Diagnostic
	for _, image := range images {
		if err := o.checkImage(image); err != nil {
			return cli.BadInput(o.addName(err))
		}
		if name := image.ExplicitSIMD(); o.LowerESIMD && name != "" {
			warnings = append(warnings, postlink.Diagnostic{Text: fmt.Sprintf("'%s' is explicit SIMD code. --lower-esimd leaves it unchanged, because it contains nothing to lower; only DPC++'s own step also marks it for Intel's compiler of such code",
				kernelname.Display(name))})
		}
	}
	return o.report(log, warnings)
}

// checkImage returns an error for an image that only DPC++'s own step supports.
func (o *Options) checkImage(image *postlink.Image) error {
	if o.LowerESIMD {
		if name := image.SIMDBuiltin(); name != "" {
			return fmt.Errorf("--lower-esimd cannot lower '%s'; use DPC++'s own post-link step for this code, or omit the flag to keep the code unchanged",
				kernelname.Display(name))
		}
	}
	if o.DeviceLibDir == "" {
		return nil
	}
	name, err := image.BFloat16Function()
	if err == nil && name != "" {
		err = fmt.Errorf("--device-lib-dir is not supported for code that calls '%s', because it requires images of the bfloat16 libraries; use DPC++'s own post-link step for this code, or omit the flag and link the libraries", name)
	}
	return err
}

// maxIR is the maximum size of a module in bytes.
const maxIR int64 = 4 << 30

// read parses the input, after disassembling it if it is bitcode.
func (o *Options) read(ctx context.Context, log io.Writer) (m *postlink.Module, isText bool, err error) {
	text, err := o.readInput()
	if err != nil {
		return nil, false, err
	}
	isText = offload.FormatOf(text) != offload.Bitcode
	if err := o.findLLVM(!isText); err != nil {
		return nil, false, err
	}
	if isText {
		m, err = postlink.Parse(o.name(), text)
		return m, true, err
	}
	if o.LLVMDis == "" {
		return nil, false, cli.Usagef("%s is LLVM bitcode; set --llvm-dis to the path of llvm-dis", o.Input)
	}
	var stdin io.Reader
	name := o.Input
	if o.Stdin != nil {
		stdin, name = bytes.NewReader(text), Stdin
	}
	var out bytes.Buffer
	if err := buildstep.Run(ctx, stdin, &out, log, o.LLVMDis, name, "-o", "-"); err != nil {
		return nil, false, err
	}
	m, err = postlink.Parse(o.name(), out.Bytes())
	return m, false, err
}

// readInput returns the input, which is text or bitcode.
func (o *Options) readInput() ([]byte, error) {
	if o.Stdin == nil {
		return cli.ReadInput(o.Input, "LLVM IR", maxIR)
	}
	text, err := io.ReadAll(io.LimitReader(o.Stdin, maxIR+1))
	switch {
	case err != nil:
		return nil, o.addName(err)
	case len(text) == 0:
		return nil, cli.BadInput(o.addName(errors.New("empty file; expected LLVM IR")))
	case int64(len(text)) > maxIR:
		return nil, cli.BadInput(o.addName(fmt.Errorf("input too large (limit %d bytes)", maxIR)))
	}
	return text, nil
}

// findLLVM searches PATH for required programs whose path is not set.
func (o *Options) findLLVM(isBitcode bool) error {
	if !o.FindLLVM {
		return nil
	}
	var names []string
	var unset []*string
	if o.LLVMDis == "" && isBitcode {
		names, unset = append(names, "llvm-dis"), append(unset, &o.LLVMDis)
	}
	if o.Opt == "" && !o.Text {
		names, unset = append(names, "opt"), append(unset, &o.Opt)
	}
	paths, err := buildstep.FindLLVM(buildstep.OldestLLVM, names...)
	if err != nil {
		return fmt.Errorf("%w, or set --%s", err, names[0])
	}
	for i, path := range paths {
		*unset[i] = path
	}
	return nil
}

// report writes diagnostics, and returns an error if any of them is an error.
func (o *Options) report(log io.Writer, list []postlink.Diagnostic) error {
	wrong := 0
	for _, d := range list {
		fmt.Fprintln(log, d)
		if d.IsError {
			wrong++
		}
	}
	switch {
	case wrong > 0:
		return cli.BadInput(o.addName(fmt.Errorf("errors in the device code: %d", wrong)))
	case len(list) > 0 && o.WarningsAsErrors:
		return cli.No(fmt.Errorf("warnings treated as errors: %d", len(list)))
	}
	return nil
}

// first returns the first table of all modules, from which file names are derived.
func (o *Options) first() string {
	if o.Output == "" && len(o.TargetOutputs) > 0 {
		return o.TargetOutputs[0].File
	}
	return o.Output
}

// An imageTable is a file table and its images.
type imageTable struct {
	file string // "" if there are only tables for targets
	dir  string // directory of the files, or "" if they are next to the table
	base string // start of the file names
	rows []*imageFiles
}

// imageFiles holds the output files of an image.
type imageFiles struct {
	image                     *postlink.Image
	code, properties, symbols string // final locations
	sets, names               []byte // content of the property file and the symbol file
	targets                   []targetProperties

	scratch string        // file that the code is written to first
	kept    buildstep.Key // cache key of the code
	made    bool          // whether the code is written
}

// targetProperties is the property file of an image for one target.
type targetProperties struct {
	file string
	sets []byte
	kept bool
}

// tables assigns images to the tables of their sources, or to a single table.
func (o *Options) tables(images []*postlink.Image) ([]*imageTable, error) {
	var list []*imageTable
	bySource := map[string]*imageTable{}
	for _, s := range o.Sources {
		t := &imageTable{file: s.Directory + ".table", dir: s.Directory, base: s.Directory + "/"}
		bySource[s.Source] = t
		list = append(list, t)
	}
	if len(list) == 0 {
		all := &imageTable{file: o.Output, dir: o.OutDir, base: strings.TrimSuffix(o.first(), filepath.Ext(o.first())) + "_"}
		if o.OutDir != "" {
			all.base = filepath.Join(o.OutDir, filepath.Base(all.base))
		}
		list = append(list, all)
	}
	for _, image := range images {
		t := list[0]
		if len(o.Sources) > 0 && len(image.EntryPoints()) > 0 { // variables without kernels do not belong to a source, so the first one gets them
			t = bySource[image.Source]
		}
		if t == nil {
			return nil, cli.BadInput(o.addName(fmt.Errorf("kernel '%s' is defined in source '%s', but there is no --module for it",
				kernelname.Display(image.EntryPoints()[0]), image.Source)))
		}
		o.addRow(t, image)
	}
	return list, nil
}

// extension returns the file name extension of modules.
func (o *Options) extension() string {
	if o.Opt != "" && !o.Text {
		return ".bc"
	}
	return ".ll"
}

// addRow adds a row for an image, and chooses its file names.
func (o *Options) addRow(t *imageTable, image *postlink.Image) {
	number := len(t.rows)
	if len(o.Sources) == 0 {
		number = image.Number
	}
	name := t.base + strconv.Itoa(number)
	if image.ESIMD {
		name = t.base + "esimd_" + strconv.Itoa(number)
	}
	t.rows = append(t.rows, &imageFiles{image: image, code: name + o.extension(), properties: name + ".prop", symbols: name + ".sym"})
}

// write writes all images. It moves them to their final locations only if there is no error.
func (o *Options) write(ctx context.Context, log io.Writer, tables []*imageTable) error {
	var out outfile.Group
	defer out.Close()
	var rows []*imageFiles
	for _, t := range tables {
		if t.dir != "" {
			if _, err := out.Directory(t.dir); err != nil {
				return err
			}
		}
		rows = append(rows, t.rows...)
	}
	lli := ""
	if o.extension() == ".bc" && len(rows) >= fewModules {
		lli = findLLI(o.Opt)
	}
	err := buildstep.Each(ctx, log, len(rows), runtime.GOMAXPROCS(0), func(ctx context.Context, log io.Writer, i int) error {
		return o.makeFiles(ctx, log, rows[i], &out, lli != "")
	})
	if err == nil && lli != "" {
		err = o.clean(ctx, log, lli, rows)
	}
	if err != nil {
		return out.Relabel(err)
	}
	if err := o.writeTargetTables(log, rows, &out); err != nil {
		return err
	}
	for _, t := range tables {
		if err := o.writeTable(t, &out); err != nil {
			return err
		}
	}
	return out.Commit()
}

// makeFiles writes the files of an image. If later is true, it leaves cleaning up the code to
// cleanTogether.
func (o *Options) makeFiles(ctx context.Context, log io.Writer, r *imageFiles, out *outfile.Group, later bool) error {
	if err := o.describe(r); err != nil {
		return err
	}
	if err := o.describeTargets(r); err != nil {
		return err
	}
	var err error
	if r.scratch, err = out.File(r.code); err != nil {
		return err
	}
	if later {
		err = o.prepare(log, r)
	} else {
		err = o.writeCode(ctx, log, r.image, r.scratch)
	}
	if err != nil {
		return err
	}
	return o.writeProperties(r, out)
}

// describe computes the property sets and symbols of an image.
func (o *Options) describe(r *imageFiles) error {
	sets, err := r.image.Properties(o.sets(""))
	if err != nil {
		return err
	}
	if r.sets, err = o.text(sets); err != nil {
		return cli.BadInput(err)
	}
	names, err := r.image.Symbols()
	r.names = []byte(names)
	return err
}

// describeTargets computes the property sets of an image for each target with its own table.
func (o *Options) describeTargets(r *imageFiles) error {
	for _, output := range o.TargetOutputs {
		sets, err := r.image.Properties(o.sets(""))
		if err != nil {
			return err
		}
		t := targetProperties{file: strings.TrimSuffix(r.properties, ".prop") + "." + output.Target + ".prop", kept: true}
		needs, err := requirement.FromProperties(sets)
		if err != nil {
			return err
		}
		if device, ok := o.Devices.Lookup(output.Target); ok {
			t.kept, _ = compat.New(o.Devices).Supports(needs, device)
		}
		if sets, err = r.image.Properties(o.sets(output.Target)); err != nil {
			return err
		}
		if t.sets, err = o.text(sets); err != nil {
			return cli.BadInput(err)
		}
		r.targets = append(r.targets, t)
	}
	return nil
}

// sets returns the property sets to write for a target, or for no particular target if it is "".
func (o *Options) sets(target string) postlink.PropertyOptions {
	sets := o.Sets
	if sets == nil {
		sets = DriverSets()
	}
	own := *sets
	own.Before2026, own.CompileTarget = o.Runtime == release.Before2026(), target
	return own
}

// text formats property sets with the aspect numbers of o.Runtime.
func (o *Options) text(sets *propset.Registry) ([]byte, error) {
	sets, err := cmp.Or(o.Runtime, release.Newest()).Write(sets)
	if err != nil {
		return nil, err
	}
	return sets.MarshalText()
}

// writeText writes an image's code as text.
func (o *Options) writeText(image *postlink.Image, w io.Writer) error {
	if len(o.Sources) > 0 || o.Run.Source != "" {
		return image.WriteOwnCode(w) // does not change if other kernels of the source change
	}
	return image.WriteCode(w)
}

// recipe returns the cache recipe for running opt on text.
func (o *Options) recipe(text []byte) buildstep.Recipe {
	args := passes
	if o.Text {
		args = append(passes[:1:1], "-S")
	}
	return buildstep.Recipe{Programs: []string{o.Opt}, Options: args, Input: text}
}

// writeCode writes an image's code to a file, after running opt if it is set.
func (o *Options) writeCode(ctx context.Context, log io.Writer, image *postlink.Image, file string) error {
	if o.Opt == "" && file == stdout {
		return o.writeText(image, o.Stdout)
	}
	if o.Opt == "" {
		f, err := os.Create(file)
		if err != nil {
			return err
		}
		return cmp.Or(o.writeText(image, f), f.Close())
	}
	var text bytes.Buffer
	if err := o.writeText(image, &text); err != nil {
		return err
	}
	recipe := o.recipe(text.Bytes())
	run := func(log io.Writer) error {
		// Use standard input, because opt writes the file name into the bitcode.
		return buildstep.Run(ctx, &text, o.Stdout, optWords{log}, o.Opt, append(slices.Clip(recipe.Options), "-", "-o", file)...)
	}
	if file == stdout {
		return run(log)
	}
	return o.Cache.Make(recipe, file, log, run)
}

// writeProperties writes the property files and the symbol file of an image.
func (o *Options) writeProperties(r *imageFiles, out *outfile.Group) error {
	write := func(file string, content []byte) error {
		return out.Write(file, func(w io.Writer) error { _, err := w.Write(content); return err })
	}
	if !o.NoProperties {
		if o.Output != "" || len(o.TargetOutputs) == 0 {
			if err := write(r.properties, r.sets); err != nil {
				return err
			}
		}
		for _, t := range r.targets {
			if err := write(t.file, t.sets); err != nil {
				return err
			}
		}
	}
	if o.NoSymbols {
		return nil
	}
	return write(r.symbols, r.names)
}

// writeTargetTables writes a table for each target, with the images that it can run.
func (o *Options) writeTargetTables(log io.Writer, rows []*imageFiles, outputs *outfile.Group) error {
	for k, output := range o.TargetOutputs {
		if _, ok := o.Devices.Lookup(output.Target); !ok {
			fmt.Fprintf(log, "warning: the target '%s' is not in the device configuration, so its table has all modules\n", safetext.Escape(output.Target))
		}
		out := o.newTable()
		for _, r := range rows {
			if r.targets[k].kept {
				out.Rows = append(out.Rows, o.columns(r.code, r.targets[k].file, r.symbols))
			}
		}
		if err := outputs.WriteMain(output.File, out.Write); err != nil {
			return err
		}
	}
	return nil
}

// writeTable writes a table for all modules or for one source.
func (o *Options) writeTable(t *imageTable, outputs *outfile.Group) error {
	if t.file == "" {
		return nil
	}
	out := o.newTable()
	for _, r := range t.rows {
		out.Rows = append(out.Rows, o.columns(r.code, r.properties, r.symbols))
	}
	return outputs.WriteMain(t.file, out.Write)
}

func (o *Options) newTable() *filetable.Table {
	return &filetable.Table{Columns: o.columns(filetable.Code, filetable.Properties, filetable.Symbols)}
}

// columns returns the cells of a row, without the columns that the options omit.
func (o *Options) columns(code, properties, symbols string) []string {
	list := []string{code}
	if !o.NoProperties {
		list = append(list, properties)
	}
	if !o.NoSymbols {
		list = append(list, symbols)
	}
	return list
}

// writeIR writes the only image to the output file.
func (o *Options) writeIR(ctx context.Context, log io.Writer, image *postlink.Image) error {
	if o.Output == stdout {
		return o.writeCode(ctx, log, image, stdout)
	}
	var out outfile.Group
	defer out.Close()
	file, err := out.Main(o.Output)
	if err != nil {
		return err
	}
	if err := o.writeCode(ctx, log, image, file); err != nil {
		return out.Relabel(err)
	}
	return out.Commit()
}

// optWords forwards opt's messages, except for the warning in newer releases that there is no
// backend for the SPIR-V triple. The passes do not need one.
type optWords struct{ w io.Writer }

func (o optWords) Write(data []byte) (int, error) {
	for line := range strings.Lines(string(data)) {
		if strings.Contains(line, "failed to create target machine for 'spir") {
			continue
		}
		if _, err := io.WriteString(o.w, line); err != nil {
			return 0, err
		}
	}
	return len(data), nil
}
