package render

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/reporttest"
	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/gate"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// logOf returns the SARIF run for a result.
func logOf(t *testing.T, r *gate.Result, o ScanOptions) sarifRun {
	t.Helper()
	text := testkit.Written(t, func(w io.Writer) error { return SARIF(w, r, o) })
	checkSARIFSchema(t, text)
	var log sarifLog
	testkit.NoError(t, json.Unmarshal([]byte(text), &log))
	return log.Runs[0]
}

// issuesOf returns a result as GitLab's Code Quality issues.
func issuesOf(t *testing.T, r *gate.Result, o ScanOptions) (list []gitlabIssue) {
	t.Helper()
	testkit.NoError(t, json.Unmarshal([]byte(testkit.Written(t, func(w io.Writer) error { return GitLab(w, r, o) })), &list))
	return list
}

// TestLocations checks that each problem is in the file that it is about, in SARIF and for
// GitLab.
func TestLocations(t *testing.T) {
	fp64 := map[string]reporttest.Problems{"K": {"a": {reporttest.FP64}}}
	index := func(file, label string) *gate.Index {
		return gate.NewIndex(file, reporttest.Report(label, []string{"a"}, fp64))
	}
	located := reporttest.Report("//c:k", []string{"a"}, fp64)
	located.Kernels[0].Location = srcloc.Location{Path: "src/k.cpp", Line: 7, Column: 3}
	baseline := &gate.Baseline{File: "ci/b.json", Targets: []gate.BaselineTarget{{Label: "gone.so", Devices: []string{"a"}}}}
	strict := policy(t, "devices:\n  required:\n  - a\n  - mygpu\n")
	strict.File = "ci/policy.yml"
	for _, test := range []struct {
		name    string
		in      gate.Input
		results []string // path:line
		notes   int
	}{
		{"targets without a BUILD file", gate.Input{Reports: []*gate.Index{index("out/a.json", "//a:k"), index("out/b.json", "//b:k")}, Workspace: tree{}}, []string{"out/a.json:1", "out/b.json:1"}, 0},
		{"targets of BUILD files", gate.Input{Reports: []*gate.Index{index("out/a.json", "//a:k"), index("out/b.json", "//b:k")}}, []string{"a/BUILD.bazel:1", "b/BUILD.bazel:1"}, 0},
		{"a source line", gate.Input{Reports: []*gate.Index{gate.NewIndex("out/c.json", located), index("out/a.json", "a.so")}}, []string{"src/k.cpp:7", "out/a.json:1"}, 0},
		{"modules of a wheel", gate.Input{Reports: []*gate.Index{index("dist/p.whl", "p/a.so"), index("dist/p.whl", "p/b.so")}}, []string{"dist/p.whl:1", "dist/p.whl:1"}, 0},
		{"a file outside the repository", gate.Input{Reports: []*gate.Index{index("/opt/lib/a b.so", "a b.so")}}, []string{"a b.so:1"}, 0},
		{"a device of a policy", gate.Input{Policy: strict, Reports: []*gate.Index{gate.NewIndex("a.json", reporttest.Report("//a:k", []string{"a"}, map[string]reporttest.Problems{"K": {}}))}}, []string{"ci/policy.yml:5"}, 0},
		{"a target of a baseline", gate.Input{Baseline: baseline, Reports: []*gate.Index{gate.NewIndex("a.json", reporttest.Report("//a:k", []string{"a"}, map[string]reporttest.Problems{"K": {}}))}}, []string{"ci/b.json:1"}, 0},
		{"a directory below the repository", gate.Input{Prefix: "sub", Reports: []*gate.Index{index("out/a.json", "a.so"), index("out/b.json", "//b:k")}}, []string{"sub/b/BUILD.bazel:1", "sub/out/a.json:1"}, 0},
		{"no file", gate.Input{}, nil, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.in.Today = today
			r := gate.Evaluate(test.in)
			run := logOf(t, r, ScanOptions{})
			var got []string
			for _, result := range run.Results {
				at := result.Locations[0].Physical
				if at.Region.StartColumn < 1 || at.Region.EndLine != at.Region.StartLine || at.Region.EndColumn <= at.Region.StartColumn {
					t.Errorf("region %+v", at.Region)
				}
				got = append(got, strings.ReplaceAll(fmt.Sprintf("%s:%d", at.Artifact.URI, at.Region.StartLine), "%20", " "))
			}
			slices.Sort(got)
			slices.Sort(test.results)
			if !slices.Equal(got, test.results) || len(run.Invocations[0].Notifications) != test.notes+len(r.Notices) {
				t.Errorf("got %q and %d notifications, want %q and %d", got, len(run.Invocations[0].Notifications), test.results, test.notes)
			}
			got = nil
			for _, issue := range issuesOf(t, r, ScanOptions{}) {
				got = append(got, fmt.Sprintf("%s:%d", issue.Location.Path, issue.Location.Lines.Begin))
			}
			slices.Sort(got)
			if !slices.Equal(got, test.results) {
				t.Errorf("GitLab: got %q, want %q", got, test.results)
			}
		})
	}
}

