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

// JoinForms merges each kernel of the source with the forms that DPC++ generates for it
// ([kernelname.FormOf]):
//   - For a parallel_for over a range, DPC++ generates a second kernel. The runtime selects
//     one of the two by the range, so a device runs the kernel only if it can run both.
//   - For a parallel_for with reductions, DPC++ generates several kernels, whose names are not
//     in the source. The merged kernel has the first of their names in sort order. If the
//     device lacks the aspect atomic64, the SYCL library selects a strategy that works without it.
//     So a strategy that is rejected because of that aspect does not count if there is a different
//     strategy. A device must run all forms that count.
//
// A form remains a separate kernel if several kernels have the name of its original. A form for a
// rounded range also remains separate if no kernel has that name.
func (b *Builder) JoinForms() {
	j := joiner{forms: map[string]kernelname.Form{}, written: map[string]string{}, ambiguous: map[string]bool{}, reductionNames: map[string]string{}, index: map[string]int32{}}
	for i := range b.kernels {
		j.findForm(&b.kernels[i])
	}
	if len(j.written) == 0 {
		return
	}
	b.forms = j.forms
	for i := range b.kernels {
		j.findWritten(&b.kernels[i])
		j.index[b.kernels[i].name] = int32(i)
	}
	for i := range b.kernels {
		j.join(&b.kernels[i])
	}
}

// A joiner holds the mangled names of kernels by their names in the source.
type joiner struct {
	forms          map[string]kernelname.Form
	written        map[string]string // mangled names of kernels with forms, or "" if not found yet
	ambiguous      map[string]bool   // whether different kernels were found
	reductionNames map[string]string // the first name in sort order among the forms of a reduction
	index          map[string]int32  // of a kernel with this name
}

func (j *joiner) findForm(k *builtKernel) {
	f, ok := kernelname.FormOf(k.name)
	if !ok {
		return
	}
	k.isForm = true
	j.forms[k.name] = f
	j.written[f.Kernel] = ""
	if least, ok := j.reductionNames[f.Kernel]; f.Kind == kernelname.Reduction && (!ok || k.name < least) {
		j.reductionNames[f.Kernel] = k.name
	}
}

func (j *joiner) findWritten(k *builtKernel) {
	if k.isForm {
		return
	}
	name := kernelname.Display(k.name)
	k.display = name
	if other, ok := j.written[name]; ok {
		j.ambiguous[name] = j.ambiguous[name] || other != "" && other != k.name
		j.written[name] = k.name
	}
}

func (j *joiner) join(k *builtKernel) {
	if !k.isForm {
		return
	}
	f := j.forms[k.name]
	of := cmp.Or(j.written[f.Kernel], j.reductionNames[f.Kernel])
	if of == "" || j.ambiguous[f.Kernel] {
		k.isForm = false
		return
	}
	k.owner = j.index[of]
}

// A kernelForm is a form of a kernel together with the modules that contain it.
type kernelForm struct {
	kernelname.Form
	holders []holder
}

// addForm adds a holder of a form.
func (k *kernel) addForm(name string, form kernelname.Form, h holder) {
	if k.forms == nil {
		k.forms = map[string]*kernelForm{}
	}
	f := k.forms[name]
	if f == nil {
		f = &kernelForm{Form: form}
		k.forms[name] = f
	}
	f.holders = append(f.holders, h)
}

// formList returns the forms of a kernel, except for the form that the kernel is named after, or
// nil if there are none.
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

// outcome returns the outcome of a kernel on a device.
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
	outcomes = append(outcomes, relevantOutcomes(strategies)...)
	slices.SortFunc(outcomes, compareOutcomes)
	c := outcomes[0]
	for _, other := range outcomes[1:] {
		c = joinOutcomes(c, other)
	}
	return c
}

// relevantOutcomes returns the outcomes of the strategies that count for a device.
func relevantOutcomes(strategies map[string][]builtOutcome) []builtOutcome {
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

// lacksAtomic64 reports whether a device may not run a kernel because it lacks the aspect atomic64.
func lacksAtomic64(c builtOutcome) bool {
	return slices.ContainsFunc(c.Reasons, func(r Reason) bool {
		return r.Rule == compat.MissingAspect && r.Required == aspect.Atomic64.String()
	})
}

// compareOutcomes orders outcomes, worst first, and equally bad outcomes by content.
func compareOutcomes(a, b builtOutcome) int {
	if n := cmp.Or(outcomeRank(b)-outcomeRank(a), cmp.Compare(a.image, b.image), strings.Compare(string(a.Scope), string(b.Scope))); n != 0 {
		return n
	}
	return slices.CompareFunc(a.Reasons, b.Reasons, func(a, b Reason) int {
		return cmp.Or(cmp.Compare(a.Rule, b.Rule), strings.Compare(a.Required, b.Required), strings.Compare(a.Text, b.Text))
	})
}

// joinOutcomes returns the outcome of a kernel from the outcomes of two forms that a device must
// both run; a is the worse outcome. The result has the reasons of both.
func joinOutcomes(a, b builtOutcome) builtOutcome {
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
		a.Code = b.Code // NativeOrIR is not worse
	}
	return a
}
