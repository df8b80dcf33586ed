package lint

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

// A ctsRow is the result of a category of SYCL-CTS with one host compiler.
type ctsRow struct {
	category, host, build, sources           string
	tests, passed, failed, disabled, skipped int
	failing                                  []string
	err                                      string
	ran                                      bool
}

// failures returns the names of the row's failed tests, or the error of its build.
func (r ctsRow) failures() []string {
	if r.build == "not run yet" {
		return nil
	}
	if r.build != "yes" {
		return []string{r.build + ": " + r.err}
	}
	return r.failing
}

// A ctsFault is the cause of a failure.
type ctsFault struct {
	name                    string
	category, host, failure *regexp.Regexp
	whose, evidence         string
}

// matches reports whether the fault is the cause of a failure in a row.
func (f ctsFault) matches(r ctsRow, failure string) bool {
	return f.category.MatchString(r.category) && f.host.MatchString(r.host) && f.failure.MatchString(failure)
}

// ctsResults parses docs/project/sycl-cts.tsv, which .ci/sycl-cts writes. It returns the versions,
// all categories of the suite, and the rows.
func ctsResults(t *testing.T, root string) (versions string, categories []string, rows []ctsRow) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs", "project", "sycl-cts.tsv"))
	testkit.NoError(t, err)
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	for _, line := range lines[3:] {
		c := strings.Split(line, "\t")
		if len(c) != 11 {
			t.Fatalf("sycl-cts.tsv: %q has %d columns; expected 11", line, len(c))
		}
		row := ctsRow{category: c[0], host: c[1], build: c[2], sources: c[3], err: c[10]}
		if c[9] != "" {
			row.failing = strings.Split(c[9], " ; ")
		}
		if row.ran = c[4] != ""; row.ran {
			for i, n := range []*int{&row.tests, &row.passed, &row.failed, &row.disabled, &row.skipped} {
				*n, err = strconv.Atoi(c[4+i])
				testkit.NoError(t, err)
			}
			if row.passed+row.failed+row.disabled+row.skipped != row.tests || len(row.failing) != row.failed {
				t.Errorf("sycl-cts.tsv: %s, %s: the numbers of tests contradict each other", row.category, row.host)
			}
		}
		rows = append(rows, row)
	}
	return strings.TrimPrefix(lines[0], "# "), strings.Fields(strings.TrimPrefix(lines[1], "# categories:")), rows
}

// ctsFaults parses docs/project/sycl-cts-faults.tsv.
func ctsFaults(t *testing.T, root string) (list []ctsFault) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs", "project", "sycl-cts-faults.tsv"))
	testkit.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		c := strings.Split(line, "\t")
		if len(c) != 6 || !slices.Contains([]string{"ours", "DPC++", "CPU device", "suite", "limit"}, c[4]) {
			t.Fatalf("sycl-cts-faults.tsv: %q is not a name, three patterns, whose fault it is, and the evidence", line)
		}
		list = append(list, ctsFault{c[0], regexp.MustCompile("^(?:" + c[1] + ")$"), regexp.MustCompile("^(?:" + c[2] + ")"), regexp.MustCompile(c[3]), c[4], c[5]})
	}
	return list
}

