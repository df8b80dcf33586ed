package report

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// NotReported is the rule of the reason in a merged report for a kernel and a device that no part
// covers. The status is [compat.NotApplicable].
const NotReported = "not-reported"

// IsUnreported reports whether no report covers a kernel and a device.
func (o *Outcome) IsUnreported() bool { return len(o.Reasons) == 1 && o.Reasons[0].Rule == NotReported }

// notReported is the outcome if no part covers a kernel and a device.
var notReported = Outcome{Code: NoCode, Scope: ScopeKernel, Status: compat.NotApplicable,
	Reasons: []Reason{{Rule: NotReported, Required: "report", Status: compat.NotApplicable, Text: "No report covers this kernel and device"}}}

// Merge joins reports into one report on all kernels, with their targets, and all devices. It
// merges targets with equal labels, kernels of a target with equal names, devices with equal names,
// and images with equal bytes and properties. Kernel-device pairs that no part covers have the
// reason [NotReported]. The result does not depend on the order of the parts. Merge returns a
// single part unchanged.
//
// It returns an error if parts contradict each other about a device, or about a kernel on a device.
func Merge(parts ...*Report) (*Report, error) {
	if len(parts) == 1 {
		return parts[0], nil
	}
	m := merger{parts: parts, out: &Report{Schema: Schema, Devices: []Device{}, ImageKinds: []ImageKind{}, Images: []Image{}, Kernels: []Kernel{}, Targets: []string{}}}
	if err := m.merge(); err != nil {
		return nil, errors.New(safetext.Shorten(err.Error())) // the message quotes the parts
	}
	return m.out, nil
}

type merger struct {
	parts   []*Report
	out     *Report
	columns [][]int   // of the devices of out in each part, or -1
	images  [][]int32 // numbers in out of the images of each part
}

func (m *merger) merge() error {
	for i, p := range m.parts {
		has := make([]bool, len(p.Targets))
		for _, k := range p.Kernels {
			if !has[k.Target] {
				has[k.Target] = true
				m.out.Targets = append(m.out.Targets, p.Targets[k.Target])
			}
		}
		g := &m.out.Generator
		if i == 0 || cmp.Or(strings.Compare(p.Generator.Name, g.Name), strings.Compare(p.Generator.Version, g.Version)) < 0 {
			*g = p.Generator
		}
		if p.Source != m.parts[0].Source {
			m.out.Source = Source{}
		} else if i == 0 {
			m.out.Source = p.Source
		}
	}
	if len(m.out.Targets) == 0 { // no part has kernels
		for _, p := range m.parts {
			m.out.Targets = append(m.out.Targets, p.Targets...)
		}
	}
	slices.Sort(m.out.Targets)
	m.out.Targets = slices.Compact(m.out.Targets)
	if err := m.devices(); err != nil {
		return err
	}
	m.listImages()
	if err := m.kernels(); err != nil {
		return err
	}
	m.out.Statistics = m.out.statistics()
	return m.out.check()
}

// subject returns the targets of a part, for a message.
func subject(p *Report) string { return cmp.Or(strings.Join(p.Targets, ", "), "without a label") }

// devices lists the devices of all parts.
func (m *merger) devices() error {
	known := map[string]*Device{}
	for _, p := range m.parts {
		for i := range p.Devices {
			d := &p.Devices[i]
			if known[d.Name] == nil {
				known[d.Name] = d
				m.out.Devices = append(m.out.Devices, *d)
			} else if !reflect.DeepEqual(known[d.Name], d) {
				return fmt.Errorf("report %s describes device %s differently from an earlier report; create both with the same device configuration", subject(p), d.Name)
			}
		}
	}
	slices.SortFunc(m.out.Devices, func(a, b Device) int { return strings.Compare(a.Name, b.Name) })
	for _, p := range m.parts {
		columns := make([]int, len(m.out.Devices))
		for i := range columns {
			columns[i] = slices.IndexFunc(p.Devices, func(d Device) bool { return d.Name == m.out.Devices[i].Name })
		}
		m.columns = append(m.columns, columns)
	}
	return nil
}

// A mergedImage is an image of a part.
type mergedImage struct {
	Image
	part, index int
	text        string // identifies its kind without files
}

