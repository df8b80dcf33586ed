package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

// TestStories checks what users see in the scenarios of docs/check/policies.md.
func TestStories(t *testing.T) {
	page := testkit.ReadFile(t, "../docs/check/policies.md")
	good := func(t *testing.T) string {
		return encode(t, "//demo:kernels", both, kernel{"Add", nil}, kernel{"Axpy", nil})
	}
	bad := func(t *testing.T) string {
		return encode(t, "//demo:kernels", both, kernel{"Add", nil}, kernel{"Axpy", []string{deviceA}})
	}
	againstBase := []string{"base-reports", "base/*.json"}
	for _, test := range []struct {
		name       string
		prepare    func(w *checkout)
		inputs     []string
		conclusion string
		message    string // the first annotation, or its beginning
		place      string
	}{
		{"a `double`", func(w *checkout) { w.write("out/k.compat.json", bad(t)) }, againstBase, "failure",
			"kernel 'Axpy' does not run on intel_gpu_dg2: it requires aspect fp64", "src/k.cpp:7"},
		{"a sub-group size", func(w *checkout) {
			w.write("out/k.compat.json", strings.NewReplacer("missing-aspect", "unsupported-sub-group-size", `"fp64"`, `"64"`).Replace(bad(t)))
		}, againstBase, "failure", "kernel 'Axpy' does not run on intel_gpu_dg2: it requires sub-group size 64", "src/k.cpp:7"},
		{"a lost kernel", func(w *checkout) { w.write("out/k.compat.json", encode(t, "//demo:kernels", both, kernel{"Add", nil})) }, againstBase, "success",
			"kernel 'Axpy' is no longer in any report", "src/k.cpp:7"},
		{"a renamed kernel", func(w *checkout) {
			w.write("out/k.compat.json", encode(t, "//demo:kernels", both, kernel{"Add", nil}, kernel{"Saxpy", nil}))
		}, againstBase, "success", "", ""},
		{"a renamed kernel with a known problem", func(w *checkout) {
			w.write("base/k.json", bad(t))
			w.write("out/k.compat.json", encode(t, "//demo:kernels", both, kernel{"Add", nil}, kernel{"Saxpy", []string{deviceA}}))
		}, againstBase, "success", "", ""},
		{"a new device in the policy", func(w *checkout) {
			w.write("out/k.compat.json", good(t))
			w.write(".github/sycl-compat.yml", "version: 1\ndevices: {required: ['*', intel_gpu_bmg_g21]}\n")
		}, againstBase, "failure", "device intel_gpu_bmg_g21: no report covers the device, which the policy requires", ".github/sycl-compat.yml:2"},
		{"a misspelled device in the policy", func(w *checkout) {
			w.write("out/k.compat.json", good(t))
			w.write(".github/sycl-compat.yml", "version: 1\ndevices:\n  required: ['*']\n  supported: [intel_gpu_pcv, 'intel_gpu_*']\n")
		}, againstBase, "success", "device intel_gpu_pcv: unknown device, which the policy supports; did you mean intel_gpu_pvc?", ".github/sycl-compat.yml:4"},
		{"an update of a wheel", func(w *checkout) {
			w.write("base/k.json", strings.ReplaceAll(good(t), "//demo:kernels", "dist/lib.whl"))
			w.write("out/k.compat.json", strings.ReplaceAll(bad(t), "//demo:kernels", "dist/lib.whl"))
		}, againstBase, "failure", "kernel 'Axpy' does not run on intel_gpu_dg2: it requires aspect fp64", "src/k.cpp:7"},
		{"a dropped target", func(w *checkout) {
			w.write("out/k.compat.json", good(t))
			w.write("base/l.json", encode(t, "//demo:gone", both, kernel{"Gone", nil}))
		}, againstBase, "failure", "target //demo:gone: no report covers the target, which exists on the base branch", ""},
		{"no report", func(*checkout) {}, againstBase, "error", "input reports: no file matches out/*.compat.json", ""},
		{"a report on a different commit", func(w *checkout) {
			w.env["GITHUB_SHA"] = strings.Repeat("ab", 20)
			w.write("out/k.compat.json", strings.Replace(good(t), `"statistics"`, `"source": {"commit": "`+strings.Repeat("cd", 20)+`"}, "statistics"`, 1))
		}, againstBase, "failure", "out/k.compat.json is a report on commit", ""},
		{"a truncated report", func(w *checkout) { w.write("out/k.compat.json", good(t)[:200]) }, againstBase, "error", "out/k.compat.json: ", ""},
		{"400 programs with one cause", func(w *checkout) {
			for i := range 400 {
				w.write(fmt.Sprintf("out/k%d.compat.json", i), encode(t, fmt.Sprintf("//demo:p%d", i), both, kernel{fmt.Sprintf("K%d", i), []string{deviceA}}))
			}
			w.write("base/k.json", encode(t, "//demo:p0", both, kernel{"K0", nil}))
		}, againstBase, "failure", "400 kernels ('K0', 'K1', 'K10' and 397 more) do not run on intel_gpu_dg2: they require aspect fp64", "src/k.cpp:7"},
		{"a matrix", func(w *checkout) { w.write("out/k.compat.json", bad(t)) }, append([]string{"category", "clang"}, againstBase...), "failure",
			"kernel 'Axpy' does not run on intel_gpu_dg2: it requires aspect fp64", "src/k.cpp:7"},
		{"a conflict in the baseline", func(w *checkout) {
			w.write("out/k.compat.json", good(t))
			w.write("b.json", "<<<<<<< HEAD\n"+w.baseline())
		}, []string{"baseline-file", "b.json"}, "error", "b.json:1: merge conflict marker", "b.json:1"},
		{"a weaker policy", func(w *checkout) {
			w.write("out/k.compat.json", bad(t))
			w.write(".github/sycl-compat.yml", strictPolicy)
			w.based(w.commit())
			w.write(".github/sycl-compat.yml", weakPolicy)
		}, nil, "success", "devices * are no longer required", ".github/sycl-compat.yml"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newCheckout(t)
			w.write("src/k.cpp", strings.Repeat("// \n", 20))
			w.write("base/k.json", good(t))
			test.prepare(w)
			s := w.run(append([]string{"reports", pattern}, test.inputs...)...)
			if s.Outputs["conclusion"] != test.conclusion || len(s.Annotations) == 0 != (test.message == "") {
				t.Fatalf("%v, %d annotations: %s", s.Outputs, len(s.Annotations), s.Stdout)
			}
			for _, a := range s.Annotations[:min(len(s.Annotations), 1)] {
				place := a.File
				if a.Line != "" {
					place += ":" + a.Line
				}
				if !strings.HasPrefix(a.Message, test.message) || place != test.place {
					t.Errorf("at %s: %s", place, a.Message)
				}
			}
			row := fmt.Sprintf("| %s | %s | %s | %s |\n", test.name, test.conclusion, code(strings.TrimSuffix(test.message, ": ")), code(test.place))
			if !strings.Contains(page, row) {
				t.Errorf("docs/check/policies.md lacks the row\n%s", row)
				if os.Getenv("PRINT_ROWS") != "" {
					fmt.Print("ROW", row)
				}
			}
		})
	}
}

func code(text string) string {
	if text == "" {
		return ""
	}
	return "`" + text + "`"
}
