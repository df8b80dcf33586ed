package render

import (
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"math/rand/v2"
	"net/url"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/rules-sycl/rules_sycl/docs"
	"github.com/rules-sycl/rules_sycl/internal/reporttest"
	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/gate"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	"github.com/rules-sycl/rules_sycl/sycl/show"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

func policy(t testing.TB, text string) *gate.Policy {
	t.Helper()
	p, err := gate.ReadPolicy("policy.yaml", strings.NewReader("version: 1\n"+text))
	testkit.NoError(t, err)
	return p
}

func facts(reports ...*report.Report) (list []*gate.Index) {
	for i, r := range reports {
		list = append(list, gate.NewIndex(fmt.Sprintf("r%d.json", i), r))
	}
	return list
}

var today = time.Date(2026, 11, 21, 23, 59, 0, 0, time.UTC)

// whole returns a result with findings of all kinds.
func whole(t testing.TB) *gate.Result {
	p := policy(t, reporttest.Policy)
	b := gate.NewBaseline(gate.Evaluate(gate.Input{Reports: facts(reporttest.Before()), Policy: p, Today: today}))
	b.File = "sycl-compat-baseline.json"
	return gate.Evaluate(gate.Input{Reports: facts(reporttest.Everything()), Baseline: b, Policy: p, Today: today, Generator: report.Generator{Name: "compat", Version: "1.0"}, Category: "linux"})
}

// formats are all output formats.
var formats = map[string]func(w io.Writer, r *gate.Result) error{
	"text.txt":     func(w io.Writer, r *gate.Result) error { return Text(w, r, TextOptions{All: true}) },
	"warnings.txt": func(w io.Writer, r *gate.Result) error { return Warnings(w, r, "") },
	"summary.md":   func(w io.Writer, r *gate.Result) error { return Markdown(w, r, MarkdownOptions{}) },
	"result.sarif": func(w io.Writer, r *gate.Result) error { return SARIF(w, r, ScanOptions{All: true}) },
	"junit.xml":    JUnit,
	"gitlab.json":  func(w io.Writer, r *gate.Result) error { return GitLab(w, r, ScanOptions{All: true}) },
}

func written(t testing.TB, name string, r *gate.Result) string {
	t.Helper()
	return testkit.Written(t, func(w io.Writer) error { return formats[name](w, r) })
}

func markdownOf(t testing.TB, r *gate.Result, o MarkdownOptions) string {
	t.Helper()
	return testkit.Written(t, func(w io.Writer) error { return Markdown(w, r, o) })
}

func textOf(t testing.TB, r *gate.Result, o TextOptions) string {
	t.Helper()
	return testkit.Written(t, func(w io.Writer) error { return Text(w, r, o) })
}

func TestFormats(t *testing.T) {
	r := whole(t)
	for name := range formats {
		testkit.Golden(t, name, written(t, name, r))
	}
}

// TestChanges shows every kind of change between two reports.
func TestChanges(t *testing.T) {
	devices := []string{"intel_gpu_dg2", "intel_gpu_pvc", "intel_gpu_tgllp"}
	const dg2, pvc, tgl = "intel_gpu_dg2", "intel_gpu_pvc", "intel_gpu_tgllp"
	before := reporttest.Report("//demo:kernels", append(devices, "gone"), map[string]reporttest.Problems{
		"Lost":    {"gone": {reporttest.FP64}},
		"Ways":    {},
		"Gained":  {dg2: {reporttest.FP64, reporttest.FP16}, pvc: {reporttest.FP64, reporttest.FP16}},
		"Changed": {dg2: {reporttest.Maybe}, tgl: {reporttest.Other}},
		"Absent":  {pvc: {reporttest.Absent}, tgl: {reporttest.SG8}},
		"Removed": {dg2: {reporttest.SG8}},
		"Same":    {dg2: {reporttest.SG8}},
	})
	after := reporttest.Report("//demo:kernels", append(devices, "new"), map[string]reporttest.Problems{
		"Lost":          {dg2: {reporttest.FP64}, pvc: {reporttest.FP64}},
		"Ways":          {dg2: {reporttest.FP64}, pvc: {reporttest.SG8}, tgl: {reporttest.FP64}},
		"Gained":        {},
		"Changed":       {dg2: {reporttest.FP64}, tgl: {reporttest.None}},
		"Absent":        {tgl: {reporttest.Absent}},
		"Added":         {dg2: {reporttest.FP64}, pvc: {reporttest.Absent}, "new": {reporttest.Future}},
		"Same":          {dg2: {reporttest.FP64}},
		"::error::evil": {},
	})
	changes := gate.Diff(facts(before, reporttest.Report("//demo:gone", []string{pvc}, map[string]reporttest.Problems{"Old": {}, "Older": {pvc: {reporttest.FP64}}})), facts(after))
	testkit.Golden(t, "changes.txt", testkit.Written(t, func(w io.Writer) error { return Changes(w, changes, ChangeOptions{}) }))
	// Every change has a kernel or a device, and every status change has two different statuses.
	for _, c := range changes.Changes {
		if c.Kernel == "" && c.Device == "" || c.Kernel != "" && c.Device != "" && c.Old == c.New {
			t.Errorf("%+v", c)
		}
	}
	data, err := json.MarshalIndent(changes, "", "  ")
	testkit.NoError(t, err)
	testkit.Golden(t, "changes.json", string(data)+"\n")
}

// TestManyChanges checks that many changes fit on about one screen, and that --all prints a line
// for each.
func TestManyChanges(t *testing.T) {
	const dg2, pvc = "intel_gpu_dg2", "intel_gpu_pvc"
	fp64 := []report.Reason{reporttest.FP64}
	before, after := map[string]reporttest.Problems{}, map[string]reporttest.Problems{}
	for i := range 30 {
		before[fmt.Sprintf("old::Same<%d>", i)], after[fmt.Sprintf("young::Same<%d>", i)] = reporttest.Problems{}, reporttest.Problems{}
		before[fmt.Sprintf("Lost<%d>", i)], after[fmt.Sprintf("Lost<%d>", i)] = reporttest.Problems{}, reporttest.Problems{dg2: fp64}
		before[fmt.Sprintf("gone::K%d", i)] = reporttest.Problems{dg2: fp64, pvc: fp64}
		after[fmt.Sprintf("Added<%d>", i)] = reporttest.Problems{dg2: fp64}
	}
	after["<img src=x>"] = reporttest.Problems{}
	base, now := facts(reporttest.Report("//l", []string{dg2, pvc}, before)), facts(reporttest.Report("//l", []string{dg2, pvc, "new"}, after))
	changes, _, _ := strings.Cut(written(t, "summary.md", gate.Evaluate(gate.Input{Reports: now, Base: base, Today: today})), "\n| | Rule |")
	testkit.Golden(t, "compared.md", changes)
	d := gate.Diff(base, now)
	o := ChangeOptions{Old: "lib 0.9", New: "lib 0.10", Command: "compat diff a.json b.json"}
	for name, write := range map[string]func(io.Writer, *gate.Difference, ChangeOptions) error{"manychanges.txt": Changes, "manychanges.md": ChangesMarkdown, "manychanges.html": ChangesHTML, "manychanges.csv": ChangesCSV} {
		text := testkit.Written(t, func(w io.Writer) error { return write(w, d, o) })
		if at := strings.Index(text, "<body>"); at >= 0 { // the style is tested with reports
			text = text[at:]
		}
		testkit.Golden(t, name, text)
	}
	o.All = true
	if text := testkit.Written(t, func(w io.Writer) error { return Changes(w, d, o) }); strings.Count(text, "\n") != len(d.Changes) {
		t.Errorf("%d changes:\n%s", len(d.Changes), text)
	}
}

// TestHostileChanges checks that names never become markup, formulas or separate lines.
func TestHostileChanges(t *testing.T) {
	kernels := map[string]reporttest.Problems{}
	for _, name := range attacks {
		kernels[name+"<int>"] = reporttest.Problems{name: {{Rule: compat.Rule(name), Required: name, Text: name, Status: compat.Incompatible}}}
	}
	for _, name := range attacks {
		old, now := facts(reporttest.Report("old", []string{"a"}, map[string]reporttest.Problems{"K": {}})), facts(reporttest.Report(name, []string{name}, kernels))
		d := gate.Diff(old, now)
		summary := func(w io.Writer, _ *gate.Difference, _ ChangeOptions) error {
			if name == "" { // a report with an unnamed device is invalid
				return nil
			}
			return Markdown(w, gate.Evaluate(gate.Input{Reports: now, Base: old, Today: today}), MarkdownOptions{})
		}
		for format, write := range map[string]func(io.Writer, *gate.Difference, ChangeOptions) error{"text": Changes, "summary": summary, "markdown": ChangesMarkdown, "html": ChangesHTML, "csv": ChangesCSV} {
			text := testkit.Written(t, func(w io.Writer) error {
				return write(w, d, ChangeOptions{Old: name, New: name, All: format == "text"})
			})
			if strings.ContainsAny(text, "\x00\x01\x1b\u202e\u200b\u0085\u2028") || strings.Contains(text, "\n::error") {
				t.Errorf("%s of %q contains an invisible character or a command", format, name)
			}
			if format == "html" && (strings.Contains(text, "<img") || strings.Contains(text, "<script") || strings.Contains(text, "</script")) {
				t.Errorf("html of %q contains markup", name)
			}
			if format == "csv" {
				rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
				if err != nil || len(rows) != 1+len(rowsOf(d)) {
					t.Errorf("csv of %q: %v, %d rows", name, err, len(rows))
				}
				for _, field := range slices.Concat(rows...) {
					if strings.IndexAny(field, "=+-@") == 0 {
						t.Errorf("csv of %q: cell %q is a formula", name, field)
					}
				}
			}
		}
	}
}

// rowsOf returns the CSV rows of a difference.
func rowsOf(d *gate.Difference) (list []string) {
	for _, c := range d.Changes {
		for range max(1, len(c.Statuses)) {
			list = append(list, c.Kind)
		}
	}
	return list
}

func TestWarningsInPassingResult(t *testing.T) {
	r := gate.Evaluate(gate.Input{Reports: facts(reporttest.Report("", []string{"a"}, map[string]reporttest.Problems{"K": {}})), Today: today})
	if got := written(t, "warnings.txt", r); got != "" {
		t.Errorf("got %q", got)
	}
}

// attacks are names with a special meaning to a terminal, a runner or a format.
var attacks = []string{
	"k\n::error file=a.cpp,line=1::forged", "k\r::error::forged", "::error::forged", "a ::error::forged",
	"a ##[error]x", "##[set-output name=conclusion;]success", "##[stop-commands]t", "##vso[task.complete result=Succeeded]", "##VSO[task.setvariable variable=PATH]x", "x ##teamcity[buildStatus status='SUCCESS']", "###vso[task.prependpath]/",
	"%0A::error::x", "%25", "100%s", "_GitHubActionsFileCommandDelimeter_\nconclusion=success",
	"x | y", "x \\| y", "x \\\\| y", "`", "``x` | <b>", "</details><img src=x onerror=alert(1)>", "[t](http://evil.example)", "@org/team", "#1", "a@b.example", "www.evil.example",
	"n\n| forged | row |", "\u202e\u200b\u0085\u2028", "\x1b[2J\x00", "</script><!-- ", "]]>", "\x01", "&amp;&#10;", "<!DOCTYPE x [<!ENTITY y SYSTEM 'file:///etc/passwd'>]>",
	"../../etc/passwd", "file:///etc/passwd", "C:\\x", "%2e%2e/x", "x.cpp:1:1: error: forged", "=cmd()", "", " ", "\"", "'", "{0}", "a\xffb",
}

// attack returns a result in which all texts of the report and the policy are the name.
func attack(name string) *gate.Result {
	r := reporttest.Report(name, []string{name + "d"}, map[string]reporttest.Problems{})
	reasons := []report.Reason{
		{Rule: "missing-aspect", Required: name, Available: name, Text: name, Status: compat.Incompatible},
		{Rule: "unsupported-sub-group-size", Required: name, Available: name, Text: name, Status: compat.Incompatible},
		{Rule: compat.Rule(name), Required: name, Text: name, Status: compat.Incompatible},
		{Rule: "no-image", Required: name, Text: name, Status: compat.Undetermined},
	}
	for i, reason := range reasons {
		id := fmt.Sprint(name, i)
		r.Kernels = append(r.Kernels, report.Kernel{Name: id, DisplayName: id, Location: srcloc.Location{Path: name, Line: 1}, Row: int32(i),
			Origins: []srcloc.Origin{{Aspect: aspect.Named{Name: name}, Function: name, Location: srcloc.Location{Path: name, Line: 2}}}})
		r.Outcomes = append(r.Outcomes, report.Outcome{Status: reason.Status, Reasons: []report.Reason{reason}})
		r.Rows = append(r.Rows, []int32{int32(i)})
	}
	p := gate.DefaultPolicy()
	p.File = name
	p.Required = []string{"*", name + "missing"}
	p.Allow = []gate.Exception{{Rule: "missing-aspect", Kernels: []string{"*"}, Devices: []string{"nothing"}, Reason: name, Line: 1},
		{Rule: "unsupported-sub-group-size", Kernels: []string{"*"}, Reason: name, Owner: name, Issue: name, Line: 2}}
	p.Families = []gate.Family{{Name: name, Kernels: []string{name + "none"}, Line: 3}}
	return gate.Evaluate(gate.Input{Reports: []*gate.Index{gate.NewIndex(name, r)}, Policy: p, Today: today, Category: name})
}

// oldCommand matches the older commands, which runners accept anywhere in a line.
var oldCommand = regexp.MustCompile(`##[A-Za-z]*\[`)

// checkLines reports log lines that a runner would interpret as a command, and misleading
// characters.
func checkLines(t *testing.T, name, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(strings.TrimSpace(line), "::") || oldCommand.MatchString(line) {
			t.Errorf("%s: line is a command: %q", name, line)
		}
		for _, c := range line {
			// Non-ASCII characters in the output itself.
			if strings.ContainsRune("✅❌⚠\ufe0f", c) {
				continue
			}
			if c != ' ' && !unicode.IsPrint(c) {
				t.Errorf("%s: invisible character: %q", name, line)
			}
		}
	}
}

