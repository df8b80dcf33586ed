package render

import (
	"bufio"
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/gate"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	"github.com/rules-sycl/rules_sycl/sycl/show"
)

// maxJUnit is the maximum number of statuses for which passing test cases are listed.
const maxJUnit = 100_000

// JUnit writes a result as JUnit XML, with a suite per device and a test case per kernel. Findings
// that fail the gate are failures; other findings and missing statuses are skipped. Findings
// without a device and notices are in a separate suite.
//
// It does not use encoding/xml, which cannot write the short form of empty elements.
func JUnit(w io.Writer, r *gate.Result) error {
	out := bufio.NewWriter(w)
	out.WriteString(xml.Header + "<testsuites name=\"SYCL compatibility\">\n")
	bySuite := findingsBySuite(r)
	var checks junitSuite
	for _, at := range slices.SortedFunc(maps.Keys(bySuite[""]), func(a, b junitCase) int {
		return cmp.Or(strings.Compare(a.target, b.target), strings.Compare(a.kernel, b.kernel))
	}) {
		checks.add(at, at.kernel, bySuite[""][at], compat.NoStatus)
	}
	for i := range r.Notices {
		checks.notice(&r.Notices[i])
	}
	if checks.tests > 0 {
		checks.write(out, "checks")
	}
	short := r.Counts.Cells > maxJUnit
	for _, d := range r.Devices {
		var s junitSuite
		for v := range r.Statuses(d.ID) {
			at := junitCase{v.Target, v.Name}
			if list := bySuite[d.ID][at]; len(list) > 0 || !short {
				s.add(at, v.Kernel, list, v.Status)
			}
		}
		s.write(out, d.ID)
	}
	out.WriteString("</testsuites>\n")
	return out.Flush()
}

// junitCase identifies a test case of a suite.
type junitCase struct{ target, kernel string }

// findingsBySuite returns the findings by device and test case. Findings without a device are in
// the suite "", with the rule instead of a missing kernel.
func findingsBySuite(r *gate.Result) map[string]map[junitCase][]*gate.Finding {
	all := map[string]map[junitCase][]*gate.Finding{}
	add := func(suite string, at junitCase, f *gate.Finding) {
		if all[suite] == nil {
			all[suite] = map[junitCase][]*gate.Finding{}
		}
		all[suite][at] = append(all[suite][at], f)
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Name == "" || len(f.Devices) == 0 {
			add("", junitCase{f.Target, cmp.Or(f.Name, string(f.Rule))}, f)
			continue
		}
		for _, d := range f.Devices {
			add(d.ID, junitCase{f.Target, f.Name}, f)
		}
	}
	return all
}

type junitSuite struct {
	body                   strings.Builder
	tests, failed, skipped int
}

// add adds a test case with its findings.
func (s *junitSuite) add(at junitCase, display string, list []*gate.Finding, v compat.Status) {
	s.tests++
	fmt.Fprintf(&s.body, "    <testcase classname=\"%s\" name=\"%s\"", xmlText(at.target), xmlText(display))
	var failures, steps, others []string
	var first *gate.Finding // the first one that fails
	for _, f := range list {
		if !f.Fails {
			others = append(others, junitLine(f))
			continue
		}
		first = cmp.Or(first, f)
		failures = append(failures, junitLine(f))
		if next := "Next: " + Next(f); Next(f) != "" && !slices.Contains(steps, next) {
			steps = append(steps, next)
		}
	}
	switch {
	case first != nil:
		s.failed++
		if first.Path != "" {
			s.body.WriteString(` file="`)
			xml.EscapeText(&s.body, []byte(first.Path)) // the path of a file, so not sanitized
			s.body.WriteByte('"')
		}
		fmt.Fprintf(&s.body, ">\n      <failure type=\"%s\" message=\"%s\">%s</failure>\n    </testcase>\n",
			xmlText(string(first.Rule)), xmlText(failures[0]), xmlText(strings.Join(slices.Concat(failures, steps, others), "\n")))
	case len(others) > 0:
		s.skip(strings.Join(others, " "))
	case v == compat.NoStatus:
		s.skip("no report contains a status")
	case v != compat.Compatible:
		s.skip("does not run, but the policy ignores the reason")
	default:
		s.body.WriteString("/>\n")
	}
}

// notice adds a test case for a notice.
func (s *junitSuite) notice(n *gate.Notice) {
	s.tests++
	fmt.Fprintf(&s.body, "    <testcase classname=\"%s\" name=\"%s\"", xmlText(n.File), xmlText(string(n.Rule)))
	text := show.Sentence(safetext.Escape(n.Text))
	if !n.Fails {
		s.skip(fmt.Sprintf("%v: %s", n.Severity, text))
		return
	}
	s.failed++
	fmt.Fprintf(&s.body, ">\n      <failure type=\"%s\" message=\"%s\"/>\n    </testcase>\n", xmlText(string(n.Rule)), xmlText(text))
}

func (s *junitSuite) skip(why string) {
	s.skipped++
	fmt.Fprintf(&s.body, ">\n      <skipped message=\"%s\"/>\n    </testcase>\n", xmlText(why))
}

// junitLine returns the location of a finding, its message and its disposition.
func junitLine(f *gate.Finding) string {
	line := show.Sentence(message(f))
	if p := place(f); p != "" {
		line = p + ": " + show.FullStop(message(f))
	}
	if disposition := plainWords.disposition(f); disposition != "" {
		line += " (" + disposition + ")"
	}
	return line
}

func (s *junitSuite) write(w *bufio.Writer, name string) {
	fmt.Fprintf(w, "  <testsuite name=\"%s\" tests=\"%d\" failures=\"%d\" errors=\"0\" skipped=\"%d\">\n", xmlText(name), s.tests, s.failed, s.skipped)
	w.WriteString(s.body.String())
	w.WriteString("  </testsuite>\n")
}

// xmlText sanitizes text and escapes it for XML. It keeps line breaks between sentences.
func xmlText(s string) string {
	var b strings.Builder
	for i, line := range strings.Split(s, "\n") {
		if i > 0 {
			b.WriteByte('\n')
		}
		xml.EscapeText(&b, []byte(safetext.Escape(line)))
	}
	return b.String()
}
