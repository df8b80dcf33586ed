package render

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/rules-sycl/rules_sycl/internal/reporttest"
	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	"github.com/rules-sycl/rules_sycl/sycl/show"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

func markdown(t testing.TB, r *report.Report, o MarkdownOptions) string {
	t.Helper()
	return testkit.Written(t, func(w io.Writer) error { return Markdown(w, r, o) })
}

func pageText(t testing.TB, r *report.Report, o HTMLOptions) string {
	t.Helper()
	return testkit.Written(t, func(w io.Writer) error { return HTML(w, r, o) })
}

func csvText(t testing.TB, r *report.Report) string {
	t.Helper()
	return testkit.Written(t, func(w io.Writer) error { return CSV(w, r) })
}

func TestRenderings(t *testing.T) {
	two := reporttest.Build(t, reporttest.Program(), "intel_gpu_pvc", "intel_gpu_dg2")
	all := reporttest.Build(t, reporttest.Program(), "intel_gpu_pvc", "intel_gpu_dg2", "x86_64", "intel_cpu_spr", "nvidia_gpu_sm_80", "spir64")
	merged := reporttest.Merge(t, two, reporttest.BuildLabelled(t, "//other:kernels", reporttest.Program()[1:3], "intel_gpu_pvc", "x86_64"))
	empty := reporttest.Build(t, nil)
	testkit.Golden(t, "two.md", markdown(t, two, MarkdownOptions{}))
	testkit.Golden(t, "all.md", markdown(t, all, MarkdownOptions{}))
	testkit.Golden(t, "merged.md", markdown(t, merged, MarkdownOptions{}))
	testkit.Golden(t, "empty.md", markdown(t, empty, MarkdownOptions{}))
	medium := reporttest.Build(t, reporttest.Large(100), "intel_gpu_pvc", "intel_gpu_dg2")
	testkit.Golden(t, "100-problems.md", markdown(t, medium, MarkdownOptions{MaxBytes: 5000}))
	testkit.Golden(t, "20000.md", markdown(t, large(t), MarkdownOptions{MaxBytes: 65_536, Command: "compat show 'a b.json'"}))
	testkit.Golden(t, "20000-numbers.md", markdown(t, large(t), MarkdownOptions{MaxBytes: 700}))
	// Files in the repository have LF line ends.
	testkit.Golden(t, "two.csv", strings.ReplaceAll(csvText(t, two), "\r\n", "\n"))
	testkit.Golden(t, "merged.csv", strings.ReplaceAll(csvText(t, merged), "\r\n", "\n"))
	if text := csvText(t, two); strings.Count(text, "\n") != strings.Count(text, "\r\n") || strings.Count(text, "\r\n") != len(two.Kernels)*len(two.Devices)+1 {
		t.Errorf("expected one line per cell, with CRLF:\n%q", text)
	}
	// Style and script have separate tests and are omitted from the golden file.
	body := func(r *report.Report, o HTMLOptions) string {
		s := pageText(t, r, o)
		s = strings.Replace(s, show.Style, "", 1)
		s = strings.Replace(s, pageScript, "", 1)
		return regexp.MustCompile(`sha256-(?:[^&]|&#43;)*`).ReplaceAllString(s, "sha256-")
	}
	testkit.Golden(t, "all.html", body(all, HTMLOptions{}))
	testkit.Golden(t, "merged.html", body(merged, HTMLOptions{}))
	testkit.Golden(t, "lazy.html", body(merged, HTMLOptions{MaxCells: 1}))
	testkit.Golden(t, "empty.html", body(empty, HTMLOptions{}))
}

// TestFilesAndFormsInPages checks that a page lists the files that contain a kernel, and the
// kernel's forms.
func TestFilesAndFormsInPages(t *testing.T) {
	r := reporttest.Build(t, reporttest.Large(10), "intel_gpu_pvc")
	r.Kernels[0].Forms = &report.Forms{Reduction: []string{"_ZTS<1>"}}
	for _, c := range []struct {
		o    HTMLOptions
		want []string
	}{
		{HTMLOptions{}, []string{`"files":["lib/libblur.so","lib/libreduce.so",`, `"f":[0],"m":["reduction: _ZTS<1>"]`}},
		{HTMLOptions{MaxCells: 1}, []string{`"files":["lib/libblur.so","lib/libreduce.so",`, `"f":[0],"m":["reduction: _ZTS<1>"]`}},
	} {
		page := pageText(t, r, c.o)
		for _, want := range c.want {
			if !strings.Contains(page, want) {
				t.Errorf("missing %s in\n%s", want, page)
			}
		}
	}
}