// listImages lists the images of all parts.
func (m *merger) listImages() {
	l := newImageLister(m.out)
	var list []mergedImage
	for n, p := range m.parts {
		m.images = append(m.images, make([]int32, len(p.Images)))
		l.add(p.Files...)
		texts := make([]string, len(p.ImageKinds))
		for i, k := range p.ImageKinds {
			texts[i] = k.text()
		}
		for i, image := range p.Images {
			list = append(list, mergedImage{image, n, i, texts[image.Kind]})
		}
	}
	l.addFiles()
	compare := func(a, b mergedImage) int {
		return cmp.Or(bytes.Compare(a.Digest[:], b.Digest[:]), strings.Compare(a.text, b.text))
	}
	slices.SortStableFunc(list, compare)
	for same := range runs(list, compare) {
		var files []File
		for _, i := range same {
			p := m.parts[i.part]
			for _, file := range p.ImageKinds[i.Kind].Files {
				files = append(files, p.Files[file])
			}
		}
		first := same[0]
		number := l.image(first.Digest, m.parts[first.part].ImageKinds[first.Kind], first.text, files)
		for _, i := range same {
			m.images[i.part][i.index] = number
		}
	}
}

// A mergedKernel is a kernel of a part.
type mergedKernel struct {
	*Kernel
	part   int
	target int32 // of the merged report
}

// kernels lists the kernels of all parts and their rows.
func (m *merger) kernels() error {
	var list []mergedKernel
	for n, p := range m.parts {
		for i := range p.Kernels {
			k := &p.Kernels[i]
			target, _ := slices.BinarySearch(m.out.Targets, p.Targets[k.Target])
			list = append(list, mergedKernel{k, n, int32(target)})
		}
	}
	same := func(a, b mergedKernel) int {
		return cmp.Or(cmp.Compare(a.target, b.target), strings.Compare(a.Name, b.Name))
	}
	slices.SortStableFunc(list, same)
	groups := slices.Collect(runs(list, same))
	slices.SortStableFunc(groups, func(a, b []mergedKernel) int {
		return cmp.Or(cmp.Compare(a[0].target, b[0].target), strings.Compare(a[0].DisplayName, b[0].DisplayName))
	})
	rows := newTable(m.out)
	row := make([]int32, len(m.out.Devices))
	for _, group := range groups {
		k := m.kernel(group)
		for d := range row {
			o, err := m.outcome(group, d)
			if err != nil {
				return err
			}
			row[d] = rows.outcome(o)
		}
		k.Row = rows.row(row)
		m.out.Kernels = append(m.out.Kernels, k)
	}
	return nil
}

// kernel merges the kernels of several parts.
func (m *merger) kernel(group []mergedKernel) Kernel {
	out := *group[0].Kernel
	out.Target, out.Images = group[0].target, []int32{}
	for n, k := range group {
		for _, i := range k.Images {
			out.Images = append(out.Images, m.images[k.part][i])
		}
		if n == 0 {
			continue
		}
		if out.Location.IsZero() || !k.Location.IsZero() && k.Location.Compare(out.Location) < 0 {
			out.Location = k.Location
		}
		out.DisplayName = min(out.DisplayName, k.DisplayName)
		out.Origins = slices.Concat(out.Origins, k.Origins)
		out.Forms = mergeForms(out.Forms, k.Forms)
	}
	slices.Sort(out.Images)
	out.Images = slices.Compact(out.Images)
	out.Origins = slices.Clone(out.Origins)
	slices.SortFunc(out.Origins, srcloc.Origin.Compare)
	out.Origins = slices.Compact(out.Origins)
	return out
}

// outcome merges the outcomes of a kernel on a device.
func (m *merger) outcome(group []mergedKernel, device int) (*Outcome, error) {
	known := &notReported
	for _, k := range group {
		p, column := m.parts[k.part], m.columns[k.part][device]
		if column < 0 {
			continue
		}
		o := &p.Outcomes[p.Rows[k.Row][column]]
		switch {
		case known.IsUnreported():
			known = o
		case o.IsUnreported() || reflect.DeepEqual(known, o):
		default:
			return nil, fmt.Errorf("two reports %s contradict each other about kernel %s and device %s; create both from the same build, or use different labels", subject(p), k.Name, m.out.Devices[device].Name)
		}
	}
	return known, nil
}

// mergeForms returns the union of forms.
func mergeForms(a, b *Forms) *Forms {
	if a == nil || b == nil {
		return cmp.Or(a, b)
	}
	both := func(a, b []string) []string {
		list := slices.Concat(a, b)
		slices.Sort(list)
		return slices.Compact(list)
	}
	return &Forms{Reduction: both(a.Reduction, b.Reduction), RoundedRange: both(a.RoundedRange, b.RoundedRange)}
}
