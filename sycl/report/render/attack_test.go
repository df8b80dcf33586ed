package render

import (
	"encoding/csv"
	"regexp"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/reporttest"
	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
)

// withName returns a report on one kernel with the given name.
func withName(t testing.TB, name string) *report.Report {
	return reporttest.Build(t, []report.Module{{Needs: &requirement.Requirements{}, Kernels: []report.ModuleKernel{{Name: name}}, Images: reporttest.Native(1, "intel_gpu_pvc")}}, "intel_gpu_pvc")
}

func TestAttackS7MarkupInThePage(t *testing.T) {
	for _, name := range []string{"</script><script>alert(1)</script>", "<!-- <script>", "</SCRIPT >", "<ScRiPt>x", "x<!-", "a\u2028b", "javascript:alert(1)", `"><img src=x onerror=alert(1)>`} {
		for _, o := range []HTMLOptions{{}, {MaxCells: 1}} {
			r := withName(t, name)
			r.Targets[0] = name
			plain := withName(t, "kernel")
			plain.Targets[0] = "kernel"
			text, without := pageText(t, r, o), pageText(t, plain, o)
			// The only text that is special in JSON in a script element ends the element or begins a comment.
			for _, part := range []string{"<script", "</script", "<!--"} {
				if got, want := strings.Count(strings.ToLower(text), part), strings.Count(without, part); got != want {
					t.Errorf("%q: page contains %q %d times, want %d as with a plain name", name, part, got, want)
				}
			}
			data := regexp.MustCompile(`(?s)<script type="application/json" id="data">.*?</script>`)
			text, without = data.ReplaceAllString(text, ""), data.ReplaceAllString(without, "")
			for _, part := range []string{"<script", "</script", "<!--", "<img", `href="javascript`, `href=javascript`} {
				if got, want := strings.Count(text, part), strings.Count(without, part); got != want {
					t.Errorf("%q: page contains %q %d times, want %d as with a plain name", name, part, got, want)
				}
			}
			if strings.ContainsRune(text, '\u2028') {
				t.Errorf("%q: page contains a line separator", name)
			}
		}
	}
}

func TestAttackS25Formulas(t *testing.T) {
	for _, name := range []string{"=cmd()", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", " =1", "＝1", "a\n=1", `"=1`} {
		rows, err := csv.NewReader(strings.NewReader(csvText(t, withName(t, name)))).ReadAll()
		testkit.NoError(t, err)
		for _, row := range rows {
			for _, field := range row {
				if strings.IndexAny(strings.TrimLeft(field, " \t\r\n\""), "=+-@＝＋－＠") == 0 {
					t.Errorf("%q: cell is a formula: %q", name, field)
				}
			}
		}
	}
}
