package steps

import (
	"bytes"
	"cmp"
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

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/filetable"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/llvmir"
	"github.com/rules-sycl/rules_sycl/sycl/postlink"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/release"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
	"github.com/rules-sycl/rules_sycl/tools/internal/command"
	"github.com/rules-sycl/rules_sycl/tools/internal/devices"
	"github.com/rules-sycl/rules_sycl/tools/internal/reading"
)

// PostLink splits linked device code into modules.
type PostLink struct {
	Split                            string // a [postlink.SplitMode], or DPC++'s name of one
	Opt, LLVMDis                     string // paths
	Text                             bool   // write text, with Opt too
	Output                           string // the table of all modules
	IROnly                           bool   // Output is one module of all code instead
	TargetOutputs                    []TargetOutput
	OutDir                           string // where their files are, "" for beside the table
	Modules                          cli.Strings
	KernelsOnly, ESIMD, Dependencies bool   // as postlink.SplitOptions has them
	NoKernels                        bool   // whether it is fine that there is no kernel
	Source                           string // of all code, when that does not say it
	Exclude                          cli.Strings
	EmulateFP64Conversions           bool
	SYCLBINKernelNames               bool // as postlink.Options has it
	Fixed, Configs                   cli.Strings
	Runtime                          *release.Release // whose numbers of aspects property files have, nil for 2026
	WarningsAsErrors                 bool
	NoProperties, NoSymbols          bool                      // columns that the table lacks
	Sets                             *postlink.PropertyOptions // nil for DriverSets
}

// DriverSets returns what DPC++'s driver asks its post-link step for.
func DriverSets() *postlink.PropertyOptions {
	return &postlink.PropertyOptions{ParamInfo: true, ExportedSymbols: true, ImportedSymbols: true, KernelNames: true, DeviceGlobals: true}
}

// A TargetOutput is a table with the modules that a target can take. Their property
// files are the target's own.
type TargetOutput struct{ Target, File string }

