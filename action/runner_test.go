package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/sethvargo/go-githubactions"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

// textAttacks are texts with a special meaning to the runner.
var textAttacks = []string{
	"k\n::error file=a.cpp,line=1::forged", "k\r::error file=a.cpp,line=1::forged", "k\r\n::error::forged",
	"::error::forged", "  ::error::forged", "\u00a0\u2003::error::forged", "\u200b::error::forged", ":\u00ad:error::forged",
	"a ##[error]x", "a ##vso[task.logissue type=error]x", "##teamcity[x]", "##[set-output name=conclusion;]success", "#\u200d#[add-mask]e", "##[add-mask]e", "##[stop-commands]t", "::stop-commands::t",
	"::set-output name=conclusion::success", "::add-mask::e", "::add-path::/evil", "::add-matcher::evil.json", "::echo::on", "::debug::x",
	"%0A::error::x", "%0D%0A::error::x", "%25", "%250A", "100%s", "%!s(MISSING)", "%[1]*d",
	"x\n_GitHubActionsFileCommandDelimeter_\nconclusion=success\ny<<_GitHubActionsFileCommandDelimeter_",
	"\u202e", "\u0085::error::x", "\u2028::error::x", "\x1b[2J", "\x00", "\xff\xfe", "",
	"x.cpp:1:1: error: forged", "x.cpp:1:1: fatal error: forged", "x.cpp:1: error: forged", "x.go:1:2: forged", "a(1,2): error TS1: forged", "a(1): error C1: forged", "1:2  error  forged  rule",
	`File "x.py", line 1`, `  File "x.py", line 1, in f`, "error[E0308]: forged", "warning: forged", "a: error: forged", "ERROR: forged", "x.py:1:1: E501 forged",
	"Undefined symbols: error : forged", "error ABC1: forged", "1:error:forged",
}

func testRunner(t testing.TB, log io.Writer, files ...string) *runner {
	t.Helper()
	env := map[string]string{}
	for i := 0; i < len(files); i += 2 {
		env[files[i]] = files[i+1]
	}
	return newRunner(log, func(name string) string { return env[name] })
}

// runnerCommand is a command of Azure Pipelines or TeamCity, which may run the program, too.
var runnerCommand = regexp.MustCompile(`(?i)##(vso|teamcity)\[`)

// checkLog writes text to the log and checks that it appears as text only.
func checkLog(t *testing.T, text string) {
	var out bytes.Buffer
	testkit.NoError(t, testRunner(t, &out).log(func(w io.Writer) error { _, err := io.WriteString(w, text); return err }))
	seen := readStreams(out.String(), "", problemMatchers...)
	wantCommands := 2
	if text == "" {
		wantCommands = 0
	}
	if runnerCommand.MatchString(out.String()) {
		t.Errorf("%q contains a command for a different runner: %s", text, out.String())
	}
	if len(seen.Commands) != wantCommands || len(seen.Annotations) != 0 || len(seen.Masks) != 0 || len(seen.Faults) != 0 {
		t.Errorf("%q is read as %+v", text, seen)
	}
	if text != "" && len(seen.Log) != strings.Count(strings.TrimSuffix(text, "\n"), "\n")+1 {
		t.Errorf("%q produces lines %q", text, seen.Log)
	}
	// Without the command that stops the parser, the lines are not commands on either stream,
	// either.
	bare := strings.Join(seen.Log, "\n")
	if seen := readStreams("", bare, problemMatchers...); len(seen.Commands) != 0 || len(seen.Annotations) != 0 {
		t.Errorf("%q without the guard is read as %+v", text, seen)
	}
}

func checkAnnotation(t *testing.T, text string) {
	var out bytes.Buffer
	r := testRunner(t, &out)
	if !r.annotate(annotation{Level: levelWarning, File: text, Line: 3, Title: text, Message: text}) || r.out.err != nil {
		t.Fatal("no annotation")
	}
	seen := readStreams(out.String(), "", problemMatchers...)
	if len(seen.Commands) != 1 || len(seen.Annotations) != 1 || seen.Annotations[0].Level != "warning" || len(seen.Faults) != 0 || len(seen.Log) != 0 {
		t.Fatalf("%q is read as %+v", text, seen)
	}
	a := seen.Annotations[0]
	if strings.ContainsAny(a.Message+a.Title+a.File, "\r\n\x00\x1b") || text != "" && a.Line != "3" {
		t.Errorf("%q is shown as %+v", text, a)
	}
	// The runner prints the message with this prefix.
	if again := readStreams("##[warning]"+a.Message, ""); len(again.Commands) != 1 {
		t.Errorf("%q, printed again, is read as %+v", text, again)
	}
}