// TestNamesOnceInPages checks that a page contains the name and the symbol of each kernel once.
// They bound the size of the page, regardless of their length and of the number of problems.
func TestNamesOnceInPages(t *testing.T) {
	for _, test := range []struct {
		kernels, length int
		template        bool
	}{{100, 4000, false}, {100, 4000, true}, {10, 100_000, false}, {3000, 60, true}, {20, 10, false}} {
		var names []string
		bytes := 0
		for i := range test.kernels {
			name := fmt.Sprintf("%s%d", strings.Repeat("x", test.length), i)
			name = fmt.Sprintf("_ZTS%d%s", len(name), name)
			if test.template {
				name = fmt.Sprintf("_ZTS1KI%d%sE", len(name), name)
			}
			names, bytes = append(names, name), bytes+len(name)
		}
		modules := []report.Module{{Needs: &requirement.Requirements{Aspects: []aspect.Aspect{aspect.FP64}}, Kernels: reporttest.Kernels(names...), Images: []report.ModuleImage{reporttest.IR(1)}}}
		r := reporttest.Build(t, modules, "intel_gpu_dg2", "intel_gpu_pvc")
		page := pageText(t, r, HTMLOptions{})
		about := len(show.Style) + len(pageScript) + 20_000 + 100*len(names)
		if len(page) > 2*bytes+about {
			t.Errorf("%+v: page has %d bytes, names have %d", test, len(page), bytes)
		}
		last := kernelName(&r.Kernels[len(r.Kernels)-1])
		if n := strings.Count(html.UnescapeString(page), last); n != 1 && !(n == 2 && symbol(&r.Kernels[len(r.Kernels)-1]) != "" && strings.Contains(r.Kernels[len(r.Kernels)-1].Name, last)) {
			t.Errorf("%+v: page contains a name %d times", test, n)
		}
	}
}

// TestRenderingsNeedLittleMemory checks that output is streamed: no rendering keeps several copies
// of all kernels in memory.
func TestRenderingsNeedLittleMemory(t *testing.T) {
	r := large(t)
	kernels := uint64(len(r.Kernels))
	for name, c := range map[string]struct {
		render func(io.Writer) error
		most   uint64 // bytes per kernel
	}{
		"text":     {func(w io.Writer) error { return Text(w, r, TextOptions{}) }, 150},
		"Markdown": {func(w io.Writer) error { return Markdown(w, r, MarkdownOptions{MaxBytes: 65_536}) }, 150},
		"HTML":     {func(w io.Writer) error { return HTML(w, r, HTMLOptions{}) }, 1000},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		testkit.NoError(t, c.render(io.Discard))
		runtime.ReadMemStats(&after)
		if n := (after.TotalAlloc - before.TotalAlloc) / kernels; n > c.most {
			t.Errorf("%s: %d bytes per kernel, limit %d", name, n, c.most)
		}
	}
}

// TestManyReasons checks a cell with a huge number of reasons: rendering a reason must not search
// all of them.
func TestManyReasons(t *testing.T) {
	r := reporttest.Build(t, []report.Module{{Needs: &requirement.Requirements{Aspects: []aspect.Aspect{aspect.FP64}}, Kernels: reporttest.Kernels("k"), Images: []report.ModuleImage{reporttest.IR(1)}}}, "intel_gpu_dg2", "spir64")
	for i := range r.Outcomes {
		c := &r.Outcomes[i]
		c.Reasons = slices.Clone(c.Reasons)
		for n := range 20_000 {
			reason := c.Reasons[0]
			reason.Required = fmt.Sprint("aspect", n)
			reason.Text = reason.Required
			c.Reasons = append(c.Reasons, reason)
		}
	}
	if s := text(t, TextOptions{}, r); strings.Count(s, "\n") > 200 || !strings.Contains(s, " more reasons with fewer kernels:\n") {
		t.Errorf("%d lines:\n%s", strings.Count(s, "\n"), s[:min(len(s), 5000)])
	}
	if s := markdown(t, r, MarkdownOptions{MaxBytes: 65_536}); len(s) > 65_536 || !strings.Contains(s, "more reasons") {
		t.Errorf("%d bytes", len(s))
	}
	pageText(t, r, HTMLOptions{})
	csvText(t, r)
}

