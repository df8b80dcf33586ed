package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/gate"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// The test binary also acts as the program: the fake runner starts it as a process.
func TestMain(m *testing.M) {
	if os.Getenv("ACTION_IS_PROGRAM") == "1" {
		main()
	}
	os.Exit(m.Run())
}

// A checkout is the directory of a job.
type checkout struct {
	*testing.T
	dir string
	env map[string]string
}

func newCheckout(t *testing.T) *checkout {
	t.Helper()
	return &checkout{t, t.TempDir(), map[string]string{"GITHUB_REPOSITORY": "o/r", "PATH": os.Getenv("PATH")}}
}

func (w *checkout) write(name, text string) {
	w.Helper()
	testkit.WriteFile(w, filepath.Join(w.dir, name), text)
}

func (w *checkout) read(name string) string {
	w.Helper()
	return testkit.ReadFile(w, filepath.Join(w.dir, name))
}

// event sets the event that started the workflow.
func (w *checkout) event(name, text string) {
	w.Helper()
	path := testkit.WriteFile(w, filepath.Join(w.TempDir(), "event.json"), text)
	w.env["GITHUB_EVENT_NAME"], w.env["GITHUB_EVENT_PATH"] = name, path
}

// fixture sets the event to a file in testdata.
func (w *checkout) fixture(name string) {
	w.Helper()
	path, err := filepath.Abs(filepath.Join("testdata", "events", name+".json"))
	testkit.NoError(w, err)
	kind, _, _ := strings.Cut(name, "-")
	w.env["GITHUB_EVENT_NAME"], w.env["GITHUB_EVENT_PATH"] = kind, path
}

func (w *checkout) step(inputs ...string) fakeStep {
	w.Helper()
	program, err := os.Executable()
	testkit.NoError(w, err)
	env := map[string]string{"ACTION_IS_PROGRAM": "1", "GITHUB_WORKSPACE": w.dir}
	maps.Copy(env, w.env)
	for i := 0; i < len(inputs); i += 2 {
		in := input{name: inputs[i]}
		env[in.variable()] = inputs[i+1]
	}
	return fakeStep{Program: program, Dir: w.dir, Env: env, Matchers: problemMatchers}
}

// run runs the action with inputs, given as name-value pairs.
func (w *checkout) run(inputs ...string) *seenStep {
	w.Helper()
	return runStep(w, w.step(inputs...))
}

// checkRun runs the action, and checks its exit code, its conclusion and that its output contains a
// text.
func (w *checkout) checkRun(code int, conclusion, text string, inputs ...string) *seenStep {
	w.Helper()
	s := w.run(inputs...)
	want(w.T, s, code, conclusion)
	wantText(w.T, "what is seen", s.Stdout, text)
	return s
}

// A kernel is a kernel of a report, and the devices that it does not run on for lack of fp64.
type kernel struct {
	name  string
	lacks []string
}

func encode(t testing.TB, label string, devices []string, kernels ...kernel) string {
	t.Helper()
	r := &report.Report{Schema: report.Schema, Targets: []string{label}, Outcomes: []report.Outcome{
		{Code: report.IR, Scope: report.ScopeKernel, Status: compat.Compatible},
		{Code: report.IR, Scope: report.ScopeKernel, Status: compat.Incompatible, Reasons: []report.Reason{{Rule: "missing-aspect", Required: "fp64", Status: compat.Incompatible, Text: "Required aspect fp64 is not supported on the device"}}},
	}}
	r.Generator = report.Generator{Name: "compat", Version: "1"}
	for _, d := range devices {
		known, ok := deviceconfig.Default().Lookup(d)
		if !ok {
			known = &deviceconfig.Device{Name: d}
		}
		r.Devices = append(r.Devices, report.DescribeDevice(known))
	}
	for i, k := range kernels {
		r.Kernels = append(r.Kernels, report.Kernel{Name: fmt.Sprintf("_ZTS%d%s", len(k.name), k.name), DisplayName: k.name, Images: []int32{}, Row: int32(i),
			Location: srcloc.Location{Path: "src/k.cpp", Line: 7, Column: 19}})
		row := []int32{}
		for _, d := range devices {
			if slices.Contains(k.lacks, d) {
				row = append(row, 1)
				r.Statistics.Incompatible++
			} else {
				row = append(row, 0)
				r.Statistics.Compatible++
			}
		}
		r.Rows = append(r.Rows, row)
	}
	return testkit.Written(t, r.Encode)
}

const (
	deviceA = "intel_gpu_dg2"
	deviceB = "intel_gpu_pvc"
)

var both = []string{deviceA, deviceB}

// reports writes a report with one problem.
func (w *checkout) reports() {
	w.Helper()
	w.write("src/k.cpp", strings.Repeat("// \n", 20))
	w.write("out/k.compat.json", encode(w, "//demo:kernels", both, kernel{"Axpy<double>", []string{deviceA}}, kernel{"Add", nil}))
}

const pattern = "out/*.compat.json"

func want(t *testing.T, s *seenStep, code int, conclusion string) {
	t.Helper()
	if s.ExitCode != code || s.Outputs["conclusion"] != conclusion || s.Outputs["exit-code"] != fmt.Sprint(code) {
		t.Errorf("exit code %d, outputs %v, want %d, %s\n%s%s", s.ExitCode, s.Outputs, code, conclusion, s.Stdout, s.Stderr)
	}
	if len(s.Faults) > 0 {
		t.Errorf("runner errors: %q", s.Faults)
	}
	if s.Stderr != "" {
		t.Errorf("standard error: %s", s.Stderr)
	}
}

func wantText(t *testing.T, where, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("%s does not contain %q:\n%s", where, p, text)
		}
	}
}

