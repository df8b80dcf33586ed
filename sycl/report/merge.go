package report

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// NotReported is the rule of the reason for a cell of a merged report that no part has.
// The verdict of the cell is [compat.NotApplicable].
const NotReported = "not-reported"

// Merge joins reports to one about all their kernels and devices.
//
// If all labels are the same, kernels with equal ids are one kernel. If labels differ,
// kernels of different labels stay apart: the id of a kernel becomes the label, "#" and
// its name, and [KernelTarget] returns the label. Devices with equal ids are one device.
// A cell that no part has is not applicable, with the reason [NotReported]. An extension
// stays if all parts that have it agree. The order of the parts does not change the
// result, and a single part is returned as it is.
//
// It is an error if parts contradict each other about a device or a verdict.
func Merge(parts ...*Report) (*Report, error) {
	if len(parts) == 1 {
		return parts[0], nil
	}
	out, err := merge(parts)
	if err != nil {
		return nil, errors.New(safetext.Shorten(err.Error())) // it quotes the parts
	}
	return out, nil
}

func merge(parts []*Report) (*Report, error) {
	m := merger{devices: map[string]*Device{}, kernels: map[string]*Kernel{}, cells: map[pair]Cell{}}
	out := &Report{Schema: Schema, Devices: []Device{}}
	out.shareTexts()
	for i, p := range parts {
		if i == 0 {
			out.Target, out.Generator = p.Target, p.Generator
		}
		if p.Target != out.Target {
			m.apart, out.Target = true, Target{}
		}
		if p.Generator.Name < out.Generator.Name || p.Generator.Name == out.Generator.Name && p.Generator.Version < out.Generator.Version {
			out.Generator = p.Generator
		}
	}
	m.images(parts, out)
	for _, p := range parts {
		if err := m.add(p); err != nil {
			return nil, err
		}
	}
	m.list(out)
	out.Extensions = commonExtensions(parts)
	out.SchemaVersion = out.leastVersion()
	out.Statistics = out.statistics()
	return out, out.check()
}

type pair struct{ kernel, device string }

type merger struct {
	apart    bool // whether labels differ
	imageIDs []map[string]string
	next     int // index of the part that is added next
	devices  map[string]*Device
	kernels  map[string]*Kernel
	cells    map[pair]Cell
}

// images lists the images of all parts and gives them ids in the way of Build. Different
// images can have the same id in two parts.
func (m *merger) images(parts []*Report, out *Report) {
	type described struct {
		image Image
		text  string
	}
	var list []described
	text := func(i Image) string {
		i.ID, i.Files = "", nil
		data, _ := json.Marshal(i) // cannot fail for strings and numbers
		return string(data)
	}
	for _, p := range parts {
		for _, i := range p.Images.All() {
			list = append(list, described{*i, text(*i)})
		}
	}
	slices.SortFunc(list, func(a, b described) int {
		return cmp.Or(strings.Compare(a.image.Digest, b.image.Digest), strings.Compare(a.text, b.text))
	})
	files := map[string][]string{} // by text
	for _, d := range list {
		files[d.text] = append(files[d.text], d.image.Files...)
	}
	list = slices.CompactFunc(list, func(a, b described) bool { return a.text == b.text })
	ids, taken := map[string]string{}, map[string]int{}
	for _, d := range list {
		slices.Sort(files[d.text])
		d.image.Files = slices.Compact(files[d.text])
		const digits = 16
		id := cmp.Or(d.image.Digest[:min(digits, len(d.image.Digest))], "image")
		taken[id]++
		if n := taken[id]; n > 1 {
			id += fmt.Sprintf("-%d", n)
		}
		d.image.ID, ids[d.text] = id, id
		out.Images.Append(&d.image)
	}
	for _, p := range parts {
		own := map[string]string{}
		for _, i := range p.Images.All() {
			own[i.ID] = ids[text(*i)]
		}
		m.imageIDs = append(m.imageIDs, own)
	}
}

// add adds the next part.
func (m *merger) add(p *Report) error {
	imageIDs := m.imageIDs[m.next]
	m.next++
	about := cmp.Or(p.Target.Label, "without a label")
	if err := m.addDevices(p, about); err != nil {
		return err
	}
	return m.addCells(p, about, m.addKernels(p, imageIDs), imageIDs)
}

func (m *merger) addDevices(p *Report, about string) error {
	for _, d := range p.Devices {
		if known := m.devices[d.ID]; known == nil {
			m.devices[d.ID] = &d
		} else if !reflect.DeepEqual(*known, d) {
			return fmt.Errorf("the report %s describes device %s in another way than a report before it: make both with the same device configuration", about, d.ID)
		}
	}
	return nil
}

