package report

import (
	"fmt"

	"github.com/rules-sycl/rules_sycl/sycl/compat"
)

// check reports contradictions within a report.
func (r *Report) check() error {
	c := checker{Report: r}
	for _, check := range []func() error{c.devices, c.images, c.kernels, c.cells} {
		if err := check(); err != nil {
			return err
		}
	}
	if s := r.statistics(); s != r.Statistics {
		return fmt.Errorf("the statistics do not fit the cells: they say %+v, the cells %+v", r.Statistics, s)
	}
	return nil
}

// A checker checks a report list by list.
type checker struct {
	*Report
	imageIDs idSet
}

func (c *checker) devices() error {
	ids := map[string]bool{}
	for _, d := range c.Devices {
		if d.ID == "" || ids[d.ID] {
			return fmt.Errorf("device id %q is empty or occurs twice", d.ID)
		}
		ids[d.ID] = true
	}
	return nil
}

func (c *checker) images() error {
	c.imageIDs = newIDSet(c.Images.Len(), c.Images.ID)
	for i := range c.Images.Len() {
		id := c.Images.ID(i)
		if id == "" || !c.imageIDs.add(i) {
			return fmt.Errorf("image id %q is empty or occurs twice", id)
		}
		files := c.Images.Files(i)
		for n, file := range files {
			if file == "" || n > 0 && file <= files[n-1] {
				return fmt.Errorf("image %q: the file %q has no name, occurs twice or is not in order", id, file)
			}
		}
	}
	return nil
}

func (c *checker) kernels() error {
	ids := newIDSet(c.Kernels.Len(), c.Kernels.ID)
	for i, k := range c.Kernels.All() {
		if k.ID == "" || !ids.add(i) {
			return fmt.Errorf("kernel id %q is empty or occurs twice", k.ID)
		}
		for _, id := range k.Images {
			if c.imageIDs.find(id) < 0 {
				return fmt.Errorf("kernel %q is in image %q, which is not listed", k.ID, id)
			}
		}
		if err := k.checkForms(); err != nil {
			return err
		}
	}
	return nil
}

func (k *Kernel) checkForms() error {
	for n, f := range k.Forms {
		if f.Name == "" || f.Name == k.Name || n > 0 && f.Name <= k.Forms[n-1].Name {
			return fmt.Errorf("kernel %q: the form %q has no name or that of the kernel, occurs twice or is not in order", k.ID, f.Name)
		}
		switch f.Kind {
		case RoundedRange, Reduction:
		default:
			return fmt.Errorf("kernel %q: %q is not a kind of form", k.ID, f.Kind)
		}
	}
	return nil
}

func (c *checker) cells() error {
	// A file decides how long these lists are, so memory for all pairs is only
	// allocated when there are as many cells.
	if want := c.Kernels.Len() * len(c.Devices); c.Cells.Len() != want {
		return fmt.Errorf("%d cells for %d kernels and %d devices", c.Cells.Len(), c.Kernels.Len(), len(c.Devices))
	}
	for id := range c.Cells.imageIDs() {
		if c.imageIDs.find(id) < 0 {
			return fmt.Errorf("a cell is about image %q, which is not listed", id)
		}
	}
	if !c.inOrder() {
		if err := c.pairs(); err != nil {
			return err
		}
	}
	checked := make([]bool, c.Cells.Outcomes())
	for i, left := 0, len(checked); left > 0 && i < c.Cells.Len(); i++ {
		if n := c.Cells.Outcome(i); !checked[n] {
			checked[n] = true
			left--
			cell := c.Cells.At(i)
			if err := cell.check(); err != nil {
				return err
			}
		}
	}
	return nil
}

// pairs checks that each kernel and device has one cell.
func (c *checker) pairs() error {
	seen := make([]bool, c.Cells.Len())
	find := finder{r: c.Report}
	for i := range c.Cells.Len() {
		kernel, device := c.Cells.about(i)
		place, ok := find.place(i, kernel, device)
		if !ok {
			return find.notListed(kernel, device)
		}
		at := place.Kernel*len(c.Devices) + place.Device
		if seen[at] {
			return fmt.Errorf("two cells are about kernel %q and device %q", kernel, device)
		}
		seen[at] = true
	}
	return nil
}

// notListed says what a cell is about that the report does not list.
func (f *finder) notListed(kernel, device string) error {
	if _, ok := f.kernels[kernel]; !ok {
		return fmt.Errorf("a cell is about kernel %q, which is not listed", kernel)
	}
	return fmt.Errorf("a cell is about device %q, which is not listed", device)
}

// check reports contradictions within a cell.
func (c *Cell) check() error {
	switch c.Code {
	case Native, IR, NativeOrIR, NoCode:
	default:
		return fmt.Errorf("%q is not what a file can hold for a device", c.Code)
	}
	switch c.Scope {
	case ScopeImage, ScopeKernel:
	default:
		return fmt.Errorf("%q is not a scope", c.Scope)
	}
	worst := compat.Compatible
	for i := range c.Reasons {
		verdict := c.Reasons[i].Verdict
		if verdict <= compat.Compatible {
			return fmt.Errorf("a reason has the status %q", verdict)
		}
		worst = max(worst, verdict)
	}
	if c.Verdict != worst {
		return fmt.Errorf("kernel %q on device %q is %q, but its reasons make it %q", c.Kernel, c.Device, c.Verdict, worst)
	}
	return nil
}