func TestFailure(t *testing.T) {
	w := newCheckout(t)
	w.reports()
	s := w.run("reports", pattern, "json-file", "new/result.json", "sarif-file", "r.sarif", "junit-file", "r.xml", "gitlab-file", "r.gitlab.json",
		"html-file", "r.html", "markdown-file", "r.md", "proposed-baseline-file", "b.json", "category", "linux", "artifact-url", "https://ci.example/files/7")
	want(t, s, 1, "failure")
	digest := s.Outputs["report-digest"]
	if !regexp.MustCompile(`^sha256:[0-9a-f]{64}$`).MatchString(digest) {
		t.Errorf("digest %q", digest)
	}
	delete(s.Outputs, "report-digest")
	got, err := json.MarshalIndent(s.Outputs, "", "  ")
	testkit.NoError(t, err)
	testkit.Golden(t, "outputs.json", string(got)+"\n")
	testkit.Golden(t, "log.txt", s.log()+"\n")
	testkit.Golden(t, "summary.md", withoutDays(s.Summary))
	if len(s.Annotations) != 1 || s.Annotations[0] != (seenAnnotation{Level: "error", File: "src/k.cpp", Line: "7", Column: "19", Title: "missing-aspect",
		Message: "kernel 'Axpy<double>' does not run on intel_gpu_dg2: it requires aspect fp64. " +
			"Next: use a different type or function, or submit a different kernel if 'device::has(aspect::fp64)' is false ('compat explain missing-aspect')"}) {
		t.Errorf("annotations %+v", s.Annotations)
	}
	// All files contain the same result.
	wantText(t, "JSON", w.read("new/result.json"), `"conclusion": "failure"`, `"category": "linux"`)
	wantText(t, "SARIF", w.read("r.sarif"), `"id": "linux/"`, `"level": "error"`, `"src/k.cpp"`)
	wantText(t, "JUnit", w.read("r.xml"), "<failure")
	wantText(t, "Code Quality", w.read("r.gitlab.json"), `"src/k.cpp"`, "missing-aspect")
	wantText(t, "the page", w.read("r.html"), "<!DOCTYPE html>", "Axpy&lt;double&gt;")
	wantText(t, "Markdown", w.read("r.md"), "❌", "Axpy<double>")
	b, err := gate.ReadBaseline("b.json", strings.NewReader(w.read("b.json")))
	if err != nil || len(b.Findings) != 1 {
		t.Errorf("baseline %+v, %v", b, err)
	}
	// With this baseline, no problem is new.
	s = w.checkRun(0, "success", "", "reports", pattern, "baseline-file", "b.json")
	if s.Outputs["baselined"] != "1" || s.Outputs["report-digest"] != digest || len(s.Annotations) != 0 {
		t.Errorf("outputs %v, annotations %v", s.Outputs, s.Annotations)
	}
}

func TestPolicies(t *testing.T) {
	for _, test := range []struct {
		name       string
		files      map[string]string
		inputs     []string
		code       int
		conclusion string
		text       string // expected in an annotation or the log
	}{
		{"no policy", nil, nil, 1, "failure", "1 failing problem"},
		{"a policy at the default path", map[string]string{".github/sycl-compat.yml": "version: 1\ndevices: {required: [" + deviceB + "]}\n"}, nil, 0, "success", "1 note"},
		{"a policy at the path in an input", map[string]string{"p.yml": "version: 1\ndevices: {supported: ['*']}\n"}, []string{"policy-file", "p.yml"}, 0, "success", "1 warning"},
		{"inputs that override the policy", map[string]string{"p.yml": "version: 1\ndevices: {supported: ['*']}\nfail-on-severity: error\n"}, []string{"policy-file", "p.yml", "fail-on-severity", "warning"}, 1, "failure", ""},
		{"a dry run by an input", nil, []string{"fail-on", "none"}, 0, "neutral", ""},
		{"a dry run by the policy", map[string]string{".github/sycl-compat.yml": "version: 1\ndevices: {required: ['*']}\nfail-on: none\n"}, nil, 0, "neutral", ""},
		{"a removed device", map[string]string{"p.yml": "version: 1\ndevices: {required: [intel_gpu_nvl]}\n"}, []string{"policy-file", "p.yml"}, 1, "failure", "coverage-lost"},
		{"base reports", map[string]string{"base/k.json": encode(t, "//demo:kernels", both, kernel{"Axpy<double>", []string{deviceA}}, kernel{"Add", nil})}, []string{"base-reports", "base/*"}, 0, "success", "1 known"},
		{"base reports, and any problem fails", map[string]string{"base/k.json": encode(t, "//demo:kernels", both, kernel{"Axpy<double>", []string{deviceA}}, kernel{"Add", nil})}, []string{"base-reports", "base/*", "fail-on", "any"}, 1, "failure", ""},
		{"a report that is also a base report", map[string]string{
			"base/k.json": encode(t, "//demo:kernels", both, kernel{"Axpy<double>", []string{deviceA}}, kernel{"Add", nil}),
			"base/l.json": encode(t, "//demo:lost", both, kernel{"Lost", nil})}, []string{"base-reports", "base/*"}, 1, "failure", "coverage-lost"},
		{"an expired exception", map[string]string{"p.yml": "version: 1\ndevices: {required: ['*']}\nallow:\n- {rule: missing-aspect, kernels: ['Axpy*'], reason: r, expires: 2020-01-01}\n"}, []string{"policy-file", "p.yml"}, 1, "failure", "suppression-expired"},
		{"an exception without a match", map[string]string{"p.yml": "version: 1\ndevices: {supported: ['*']}\nallow:\n- {rule: missing-aspect, kernels: ['Gone*'], reason: r, expires: 2999-01-01}\nlimits: {allow-without-end: true}\n"}, []string{"policy-file", "p.yml", "fail-on-stale", "true"}, 1, "failure", "suppression-stale"},
		{"an invalid policy", map[string]string{"p.yml": "version: 1\nfail_on: new\n"}, []string{"policy-file", "p.yml"}, 2, "error", `p.yml:2: unknown key "fail_on"`},
		{"a missing policy", nil, []string{"policy-file", "gone.yml"}, 2, "error", "gone.yml"},
		{"a missing baseline", nil, []string{"baseline-file", "gone.json"}, 3, "error", "input baseline-file: gone.json does not exist; set proposed-baseline-file, or run this command locally and commit the file: compat baseline update --baseline gone.json out/k.compat.json"},
		{"an invalid baseline", map[string]string{"b.json": "x"}, []string{"baseline-file", "b.json"}, 2, "error", "b.json"},
		{"no base reports", nil, []string{"base-reports", "gone/*"}, 3, "error", "input base-reports: no file matches gone/*"},
		{"an invalid value", nil, []string{"fail-on", "all"}, 2, "error", `input fail-on: unknown value "all"; expected one of new, any, none`},
		{"an invalid boolean", nil, []string{"annotations", "yes"}, 2, "error", `input annotations: unknown value "yes"; expected one of true, false`},
		{"an invalid number", nil, []string{"max-annotations", "11"}, 2, "error", `input max-annotations: expected a number from 0 to 10, got "11"`},
		{"an invalid address", nil, []string{"artifact-url", "javascript:alert(1)"}, 2, "error", "input artifact-url"},
		{"a word instead of an address", nil, []string{"artifact-url", "foo"}, 2, "error", `input artifact-url: expected a URL such as https://example.com/files, got "foo"`},
		{"two paths for one file", nil, []string{"json-file", "a.json\nb.json\n"}, 2, "error", "input json-file: expected one line, got 2; remove the line break"},
		{"two numbers", nil, []string{"pull-request", "1\r\n2"}, 2, "error", "input pull-request: expected one line, got 2"},
		{"an invisible character in a path", nil, []string{"sarif-file", "a\u200bb.sarif"}, 2, "error", `input sarif-file: the path "a\u200bb.sarif" contains invisible characters; use a different path`},
		{"a directory outside of the workspace", nil, []string{"working-directory", "../x"}, 2, "error", "leads out of the workspace"},
		{"a missing directory", nil, []string{"working-directory", "gone"}, 2, "error", "input working-directory"},
		{"one path for two files", nil, []string{"json-file", "new/x", "sarif-file", "new/./x", "fail-on", "none"}, 2, "error", "new/x is used for two outputs"},
		{"an unwritable file", map[string]string{"file": ""}, []string{"json-file", "file/x.json", "fail-on", "none"}, 4, "error", "file/x.json"},
		{"an unwritable file and a problem", map[string]string{"file": ""}, []string{"json-file", "file/x.json"}, 1, "failure", "file/x.json"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newCheckout(t)
			w.reports()
			for name, text := range test.files {
				w.write(name, text)
			}
			w.checkRun(test.code, test.conclusion, test.text, append([]string{"reports", pattern}, test.inputs...)...)
		})
	}
}

