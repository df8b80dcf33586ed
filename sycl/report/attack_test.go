package report_test

import (
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/rules-sycl/rules_sycl/internal/reporttest"
	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/report"
)

// The names of these tests are those of a list of attacks on everything that
// reads reports. Others on renderings are TestHostileHTML and its like.

// sized is an endless file that says how large it is.
type sized struct {
	io.Reader
	size int64
}

func (s sized) Stat() (fs.FileInfo, error) { return s, nil }
func (s sized) Name() string               { return "r.json" }
func (s sized) Size() int64                { return s.size }
func (sized) Mode() fs.FileMode            { return 0o644 }
func (sized) ModTime() time.Time           { return time.Time{} }
func (sized) IsDir() bool                  { return false }
func (sized) Sys() any                     { return nil }

type noRead struct{ t *testing.T }

func (n noRead) Read([]byte) (int, error) {
	n.t.Error("a file that is too large is read")
	return 0, io.EOF
}

func TestAttackS10Sizes(t *testing.T) {
	head := `{"schema":"` + report.Schema + `","schema-version":"` + report.SchemaVersion + `",`
	list := func(name, member string, n int) string {
		return head + `"` + name + `":[` + strings.TrimSuffix(strings.Repeat(member+",", n), ",") + "]}"
	}
	cell := `{"device":"d","holds":"ir","kernel":"k","scope":"kernel","status":"compatible"}`
	image := `{"digest":"` + strings.Repeat("0", 64) + `","esimd":false,"fixed-targets":[` + strings.Repeat(`"",`, 99_999) + `""],"format":"spirv","id":"i","requirements":{"aspects":[]},"size":0}`
	for _, test := range []struct {
		name string
		in   io.Reader
		want string
	}{
		{"a file of 10 GB", sized{noRead{t}, 10 << 30}, "more than 512 MiB"},
		{"empty cells", strings.NewReader(list("cells", "{}", report.MaxCells+1)), `"device" is missing`},
		{"cells in the usual order", strings.NewReader(`{"cells":[` + strings.Repeat(cell+",", report.MaxCells) + cell + "]," + head[1:] + `"images":[],"kernels":[]}`), "more than 2000000 cells"},
		{"many kernels", strings.NewReader(list("kernels", `{"display-name":"","id":"k","images":[],"name":"k"}`, report.MaxListed+1)), "more than 200000 elements"},
		{"empty reasons", strings.NewReader(list("cells", `{"reasons":[`+strings.Repeat("{},", 99_999)+`{}]}`, 51)), `"required" is missing`},
		{"empty texts", strings.NewReader(list("images", image, 51)), "all lists more than 5000000"},
		{"a long text", strings.NewReader(head + `"target":{"label":"` + strings.Repeat("x", report.MaxText+1) + `"}}`), "a text has more than 1048576 bytes"},
		{"a long text that is quick to read", strings.NewReader(`{"cells":[{"device":"` + strings.Repeat("x", report.MaxText+1) + `"}],` + head[1:] + `"images":[],"kernels":[]}`), "a text has more than 1048576 bytes"},
		{"a name of a member", strings.NewReader(head + `"` + strings.Repeat("x", report.MaxText+1) + `":1}`), "a text has more than 1048576 bytes"},
		{"deep nesting", strings.NewReader(head + `"extensions":` + strings.Repeat(`{"a":`, 20_000)), "more than 32 levels of nesting"},
		{"deep arrays", strings.NewReader(head + `"extensions":{"a":` + strings.Repeat(`[`, 20_000)), "more than 32 levels of nesting"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := report.Decode("r.json", test.in)
			var bad interface{ BadInput() }
			if !errors.As(err, &bad) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %.200v, want %q", err, test.want)
			}
		})
	}
}

func TestAttackS11TwoReadings(t *testing.T) {
	good := encode(t, reporttest.Build(t, reporttest.Program(), "intel_gpu_pvc", "intel_gpu_dg2"))
	for name, test := range map[string]struct{ old, new, want string }{
		"not a number":                   {`"size": 100`, `"size": NaN`, "invalid character"},
		"infinity":                       {`"size": 100`, `"size": 1e400`, "must be a whole number"},
		"a fraction":                     {`"size": 100`, `"size": 1.5`, "must be a whole number"},
		"a member twice by escape":       {`"status": "incompatible"`, `"status": "incompatible", "\u0073tatus": "compatible"`, "occurs twice"},
		"a member twice by case":         {`"status": "incompatible"`, `"status": "incompatible", "sTatus": "compatible"`, "has capital letters"},
		"cells twice":                    {`"devices": [`, `"cells": [], "devices": [`, "occurs twice"},
		"images twice":                   {`"kernels": [`, `"images": [], "kernels": [`, "occurs twice"},
		"a lone surrogate names no more": {`"status": "incompatible"`, `"status": "incompatible", "\ud800": 1`, "not in ASCII"},
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
		c := r.Cells.At(0)
		if c.Verdict != compat.Incompatible || len(c.Reasons) == 0 || c.Reasons[0].Rule != "unsupported-work-group-size" {
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

// A Decoder gives the same as a new one for each report, whatever came before.
func TestDecoderReuse(t *testing.T) {
	var texts []string
	for _, devices := range [][]string{{"intel_gpu_pvc", "intel_gpu_dg2", "x86_64"}, {"intel_gpu_pvc"}, {"intel_gpu_dg2", "x86_64"}} {
		texts = append(texts, encode(t, reporttest.Build(t, reporttest.Program(), devices...)))
	}
	texts = append(texts, encode(t, reporttest.Build(t, nil)), "{}")
	d := new(report.Decoder)
	for i := range 3 * len(texts) {
		text := texts[(i*i+i/3)%len(texts)]
		r, err := d.Decode("r.json", strings.NewReader(text))
		if err != nil {
			if text != "{}" {
				t.Fatal(err)
			}
			continue
		}
		if got := encode(t, r); got != text {
			t.Errorf("report %d differs:\n%s", i, got)
		}
	}
}
