package report

import (
	"cmp"
	"maps"
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
	j := joiner{written: map[string]string{}, several: map[string]bool{}, reduces: map[string]string{}, index: map[string]int32{}}
	for i := range b.kernels {
		j.findForm(&b.kernels[i])
	}
	if len(j.written) == 0 {
		return
	}
	for i := range b.kernels {
		j.findWritten(&b.kernels[i])
		j.index[b.kernels[i].name] = int32(i)
	}
	for i := range b.kernels {
		j.join(&b.kernels[i])
	}
}

// A joiner has names of kernels, all by what is written in the source.
type joiner struct {
	written map[string]string // mangled names of those that have forms, "" when none has been found
	several map[string]bool   // whether different kernels were found
	reduces map[string]string // the lowest name of the forms of a reduction
	index   map[string]int32  // of a kernel with the name
}

func (j *joiner) findForm(k *builtKernel) {
	f, ok := kernelname.FormOf(k.name)
	if !ok {
		return
	}
	k.isForm = true
	j.written[f.Kernel] = ""
	if least, ok := j.reduces[f.Kernel]; f.Kind == kernelname.Reduction && (!ok || k.name < least) {
		j.reduces[f.Kernel] = k.name
	}
}

func (j *joiner) findWritten(k *builtKernel) {
	if k.isForm {
		return
	}
	name := kernelname.Display(k.name)
	if other, ok := j.written[name]; ok {
		j.several[name] = j.several[name] || other != "" && other != k.name
		j.written[name] = k.name
	}
}

func (j *joiner) join(k *builtKernel) {
	if !k.isForm {
		return
	}
	f, _ := kernelname.FormOf(k.name)
	of := cmp.Or(j.written[f.Kernel], j.reduces[f.Kernel])
	if of == "" || j.several[f.Kernel] {
		k.isForm = false
		return
	}
	k.of = j.index[of]
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

// formList returns the forms of a kernel but for the one whose name the kernel has, nil for none.
func (k *kernel) formList() *Forms {
	var f Forms
	for _, name := range slices.Sorted(maps.Keys(k.forms)) {
		switch {
		case name == k.name:
		case k.forms[name].Kind == kernelname.Reduction:
			f.Reduction = append(f.Reduction, name)
		default:
			f.RoundedRange = append(f.RoundedRange, name)
		}
	}
	if len(f.Reduction)+len(f.RoundedRange) == 0 {
		return nil
	}
	return &f
}

// outcome decides on a kernel and a device.
func (b *Builder) outcome(k *kernel, device int) builtOutcome {
	if len(k.forms) == 0 {
		return b.bestOutcome(k.holders, device)
	}
	var outcomes []builtOutcome
	if len(k.holders) > 0 {
		outcomes = append(outcomes, b.bestOutcome(k.holders, device))
	}
	strategies := map[string][]builtOutcome{}
	for _, f := range k.forms {
		c := b.bestOutcome(f.holders, device)
		if f.Kind == kernelname.Reduction {
			strategies[f.Strategy] = append(strategies[f.Strategy], c)
		} else {
			outcomes = append(outcomes, c)
		}
	}
	outcomes = append(outcomes, counting(strategies)...)
	slices.SortFunc(outcomes, compareOutcomes)
	c := outcomes[0]
	for _, other := range outcomes[1:] {
		c = joined(c, other)
	}
	return c
}

// counting returns the outcomes of the strategies that count on a device.
func counting(strategies map[string][]builtOutcome) []builtOutcome {
	var all, others []builtOutcome
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
func lacksAtomic64(c builtOutcome) bool {
	return slices.ContainsFunc(c.Reasons, func(r Reason) bool {
		return r.Rule == string(compat.MissingAspect) && r.Required == aspect.Atomic64.String()
	})
}

// compareOutcomes puts the worst outcome first. The order of equal ranks is that of what the
// outcomes say.
func compareOutcomes(a, b builtOutcome) int {
	if n := cmp.Or(outcomeRank(b)-outcomeRank(a), cmp.Compare(a.image, b.image), strings.Compare(string(a.Scope), string(b.Scope))); n != 0 {
		return n
	}
	return slices.CompareFunc(a.Reasons, b.Reasons, func(a, b Reason) int {
		return cmp.Or(strings.Compare(a.Rule, b.Rule), strings.Compare(a.Required, b.Required), strings.Compare(a.Text, b.Text))
	})
}

// joined returns the outcome of a kernel from the outcomes of two forms that a device has to run
// both, the worse one first. It has the reasons of both.
func joined(a, b builtOutcome) builtOutcome {
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