func TestAttacks(t *testing.T) {
	for _, name := range attacks {
		t.Run(fmt.Sprintf("%q", name), func(t *testing.T) { checkAttack(t, name) })
	}
}

func checkAttack(t *testing.T, name string) {
	r := attack(name)
	for format := range formats {
		checkLines(t, format, written(t, format, r))
	}
	text := written(t, "text.txt", r)
	if next := strings.Count(text, "\ncompat: next: "); next == 0 || strings.Count(text, "\n") != len(r.Findings)+len(r.Notices)+next+1 {
		t.Errorf("%d lines for %d findings, %d notices and %d steps:\n%s", strings.Count(text, "\n"), len(r.Findings), len(r.Notices), next, text)
	}
	checkMarkdown(t, written(t, "summary.md", r), r)
	checkXML(t, written(t, "junit.xml", r))
	checkSARIF(t, written(t, "result.sarif", r))
	checkGitLab(t, written(t, "gitlab.json", r))
	if err := testkit.ValidateJSON(docs.ResultSchema, []byte(testkit.Written(t, r.Encode))); err != nil {
		t.Errorf("result.json: %v", err)
	}
	for _, f := range r.Findings {
		if f.Path != "" && !safetext.IsPath(f.Path) {
			t.Errorf("path %q", f.Path)
		}
	}
}