// hostileNames would be markup, commands or formulas if they were not escaped.
var hostileNames = []string{
	"<script>alert(1)</script>", "</script><script>alert(1)//", "<!--", "-->", "]]>", "<img src=x onerror=alert(1)>", "&lt;b&gt;", `" onmouseover="alert(1)`, "' autofocus '",
	"a|b", `a\|b`, `ends in \`, "`", "``", "`` ` ``", "` `", " x ", "   ", "</details>", "<summary>", "**bold**", "_x_", "~~x~~", "[t](http://example.invalid)", "![i](http://example.invalid)", "http://example.invalid", "www.example.invalid", "a@b.example",
	"@org/team", "#123", "GH-1", "org/repo#1", ":smile:", "$x$", "line\nbreak", "x\n| forged | row |", "cr\rlf", "tab\tx", "\x1b[2J\x1b[31mred", "rtl\u202egnp", "zero\u200bwidth", "next\u0085line", "line\u2028separator", "nul\x00x", "bad\xff\xfeutf8",
	"::error file=a.cpp,line=1::forged", "x ##[error]y", "%0A::error::x", "%s%d", "=cmd()", "+1", "-1+cmd|' /C calc'!A0", "@SUM(1)", "\t=1", "\r=1", " =1", `"=1`, "＝1", "a;=cmd()", "a,b", `a"b`, "{{.}}", "${x}", "javascript:alert(1)", "constructor", "__proto__",
}

// hostile returns a report with a hostile text in every text member.
func hostile(t testing.TB) *report.Report {
	t.Helper()
	var modules []report.Module
	for i, name := range hostileNames {
		m := report.Module{Needs: &requirement.Requirements{Aspects: []aspect.Aspect{aspect.FP64}}, Kernels: reporttest.Kernels(name), Images: []report.ModuleImage{reporttest.IR(i + 1)}}
		m.Kernels[0].Source.Location = srcloc.Location{Path: name, Line: 1}
		m.Kernels[0].Source.Origins = []srcloc.Origin{{Aspect: aspect.FP64.Named(), Function: name, Location: srcloc.Location{Path: name, Line: 7}}}
		modules = append(modules, m)
	}
	r := reporttest.Build(t, modules, "intel_gpu_pvc", "intel_gpu_dg2", "spir64")
	r.Targets[0] = hostileNames[0]
	r.Generator.Name = hostileNames[1]
	for i := range r.Devices {
		d := &r.Devices[i]
		d.Name = hostileNames[i] + hostileNames[14]
		d.Architecture = hostileNames[2]
		d.Aspects = append(d.Aspects, aspect.Named{Name: hostileNames[0]})
	}
	n := 0
	outcomes := r.Outcomes
	r.Outcomes = nil
	rows := r.Rows
	r.Rows = nil
	for i := range r.Kernels { // each has a separate row and outcomes
		var row []int32
		for _, o := range rows[r.Kernels[i].Row] {
			c := outcomes[o]
			c.Reasons = slices.Clone(c.Reasons)
			for j := range c.Reasons {
				reason := &c.Reasons[j]
				name := hostileNames[n%len(hostileNames)]
				reason.Text, reason.Available = name, name
				if n%3 == 0 {
					reason.Rule = compat.Rule(name)
				}
				if n%2 == 0 {
					reason.Required = name
				}
				n++
			}
			row = append(row, int32(len(r.Outcomes)))
			r.Outcomes = append(r.Outcomes, c)
		}
		r.Kernels[i].Row = int32(len(r.Rows))
		r.Rows = append(r.Rows, row)
	}
	return r
}

// checkVisible fails for invisible characters.
func checkVisible(t *testing.T, text string) {
	t.Helper()
	for i, c := range text {
		if c != '\n' && c != ' ' && safetext.Escape(string(c)) != string(c) && !strings.ContainsRune("\u00d7", c) && !unicode.Is(unicode.Variation_Selector, c) {
			t.Fatalf("offset %d: %U is not escaped: %q", i, c, text[max(0, i-40):min(len(text), i+40)])
		}
	}
}

// hostileReports returns hostile reports, including a merged one, with hostile labels.
func hostileReports(t testing.TB) []*report.Report {
	second := hostile(t)
	second.Targets[0] = "x\n| forged |</script>`@org/team"
	return []*report.Report{hostile(t), reporttest.Merge(t, hostile(t), second)}
}