// addKernels returns the ids in the merged report of the kernels of a part.
func (m *merger) addKernels(p *Report, imageIDs map[string]string) (ids map[string]string) {
	ids = map[string]string{}
	for i := range p.Kernels.Len() {
		k := p.Kernels.At(i)
		old := k.ID
		// A part may be a merged report itself, which has labels in its ids.
		if m.apart && KernelTarget(&k) == "" {
			k.ID = p.Target.Label + "#" + k.Name
		}
		ids[old] = k.ID
		images := []string{}
		for _, i := range k.Images {
			images = append(images, imageIDs[i])
		}
		known := m.kernels[k.ID]
		if known == nil {
			known = &k
			m.kernels[k.ID] = known
		} else {
			images = append(images, known.Images...)
			if known.Location.IsZero() || !k.Location.IsZero() && k.Location.Compare(known.Location) < 0 {
				known.Location = k.Location
			}
			known.Origins = append(slices.Clone(known.Origins), k.Origins...)
			known.Forms = mergeForms(known.Forms, k.Forms)
		}
		slices.Sort(images)
		known.Images = slices.Compact(images)
	}
	return ids
}

// mergeForms returns the forms of both lists, by name.
func mergeForms(list, more []KernelForm) []KernelForm {
	list = slices.Concat(list, more)
	slices.SortFunc(list, func(a, b KernelForm) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(string(a.Kind), string(b.Kind)))
	})
	return slices.CompactFunc(list, func(a, b KernelForm) bool { return a.Name == b.Name })
}

func (m *merger) addCells(p *Report, about string, kernelIDs, imageIDs map[string]string) error {
	for _, cell := range p.Cells.All() {
		c := *cell
		c.Kernel = kernelIDs[c.Kernel]
		c.Image = imageIDs[c.Image]
		at := pair{c.Kernel, c.Device}
		known, ok := m.cells[at]
		switch {
		case !ok || notReported(&known):
			m.cells[at] = c
		case notReported(&c):
		case known.Verdict != c.Verdict || known.Code != c.Code || !slices.Equal(known.Reasons, c.Reasons):
			return fmt.Errorf("two reports %s contradict each other about kernel %s and device %s: make both from the same build, or give them labels that differ", about, c.Kernel, c.Device)
		case c.Image < known.Image:
			m.cells[at] = c
		}
	}
	return nil
}

func notReported(c *Cell) bool { return len(c.Reasons) == 1 && c.Reasons[0].Rule == NotReported }

// list puts what was added into the report, sorted.
func (m *merger) list(out *Report) {
	for _, d := range m.devices {
		out.Devices = append(out.Devices, *d)
	}
	slices.SortFunc(out.Devices, func(a, b Device) int { return strings.Compare(a.ID, b.ID) })
	kernels := make([]*Kernel, 0, len(m.kernels))
	for _, k := range m.kernels {
		slices.SortFunc(k.Origins, srcloc.Origin.Compare)
		k.Origins = slices.Compact(k.Origins)
		kernels = append(kernels, k)
	}
	slices.SortFunc(kernels, func(a, b *Kernel) int {
		return cmp.Or(strings.Compare(KernelTarget(a), KernelTarget(b)), strings.Compare(a.DisplayName, b.DisplayName), strings.Compare(a.Name, b.Name), strings.Compare(a.ID, b.ID))
	})
	for _, k := range kernels {
		out.Kernels.Append(k)
		for _, d := range out.Devices {
			c, ok := m.cells[pair{k.ID, d.ID}]
			if !ok {
				c = Cell{Kernel: k.ID, Device: d.ID, Code: NoCode, Scope: ScopeKernel, Verdict: compat.NotApplicable,
					Reasons: []Reason{{Rule: NotReported, Required: "report", Verdict: compat.NotApplicable, Text: "No report is about this kernel and this device"}}}
			}
			out.Cells.Append(&c)
		}
	}
}

// commonExtensions returns the extensions about which no two parts differ.
func commonExtensions(parts []*Report) map[string]json.RawMessage {
	var out map[string]json.RawMessage
	differ := map[string]bool{}
	for _, p := range parts {
		for name, value := range p.Extensions {
			if old, ok := out[name]; ok && string(old) != string(value) {
				differ[name] = true
			}
			if out == nil {
				out = map[string]json.RawMessage{}
			}
			out[name] = value
		}
	}
	for name := range differ {
		delete(out, name)
	}
	return out
}