// checkMarkdown reports table rows that are not about findings.
func checkMarkdown(t *testing.T, text string, r *gate.Result) {
	t.Helper()
	rows := 0
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "|") {
			rows++
		}
	}
	var counting, covered group
	for i := range r.Findings {
		switch f := &r.Findings[i]; {
		case f.IsCovered():
			covered = append(covered, f)
		case f.Fails || f.Severity >= gate.Warning:
			counting = append(counting, f)
		}
	}
	groups := len(groupsOf(counting)) + len(groupsOf(covered))
	if heads := strings.Count(text, "\n| | Rule |"); rows != groups+2*heads {
		t.Errorf("%d rows, want %d:\n%s", rows, groups, text)
	}
	// There is no untrusted text outside of code spans. A name does not add a backquote or a line
	// break to a block, so the block ends where it should.
	text = regexp.MustCompile("(?s)\n```yaml\n[^`]*\n```\n").ReplaceAllString(text, "\n")
	text = regexp.MustCompile(`\[([a-z-]+)\]\(`+regexp.QuoteMeta(helpURI)+`#[a-z-]+\)`).ReplaceAllString(text, "$1")
	plain := regexp.MustCompile("(`+)[^`](.*?[^`])??(`+)").ReplaceAllString(text, "")
	for _, bad := range []string{"<img", "evil", "@org", "forged", "]("} {
		if strings.Contains(plain, bad) && !strings.Contains(text, "``") {
			t.Errorf("%q outside of a code span:\n%s", bad, text)
		}
	}
}

