package bundle

import (
	"bytes"
	"cmp"
	"context"
	"errors"
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
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	"github.com/rules-sycl/rules_sycl/sycl/syclbin"
	"github.com/rules-sycl/rules_sycl/tools/internal/buildstep"
)

// PackOptions are the options of [Pack].
type PackOptions struct {
	Output  string
	Format  syclbin.Options
	State   syclbin.State
	Reading inputs.Reading

	Tables       []Table
	Images       []Image // images in addition to those in tables
	BesideTables bool    // whether relative names in tables are only looked up next to the table
	CPUOnly      bool    // whether only CPUs may use the IR
	Embedded     bool    // whether the file describes images inside a program and is not loaded
}

// A Table is a file table with images for one target.
type Table struct {
	Triple string
	Arch   string // "" for IR
	File   string
}

// An Image holds the file names of a device image.
type Image struct {
	Place                     string // location in a table or on the command line, for messages
	Triple, Arch              string
	Code, Properties, Symbols string // file names; all but Code may be ""
}

// Pack writes images to a SYCLBIN and verifies it. It prints the first problems as warnings.
func Pack(ctx context.Context, env *cli.Env, o PackOptions) error {
	list, err := o.inputs()
	if err != nil {
		return err
	}
	// The files are small and stay in memory, so frequent garbage collection would free little.
	defer debug.SetGCPercent(debug.SetGCPercent(120))
	b, err := o.load(ctx, env, list)
	if err != nil {
		return err
	}
	file := b.File(o.State)
	if o.Embedded { // verify checks rules for files that a program loads
		putState(file)
		return Write(env, o.Output, file, o.Format)
	}
	findings, err := WriteAndVerify(env, o.Output, file, o.Format)
	if err != nil {
		return err
	}
	inputs.Warn(env, o.Output, findings)
	return nil
}

// inputs returns the images in tables, followed by the other images.
func (o *PackOptions) inputs() ([]input, error) {
	inputs, err := readTables(o.Tables)
	if err != nil {
		return nil, err
	}
	for _, image := range o.Images {
		inputs = append(inputs, input{Image: image})
	}
	if len(inputs) == 0 && !o.Embedded {
		return nil, cli.BadInput(errors.New("nothing to pack: all tables are empty. Either no source submits a kernel, or no target can run one; add a kernel or a target"))
	}
	for i := range inputs {
		inputs[i].reading, inputs[i].beside = &o.Reading, o.BesideTables
	}
	sortByTarget(inputs)
	return inputs, nil
}

// load builds a SYCLBIN from the images. It skips empty images.
func (o *PackOptions) load(ctx context.Context, env *cli.Env, inputs []input) (*syclbin.Builder, error) {
	loaded, err := loadNonEmpty(ctx, env, inputs)
	if err != nil {
		return nil, err
	}
	if len(loaded) == 0 && !o.Embedded {
		return nil, cli.BadInput(errors.New("nothing to pack: all images are empty; check the step that writes them"))
	}
	b := new(syclbin.Builder)
	for _, in := range loaded {
		metadata := in.metadata
		if o.CPUOnly && in.image.Kind == syclbin.IRModule {
			metadata = requirement.WithAspect(metadata, aspect.CPU)
		}
		identity := strings.Join(in.names, "\n") // identifies the split module, together with its metadata
		if err := b.Add(identity, metadata, in.image); err != nil {
			return nil, fmt.Errorf("%s: %w", in.Place, err)
		}
	}
	return b, nil
}

// sortByTarget sorts inputs by target, so that the order of flags does not matter. The sort is
// stable.
func sortByTarget(inputs []input) {
	slices.SortStableFunc(inputs, func(a, b input) int {
		return cmp.Or(strings.Compare(a.Triple, b.Triple), strings.Compare(a.Arch, b.Arch))
	})
}

// readTables returns the rows of tables.
func readTables(tables []Table) ([]input, error) {
	var inputs []input
	for _, t := range tables {
		rows, err := readTable(t)
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, rows...)
	}
	return inputs, nil
}

func readTable(t Table) ([]input, error) {
	name := t.File
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
		in := input{dir: filepath.Dir(name)}
		in.Place = fmt.Sprintf("%s:%d", name, r.Line())
		in.Triple, in.Arch, in.Code = t.Triple, t.Arch, cli.CurrentPath(name, row[code])
		if props >= 0 {
			in.Properties = cli.CurrentPath(name, row[props])
		}
		if names >= 0 {
			in.Symbols = cli.CurrentPath(name, row[names])
		}
		if in.Code == "" {
			return nil, cli.BadInput(fmt.Errorf("%s: empty column %s; expected the file name of an image", in.Place, filetable.Code))
		}
		rows = append(rows, in)
	}
}

// An input is an image to read.
type input struct {
	Image
	reading *inputs.Reading
	dir     string // directory of the table; "" for the current directory
	beside  bool   // look up relative names only in dir
}

// A loadedInput is an input and the content of its files.
type loadedInput struct {
	*input
	path     string   // path of the image
	names    []string // lines of the symbol file
	metadata *propset.Registry
	image    *syclbin.Image // nil if the image is empty and has no names
}

