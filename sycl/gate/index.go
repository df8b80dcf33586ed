package gate

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/report"
)

// An Index holds the part of a report that the gate needs, which is much smaller than the report: a
// digest of each device and, for each build target, the statuses and the problems of its kernels.
type Index struct {
	devices map[string]string // digests of device data, by device name
	data    map[string]*report.Device
	targets []*target // several for a merged report
	name    string
	commit  string // the commit that the report names, or ""
}

// NewIndex returns the index of a report; name states where the report comes from. The index does
// not retain the report.
func NewIndex(name string, r *report.Report) *Index {
	x := &Index{devices: map[string]string{}, data: map[string]*report.Device{}, name: name, commit: r.Source.Commit}
	names := make([]string, len(r.Devices))
	for i := range r.Devices {
		names[i] = r.Devices[i].Name
		x.devices[names[i]] = deviceDigest(&r.Devices[i])
		d := r.Devices[i] // a copy, which does not retain the report
		x.data[names[i]] = &d
	}
	slices.Sort(names)
	rows := x.addTargets(name, r, names)
	for _, t := range x.targets {
		t.statuses = make([]compat.Status, len(t.kernels)*len(names))
	}
	addOutcomes(r, names, rows)
	for _, t := range x.targets {
		t.sort()
	}
	return x
}

// Labels returns the labels of the targets in report order.
func (x *Index) Labels() (list []string) {
	for _, t := range x.targets {
		list = append(list, t.label)
	}
	return list
}

// Relabel replaces the labels of the targets. Targets with equal new labels are merged.
func (x *Index) Relabel(label func(old string) string) {
	for _, t := range x.targets {
		t.label = label(t.label)
	}
}

// A row locates the statuses of a kernel.
type row struct {
	*target
	index int
}

// addTargets adds the targets of a report and returns the rows of its kernels. A target without
// kernels counts as checked.
func (x *Index) addTargets(name string, r *report.Report, devices []string) []row {
	for _, label := range r.Targets {
		t := newTarget(label, devices)
		t.reports = []string{name}
		x.targets = append(x.targets, t)
	}
	rows := make([]row, len(r.Kernels))
	var images []report.Digest // of the last kernel
	for i := range r.Kernels {
		k := &r.Kernels[i]
		if i == 0 || !slices.Equal(k.Images, r.Kernels[i-1].Images) {
			images = make([]report.Digest, len(k.Images))
			for n, image := range k.Images {
				images[n] = r.Images[image].Digest
			}
			images = slices.Compact(images) // images are sorted by digest
		}
		t := x.targets[k.Target]
		rows[i] = row{t, t.addKernel(&kernel{name: k.Name, display: k.DisplayName, location: k.Location, origins: k.Origins, images: images, forms: k.FormNames()})}
	}
	return rows
}

// addOutcomes adds the outcomes of a report to the rows of its kernels. devices are the devices of
// the report in alphabetical order.
func addOutcomes(r *report.Report, devices []string, rows []row) {
	column := make([]int, len(r.Devices)) // of the devices in report order
	for i := range r.Devices {
		column[i], _ = slices.BinarySearch(devices, r.Devices[i].Name)
	}
	outcomes := make([]*outcome, len(r.Outcomes))
	for i := range r.Outcomes {
		outcomes[i] = newOutcome(&r.Outcomes[i])
	}
	for k, row := range rows {
		for d, n := range r.Rows[r.Kernels[k].Row] {
			row.setStatus(row.index, column[d], outcomes[n].status)
			for _, why := range outcomes[n].why {
				why.key.kernel = row.index
				row.addProblem(why.key, affected{row.devices[column[d]], why.available})
			}
		}
	}
}

// deviceDigest returns a digest of the device data. It uses aspect names, because aspect numbers
// differ between DPC++ releases.
func deviceDigest(d *report.Device) string {
	named := *d
	named.Aspects = slices.Clone(d.Aspects)
	for i := range named.Aspects {
		named.Aspects[i].Value = 0
	}
	data, _ := json.Marshal(&named) // encoding strings and numbers cannot fail
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16])
}