// TestSpecialPaths checks that annotations are in files whose names contain characters of workflow commands.
func TestSpecialPaths(t *testing.T) {
	for _, path := range []string{"100%25/a,b:c.cpp", "a::b.cpp", `a\b.cpp`, "u\u0308.cpp", "#[x]?=&.cpp"} {
		var out bytes.Buffer
		testRunner(t, &out).annotate(annotation{Level: levelError, File: path, Line: 3, Title: "t", Message: "m"})
		seen := readStreams(out.String(), "")
		if len(seen.Annotations) != 1 || seen.Annotations[0].File != path || seen.Annotations[0].Line != "3" || len(seen.Commands) != 1 {
			t.Errorf("%q is read as %+v", path, seen)
		}
		if v := pathValue(path); v.err != nil || v.text != path {
			t.Errorf("%q as an output is %+v", path, v)
		}
	}
}

func checkOutput(t *testing.T, text string) {
	path := filepath.Join(t.TempDir(), "output")
	// An earlier writer may have left an unterminated line.
	testkit.WriteFile(t, path, "before=1")
	r := testRunner(t, io.Discard, "GITHUB_OUTPUT", path)
	for _, v := range []outputValue{wordValue(text), pathValue(text), urlValue(text)} {
		err := r.setOutputs(stepOutput{"conclusion", wordValue("failure")}, stepOutput{"value", v}, stepOutput{"last", numberValue(-7)})
		data := testkit.ReadFile(t, path)
		got := seenOutputs(data)
		switch {
		case got == nil:
			t.Errorf("%q corrupts the file: %q", text, data)
		case err != nil && len(got) != 1:
			t.Errorf("%q is rejected, but the file contains %q", text, got)
		case err == nil && (len(got) != 4 || got["before"] != "1" || got["conclusion"] != "failure" || got["value"] != text || got["last"] != "-7"):
			t.Errorf("%q is read as %q", text, got)
		}
		testkit.WriteFile(t, path, "before=1")
	}
}

func TestTextAttacks(t *testing.T) {
	for _, a := range textAttacks {
		t.Run(fmt.Sprintf("%q", a), func(t *testing.T) {
			for _, text := range []string{a, "kernel '" + a + "' x", a + "\n" + a} {
				checkLog(t, text)
				checkAnnotation(t, text)
				checkOutput(t, text)
			}
		})
	}
}

// TestLibrary checks that the fake runner detects the faults of the library, so that it would also
// detect them in this package.
func TestLibrary(t *testing.T) {
	path := filepath.Join(t.TempDir(), "output")
	var out bytes.Buffer
	a := githubactions.New(githubactions.WithWriter(&out), githubactions.WithGetenv(func(string) string { return path }))
	a.SetOutput("kernel", "x\n_GitHubActionsFileCommandDelimeter_\nconclusion=success\ny<<_GitHubActionsFileCommandDelimeter_")
	if got := seenOutputs(testkit.ReadFile(t, path)); got["conclusion"] != "success" {
		t.Errorf("outputs %q", got)
	}
	for _, text := range []string{"k\n::error::forged", "k\r::error::forged", "a ##[error]x", "a: error: x"} {
		out.Reset()
		a.Infof("%s", text)
		if seen := readStreams(out.String(), "", problemMatchers...); len(seen.Annotations) != 1 {
			t.Errorf("%q is read as %+v", text, seen)
		}
	}
}

func FuzzText(f *testing.F) {
	for _, a := range textAttacks {
		f.Add(a)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1000 {
			return
		}
		checkLog(t, text)
		checkAnnotation(t, text)
		checkOutput(t, text)
	})
}

