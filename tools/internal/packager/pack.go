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
		Short: "file tables and images to one SYCLBIN",
		Long: `
A table is of one target: a triple, and an architecture when its images are
compiled for one. It has the column Code and may have the columns Properties and
Symbols. Files are found from the current folder, else from that of the table.

An image for an architecture gets an abstract module of its own, whose
property compile_target says what it is compiled for. Kernel names are
those of the property file, else those of the symbol file that are neither exported
symbols nor virtual functions. An image without a property file gets its requirements and kernel
names from its own bytes: SPIR-V, PTX, and ELF for Intel, NVIDIA and AMD GPUs. An image without
bytes is left out when no kernel or symbol of it is named: its source has none.

What 'packager verify' would find in the result is printed as warnings, ten at most.`,
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
	embedded       bool // whether no program loads the file
	beside         bool // whether files of tables are beside them
}

// Values of --ir.
const (
	irAny = "any"
	irCPU = "cpu"
)

func (p *pack) setup(fs *flag.FlagSet) cli.Run {
	p.form.flags(fs)
	p.reading.AssumeFlag(fs)
	fs.StringVar(&p.ir, "ir", irAny, "`devices` that IR is for: any, or cpu, so that GPUs certainly take native code and no other ones")
	fs.StringVar(&p.state, "state", syclbin.Executable.String(), "bundle `state`: input, object or executable")
	fs.Var(&p.tables, "table", "`TRIPLE[=ARCH]=FILE`: a file table and its target; when FILE has =, ARCH may be empty but not left out; may be repeated")
	fs.BoolVar(&p.embedded, "embedded", false, "the file only lists the images that a program holds: there may be none, and kernels may have any names")
	fs.BoolVar(&p.beside, "beside-tables", false, "find the files that tables name beside the tables only, not in the current folder")
	fs.Var(&p.images, "image", "`file=F,triple=T,arch=A,props=P,syms=S`: one image, all but file may be left out; may be repeated")
	return p.run
}

// An input is one image to pack.
type input struct {
	reading            *inputs.Reading
	place              string // where it was named, for messages
	dir                string // where its files are, if not in the current folder
	beside             bool   // whether they are in dir only
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
		return cli.Usagef("--ir: '%s' is neither any nor cpu", p.ir)
	case len(args) > 0:
		return cli.Usagef("'%s' is not a flag: tables are given by --table, images by --image", args[0])
	case len(p.tables.Values)+len(p.images.Values) == 0:
		return cli.Usagef("nothing to pack: give --table or --image")
	}
	inputs, err := p.inputs()
	if err != nil {
		return err
	}
	// What is read is small and stays: collecting garbage finds little.
	defer debug.SetGCPercent(debug.SetGCPercent(120))
	b, err := p.load(ctx, env, inputs)
	if err != nil {
		return err
	}
	file := b.File(state)
	putState(file)
	if p.embedded { // the rules are for files that programs load
		return create(env, p.output, file, o)
	}
	return writeVerified(env, p.output, file, o)
}

// inputs returns the images that the flags name.
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
		return nil, cli.BadInput(errors.New("nothing to pack: no table has a row: no source submits a kernel, or no target can run one; add a kernel or a target"))
	}
	for i := range inputs {
		inputs[i].reading, inputs[i].beside = &p.reading, p.beside
	}
	sortByTarget(inputs)
	return inputs, nil
}

// load makes a SYCLBIN of the images. Those without bytes are left out.
func (p *pack) load(ctx context.Context, env *cli.Env, inputs []input) (*syclbin.Builder, error) {
	loaded, err := loadTaken(ctx, env, inputs)
	if err != nil {
		return nil, err
	}
	if len(loaded) == 0 && !p.embedded {
		return nil, cli.BadInput(errors.New("nothing to pack: no image has bytes"))
	}
	b := new(syclbin.Builder)
	for _, in := range loaded {
		metadata := in.metadata
		if p.ir == irCPU && in.image.Kind == syclbin.IRModule {
			metadata = requirement.WithAspect(metadata, aspect.CPU)
		}
		identity := strings.Join(in.names, "\n") // of the split module, with its metadata
		if err := b.Add(identity, metadata, in.image); err != nil {
			return nil, fmt.Errorf("%s: %w", in.place, err)
		}
	}
	return b, nil
}

func putState(file *syclbin.File) {
	file.Global.Add(propset.SYCLBINGlobal).Put("state", propset.Uint(uint32(file.State)))
}

// writeVerified writes a file, and the first of what is wrong with it as warnings.
func writeVerified(env *cli.Env, name string, file *syclbin.File, o syclbin.Options) error {
	list, err := writeFound(env, name, file, o)
	if err != nil {
		return err
	}
	inputs.Warn(env, name, list)
	return nil
}

// writeFound writes a SYCLBIN and returns what is wrong with it.
func writeFound(env *cli.Env, name string, file *syclbin.File, o syclbin.Options) ([]syclbin.Finding, error) {
	putState(file)
	findings := make(chan []syclbin.Finding, 1)
	go func() { findings <- verifyWritten(file, o) }() // while the disk is busy
	err := create(env, name, file, o)
	return <-findings, err
}

// verifyWritten returns what is wrong with a file that is written with these options.
func verifyWritten(file *syclbin.File, o syclbin.Options) []syclbin.Finding {
	return append(sycllink.Verify(file), syclbin.VerifyFor(file, cmp.Or(o.Release, release.Default()))...)
}

// readTables returns the rows of the tables that values of --table name.
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

// sortByTarget makes the order of flags not show. That of the rows of a target does.
func sortByTarget(inputs []input) {
	slices.SortStableFunc(inputs, func(a, b input) int {
		return cmp.Or(strings.Compare(a.triple, b.triple), strings.Compare(a.arch, b.arch))
	})
}

