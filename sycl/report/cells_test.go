package report_test

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/reporttest"
	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/report"
)

// A list of cells gives back what was put in, whatever the order is, and whether or not
// cells have the same outcome.
func TestCellsAreAList(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(list ...string) string { return list[random.IntN(len(list))] }
	for round := range 200 {
		var want []report.Cell
		kernels := []string{"a", "b", "//x:y#b", "", "No"}[:1+random.IntN(5)]
		devices := []string{"d", "e", "f"}[:1+random.IntN(3)]
		for _, k := range kernels {
			for _, d := range devices {
				c := report.Cell{Kernel: k, Device: d, Image: pick("", "1", "2"), Code: report.Code(pick("ir", "none")), Scope: report.ScopeKernel, Verdict: compat.Verdict(1 + random.IntN(3))}
				for range random.IntN(3) {
					c.Reasons = append(c.Reasons, report.Reason{Rule: pick("no-image", "missing-aspect"), Text: pick("No kernel named ", "") + pick("b", k) + pick(" was found", ""), Verdict: c.Verdict})
				}
				want = append(want, c)
			}
		}
		if round%2 == 1 { // not in the usual order
			random.Shuffle(len(want), func(i, j int) { want[i], want[j] = want[j], want[i] })
			want = append(want, want[random.IntN(len(want))])
		}
		cells := report.MakeCells(want...)
		if random.IntN(2) == 0 {
			data, err := json.Marshal(cells)
			if err != nil {
				t.Fatal(err)
			}
			cells = report.Cells{}
			if err := json.Unmarshal(data, &cells); err != nil {
				t.Fatal(err)
			}
		}
		at := random.IntN(len(want))
		want[at].Reasons, want[at].Image = []report.Reason{{Rule: "other", Text: want[at].Kernel}}, "3"
		cells.Set(at, &want[at])
		var got []report.Cell
		for _, c := range cells.All() {
			got = append(got, *c)
		}
		if cells.Len() != len(want) || !reflect.DeepEqual(got, want) {
			t.Fatalf("round %d:\ngot  %+v\nwant %+v", round, got, want)
		}
		for i := range want {
			for j := range want {
				a, b := want[i], want[j]
				if cells.Outcome(i) == cells.Outcome(j) && (a.Verdict != b.Verdict || a.Code != b.Code || len(a.Reasons) != len(b.Reasons)) {
					t.Fatalf("one outcome: %+v and %+v", a, b)
				}
			}
		}
	}
}

// Kernels that no image is for say the same but for their names.
func TestOutcomesAreFew(t *testing.T) {
	var names []string
	for i := range 1000 {
		names = append(names, "_ZTS6Kernel"+itoa(i))
	}
	r := reporttest.Build(t, []report.Module{{Needs: &needs{}, Kernels: reporttest.Kernels(names...), Images: reporttest.Native(1, "intel_gpu_pvc")}}, "intel_gpu_pvc", "intel_gpu_dg2", "x86_64")
	if n := r.Cells.Outcomes(); n != 2 {
		t.Errorf("%d outcomes", n)
	}
	places := map[report.Place]bool{}
	for at, c := range r.AllCells() {
		places[report.Place{Kernel: at.Kernel, Device: at.Device}] = true
		if name := r.Kernels.At(at.Kernel).Name; c.Kernel != name || c.Code == report.NoCode && c.Reasons[0].Text != "No kernel named "+name+" was found" {
			t.Fatalf("cell %+v is about %s", c, name)
		}
	}
	if len(places) != 3000 {
		t.Errorf("%d places", len(places))
	}
}

// Cells in another order than the kernels and devices have the same places.
func TestAllCellsInAnyOrder(t *testing.T) {
	r := reporttest.Build(t, reporttest.Program(), "intel_gpu_pvc", "intel_gpu_dg2")
	var list []report.Cell
	for _, c := range r.Cells.All() {
		list = append(list, *c)
	}
	slices.Reverse(list)
	for k := range r.Kernels.Len() {
		for d := range r.Devices {
			if i := r.CellIndex()(k, d); i != k*len(r.Devices)+d {
				t.Errorf("the cell %d, %d is at %d", k, d, i)
			}
		}
	}
	r.Cells = report.MakeCells(append(list, report.Cell{Kernel: "none", Device: "none"})...)
	n, index := 0, r.CellIndex()
	for at, c := range r.AllCells() {
		if index(at.Kernel, at.Device) != at.Cell {
			t.Errorf("%+v is at %d", c, index(at.Kernel, at.Device))
		}
		if n++; r.Kernels.At(at.Kernel).ID != c.Kernel || r.Devices[at.Device].ID != c.Device || r.Cells.At(at.Cell).Kernel != c.Kernel {
			t.Errorf("%+v is at %+v", c, at)
		}
	}
	if n != len(list) {
		t.Errorf("%d cells", n)
	}
	if r.Cells = report.MakeCells(list[1:]...); r.CellIndex()(r.Kernels.Len()-1, len(r.Devices)-1) != -1 {
		t.Error("a cell that is missing has an index")
	}
}
