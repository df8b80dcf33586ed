package report_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/reporttest"
	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/report"
)

// The names of these tests are those of a list of attacks on everything that
// reads reports. Others on renderings are TestHostileHTML and its like.

func TestAttackS10Sizes(t *testing.T) {
	head := `{"schema":"` + report.Schema + `",`
	list := func(name, member string, n int) io.Reader {
		return strings.NewReader(head + `"` + name + `":[` + strings.Repeat(member+",", n))
	}
	for _, test := range []struct {
		name string
		in   io.Reader
		want string
	}{
		{"many kernels", list("kernels", `{"display-name":"","images":[],"name":"k","row":0}`, 1_000_000), "the file ends before the end"},
		{"a long text", strings.NewReader(head + `"targets":["` + strings.Repeat("x", 2<<20) + `"]}`), "a text has more than 1048576 bytes"},
		{"a name of a member", strings.NewReader(head + `"` + strings.Repeat("x", 2<<20) + `":1}`), "a text has more than 1048576 bytes"},
		{"a long number", strings.NewReader(head + `"statistics":{"compatible":` + strings.Repeat("1", 2<<20) + `}}`), `"compatible" must not be the number`},
		{"deep nesting", strings.NewReader(head + `"rows":` + strings.Repeat(`[`, 20_000)), "must not be a list"},
		{"deep objects", strings.NewReader(head + `"statistics":` + strings.Repeat(`{"compatible":`, 20_000)), "must not be an object"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := report.Decode("r.json", test.in)
			var bad interface{ BadInput() }
			if !errors.As(err, &bad) || !strings.Contains(err.Error(), test.want) || len(err.Error()) > 1000 {
				t.Errorf("got %.200v, want %q", err, test.want)
			}
		})
	}
}

func TestAttackS11TwoReadings(t *testing.T) {
	good := encode(t, reporttest.Build(t, reporttest.Program(), "intel_gpu_pvc", "intel_gpu_dg2"))
	for name, test := range map[string]struct{ old, new, want string }{
		"not a number":                   {`"row":1`, `"row":NaN`, "invalid character"},
		"infinity":                       {`"row":1`, `"row":1e400`, "must not be the number"},
		"a member twice by escape":       {`"status":"incompatible"`, `"status":"incompatible","\u0073tatus":"compatible"`, "occurs twice"},
		"a member twice by case":         {`"status":"incompatible"`, `"status":"incompatible","sTatus":"compatible"`, "has letters other than a to z"},
		"rows twice":                     {`"statistics": {`, `"rows": [], "statistics": {`, "occurs twice"},
		"images twice":                   {`"kernels": [`, `"images": [], "kernels": [`, "occurs twice"},
		"a lone surrogate names no more": {`"status":"incompatible"`, `"status":"incompatible","\ud800":1`, "has letters other than a to z"},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(good, test.old, test.new, 1)
			if text == good {
				t.Fatal("nothing was replaced")
			}
			if _, err := report.Decode("r.json", strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
	for name, text := range map[string]string{"a second document": good + good, "a byte order mark": "\ufeff" + good, "bytes that are no text": strings.Replace(good, "VectorAdd", "\xed\xa0\x80", 1)} {
		if _, err := report.Decode("r.json", strings.NewReader(text)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestAttackS13WorkGroupSizeOverflows(t *testing.T) {
	for _, sizes := range [][]uint64{{1 << 63, 4}, {1 << 32, 1 << 32}, {1 << 63, 1 << 63, 1 << 63}, {4, 1 << 62}} {
		r := reporttest.Build(t, []report.Module{{Needs: &needs{WorkGroupSize: sizes}, Kernels: reporttest.Kernels("k"), Images: reporttest.Native(1, "intel_gpu_pvc")}}, "intel_gpu_pvc")
		c := r.Outcome(0, 0)
		if c.Status != compat.Incompatible || len(c.Reasons) == 0 || c.Reasons[0].Rule != "unsupported-work-group-size" {
			t.Errorf("%v: got %+v", sizes, c)
		}
		if _, err := report.Decode("r.json", strings.NewReader(encode(t, r))); err != nil {
			t.Errorf("%v: %v", sizes, err)
		}
	}
}

func TestAttackS14BytesOfOtherFiles(t *testing.T) {
	for _, text := range []string{"root:x:0:0:secret:/root:/bin/sh\n", `{"auths": {"secret.example": {"AUTH": "secret"}}}`, `{"secret": 1, "secret": 2}`, `{"Secret": 1}`, `["secret"]`, `{"schema": "secret"}`,
		`{"schema": "secret", "schema-version": "secret"}`, `{"schema": 1, "schema-version": "secret"}`, "SECRET=secret\x00", `{"a": secret}`, `{"schema-version": "1.0", "target": {"label": "secret"`} {
		_, err := report.Decode("r.json", strings.NewReader(text))
		if err == nil || strings.Contains(strings.ToLower(err.Error()), "secret") {
			t.Errorf("%s: got %v", text, err)
		}
		for i := range len(text) {
			if _, err := report.Decode("r.json", strings.NewReader(text[:i])); err == nil || strings.Contains(strings.ToLower(err.Error()), "secr") {
				t.Errorf("%s: got %v", text[:i], err)
			}
		}
	}
}