// readTable returns the rows of the table that a value of --table names.
func readTable(value string) ([]input, error) {
	// The file's own path can have =, and does not begin with it.
	part := strings.SplitN(value, "=", 3)
	if len(part) < 2 || part[len(part)-1] == "" {
		return nil, cli.Usagef("--table: '%s' is not TRIPLE[=ARCH]=FILE", value)
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
		return nil, cli.BadInput(fmt.Errorf("%s: the table has no column %s; its first line has to be [%s|%s|%s]", name, filetable.Code, filetable.Code, filetable.Properties, filetable.Symbols))
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
			return nil, cli.BadInput(fmt.Errorf("%s: the column %s is empty: the row has no image", in.place, filetable.Code))
		}
		rows = append(rows, in)
	}
}

// parseImage reads a value of --image.
func parseImage(value string) (input, error) {
	in := input{place: "--image " + value}
	seen := make(map[string]bool)
	for part := range strings.SplitSeq(value, ",") {
		key, v, ok := strings.Cut(part, "=")
		field, known := map[string]*string{"file": &in.code, "triple": &in.triple, "arch": &in.arch, "props": &in.props, "syms": &in.names}[key]
		switch {
		case !ok || !known:
			return in, cli.Usagef("--image: '%s' is none of file=, triple=, arch=, props= and syms=", part)
		case seen[key]:
			return in, cli.Usagef("--image: '%s' is given twice", key)
		}
		seen[key] = true
		*field = v
	}
	if in.code == "" {
		return in, cli.Usagef("--image: '%s' has no file=", value)
	}
	return in, nil
}

// A loadedInput is an input with what its files say.
type loadedInput struct {
	*input
	path     string   // of the image
	names    []string // of the symbol file
	metadata *propset.Registry
	image    *syclbin.Image // nil when there are neither bytes nor names
}

// loadTaken loads inputs several at a time, since each is small files to open. It leaves out
// the images that have no bytes, and warns of them.
func loadTaken(ctx context.Context, env *cli.Env, inputs []input) ([]loadedInput, error) {
	list := make([]loadedInput, len(inputs))
	const batch = 64                         // inputs that are loaded in a row
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
			left.add("no bytes", in.place, fmt.Sprintf("the image %s has no bytes, and no kernels are named, so it is left out", in.code))
		}
		return in.image == nil
	}), nil
}

// load reads the property file and the symbol file, and the start of the image.
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
			return l, cli.BadInput(fmt.Errorf("the image %s has no bytes: its compilation failed or found no device code", f.name))
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

// named reports whether an image has anything that programs or other images look for.
func named(r *propset.Registry) bool {
	return slices.ContainsFunc([]string{propset.KernelNames, propset.ExportedSymbols, propset.VirtualFunctions, propset.DeviceGlobals},
		func(set string) bool { return r.Set(set).Len() > 0 })
}

// putKernels makes the kernels among the names of a symbol file those of the image.
// A symbol file also lists exported and virtual functions. Nothing says which are
// virtual, but the image itself says what its kernels are; one of virtual functions
// whose form is not known has no kernels, as DPC++ keeps both apart.
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

// open opens a file: as it is named, else beside the table. A name that could be
// either is an error.
func (in *input) open(name string) (*regularFile, error) {
	if in.beside && in.dir != "" && !filepath.IsAbs(name) {
		f, err := openRegular(filepath.Join(in.dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			err = cli.BadInput(fmt.Errorf("there is no file %s beside the table", name))
		}
		return f, err
	}
	f, err := openRegular(name)
	if in.dir == "" || in.dir == "." || filepath.IsAbs(name) {
		if errors.Is(err, fs.ErrNotExist) {
			err = cli.BadInput(fmt.Errorf("there is no file %s", name))
		}
		return f, err
	}
	beside := filepath.Join(in.dir, name)
	if errors.Is(err, fs.ErrNotExist) {
		if f, err = openRegular(beside); errors.Is(err, fs.ErrNotExist) {
			err = cli.BadInput(fmt.Errorf("there is no file %s in the current folder or beside the table", name))
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
		err = cli.BadInput(fmt.Errorf("%s is both in the current folder and beside the table, and they differ; write its whole path into the table", name))
	}
	f.Close()
	return nil, err
}

// read returns the content of a small file, and its path.
func (in *input) read(name string) ([]byte, string, error) {
	f, err := in.open(name)
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	if f.size > cli.MaxText {
		return nil, "", cli.BadInput(fmt.Errorf("%s has %d bytes; at most %d are read", f.name, f.size, cli.MaxText))
	}
	data := bytes.NewBuffer(make([]byte, 0, min(f.size, 1<<20)+bytes.MinRead))
	_, err = data.ReadFrom(f)
	return data.Bytes(), f.name, err
}

// properties returns the property sets of the image: those of its property file,
// else what the image itself says.
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
			return nil, cli.BadInput(fmt.Errorf("%s:%d: the set [%s] is of a SYCLBIN file, not of a device image; remove it", path, s.Line, safetext.Printable(s.Name)))
		}
	}
	return r, nil
}

// symbols returns the names of the entry points, one a line in their file.
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

// A fileSource is the content of a file. There may be more of them than a process
// can have open files.
type fileSource struct {
	path   string
	size   int64
	opened *regularFile // nil except while its start is looked at
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
	if p, ok := w.(*placer); ok {
		return p.copyLater(s)
	}
	f, err := openRegular(s.path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return io.CopyBuffer(struct{ io.Writer }{w}, io.LimitReader(f, s.size), buf)
}

// properties is [hostbin.Properties], with the file in errors.
func (s *fileSource) properties() (*propset.Registry, error) {
	r, err := hostbin.Properties(s)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.path, err)
	}
	return r, nil
}
