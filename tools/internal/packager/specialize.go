package packager

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
	"github.com/rules-sycl/rules_sycl/tools/internal/steps"
)

func specializeCommand() *cli.Command {
	return &cli.Command{
		Name:  "specialize",
		Args:  "FILE",
		Short: "set specialization constants ahead of time",
		Long: `
Gives specialization constants other default values: in the SPIR-V modules, where the
compiler of a device finds them, and in the property sets, where the runtime finds
them. A program can still set the constants when it runs. 'packager dump' lists them.

NAME is the symbolic id of a constant, or its name as people write it. VALUE is a
number, or true or false. For a constant of several parts it is a list or an object with
a value for each part in order, such as [1, 2.5, [true, 0x10]] or {x: 1, y: 2.5}; names
in objects are not compared with anything. bytes:0000803f is the bytes of the whole constant.

With --kernel only the modules that have this kernel are changed, with all other kernels
in them. Native images, and copies of images that DPC++ makes with the default
values, have the old values compiled in: they are an error, or left out with --drop-fixed.

--output may be the file itself: it is replaced when all of it has been written.`,
		Example: "packager specialize --set app::scale=0.5 --set 'app::tile={x: 8, y: 4}' --output fast.syclbin k.syclbin",
		Setup:   func(fs *flag.FlagSet) cli.Run { return new(specialize).setup(fs) },
	}
}

type specialize struct {
	form
	settings  steps.Settings
	kernel    string
	dropFixed bool
	json      bool
	reading   inputs.Reading
}

func (s *specialize) setup(fs *flag.FlagSet) cli.Run {
	s.form.flags(fs)
	fs.Var(&s.settings, "set", "give a constant a value, as `NAME=VALUE`; may be repeated")
	fs.StringVar(&s.kernel, "kernel", "", "only in modules with the kernel of this `name`, mangled or as people write it")
	fs.BoolVar(&s.dropFixed, "drop-fixed", false, "leave out images that have the old values compiled in")
	fs.BoolVar(&s.json, "json", false, "print JSON")
	s.reading.Flags(fs)
	return s.run
}

func (s *specialize) run(ctx context.Context, env *cli.Env, args []string) error {
	o, err := s.form.options()
	switch {
	case err != nil:
		return err
	case len(args) != 1:
		return cli.Usagef("one file is needed, %d are given", len(args))
	case len(s.settings) == 0:
		return cli.Usagef("--set is missing: the constants and their values")
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
		images[i] = imageOf(f.Modules[m], m)
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
		put(m, img)
		s.warnOthers(env, m)
	}
	f.Modules = slices.DeleteFunc(f.Modules, func(m *syclbin.Module) bool { return m.Metadata == nil })
	if err := create(env, s.output, f, o); err != nil {
		return err
	}
	if s.json {
		return writeJSON(env.Stdout, result)
	}
	return result.print(env)
}

// set sets the constants in images of a file.
func (s *specialize) set(file string, images []sycl.Image) ([]sycl.Change, error) {
	changes, err := sycl.Set(images, s.settings, sycl.Options{DropFixed: s.dropFixed})
	var request *sycl.RequestError
	switch {
	case errors.As(err, &request):
		return nil, cli.Usagef("--set %v", request)
	case err != nil && !s.dropFixed && errors.Is(err, sycl.ErrFixed):
		return nil, fmt.Errorf("%s: %w; leave it out with --drop-fixed, or build it with the new value: attribute specialize of sycl_binary", file, err)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return changes, nil
}

// modules returns the places of the abstract modules to change.
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
	there := "it has no kernels"
	if len(names) > 0 {
		there = "it has " + strings.Join(names[:min(most, len(names))], ", ")
	}
	if n := len(names) - most; n > 0 {
		there += fmt.Sprintf(" and %d more", n)
	}
	return nil, cli.Usagef("--kernel: there is no kernel '%s' in the file: %s", safetext.Printable(s.kernel), safetext.Printable(there))
}

func (s *specialize) isKernel(symbol string) bool {
	return kernelname.Base(symbol) == kernelname.Base(s.kernel) || kernelname.Display(symbol) == s.kernel
}

// warnOthers says which kernels get new values beside the one that was named.
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
		others = append(others[:most], plural(n, "other"))
	}
	if len(others) > 0 {
		env.Warnf(s.output, "the values also hold for what is in the same module as the kernel: %s", safetext.Printable(strings.Join(others, ", ")))
	}
}

// imageOf returns what can be set in an abstract module, and what cannot.
func imageOf(m *syclbin.Module, index int) sycl.Image {
	img := sycl.Image{Place: fmt.Sprintf("abstract module %d", index), Metadata: m.Metadata}
	if sycl.HasDefaultsOnly(m.Metadata) {
		img.Fixed = append(img.Fixed, "the copy with default values")
		return img
	}
	img.Code = codeOf(m)
	for _, i := range m.IR {
		if i.Format() != offload.SPIRV {
			img.Fixed = append(img.Fixed, fmt.Sprintf("the IR module that is %v", i.Format()))
		}
	}
	for _, i := range m.Native {
		img.Fixed = append(img.Fixed, "the native image for "+safetext.Shorten(i.Arch()))
	}
	return img
}

// codeOf returns the SPIR-V modules of an abstract module.
func codeOf(m *syclbin.Module) (code []offload.Source) {
	for _, i := range m.IR {
		if i.Format() == offload.SPIRV {
			code = append(code, i.Source)
		}
	}
	return code
}

// put changes an abstract module to what was made of it. What could not be changed is left
// out; without images, the metadata of the module becomes nil.
func put(m *syclbin.Module, img sycl.Image) {
	m.Metadata, m.Native = img.Metadata, nil
	m.IR = slices.DeleteFunc(m.IR, func(i *syclbin.Image) bool { return i.Format() != offload.SPIRV })
	m.IR = m.IR[:len(img.Code)] // none of a copy with default values
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
		Dropped   []jsonDropped  `json:"dropped"` // because the old values are compiled in
	}
	jsonConstant struct {
		Name        string            `json:"name"` // symbolic id
		DisplayName string            `json:"display_name"`
		Modules     []int             `json:"modules"` // that have it, in the file that was read
		Parts       []jsonChangedPart `json:"parts"`
	}
	jsonChangedPart struct {
		Type string `json:"type,omitempty"` // when SPIR-V says it
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
		fmt.Fprintf(w, "%s, in %s:", safetext.Printable(c.DisplayName), plural(len(c.Modules), "module"))
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
		fmt.Fprintf(w, "left out of abstract module %d: %s\n", d.Module, safetext.Printable(strings.Join(d.Images, ", ")))
	}
	return w.Flush()
}
