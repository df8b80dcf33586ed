package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/inputs"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/offload"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	sycl "github.com/rules-sycl/rules_sycl/sycl/specialize"
	"github.com/rules-sycl/rules_sycl/sycl/syclbin"
	"github.com/rules-sycl/rules_sycl/tools/internal/bundle"
	"github.com/rules-sycl/rules_sycl/tools/internal/steps/setconstants"
)

func specializeCommand() *cli.Command {
	return &cli.Command{
		Name:    "specialize",
		Args:    "FILE",
		InPlace: true,
		Short:   "set default values of specialization constants",
		Long: `
Changes the default values of specialization constants in the SPIR-V modules, where device
compilers read them, and in the property sets, where the runtime reads them. A program can
still set the constants at run time. 'packager dump --verbose' lists them.

NAME is the symbolic id of a constant or its demangled name. VALUE is a number, true or
false. For a constant with several parts, VALUE is a list or an object with a value for
each part in order, such as [1, 2.5, [true, 0x10]] or {x: 1, y: 2.5}; member names are
ignored. bytes:0000803f sets the bytes of the whole constant.

--kernel limits the change to modules that contain the kernel; it affects all kernels in
them. Native images, and the copies of images that DPC++ builds with default values, have
the old values compiled in: they are an error, unless --drop-fixed removes them.

--output may name the input file; it is replaced after the result is complete.`,
		Example: "packager specialize --set app::scale=0.5 --set 'app::tile={x: 8, y: 4}' --output fast.syclbin k.syclbin",
		Setup:   func(fs *flag.FlagSet) cli.Run { return new(specialize).setup(fs) },
	}
}

type specialize struct {
	form
	settings  setconstants.Settings
	kernel    string
	dropFixed bool
	json      bool
	reading   inputs.Reading
}

func (s *specialize) setup(fs *flag.FlagSet) cli.Run {
	s.form.flags(fs)
	fs.Var(&s.settings, "set", "set the default value of a constant, as `NAME=VALUE`; may be repeated")
	fs.StringVar(&s.kernel, "kernel", "", "only change modules that contain the kernel with this mangled or demangled `name`")
	fs.BoolVar(&s.dropFixed, "drop-fixed", false, "remove images that have the old values compiled in")
	fs.BoolVar(&s.json, "json", false, "print the result as JSON")
	s.reading.Flags(fs)
	return s.run
}

func (s *specialize) run(ctx context.Context, env *cli.Env, args []string) error {
	o, err := s.form.options()
	switch {
	case err != nil:
		return err
	case len(args) != 1:
		return cli.Usagef("expected one file, got %d", len(args))
	case len(s.settings) == 0:
		return cli.Usagef("--set is required")
	}
	o.KeepOrder = true
	f, err := s.reading.Open(env, args[0])
	if err != nil {
		return err
	}
	defer f.Close()
	if o.Release == nil && f.StatesRelease() {
		o.Release = f.Release
	}
	modules, err := s.modules(f)
	if err != nil {
		return err
	}
	images := make([]sycl.Image, len(modules))
	for i, m := range modules {
		images[i] = specializable(f.Modules[m], m)
	}
	before := slices.Clone(images)
	changes, err := s.set(args[0], images)
	if err != nil {
		return err
	}
	result := newJSONSpecialize(s.output, changes, modules)
	for i, img := range images {
		m := f.Modules[modules[i]]
		if img.Metadata == before[i].Metadata {
			continue
		}
		if len(before[i].Fixed) > 0 && img.Fixed == nil {
			result.Dropped = append(result.Dropped, jsonDropped{modules[i], before[i].Fixed})
		}
		replaceImages(m, img)
		s.warnOthers(env, m)
	}
	f.Modules = slices.DeleteFunc(f.Modules, func(m *syclbin.Module) bool { return m.Metadata == nil })
	if err := bundle.Write(env, s.output, f, o); err != nil {
		return err
	}
	if s.json {
		return writeJSON(env.Stdout, result)
	}
	return result.print(env)
}