// TestPlainText checks that text without special meaning is shown unchanged.
func TestPlainText(t *testing.T) {
	for text, want := range map[string]string{
		"sim::Reduce<double>::operator()(int) const":                         "| sim::Reduce<double>::operator()(int) const",
		"src/a.cpp:7: error: kernel 'A' does not run":                        "| src/a.cpp: 7: error - kernel 'A' does not run",
		"compat: failed: 4 kernels on 2 devices: 1 failing problem, 1 error": "| compat: failed: 4 kernels on 2 devices: 1 failing problem, 1 error",
		"%25 and %s": "| %25 and %s",
	} {
		if got := logLine(text); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestValues(t *testing.T) {
	for _, test := range []struct {
		kind string
		make func(string) outputValue
		good []string
		bad  []string
	}{
		{"word", wordValue, []string{"success", "sha256:0123456789abcdef", "not-applicable"}, []string{"", "Success", "a b", "a\nb", "-a", strings.Repeat("a", 101)}},
		{"path", pathValue, []string{"", "out/result.sarif", `C:\x y\z.json`, "/a=b<<c"}, []string{"a\nb", "a\rb", "a\x00", "\u202e", "##[error]", strings.Repeat("a", 5000)}},
		{"address", urlValue, []string{"", "https://github.com/o/r/pull/7#issuecomment-1", "http://127.0.0.1:80/x"},
			[]string{"javascript:alert(1)", "//x", "https://", "https://u:p@x/", "https://x/\n", "https://x/ y", "https://x/<b>", "x"}},
	} {
		for _, s := range test.good {
			if v := test.make(s); v.err != nil || v.text != s {
				t.Errorf("%s %q: %v", test.kind, s, v.err)
			}
		}
		for _, s := range test.bad {
			if test.make(s).err == nil {
				t.Errorf("%s %q is accepted", test.kind, s)
			}
		}
	}
}

func TestOutputNames(t *testing.T) {
	path := filepath.Join(t.TempDir(), "output")
	for _, name := range []string{"", "a b", "a\nb", "A", "a=b", "a<<b", "-", strings.Repeat("a", 51)} {
		if err := testRunner(t, io.Discard, "GITHUB_OUTPUT", path).setOutputs(stepOutput{"good", numberValue(1)}, stepOutput{name, numberValue(1)}); err == nil {
			t.Errorf("%q is accepted", name)
		}
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("something was written")
	}
}

// zeros is a predictable random source, with which a value can contain the delimiter.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

type noRandom struct{}

func (noRandom) Read([]byte) (int, error) { return 0, errors.New("none") }

func TestDelimiter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "output")
	getenv := func(string) string { return path }
	r := newRunner(io.Discard, getenv)
	r.random = zeros{}
	if err := r.setOutputs(stepOutput{"path", pathValue("sycl-" + strings.Repeat("0", 32))}); err == nil || !strings.Contains(err.Error(), "delimiter") {
		t.Errorf("a value with the delimiter: %v", err)
	}
	r.random = noRandom{}
	if err := r.setOutputs(stepOutput{"n", numberValue(1)}); err == nil {
		t.Error("the delimiter is predictable")
	}
	if err := r.log(func(w io.Writer) error { _, err := io.WriteString(w, "x"); return err }); err == nil {
		t.Error("the command that restarts the parser is predictable")
	}
	r = newRunner(io.Discard, getenv)
	seen := map[string]bool{}
	for range 100 {
		token, err := r.token()
		if err != nil || seen[token] {
			t.Fatalf("token %q repeated, or error %v", token, err)
		}
		seen[token] = true
	}
}

