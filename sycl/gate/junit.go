package gate

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
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// maxJUnit is up to how many test cases those that pass are listed.
const maxJUnit = 100_000

// WriteJUnit writes a result as JUnit XML: a suite for each device, a test case
// for each kernel. Findings that fail the gate are failures; those that do not,
// and verdicts that are missing, are skipped. Findings about no device have a
// suite of their own.
func WriteJUnit(w io.Writer, r *Result) error {
	j := &junit{w: bufio.NewWriter(w), bySuite: map[string]map[junitCase][]*Finding{}}
	for i := range r.Findings {
		f := &r.Findings[i]
		at := junitCase{f.Target, f.Name}
		if f.Name == "" {
			at.kernel = string(f.Rule)
		}
		suites := []string{""}
		if len(f.Devices) > 0 && f.Name != "" {
			suites = nil
			for _, d := range f.Devices {
				suites = append(suites, d.ID)
			}
		}
		for _, s := range suites {
			if j.bySuite[s] == nil {
				j.bySuite[s] = map[junitCase][]*Finding{}
			}
			j.bySuite[s][at] = append(j.bySuite[s][at], f)
		}
	}
	j.suites(r)
	return j.w.Flush()
}

type junitCase struct{ target, kernel string }

type junit struct {
	w       *bufio.Writer
	bySuite map[string]map[junitCase][]*Finding
}

func (j *junit) suites(r *Result) {
	j.w.WriteString(xml.Header + "<testsuites name=\"SYCL compatibility\">\n")
	if own := j.bySuite[""]; len(own) > 0 {
		var s junitSuite
		for _, at := range slices.SortedFunc(maps.Keys(own), compareCases) {
			s.add(at, at.kernel, own[at], compat.NoVerdict, r)
		}
		s.write(j.w, "checks")
	}
	for _, d := range r.Devices {
		var s junitSuite
		for _, t := range r.targets {
			col := t.column(d.ID)
			for row, k := range t.kernels {
				at := junitCase{t.label, k.name}
				v := t.verdict(row, col)
				list := j.bySuite[d.ID][at]
				if len(list) == 0 && (r.Counts.Cells > maxJUnit || col < 0) {
					continue
				}
				s.add(at, k.display, list, v, r)
			}
		}
		s.write(j.w, d.ID)
	}
	j.w.WriteString("</testsuites>\n")
}

func compareCases(a, b junitCase) int {
	return cmp.Or(strings.Compare(a.target, b.target), strings.Compare(a.kernel, b.kernel))
}

type junitSuite struct {
	body                   strings.Builder
	tests, failed, skipped int
}

func (s *junitSuite) add(at junitCase, display string, list []*Finding, v compat.Verdict, r *Result) {
	s.tests++
	fmt.Fprintf(&s.body, "    <testcase classname=\"%s\" name=\"%s\"", xmlText(at.target), xmlText(display))
	var failures, others []string
	var rule RuleID
	place := ""
	for _, f := range list {
		line := stop(f.Message())
		if p := f.Place(); p != "" {
			line = p + ": " + line
		}
		if status := plainWords.status(f); status != "" {
			line += " (" + status + ")"
		}
		if !f.Fails {
			others = append(others, line)
			continue
		}
		if rule == "" {
			rule, place = f.Rule, f.Path
		}
		failures = append(failures, line)
	}
	if place != "" {
		fmt.Fprintf(&s.body, " file=\"%s\"", xmlText(place))
	}
	switch {
	case len(failures) > 0:
		s.failed++
		fmt.Fprintf(&s.body, ">\n      <failure type=\"%s\" message=\"%s\">%s</failure>\n    </testcase>\n", xmlText(string(rule)), xmlText(failures[0]), xmlText(strings.Join(append(failures, others...), "\n")))
	case len(others) > 0:
		s.skipped++
		fmt.Fprintf(&s.body, ">\n      <skipped message=\"%s\"/>\n    </testcase>\n", xmlText(strings.Join(others, " ")))
	case v != compat.Compatible:
		s.skipped++
		why := "the policy ignores what keeps it from running"
		if v == compat.NoVerdict {
			why = "no report has a verdict"
		}
		fmt.Fprintf(&s.body, ">\n      <skipped message=\"%s\"/>\n    </testcase>\n", why)
	default:
		s.body.WriteString("/>\n")
	}
}

func (s *junitSuite) write(w *bufio.Writer, name string) {
	fmt.Fprintf(w, "  <testsuite name=\"%s\" tests=\"%d\" failures=\"%d\" errors=\"0\" skipped=\"%d\">\n", xmlText(name), s.tests, s.failed, s.skipped)
	w.WriteString(s.body.String())
	w.WriteString("  </testsuite>\n")
}

// xmlText makes text harmless and then fit for XML. Line breaks between
// sentences stay.
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
