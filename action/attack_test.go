package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

// The attacks in this file succeeded in earlier versions.

func TestAttackWorkingDirectoryThroughALink(t *testing.T) {
	w := newCheckout(t)
	outside := t.TempDir()
	w.write("real/out/k.compat.json", encode(t, "//demo:kernels", both, kernel{"Add", nil}))
	testkit.NoError(t, os.CopyFS(outside, os.DirFS(filepath.Join(w.dir, "real"))))
	w.link(outside, "sub")
	w.checkRun(2, "error", "leads out of the workspace through a symbolic link", "reports", pattern, "working-directory", "sub", "json-file", "r.json")
	if _, err := os.Stat(filepath.Join(outside, "r.json")); err == nil {
		t.Error("a file is written outside of the workspace")
	}
	// A link within the workspace refers to its directory.
	w.link("real", "inside")
	s := w.checkRun(0, "success", "", "reports", pattern, "working-directory", "inside", "json-file", "r.json")
	if got := s.Outputs["result-file"]; got != "real/r.json" {
		t.Errorf("result-file %q", got)
	}
}

func TestAttackOutputsOverInputs(t *testing.T) {
	for _, inputs := range [][]string{
		{"json-file", "out/k.compat.json"},
		{"json-file", "./out/../out/k.compat.json"},
		{"html-file", ".github/sycl-compat.yml"},
		{"html-file", ".github/sycl-compat.yml", "policy-ref", "base"},
		{"sarif-file", "base/k.json", "base-reports", "base/*"},
		{"proposed-baseline-file", "b.json", "baseline-file", "b.json"},
		{"json-file", "linked/k.compat.json"},
		{"json-file", "d.yml", "device-config", "d.yml"},
	} {
		w := newCheckout(t)
		w.reports()
		w.write("b.json", w.baseline())
		w.write("d.yml", deviceB+":\n  aspects: [fp16]\n")
		w.write("base/k.json", w.read("out/k.compat.json"))
		w.write(".github/sycl-compat.yml", strictPolicy)
		w.link("out", "linked")
		w.based(w.commit())
		w.checkRun(2, "error", "cannot be an output, because it is also an input", append([]string{"reports", pattern}, inputs...)...)
		if changed := w.git("status", "--porcelain"); changed != "" {
			t.Errorf("%q: %s", inputs, changed)
		}
	}
}

func TestAttackExceptionsWithoutEnd(t *testing.T) {
	for text, want := range map[string]string{
		"kernels: ['Axpy*'], expires: 9999-12-31":                   "two years from today",
		"kernels: ['*'], expires: 2027-01-01":                       "covers all kernels, devices and targets",
		"kernels: [X, '**'], devices: ['*'], expires: 2027-01-01":   "covers all kernels, devices and targets",
		"kernels: ['_ZTS*'], targets: ['//*'], expires: 2027-01-01": "covers all kernels, devices and targets",
	} {
		w := newCheckout(t)
		w.reports()
		w.write(".github/sycl-compat.yml", "version: 1\nallow:\n- {rule: missing-aspect, reason: r, "+text+"}\n")
		s := w.run("reports", pattern)
		if s.ExitCode != 2 || !strings.Contains(s.Stdout, want) {
			t.Errorf("%s: exit code %d, %s", text, s.ExitCode, s.Stdout)
		}
	}
}

func TestAttackReportsForDifferentCommit(t *testing.T) {
	other := strings.Repeat("cd", 20)
	of := func(commit string) string {
		return strings.Replace(encode(t, "//demo:kernels", both, kernel{"Add", nil}), `"statistics"`, `"source": {"commit": "`+commit+`"}, "statistics"`, 1)
	}
	for _, test := range []struct {
		name, reports, base string
		code                int
		text                string
	}{
		{"the commit of the change", strings.Repeat("ff", 20), "", 0, "passed"},
		{"the merge of the change", strings.Repeat("ab", 20), "", 0, "passed"},
		{"an abbreviated commit", "FFFFFFFFF", "", 0, "passed"},
		{"a SHA-256 commit", "v1.0", "", 0, "passed"},
		{"a different commit", other, "", 1, "out/k.compat.json is a report on commit " + other + ", but commit ffffffffffff is being checked"},
		{"a different commit of the base", strings.Repeat("ff", 20), other, 0, "passed"},
		{"the change as its own base", strings.Repeat("ff", 20), strings.Repeat("ff", 20), 1, "is passed as a report on the base branch"},
	} {
		w := newCheckout(t)
		w.event("pull_request", `{"pull_request": {"number": 7, "head": {"sha": "`+strings.Repeat("ff", 20)+`"}}}`)
		w.env["GITHUB_SHA"] = strings.Repeat("ab", 20)
		w.write("out/k.compat.json", of(test.reports))
		inputs := []string{"reports", pattern}
		if test.base != "" {
			w.write("base/k.json", of(test.base))
			inputs = append(inputs, "base-reports", "base/*")
		}
		s := w.run(inputs...)
		if s.ExitCode != test.code || !strings.Contains(s.Stdout, test.text) {
			t.Errorf("%s: exit code %d, %s", test.name, s.ExitCode, s.Stdout)
		}
	}
}

func TestAttackGitPathspecs(t *testing.T) {
	for _, name := range []string{":(glob)**/*.yml", ":/", ":!x", "*.yml", ":(top)p.yml"} {
		for _, ref := range []string{"head", "base"} {
			w := newCheckout(t)
			w.reports()
			w.write("p.yml", weakPolicy)
			w.based(w.commit())
			s := w.checkRun(2, "error", "", "reports", pattern, "policy-file", name, "policy-ref", ref)
			if strings.Contains(s.Stdout, "exit status") || !strings.Contains(s.Stdout, "input policy-file: ") {
				t.Errorf("%s: %s", name, s.Stdout)
			}
		}
	}
}

// TestAnnotationsByCause checks that a header line that forty kernels use causes only one
// annotation, so that other causes are also annotated.
func TestAnnotationsByCause(t *testing.T) {
	w := newCheckout(t)
	var kernels []kernel
	for i := range 40 {
		lacks := []string{deviceA}
		if i%2 == 0 {
			lacks = both
		}
		kernels = append(kernels, kernel{fmt.Sprintf("K%02d", i), lacks})
	}
	w.write("src/k.cpp", strings.Repeat("// \n", 60))
	w.write("out/k.compat.json", encode(t, "//demo:kernels", both, kernels...))
	var others []kernel
	for i := range 9 {
		others = append(others, kernel{fmt.Sprintf("L%d", i), both})
	}
	w.write("out/l.compat.json", onLines(encode(t, "//demo:others", both, others...), 20))
	s := w.checkRun(1, "failure", "", "reports", pattern)
	lines := map[string]bool{}
	for _, a := range s.Annotations {
		lines[a.Line] = true
	}
	if len(s.Annotations) != 10 || len(lines) != 10 {
		t.Errorf("%d annotations at %d lines", len(s.Annotations), len(lines))
	}
	wantText(t, "the annotation", s.Annotations[0].Message, "20 kernels ('K00', 'K02', 'K04' and 17 more) do not run on intel_gpu_dg2 and intel_gpu_pvc: they require aspect fp64; 20 kernels (")
	if strings.Contains(s.Stdout, "without an annotation") {
		t.Error("the log mentions omitted causes")
	}
}