func TestHostileHTML(t *testing.T) {
	for _, r := range hostileReports(t) {
		for _, o := range []HTMLOptions{{}, {MaxCells: 1}} {
			text := pageText(t, r, o)
			checkVisible(t, text)
			// Names must not add tags, attributes or ambiguous entities.
			known := regexp.MustCompile(`^(?:!DOCTYPE html|/?(?:html|head|body|title|header|main|section|footer|p|h1|h2|h3|span|div|ul|li|dl|dt|dd|td|code|form|label|option|table|caption|thead|tbody|tr|noscript|details|summary|wbr|script|style|select|button|output)|` +
				`(?:html lang="en"|meta (?:charset|name|http-equiv)="[^"<>]*"(?: content="[^"<>]*")?|a (?:class="skip" )?href="#[a-z0-9]+"|a class="show" href="#rule=(?:[A-Za-z0-9%+._-]|&#43;)*&amp;status=[a-z]"|/a|/th|/td|(?:p|ul|li|dd|details|span|td|th|tr|div|table|section|h2|caption|label|button|input|select|option|output|form)(?: (?:class|id|aria-labelledby|aria-label|aria-live|role|tabindex|scope|colspan|name|type|value|autocomplete|spellcheck|placeholder)="[^"<>]*"| hidden)+|` +
				`script type="application/json" id="data"))$`)
			rest := strings.Replace(strings.Replace(text, pageScript, "", 1), show.Style, "", 1)
			rest = regexp.MustCompile(`(?s)(id="data">).*?(</script>)`).ReplaceAllString(rest, "$1$2")
			for _, tag := range regexp.MustCompile(`<([^>]*)>`).FindAllStringSubmatch(rest, -1) {
				if !known.MatchString(tag[1]) {
					t.Errorf("unexpected tag: %q", tag[0])
				}
			}
			if n := strings.Count(text, "<script"); n != 2 || strings.Count(text, "</script") != 2 || strings.Contains(rest, "<!--") {
				t.Errorf("%d script elements", n)
			}
			var data struct {
				pageData
				Kernels []pageKernel `json:"kernels"`
			}
			_, after, _ := strings.Cut(text, `id="data">`)
			block, _, _ := strings.Cut(after, "</script>")
			if found := regexp.MustCompile(`(?i)</|<!|<script`).FindString(block); found != "" {
				t.Errorf("data contains %s, which is special in a script element", found)
			}
			testkit.NoError(t, json.Unmarshal([]byte(block), &data))
			for i := range r.Kernels {
				want := kernelName(&r.Kernels[i])
				if got := data.Kernels[i].Name; o.isLazy() && got != want || !o.isLazy() && got != "" {
					t.Errorf("kernel %q: %q in the data", want, got)
				}
				if escaped := templateText(want); !o.isLazy() && !strings.Contains(text, ">"+escaped+"</a></th>") {
					t.Errorf("missing row for %q", want)
				}
			}
		}
	}
}

func (o HTMLOptions) isLazy() bool { return o.MaxCells == 1 }

// templateText escapes text like html/template.
func templateText(s string) string {
	return strings.ReplaceAll(html.EscapeString(s), "+", "&#43;")
}

