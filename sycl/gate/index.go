package gate

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/release"
	"github.com/rules-sycl/rules_sycl/sycl/report"
)

// An Index has what the gate needs of a report, which is much less than the report:
// a digest of each device and, for each build target, the verdicts and the problems
// of its kernels.
type Index struct {
	devices map[string]string // digests of what is known of them, by id
	targets []*target         // several for a merged report
}

// NewIndex makes the index of a report; name says where the report is from. The report
// is not needed any more.
func NewIndex(name string, r *report.Report) *Index {
	x := &Index{devices: map[string]string{}}
	ids := make([]string, len(r.Devices))
	for i := range r.Devices {
		ids[i] = r.Devices[i].ID
		x.devices[ids[i]] = deviceDigest(&r.Devices[i])
	}
	slices.Sort(ids)
	rows := x.addTargets(name, r, ids)
	for _, t := range x.targets {
		t.verdicts = make([]compat.Verdict, len(t.kernels)*len(ids))
	}
	addCells(r, ids, rows)
	for _, t := range x.targets {
		t.sort()
	}
	return x
}

// row is where the verdicts on a kernel are.
type row struct {
	*target
	index int
}

// addTargets adds the targets of a report and returns the rows of its kernels.
func (x *Index) addTargets(name string, r *report.Report, devices []string) []row {
	byLabel := map[string]*target{}
	get := func(label string) *target {
		t := byLabel[label]
		if t == nil {
			t = newTarget(label, devices)
			t.reports = []string{name}
			byLabel[label] = t
			x.targets = append(x.targets, t)
		}
		return t
	}
	digests := make(map[string]string, r.Images.Len())
	for i := range r.Images.Len() {
		image := r.Images.At(i)
		digests[image.ID] = image.Digest
	}
	rows := make([]row, r.Kernels.Len())
	var ids, images []string // of the last kernel
	for i, k := range r.Kernels.All() {
		if i == 0 || !slices.Equal(k.Images, ids) {
			ids = k.Images
			images = make([]string, len(k.Images))
			for n, id := range k.Images {
				images[n] = digests[id]
			}
			slices.Sort(images)
			images = slices.Compact(images)
		}
		t := get(cmp.Or(report.KernelTarget(k), r.Target.Label))
		rows[i] = row{t, t.addKernel(newKernel(k, images))}
	}
	if r.Kernels.Len() == 0 {
		get(r.Target.Label) // a target without kernels is checked as well
	}
	return rows
}

// addCells adds the verdicts of a report to the rows of its kernels. Devices are those
// of the report in alphabetical order.
func addCells(r *report.Report, devices []string, rows []row) {
	column := make([]int, len(r.Devices)) // of the devices in the order of the report
	for i := range r.Devices {
		column[i], _ = slices.BinarySearch(devices, r.Devices[i].ID)
	}
	cellAt := r.CellIndex()
	outcomes := make([]*outcome, r.Cells.Outcomes())
	for k, row := range rows {
		for d, col := range column {
			i := cellAt(k, d)
			if i < 0 {
				continue
			}
			n := r.Cells.Outcome(i)
			if outcomes[n] == nil || outcomes[n].hasText {
				c := r.Cells.At(i)
				outcomes[n] = newOutcome(&c)
			}
			row.addOutcome(row.index, col, outcomes[n])
		}
	}
}

// deviceDigest returns a digest of what is known of a device. The numbers of aspects in
// it are those of before 2026, as in the first baselines, so that these hold.
func deviceDigest(d *report.Device) string {
	numbered := *d
	numbered.Aspects = slices.Clone(d.Aspects)
	for i, a := range numbered.Aspects {
		if n, ok := release.Before2026().Number(aspect.Aspect(a.Value)); ok {
			numbered.Aspects[i].Value = n
		}
	}
	data, _ := json.Marshal(&numbered) // strings and numbers always can be
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16])
}