// set sets the constants in the images of a file.
func (s *specialize) set(file string, images []sycl.Image) ([]sycl.Change, error) {
	changes, err := sycl.Set(images, s.settings, sycl.Options{DropFixed: s.dropFixed})
	var request *sycl.RequestError
	switch {
	case errors.As(err, &request):
		return nil, cli.Usagef("--set %v", request)
	case err != nil && !s.dropFixed && errors.Is(err, sycl.ErrFixed):
		return nil, fmt.Errorf("%s: %w; remove it with --drop-fixed, or build it with the new value", file, err)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return changes, nil
}

// modules returns the indices of the abstract modules that --kernel selects.
func (s *specialize) modules(f *syclbin.File) (list []int, err error) {
	var names []string
	for i, m := range f.Modules {
		if s.kernel == "" || slices.ContainsFunc(m.Kernels(), s.isKernel) {
			list = append(list, i)
		}
		for _, k := range m.Kernels() {
			names = append(names, safetext.Shorten(kernelname.Display(k)))
		}
	}
	if len(list) > 0 || s.kernel == "" {
		return list, nil
	}
	slices.Sort(names)
	names = slices.Compact(names)
	const most = 5
	there := "the file contains no kernels"
	if len(names) > 0 {
		there = "found " + strings.Join(names[:min(most, len(names))], ", ")
	}
	if n := len(names) - most; n > 0 {
		there += fmt.Sprintf(" and %d more", n)
	}
	return nil, cli.Usagef("--kernel: no kernel '%s' in the file; %s", safetext.Printable(s.kernel), safetext.Printable(there))
}

func (s *specialize) isKernel(symbol string) bool {
	return kernelname.Base(symbol) == kernelname.Base(s.kernel) || kernelname.Display(symbol) == s.kernel
}

// warnOthers warns about other kernels in the same module, because they get the new values, too.
func (s *specialize) warnOthers(env *cli.Env, m *syclbin.Module) {
	if s.kernel == "" {
		return
	}
	const most = 5
	var others []string
	for _, k := range m.Kernels() {
		if !s.isKernel(k) {
			others = append(others, safetext.Shorten(kernelname.Display(k)))
		}
	}
	if n := len(others) - most; n > 0 {
		others = append(others[:most], safetext.Count(n, "other"))
	}
	if len(others) > 0 {
		env.Warnf(s.output, "the values also apply to other kernels in the same module: %s", safetext.Printable(strings.Join(others, ", ")))
	}
}

// specializable returns the code and metadata of an abstract module, and the descriptions of images
// whose constants cannot be changed.
func specializable(m *syclbin.Module, index int) sycl.Image {
	img := sycl.Image{Place: fmt.Sprintf("abstract module %d", index), Metadata: m.Metadata}
	if sycl.HasDefaultsOnly(m.Metadata) {
		img.Fixed = append(img.Fixed, "the copy built with default values")
		return img
	}
	for _, i := range m.IR {
		if i.Format() == offload.SPIRV {
			img.Code = append(img.Code, i.Source)
		} else {
			img.Fixed = append(img.Fixed, fmt.Sprintf("the %v IR module", i.Format()))
		}
	}
	for _, i := range m.Native {
		img.Fixed = append(img.Fixed, "the native image for "+safetext.Shorten(i.Arch()))
	}
	return img
}

// replaceImages replaces the code of an abstract module and removes the images that could not be
// changed. If no image is left, it sets the metadata of the module to nil.
func replaceImages(m *syclbin.Module, img sycl.Image) {
	m.Metadata, m.Native = img.Metadata, nil
	m.IR = slices.DeleteFunc(m.IR, func(i *syclbin.Image) bool { return i.Format() != offload.SPIRV })
	m.IR = m.IR[:len(img.Code)] // empty for a copy with default values
	for n, i := range m.IR {
		i.Source = img.Code[n]
	}
	if len(m.IR) == 0 {
		m.Metadata = nil
	}
}

type (
	jsonSpecialize struct {
		Output    string         `json:"output"`
		Constants []jsonConstant `json:"constants"`
		Dropped   []jsonDropped  `json:"dropped"` // images with the old values compiled in
	}
	jsonConstant struct {
		Name        string            `json:"name"` // symbolic id
		DisplayName string            `json:"display_name"`
		Modules     []int             `json:"modules"` // indices in the input file
		Parts       []jsonChangedPart `json:"parts"`
	}
	jsonChangedPart struct {
		Type string `json:"type,omitempty"` // if known from the SPIR-V
		Old  string `json:"old"`
		New  string `json:"new"`
	}
	jsonDropped struct {
		Module int      `json:"module"`
		Images []string `json:"images"`
	}
)

func newJSONSpecialize(output string, changes []sycl.Change, modules []int) jsonSpecialize {
	j := jsonSpecialize{Output: output, Constants: []jsonConstant{}, Dropped: []jsonDropped{}}
	for _, c := range changes {
		constant := jsonConstant{Name: c.Name, DisplayName: c.DisplayName}
		for _, i := range c.Images {
			constant.Modules = append(constant.Modules, modules[i])
		}
		for _, p := range c.Parts {
			constant.Parts = append(constant.Parts, jsonChangedPart(p))
		}
		j.Constants = append(j.Constants, constant)
	}
	return j
}

func (j *jsonSpecialize) print(env *cli.Env) error {
	w := bufio.NewWriter(env.Stdout)
	for _, c := range j.Constants {
		fmt.Fprintf(w, "%s, in %s:", safetext.Printable(c.DisplayName), safetext.Count(len(c.Modules), "module"))
		if len(c.Parts) > 1 {
			fmt.Fprintln(w)
		}
		for _, p := range c.Parts {
			indent := " "
			if len(c.Parts) > 1 {
				indent = "  "
			}
			typ := p.Type
			if typ != "" {
				typ += " "
			}
			fmt.Fprintf(w, "%s%s%s -> %s\n", indent, typ, p.Old, p.New)
		}
	}
	for _, d := range j.Dropped {
		fmt.Fprintf(w, "removed from abstract module %d: %s\n", d.Module, safetext.Printable(strings.Join(d.Images, ", ")))
	}
	return w.Flush()
}