// attacks are kernel names with a special meaning to GitHub.
var attacks = []string{
	"k\n::error file=a.cpp,line=1::forged", "k\r::error file=a.cpp,line=1::forged", "::error::forged", // S-1
	"a ##[error]x", "##[set-output name=conclusion;]success", "##[add-mask]e", "##[stop-commands]t", "#\u00ad#[error]x", // S-2
	"%0A::error::x", "%25", "100%s %[1]d %!s(MISSING)", // S-3
	"x\n_GitHubActionsFileCommandDelimeter_\nconclusion=success", // S-4
	"x | y", "`", "``x` | <b>", "</details>", "<img src=x onerror=alert(1)>", "[t](http://evil.example)", "@org/team", "#1", "a@b.example", "n\n| forged | row |", "<!-- rules_sycl", // S-5
	"\u202e\u200b\u0085\u2028", "\x1b[2J\x00", // S-6
	"x.cpp:1:1: error: forged", "x.cpp:1: error: forged", "a(1,2): error TS1: forged", "error: forged", // S-23
}

// TestAttacks checks that no text in a report acts as a command, markup or a compiler message, and
// that the result remains the same.
func TestAttacks(t *testing.T) {
	for _, attack := range attacks {
		t.Run(fmt.Sprintf("%q", attack), func(t *testing.T) {
			w := newCheckout(t)
			w.write("src/k.cpp", "")
			w.write("out/k.compat.json", encode(t, attack, both, kernel{attack, both}))
			s := w.checkRun(1, "failure", "", "reports", pattern, "markdown-file", "r.md", "html-file", "r.html", "sarif-file", "r.sarif", "category", strings.ReplaceAll(attack, "\x00", ""))
			if len(s.Annotations) != 1 || s.Annotations[0].Matched || len(s.Masks) != 0 {
				t.Errorf("annotations %+v, masks %q", s.Annotations, s.Masks)
			}
			for _, c := range s.Commands {
				if c.Name != "error" && c.Name != "stop-commands" && !strings.HasPrefix(c.Name, "sycl-") {
					t.Errorf("command %+v", c)
				}
			}
			for name, text := range map[string]string{"the log": s.log(), "the summary": s.Summary, "Markdown": w.read("r.md"), "the annotation": s.Annotations[0].Message} {
				for _, r := range text {
					if r != '\n' && safetext.Escape(string(r)) != string(r) && r != '\ufe0f' {
						t.Errorf("%s contains %U", name, r)
					}
				}
			}
			checkMarkdown(t, s.Summary, attack)
		})
	}
}