// TestPolicy checks that the content security policy of a page allows exactly its content.
func TestPolicy(t *testing.T) {
	text := pageText(t, reporttest.Build(t, reporttest.Program(), "intel_gpu_pvc"), HTMLOptions{})
	policy := html.UnescapeString(regexp.MustCompile(`Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(text)[1])
	if !strings.HasPrefix(policy, "default-src 'none'; ") || strings.Contains(policy, "unsafe") {
		t.Errorf("policy %s", policy)
	}
	for kind, element := range map[string]string{"style-src": "style", "script-src": "script"} {
		found := regexp.MustCompile("(?s)<" + element + ">(.*?)</" + element + ">").FindStringSubmatch(text)
		if found == nil {
			t.Fatalf("missing element %s", element)
		}
		sum := sha256.Sum256([]byte(found[1]))
		if want := kind + " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(policy, want) {
			t.Errorf("policy %s lacks %s", policy, want)
		}
	}
	for _, never := range []string{" style=", " onclick", " src=", "url(", "@import", "fetch(", "XMLHttpRequest", "innerHTML", "eval("} {
		if strings.Contains(text, never) {
			t.Errorf("page contains %q", never)
		}
	}
}

// outsideSpans returns Markdown without its code spans, according to CommonMark: a span ends at as
// many backticks as it begins with.
func outsideSpans(t *testing.T, line string) string {
	t.Helper()
	var out strings.Builder
	for i := 0; i < len(line); {
		if line[i] != '`' {
			out.WriteByte(line[i])
			i++
			continue
		}
		n := len(line[i:]) - len(strings.TrimLeft(line[i:], "`"))
		end := -1
		for j := i + n; j < len(line); {
			if line[j] != '`' {
				j++
				continue
			}
			m := len(line[j:]) - len(strings.TrimLeft(line[j:], "`"))
			if m == n {
				end = j
				break
			}
			j += m
		}
		if end < 0 {
			t.Fatalf("unterminated code span: %s", line)
		}
		out.WriteString("CODE")
		i = end + n
	}
	return out.String()
}

func TestHostileMarkdown(t *testing.T) {
	for _, r := range hostileReports(t) {
		for _, o := range []MarkdownOptions{{}, {MaxBytes: 6000}, {MaxBytes: 1000}} {
			text := markdown(t, r, o)
			checkVisible(t, text)
			outside := regexp.MustCompile(`^(?:|### Compatibility of (?:CODE|2 targets)|\*\*[A-Za-z0-9 ;]*\.\*\*|\| Kernel \|(?: (?:CODE(?:<br>CODE)*|Group [A-Z] \(\d+ devices\)) \|)+|\|---\|(?:---\|)+|` +
				`\| CODE \|(?: (?:✅ native|✅ JIT|➖|❌ no: CODE|❓ maybe: CODE) \|)+|\| \*\*CODE\*\* \|(?: \|)+|✅ runs[^|<>@#]*|</?details>|<summary>. Why (?:not|maybe): \d+ reasons?</summary>|` +
				`- (?:CODE: )?CODE|  - (?:Kernels|Devices): CODE.*|  - Used by CODE.*|  - Some kernel[^<>]*|(?:\d+ more (?:reasons?|devices?)[a-z ]*|\d+ kernels? that every device runs|The (?:reasons|names)[a-z ]*): omitted to keep the text short\. To show all, run CODE\.|` +
				`\| Device \|[^|<>@#\x60]*\|[^|<>@#\x60]*\|[^|<>@#\x60]*\||\| CODE \|(?: \d+ \|){3}|- [❌❓] \d+ kernels? [a-z -]*(?:CODE[a-z:, ]*)*|  - \d+ (?:kernels?: CODE(?: of CODE| \(CODE\))*|other names?))$`)
			for line := range strings.Lines(text) {
				line = strings.TrimSuffix(line, "\n")
				got := outsideSpans(t, line)
				if !outside.MatchString(got) {
					t.Errorf("text outside of code spans: %q\nin %q", got, line)
				}
				if strings.HasPrefix(line, "| ") {
					// A vertical bar ends a table cell, even in a code span.
					cells := strings.Count(regexp.MustCompile(`\\.`).ReplaceAllString(line, ""), "|")
					if want := strings.Count(got, "|"); cells != want || strings.Count(line, "|")-strings.Count(line, `\|`) != want {
						t.Errorf("%d vertical bars, want %d: %s", cells, want, line)
					}
				}
			}
		}
	}
}

