package report

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
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
	out := &Report{Schema: Schema, Devices: []Device{}}
	out.shareTexts()
	m := merger{parts: parts, out: out, texts: out.Cells.texts}
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
	if err := m.devices(); err != nil {
		return nil, err
	}
	m.images()
	if err := m.kernels(); err != nil {
		return nil, err
	}
	m.texts.forget()
	out.Extensions = commonExtensions(parts)
	out.SchemaVersion = out.leastVersion()
	out.Statistics = out.statistics()
	return out, out.check()
}

type merger struct {
	parts []*Report
	out   *Report
	texts *texts // of out
	apart bool   // whether labels differ

	imageIDs []map[string]string // by part
	cellAt   []func(kernel, device int) int
	columns  [][]int // of the devices of out in each part, -1 for none
}

// about returns what a part is about.
func about(p *Report) string { return cmp.Or(p.Target.Label, "without a label") }

// devices lists the devices of all parts.
func (m *merger) devices() error {
	known := map[string]*Device{}
	for _, p := range m.parts {
		for _, d := range p.Devices {
			if known[d.ID] == nil {
				known[d.ID] = &d
			} else if !reflect.DeepEqual(*known[d.ID], d) {
				return fmt.Errorf("the report %s describes device %s in another way than a report before it: make both with the same device configuration", about(p), d.ID)
			}
		}
	}
	for _, d := range known {
		m.out.Devices = append(m.out.Devices, *d)
	}
	slices.SortFunc(m.out.Devices, func(a, b Device) int { return strings.Compare(a.ID, b.ID) })
	for _, p := range m.parts {
		own := make(map[string]int, len(p.Devices))
		for i, d := range p.Devices {
			own[d.ID] = i + 1
		}
		columns := make([]int, len(m.out.Devices))
		for i, d := range m.out.Devices {
			columns[i] = own[d.ID] - 1
		}
		m.columns = append(m.columns, columns)
		m.cellAt = append(m.cellAt, p.CellIndex())
	}
	return nil
}

// An element is an element of a list of a part.
type element struct{ part, index uint32 }

// images lists the images of all parts and gives them ids in the way of Build. Different
// images can have the same id in two parts.
func (m *merger) images() {
	var list []element
	for n, p := range m.parts {
		m.imageIDs = append(m.imageIDs, make(map[string]string, p.Images.Len()))
		for i := range p.Images.Len() {
			list = append(list, element{uint32(n), uint32(i)})
		}
	}
	image := func(e element) Image { return m.parts[e.part].Images.At(int(e.index)) }
	slices.SortStableFunc(list, func(a, b element) int {
		return m.parts[a.part].Images.compareDigests(int(a.index), &m.parts[b.part].Images, int(b.index))
	})
	taken := map[string]int{}
	last := ""
	for len(list) > 0 {
		digest, n := image(list[0]).Digest, 1
		for n < len(list) && image(list[n]).Digest == digest {
			n++
		}
		const digits = 16
		id := cmp.Or(digest[:min(digits, len(digest))], "image")
		if id != last {
			clear(taken)
			last = id
		}
		m.sameDigest(list[:n], func() string {
			if taken[id]++; taken[id] > 1 {
				return fmt.Sprintf("%s-%d", id, taken[id])
			}
			return id
		})
		list = list[n:]
	}
}

// sameDigest lists images of one digest.
func (m *merger) sameDigest(list []element, newID func() string) {
	if len(list) == 1 {
		m.sameImage(list, newID())
		return
	}
	byText := map[string][]element{} // by all but id and files
	for _, e := range list {
		i := m.parts[e.part].Images.At(int(e.index))
		i.ID, i.Files = "", nil
		data, _ := json.Marshal(i) // cannot fail for strings and numbers
		byText[string(data)] = append(byText[string(data)], e)
	}
	for _, text := range slices.Sorted(maps.Keys(byText)) {
		m.sameImage(byText[text], newID())
	}
}

// sameImage lists an image that several parts can have.
func (m *merger) sameImage(list []element, id string) {
	image := m.parts[list[0].part].Images.At(int(list[0].index))
	image.ID, image.Files = m.texts.at(m.texts.number(id)), nil
	for _, e := range list {
		images := &m.parts[e.part].Images
		image.Files = append(image.Files, images.Files(int(e.index))...)
		m.imageIDs[e.part][images.ID(int(e.index))] = image.ID
	}
	slices.Sort(image.Files)
	image.Files = slices.Compact(image.Files)
	m.out.Images.Append(&image)
}

// A mergedKernel is the kernels of parts that are one.
type mergedKernel struct {
	id, name, display uint32 // numbers of texts
	first, count      uint32 // in the list of elements
}

