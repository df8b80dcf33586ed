package gate

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/report"
)

// imagesOf sets the device images of kernels in a report. Each text represents an image with a
// different digest.
func imagesOf(r *report.Report, images map[string][]string) *report.Report {
	var all []string
	for i := range r.Kernels {
		all = append(all, images[r.Kernels[i].DisplayName]...)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	r.ImageKinds = []report.ImageKind{{Format: "spirv"}}
	for _, text := range all {
		var image report.Image
		copy(image.Digest[:], text)
		r.Images = append(r.Images, image)
	}
	for i := range r.Kernels {
		k := &r.Kernels[i]
		for _, text := range images[k.DisplayName] {
			n, _ := slices.BinarySearch(all, text)
			k.Images = append(k.Images, int32(n))
		}
	}
	return r
}

// TestRepetitions checks that a problem that is in the report on a binary and in the report on a
// rule counts once.
func TestRepetitions(t *testing.T) {
	bad := map[string]problems{"Good": {}, "Bad": {"a": {fp64}, "b": {fp64}}}
	one := map[string][]string{"Good": {"1"}, "Bad": {"1", "2"}}
	own := func() *report.Report { return imagesOf(reportOf("//p:kernels", []string{"a", "b"}, bad), one) }
	for _, test := range []struct {
		name, policy string
		other        *report.Report
		want         []string
		also         string
		kernels      int
	}{
		{"a second report on the same binary", "", imagesOf(reportOf("//p:compat", []string{"a", "b"}, bad), one), []string{"error missing-aspect Bad a,b FAILS"}, "//p:kernels", 2},
		{"a report on two binaries", "", imagesOf(reportOf("//p:compat", []string{"a", "b"}, map[string]problems{"Good": {}, "Bad": {"a": {fp64}, "b": {fp64}}, "More": {}}), map[string][]string{"Good": {"1", "7"}, "Bad": {"1", "2"}, "More": {"7"}}),
			[]string{"error missing-aspect Bad a,b FAILS"}, "//p:compat", 3},
		{"a report on more devices", "", imagesOf(reportOf("//p:compat", []string{"a", "b", "c"}, map[string]problems{"Good": {}, "Bad": {"a": {fp64}, "b": {fp64}, "c": {fp64}}}), one),
			[]string{"error missing-aspect Bad a,b,c FAILS"}, "//p:kernels", 2},
		{"a required device in only one report", "devices: {required: [a, c]}", imagesOf(reportOf("//p:compat", []string{"a", "b", "c"}, map[string]problems{"Good": {}, "Bad": {"a": {fp64}, "b": {fp64}}}), one),
			[]string{"error missing-aspect Bad a FAILS", "note missing-aspect Bad b"}, "//p:kernels", 2},
		{"different device images", "", imagesOf(reportOf("//p:other", []string{"a", "b"}, bad), map[string][]string{"Good": {"3"}, "Bad": {"3"}}),
			[]string{"error missing-aspect Bad a,b FAILS", "error missing-aspect Bad a,b FAILS"}, "", 4},
		{"overlapping device images", "", imagesOf(reportOf("//p:other", []string{"a", "b"}, bad), map[string][]string{"Good": {"1"}, "Bad": {"1", "3"}}),
			[]string{"error missing-aspect Bad a,b FAILS", "error missing-aspect Bad a,b FAILS"}, "", 3},
		{"different reasons", "", imagesOf(reportOf("//p:other", []string{"a", "b"}, map[string]problems{"Good": {}, "Bad": {"a": {fp64}, "b": {fp16}}}), one),
			[]string{"error missing-aspect Bad a,b FAILS", "error missing-aspect Bad b FAILS"}, "//p:other", 3},
		{"no device images", "", imagesOf(reportOf("//p:other", []string{"a", "b"}, bad), nil),
			[]string{"error missing-aspect Bad a,b FAILS", "error missing-aspect Bad a,b FAILS"}, "", 4},
		{"an exception for one target", "allow: [{rule: missing-aspect, kernels: [Bad], targets: ['//p:compat'], reason: r, expires: 2029-01-01}]",
			imagesOf(reportOf("//p:compat", []string{"a", "b"}, bad), one), []string{"error missing-aspect Bad a,b FAILS", "error missing-aspect Bad a,b allowed"}, "", 3},
		{"an exception for both targets", "allow: [{rule: missing-aspect, kernels: [Bad], reason: r, expires: 2029-01-01}]",
			imagesOf(reportOf("//p:compat", []string{"a", "b"}, bad), one), []string{"error missing-aspect Bad a,b allowed"}, "//p:kernels", 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			in := Input{Reports: facts(own(), test.other), Policy: policy(t, test.policy), Today: today}
			r := Evaluate(in)
			if got := brief(r); !slices.Equal(got, test.want) {
				t.Errorf("got %q", got)
			}
			var also []string
			for _, f := range r.Findings {
				also = append(also, f.Also...)
			}
			if got := strings.Join(slices.Compact(also), " "); got != test.also {
				t.Errorf("targets with the same problem: %q, want %q", got, test.also)
			}
			if r.Counts.Kernels != test.kernels {
				t.Errorf("%d kernels, want %d: %+v", r.Counts.Kernels, test.kernels, r.Counts)
			}
			n := 0
			for _, d := range r.Devices {
				for v := range r.Statuses(d.ID) {
					if v.Status != compat.NoStatus {
						n++
					}
				}
			}
			if want := r.Counts.Cells - r.Counts.NotReported; n != want {
				t.Errorf("%d statuses listed, want %d", n, want)
			}
			in.Reports = facts(test.other, own())
			if a, b := encoded(t, r), encoded(t, Evaluate(in)); strings.ReplaceAll(strings.ReplaceAll(a, "r0.json", "x"), "r1.json", "x") != strings.ReplaceAll(strings.ReplaceAll(b, "r0.json", "x"), "r1.json", "x") {
				t.Error("the result depends on the order of the reports")
			}
			// Every problem of the base branch is known, whichever report it is in.
			for _, base := range [][]*Index{facts(own(), test.other), facts(own()), facts(test.other)} {
				if len(base) == 1 && test.also == "" {
					continue
				}
				in.Base = base
				if r := Evaluate(in); r.Counts.Absent > 0 || len(base) == 2 && r.Counts.New > 0 {
					t.Errorf("compared with itself: %+v", r.Counts)
				}
			}
		})
	}
}

