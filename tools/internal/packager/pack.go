package packager

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/inputs"
	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/filetable"
	"github.com/rules-sycl/rules_sycl/sycl/hostbin"
	sycllink "github.com/rules-sycl/rules_sycl/sycl/link"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/release"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	"github.com/rules-sycl/rules_sycl/sycl/syclbin"
	"github.com/rules-sycl/rules_sycl/tools/internal/buildstep"
)

func packCommand() *cli.Command {
	return &cli.Command{
		Name:  "pack",
		Short: "pack file tables and images into a SYCLBIN",
		Long: `
A table belongs to one target: a triple, and an architecture if its images are compiled
for one. It has the column Code and may have the columns Properties and Symbols. Relative
file names are looked up in the current directory, then next to the table.

An image for an architecture gets its own abstract module, whose property compile_target
names the architecture. Kernel names come from the property file. Without kernel names
there, they are the names in the symbol file that are neither exported symbols nor virtual
functions. If an image has no property file, its requirements and kernel names are read
from the image: SPIR-V, PTX, and ELF for Intel, NVIDIA and AMD GPUs. An empty image
without kernel names and symbols is skipped, because its source contains no device code.

The first ten problems that 'packager verify' would report are printed as warnings.`,
		Example: "packager pack --output k.syclbin --table spir64-unknown-unknown=k.table --table spir64_gen-unknown-unknown=intel_gpu_pvc=pvc.table",
		Setup:   func(fs *flag.FlagSet) cli.Run { return new(pack).setup(fs) },
	}
}

type pack struct {
	form
	reading        inputs.Reading
	ir             string
	state          string
	tables, images cli.Strings
	embedded       bool // the file describes images inside a program; no program loads it
	beside         bool // look up relative file names only next to the table
}

// The values of --ir.
const (
	irAny = "any"
	irCPU = "cpu"
)

func (p *pack) setup(fs *flag.FlagSet) cli.Run {
	p.form.flags(fs)
	p.reading.AssumeFlag(fs)
	fs.StringVar(&p.ir, "ir", irAny, "`devices` that may use IR: any, or cpu to make sure that GPUs use native code")
	fs.StringVar(&p.state, "state", syclbin.Executable.String(), "bundle `state` of the file: input, object or executable")
	fs.Var(&p.tables, "table", "`TRIPLE[=ARCH]=FILE`: file table and its target; if FILE contains =, write ARCH even if it is empty; may be repeated")
	fs.BoolVar(&p.embedded, "embedded", false, "describe the images inside a program instead of a file to load: allows zero images and any kernel name")
	fs.BoolVar(&p.beside, "beside-tables", false, "look up relative file names in tables only next to the table, not in the current directory")
	fs.Var(&p.images, "image", "`file=F,triple=T,arch=A,props=P,syms=S`: one image; only file is required; may be repeated")
	return p.run
}

// An input is one image to pack.
type input struct {
	reading            *inputs.Reading
	place              string // location in a table or on the command line, for messages
	dir                string // directory of the table; "" for the current directory
	beside             bool   // look up relative names only in dir
	triple, arch       string
	code, props, names string // files; props and names may be ""
}

func (p *pack) run(ctx context.Context, env *cli.Env, args []string) error {
	o, err := p.form.options()
	if err != nil {
		return err
	}
	state, err := parseState(p.state)
	switch {
	case err != nil:
		return err
	case p.ir != "" && p.ir != irAny && p.ir != irCPU:
		return cli.Usagef("--ir: unknown value '%s'; expected any or cpu", p.ir)
	case len(args) > 0:
		return cli.Usagef("unexpected argument '%s'; pass tables with --table and images with --image", args[0])
	case len(p.tables.Values)+len(p.images.Values) == 0:
		return cli.Usagef("nothing to pack; --table or --image is required")
	}
	inputs, err := p.inputs()
	if err != nil {
		return err
	}
	// The files are small and stay in memory, so frequent garbage collection finds little to free.
	defer debug.SetGCPercent(debug.SetGCPercent(120))
	b, err := p.load(ctx, env, inputs)
	if err != nil {
		return err
	}
	file := b.File(state)
	putState(file)
	if p.embedded { // verify checks rules for files that a program loads
		return create(env, p.output, file, o)
	}
	return writeVerified(env, p.output, file, o)
}

