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

// The names of these tests refer to a list of attacks on all readers of reports. TestHostileHTML
// and similar tests cover the output formats.

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
		{"many kernels", list("kernels", `{"display-name":"","images":[],"name":"k","row":0}`, 1_000_000), "unexpected end of JSON"},
		{"a long text", strings.NewReader(head + `"targets":["` + strings.Repeat("x", 2<<20) + `"]}`), "string too long (limit 1048576 bytes"},
		{"a long member name", strings.NewReader(head + `"` + strings.Repeat("x", 2<<20) + `":1}`), "string too long (limit 1048576 bytes"},
		{"a long number", strings.NewReader(head + `"statistics":{"compatible":` + strings.Repeat("1", 2<<20) + `}}`), `"compatible" must not be the number`},
		{"deep nesting", strings.NewReader(head + `"rows":` + strings.Repeat(`[`, 20_000)), "must not be a list"},
		{"deeply nested objects", strings.NewReader(head + `"statistics":` + strings.Repeat(`{"compatible":`, 20_000)), "must not be an object"},
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

func TestDecodePointer(t *testing.T) {
	_, err := report.Decode("r.json", strings.NewReader("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 7\n"))
	if want := "r.json: this is a Git LFS pointer instead of the file; run 'git lfs pull' to fetch the file"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestAttackS14BytesFromOtherFiles(t *testing.T) {
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
