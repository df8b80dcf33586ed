package gate

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"math/rand/v2"
	"net/url"
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/rules-sycl/rules_sycl/docs/schema"
	"github.com/rules-sycl/rules_sycl/docs/schema/schematest"
	"github.com/rules-sycl/rules_sycl/internal/golden"
	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// everything is a report with findings of all kinds.
func everything() *report.Report {
	r := reportOf("//demo:kernels", []string{"intel_gpu_dg2", "intel_gpu_pvc", "spir64"}, map[string]on{
		"VectorAdd":      {},
		"Axpy<double>":   {"intel_gpu_dg2": why(fp64), "spir64": why(maybe)},
		"Axpy<float>":    {"intel_gpu_pvc": why(sg8)},
		"Reduce<double>": {"intel_gpu_dg2": why(fp64, none)},
		"Tile": {"intel_gpu_dg2": why(report.Reason{Rule: "unsupported-work-group-size", Required: "2048", Available: "at most 1024", Verdict: compat.Incompatible}),
			"intel_gpu_pvc": why(report.Reason{Rule: "unsupported-joint-matrix", Required: "matrix_type::fp16 8x16", Verdict: compat.Incompatible})},
		"Fixed": {"intel_gpu_pvc": why(report.Reason{Rule: "fixed-target-mismatch", Required: "x86_64,intel_gpu_dg2", Verdict: compat.Incompatible}, none)},
		"Dims":  {"intel_gpu_dg2": why(report.Reason{Rule: "unsupported-work-group-dims", Required: "4", Verdict: compat.Incompatible})},
		"None":  {"intel_gpu_dg2": why(none), "intel_gpu_pvc": why(none)},
	})
	for i := range r.Kernels {
		k := &r.Kernels[i]
		switch k.DisplayName {
		case "Axpy<double>":
			k.Location = srcloc.Location{Path: "src/axpy.cpp", Line: 12}
			k.Origins = []srcloc.Origin{{Aspect: aspect.Named{Name: "fp64"}, Function: "square(double)", Location: srcloc.Location{Path: "src/math.hpp", Line: 7}}}
		case "Tile":
			k.Location = srcloc.Location{Path: "src/tile.cpp", Line: 3}
		}
	}
	return r
}

const renderPolicy = `devices: {required: [intel_gpu_dg2, intel_gpu_nvl], supported: [intel_gpu_pvc]}
families: [{name: axpy, kernels: ['Axpy<*>']}]
allow:
  - {rule: missing-aspect, kernels: ['Reduce<*>'], reason: runs on the host, owner: '@org/sim', expires: 2027-01-01}
  - {rule: no-image, kernels: [Gone], reason: r, expires: 2026-12-01}
`

func renderResult(t testing.TB) *Result {
	p := policy(t, renderPolicy)
	was := everything()
	for i := range was.Cells {
		if was.Cells[i].Kernel == mangled("Dims") {
			was.Cells[i].Verdict, was.Cells[i].Reasons = compat.Compatible, nil
		}
	}
	b := NewBaseline(Evaluate(Input{Reports: facts(was), Policy: p, Today: today}))
	b.File = "sycl-compat-baseline.json"
	return Evaluate(Input{Reports: facts(everything()), Baseline: b, Policy: p, Today: today, Generator: report.Generator{Name: "compat", Version: "1.0"}, Category: "linux"})
}

// formats are all renderings.
var formats = map[string]func(w io.Writer, r *Result) error{
	"text.txt":     func(w io.Writer, r *Result) error { return WriteText(w, r, TextOptions{All: true}) },
	"warnings.txt": WriteWarnings,
	"summary.md":   func(w io.Writer, r *Result) error { return WriteMarkdown(w, r, MarkdownOptions{}) },
	"result.sarif": func(w io.Writer, r *Result) error { return WriteSARIF(w, r, "kernels.compat.json") },
	"junit.xml":    WriteJUnit,
	"gitlab.json":  func(w io.Writer, r *Result) error { return WriteGitLab(w, r, "kernels.compat.json") },
	"result.json":  func(w io.Writer, r *Result) error { return r.Encode(w) },
}