// inputs returns the images named by the flags.
func (p *pack) inputs() ([]input, error) {
	inputs, err := readTables(p.tables.Values)
	if err != nil {
		return nil, err
	}
	for _, v := range p.images.Values {
		in, err := parseImage(v)
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, in)
	}
	if len(inputs) == 0 && !p.embedded {
		return nil, cli.BadInput(errors.New("nothing to pack: all tables are empty. Either no source submits a kernel, or no target can run one; add a kernel or a target"))
	}
	for i := range inputs {
		inputs[i].reading, inputs[i].beside = &p.reading, p.beside
	}
	sortByTarget(inputs)
	return inputs, nil
}

// load builds a SYCLBIN from the images and skips empty ones.
func (p *pack) load(ctx context.Context, env *cli.Env, inputs []input) (*syclbin.Builder, error) {
	loaded, err := loadNonEmpty(ctx, env, inputs)
	if err != nil {
		return nil, err
	}
	if len(loaded) == 0 && !p.embedded {
		return nil, cli.BadInput(errors.New("nothing to pack: all images are empty; check the step that writes them"))
	}
	b := new(syclbin.Builder)
	for _, in := range loaded {
		metadata := in.metadata
		if p.ir == irCPU && in.image.Kind == syclbin.IRModule {
			metadata = requirement.WithAspect(metadata, aspect.CPU)
		}
		identity := strings.Join(in.names, "\n") // identifies the split module, together with its metadata
		if err := b.Add(identity, metadata, in.image); err != nil {
			return nil, fmt.Errorf("%s: %w", in.place, err)
		}
	}
	return b, nil
}

func putState(file *syclbin.File) {
	file.Global.Add(propset.SYCLBINGlobal).Put("state", propset.Uint(uint32(file.State)))
}

// writeVerified writes a SYCLBIN and prints its first problems as warnings.
func writeVerified(env *cli.Env, name string, file *syclbin.File, o syclbin.Options) error {
	list, err := writeFound(env, name, file, o)
	if err != nil {
		return err
	}
	inputs.Warn(env, name, list)
	return nil
}

// writeFound writes a SYCLBIN and returns the problems that verification finds.
func writeFound(env *cli.Env, name string, file *syclbin.File, o syclbin.Options) ([]syclbin.Finding, error) {
	putState(file)
	findings := make(chan []syclbin.Finding, 1)
	go func() { findings <- verifyWritten(file, o) }() // in parallel with writing to disk
	err := create(env, name, file, o)
	return <-findings, err
}

// verifyWritten returns the problems of a file written with these options.
func verifyWritten(file *syclbin.File, o syclbin.Options) []syclbin.Finding {
	return append(sycllink.Verify(file), syclbin.VerifyFor(file, cmp.Or(o.Release, release.Default()))...)
}

// readTables returns the rows of all tables passed with --table.
func readTables(values []string) ([]input, error) {
	var inputs []input
	for _, v := range values {
		rows, err := readTable(v)
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, rows...)
	}
	return inputs, nil
}

// sortByTarget sorts inputs by target, so that the order of flags does not matter. The order of the
// rows of one target is kept.
func sortByTarget(inputs []input) {
	slices.SortStableFunc(inputs, func(a, b input) int {
		return cmp.Or(strings.Compare(a.triple, b.triple), strings.Compare(a.arch, b.arch))
	})
}