// checkMarkdown checks a summary according to GitHub's dialect of Markdown: names must be in code
// spans, and must not have created elements.
func checkMarkdown(t *testing.T, text, attack string) {
	t.Helper()
	program, err := exec.LookPath("cmark-gfm")
	if err != nil {
		if os.Getenv("TEST_SRCDIR") != "" {
			t.Fatal("cmark-gfm not found")
		}
		t.Log("cmark-gfm is missing: the summary is not read")
		return
	}
	cmd := exec.Command(program, "--unsafe", "-e", "table", "-e", "autolink", "-e", "strikethrough", "-e", "tagfilter", "--to", "html")
	cmd.Stdin = strings.NewReader(text)
	out, err := cmd.Output()
	testkit.NoError(t, err)
	page := regexp.MustCompile(`(?s)<code( class="language-yaml")?>.*?</code>`).ReplaceAllString(string(out), "")
	page = regexp.MustCompile(`<a href="https://github.com/rules-sycl/rules_sycl/blob/main/docs/reference/gate-rules.md#[a-z-]+">`).ReplaceAllString(page, "") // for rules
	for _, tag := range []string{"<a", "<img", "<b>", "<!--", "<script", "<del", "forged", "evil", "@org", "a@b"} {
		if strings.Contains(page, tag) {
			t.Errorf("%q produces %s:\n%s", attack, tag, out)
		}
	}
	if opened, closed := strings.Count(page, "<details"), strings.Count(page, "</details>"); opened != closed {
		t.Errorf("%q: %d elements opened, %d closed", attack, opened, closed)
	}
}

func FuzzKernelName(f *testing.F) {
	for _, a := range attacks {
		f.Add(a)
	}
	program, err := exec.LookPath("cmark-gfm")
	if err == nil {
		f.Logf("with %s", program)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if len(name) > 300 || name == "" || strings.ToValidUTF8(name, "") != name {
			return
		}
		r, err := report.Decode("k.json", strings.NewReader(encode(t, "//demo:k", both, kernel{name, both})))
		if err != nil {
			return
		}
		a := &check{settings: &settings{category: name}, job: &job{event: &event{}}, result: gate.Evaluate(gate.Input{Reports: []*gate.Index{gate.NewIndex("k.json", r)}})}
		text, err := a.markdown(100_000)
		testkit.NoError(t, err)
		if n := strings.Count(text, "\n"); n != strings.Count(mustMarkdown(t, "K"), "\n") {
			t.Errorf("%q produces %d lines:\n%s", name, n, text)
		}
		if !strings.Contains(name, "forged") && !strings.Contains(name, "evil") {
			checkMarkdown(t, text, name)
		}
	})
}

func mustMarkdown(t *testing.T, name string) string {
	r, err := report.Decode("k.json", strings.NewReader(encode(t, "//demo:k", both, kernel{name, both})))
	testkit.NoError(t, err)
	a := &check{settings: &settings{category: name}, job: &job{event: &event{}}, result: gate.Evaluate(gate.Input{Reports: []*gate.Index{gate.NewIndex("k.json", r)}})}
	text, err := a.markdown(100_000)
	testkit.NoError(t, err)
	return text
}

// TestFiles checks that reports must be regular files at the named paths (S-14, S-15).
func TestFiles(t *testing.T) {
	secret := "TOP-SECRET-CONTENT"
	for _, test := range []struct {
		name    string
		prepare func(w *checkout)
		reports string
		code    int
		text    string
	}{
		{"none", func(w *checkout) {}, "none/*.json", 3, "no file matches none/*.json"},
		{"excluded", func(w *checkout) {}, pattern + ",!out/k*", 3, "no file matches"},
		{"only excluding patterns", func(w *checkout) {}, "!out/k*", 2, "exclude files"},
		{"only excluding patterns, one per line", func(w *checkout) {}, "a/*\n\n b/* \n", 3, "no file matches a/*, b/*"},
		{"an empty pattern", func(w *checkout) {}, " ,\n", 2, "input reports or binaries is required"},
		{"a path upward", func(w *checkout) {}, "out/../../**", 2, "leads out of the directory"},
		{"an absolute path", func(w *checkout) {}, "/etc/passwd", 2, "not relative"},
		{"a path that begins with a dash", func(w *checkout) {}, "-rf", 2, "starts with a dash"},
		{"stars", func(w *checkout) {}, strings.Repeat("**/", 2000) + "k.compat.json", 2, "longer than"},
		{"a link out of the workspace", func(w *checkout) {
			outside := filepath.Join(w.TempDir(), "x.compat.json")
			testkit.WriteFile(w, outside, secret)
			w.link(outside, "out/l.compat.json")
		}, pattern, 3, "leads out of the workspace"},
		{"a link to the environment", func(w *checkout) { w.link("/proc/self/environ", "out/l.compat.json") }, pattern, 3, "out/l.compat.json"},
		{"a link to itself", func(w *checkout) { w.link("l.compat.json", "out/l.compat.json") }, pattern, 3, "out/l.compat.json"},
		{"a pipe", func(w *checkout) {
			testkit.Pipe(w, filepath.Join(w.dir, "out/l.compat.json"))
		}, pattern, 3, "not a regular file"},
		{"not a report", func(w *checkout) { w.write("out/l.compat.json", "PASSWORD="+secret) }, pattern, 3, "out/l.compat.json"},
		{"a link to its parent directory", func(w *checkout) { w.link(".", "out/loop") }, "**/*.compat.json", 1, "1 failing problem"},
		{"a file that two patterns match", func(w *checkout) { w.link("k.compat.json", "out/l.compat.json") }, pattern, 1, "2 kernels on 2 devices: 1 failing problem"},
		{"a Bazel output", func(w *checkout) {
			real := filepath.Join(w.TempDir(), "execroot/_main/bazel-out/k8/bin")
			testkit.NoError(w, os.MkdirAll(real, 0o755))
			testkit.NoError(w, os.Rename(filepath.Join(w.dir, "out/k.compat.json"), filepath.Join(real, "k.compat.json")))
			w.link(real, "bazel-bin")
		}, "bazel-bin/**/*.compat.json", 1, "1 failing problem"},
		{"a link named like a Bazel output", func(w *checkout) {
			outside := w.TempDir()
			testkit.WriteFile(w, filepath.Join(outside, "x.compat.json"), secret)
			w.link(outside, "bazel-bin")
		}, "bazel-bin/*.compat.json", 3, "leads out of the workspace"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newCheckout(t)
			w.reports()
			test.prepare(w)
			s := w.run("reports", test.reports)
			conclusion := "error"
			if test.code == 1 {
				conclusion = "failure"
			}
			want(t, s, test.code, conclusion)
			wantText(t, "what is seen", s.Stdout, test.text)
			if strings.Contains(s.Stdout+s.Summary, secret) || strings.Contains(s.Stdout, "ACTION_IS_PROGRAM") {
				t.Errorf("content of an input file printed: %s", s.Stdout)
			}
		})
	}
}

