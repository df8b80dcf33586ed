package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// check returns an error if the report is invalid: out-of-range numbers, empty names, unknown
// values, duplicates or contradictions.
func (r *Report) check() error {
	for _, check := range []func() error{r.checkDevices, r.checkFiles, r.checkImages, r.checkOutcomes, r.checkRows, r.checkKernels} {
		if err := check(); err != nil {
			return err
		}
	}
	if s := r.statistics(); s != r.Statistics {
		return fmt.Errorf("the statistics, %s, do not match the rows, %s", r.Statistics, s)
	}
	return nil
}

// String returns the numbers as text.
func (s Statistics) String() string {
	return fmt.Sprintf("%d compatible, %d incompatible, %d not-applicable and %d undetermined", s.Compatible, s.Incompatible, s.NotApplicable, s.Undetermined)
}

func (r *Report) checkDevices() error {
	if r.Generator.Name == "" || r.Generator.Version == "" {
		return fmt.Errorf("the generator has no name or no version")
	}
	seen := map[string]bool{}
	for i := range r.Devices {
		d := &r.Devices[i]
		if d.Name == "" || seen[d.Name] {
			return fmt.Errorf("device %d: the name %q is empty or a duplicate", i, d.Name)
		}
		seen[d.Name] = true
		if !slices.Contains([]string{"spirv", "ptx", "amdgcn"}, d.Backend) {
			return fmt.Errorf("device %q: unknown backend; expected spirv, ptx or amdgcn", d.Name)
		}
		if n := len(d.MaxWorkItemSizes); n != 0 && n != 3 || slices.Contains(d.MaxWorkItemSizes, 0) {
			return fmt.Errorf("device %q: the largest work-item sizes must be 3 numbers above 0", d.Name)
		}
	}
	return nil
}

func (r *Report) checkFiles() error {
	for i, f := range r.Files {
		if f.Name == "" || i > 0 && (r.Files[i-1].Name > f.Name || r.Files[i-1] == f) {
			return fmt.Errorf("file %d: the name %q is empty, a duplicate or out of order", i, f.Name)
		}
	}
	if len(r.Targets) == 0 || slices.Contains(r.Targets[1:], "") {
		return fmt.Errorf("the report has no target, or several targets and one without a label")
	}
	for i, label := range r.Targets[1:] {
		if label <= r.Targets[i] {
			return fmt.Errorf("target %q is a duplicate or out of order", label)
		}
	}
	return nil
}

func (r *Report) checkImages() error {
	for i := range r.ImageKinds {
		k := &r.ImageKinds[i]
		if !slices.Contains([]string{"spirv", "ptx", "amdgcn", "llvm-ir", "native"}, k.Format) {
			return fmt.Errorf("image kind %d: unknown format %q; expected spirv, ptx, amdgcn, llvm-ir or native", i, k.Format)
		}
		if err := numbers("image kind", i, "file", k.Files, len(r.Files)); err != nil {
			return err
		}
		for _, c := range k.Constants {
			if c.DisplayName == "" || c.Name == "" || slices.ContainsFunc(c.Parts, func(p ConstantPart) bool { return p.Default == "" || p.Size == 0 }) {
				return fmt.Errorf("image kind %d: a specialization constant has no name, value or size", i)
			}
		}
	}
	for i, image := range r.Images {
		if err := number("image", i, "kind", image.Kind, len(r.ImageKinds)); err != nil {
			return err
		}
		if i > 0 && image.Digest.Compare(r.Images[i-1].Digest) < 0 {
			return fmt.Errorf("image %d is not in the order of digests", i)
		}
	}
	return nil
}

// number checks that an element number is in range.
func number(what string, i int, of string, n int32, elements int) error {
	if n < 0 || int(n) >= elements {
		return fmt.Errorf("%s %d: refers to %s %d, which does not exist", what, i, of, n)
	}
	return nil
}

// numbers checks that element numbers are in range, sorted and distinct.
func numbers(what string, i int, of string, list []int32, elements int) error {
	for at, n := range list {
		if err := number(what, i, of, n, elements); err != nil {
			return err
		}
		if at > 0 && n <= list[at-1] {
			return fmt.Errorf("%s %d: %s %d is a duplicate or out of order", what, i, of, n)
		}
	}
	return nil
}

func (r *Report) checkOutcomes() error {
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		if !slices.Contains([]Code{Native, IR, NativeOrIR, NoCode}, o.Code) {
			return fmt.Errorf("outcome %d: unknown code kind %q", i, o.Code)
		}
		if o.Scope != ScopeImage && o.Scope != ScopeKernel {
			return fmt.Errorf("outcome %d: %q is not a scope", i, o.Scope)
		}
		worst := compat.Compatible
		for _, reason := range o.Reasons {
			if reason.Rule == "" || reason.Status <= compat.Compatible {
				return fmt.Errorf("outcome %d: a reason has no rule or has the invalid status %q", i, reason.Status)
			}
			worst = max(worst, reason.Status)
		}
		if o.Status != worst {
			return fmt.Errorf("outcome %d has status %q, but its reasons imply %q", i, o.Status, worst)
		}
	}
	return nil
}

func (r *Report) checkRows() error {
	// Kernels can share rows, so a small file can describe a huge number of kernels and devices.
	if n := len(r.Kernels) * len(r.Devices); n > MaxSize {
		return fmt.Errorf("%d kernels and %d devices: their product exceeds the limit of %d", len(r.Kernels), len(r.Devices), MaxSize)
	}
	for i, row := range r.Rows {
		if len(row) != len(r.Devices) {
			return fmt.Errorf("row %d has %d outcomes for %d devices", i, len(row), len(r.Devices))
		}
		for _, n := range row {
			if err := number("row", i, "outcome", n, len(r.Outcomes)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *Report) checkKernels() error {
	byName := make([]int32, len(r.Kernels))
	for i := range byName {
		byName[i] = int32(i)
	}
	compare := func(i, j int32) int {
		a, b := &r.Kernels[i], &r.Kernels[j]
		return cmp.Or(cmp.Compare(a.Target, b.Target), strings.Compare(a.Name, b.Name))
	}
	slices.SortFunc(byName, compare)
	for n, i := range byName {
		if name := r.Kernels[i].Name; name == "" || n > 0 && compare(i, byName[n-1]) == 0 {
			return fmt.Errorf("kernel %d: the name %q is empty or a duplicate", i, name)
		}
	}
	for i := range r.Kernels {
		k := &r.Kernels[i]
		if err := number("kernel", i, "row", k.Row, len(r.Rows)); err != nil {
			return err
		}
		if err := number("kernel", i, "target", k.Target, len(r.Targets)); err != nil {
			return err
		}
		if err := numbers("kernel", i, "image", k.Images, len(r.Images)); err != nil {
			return err
		}
		places := []srcloc.Location{k.Location}
		for _, o := range k.Origins {
			places = append(places, o.Location)
		}
		if slices.ContainsFunc(places, func(l srcloc.Location) bool { return !l.IsZero() && (l.Path == "" || l.Line == 0) }) {
			return fmt.Errorf("kernel %q: a source location has no path or no line", k.Name)
		}
		names := k.FormNames()
		slices.Sort(names)
		if slices.Contains(names, "") || slices.Contains(names, k.Name) || len(slices.Compact(names)) < len(names) {
			return fmt.Errorf("kernel %q: the name of a form is empty, a duplicate or the kernel's own", k.Name)
		}
	}
	return nil
}