// TestSpecialPaths checks that each format contains the paths of sources and policies in its own encoding.
func TestSpecialPaths(t *testing.T) {
	for path, uri := range map[string]string{
		"100%/a b.cpp":   "100%25/a%20b.cpp",
		"ab:c.cpp":       "ab%3Ac.cpp",
		"a#b?c=d&e.cpp":  "a%23b%3Fc=d&e.cpp",
		`a\b.cpp`:        "a%5Cb.cpp",
		"u\u0308.cpp":    "u%CC%88.cpp",
		`<a>|"'.cpp`:     "%3Ca%3E%7C%22%27.cpp",
		"//c.cpp":        "",
		"../c.cpp":       "",
		"a\u202ec.cpp":   "",
		"c\n::error::.c": "",
	} {
		report := reporttest.Report("lib.so", []string{"a"}, map[string]reporttest.Problems{"K": {"a": {reporttest.FP64}}})
		report.Kernels[0].Location = srcloc.Location{Path: path, Line: 7}
		p := policy(t, "devices: {required: [a]}\nfamilies: [{name: f, kernels: [none]}]\n")
		p.File = path
		r := gate.Evaluate(gate.Input{Policy: p, Reports: []*gate.Index{gate.NewIndex("r.json", report)}, Today: today})
		run := logOf(t, r, ScanOptions{})
		var uris, paths []string
		for _, result := range run.Results {
			uris = append(uris, result.Locations[0].Physical.Artifact.URI)
		}
		for _, n := range run.Invocations[0].Notifications {
			for _, l := range n.Locations {
				uris = append(uris, l.Physical.Artifact.URI)
			}
		}
		for _, issue := range issuesOf(t, r, ScanOptions{}) {
			paths = append(paths, issue.Location.Path)
		}
		wantURIs, wantPaths := []string{uri, uri}, []string{path, path}
		if uri == "" {
			wantURIs, wantPaths = []string{"r.json"}, []string{"r.json"}
		}
		if !slices.Equal(uris, wantURIs) || !slices.Equal(paths, wantPaths) {
			t.Errorf("%q: got %q in SARIF and %q for GitLab, want %q and %q", path, uris, paths, wantURIs, wantPaths)
		}
		var attribute bytes.Buffer
		testkit.NoError(t, xml.EscapeText(&attribute, []byte(path)))
		if junit := testkit.Written(t, func(w io.Writer) error { return JUnit(w, r) }); strings.Contains(junit, ` file="`) != (uri != "") || uri != "" && !strings.Contains(junit, ` file="`+attribute.String()+`"`) {
			t.Errorf("%q: in JUnit XML:\n%s", path, junit)
		}
	}
}

// TestRegions checks that a region ends at the end of its source line.
func TestRegions(t *testing.T) {
	r := reporttest.Report("//c:k", []string{"a"}, map[string]reporttest.Problems{"K": {"a": {reporttest.FP64}}})
	r.Kernels[0].Location = srcloc.Location{Path: "k.cpp", Line: 2, Column: 3}
	for text, want := range map[string]int{"one\n  double\n": 9, "one\r\n  double": 9, "one\n": 4, "one\n\t\t\U0001F600": 5} {
		run := logOf(t, gate.Evaluate(gate.Input{Reports: facts(r), Today: today, Workspace: tree{"k.cpp": text}}), ScanOptions{})
		if got := run.Results[0].Locations[0].Physical.Region; got != (sarifRegion{2, 3, 2, want}) {
			t.Errorf("%q: got %+v, want end column %d", text, got, want)
		}
	}
}