func (w *checkout) link(to, name string) {
	w.Helper()
	testkit.Link(w, to, filepath.Join(w.dir, name))
}

// TestEmpty checks that a gate without inputs fails unless the policy allows it, in which case
// missing required devices still fail (S-18).
func TestEmpty(t *testing.T) {
	for _, test := range []struct {
		name, policy string
		inputs       []string
		code         int
		conclusion   string
	}{
		{"no policy", "", nil, 3, "error"},
		{"an input", "", []string{"fail-on-empty", "false"}, 0, "neutral"},
		{"a policy", "version: 1\nfail-on-empty: false\n", nil, 0, "neutral"},
		{"an input that overrides the policy", "version: 1\nfail-on-empty: false\n", []string{"fail-on-empty", "true"}, 3, "error"},
		{"a policy that requires a device", "version: 1\nfail-on-empty: false\ndevices: {required: [" + deviceA + "]}\n", nil, 1, "failure"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newCheckout(t)
			if test.policy != "" {
				w.write(".github/sycl-compat.yml", test.policy)
			}
			w.checkRun(test.code, test.conclusion, "", append([]string{"reports", "*.json"}, test.inputs...)...)
		})
	}
	t.Run("a report without a status", func(t *testing.T) {
		w := newCheckout(t)
		w.write("out/k.compat.json", encode(t, "//demo:k", nil))
		s := w.run("reports", pattern)
		if s.ExitCode == 0 {
			t.Errorf("the check passes: %s", s.Stdout)
		}
	})
}

func TestWorkingDirectory(t *testing.T) {
	w := newCheckout(t)
	w.write("sub/src/k.cpp", strings.Repeat("x\n", 20))
	w.write("sub/out/k.compat.json", encode(t, "//demo:kernels", both, kernel{"Axpy", []string{deviceA}}))
	w.write("sub/.github/sycl-compat.yml", "version: 1\ndevices: {required: ['*']}\nallow:\n- {rule: no-image, kernels: [Gone], reason: r, expires: 2999-01-01}\nlimits: {allow-without-end: true}\n")
	s := w.checkRun(1, "failure", "", "reports", pattern, "working-directory", "sub", "sarif-file", "new/r.sarif")
	if len(s.Annotations) != 2 || s.Annotations[0].File != "sub/src/k.cpp" || s.Annotations[1].File != "sub/.github/sycl-compat.yml" || s.Annotations[1].Line != "4" {
		t.Errorf("annotations %+v", s.Annotations)
	}
	if s.Outputs["sarif-file"] != "sub/new/r.sarif" {
		t.Errorf("outputs %v", s.Outputs)
	}
	wantText(t, "SARIF", w.read("sub/new/r.sarif"), `"uri": "sub/src/k.cpp"`, "primaryLocationLineHash")
}

// TestNoWorkspace checks the error for a directory of the runner that does not exist.
func TestNoWorkspace(t *testing.T) {
	w := newCheckout(t)
	w.env["GITHUB_WORKSPACE"] = filepath.Join(w.dir, "gone")
	w.checkRun(2, "error", "GITHUB_WORKSPACE: cannot use "+strconv.Quote(w.env["GITHUB_WORKSPACE"])+": no such file or directory; set it to the directory of the checkout", "reports", pattern)
}

// onLines puts each kernel of a report on its own line, beginning with the first one.
func onLines(text string, first int) string {
	for at := regexp.MustCompile(`"line": ?7\b`); at.MatchString(text); first++ {
		text = strings.Replace(text, at.FindString(text), fmt.Sprintf(`"line":%d`, first), 1)
	}
	return text
}

// TestManyProblems checks that the most severe problems are shown, and that the others are counted.
func TestManyProblems(t *testing.T) {
	w := newCheckout(t)
	var kernels []kernel
	for i := range 40 {
		kernels = append(kernels, kernel{fmt.Sprintf("K%02d", i), []string{deviceA}}, kernel{fmt.Sprintf("L%02d", i), []string{deviceB}})
	}
	slices.SortFunc(kernels, func(a, b kernel) int { return strings.Compare(a.name, b.name) })
	w.write("src/k.cpp", strings.Repeat("// \n", 200))
	w.write("out/k.compat.json", onLines(encode(t, "//demo:kernels", both, kernels...), 100))
	w.write(".github/sycl-compat.yml", "version: 1\ndevices: {required: ["+deviceB+"], supported: ["+deviceA+"]}\n")
	for most, left := range map[string]int{"": 60, "10": 60, "3": 74, "0": 80} {
		s := w.checkRun(1, "failure", "", "reports", pattern, "max-annotations", most)
		if s.Dropped != 0 || len(s.Annotations) != 80-left {
			t.Errorf("%q: %d annotations, %d dropped", most, len(s.Annotations), s.Dropped)
		}
		wantText(t, "the log", s.log(), fmt.Sprintf("%d more problems have no annotation", left))
		if len(s.Annotations) > 0 && (s.Annotations[0].Level != "error" || !strings.Contains(s.Annotations[0].Message, deviceB)) {
			t.Errorf("first annotation %+v", s.Annotations[0])
		}
	}
	if s := w.run("reports", pattern, "annotations", "false"); len(s.Annotations) != 0 || s.ExitCode != 1 {
		t.Errorf("%d annotations", len(s.Annotations))
	}
}