func checkXML(t *testing.T, text string) {
	t.Helper()
	type result struct {
		Message string `xml:"message,attr"`
	}
	var doc struct {
		XMLName xml.Name `xml:"testsuites"`
		Suites  []struct {
			Tests    int `xml:"tests,attr"`
			Failures int `xml:"failures,attr"`
			Skipped  int `xml:"skipped,attr"`
			Cases    []struct {
				Name    string  `xml:"name,attr"`
				Failure *result `xml:"failure"`
				Skipped *result `xml:"skipped"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal([]byte(text), &doc); err != nil {
		t.Errorf("%v in\n%s", err, text)
		return
	}
	for _, s := range doc.Suites {
		failures, skipped := 0, 0
		for _, c := range s.Cases {
			if c.Failure != nil {
				failures++
			}
			if c.Skipped != nil {
				skipped++
			}
		}
		if len(s.Cases) != s.Tests || failures != s.Failures || skipped != s.Skipped {
			t.Errorf("counts do not match:\n%s", text)
		}
	}
}

// checkSARIF reports violations of SARIF 2.1.0 in a log: schema, indexes, URIs and messages.
func checkSARIF(t *testing.T, text string) {
	t.Helper()
	checkSARIFSchema(t, text)
	var log sarifLog
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	testkit.NoError(t, d.Decode(&log))
	if log.Version != "2.1.0" || len(log.Runs) != 1 || !strings.Contains(log.Schema, "sarif-2.1.0") {
		t.Errorf("version %q", log.Version)
	}
	run := log.Runs[0]
	if len(run.Invocations) != 1 {
		t.Errorf("%d invocations", len(run.Invocations))
	}
	for _, rule := range run.Tool.Driver.Rules {
		if rule.ID == "" || !regexp.MustCompile("^([A-Z][A-Za-z]+)?$").MatchString(rule.Name) || !strings.HasSuffix(rule.Short.Text, ".") || rule.Help.Text == "" || !strings.HasPrefix(rule.HelpURI, "https://") {
			t.Errorf("invalid rule %+v", rule)
		}
	}
	fingerprints := map[string]bool{}
	for _, r := range run.Results {
		if r.RuleIndex < 0 || r.RuleIndex >= len(run.Tool.Driver.Rules) || run.Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID {
			t.Errorf("rule %s has index %d", r.RuleID, r.RuleIndex)
		}
		if !slices.Contains([]string{"note", "warning", "error"}, r.Level) || r.Kind != "fail" {
			t.Errorf("level %q, kind %q", r.Level, r.Kind)
		}
		if regexp.MustCompile(`(^|[^\\])(\\\\)*[\[\]]`).MatchString(r.Message.Text) {
			t.Errorf("message may contain a link: %s", r.Message.Text)
		}
		fp := r.Fingerprints["syclCompat/v1"]
		if fingerprints[fp] || fp == "" {
			t.Errorf("empty or duplicate fingerprint %q", fp)
		}
		fingerprints[fp] = true
		for _, l := range r.Locations {
			if p := l.Physical; p != nil {
				u, err := url.Parse(p.Artifact.URI)
				if err != nil || u.IsAbs() || u.Host != "" || u.RawQuery != "" || u.Fragment != "" || !safetext.IsPath(u.Path) || p.Artifact.Base != sourceRoot {
					t.Errorf("URI %q, %v", p.Artifact.URI, err)
				}
			}
		}
	}
}

func checkGitLab(t *testing.T, text string) {
	t.Helper()
	var issues []map[string]any
	testkit.NoError(t, json.Unmarshal([]byte(text), &issues))
	seen := map[string]bool{}
	for _, i := range issues {
		fp, _ := i["fingerprint"].(string)
		location, _ := i["location"].(map[string]any)
		path, _ := location["path"].(string)
		lines, _ := location["lines"].(map[string]any)
		begin, _ := lines["begin"].(float64)
		if fp == "" || seen[fp] || !safetext.IsPath(path) || begin < 1 || i["description"] == "" || i["check_name"] == "" {
			t.Errorf("invalid issue %v", i)
		}
		if !slices.Contains([]any{"info", "minor", "major", "critical", "blocker"}, i["severity"]) {
			t.Errorf("severity %v", i["severity"])
		}
		seen[fp] = true
	}
}

func TestFormatsAreWellFormed(t *testing.T) {
	r := whole(t)
	checkXML(t, written(t, "junit.xml", r))
	checkSARIF(t, written(t, "result.sarif", r))
	checkGitLab(t, written(t, "gitlab.json", r))
	checkMarkdown(t, written(t, "summary.md", r), r)
}

// TestFormatsAgree checks that all formats agree on the conclusion.
func TestFormatsAgree(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		p := policy(t, reporttest.RandomPolicy(random))
		r := gate.Evaluate(gate.Input{Reports: facts(reporttest.Random(random)...), Policy: p, Today: today})
		failed := r.Conclusion == gate.Failure
		for format, sign := range map[string]string{"text.txt": "compat: failed", "summary.md": "## ❌", "junit.xml": "<failure ", "result.sarif": `"fails": true`} {
			if got := strings.Contains(written(t, format, r), sign); got != failed {
				t.Fatalf("%s: failed = %v, want %v:\n%s", format, got, failed, written(t, format, r))
			}
		}
	}
}

func TestMarkdownIsShort(t *testing.T) {
	kernels := map[string]reporttest.Problems{}
	for i := range 3000 {
		kernels[fmt.Sprintf("kernel%04d", i)] = reporttest.Problems{"a": {reporttest.FP64}}
	}
	r := gate.Evaluate(gate.Input{Reports: facts(reporttest.Report("//p:t", []string{"a"}, kernels)), Today: today})
	if text := markdownOf(t, r, MarkdownOptions{MaxBytes: 20_000}); len(text) > 20_000 || !strings.Contains(text, "more are not shown here") {
		t.Errorf("%d bytes", len(text))
	}
	// Many kernels with one problem share a line.
	const want = `p/BUILD.bazel:1: error: 3000 kernels ('kernel0000', 'kernel0001', 'kernel0002' and 2997 more) do not run on a: they require aspect fp64 [missing-aspect]
compat: note: 3000 problems in 1 line; 'compat check --format json' lists all of them
`
	if got := written(t, "text.txt", r); !strings.HasPrefix(got, want) || strings.Count(got, "\n") > 6 {
		t.Errorf("got\n%s", got)
	}
	// With different requirements, there are no more lines than before.
	kernels = map[string]reporttest.Problems{}
	for i := range 300 {
		why := reporttest.FP64
		why.Required = fmt.Sprintf("aspect%03d", i)
		kernels[fmt.Sprintf("kernel%04d", i)] = reporttest.Problems{"a": {why}}
	}
	r = gate.Evaluate(gate.Input{Reports: facts(reporttest.Report("//p:t", []string{"a"}, kernels)), Today: today})
	if got := written(t, "text.txt", r); strings.Count(got, ": error: ") != 50 || !strings.Contains(got, "compat: note: 250 more; ") {
		t.Errorf("got\n%s", got)
	}
}

// manyKernels returns a result with many kernels and few problems.
func manyKernels(n int) *gate.Result {
	kernels := map[string]reporttest.Problems{}
	for i := range n {
		why := []reporttest.Problems{{"dg2": {reporttest.FP64}, "tgl": {reporttest.FP64}}, {"tgl": {reporttest.SG8}}, {"dg2": {reporttest.Maybe}}}
		kernels[fmt.Sprintf("ns::Kernel<%d>", i)] = why[i%3]
	}
	r := reporttest.Report("//p:t", []string{"dg2", "tgl"}, kernels)
	for i := range r.Kernels {
		k := &r.Kernels[i]
		k.Location = srcloc.Location{Path: fmt.Sprintf("src (1)/k%d.cpp", i%4), Line: uint32(i + 1), Column: 2}
		k.Origins = []srcloc.Origin{{Aspect: aspect.Named{Name: "fp64"}, Function: "half(double)"}}
	}
	return gate.Evaluate(gate.Input{Reports: facts(r), Today: today})
}

// TestGroups checks that kernels with the same problem on the same devices share a row, and that a
// list contains all of them.
func TestGroups(t *testing.T) {
	const sources = "https://github.com/o/r/blob/0123456789abcdef0123456789abcdef01234567/"
	short := markdownOf(t, manyKernels(17), MarkdownOptions{Sources: sources})
	testkit.Golden(t, "groups.md", short)
	r := manyKernels(500)
	long := markdownOf(t, r, MarkdownOptions{MaxBytes: 64_000, Sources: sources})
	if len(r.Findings) != 500 || len(long) > 64_000 {
		t.Errorf("%d findings in %d bytes", len(r.Findings), len(long))
	}
	head, _, _ := strings.Cut(long, "<details>")
	if rows := strings.Count(head, "\n| ❌") + strings.Count(head, "\n| ⚠️"); rows != 3 || len(head) > 3000 {
		t.Errorf("%d rows, %d bytes:\n%s", rows, len(head), head)
	}
	for _, f := range r.Findings {
		if !strings.Contains(long, "- `"+f.Kernel+"`") {
			t.Fatalf("%s is not listed", f.Kernel)
		}
	}
	checkMarkdown(t, regexp.MustCompile("\\[(`[^`]*`)\\]\\(<"+sources+"[^ ]*>\\)").ReplaceAllString(long, "$1"), r)
	html := htmlOf(t, short)
	if want := `<a href="` + sources + `src%20%281%29/k0.cpp#L1"><code>src (1)/k0.cpp:1:2</code></a>`; !strings.Contains(html, want) {
		t.Errorf("missing %s in\n%s", want, html)
	}
	if strings.Count(html, "<details>") != 4 || strings.Count(html, "</details>") != 4 {
		t.Errorf("unterminated list:\n%s", html)
	}
}

// TestSteps checks that the advice for each rule is given once, and only for failing or new
// findings.
func TestSteps(t *testing.T) {
	r := manyKernels(15)
	for format, prefix := range map[string]string{"text.txt": "compat: next: ", "warnings.txt": "compat: note: next: ", "summary.md": "- "} {
		var got []string
		for line := range strings.Lines(written(t, format, r)) {
			if rest, ok := strings.CutPrefix(line, prefix); ok && !strings.HasPrefix(rest, "`ns::") {
				word, _, _ := strings.Cut(rest, ": ")
				got = append(got, strings.TrimSpace(word))
			}
		}
		slices.Sort(got)
		want := []string{"missing-aspect", "undetermined", "unsupported-sub-group-size"}
		if got = slices.DeleteFunc(got, func(s string) bool {
			return strings.Contains(s, "compat fix") || strings.Contains(s, "accepts the current problems")
		}); !slices.Equal(got, want) {
			t.Errorf("%s: got %q", format, got)
		}
	}
	in := gate.Input{Reports: facts(reporttest.Everything()), Today: today}
	in.Baseline = gate.NewBaseline(gate.Evaluate(in))
	if text := written(t, "text.txt", gate.Evaluate(in)); strings.Contains(text, "next:") {
		t.Errorf("got %s", text)
	}
	for _, rule := range gate.Rules() {
		if rule.Finding && (rule.Next == "" || strings.Count(rule.Next, "`")%2 != 0 || len(rule.Next) > 160) {
			t.Errorf("rule %s: %q", rule.ID, rule.Next)
		}
	}
}

// TestFixCommand checks that the advice names the caller's command for proposing edits.
func TestFixCommand(t *testing.T) {
	r := manyKernels(3)
	for command, want := range map[string]string{
		"":                 "compat: next: 'compat fix r0.json' proposes edits of BUILD files\n",
		"build fix $PWD/r": "compat: next: 'build fix $PWD/r' proposes edits of BUILD files\n",
	} {
		if text := textOf(t, r, TextOptions{Fix: command}); !strings.Contains(text, want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
}

// htmlOf renders Markdown in GitHub's dialect.
func htmlOf(t *testing.T, text string) string {
	path, err := exec.LookPath("cmark-gfm")
	if err != nil {
		t.Skip("cmark-gfm not found")
	}
	cmd := exec.CommandContext(t.Context(), path, "-e", "table", "-e", "autolink", "-e", "strikethrough", "-e", "tagfilter", "--unsafe")
	cmd.Stdin = strings.NewReader(text)
	out, err := cmd.Output()
	testkit.NoError(t, err)
	return string(out)
}

// TestMarkdownAgainstCmark checks that any name is rendered as one code element in one cell.
func TestMarkdownAgainstCmark(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	alphabet := []string{"`", "``", "|", "\\", "\\|", "<b>", "</td>", "\n", " ", "a", "@org/x", "http://e.example", "a@b.example", "*", "_", "[x](y)", "&lt;", "#", "~~"}
	names := slices.Clone(attacks)
	for range 2000 {
		var b strings.Builder
		for range 1 + random.IntN(8) {
			b.WriteString(alphabet[random.IntN(len(alphabet))])
		}
		names = append(names, b.String())
	}
	var doc strings.Builder
	doc.WriteString("| a | b |\n|---|---|\n")
	for _, n := range names {
		fmt.Fprintf(&doc, "| %s | end |\n", safetext.TableCell(show.CodeSpan(n)))
	}
	html := htmlOf(t, doc.String())
	rows := regexp.MustCompile(`(?s)<tr>\n<td><code>([^<]*)</code></td>\n<td>end</td>\n</tr>`).FindAllString(html, -1)
	if len(rows) != len(names) {
		t.Errorf("%d of %d names in their cells", len(rows), len(names))
		for i, row := range strings.Split(html, "<tr>\n")[2:] {
			if i < len(names) && !regexp.MustCompile(`(?s)^<td><code>([^<]*)</code></td>\n<td>end</td>\n</tr>`).MatchString(row) {
				t.Fatalf("%q, escaped as %s, is rendered as %s", names[i], safetext.TableCell(show.CodeSpan(names[i])), row)
			}
		}
	}
}

// TestAttackS17PolicyInChange checks that a change that adds an exception for its own failure
// passes, but is reported.
func TestAttackS17PolicyInChange(t *testing.T) {
	now := policy(t, "devices: {required: ['*']}\nallow: [{rule: missing-aspect, kernels: ['K*'], reason: trust me, expires: 2029-01-01}]")
	base := policy(t, "devices: {required: ['*']}")
	in := gate.Input{Reports: facts(reporttest.Report("//p:t", []string{"a"}, map[string]reporttest.Problems{"K": {"a": {reporttest.FP64}}})), Policy: now, BasePolicy: base, Today: today}
	r := gate.Evaluate(in)
	if !slices.ContainsFunc(r.Notices, func(n gate.Notice) bool {
		return n.Rule == gate.PolicyWeakened && strings.Contains(n.Text, "missing-aspect")
	}) {
		t.Errorf("got %+v", r.Notices)
	}
	for _, format := range []string{"text.txt", "summary.md", "result.sarif"} {
		if text := written(t, format, r); !strings.Contains(text, "the exception from missing-aspect for K* is new") {
			t.Errorf("%s does not mention the weakened policy:\n%s", format, text)
		}
	}
	// With the policy of the base branch, it does not pass.
	in.Policy = base
	if r := gate.Evaluate(in); r.Conclusion != gate.Failure {
		t.Error("the change passes with the policy of the base branch")
	}
}

func FuzzAttack(f *testing.F) {
	for _, a := range attacks {
		f.Add(a)
	}
	f.Fuzz(func(t *testing.T, name string) { checkAttack(t, name) })
}

// Text read from a file is safe to print.
func FuzzMessage(f *testing.F) {
	f.Add(testkit.Written(f, whole(f).Encode))
	f.Fuzz(func(t *testing.T, text string) {
		r, err := gate.ReadResult("r.json", strings.NewReader(text))
		if err != nil {
			return
		}
		for i := range r.Findings {
			f := &r.Findings[i]
			if m := message(f); safetext.Escape(m) != m {
				t.Errorf("message is not safe to print: %q", m)
			}
		}
	})
}

// TestLongNames checks that shortened kernel names contain their differences.
func TestLongNames(t *testing.T) {
	const long = "app::detail::simulation::Integrate<app::detail::policies::VelocityVerlet<app::detail::fields::Electromagnetic>, %s>"
	kernels := map[string]reporttest.Problems{}
	for _, number := range []string{"double", "float"} {
		kernels[fmt.Sprintf(long, number)] = reporttest.Problems{"dg2": {reporttest.FP64}}
	}
	r := gate.Evaluate(gate.Input{Reports: facts(reporttest.Report("//p:t", []string{"dg2"}, kernels)), Today: today})
	for _, format := range []string{"text.txt", "warnings.txt", "summary.md"} {
		text := written(t, format, r)
		text, _, _ = strings.Cut(text, "```yaml") // which contains whole names, as policies do
		for _, name := range []string{"*::Integrate<*, double>", "*::Integrate<*, float>"} {
			if !strings.Contains(text, name) || strings.Contains(text, "simulation") {
				t.Errorf("%s: no %s in %s", format, name, text)
			}
		}
	}
}

// TestGroupsByLine checks that kernels that fail because of the same line of a file share a line.
func TestGroupsByLine(t *testing.T) {
	bad := reporttest.Problems{"a": {reporttest.FP64}}
	r := reporttest.Report("//p:t", []string{"a", "b"}, map[string]reporttest.Problems{"A": bad, "B": bad, "C": bad, "D": bad, "E": bad, "F": {"a": {reporttest.FP16}}})
	lines := map[string]uint32{"A": 7, "B": 7, "C": 9, "F": 7}
	for i := range r.Kernels {
		if line := lines[r.Kernels[i].DisplayName]; line > 0 {
			r.Kernels[i].Location = srcloc.Location{Path: "k.hpp", Line: line}
		}
	}
	text := textOf(t, gate.Evaluate(gate.Input{Reports: facts(r), Today: today}), TextOptions{})
	for _, want := range []string{"k.hpp:7: error: 2 kernels ('A', 'B') do not run on a: they require aspect fp64", "k.hpp:9: error: kernel 'C' ", "kernel 'D' ", "kernel 'E' ", "k.hpp:7: error: kernel 'F' "} {
		if !strings.Contains(text, want) {
			t.Errorf("missing %q in\n%s", want, text)
		}
	}
}

// TestAttackDrownedNotices checks that neither many problems nor many other notices displace the
// notice about a weakened policy from a comment.
func TestAttackDrownedNotices(t *testing.T) {
	kernels := map[string]reporttest.Problems{}
	for i := range 3000 {
		kernels[fmt.Sprintf("%d%s", i, strings.Repeat("x", 300))] = reporttest.Problems{"a": {{Rule: "missing-aspect", Required: fmt.Sprintf("fp%d", i), Status: compat.Incompatible}}}
	}
	var weak strings.Builder
	weak.WriteString("devices: {supported: ['*']}\nfamilies:\n")
	for i := range 500 {
		fmt.Fprintf(&weak, "- {name: f%d, kernels: ['%s%d']}\n", i, strings.Repeat("y", 200), i)
	}
	for name, text := range map[string]string{"problems": "devices: {supported: ['*']}\n", "problems and notices": weak.String()} {
		base := policy(t, "devices: {required: [a]}\n")
		r := gate.Evaluate(gate.Input{Reports: facts(reporttest.Report("//p:t", []string{"a"}, kernels)), Policy: policy(t, text), BasePolicy: base, Today: today})
		summary := markdownOf(t, r, MarkdownOptions{MaxBytes: 60_000})
		if r.Conclusion != gate.Success || !strings.Contains(summary, "no longer required") || !strings.Contains(summary, "not shown here") || len(summary) > 60_000 {
			t.Errorf("%s: %s, %d bytes\n%.3000s", name, r.Conclusion, len(summary), summary)
		}
	}
}

// TestMarkdownChanges checks that changes without space for a row are counted.
func TestMarkdownChanges(t *testing.T) {
	d := &gate.Difference{}
	for i := range 10 {
		for range i + 1 {
			d.Changes = append(d.Changes, gate.Change{Kind: "lost", Name: fmt.Sprint(len(d.Changes)), Kernel: fmt.Sprintf("Kernel%d<%d>", i, len(d.Changes)), Device: fmt.Sprintf("device_%d", i), Old: compat.Compatible, New: compat.Incompatible})
		}
	}
	for limit, want := range map[int]string{
		100_000:        "| | 3 | in other groups | |", // the first 8 rows
		reserved + 500: "| | ",
		reserved:       "| | 55 | in other groups | |",
	} {
		m := markdown{limit: limit}
		m.changes(d)
		text := m.String()
		shown, left := 0, 0
		for row := range strings.SplitSeq(text, "\n") {
			if n := 0; strings.HasPrefix(row, "| Lost | ") {
				fmt.Sscanf(row, "| Lost | %d", &n)
				shown += n
			} else {
				fmt.Sscanf(row, "| | %d | in other", &left)
			}
		}
		if !strings.Contains(text, want) || shown+left != len(d.Changes) || len(text) > limit {
			t.Errorf("%d bytes: %d of %d kernels are in rows, %d in other groups:\n%s", limit, shown, len(d.Changes), left, text)
		}
	}
}
