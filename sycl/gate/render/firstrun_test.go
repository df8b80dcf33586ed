package render

import (
	"regexp"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/reporttest"
	"github.com/rules-sycl/rules_sycl/sycl/gate"
)

// TestFirstRun checks that a run passes with a policy that consists of the lines that its first run
// proposes.
func TestFirstRun(t *testing.T) {
	reports := facts(reporttest.Report("//p:t", []string{"a", "b"}, map[string]reporttest.Problems{
		"K<\"`\u00e4\U0001F600##[x]\">": {"a": {reporttest.FP64}}, "L": {"b": {reporttest.SG8}}, "M": {"a": {reporttest.FP64}}}))
	r := gate.Evaluate(gate.Input{Reports: reports, Today: today})
	text := written(t, "summary.md", r)
	for _, want := range []string{
		"`compat baseline update --baseline sycl-compat-baseline.json ", "[missing-aspect](https://github.com/rules-sycl/rules_sycl/blob/main/docs/reference/gate-rules.md#missing-aspect)", "`compat explain missing-aspect`",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("missing %s in\n%s", want, text)
		}
	}
	lines := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindStringSubmatch(text)
	if lines == nil {
		t.Fatal(text)
	}
	p, err := gate.ReadPolicy("p.yml", strings.NewReader("version: 1\n"+lines[1]))
	if err != nil {
		t.Fatalf("%v in\n%s", err, lines[1])
	}
	if r := gate.Evaluate(gate.Input{Reports: reports, Today: today, Policy: p}); r.Conclusion != gate.Success || r.Counts.Allowed != 3 || r.Counts.Stale != 0 {
		t.Errorf("%s with\n%s", Summary(r), lines[1])
	}
	// With a baseline, the gate has already been introduced.
	r = gate.Evaluate(gate.Input{Reports: reports, Today: today, Baseline: &gate.Baseline{}})
	if text := written(t, "summary.md", r); strings.Contains(text, "baseline update") {
		t.Error(text)
	}
	// A baseline cannot hold a missing device.
	p.Required = []string{"missing"}
	r = gate.Evaluate(gate.Input{Reports: reports, Today: today, Policy: p})
	if text := written(t, "text.txt", r); r.Conclusion != gate.Failure || strings.Contains(text, "baseline update") {
		t.Error(text)
	}
}