// TestNamesKeepTheirSpelling checks that messages do not change the first letter of a name.
func TestNamesKeepTheirSpelling(t *testing.T) {
	for _, device := range []string{"intel_gpu_pvc", "mygpu", "a"} {
		p := policy(t, "devices: {required: ["+device+"]}\n")
		r := gate.Evaluate(gate.Input{Policy: p, Today: today, Reports: facts(reporttest.Report("lib.so", []string{"b"}, map[string]reporttest.Problems{"K": {}}))})
		for _, text := range []string{logOf(t, r, ScanOptions{}).Results[0].Message.Text, issuesOf(t, r, ScanOptions{})[0].Description} {
			if want := "Device " + device + ": no report covers the device"; !strings.HasPrefix(text, want) {
				t.Errorf("got %q, want %q", text, want)
			}
		}
	}
}

// TestOmitKnownProblems checks the default problems for code scanners: known and allowed
// problems are omitted, unless they fail.
func TestOmitKnownProblems(t *testing.T) {
	reports := facts(reporttest.Report("//p:t", []string{"a"}, map[string]reporttest.Problems{"K": {"a": {reporttest.FP64}}, "L": {}}))
	known := gate.NewBaseline(gate.Evaluate(gate.Input{Reports: reports, Today: today}))
	for _, test := range []struct {
		name string
		in   gate.Input
		want int
	}{
		{"a new problem", gate.Input{Reports: reports}, 1},
		{"an exception", gate.Input{Reports: reports, Policy: policy(t, "allow: [{rule: missing-aspect, kernels: [K], reason: later, expires: 2027-01-01}]\n")}, 0},
		{"an expired exception", gate.Input{Reports: reports, Policy: policy(t, "allow: [{rule: missing-aspect, kernels: [K], reason: later, expires: 2026-01-01}]\n")}, 1},
		{"a family", gate.Input{Reports: reports, Policy: policy(t, "families: [{name: f, kernels: [K, L]}]\n")}, 0},
		{"a baseline", gate.Input{Reports: reports, Baseline: known}, 0},
		{"reports of the base branch", gate.Input{Reports: reports, Base: reports}, 0},
		{"a known problem that fails", gate.Input{Reports: reports, Baseline: known, Policy: policy(t, "fail-on: any\n")}, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.in.Today = today
			r := gate.Evaluate(test.in)
			if got := logOf(t, r, ScanOptions{}).Results; len(got) != test.want {
				t.Errorf("%d results: %+v", len(got), got)
			}
			all := logOf(t, r, ScanOptions{All: true}).Results
			if len(all) != 1 || (len(all[0].Suppressions) == 0) != (test.want == 1) {
				t.Errorf("including known problems: %+v", all)
			}
			count := func(o ScanOptions) (n int) {
				for _, issue := range issuesOf(t, r, o) {
					if issue.CheckName == gate.RuleID("missing-aspect") {
						n++
					}
				}
				return n
			}
			if count(ScanOptions{}) != test.want || count(ScanOptions{All: true}) != 1 {
				t.Errorf("GitLab: %d issues by default, %d with all", count(ScanOptions{}), count(ScanOptions{All: true}))
			}
		})
	}
}

// TestSARIFLimits checks the limits of code scanning on rule texts and on the number of results.
func TestSARIFLimits(t *testing.T) {
	kernels := map[string]reporttest.Problems{}
	for i := range maxSARIF + 10 {
		kernels[fmt.Sprintf("K%d", i)] = reporttest.Problems{"a": {reporttest.FP64}}
	}
	run := logOf(t, gate.Evaluate(gate.Input{Reports: facts(reporttest.Report("//p:t", []string{"a"}, kernels)), Today: today, Generator: report.Generator{Name: "compat", Version: "1"}}), ScanOptions{})
	if n := len(run.Results); n != maxSARIF || len(run.Invocations[0].Notifications) != 1 {
		t.Errorf("%d results, notifications %+v", n, run.Invocations[0].Notifications)
	}
	for _, rule := range run.Tool.Driver.Rules {
		const most = 1024
		if rule.ID == "" || rule.Short.Text == "" || rule.Full.Text == "" || rule.Help.Text == "" || len(rule.Short.Text) > most || len(rule.Full.Text) > most {
			t.Errorf("rule %s: texts of %d, %d and %d bytes", rule.ID, len(rule.Short.Text), len(rule.Full.Text), len(rule.Help.Text))
		}
	}
}