// addOutput reads [TARGET,]FILE. Without a target it is the table of all modules.
func (o *PostLink) addOutput(v string, all *string) error {
	target, file, ok := strings.Cut(v, ",")
	switch {
	case !ok && *all != "":
		return errors.New("there is a table of all modules already")
	case !ok:
		*all = v
	case target == "" || file == "" || strings.ContainsAny(target, `/\`):
		return errors.New("it is not TARGET,FILE")
	default:
		o.TargetOutputs = append(o.TargetOutputs, TargetOutput{target, file})
	}
	return nil
}

// dpcppModes are the split modes as DPC++'s post-link step calls them.
var dpcppModes = map[string]postlink.SplitMode{"kernel": postlink.SplitPerKernel, "source": postlink.SplitPerSource, "none": postlink.SplitOff}

// mode returns the split mode, "" when there is none of that name.
func (o *PostLink) mode() postlink.SplitMode {
	if mode, ok := dpcppModes[o.Split]; ok {
		return mode
	}
	if mode := postlink.SplitMode(o.Split); slices.Contains(postlink.SplitModes, mode) {
		return mode
	}
	return ""
}

// Setup declares the flags.
func (o *PostLink) Setup(fs *flag.FlagSet) cli.Run {
	names := make([]string, len(postlink.SplitModes))
	for i, m := range postlink.SplitModes {
		names[i] = string(m)
	}
	fs.StringVar(&o.Split, "split", string(postlink.SplitAuto), "which kernels become one module: `"+strings.Join(names, "|")+"`; or DPC++'s kernel, source, none")
	fs.StringVar(&o.Opt, "opt", "", "`path` of LLVM's opt, which cleans modules up and writes them as bitcode")
	fs.BoolVar(&o.Text, "S", false, "write modules as text, with --opt too")
	fs.StringVar(&o.LLVMDis, "llvm-dis", "", "`path` of llvm-dis (required for bitcode)")
	fs.StringVar(&o.Output, "output", "", "write the file table of the modules to this `file`")
	all := ""
	fs.Func("o", "`[TARGET,]FILE`: as --output; with a target the table has the modules that it can take, with property files that name it; may be repeated",
		func(v string) error { return o.addOutput(v, &all) })
	fs.BoolVar(&o.IROnly, "ir-output-only", false, "do not split; --output is one module of all that kernels reach, without a table and property files")
	fs.StringVar(&o.OutDir, "out-dir", "", "write the modules of --output to this `folder`, instead of beside the table")
	fs.Var(&o.Modules, "module", "`SOURCE=FOLDER`: write the modules of a source to a folder and their table to FOLDER.table; may be repeated")
	fs.BoolVar(&o.KernelsOnly, "emit-only-kernels-as-entry-points", false, "SYCL_EXTERNAL functions are in the modules of their callers only")
	fs.BoolVar(&o.ESIMD, "split-esimd", false, "keep explicit SIMD code and other code apart")
	fs.StringVar(&o.Source, "source", "", "`name` of the source that all code is of, for code that 'devicec link' has not told it")
	fs.BoolVar(&o.NoKernels, "allow-no-kernels", false, "without a kernel the table has no rows, instead of failing")
	fs.BoolVar(&o.Dependencies, "allow-device-image-dependencies", false, "a module may use what another one defines")
	o.Exclude.Split = true
	fs.Var(&o.Exclude, "sycl-propagate-aspects-usage-exclude-aspects", "`aspects`, separated by commas, that no function gets from its code or from what it calls, unless one declares them; warnings are about them too")
	fs.BoolVar(&o.EmulateFP64Conversions, "fsycl-fp64-conv-emu", false, "code that only moves or converts a double needs no fp64, as the device's compiler replaces it")
	fs.Var(&o.Fixed, "fixed-targets", "`A,B`: the only targets that the kernels are for; may be repeated")
	fs.Var(&o.Configs, "device-config-file", "`file` with devices, in place of those of the same name that are known; may be repeated")
	fs.BoolVar(&o.SYCLBINKernelNames, "syclbin-kernel-names", false, "kernels get the names by which ext_oneapi_get_kernel finds them in a SYCLBIN: with "+kernelname.Prefix+" before")
	reading.ReleaseFlag(fs, &o.Runtime, "runtime", "`release` of the runtime that the images are for, whose numbers of aspects property files get: "+release.Names()+" (default 2026)")
	fs.BoolVar(&o.WarningsAsErrors, "warnings-as-errors", false, "fail when there is a warning")
	sets := DriverSets()
	o.Sets = sets
	properties := fs.Bool("properties", true, "write property files")
	symbols := fs.Bool("symbols", true, "write symbol files")
	fs.BoolVar(&sets.ParamInfo, "emit-param-info", sets.ParamInfo, "properties tell which parameters of kernels were removed")
	fs.BoolVar(&sets.ExportedSymbols, "emit-exported-symbols", sets.ExportedSymbols, "properties list the functions that other images may import")
	fs.BoolVar(&sets.ImportedSymbols, "emit-imported-symbols", sets.ImportedSymbols, "properties list the functions that other images have to define")
	fs.BoolVar(&sets.KernelNames, "emit-kernel-names", sets.KernelNames, "properties list the kernels")
	fs.BoolVar(&sets.DeviceGlobals, "device-globals", sets.DeviceGlobals, "properties list the device globals")
	fs.BoolVar(&sets.ProgramMetadata, "emit-program-metadata", sets.ProgramMetadata, "properties have the sizes of each kernel and the symbols of device globals; for NVPTX and AMDGCN always")
	return func(ctx context.Context, env *cli.Env, args []string) error {
		o.NoProperties, o.NoSymbols = !*properties, !*symbols
		switch {
		case all != "" && o.Output != "":
			return cli.Usagef("--output and -o both name the table of all modules")
		case all != "":
			o.Output = all
		}
		return o.Run(ctx, env, args)
	}
}

// Run splits the module that is the only argument.
func (o *PostLink) Run(ctx context.Context, env *cli.Env, args []string) error {
	switch {
	case len(args) != 1:
		return cli.Usagef("one input file is needed, %d are given", len(args))
	case o.mode() == "":
		return cli.Usagef("--split: '%s' is none of %s", o.Split, strings.Join(strings.Fields(fmt.Sprint(postlink.SplitModes)), " "))
	case (o.first() == "") == (len(o.Modules.Values) == 0):
		return cli.Usagef("give either --output, for a table of all modules, or --module, for one of each source")
	}
	if o.IROnly {
		for _, other := range []struct {
			flag  string
			given bool
		}{
			{"split=" + o.Split, o.mode() != postlink.SplitAuto && o.mode() != postlink.SplitOff},
			{"split-esimd", o.ESIMD},
			{"module", len(o.Modules.Values) > 0},
			{"out-dir", o.OutDir != ""},
			{"o=TARGET,FILE", len(o.TargetOutputs) > 0},
		} {
			if other.given {
				return cli.Usagef("--%s can't be used with --ir-output-only", other.flag)
			}
		}
	}
	if o.OutDir != "" && o.first() == "" {
		return cli.Usagef("--out-dir goes with --output; --module has folders of its own")
	}
	bySource := map[string]*imageTable{}
	list := []*imageTable{{file: o.Output, folder: o.OutDir, base: strings.TrimSuffix(o.first(), ".table") + "_"}}
	if o.OutDir != "" {
		list[0].base = filepath.Join(o.OutDir, filepath.Base(list[0].base))
	}
	if len(o.Modules.Values) > 0 {
		list = nil
	}
	for _, v := range o.Modules.Values {
		source, folder, ok := strings.Cut(v, "=")
		if !ok || folder == "" {
			return cli.Usagef("--module: '%s' is not SOURCE=FOLDER", v)
		}
		if bySource[source] != nil {
			return cli.Usagef("--module: '%s' is given twice", source)
		}
		bySource[source] = &imageTable{file: folder + ".table", folder: folder, base: folder + "/"}
		list = append(list, bySource[source])
	}
	config, err := devices.Load(env.Stderr, o.Configs.Values)
	if err != nil {
		return err
	}
	m, err := o.read(ctx, env, args[0])
	if err != nil {
		return err
	}
	if o.Source != "" {
		if m, err = marked(m, o.Source, args[0]); err != nil {
			return err
		}
	}
	run := postlink.Options{
		Split:              postlink.SplitOptions{Mode: o.mode(), Whole: o.IROnly, KernelsOnly: o.KernelsOnly, ESIMD: o.ESIMD, Dependencies: o.Dependencies},
		SYCLBINKernelNames: o.SYCLBINKernelNames,
	}
	run.Aspects.Exclude = o.Exclude.Values
	run.Aspects.EmulateFP64Conversions = o.EmulateFP64Conversions
	if len(o.Fixed.Values) > 0 {
		run.Aspects.FixedTargets = strings.Split(strings.Join(o.Fixed.Values, ","), ",")
		run.Aspects.Devices = config
	}
	result, err := postlink.Run(m, run)
	if err != nil {
		return cli.BadInput(fmt.Errorf("%s: %w", args[0], err))
	}
	wrong := 0
	for _, d := range result.Diagnostics {
		fmt.Fprintln(env.Stderr, d)
		if d.Severity == postlink.Error {
			wrong++
		}
	}
	switch n := len(result.Diagnostics); {
	case wrong > 0:
		return cli.BadInput(fmt.Errorf("%s: errors in the device code: %d", args[0], wrong))
	case n > 0 && o.WarningsAsErrors:
		return cli.No(fmt.Errorf("%d warnings, which count as errors", n))
	}
	if o.IROnly {
		return o.writeIR(ctx, env, m, result.Images[0], run.Split)
	}
	if len(result.Images[0].EntryPoints) == 0 {
		if !o.NoKernels {
			return cli.BadInput(fmt.Errorf("%s: there is no kernel in any source", args[0]))
		}
		result.Images = nil
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
	return o.write(ctx, env, m, config, list, run.Split, result.DeviceLibraries)
}

// first returns the first table of all modules, after which files are named.
func (o *PostLink) first() string {
	if o.Output == "" && len(o.TargetOutputs) > 0 {
		return o.TargetOutputs[0].File
	}
	return o.Output
}

// marked returns a module whose code says that it is of a source.
func marked(m *llvmir.Module, source, name string) (*llvmir.Module, error) {
	if err := postlink.MarkSource(m, source); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var text bytes.Buffer
	if _, err := m.WriteTo(&text); err != nil {
		return nil, err
	}
	return llvmir.Parse(name, text.Bytes())
}

// read parses a module, disassembling it when it is bitcode.
func (o *PostLink) read(ctx context.Context, env *cli.Env, name string) (*llvmir.Module, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	m, err := llvmir.Parse(name, text)
	var bitcode *llvmir.BitcodeError
	if !errors.As(err, &bitcode) {
		return m, err
	}
	if o.LLVMDis == "" {
		return nil, cli.Usagef("%s is LLVM bitcode: give --llvm-dis, the path of llvm-dis", name)
	}
	var out bytes.Buffer
	if err := command.Run(ctx, nil, &out, env.Stderr, o.LLVMDis, name, "-o", "-"); err != nil {
		return nil, err
	}
	return llvmir.Parse(name, out.Bytes())
}

// An imageTable is a file table with the images whose files are beside it.
type imageTable struct {
	file   string
	folder string // of the files, "" when they are beside the table
	base   string // how the names of the files start
	images []*postlink.Image
	rows   []*imageFiles
}

// imageFiles is the files of an image.
type imageFiles struct {
	image                     *postlink.Image
	code, properties, symbols string // where they will be
	scratch                   string // where the code is, when opt has written it
	sets, names               []byte // the content of the other two
	targets                   []targetProperties
}

// targetProperties is an image for one of the targets with a table of their own.
type targetProperties struct {
	file string
	sets []byte
	kept bool
}

// write writes all images, and only when all of them are good anything to its place.
func (o *PostLink) write(ctx context.Context, env *cli.Env, m *llvmir.Module, config *deviceconfig.Config, tables []*imageTable, split postlink.SplitOptions, libraries bool) error {
	scratch, err := os.MkdirTemp("", "postlink")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	ext := ".ll"
	if o.Opt != "" && !o.Text {
		ext = ".bc"
	}
	var rows []*imageFiles
	for _, t := range tables {
		for i, image := range t.images {
			name := t.base + strconv.Itoa(i)
			if image.ESIMD {
				name += "_esimd"
			}
			r := &imageFiles{image: image, code: name + ext, properties: name + ".prop", symbols: name + ".sym"}
			if o.Opt != "" {
				r.scratch = filepath.Join(scratch, strconv.Itoa(len(rows))+ext)
			}
			t.rows = append(t.rows, r)
			rows = append(rows, r)
		}
	}
	properties, err := postlink.NewPropertyWriter(m)
	if err != nil {
		return err
	}
	sets := o.Sets
	if sets == nil {
		sets = DriverSets()
	}
	own := *sets
	own.DeviceLibraries, own.Before2026 = libraries, o.Runtime == release.Before2026()
	workers := runtime.GOMAXPROCS(0)
	err = command.ForEach(workers, len(rows), func(i int) error {
		if err := o.describe(m, properties, rows[i], split, own); err != nil {
			return err
		}
		if err := o.describeTargets(m, config, properties, rows[i], split, own); err != nil || o.Opt == "" {
			return err
		}
		return o.optimize(ctx, env, m, rows[i], split)
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
	}
	if err := command.ForEach(workers, len(rows), func(i int) error { return o.put(m, rows[i], split) }); err != nil {
		return err
	}
	for k, output := range o.TargetOutputs {
		if _, ok := config.Lookup(output.Target); !ok {
			fmt.Fprintf(env.Stderr, "warning: the target '%s' is not in the device configuration, so its table has all modules\n", output.Target)
		}
		out := &filetable.Table{Columns: o.columns(filetable.Code, filetable.Properties, filetable.Symbols)}
		for _, r := range rows {
			if r.targets[k].kept {
				out.Rows = append(out.Rows, o.columns(r.code, r.targets[k].file, r.symbols))
			}
		}
		if err := cli.WriteFile(output.File, out.Write); err != nil {
			return err
		}
	}
	for _, t := range tables {
		if t.file == "" {
			continue // there are tables of targets only
		}
		out := &filetable.Table{Columns: o.columns(filetable.Code, filetable.Properties, filetable.Symbols)}
		for _, r := range t.rows {
			out.Rows = append(out.Rows, o.columns(r.code, r.properties, r.symbols))
		}
		if err := cli.WriteFile(t.file, out.Write); err != nil {
			return err
		}
	}
	return nil
}

// writeIR writes the only image to the output file.
func (o *PostLink) writeIR(ctx context.Context, env *cli.Env, m *llvmir.Module, image *postlink.Image, split postlink.SplitOptions) error {
	if o.Opt == "" {
		return cli.WriteFile(o.Output, func(w io.Writer) error { return image.WriteTo(w, m, split) })
	}
	scratch, err := os.MkdirTemp("", "postlink")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	r := &imageFiles{image: image, scratch: filepath.Join(scratch, "ir")}
	if err := o.optimize(ctx, env, m, r, split); err != nil {
		return err
	}
	return cli.WriteFile(o.Output, func(w io.Writer) error { return copyFrom(r.scratch, w) })
}

// columns returns what a row has of the three.
func (o *PostLink) columns(code, properties, symbols string) []string {
	list := []string{code}
	if !o.NoProperties {
		list = append(list, properties)
	}
	if !o.NoSymbols {
		list = append(list, symbols)
	}
	return list
}

// put writes the files of an image.
func (o *PostLink) put(m *llvmir.Module, r *imageFiles, split postlink.SplitOptions) error {
	code := func(w io.Writer) error { return r.image.WriteTo(w, m, split) }
	if r.scratch != "" {
		code = func(w io.Writer) error { return copyFrom(r.scratch, w) }
	}
	if err := cli.WriteFile(r.code, code); err != nil {
		return err
	}
	text := func(wanted bool, file string, content []byte) error {
		if !wanted {
			return nil
		}
		return cli.WriteFile(file, func(w io.Writer) error { _, err := w.Write(content); return err })
	}
	if err := text(!o.NoProperties && (o.Output != "" || len(o.TargetOutputs) == 0), r.properties, r.sets); err != nil {
		return err
	}
	for _, t := range r.targets {
		if err := text(!o.NoProperties, t.file, t.sets); err != nil {
			return err
		}
	}
	return text(!o.NoSymbols, r.symbols, r.names)
}

// describe finds the property sets and symbols of an image.
func (o *PostLink) describe(m *llvmir.Module, w *postlink.PropertyWriter, r *imageFiles, split postlink.SplitOptions, p postlink.PropertyOptions) error {
	sets, err := r.propertySets(m, w, split, p)
	if err != nil {
		return err
	}
	if r.sets, err = o.text(sets); err != nil {
		return cli.BadInput(err)
	}
	names, err := postlink.Symbols(r.image.EntryPoints)
	r.names = []byte(names)
	return err
}

// text returns property sets as the release has them for which they are.
func (o *PostLink) text(sets *propset.Registry) ([]byte, error) {
	sets, err := cmp.Or(o.Runtime, release.Newest()).Write(sets)
	if err != nil {
		return nil, err
	}
	return sets.MarshalText()
}

// describeTargets finds the property sets for each target with a table of its own.
func (o *PostLink) describeTargets(m *llvmir.Module, config *deviceconfig.Config, w *postlink.PropertyWriter, r *imageFiles, split postlink.SplitOptions, p postlink.PropertyOptions) error {
	for _, output := range o.TargetOutputs {
		p.CompileTarget = ""
		sets, err := r.propertySets(m, w, split, p)
		if err != nil {
			return err
		}
		t := targetProperties{file: strings.TrimSuffix(r.properties, ".prop") + "." + output.Target + ".prop", kept: true}
		needs, err := requirement.FromProperties(sets)
		if err != nil {
			return err
		}
		if device, ok := config.Lookup(output.Target); ok {
			t.kept, _ = compat.New(config).Keeps(needs, device)
		}
		p.CompileTarget = output.Target
		if sets, err = r.propertySets(m, w, split, p); err != nil {
			return err
		}
		if t.sets, err = o.text(sets); err != nil {
			return cli.BadInput(err)
		}
		r.targets = append(r.targets, t)
	}
	return nil
}

// propertySets returns the property sets of an image.
func (r *imageFiles) propertySets(m *llvmir.Module, w *postlink.PropertyWriter, split postlink.SplitOptions, o postlink.PropertyOptions) (*propset.Registry, error) {
	triple := m.Triple()
	o.ProgramMetadata = o.ProgramMetadata || strings.HasPrefix(triple, "nvptx") || strings.HasPrefix(triple, "amdgcn")
	o.Dependencies = split.Dependencies
	sets, err := r.image.Properties(w, o)
	if err != nil {
		return nil, err
	}
	for _, f := range r.image.EntryPoints {
		if places, ok := postlink.PlacesOf(m, f); ok {
			sets.Add(srcloc.Set).Put(f.Name(), places)
		}
	}
	return sets, nil
}

// optimize writes an image's code to its scratch file, cleaned up.
func (o *PostLink) optimize(ctx context.Context, env *cli.Env, m *llvmir.Module, r *imageFiles, split postlink.SplitOptions) error {
	var text bytes.Buffer
	if err := r.image.WriteTo(&text, m, split); err != nil {
		return err
	}
	args := []string{"-passes=always-inline,globaldce,strip-dead-prototypes", "-", "-o", r.scratch}
	if o.Text {
		args = append(args, "-S")
	}
	// By standard input: a file's name would end up in the bitcode.
	return command.Run(ctx, &text, nil, optWords{env.Stderr}, o.Opt, args...)
}

// copyFrom writes the content of a file.
func copyFrom(name string, w io.Writer) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return err
}

// optWords passes on what opt says, without the warning of newer ones that they have no
// backend for SPIR-V's triple, which no pass needs.
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