func render(t testing.TB, name string, r *Result) string {
	t.Helper()
	var b bytes.Buffer
	if err := formats[name](&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestFormats(t *testing.T) {
	r := renderResult(t)
	for name := range formats {
		golden.Check(t, name, render(t, name, r))
	}
}

func TestWarningsOfAGoodResult(t *testing.T) {
	r := Evaluate(Input{Reports: facts(reportOf("", []string{"a"}, map[string]on{"K": {}})), Today: today})
	if got := render(t, "warnings.txt", r); got != "" {
		t.Errorf("got %q", got)
	}
}

// attacks are names that mean something to a terminal, a runner or a format.
var attacks = []string{
	"k\n::error file=a.cpp,line=1::forged", "k\r::error::forged", "::error::forged", "a ::error::forged",
	"a ##[error]x", "##[set-output name=conclusion;]success", "##[stop-commands]t", "##vso[task.complete result=Succeeded]",
	"%0A::error::x", "%25", "100%s", "_GitHubActionsFileCommandDelimeter_\nconclusion=success",
	"x | y", "x \\| y", "x \\\\| y", "`", "``x` | <b>", "</details><img src=x onerror=alert(1)>", "[t](http://evil.example)", "@org/team", "#1", "a@b.example", "www.evil.example",
	"n\n| forged | row |", "\u202e\u200b\u0085\u2028", "\x1b[2J\x00", "</script><!-- ", "]]>", "\x01", "&amp;&#10;", "<!DOCTYPE x [<!ENTITY y SYSTEM 'file:///etc/passwd'>]>",
	"../../etc/passwd", "file:///etc/passwd", "C:\\x", "%2e%2e/x", "x.cpp:1:1: error: forged", "=cmd()", "", " ", "\"", "'", "{0}", "a\xffb",
}

// attack is a result in which all texts of the report and the policy are the name.
func attack(name string) *Result {
	r := reportOf(name, []string{name + "d"}, map[string]on{})
	reasons := []report.Reason{
		{Rule: "missing-aspect", Required: name, Available: name, Text: name, Verdict: compat.Incompatible},
		{Rule: "unsupported-sub-group-size", Required: name, Available: name, Text: name, Verdict: compat.Incompatible},
		{Rule: name, Required: name, Text: name, Verdict: compat.Incompatible},
		{Rule: "no-image", Required: name, Text: name, Verdict: compat.Undetermined},
	}
	for i, reason := range reasons {
		id := fmt.Sprint(name, i)
		r.Kernels = append(r.Kernels, report.Kernel{ID: id, Name: id, DisplayName: id, Location: srcloc.Location{Path: name, Line: 1},
			Origins: []srcloc.Origin{{Aspect: aspect.Named{Name: name}, Function: name, Location: srcloc.Location{Path: name, Line: 2}}}})
		r.Cells = append(r.Cells, report.Cell{Kernel: id, Device: name + "d", Verdict: reason.Verdict, Reasons: []report.Reason{reason}})
	}
	p := DefaultPolicy()
	p.File = name
	p.Required = []string{"*", name + "missing"}
	p.Allow = []Allow{{Rule: "missing-aspect", Kernels: []string{"*"}, Devices: []string{"nothing"}, Reason: name, Line: 1},
		{Rule: "unsupported-sub-group-size", Kernels: []string{"*"}, Reason: name, Owner: name, Issue: name, Line: 2}}
	p.Families = []Family{{Name: name, Kernels: []string{name + "none"}, Line: 3}}
	return Evaluate(Input{Reports: []*Facts{NewFacts(name, r)}, Policy: p, Today: today, Category: name})
}

// checkLines reports lines of a log that a runner would take for a command, and
// characters that are not what they seem.
func checkLines(t *testing.T, name, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(strings.TrimSpace(line), "::") || strings.Contains(line, "##[") {
			t.Errorf("%s: a command: %q", name, line)
		}
		for _, c := range line {
			// What our own renderings have beyond ASCII.
			if strings.ContainsRune("✅❌⚠\ufe0f", c) {
				continue
			}
			if c != ' ' && !unicode.IsPrint(c) {
				t.Errorf("%s: a character that does not show: %q", name, line)
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
	// The texts of JSON are escaped by encoding/json; what shows them escapes anew.
	for format := range formats {
		if format != "result.json" {
			checkLines(t, format, render(t, format, r))
		}
	}
	if text := render(t, "text.txt", r); strings.Count(text, "\n") != len(r.Findings)+len(r.Notices)+1 {
		t.Errorf("%d lines for %d findings and %d notices:\n%s", strings.Count(text, "\n"), len(r.Findings), len(r.Notices), text)
	}
	checkMarkdown(t, render(t, "summary.md", r), r)
	checkXML(t, render(t, "junit.xml", r))
	checkSARIF(t, render(t, "result.sarif", r))
	checkGitLab(t, render(t, "gitlab.json", r))
	for _, f := range r.Findings {
		if f.Path != "" && !safetext.IsPath(f.Path) {
			t.Errorf("the path %q", f.Path)
		}
	}
}

// checkMarkdown reports rows that are not those of the findings.
func checkMarkdown(t *testing.T, text string, r *Result) {
	t.Helper()
	rows := 0
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "|") {
			rows++
		}
	}
	shown := 0
	for _, f := range r.Findings {
		if f.Covered() || f.Fails || f.Severity >= Warning {
			shown++
		}
	}
	if heads := strings.Count(text, "\n| | Rule |"); rows != shown+2*heads {
		t.Errorf("%d rows for %d findings:\n%s", rows, shown, text)
	}
	// Outside of code spans there is nothing that others wrote.
	plain := regexp.MustCompile("(`+)[^`](.*?[^`])??(`+)").ReplaceAllString(text, "")
	for _, bad := range []string{"<img", "evil", "@org", "forged", "]("} {
		if strings.Contains(plain, bad) && !strings.Contains(text, "``") {
			t.Errorf("%q is outside of code:\n%s", bad, text)
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
			t.Errorf("the counts do not fit:\n%s", text)
		}
	}
}

// checkSARIF reports what of SARIF 2.1.0 a log does not keep to: members that are
// required, values of enumerations, indexes, URIs and messages.
func checkSARIF(t *testing.T, text string) {
	t.Helper()
	checkSARIFSchema(t, text)
	var log sarifLog
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&log); err != nil {
		t.Fatal(err)
	}
	if log.Version != "2.1.0" || len(log.Runs) != 1 || !strings.Contains(log.Schema, "sarif-2.1.0") {
		t.Errorf("the head is wrong: %q", log.Version)
	}
	run := log.Runs[0]
	if run.Tool.Driver.Name == "" || len(run.Invocations) != 1 {
		t.Error("no name, or no invocation")
	}
	for _, rule := range run.Tool.Driver.Rules {
		if rule.ID == "" || !regexp.MustCompile("^([A-Z][A-Za-z]+)?$").MatchString(rule.Name) || !strings.HasSuffix(rule.Short.Text, ".") || rule.Help.Text == "" || !strings.HasPrefix(rule.HelpURI, "https://") {
			t.Errorf("the rule %+v", rule)
		}
	}
	fingerprints := map[string]bool{}
	for _, r := range run.Results {
		if r.RuleIndex < 0 || r.RuleIndex >= len(run.Tool.Driver.Rules) || run.Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID {
			t.Errorf("the index of rule %s is %d", r.RuleID, r.RuleIndex)
		}
		if !slices.Contains([]string{"note", "warning", "error"}, r.Level) || r.Kind != "fail" {
			t.Errorf("level %q, kind %q", r.Level, r.Kind)
		}
		if !slices.Contains([]State{"", StateNew, StateUnchanged, StateUpdated}, r.State) {
			t.Errorf("state %q", r.State)
		}
		if regexp.MustCompile(`(^|[^\\])(\\\\)*[\[\]]`).MatchString(r.Message.Text) {
			t.Errorf("a message that may have a link: %s", r.Message.Text)
		}
		fp := r.Fingerprints["syclCompat/v1"]
		if fingerprints[fp] || fp == "" {
			t.Errorf("the fingerprint %q is empty or occurs twice", fp)
		}
		fingerprints[fp] = true
		for _, l := range r.Locations {
			if p := l.Physical; p != nil {
				u, err := url.Parse(p.Artifact.URI)
				if err != nil || u.IsAbs() || u.Host != "" || u.RawQuery != "" || u.Fragment != "" || !safetext.IsPath(u.Path) || p.Artifact.Base != sourceRoot {
					t.Errorf("the URI %q, %v", p.Artifact.URI, err)
				}
			}
		}
		for _, s := range r.Suppressions {
			if s.Kind != "external" || s.Status != "accepted" {
				t.Errorf("the suppression %+v", s)
			}
		}
	}
}

func checkGitLab(t *testing.T, text string) {
	t.Helper()
	var issues []map[string]any
	if err := json.Unmarshal([]byte(text), &issues); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, i := range issues {
		fp, _ := i["fingerprint"].(string)
		location, _ := i["location"].(map[string]any)
		path, _ := location["path"].(string)
		lines, _ := location["lines"].(map[string]any)
		begin, _ := lines["begin"].(float64)
		if fp == "" || seen[fp] || !safetext.IsPath(path) || begin < 1 || i["description"] == "" || i["check_name"] == "" {
			t.Errorf("the issue %v", i)
		}
		if !slices.Contains([]any{"info", "minor", "major", "critical", "blocker"}, i["severity"]) {
			t.Errorf("severity %v", i["severity"])
		}
		seen[fp] = true
	}
}

func TestFormatsAreWellFormed(t *testing.T) {
	r := renderResult(t)
	checkXML(t, render(t, "junit.xml", r))
	checkSARIF(t, render(t, "result.sarif", r))
	checkGitLab(t, render(t, "gitlab.json", r))
	checkMarkdown(t, render(t, "summary.md", r), r)
}

// All formats come to the same conclusion.
func TestFormatsAgree(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		p := policy(t, randomPolicies[random.IntN(len(randomPolicies))])
		r := Evaluate(Input{Reports: facts(randomReports(random)...), Policy: p, Today: today})
		failed := r.Conclusion == Failure
		for format, sign := range map[string]string{"text.txt": "compat: failed", "summary.md": "## ❌", "junit.xml": "<failure ", "result.json": `"conclusion": "failure"`, "result.sarif": `"fails": true`} {
			if got := strings.Contains(render(t, format, r), sign); got != failed {
				t.Fatalf("%s: failed is %v, not %v:\n%s", format, got, failed, render(t, format, r))
			}
		}
	}
}

