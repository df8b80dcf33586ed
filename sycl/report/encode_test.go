package report_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/reporttest"
	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/report"
)

// TestEncodeIsJSON checks that the output of Encode is equivalent to the output of encoding/json,
// and that Decode returns the same report.
func TestEncodeIsJSON(t *testing.T) {
	hostile := reporttest.Build(t, []report.Module{{Needs: &needs{}, Kernels: reporttest.Kernels("<b>&\u2028\"\\", "\x1b"), Images: []report.ModuleImage{reporttest.IR(1)}}}, "intel_gpu_pvc")
	hostile.Source = report.Source{Commit: "<&>", Date: "2027-03-31"}
	for name, r := range map[string]*report.Report{"hostile names": hostile, "nothing": reporttest.Build(t, nil), "two": reporttest.Build(t, reporttest.Program(), "intel_gpu_pvc", "intel_gpu_dg2")} {
		want, err := json.Marshal(r)
		testkit.NoError(t, err)
		var got bytes.Buffer
		testkit.NoError(t, json.Compact(&got, []byte(encode(t, r))))
		var escaped bytes.Buffer
		json.HTMLEscape(&escaped, got.Bytes())
		if escaped.String() != string(want) {
			t.Errorf("%s: got\n%s\nwant\n%s", name, &escaped, want)
		}
		again, err := report.Decode("r.json", strings.NewReader(encode(t, r)))
		if err != nil || !reflect.DeepEqual(again, r) {
			t.Errorf("%s: got\n%+v, %v\nwant\n%+v", name, again, err, r)
		}
	}
}

// TestOutcomesAreFew checks that a report stores each distinct row and outcome once, regardless of
// the number of kernels.
func TestOutcomesAreFew(t *testing.T) {
	r := reporttest.Build(t, reporttest.Large(2000), "intel_gpu_pvc", "intel_gpu_dg2", "x86_64")
	if len(r.Kernels) != 2000 || len(r.Outcomes) > 8 || len(r.Rows) > 4 {
		t.Errorf("%d kernels, %d outcomes, %d rows", len(r.Kernels), len(r.Outcomes), len(r.Rows))
	}
}