func TestSummaries(t *testing.T) {
	w := newCheckout(t)
	w.reports()
	for _, test := range []struct {
		name, summary string
		before        int
		has, hasNot   string
	}{
		{"enough space for the table", "", 0, "| Kernel |", "only numbers"},
		{"problems", "problems", 0, "missing-aspect", "| Kernel |"},
		{"after another step's summary", "full", 1<<20 - 20_000, "| Kernel |", ""},
		{"little space left", "full", 1<<20 - 1024 - 1400, "The summary has no space for details", "| Rule"},
		{"slightly more space left", "full", 1<<20 - 1024 - 3000, "missing-aspect", "no space"},
		{"no space left", "full", 1<<20 - 100, "", "SYCL"},
		{"none", "none", 0, "", "SYCL"},
	} {
		t.Run(test.name, func(t *testing.T) {
			step := w.step("reports", pattern, "summary", test.summary)
			step.Summary = strings.Repeat("-", test.before)
			s := runStep(t, step)
			want(t, s, 1, "failure")
			text := strings.TrimLeft(s.Summary, "-")
			wantText(t, "the summary", text, test.has)
			if test.hasNot != "" && strings.Contains(text, test.hasNot) {
				t.Errorf("the summary contains %q:\n%s", test.hasNot, text)
			}
			if said := strings.Contains(s.Stdout, "the summary"); said != (test.before > 1<<20-1024-2500) {
				t.Errorf("the log mentions the summary: %v\n%s", said, s.Stdout)
			}
		})
	}
}

// TestNoFiles checks that files that the runner does not provide cause an error (S-27).
func TestNoFiles(t *testing.T) {
	w := newCheckout(t)
	w.write("out/k.compat.json", encode(t, "//demo:kernels", both, kernel{"Add", nil}))
	step := w.step("reports", pattern)
	step.Without = []string{"GITHUB_OUTPUT"}
	if s := runStep(t, step); s.ExitCode != 4 || !strings.Contains(s.Stdout, "GITHUB_OUTPUT is not set") {
		t.Errorf("exit code %d: %s", s.ExitCode, s.Stdout)
	}
	step.Without = []string{"GITHUB_STEP_SUMMARY"}
	s := runStep(t, step)
	want(t, s, 0, "success")
	wantText(t, "what is seen", s.Stdout, "GITHUB_STEP_SUMMARY is not set")
	step.Env["INPUT_STRICT_DELIVERY"] = "true"
	want(t, runStep(t, step), 4, "error")
	step.Without = nil
	step.Env["GITHUB_EVENT_PATH"] = w.dir
	want(t, runStep(t, step), 4, "error")
}

// TestReadOnly checks that a file remains unchanged if it cannot be rewritten (S-27).
func TestReadOnly(t *testing.T) {
	if os.Getuid() == 0 {
		t.Log("root can write everywhere: a directory instead of the file simulates a full disk")
	}
	w := newCheckout(t)
	w.reports()
	testkit.NoError(t, os.Mkdir(filepath.Join(w.dir, "r.sarif"), 0o755))
	w.checkRun(4, "error", "", "reports", pattern, "sarif-file", "r.sarif", "fail-on", "none")
	entries, err := os.ReadDir(w.dir)
	testkit.NoError(t, err)
	for _, e := range entries {
		if strings.Contains(e.Name(), "tmp") {
			t.Errorf("%s was not removed", e.Name())
		}
	}
	// A link must not cause writes outside of the workspace.
	outside := t.TempDir()
	w.link(outside, "elsewhere")
	w.checkRun(4, "error", "", "reports", pattern, "json-file", "elsewhere/r.json", "fail-on", "none")
	for _, link := range [][2]string{{"new.json", filepath.Join(outside, "new.json")}, {"second.json", "new.json"}, {"up.json", "../up.json"}} {
		name := link[0]
		w.link(link[1], name)
		s := w.checkRun(4, "error", "", "reports", pattern, "json-file", name, "fail-on", "none")
		wantText(t, "what is seen", s.Stdout, "cannot write "+name+": the path leads out of the workspace")
		if _, err := os.Stat(filepath.Join(w.dir, name)); err == nil {
			t.Errorf("%s was written", name)
		}
	}
	if entries, _ := os.ReadDir(outside); len(entries) != 0 {
		t.Error("something was written outside of the workspace")
	}
	w.link("inside.json", "inside")
	w.checkRun(0, "neutral", "", "reports", pattern, "json-file", "inside", "fail-on", "none")
	w.read("inside.json")
}

// TestPanic checks that a panic is an internal error, not a conclusion (S-27).
func TestPanic(t *testing.T) {
	var out, errs bytes.Buffer
	env := environment{args: []string{"--reports", "x"}, stdout: &out, stderr: &errs, getenv: func(name string) string {
		if name == "BUILD_WORKING_DIRECTORY" {
			panic("a bug\n::error::x")
		}
		return ""
	}}
	if code := run(t.Context(), env); code != 4 || !strings.Contains(errs.String(), `internal error: a bug\u{a}::error::x`) {
		t.Errorf("exit code %d: %s", code, errs.String())
	}
}

// TestLocally checks that the program prints text outside of GitHub Actions.
func TestLocally(t *testing.T) {
	w := newCheckout(t)
	w.reports()
	local := func(args ...string) *seenStep {
		step := w.step()
		step.Args = args
		step.Without = []string{"GITHUB_ACTIONS", "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_WORKSPACE"}
		return runStep(t, step)
	}
	s := local("--reports", pattern, "--json-file", "r.json")
	if s.ExitCode != 1 || s.Stderr != "" || len(s.Commands) != 0 {
		t.Errorf("exit code %d, %s", s.ExitCode, s.Stderr)
	}
	testkit.Golden(t, "local.txt", s.Stdout)
	wantText(t, "JSON", w.read("r.json"), `"conclusion": "failure"`)
	for _, test := range []struct {
		args   []string
		code   int
		stderr string
	}{
		{[]string{"--fail-on", "none", "--reports", pattern}, 0, ""},
		{[]string{"--fail-on", "x", "--reports", pattern}, 2, "action: error: input fail-on"},
		{[]string{"--bogus"}, 2, "action: error: unknown flag --bogus"},
		{[]string{pattern}, 2, "unexpected argument"},
		{[]string{"--reports", "x"}, 3, "no file matches x"},
		{[]string{"--help"}, 0, ""},
	} {
		if s := local(test.args...); s.ExitCode != test.code || !strings.Contains(s.Stderr, test.stderr) || (test.stderr == "") != (s.Stderr == "") {
			t.Errorf("%q: exit code %d: %s", test.args, s.ExitCode, s.Stderr)
		}
	}
}