// TestRepetitionsAndBaseline checks that a baseline made from one of two reports applies to both,
// and that a baseline made from both applies to each.
func TestRepetitionsAndBaseline(t *testing.T) {
	images := map[string][]string{"Bad": {"1"}}
	bad := map[string]problems{"Bad": {"a": {fp64}}}
	own, rule := imagesOf(reportOf("//p:kernels", []string{"a"}, bad), images), imagesOf(reportOf("//p:compat", []string{"a"}, bad), images)
	sets := map[string][]*Index{"own": facts(own), "rule": facts(rule), "both": facts(own, rule)}
	for from, reports := range sets {
		b := NewBaseline(Evaluate(Input{Reports: reports, Today: today}))
		if len(b.Findings) != 1 || b.Findings[0].Count != 1 {
			t.Errorf("baseline of %s: %+v", from, b.Findings)
		}
		b.Targets = nil // lost coverage is a separate topic
		for to, reports := range sets {
			if r := Evaluate(Input{Reports: reports, Baseline: b, Today: today}); r.Conclusion != Success || r.Counts.Unchanged != 1 || r.Counts.Absent != 0 {
				t.Errorf("baseline of %s applied to %s: %+v", from, to, r.Counts)
			}
		}
	}
}

func BenchmarkRepetitions(b *testing.B) {
	const kernels = 20_000
	list := make([]*report.Report, 2)
	for i := range list {
		statuses, images := map[string]problems{}, map[string][]string{}
		for k := range kernels {
			name := fmt.Sprintf("kernel%d", k)
			statuses[name] = nil
			images[name] = []string{fmt.Sprint(k % 100)}
		}
		list[i] = imagesOf(reportOf(fmt.Sprintf("//p:%d", i), []string{"a", "b", "c", "d"}, statuses), images)
	}
	indexes := facts(list...)
	for b.Loop() {
		findRepetitions(combine(indexes))
	}
}