// TestRunnerWithoutFiles checks that missing or unwritable files are errors, not panics.
func TestRunnerWithoutFiles(t *testing.T) {
	dir := t.TempDir()
	for name, path := range map[string]string{"not set": "", "a directory": dir, "in a missing directory": filepath.Join(dir, "gone", "x"), "a device": os.DevNull} {
		r := testRunner(t, io.Discard, "GITHUB_OUTPUT", path, "GITHUB_STEP_SUMMARY", path)
		if err := r.setOutputs(stepOutput{"n", numberValue(1)}); err == nil || !strings.Contains(err.Error(), "GITHUB_OUTPUT") {
			t.Errorf("%s: output: %v", name, err)
		}
		if _, err := r.summary(textDraft("x")); err == nil || !strings.Contains(err.Error(), "GITHUB_STEP_SUMMARY") {
			t.Errorf("%s: summary: %v", name, err)
		}
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("the pipe is closed") }

func TestBrokenLog(t *testing.T) {
	r := testRunner(t, broken{})
	r.mask("x")
	r.debug("x")
	r.annotate(annotation{Level: levelError, Message: "x"})
	if r.out.err == nil {
		t.Error("no error")
	}
}

func TestBudget(t *testing.T) {
	var out bytes.Buffer
	r := testRunner(t, &out)
	n := 0
	for range 15 {
		for _, l := range []annotationLevel{levelError, levelWarning, levelNotice} {
			if r.annotate(annotation{Level: l, Message: "m"}) {
				n++
			}
		}
	}
	seen := readStreams(out.String(), "")
	if n != 30 || len(seen.Annotations) != 30 || seen.Dropped != 0 {
		t.Errorf("%d, %d shown, %d dropped", n, len(seen.Annotations), seen.Dropped)
	}
}

func TestLongMessages(t *testing.T) {
	for _, c := range []string{"x", "ü", "𝄞", "%", "\n", "\xff"} {
		var out bytes.Buffer
		testRunner(t, &out).annotate(annotation{Level: levelError, Title: strings.Repeat(c, 5000), Message: strings.Repeat(c, 5000)})
		seen := readStreams(out.String(), "")
		if len(seen.Faults) != 0 || len(seen.Annotations) != 1 || !strings.HasSuffix(seen.Annotations[0].Message, "…") {
			t.Errorf("%q: %v", c, seen.Faults)
		}
		if n := len(utf16.Encode([]rune(seen.Annotations[0].Message))); n < 3900 || n > 4096 {
			t.Errorf("%q: %d", c, n)
		}
	}
	if got := truncate("üüü", 6); got != "üüü" {
		t.Errorf("got %q", got)
	}
}

func TestMask(t *testing.T) {
	var out bytes.Buffer
	r := testRunner(t, &out)
	r.mask("")
	r.mask(" \n")
	r.mask("s3cret%0A\n::error::x")
	seen := readStreams(out.String()+"s3cret%0A\n", "")
	if !slices.Equal(seen.Masks, []string{"s3cret%0A\n::error::x"}) || len(seen.Annotations) != 0 {
		t.Errorf("got %+v", seen)
	}
}

func TestRunnerDebug(t *testing.T) {
	var out bytes.Buffer
	r := testRunner(t, &out, "RUNNER_DEBUG", "1")
	r.debug("a\n::error::x")
	if seen := readStreams(out.String(), ""); len(seen.Commands) != 1 || seen.Commands[0].Name != "debug" || !r.debugging() {
		t.Errorf("got %+v", seen)
	}
}

func textDraft(s string) summaryDraft { return func(int) (string, error) { return s, nil } }

func TestSummary(t *testing.T) {
	long := textDraft(strings.Repeat("x", maxSummary))
	fits := func(limit int) (string, error) { return strings.Repeat("y", limit), nil }
	tooLong := func(int) (string, error) { return "", fmt.Errorf("a table: %w", errTooLong) }
	failed := func(int) (string, error) { return "", errors.New("broken") }
	for _, test := range []struct {
		name   string
		before int
		drafts []summaryDraft
		chosen int
		fault  bool
	}{
		{"the first draft", 0, []summaryDraft{textDraft("a"), textDraft("b")}, 0, false},
		{"a draft of the maximum size", 0, []summaryDraft{fits}, 0, false},
		{"the second draft", 0, []summaryDraft{long, textDraft("b")}, 1, false},
		{"the third draft", 0, []summaryDraft{long, tooLong, textDraft("c")}, 2, false},
		{"after other content", 1<<20 - 3000, []summaryDraft{textDraft(strings.Repeat("x", 2500)), fits, textDraft("c")}, 1, false},
		{"no space", 1<<20 - 1000, []summaryDraft{textDraft("a")}, 0, true},
		{"too much other content", 2 << 20, []summaryDraft{textDraft("a")}, 0, true},
		{"none fits", 0, []summaryDraft{long, tooLong}, 0, true},
		{"an error", 0, []summaryDraft{failed, textDraft("b")}, 0, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "summary")
			testkit.WriteFile(t, path, strings.Repeat("-", test.before))
			n, err := testRunner(t, io.Discard, "GITHUB_STEP_SUMMARY", path).summary(test.drafts...)
			if (err != nil) != test.fault || !test.fault && n != test.chosen {
				t.Errorf("draft %d, error %v", n, err)
			}
			switch size := len(testkit.ReadFile(t, path)); {
			case err != nil && size != test.before:
				t.Errorf("%d bytes after an error", size)
			case err == nil && (size <= test.before || size > maxSummary):
				t.Errorf("%d bytes", size)
			}
		})
	}
}

// TestOutputFileLines checks that no empty lines are written, because runner substitutes reject
// them. Earlier content of the file may end within a line.
func TestOutputFileLines(t *testing.T) {
	for before, want := range map[string]string{
		"":      "^n<<(\\S+)\n1\n\\S+\nm<<(\\S+)\n2\n\\S+\n$",
		"a=b\n": "^a=b\nn<<(\\S+)\n1\n\\S+\nm<<(\\S+)\n2\n\\S+\n$",
		"a=b":   "^a=b\nn<<(\\S+)\n1\n\\S+\nm<<(\\S+)\n2\n\\S+\n$",
	} {
		path := filepath.Join(t.TempDir(), "output")
		if before != "" {
			testkit.WriteFile(t, path, before)
		}
		testkit.NoError(t, testRunner(t, io.Discard, "GITHUB_OUTPUT", path).setOutputs(stepOutput{"n", numberValue(1)}, stepOutput{"m", numberValue(2)}))
		if got := testkit.ReadFile(t, path); !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("after %q: %q", before, got)
		}
	}
}