// TestDebug checks that the log shows the origin of values, but not the token.
func TestDebug(t *testing.T) {
	w := newCheckout(t)
	w.reports()
	s := w.run("reports", pattern, "debug", "true", "fail-on", "none", "token", "ghs_SECRET")
	wantText(t, "the log", s.log(), "| fail-on = none (input)", "| summary = full (default)", "| token = *** (input)", "| policy-file = unset")
	if strings.Contains(s.log()+s.Summary, "ghs_SECRET") || !slices.Contains(s.Masks, "ghs_SECRET") {
		t.Error("the token is printed")
	}
	step := w.step("reports", pattern)
	step.Debug = true
	s = runStep(t, step)
	if !slices.ContainsFunc(s.Commands, func(c seenCommand) bool {
		return c.Name == "debug" && strings.HasPrefix(c.Data, "reports = out/")
	}) {
		t.Errorf("commands %+v", s.Commands)
	}
}

// newGitHub returns a server for a job. It accepts any token.
func newGitHub(t *testing.T, w *checkout) *fakeGitHub {
	g := newFake(t)
	g.token = ""
	w.env["GITHUB_API_URL"] = g.URL + "/api/v3"
	return g
}

// onGitHub sets the variables that identify the run.
func (w *checkout) onGitHub() {
	w.env["GITHUB_SERVER_URL"], w.env["GITHUB_RUN_ID"], w.env["GITHUB_RUN_ATTEMPT"] = "https://ghe.example", "99", "2"
	w.env["GITHUB_SHA"] = strings.Repeat("a", 40) // commit of the merge
}

// TestErrorsReplaceConclusions checks that a run that ends with an error replaces an older
// conclusion in the comment, and shows the error and its fix in the summary.
func TestErrorsReplaceConclusions(t *testing.T) {
	for _, test := range []struct {
		name       string
		files      map[string]string
		inputs     []string
		code       int
		conclusion string
		text, next string
	}{
		{"a bad report", map[string]string{"out/k.compat.json": "{}"}, nil, 3, "error", "out/k.compat.json", "Next: build the report again with this version of rules_sycl"},
		{"no report", nil, []string{"reports", "gone/*.json"}, 3, "error", "no file matches gone/*.json", "build the reports before this step"},
		{"a missing policy", nil, []string{"policy-file", "gone.yml"}, 2, "error", "gone.yml", "input policy-file: cannot read gone.yml: file not found"},
		{"an invalid policy", map[string]string{".github/sycl-compat.yml": "version: 1\nfail_on: new\n"}, nil, 2, "error", `unknown key "fail_on"`, ".github/sycl-compat.yml:2: "},
		{"an invalid input", nil, []string{"fail-on", "all"}, 2, "error", "input fail-on:", "expected one of new, any, none"},
		{"an unwritable file", map[string]string{"file": ""}, []string{"json-file", "file/x.json"}, 4, "error", "file/x.json", "cannot create its directory in the workspace"},
		{"an unwritable file and a problem", map[string]string{"file": "", ".github/sycl-compat.yml": "version: 1\ndevices: {required: ['*']}\n"}, []string{"json-file", "file/x.json"}, 1, "failure",
			"an error after reaching a conclusion: failed: 2 kernels", "cannot create its directory in the workspace"},
		{"a hostile report", map[string]string{"out/k.compat.json": "{\"</code>@org ::error::x\": 1}"}, nil, 3, "error", "out/k.compat.json", "Next: build the report again"},
	} {
		for _, mode := range []string{"always", "on-problem", "never"} {
			t.Run(test.name+", "+mode, func(t *testing.T) {
				w := newCheckout(t)
				w.reports()
				w.write(".github/sycl-compat.yml", "version: 1\ndevices: {required: ["+deviceB+"]}\n")
				w.fixture("pull_request")
				w.onGitHub()
				g := newGitHub(t, w)
				w.env["INPUT_REPORTS"], w.env["INPUT_TOKEN"], w.env["INPUT_CATEGORY"] = pattern, "ghs_SECRET", "linux"
				if s := w.run("comment", "always"); s.Outputs["conclusion"] != "success" || len(g.bodies) != 1 || !strings.Contains(g.bodies[0], "✅") {
					t.Fatalf("outputs %v, comments %q", s.Outputs, g.bodies)
				}
				for name, text := range test.files {
					w.write(name, text)
				}
				s := w.checkRun(test.code, test.conclusion, "", append([]string{"comment", mode}, test.inputs...)...)
				wantText(t, "the summary", s.Summary, "## ❌ SYCL compatibility", test.text, test.next)
				checkMarkdown(t, s.Summary, "an error")
				if mode == "never" {
					if len(g.bodies) != 1 {
						t.Errorf("comments %q", g.bodies[1:])
					}
					return
				}
				if got := g.requests[len(g.requests)-1]; len(g.bodies) != 2 || got != "PATCH /api/v3/repos/o/r/issues/comments/1" {
					t.Fatalf("requests %q", g.requests)
				}
				wantText(t, "the comment", g.bodies[1], "## ❌ SYCL compatibility", test.text, test.next, "Commit [`fffffffff`](<https://ghe.example/o/r/pull/7/commits/ffff", "[run](<https://ghe.example/o/r/actions/runs/99/attempts/2>)")
				if strings.Contains(g.bodies[1], "✅") || s.Outputs["comment-url"] == "" {
					t.Errorf("outputs %v, comment %s", s.Outputs, g.bodies[1])
				}
			})
		}
	}
}