// readTable returns the rows of the table in one value of --table.
func readTable(value string) ([]input, error) {
	// The file name may contain = but does not start with it.
	part := strings.SplitN(value, "=", 3)
	if len(part) < 2 || part[len(part)-1] == "" {
		return nil, cli.Usagef("--table: invalid value '%s'; expected TRIPLE[=ARCH]=FILE", value)
	}
	triple, arch, name := part[0], "", part[len(part)-1]
	if len(part) == 3 {
		arch = part[1]
	}
	f, err := cli.OpenTable(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := filetable.NewReader(name, f)
	columns, err := r.Columns()
	if err != nil {
		return nil, err
	}
	code, props, names := slices.Index(columns, filetable.Code), slices.Index(columns, filetable.Properties), slices.Index(columns, filetable.Symbols)
	if code < 0 && len(columns) > 0 {
		return nil, cli.BadInput(fmt.Errorf("%s: missing column %s; expected the first line [%s|%s|%s]", name, filetable.Code, filetable.Code, filetable.Properties, filetable.Symbols))
	}
	var rows []input
	for {
		row, err := r.Next()
		if err == io.EOF {
			return rows, nil
		}
		if err != nil {
			return nil, err
		}
		in := input{place: fmt.Sprintf("%s:%d", name, r.Line()), dir: filepath.Dir(name), triple: triple, arch: arch, code: cli.Moved(name, row[code])}
		if props >= 0 {
			in.props = cli.Moved(name, row[props])
		}
		if names >= 0 {
			in.names = cli.Moved(name, row[names])
		}
		if in.code == "" {
			return nil, cli.BadInput(fmt.Errorf("%s: empty column %s; expected the file name of an image", in.place, filetable.Code))
		}
		rows = append(rows, in)
	}
}

// parseImage parses a value of --image.
func parseImage(value string) (input, error) {
	in := input{place: "--image " + value}
	seen := make(map[string]bool)
	for part := range strings.SplitSeq(value, ",") {
		key, v, ok := strings.Cut(part, "=")
		field, known := map[string]*string{"file": &in.code, "triple": &in.triple, "arch": &in.arch, "props": &in.props, "syms": &in.names}[key]
		switch {
		case !ok || !known:
			return in, cli.Usagef("--image: unknown field '%s'; expected file=, triple=, arch=, props= or syms=", part)
		case seen[key]:
			return in, cli.Usagef("--image: duplicate field '%s'", key)
		}
		seen[key] = true
		*field = v
	}
	if in.code == "" {
		return in, cli.Usagef("--image: missing file= in '%s'", value)
	}
	return in, nil
}

// A loadedInput is an input and the content of its files.
type loadedInput struct {
	*input
	path     string   // path of the image
	names    []string // entries of the symbol file
	metadata *propset.Registry
	image    *syclbin.Image // nil if the image is empty and has no names
}

// loadNonEmpty loads inputs concurrently, because most time goes into opening small files.
// It skips empty images with a warning.
func loadNonEmpty(ctx context.Context, env *cli.Env, inputs []input) ([]loadedInput, error) {
	list := make([]loadedInput, len(inputs))
	const batch = 64                         // inputs per unit of work
	atOnce := min(runtime.GOMAXPROCS(0), 16) // each has up to 3 open files
	err := buildstep.Each(ctx, io.Discard, (len(inputs)+batch-1)/batch, atOnce, func(ctx context.Context, _ io.Writer, part int) (err error) {
		for i := part * batch; i < min((part+1)*batch, len(inputs)); i++ {
			if err := ctx.Err(); err != nil {
				return err
			}
			if list[i], err = inputs[i].load(); err != nil {
				return fmt.Errorf("%s: %w", inputs[i].place, err)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var left tally
	defer left.warn(env)
	return slices.DeleteFunc(list, func(in loadedInput) bool {
		if in.image == nil {
			left.add("no bytes", in.place, fmt.Sprintf("skipping the empty image %s, which has no kernel names", in.code))
		}
		return in.image == nil
	}), nil
}

// load reads the property file, the symbol file and the start of the image.
func (in *input) load() (loadedInput, error) {
	l := loadedInput{input: in}
	f, err := in.open(in.code)
	if err != nil {
		return l, err
	}
	defer f.Close()
	l.path = f.name
	content := &fileSource{path: f.name, size: f.size, opened: f}
	defer func() { content.opened = nil }()
	if l.names, err = in.symbols(); err != nil {
		return l, err
	}
	if l.metadata, err = in.properties(content); err != nil {
		return l, err
	}
	if f.size == 0 {
		if len(l.names) > 0 || named(l.metadata) {
			return l, cli.BadInput(fmt.Errorf("the image %s is empty; its compilation failed or found no device code", f.name))
		}
		return l, nil
	}
	if len(l.names) > 0 && (in.props == "" || l.metadata.Set(propset.KernelNames) == nil) {
		if err := putKernels(l.metadata, l.names, content); err != nil {
			return l, err
		}
		if err := l.metadata.Validate(); err != nil {
			return l, cli.BadInput(fmt.Errorf("%s: %w", in.names, err))
		}
	}
	l.image = syclbin.NewImage(in.triple, in.arch, content)
	return l, nil
}

// named reports whether an image has a name that a program or another image can look up.
func named(r *propset.Registry) bool {
	return slices.ContainsFunc([]string{propset.KernelNames, propset.ExportedSymbols, propset.VirtualFunctions, propset.DeviceGlobals},
		func(set string) bool { return r.Set(set).Len() > 0 })
}

// putKernels sets the kernel names of an image: the kernels among the names in the symbol
// file. A symbol file also lists exported and virtual functions and does not mark virtual ones,
// but the image itself lists its kernels. An image with virtual functions in an unknown
// format has no kernels, because DPC++ keeps the two in separate images.
func putKernels(r *propset.Registry, names []string, content *fileSource) error {
	kernel := func(string) bool { return true }
	if _, ok := r.Set(propset.VirtualFunctions).Get(propset.VirtualFunctionsSet); ok {
		own, err := content.properties()
		if err != nil {
			return err
		}
		kernel = func(name string) bool { _, ok := own.Set(propset.KernelNames).Get(name); return ok }
	}
	exported := r.Set(propset.ExportedSymbols)
	r.Delete(propset.KernelNames)
	set := r.Add(propset.KernelNames)
	for _, name := range names {
		if _, ok := exported.Get(name); !ok && kernel(name) {
			set.Put(name, propset.Uint(1))
		}
	}
	return nil
}

// open opens a file by its name, or else next to the table. A name that matches two
// different files is an error.
func (in *input) open(name string) (*regularFile, error) {
	if in.beside && in.dir != "" && !filepath.IsAbs(name) {
		f, err := openRegular(filepath.Join(in.dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			err = cli.BadInput(fmt.Errorf("%s: no such file next to the table", name))
		}
		return f, err
	}
	f, err := openRegular(name)
	if in.dir == "" || in.dir == "." || filepath.IsAbs(name) {
		if errors.Is(err, fs.ErrNotExist) {
			err = cli.BadInput(fmt.Errorf("%s: no such file", name))
		}
		return f, err
	}
	beside := filepath.Join(in.dir, name)
	if errors.Is(err, fs.ErrNotExist) {
		if f, err = openRegular(beside); errors.Is(err, fs.ErrNotExist) {
			err = cli.BadInput(fmt.Errorf("%s: no such file in the current directory or next to the table", name))
		}
		return f, err
	}
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(beside)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && f.is(info):
		return f, nil
	case err == nil:
		err = cli.BadInput(fmt.Errorf("%s: ambiguous: in the current directory and next to the table, with different contents; use an absolute path in the table", name))
	}
	f.Close()
	return nil, err
}

// read returns the content and the path of a small file.
func (in *input) read(name string) ([]byte, string, error) {
	f, err := in.open(name)
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	if f.size > cli.MaxText {
		return nil, "", cli.BadInput(fmt.Errorf("%s: file too large: %d bytes (limit %d)", f.name, f.size, cli.MaxText))
	}
	data := bytes.NewBuffer(make([]byte, 0, min(f.size, 1<<20)+bytes.MinRead))
	_, err = data.ReadFrom(f)
	return data.Bytes(), f.name, err
}

// properties returns the property sets in the property file of the image or, without one,
// the property sets derived from the image.
func (in *input) properties(content *fileSource) (*propset.Registry, error) {
	if in.props == "" {
		return content.properties()
	}
	data, path, err := in.read(in.props)
	if err != nil {
		return nil, err
	}
	r, err := propset.Parse(path, data)
	if err != nil {
		return nil, err
	}
	r = in.reading.Sets(r)
	for _, s := range r.Sets() {
		if strings.HasPrefix(s.Name, "SYCLBIN/") {
			return nil, cli.BadInput(fmt.Errorf("%s:%d: the set [%s] belongs to a SYCLBIN, not to a device image; remove it", path, s.Line, safetext.Printable(s.Name)))
		}
	}
	return r, nil
}

// symbols returns the lines of the symbol file, which are the names of entry points.
func (in *input) symbols() ([]string, error) {
	if in.names == "" {
		return nil, nil
	}
	data, _, err := in.read(in.names)
	if err != nil {
		return nil, err
	}
	var names []string
	for line := range strings.Lines(string(data)) {
		if name := strings.TrimRight(line, "\r\n"); name != "" {
			names = append(names, name)
		}
	}
	return names, nil
}

// A fileSource is the content of a file that is opened on demand, because there may be more
// files than a process can have open.
type fileSource struct {
	path   string
	size   int64
	opened *regularFile // open only while the start of the file is examined
}

func (s *fileSource) Size() int64 { return s.size }

func (s *fileSource) ReadAt(b []byte, offset int64) (int, error) {
	if s.opened != nil {
		return s.opened.ReadAt(b, offset)
	}
	f, err := openRegular(s.path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return f.ReadAt(b, offset)
}

// CopyTo implements [offload.Copier].
func (s *fileSource) CopyTo(w io.Writer, buf []byte) (int64, error) {
	if p, ok := w.(*segmentWriter); ok {
		return p.copyLater(s)
	}
	f, err := openRegular(s.path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return io.CopyBuffer(struct{ io.Writer }{w}, io.LimitReader(f, s.size), buf)
}

// properties calls [hostbin.Properties] and adds the file name to errors.
func (s *fileSource) properties() (*propset.Registry, error) {
	r, err := hostbin.Properties(s)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.path, err)
	}
	return r, nil
}