// TestMarkdownReaders converts hostile names to HTML with GitHub's own parser.
func TestMarkdownReaders(t *testing.T) {
	reader, err := exec.LookPath("cmark-gfm")
	if err != nil {
		t.Skip("cmark-gfm not found; TestHostileMarkdown checks the text without it")
	}
	for _, r := range hostileReports(t) {
		cmd := exec.CommandContext(t.Context(), reader, "--unsafe", "-e", "table", "-e", "autolink", "-e", "strikethrough", "-e", "tagfilter")
		cmd.Stdin = strings.NewReader(markdown(t, r, MarkdownOptions{}))
		out, err := cmd.Output()
		testkit.NoError(t, err)
		text := string(out)
		for _, tag := range regexp.MustCompile(`<[^>]*>`).FindAllString(text, -1) {
			if !regexp.MustCompile(`^</?(?:h3|p|strong|code|table|thead|tbody|tr|th|td|br|details|summary|ul|li)(?: /)?>$`).MatchString(tag) {
				t.Errorf("unexpected tag: %s", tag)
			}
		}
		if got, want := strings.Count(text, "<tr>"), 1+len(r.Kernels)+2*btoi(r.Target(&r.Kernels[0]) != ""); got != want {
			t.Errorf("%d rows, want %d", got, want)
		}
		for _, k := range r.Kernels {
			name := kernelName(&k)
			shown := regexp.MustCompile(`\s+`).ReplaceAllString(strings.TrimSpace(html.EscapeString(strings.ReplaceAll(name, `\|`, `\\u{7c}`))), " ")
			shown = strings.ReplaceAll(strings.ReplaceAll(shown, "&#34;", "&quot;"), "&#39;", "'")
			if strings.Contains(name, `\|`) || strings.TrimSpace(name) == "" || strings.HasPrefix(name, " ") {
				continue
			}
			if !strings.Contains(regexp.MustCompile(`\s+`).ReplaceAllString(text, " "), "<code>"+shown+"</code>") {
				t.Errorf("%q is not rendered as %q", name, shown)
			}
		}
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestHostileCSV(t *testing.T) {
	for _, r := range hostileReports(t) {
		text := csvText(t, r)
		checkVisible(t, strings.ReplaceAll(text, "\r\n", "\n"))
		rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		testkit.NoError(t, err)
		if len(rows) != 1+len(r.Kernels)*len(r.Devices) {
			t.Errorf("%d rows for %d kernels and %d devices", len(rows), len(r.Kernels), len(r.Devices))
		}
		for _, row := range rows {
			for _, field := range row {
				if strings.ContainsAny(strings.TrimLeft(field, ` "`)+"x", "=+-@＝＋－＠") && strings.IndexAny(strings.TrimLeft(field, ` "`), "=+-@＝＋－＠") == 0 {
					t.Errorf("cell is a formula: %q", field)
				}
			}
		}
		// Readers that use semicolons as separators also interpret quotes.
		for _, part := range strings.FieldsFunc(text, func(c rune) bool { return c == '\n' }) {
			if strings.HasPrefix(part, "=") || strings.HasPrefix(part, `"=`) {
				t.Errorf("cell is a formula: %q", part)
			}
		}
	}
}

func TestHostileText(t *testing.T) {
	for _, r := range hostileReports(t) {
		var texts []string
		for _, width := range []int{40, 80, 200} {
			texts = append(texts, text(t, TextOptions{Width: width}, r))
		}
		for _, by := range Groupings {
			texts = append(texts, text(t, TextOptions{GroupBy: by}, r), text(t, TextOptions{GroupBy: by, All: true}, r))
		}
		for line := range strings.Lines(strings.Join(texts, "")) {
			checkVisible(t, line)
			if strings.HasPrefix(strings.TrimSpace(line), "::") || strings.Contains(line, "##[") {
				t.Errorf("line is a command: %q", line)
			}
		}
	}
}

func TestMarkdownIsAsShortAsAsked(t *testing.T) {
	r := reporttest.Build(t, reporttest.Program(), "intel_gpu_pvc", "intel_gpu_dg2", "spir64")
	var many []report.Module
	for i := range 300 {
		m := reporttest.Program()[i%4]
		m.Kernels = reporttest.Kernels(fmt.Sprintf("Kernel%d", i))
		many = append(many, m)
	}
	for name, r := range map[string]*report.Report{"few kernels": r, "many kernels": reporttest.Build(t, many, "intel_gpu_pvc", "intel_gpu_dg2", "spir64"), "hostile names": hostile(t)} {
		full := markdown(t, r, MarkdownOptions{})
		for _, limit := range []int{100, 1000, 3000, 5000, 10_000, len(full)} {
			got := markdown(t, r, MarkdownOptions{MaxBytes: limit})
			if len(got) > limit {
				t.Errorf("%s: %d bytes, limit %d", name, len(got), limit)
			}
			if limit >= 3000 && len(got) < len(full) && !strings.Contains(got, "omitted") {
				t.Errorf("%s: text of at most %d bytes does not mention omissions", name, limit)
			}
			if open, closed := strings.Count(got, "\n<details>\n"), strings.Count(got, "\n</details>\n"); limit >= 1000 && open != closed {
				t.Errorf("%s: %d sections opened, %d closed", name, open, closed)
			}
		}
		if got := markdown(t, r, MarkdownOptions{MaxBytes: 2*len(full) + 1000}); got != full {
			t.Errorf("%s: text mentions omissions without need", name)
		}
	}
}

// FuzzRenderings checks that every rendering of any report is complete.
func FuzzRenderings(f *testing.F) {
	for _, name := range hostileNames {
		f.Add(name, "fp64", false)
	}
	f.Fuzz(func(t *testing.T, name, required string, lazy bool) {
		r := reporttest.Build(t, []report.Module{{Needs: &requirement.Requirements{Aspects: []aspect.Aspect{aspect.FP64}}, Kernels: reporttest.Kernels("k"), Images: []report.ModuleImage{reporttest.IR(1)}}}, "intel_gpu_dg2")
		r.Kernels[0].DisplayName = name
		r.Devices[0].Name = name
		reason := &r.Outcome(0, 0).Reasons[0]
		reason.Required, reason.Text = required, name
		for line := range strings.Lines(text(t, TextOptions{}, r)) {
			checkVisible(t, line)
			// Continuous integration systems interpret such lines as commands.
			if strings.HasPrefix(strings.TrimSpace(line), "::") || strings.Contains(line, "##[") {
				t.Errorf("line is a command: %q", line)
			}
		}
		o := HTMLOptions{}
		if lazy {
			o.MaxCells = 1
		}
		page := pageText(t, r, o)
		checkVisible(t, page)
		if strings.Count(page, "<script") != 2 || strings.Count(page, "</script") != 2 || strings.Count(page, "<details") > 2 {
			t.Errorf("name became markup in %q", page)
		}
		for line := range strings.Lines(markdown(t, r, MarkdownOptions{})) {
			if line = strings.TrimSuffix(line, "\n"); strings.HasPrefix(line, "| `") {
				if got := outsideSpans(t, line); got != "| CODE | ❌ no: CODE |" {
					t.Errorf("row %q from %q", got, line)
				}
			}
		}
		rows, err := csv.NewReader(strings.NewReader(csvText(t, r))).ReadAll()
		if err != nil || len(rows) != 2 || len(rows[0]) != len(rows[1]) {
			t.Errorf("rows %q, %v", rows, err)
		}
	})
}

// withConstants returns a report on the program with specialization constants in an image.
func withConstants(t *testing.T, constants []report.Constant) *report.Report {
	modules := reporttest.Program()
	modules[1].Images[1].Constants = &constants
	return reporttest.Build(t, modules, "intel_gpu_pvc")
}

var tileAndFlag = []report.Constant{
	{DisplayName: "app::<b>tile", Name: "_Z4tile", Parts: []report.ConstantPart{{Default: "16", Size: 4, Type: "i32"}, {Default: "2.5", Number: 1, Offset: 4, Size: 4, Type: "float"}}},
	{DisplayName: "flag\x1b", Name: "_Z4flag", Parts: []report.ConstantPart{{Default: "bytes:01", Number: 2, Size: 1}}},
}

// TestConstants checks that all human-readable formats include the specialization constants, safely
// escaped, and truncated if there are many.
func TestConstants(t *testing.T) {
	r := withConstants(t, tileAndFlag)
	const plain = "\nSpecialization constants and their default values:\n    app::<b>tile: i32 16, float 2.5, in images of Fp64Axpy.\n    flag\\u{1b}: bytes:01, in images of Fp64Axpy.\n"
	quoted := "\n<summary>Specialization constants and their default values</summary>\n\n- `app::<b>tile: i32 16, float 2.5`, in images of `Fp64Axpy`\n- `flag\\u{1b}: bytes:01`, in images of `Fp64Axpy`\n\n</details>\n"
	for name, test := range map[string]struct{ got, want string }{
		"a table":        {text(t, TextOptions{Width: 200}, r), plain},
		"groups":         {text(t, TextOptions{Width: 200, GroupBy: ByReason}, r), plain},
		"everything":     {text(t, TextOptions{Width: 200, All: true}, r), plain},
		"Markdown":       {markdown(t, r, MarkdownOptions{}), quoted},
		"short Markdown": {markdown(t, r, MarkdownOptions{MaxBytes: 10000}), quoted},
	} {
		if !strings.Contains(test.got, test.want) {
			t.Errorf("%s lacks %q:\n%s", name, test.want, test.got)
		}
	}

	modules := reporttest.Program()
	modules[0].Images[0].Constants, modules[1].Images[1].Constants = &tileAndFlag, &tileAndFlag
	if got, want := text(t, TextOptions{}, reporttest.Build(t, modules, "intel_gpu_pvc")), "\n    flag\\u{1b}: bytes:01, in images of 3 kernels.\n"; !strings.Contains(got, want) {
		t.Errorf("images of two modules: missing %q:\n%s", want, got)
	}

	var many []report.Constant
	for i := range 13 {
		many = append(many, report.Constant{DisplayName: fmt.Sprintf("c%02d", i), Name: fmt.Sprintf("c%02d", i), Parts: []report.ConstantPart{{Default: "1", Number: uint32(i), Size: 4}}})
	}
	r = withConstants(t, many)
	for name, test := range map[string]struct{ got, want string }{
		"a table":        {text(t, TextOptions{Width: 200}, r), "\n    c09: 1, in images of Fp64Axpy.\n    and 3 more, which the JSON report lists.\n"},
		"everything":     {text(t, TextOptions{Width: 200, All: true}, r), "\n    c12: 1, "},
		"Markdown":       {markdown(t, r, MarkdownOptions{}), "\n- `c12: 1`, "},
		"short Markdown": {markdown(t, r, MarkdownOptions{MaxBytes: 10000}), "\n- `c09: 1`, in images of `Fp64Axpy`\n- and 3 more, which the JSON report lists\n"},
	} {
		if !strings.Contains(test.got, test.want) {
			t.Errorf("%s with many constants lacks %q:\n%s", name, test.want, test.got)
		}
	}
}

// TestSharedImageList checks that kernels with the same images share a list.
func TestSharedImageList(t *testing.T) {
	names := [][]string{{"x", "y", "x"}, {"y", "z"}}
	kind := 0
	list := newTable(&report.Report{ImageKinds: make([]report.ImageKind, 2), Images: []report.Image{{Kind: 0}, {Kind: 1}}}).collectFromImages(func(*report.ImageKind) []string {
		kind++
		return names[kind-1]
	})
	both, one := &report.Kernel{Images: []int32{0, 1}}, &report.Kernel{Images: []int32{0}}
	for k, want := range map[*report.Kernel]string{both: "[x y z]", one: "[x y]", {}: "[]"} {
		if got := fmt.Sprint(list(k)); got != want {
			t.Errorf("images %d: %s, want %s", k.Images, got, want)
		}
	}
	if n := testing.AllocsPerRun(10, func() { list(one) }); n > 0 {
		t.Errorf("cached list takes %v allocations", n)
	}
}

// TestConstantsOnPage checks that the page has the specialization constants of each kernel, and
// each distinct list once.
func TestConstantsOnPage(t *testing.T) {
	r := withConstants(t, tileAndFlag)
	page := pageText(t, r, HTMLOptions{})
	const list = `["app::<b>tile: i32 16, float 2.5","flag\\u{1b}: bytes:01"]`
	if want := `"constants":[` + list + "]"; strings.Count(page, want) != 1 || strings.Count(page, `"c":1}`) != 1 {
		t.Errorf("page lacks %s", want)
	}
	modules := reporttest.Program()
	modules[0].Images[0].Constants, modules[1].Images[1].Constants = &tileAndFlag, &tileAndFlag
	data := pageText(t, reporttest.Build(t, modules, "intel_gpu_pvc"), HTMLOptions{MaxCells: 1})
	if want := `"constants":[` + list + "," + list + "]"; strings.Count(data, want) != 1 {
		t.Errorf("input of the script lacks %s", want)
	}
	if one, two := strings.Count(data, `"c":1}`), strings.Count(data, `"c":2}`); one != 1 || two != 2 {
		t.Errorf("kernels with the first list: %d, with the second: %d", one, two)
	}
}