// kernels lists the kernels of all parts and their cells.
func (m *merger) kernels() error {
	list, ids := m.elements()
	order := indexes(len(list))
	slices.SortFunc(order, func(i, j uint32) int { return cmp.Or(cmp.Compare(ids[i], ids[j]), cmp.Compare(i, j)) })
	var kernels []mergedKernel
	for n, i := range order {
		if last := len(kernels) - 1; last >= 0 && kernels[last].id == ids[i] {
			kernels[last].count++
			continue
		}
		k := m.kernel(list[i])
		kernels = append(kernels, mergedKernel{ids[i], m.texts.number(k.Name), m.texts.number(k.DisplayName), uint32(n), 1})
	}
	slices.SortFunc(kernels, func(a, b mergedKernel) int {
		one, other := Kernel{ID: m.texts.at(a.id), Name: m.texts.at(a.name)}, Kernel{ID: m.texts.at(b.id), Name: m.texts.at(b.name)}
		return cmp.Or(strings.Compare(KernelTarget(&one), KernelTarget(&other)), strings.Compare(m.texts.at(a.display), m.texts.at(b.display)),
			strings.Compare(one.Name, other.Name), strings.Compare(one.ID, other.ID))
	})
	same := make([]element, 0, len(m.parts))
	for _, k := range kernels {
		same = same[:0]
		for _, i := range order[k.first : k.first+k.count] {
			same = append(same, list[i])
		}
		if err := m.merged(m.texts.at(k.id), same); err != nil {
			return err
		}
	}
	return nil
}

// elements returns the kernels of all parts and the numbers of their ids in the merged
// report.
func (m *merger) elements() (list []element, ids []uint32) {
	for n, p := range m.parts {
		for i, k := range p.Kernels.All() {
			id := k.ID
			// A part may be a merged report itself, which has labels in its ids.
			if m.apart && KernelTarget(k) == "" {
				id = p.Target.Label + "#" + k.Name
			}
			list, ids = append(list, element{uint32(n), uint32(i)}), append(ids, m.texts.number(id))
		}
	}
	return list, ids
}

func (m *merger) kernel(e element) Kernel { return m.parts[e.part].Kernels.At(int(e.index)) }

// merged adds a kernel that several parts can have.
func (m *merger) merged(id string, same []element) error {
	out := m.kernel(same[0])
	out.ID, out.Images = id, []string{}
	for n, e := range same {
		k := m.kernel(e)
		for _, i := range k.Images {
			out.Images = append(out.Images, m.imageIDs[e.part][i])
		}
		if n == 0 {
			continue
		}
		if out.Location.IsZero() || !k.Location.IsZero() && k.Location.Compare(out.Location) < 0 {
			out.Location = k.Location
		}
		out.Origins = append(slices.Clone(out.Origins), k.Origins...)
		out.Forms = mergeForms(out.Forms, k.Forms)
	}
	slices.Sort(out.Images)
	out.Images = slices.Compact(out.Images)
	out.Origins = slices.Clone(out.Origins)
	slices.SortFunc(out.Origins, srcloc.Origin.Compare)
	out.Origins = slices.Compact(out.Origins)
	m.out.Kernels.Append(&out)
	for d := range m.out.Devices {
		c, err := m.cell(id, d, same)
		if err != nil {
			return err
		}
		m.out.Cells.Append(&c)
	}
	return nil
}

// cell returns the cell about a kernel and a device from those of the parts.
func (m *merger) cell(kernel string, device int, same []element) (Cell, error) {
	known := Cell{Code: NoCode, Scope: ScopeKernel, Verdict: compat.NotApplicable, Reasons: notReportedReasons}
	for _, e := range same {
		p, column := m.parts[e.part], m.columns[e.part][device]
		if column < 0 {
			continue
		}
		i := m.cellAt[e.part](int(e.index), column)
		if i < 0 {
			continue
		}
		c := p.Cells.At(i)
		c.Image = m.imageIDs[e.part][c.Image]
		switch {
		case notReported(&known):
			known = c
		case notReported(&c):
		case known.Verdict != c.Verdict || known.Code != c.Code || !slices.Equal(known.Reasons, c.Reasons):
			return known, fmt.Errorf("two reports %s contradict each other about kernel %s and device %s: make both from the same build, or give them labels that differ", about(p), kernel, m.out.Devices[device].ID)
		case c.Image < known.Image:
			known = c
		}
	}
	known.Kernel, known.Device = kernel, m.out.Devices[device].ID
	return known, nil
}

// notReportedReasons are those of cells that no part has.
var notReportedReasons = []Reason{{Rule: NotReported, Required: "report", Verdict: compat.NotApplicable, Text: "No report is about this kernel and this device"}}

// mergeForms returns the forms of both lists, by name.
func mergeForms(list, more []KernelForm) []KernelForm {
	list = slices.Concat(list, more)
	slices.SortFunc(list, func(a, b KernelForm) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(string(a.Kind), string(b.Kind)))
	})
	return slices.CompactFunc(list, func(a, b KernelForm) bool { return a.Name == b.Name })
}

func notReported(c *Cell) bool { return len(c.Reasons) == 1 && c.Reasons[0].Rule == NotReported }

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