// TestCTSPage checks that docs/project/sycl-cts.md is generated from the results and the faults,
// that each failure has a fault or is marked as not examined, and that each fault explains a
// failure.
func TestCTSPage(t *testing.T) {
	root := tree(t)
	versions, categories, rows := ctsResults(t, root)
	faults := ctsFaults(t, root)
	versions, _, _ = strings.Cut(versions, ";")

	var hosts []string
	for _, r := range rows {
		if !slices.Contains(hosts, r.host) {
			hosts = append(hosts, r.host)
		}
	}
	slices.Sort(hosts)

	var b strings.Builder
	fmt.Fprintf(&b, `# SYCL-CTS

Khronos' conformance suite for SYCL 2020, [SYCL-CTS](https://github.com/KhronosGroup/SYCL-CTS), was built by `+"`syclc++`"+` and run on the CPU.
The suite is unchanged. Its own CMake configured it, with its default settings for DPC++; `+"`icpx`"+` was a symbolic link to `+"`syclc++`"+`. None
of its files are part of this project. The default settings omit combinations of types that a conformance submission needs, so these results are
not a submission to Khronos. OpenCL's headers are from the suite, and its loader from PyPI.

Versions: %s.

| Host compiler | Categories that build | Run | Tests | Passed | Failed | Disabled | Skipped |
|---|---|---|---|---|---|---|---|
`, versions)
	for _, host := range hosts {
		var sum ctsRow
		run, built := 0, 0
		for _, r := range rows {
			if r.host == host {
				if r.ran {
					run++
				}
				if r.build == "yes" {
					built++
				}
				sum.tests += r.tests
				sum.passed += r.passed
				sum.failed += r.failed
				sum.disabled += r.disabled
				sum.skipped += r.skipped
			}
		}
		fmt.Fprintf(&b, "| %s | %d of %d | %d | %d | %d | %d | %d | %d |\n", host, built, len(categories), run, sum.tests, sum.passed, sum.failed, sum.disabled, sum.skipped)
	}
	b.WriteString(`
A test is *disabled* if the suite itself excludes it for DPC++ at compile time, and *skipped* if it skips itself at run time, because the device
lacks a feature. Disabled tests fail by the suite's definition. Categories marked
*not run yet* were neither built nor run.

To reproduce a category:

` + "```" + `
git clone --recurse-submodules https://github.com/KhronosGroup/SYCL-CTS.git /tmp/cts
git -C /tmp/cts checkout --recurse-submodules 2397e7bd
.ci/sycl-cts --category range --results /tmp/cts.tsv /tmp/cts
` + "```" + `

`)
	b.WriteString("`.github/workflows/nightly.yml` runs the whole suite. That workflow has not been run yet.\n\n")
	b.WriteString("This page is generated from [sycl-cts.tsv](sycl-cts.tsv), which `.ci/sycl-cts` writes, and from\n" +
		"[sycl-cts-faults.tsv](sycl-cts-faults.tsv), by `go test ./tools/lint -update`.\n\n## Results\n\n" +
		"| Category | Host compiler | Sources | Status | Tests | Passed | Failed | Disabled | Skipped | Cause |\n|---|---|---|---|---|---|---|---|---|---|\n")
	used := map[string]bool{}
	all := slices.Clone(rows)
	for _, host := range hosts {
		for _, c := range categories {
			if !slices.ContainsFunc(rows, func(r ctsRow) bool { return r.category == c && r.host == host }) {
				all = append(all, ctsRow{category: c, host: host, build: "not run yet", sources: "-"})
			}
		}
	}
	slices.SortFunc(all, func(a, b ctsRow) int { return cmp.Or(cmp.Compare(a.category, b.category), cmp.Compare(a.host, b.host)) })
	for _, r := range all {
		var causes []string
		for _, failure := range r.failures() {
			cause := "not examined"
			for _, f := range faults {
				if f.matches(r, failure) {
					used[f.name] = true
					cause = fmt.Sprintf("%s ([%s](#known-issues))", f.whose, f.name)
					break
				}
			}
			if !slices.Contains(causes, cause) {
				causes = append(causes, cause)
			}
		}
		status, tests := r.build, [5]string{"-", "-", "-", "-", "-"}
		switch {
		case r.ran:
			for i, n := range []int{r.tests, r.passed, r.failed, r.disabled, r.skipped} {
				tests[i] = strconv.Itoa(n)
			}
			status = "run"
		case r.build == "not run yet":
		case r.build == "yes":
			status = "built, not run yet"
		case r.build == "no":
			status = "does not build"
		default:
			status = "not built within the time limit"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", r.category, r.host, r.sources, status, strings.Join(tests[:], " | "), strings.Join(causes, ", "))
	}
	if len(faults) > 0 {
		b.WriteString("\n## Known issues\n\n| Issue | Project | Evidence | Failures |\n|---|---|---|---|\n")
	}
	for _, f := range faults {
		if !used[f.name] {
			t.Errorf("sycl-cts-faults.tsv: %s explains no failure in sycl-cts.tsv; remove it", f.name)
		}
		var failures []string
		for _, r := range rows {
			for _, failure := range r.failures() {
				if text := r.category + ": `" + strings.ReplaceAll(failure, "|", "\\|") + "`"; f.matches(r, failure) && !slices.Contains(failures, text) {
					failures = append(failures, text)
				}
			}
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", f.name, f.whose, f.evidence, strings.Join(failures, "; "))
	}
	var open []string
	for _, r := range rows {
		for _, failure := range r.failures() {
			if !slices.ContainsFunc(faults, func(f ctsFault) bool { return f.matches(r, failure) }) {
				open = append(open, fmt.Sprintf("- %s, %s: `%s`\n", r.category, r.host, failure))
			}
		}
	}
	if open != nil {
		b.WriteString("\nThese failures were not examined yet:\n\n" + strings.Join(open, ""))
	}
	testkit.GoldenFile(t, filepath.Join(root, "docs", "project", "sycl-cts.md"), b.String())
}
