package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
)

// JoinForms makes one kernel of each kernel of the source and the forms that DPC++ makes of
// it ([kernelname.FormOf]):
//   - Of a parallel_for over a range DPC++ makes a second kernel. The runtime takes one of
//     the two by the range, so a device runs the kernel only if it can run both.
//   - Of a parallel_for with reductions DPC++ makes several kernels and none that has the
//     name in the source. The kernel has the lowest name of these. The SYCL library asks
//     the device for the aspect atomic64, and takes a strategy that works without it
//     elsewhere. So a strategy that is refused for that aspect does not count when there is
//     another one. A device has to run all forms that count.
//
// A form stays a kernel of its own if several kernels have the name of the one that it was
// made of, and a form for a rounded range also if none has.
func (b *Builder) JoinForms() {
	j := joiner{Builder: b, written: map[string]uint32{}, several: map[string]bool{}, reduces: map[string]string{}}
	for _, k := range b.kernels.all() {
		j.findForm(k)
	}
	if len(j.written) == 0 {
		return
	}
	for _, k := range b.kernels.all() {
		j.findWritten(k)
	}
	for _, k := range b.kernels.all() {
		j.join(k)
	}
}

// A joiner has names of kernels, all by what is written in the source.
type joiner struct {
	*Builder
	written map[string]uint32 // numbers of those that have forms, 0 when none has been found
	several map[string]bool   // whether different kernels were found
	reduces map[string]string // the lowest name of the forms of a reduction
}

func (j *joiner) findForm(k *builtKernel) {
	name := j.texts.at(k.name)
	f, ok := kernelname.FormOf(name)
	if !ok {
		return
	}
	k.isForm = true
	j.written[f.Kernel] = 0
	if least, ok := j.reduces[f.Kernel]; f.Kind == Reduction && (!ok || name < least) {
		j.reduces[f.Kernel] = name
	}
}

func (j *joiner) findWritten(k *builtKernel) {
	if k.isForm {
		return
	}
	name := kernelname.Display(j.texts.at(k.name))
	if other, ok := j.written[name]; ok {
		j.several[name] = j.several[name] || other != 0 && other != k.name
		j.written[name] = k.name
	}
}

func (j *joiner) join(k *builtKernel) {
	if !k.isForm {
		return
	}
	f, _ := kernelname.FormOf(j.texts.at(k.name))
	of := cmp.Or(j.written[f.Kernel], j.texts.number(j.reduces[f.Kernel]))
	if of == 0 || j.several[f.Kernel] {
		k.isForm = false
		return
	}
	k.of = of
}

// A formOf is a form of a kernel with the modules that have it.
type formOf struct {
	kernelname.Form
	holders []holder
}

// addForm adds a holder of a form.
func (k *kernel) addForm(name string, form kernelname.Form, h holder) {
	if k.forms == nil {
		k.forms = map[string]*formOf{}
	}
	f := k.forms[name]
	if f == nil {
		f = &formOf{Form: form}
		k.forms[name] = f
	}
	f.holders = append(f.holders, h)
}

// formList returns the forms of a kernel but for the one whose name the kernel has.
func (k *kernel) formList() []KernelForm {
	var list []KernelForm
	for name, f := range k.forms {
		if name != k.name {
			list = append(list, KernelForm{Kind: f.Kind, Name: name})
		}
	}
	slices.SortFunc(list, func(a, b KernelForm) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// cell decides on a kernel and a device.
func (b *Builder) cell(k *kernel, device int) Cell {
	if len(k.forms) == 0 {
		return b.bestCell(k, k.holders, device)
	}
	var cells []Cell
	if len(k.holders) > 0 {
		cells = append(cells, b.bestCell(k, k.holders, device))
	}
	strategies := map[string][]Cell{}
	for _, f := range k.forms {
		c := b.bestCell(k, f.holders, device)
		if f.Kind == Reduction {
			strategies[f.Strategy] = append(strategies[f.Strategy], c)
		} else {
			cells = append(cells, c)
		}
	}
	cells = append(cells, counting(strategies)...)
	slices.SortFunc(cells, compareCells)
	c := cells[0]
	for _, other := range cells[1:] {
		c = joined(c, other)
	}
	return c
}

// counting returns the cells of the strategies that count on a device.
func counting(strategies map[string][]Cell) []Cell {
	var all, others []Cell
	for _, list := range strategies {
		all = append(all, list...)
		if !slices.ContainsFunc(list, lacksAtomic64) {
			others = append(others, list...)
		}
	}
	if len(others) > 0 {
		return others
	}
	return all
}

// lacksAtomic64 reports whether a device may not run a kernel because of that aspect.
func lacksAtomic64(c Cell) bool {
	return slices.ContainsFunc(c.Reasons, func(r Reason) bool {
		return r.Rule == string(compat.MissingAspect) && r.Required == aspect.Atomic64.String()
	})
}

// compareCells puts the worst cell first. The order of equal ranks is that of what the
// cells say.
func compareCells(a, b Cell) int {
	if n := cmp.Or(cellRank(b)-cellRank(a), strings.Compare(a.Image, b.Image), strings.Compare(string(a.Scope), string(b.Scope))); n != 0 {
		return n
	}
	return slices.CompareFunc(a.Reasons, b.Reasons, func(a, b Reason) int {
		return cmp.Or(strings.Compare(a.Rule, b.Rule), strings.Compare(a.Required, b.Required), strings.Compare(a.Text, b.Text))
	})
}

// joined returns the cell of a kernel from the cells of two forms that a device has to run
// both, the worse one first. It has the reasons of both.
func joined(a, b Cell) Cell {
	a.Reasons = slices.Clip(a.Reasons)
	for _, reason := range b.Reasons {
		if !slices.Contains(a.Reasons, reason) {
			a.Reasons = append(a.Reasons, reason)
		}
	}
	if b.Scope == ScopeImage {
		a.Scope = ScopeImage
	}
	if a.Code == Native {
		a.Code = b.Code // NativeOrIR is no worse
	}
	return a
}