// loadNonEmpty loads inputs concurrently, because opening many small files takes most of the time.
// It skips empty images with a warning.
func loadNonEmpty(ctx context.Context, env *cli.Env, inputs []input) ([]loadedInput, error) {
	list := make([]loadedInput, len(inputs))
	const batch = 64                         // inputs per unit of work
	atOnce := min(runtime.GOMAXPROCS(0), 16) // each opens up to 3 files
	err := buildstep.Each(ctx, io.Discard, (len(inputs)+batch-1)/batch, atOnce, func(ctx context.Context, _ io.Writer, part int) (err error) {
		for i := part * batch; i < min((part+1)*batch, len(inputs)); i++ {
			if err := ctx.Err(); err != nil {
				return err
			}
			if list[i], err = inputs[i].load(); err != nil {
				return fmt.Errorf("%s: %w", inputs[i].Place, err)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var left cli.Tally
	defer left.Warn(env)
	return slices.DeleteFunc(list, func(in loadedInput) bool {
		if in.image == nil {
			left.Add("no bytes", in.Place, fmt.Sprintf("skipping the empty image %s, which has no kernel names", in.Code))
		}
		return in.image == nil
	}), nil
}

// load reads the property file, the symbol file and the start of the image.
func (in *input) load() (loadedInput, error) {
	l := loadedInput{input: in}
	f, err := in.open(in.Code)
	if err != nil {
		return l, err
	}
	defer f.Close()
	l.path = f.Name()
	content := &fileSource{path: f.Name(), size: f.Size, opened: f}
	defer func() { content.opened = nil }()
	if l.names, err = in.symbols(); err != nil {
		return l, err
	}
	if l.metadata, err = in.properties(content); err != nil {
		return l, err
	}
	if f.Size == 0 {
		if len(l.names) > 0 || definesName(l.metadata) {
			return l, cli.BadInput(fmt.Errorf("the image %s is empty; its compilation failed or found no device code", f.Name()))
		}
		return l, nil
	}
	if len(l.names) > 0 && (in.Properties == "" || l.metadata.Set(propset.KernelNames) == nil) {
		if err := putKernels(l.metadata, l.names, content); err != nil {
			return l, err
		}
		if err := l.metadata.Validate(); err != nil {
			return l, cli.BadInput(fmt.Errorf("%s: %w", in.Symbols, err))
		}
	}
	l.image = syclbin.NewImage(in.Triple, in.Arch, content)
	return l, nil
}

// definesName reports whether an image defines a name that a program or another image can look up.
func definesName(r *propset.Registry) bool {
	return slices.ContainsFunc([]string{propset.KernelNames, propset.ExportedSymbols, propset.VirtualFunctions, propset.DeviceGlobals},
		func(set string) bool { return r.Set(set).Len() > 0 })
}

// putKernels sets the kernel names of an image to the names in the symbol file that are kernels. A
// symbol file also contains exported and virtual functions, which the list of kernels in the image
// tells apart. If the image has an unknown format and virtual functions, it has no kernels, because
// DPC++ puts the two in separate images.
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

// open opens a file in the current directory or next to the table. If both exist and differ, open
// returns an error.
func (in *input) open(name string) (*cli.InputFile, error) {
	if in.beside && in.dir != "" && !filepath.IsAbs(name) {
		f, err := cli.OpenInput(filepath.Join(in.dir, name), "")
		if errors.Is(err, fs.ErrNotExist) {
			err = cli.BadInput(fmt.Errorf("%s: not found next to the table", name))
		}
		return f, err
	}
	f, err := cli.OpenInput(name, "")
	if in.dir == "" || in.dir == "." || filepath.IsAbs(name) {
		if errors.Is(err, fs.ErrNotExist) {
			err = cli.BadInput(fmt.Errorf("%s: file not found", name))
		}
		return f, err
	}
	beside := filepath.Join(in.dir, name)
	if errors.Is(err, fs.ErrNotExist) {
		if f, err = cli.OpenInput(beside, ""); errors.Is(err, fs.ErrNotExist) {
			err = cli.BadInput(fmt.Errorf("%s: not found in the current directory or next to the table", name))
		}
		return f, err
	}
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(beside)
	own, ownErr := f.Stat()
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && ownErr == nil && os.SameFile(info, own):
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
	if f.Size > cli.MaxText {
		return nil, "", cli.BadInput(fmt.Errorf("%s: file too large: %d bytes (limit %d)", f.Name(), f.Size, cli.MaxText))
	}
	data := bytes.NewBuffer(make([]byte, 0, min(f.Size, 1<<20)+bytes.MinRead))
	_, err = data.ReadFrom(f)
	return data.Bytes(), f.Name(), err
}

// properties returns the property sets in the property file of an image. Without this file,
// it derives them from the image.
func (in *input) properties(content *fileSource) (*propset.Registry, error) {
	if in.Properties == "" {
		return content.properties()
	}
	data, path, err := in.read(in.Properties)
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

// symbols returns the names of entry points in the symbol file.
func (in *input) symbols() ([]string, error) {
	if in.Symbols == "" {
		return nil, nil
	}
	data, _, err := in.read(in.Symbols)
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
	opened *cli.InputFile // non-nil only while the start of the file is examined
}

func (s *fileSource) Size() int64 { return s.size }

func (s *fileSource) ReadAt(b []byte, offset int64) (int, error) {
	if s.opened != nil {
		return s.opened.ReadAt(b, offset)
	}
	f, err := cli.OpenInput(s.path, "")
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
	f, err := cli.OpenInput(s.path, "")
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
