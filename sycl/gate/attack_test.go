package gate

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/report"
)

// The names of these tests refer to a list of attacks on gates. The tests of attacks on output
// formats are in package render.

func TestAttackS12PolicyBombs(t *testing.T) {
	laughs := "version: 1\ndevices:\n  required: &a [x, x, x, x, x, x, x, x, x]\n"
	for c := 'b'; c < 'k'; c++ {
		laughs += fmt.Sprintf("  %c: &%c [*%c, *%c, *%c, *%c, *%c, *%c, *%c, *%c, *%c]\n", c, c, c-1, c-1, c-1, c-1, c-1, c-1, c-1, c-1, c-1)
	}
	for name, text := range map[string]string{
		"a billion laughs":                laughs,
		"a tag of a programming language": "!!python/object/apply:os.system [\"x\"]\n",
		"a year":                          "version: 1\nallow: [{rule: missing-aspect, kernels: [a], reason: r, expires: 2027}]\n",
		"deep nesting":                    "version: 1\nrules: " + strings.Repeat("[", 20_000),
	} {
		_, err := ReadPolicy("p.yaml", strings.NewReader(text))
		var syntax *SyntaxError
		if !errors.As(err, &syntax) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestAttackS16ContradictoryReports checks that reports from a different build with the same label
// cannot improve a status.
func TestAttackS16ContradictoryReports(t *testing.T) {
	bad := func() *report.Report {
		return reportOf("//p:t", []string{"a", "b"}, map[string]problems{"K": {"a": {fp64}}})
	}
	good := func() *report.Report { return reportOf("//p:t", []string{"a", "b"}, map[string]problems{"K": {}}) }
	for name, reports := range map[string][]*report.Report{"the good one last": {bad(), good()}, "the good one first": {good(), bad()}, "twice": {good(), bad(), good()}} {
		r := Evaluate(Input{Reports: facts(reports...), Today: today})
		want := []string{"error missing-aspect K a FAILS", "error report-invalid //p:t - FAILS"}
		got := brief(r)
		if r.Conclusion != Failure || r.Counts.Incompatible != 1 || len(got) != len(want) {
			t.Errorf("%s: %s, got %q", name, r.Conclusion, got)
		}
		if !slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Rule == ReportInvalid && f.Fails }) || !slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Rule == "missing-aspect" && f.Fails }) {
			t.Errorf("%s: got %q", name, got)
		}
	}
	// Nor can a report with a different description of a device.
	better := good()
	better.Targets[0] = "//p:u"
	better.Devices[0].OpenWorld = true
	if r := Evaluate(Input{Reports: facts(good(), better), Today: today}); r.Conclusion != Failure {
		t.Errorf("a device with two descriptions: %s", r.Conclusion)
	}
}

func TestReadResult(t *testing.T) {
	want := whole(t)
	text := encoded(t, want)
	r, err := ReadResult("r.json", strings.NewReader(text))
	testkit.NoError(t, err)
	if got := encoded(t, r); got != text {
		t.Errorf("written again:\n%s", got)
	}
	if !reflect.DeepEqual(r.Findings, want.Findings) {
		t.Errorf("findings %+v", r.Findings)
	}
	for _, test := range []struct{ name, text, want string }{
		{"a different file", `{"secret": "x"}`, "not a result"},
		{"a finding of an unknown rule", strings.Replace(text, `"rule": "missing-aspect"`, `"rule": "x"`, 1), `has the unknown rule "x"`},
		{"a finding on no device", regexp.MustCompile(`(?s)"devices": \[\s+\{\s+"available".*?\],`).ReplaceAllString(text, `"devices": [],`), "has no device"},
		{"a different version", strings.Replace(text, `"schema-version": "1.0"`, `"schema-version": "2.0"`, 1), `unsupported version "2.0"; expected 1.0`},
	} {
		_, err := ReadResult("r.json", strings.NewReader(test.text))
		var bad *SyntaxError
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v", test.name, err)
		}
	}
}

// TestReportCommits checks that reports must be on a checked commit, and that base reports must not
// be.
func TestReportCommits(t *testing.T) {
	const checked, merge, other = "abababababababababababababababababababab", "cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd", "0123456789012345678901234567890123456789"
	for _, test := range []struct {
		commit, base string
		want         string // a part of the only finding, "" for none
	}{
		{"", "", ""},
		{checked, other, ""},
		{merge, other, ""},
		{"ABABABA", "", ""},
		{other, "", "now.json is a report on commit " + other + ", but commit abababababab is being checked"},
		{"0123456", "", "now.json is a report on commit 0123456, "},
		{checked, checked, "was.json is passed as a report on the base branch, but was built from the commit being checked, " + checked},
		{checked, "cdcdcdc", "was.json is passed as a report on the base branch, but was built from the commit being checked, cdcdcdc"},
	} {
		now, was := reportOf("//p:t", []string{"a"}, map[string]problems{"K": {}}), reportOf("//p:t", []string{"a"}, map[string]problems{"K": {}})
		now.Source.Commit, was.Source.Commit = test.commit, test.base
		r := Evaluate(Input{Reports: []*Index{NewIndex("now.json", now)}, Base: []*Index{NewIndex("was.json", was)}, Commits: []string{checked, merge}})
		switch {
		case test.want == "" && len(r.Findings) == 0:
		case test.want == "" || len(r.Findings) != 1 || !r.Findings[0].Fails || !strings.Contains(r.Findings[0].Text, test.want):
			t.Errorf("%q and %q: got %+v, want %q", test.commit, test.base, r.Findings, test.want)
		}
	}
}
