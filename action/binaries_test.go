package main

import (
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/offload"
	"github.com/rules-sycl/rules_sycl/sycl/report"
)

// object writes an offload binary, as in object files. Some of its kernels need fp64.
func (w *checkout) object(name string) {
	w.Helper()
	code := testkit.ReadFile(w, "../sycl/spirv/testdata/kernels.spv")
	image := offload.Image{OffloadKind: offload.SYCL, Strings: []offload.String{{Key: "triple", Value: "spir64-unknown-unknown"}, {Key: "arch", Value: ""}}, Content: strings.NewReader(code)}
	write := func(out io.Writer) error {
		return offload.Write(out, []offload.Image{image}, offload.Options{Version: 2})
	}
	w.write(name, testkit.Written(w, write))
}

func TestBinaries(t *testing.T) {
	const policy = "version: 1\ndevices: {required: [" + deviceA + "]}\n"
	for _, test := range []struct {
		name       string
		files      map[string]string
		inputs     []string
		code       int
		conclusion string
		text       string // expected in an annotation or the log
	}{
		{"a device that lacks fp64", nil, []string{"binaries", "out/*.so.1", "devices", deviceA}, 1, "failure", "does not run on " + deviceA},
		{"a device with fp64", nil, []string{"binaries", "out/*.so.1", "devices", deviceB}, 0, "success", ""},
		{"a directory", nil, []string{"binaries", "out", "devices", deviceA + "\n" + deviceB}, 1, "failure", "does not run on " + deviceA},
		{"devices of the policy", map[string]string{"p.yml": policy}, []string{"binaries", "out", "policy-file", "p.yml"}, 1, "failure", "does not run on " + deviceA},
		{"a device configuration", map[string]string{"d.yml": deviceA + ":\n  aspects: [fp64, fp16, atomic64]\n  sub-group-sizes: [8, 16, 32]\n"}, []string{"binaries", "out", "devices", deviceA, "device-config", "d.yml"}, 0, "success", ""},
		{"reports in addition to binaries", map[string]string{"r.json": encode(t, "//demo:kernels", []string{"other"}, kernel{"Add", []string{"other"}})}, []string{"binaries", "out", "reports", "r.json", "devices", deviceB}, 1, "failure", "does not run on other"},
		{"a file without device code", map[string]string{"out/text": "x"}, []string{"binaries", "out/*", "devices", deviceB}, 0, "success", "skipped 1 file without device images"},
		{"no matching file", nil, []string{"binaries", "gone/*.so"}, 3, "error", "input binaries: no file matches gone/*.so; build the files first"},
		{"no matching file, allowed by the policy", nil, []string{"binaries", "gone/*.so", "fail-on-empty", "false"}, 0, "neutral", ""},
		{"a truncated file", map[string]string{"out/cut.spv": "\x03\x02\x23\x07"}, []string{"binaries", "out", "fail-on", "none"}, 3, "error", "input binaries: out/cut.spv: "},
		{"a file outside of the workspace", nil, []string{"binaries", "../x.so"}, 2, "error", "leads out of the workspace"},
		{"an unknown device", nil, []string{"binaries", "out", "devices", "intel_gpu_pvv"}, 2, "error", "did you mean intel_gpu_pvc"},
		{"the input devices without binaries", nil, []string{"reports", "*.json", "devices", deviceA}, 2, "error", "input devices requires binaries"},
		{"the input for device configurations without binaries", nil, []string{"reports", "*.json", "report-file", "r.json"}, 2, "error", "input report-file requires binaries"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newCheckout(t)
			w.object("out/libk.so.1")
			for name, text := range test.files {
				w.write(name, text)
			}
			w.checkRun(test.code, test.conclusion, test.text, test.inputs...)
		})
	}
}

// TestBinariesReport checks that a later check accepts the report on binaries as a base report.
func TestBinariesReport(t *testing.T) {
	w := newCheckout(t)
	w.object("out/libk.so.1")
	s := w.checkRun(1, "failure", "", "binaries", "out", "devices", deviceA, "report-file", "base/r.json", "html-file", "r.html")
	if s.Outputs["report-file"] != "base/r.json" {
		t.Errorf("outputs %v", s.Outputs)
	}
	r, err := report.Decode("r.json", strings.NewReader(w.read("base/r.json")))
	if err != nil || r.Label() != "out/libk.so" {
		t.Errorf("%+v, %v", r, err)
	}
	wantText(t, "the summary", s.Summary, "out/libk.so")
	digest := s.Outputs["report-digest"]
	s = w.checkRun(0, "success", "", "binaries", "out", "devices", deviceA, "base-reports", "base/*.json")
	if s.Outputs["baselined"] != "10" || s.Outputs["report-digest"] != digest {
		t.Errorf("outputs %v", s.Outputs)
	}
}

// TestAttackBinaries checks that file names do not act as commands or compiler messages.
func TestAttackBinaries(t *testing.T) {
	for _, attack := range attacks {
		name := strings.NewReplacer("/", "", "\x00", "").Replace(attack)
		w := newCheckout(t)
		w.object("out/" + name + ".o")
		w.write("out/"+name+".text", "x")
		w.write("link/x", "")
		testkit.Link(t, "../link/x", filepath.Join(w.dir, "out", name+".link"))
		s := w.checkRun(1, "failure", "", "binaries", "out", "devices", deviceA)
		for _, a := range s.Annotations {
			if a.Matched {
				t.Errorf("%q: annotation %+v", attack, a)
			}
		}
		for _, c := range s.Commands {
			if c.Name != "error" && c.Name != "stop-commands" && !strings.HasPrefix(c.Name, "sycl-") {
				t.Errorf("%q: command %+v", attack, c)
			}
		}
		checkMarkdown(t, s.Summary, attack)
	}
}