func TestMarkdownIsShort(t *testing.T) {
	kernels := map[string]on{}
	for i := range 3000 {
		kernels[fmt.Sprintf("kernel%04d", i)] = on{"a": why(fp64)}
	}
	r := Evaluate(Input{Reports: facts(reportOf("//p:t", []string{"a"}, kernels)), Today: today})
	var b bytes.Buffer
	if err := WriteMarkdown(&b, r, MarkdownOptions{MaxBytes: 20_000}); err != nil {
		t.Fatal(err)
	}
	if b.Len() > 20_000 || !strings.Contains(b.String(), "more are left out here") {
		t.Errorf("%d bytes", b.Len())
	}
	if got := render(t, "text.txt", r); strings.Count(got, "\n") != 52 || !strings.Contains(got, "2950 more") {
		t.Errorf("got %d lines", strings.Count(got, "\n"))
	}
}

// TestSchema holds results against the published schema, and the schema against
// the types. The same for baselines.
func TestSchema(t *testing.T) {
	for name, test := range map[string]struct {
		schema []byte
		id     string
		text   string
	}{
		"result":   {schema.Result, ResultSchema, render(t, "result.json", renderResult(t))},
		"attack":   {schema.Result, ResultSchema, render(t, "result.json", attack("x | y"))},
		"baseline": {schema.Baseline, baselineFormat.schema, wholeBaseline(t)},
	} {
		var root map[string]any
		if err := json.Unmarshal(test.schema, &root); err != nil {
			t.Fatal(err)
		}
		if root["$id"] != test.id {
			t.Errorf("%s: the schema is %v", name, root["$id"])
		}
		if err := schematest.Validate(test.schema, []byte(test.text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if schematest.Validate(test.schema, []byte(strings.Replace(test.text, `"schema"`, `"scheme"`, 1))) == nil {
			t.Errorf("%s: the schema takes an unknown member", name)
		}
	}
	for name, data := range map[string][]byte{"result.json": schema.Result, "baseline.json": schema.Baseline} {
		golden, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if err := schematest.Validate(data, golden); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := schematest.ValidateYAML(schema.Policy, []byte(wholePolicy)); err != nil {
		t.Error(err)
	}
	if schematest.ValidateYAML(schema.Policy, []byte("version: 1\nfail_on: new\n")) == nil {
		t.Error("the schema of policies takes an unknown key")
	}
	var result, baseline map[string]any
	json.Unmarshal(schema.Result, &result)
	json.Unmarshal(schema.Baseline, &baseline)
	at := func(v any, path ...string) map[string]any {
		for _, p := range path {
			v = v.(map[string]any)[p]
		}
		return v.(map[string]any)
	}
	for _, pair := range []struct {
		typ        any
		properties map[string]any
	}{
		{Result{}, at(result, "properties")}, {Counts{}, at(result, "properties", "counts", "properties")}, {Finding{}, at(result, "$defs", "finding", "properties")},
		{DeviceFinding{}, at(result, "$defs", "finding", "properties", "devices", "items", "properties")}, {SuppressionNote{}, at(result, "$defs", "finding", "properties", "suppression", "properties")},
		{Notice{}, at(result, "$defs", "notice", "properties")}, {PolicySummary{}, at(result, "properties", "policy", "properties")},
		{TargetSummary{}, at(result, "properties", "targets", "items", "properties")}, {DeviceTier{}, at(result, "properties", "devices", "items", "properties")},
		{Entry{}, at(baseline, "properties", "findings", "items", "properties")}, {BaselineDevice{}, at(baseline, "properties", "devices", "items", "properties")},
		{BaselineTarget{}, at(baseline, "properties", "targets", "items", "properties")},
	} {
		typ := reflect.TypeOf(pair.typ)
		for i := range typ.NumField() {
			if tag, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ","); tag != "" && pair.properties[tag] == nil {
				t.Errorf("%s has no %s in the schema", typ.Name(), tag)
			} else {
				delete(pair.properties, tag)
			}
		}
		for tag := range pair.properties {
			t.Errorf("%s has %s in the schema only", typ.Name(), tag)
		}
	}
	// The schema of policies names the rules and the keys.
	var p map[string]any
	json.Unmarshal(schema.Policy, &p)
	var ids []string
	for _, v := range at(p, "properties", "allow", "items", "properties", "rule")["enum"].([]any) {
		ids = append(ids, v.(string))
	}
	if !slices.Equal(ids, findingRules()) {
		t.Errorf("the rules of the schema are %q", ids)
	}
	for key := range at(p, "properties") {
		if !strings.Contains("\n"+wholePolicy, "\n"+key+":") {
			t.Errorf("the schema has %s, the policy of the tests has not", key)
		}
	}
	for _, key := range []string{"devices", "limits"} {
		for k := range at(p, "properties", key, "properties") {
			if !strings.Contains(wholePolicy, k+":") {
				t.Errorf("the schema has %s, the policy of the tests has not", k)
			}
		}
	}
}

// htmlOf renders Markdown in the dialect of GitHub.
func htmlOf(t *testing.T, text string) string {
	path, err := exec.LookPath("cmark-gfm")
	if err != nil {
		t.Skip("there is no cmark-gfm to render Markdown with")
	}
	cmd := exec.CommandContext(t.Context(), path, "-e", "table", "-e", "autolink", "-e", "strikethrough", "-e", "tagfilter", "--unsafe")
	cmd.Stdin = strings.NewReader(text)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// Whatever a name is, it ends up in one code element of one cell.
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
		fmt.Fprintf(&doc, "| %s | end |\n", report.InTable(codeSpan(n)))
	}
	html := htmlOf(t, doc.String())
	rows := regexp.MustCompile(`(?s)<tr>\n<td><code>([^<]*)</code></td>\n<td>end</td>\n</tr>`).FindAllString(html, -1)
	if len(rows) != len(names) {
		t.Errorf("%d of %d names stay in their cells", len(rows), len(names))
		for i, row := range strings.Split(html, "<tr>\n")[2:] {
			if i < len(names) && !regexp.MustCompile(`(?s)^<td><code>([^<]*)</code></td>\n<td>end</td>\n</tr>`).MatchString(row) {
				t.Fatalf("%q as %s: %s", names[i], report.InTable(codeSpan(names[i])), row)
			}
		}
	}
}

func FuzzAttack(f *testing.F) {
	for _, a := range attacks {
		f.Add(a)
	}
	f.Fuzz(func(t *testing.T, name string) { checkAttack(t, name) })
}