func TestComments(t *testing.T) {
	for _, test := range []struct {
		event    string
		requests int
		text     string // expected in the log
	}{
		{"pull_request", 3, ""},
		{"pull_request-fork", 3, ""},
		{"pull_request-gone", 3, ""},
		{"pull_request-dependabot", 3, ""},
		{"pull_request_target-fork", 3, "Do not check out or run the change's code in this workflow"},
		{"merge_group", 0, "event is not about a pull request"},
		{"push", 0, "event is not about a pull request"},
		{"schedule", 0, "event is not about a pull request"},
		{"workflow_run", 3, ""},
		{"missing", 0, "event is not about a pull request"},
	} {
		t.Run(test.event, func(t *testing.T) {
			w := newCheckout(t)
			w.reports()
			w.fixture(test.event)
			g := newGitHub(t, w)
			s := w.run("reports", pattern, "comment", "always", "token", "ghs_SECRET", "strict-delivery", "true")
			// The limited rights of a fork do not change the conclusion.
			want(t, s, 1, "failure")
			if len(g.requests) != test.requests {
				t.Errorf("requests %q", g.requests)
			}
			wantText(t, "the log", s.log(), test.text)
			if (s.Outputs["comment-url"] != "") != (test.requests > 0) {
				t.Errorf("outputs %v", s.Outputs)
			}
			for _, r := range g.requests {
				if r != "GET /api/v3/repos/o/r/pulls/7" && !strings.HasSuffix(r, " /api/v3/repos/o/r/issues/7/comments") {
					t.Errorf("request %s", r)
				}
			}
			if strings.Contains(s.Stdout+s.Stderr+s.Summary, "ghs_SECRET") != (s.Masks != nil) {
				t.Error("the token is printed or not masked")
			}
		})
	}
}

func TestCommentModes(t *testing.T) {
	for _, test := range []struct {
		name, mode string
		problem    bool
		requests   []string
	}{
		{"never", "never", true, nil},
		{"not requested", "", true, nil},
		{"on a problem", "on-problem", true, []string{"GET", "GET", "POST"}},
		{"on no problem", "on-problem", false, []string{"GET", "GET"}},
		{"always", "always", false, []string{"GET", "GET", "POST"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newCheckout(t)
			w.reports()
			inputs := []string{"reports", pattern, "token", "t", "comment", test.mode, "category", "linux", "comment-key", "a --> b", "artifact-url", "https://ci.example/7"}
			if !test.problem {
				w.write(".github/sycl-compat.yml", "version: 1\ndevices: {required: ["+deviceB+"]}\n")
			}
			w.fixture("pull_request")
			w.onGitHub()
			g := newGitHub(t, w)
			s := w.run(inputs...)
			var methods []string
			for _, r := range g.requests {
				method, _, _ := strings.Cut(r, " ")
				methods = append(methods, method)
			}
			if !slices.Equal(methods, test.requests) || len(others(s.Annotations)) > 1 {
				t.Errorf("requests %q, annotations %+v", g.requests, s.Annotations)
			}
			if test.name == "on a problem" {
				testkit.Golden(t, "comment.md", withoutDays(g.bodies[0]))
				checkMarkdown(t, regexp.MustCompile(`\]\(<https://(ci|ghe)\.example/[^ ]*>\)`).ReplaceAllString(g.bodies[0], "]")[strings.Index(g.bodies[0], "\n"):], "comment")
			}
		})
	}
}

// others returns the annotations without the annotation about the base commit, which the tests'
// checkouts lack.
func others(list []seenAnnotation) []seenAnnotation {
	return slices.DeleteFunc(slices.Clone(list), func(a seenAnnotation) bool { return a.Title == "not-compared" })
}

// TestNoDelivery checks that a failure to write the comment changes the conclusion only if
// requested, and that no error contains the token (S-21).
func TestNoDelivery(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(w *checkout, g *fakeGitHub)
		text   string
	}{
		{"forbidden", func(_ *checkout, g *fakeGitHub) { g.fail = answer(403) }, "GitHub responded with status 403: the token does not have permission; the job needs the permission pull-requests: write (no\\u{a}::error::"},
		{"not found", func(_ *checkout, g *fakeGitHub) { g.fail = answer(404) }, "GitHub responded with status 404"},
		{"no token", func(w *checkout, _ *fakeGitHub) { w.env["INPUT_TOKEN"] = "" }, "no valid token"},
		{"not https", func(w *checkout, _ *fakeGitHub) { w.env["GITHUB_API_URL"] = "http://ghe.example/api/v3" }, "does not use https"},
		{"no repository", func(w *checkout, _ *fakeGitHub) { w.env["GITHUB_REPOSITORY"] = "o/../x" }, "invalid repository"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newCheckout(t)
			w.reports()
			w.write(".github/sycl-compat.yml", "version: 1\ndevices: {required: ["+deviceB+"]}\n")
			w.fixture("pull_request")
			w.env["INPUT_TOKEN"] = "ghs_SECRET"
			g := newGitHub(t, w)
			test.change(w, g)
			s := w.checkRun(0, "success", "", "reports", pattern, "comment", "always")
			if list := others(s.Annotations); len(list) != 1 || list[0].Level != "warning" || !strings.Contains(list[0].Message, test.text) {
				t.Errorf("annotations %+v", s.Annotations)
			}
			strict := w.run("reports", pattern, "comment", "always", "strict-delivery", "true")
			want(t, strict, 4, "error")
			shown := strings.ReplaceAll(s.Stdout+strict.Stdout, "::add-mask::ghs_SECRET", "")
			if strings.Contains(shown, "ghs_SECRET") {
				t.Errorf("the token is printed: %s", shown)
			}
		})
	}
}

// withoutDays returns a text without the expiry dates of exceptions, which depend on the current
// date.
func withoutDays(text string) string {
	return regexp.MustCompile(`expires: [0-9-]{10}`).ReplaceAllString(text, "expires: DAY")
}
