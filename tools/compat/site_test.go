package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/docs"
	"github.com/rules-sycl/rules_sycl/internal/reporttest"
	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/report"
)

func wheel(name string, r *report.Report) *report.Report {
	r.Files = append(r.Files, report.File{Name: "dist/" + name + "/k.so"})
	return r
}

func siteReports(kernels int) (names []string, list []*report.Report) {
	fp64 := []report.Reason{reporttest.FP64}
	old, now, win := map[string]reporttest.Problems{}, map[string]reporttest.Problems{}, map[string]reporttest.Problems{}
	for i := range kernels {
		old[fmt.Sprintf("v1::K<%d>", i)] = reporttest.Problems{}
		now[fmt.Sprintf("v2::K<%d>", i)] = reporttest.Problems{"a10": map[bool][]report.Reason{true: fp64}[i%3 == 0]}
		win[fmt.Sprintf("v2::K<%d>", i)] = reporttest.Problems{"a10": fp64, "a9": {reporttest.Maybe}}
	}
	devices := []string{"a10", "a9"}
	list = []*report.Report{
		wheel("lib-0.9-py3-none-manylinux_2_28_x86_64.whl", reporttest.Report("lib/k.so", devices, old)),
		wheel("lib-0.10-py3-none-manylinux_2_28_x86_64.whl", reporttest.Report("lib/k.so", devices, now)),
		wheel("lib-0.10-py3-none-win_amd64.whl", reporttest.Report("lib/k.so", devices, win)),
		reporttest.Report("//other:lib", []string{"b"}, map[string]reporttest.Problems{"K": {}}),
	}
	return []string{"1.json", "2.json", "3.json", "4.json"}, list
}

func writeSite(t *testing.T, dir string, names []string, list []*report.Report) map[string]string {
	t.Helper()
	s, err := newSite(names, list)
	testkit.NoError(t, err)
	testkit.NoError(t, s.Write(dir))
	found := map[string]string{}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			var data []byte
			data, err = os.ReadFile(path)
			rel, _ := filepath.Rel(dir, path)
			found[filepath.ToSlash(rel)] = string(data)
		}
		return err
	})
	testkit.NoError(t, err)
	return found
}

var siteLink = regexp.MustCompile(`(?:href|src|data-rows)="([^"]*)"`)

// checkSite checks that links lead to existing files and anchors, that nothing is loaded from
// elsewhere and that pages are below 1 MB.
func checkSite(t *testing.T, found map[string]string) {
	t.Helper()
	for name, text := range found {
		if len(text) > 1_000_000 && !strings.HasPrefix(name, "reports/") {
			t.Errorf("%s has %d bytes", name, len(text))
		}
		if !strings.HasSuffix(name, ".html") {
			continue
		}
		if !strings.Contains(text, `content="default-src 'none'; style-src 'self'; script-src 'self';`) || strings.Contains(text, "<style") || strings.Contains(text, " style=") {
			t.Errorf("%s: policy", name)
		}
		for _, m := range siteLink.FindAllStringSubmatch(text, -1) {
			to, fragment, _ := strings.Cut(m[1], "#")
			if strings.HasPrefix(m[0], "data-rows") {
				to += "-0.js"
			}
			target := filepath.ToSlash(filepath.Join(filepath.Dir(name), filepath.FromSlash(to)))
			if to == "" {
				target = name
			}
			content, ok := found[target]
			if !ok || fragment != "" && !strings.Contains(content, `id="`+fragment+`"`) {
				t.Errorf("%s: link %s", name, m[1])
			}
		}
	}
}

func TestSite(t *testing.T) {
	names, list := siteReports(9)
	dir := filepath.Join(t.TempDir(), "site")
	found := writeSite(t, dir, names, list)
	checkSite(t, found)
	testkit.Golden(t, "site/index.html", found["index.html"])
	testkit.Golden(t, "site/lib.html", found["l/lib.html"])
	testkit.Golden(t, "site/data.json", found["data.json"])
	if err := testkit.ValidateJSON(docs.SiteSchema, []byte(found["data.json"])); err != nil {
		t.Error(err)
	}
	testkit.Golden(t, "site/badge.svg", found["b/lib/a10.svg"])

	// The order of the reports does not matter, and existing files are removed.
	testkit.WriteFile(t, filepath.Join(dir, "l", "stale.html"), "")
	slices.Reverse(names)
	slices.Reverse(list)
	again := writeSite(t, dir, names, list)
	for name := range again {
		if again[name] != found[name] {
			t.Errorf("%s differs", name)
		}
	}
	if len(again) != len(found) {
		t.Errorf("%d files, then %d", len(found), len(again))
	}
	if entries, _ := os.ReadDir(filepath.Dir(dir)); len(entries) != 1 {
		t.Errorf("left beside the site: %v", entries)
	}
}

// TestSiteOnePackage checks that a package has one entry, regardless of how its wheels spell its
// name, and that a version counts once for all Python versions.
func TestSiteOnePackage(t *testing.T) {
	fp64, maybe := []report.Reason{reporttest.FP64}, []report.Reason{reporttest.Maybe}
	kernels := map[string]reporttest.Problems{"K": {}, "L": {"a": fp64}, "M": {"a": maybe}}
	devices := []string{"a", "b"}
	list := []*report.Report{
		wheel("My.Lib-1.0-py3-none-manylinux_2_28_x86_64.whl", reporttest.Report("My.Lib/lib/libk.so", devices, kernels)),
		wheel("my_lib-1.1-cp310-cp310-manylinux_2_28_x86_64.whl", reporttest.Report("my_lib/k.cpython-310-x86_64-linux-gnu.so", devices, kernels)),
		wheel("my_lib-1.1-cp39-cp39-manylinux_2_28_x86_64.whl", reporttest.Report("my_lib/k.cpython-39-x86_64-linux-gnu.so", devices, kernels)),
	}
	s, err := newSite([]string{"1", "2", "3"}, list)
	testkit.NoError(t, err)
	if len(s.Libraries) != 1 || len(s.Libraries[0].Versions) != 2 {
		t.Fatalf("%d libraries: %+v", len(s.Libraries), s.Libraries[0])
	}
	for _, v := range s.Libraries[0].Versions {
		if v.Kernels != 3 || len(v.Shares) != 2 || v.Shares[0].Runs != 1 || v.Shares[0].Unknown() != " + 1 ?" {
			t.Errorf("%s: %d kernels, %+v", v.Name, v.Kernels, v.Shares[0])
		}
	}
	for _, p := range s.Problems {
		if p.Versions() != 2 {
			t.Errorf("%s: %d versions", p.Name, p.Versions())
		}
	}
	if page := writeSite(t, filepath.Join(t.TempDir(), "site"), []string{"1", "2", "3"}, list)["index.html"]; strings.Count(page, "2 versions") != len(s.Problems) || !strings.Contains(page, "&#43; 1 ?") {
		t.Error(page)
	}
}

// TestSiteSchema compares the published schema with the types of data.json.
func TestSiteSchema(t *testing.T) {
	var s map[string]any
	if err := json.Unmarshal(docs.SiteSchema, &s); err != nil || s["$id"] != siteSchema {
		t.Fatal(err, s["$id"])
	}
	at := func(path ...string) map[string]any {
		v := s
		for _, p := range path {
			v = v["properties"].(map[string]any)[p].(map[string]any)["items"].(map[string]any)
		}
		return v["properties"].(map[string]any)
	}
	testkit.SameMembers(t, site{}, at())
	testkit.SameMembers(t, siteLibrary{}, at("libraries"))
	testkit.SameMembers(t, siteVersion{}, at("libraries", "versions"))
	testkit.SameMembers(t, siteShare{}, at("libraries", "versions", "devices"))
	testkit.SameMembers(t, siteOccurrence{}, at("libraries", "versions", "problems"))
	testkit.SameMembers(t, siteDevice{}, at("devices"))
	testkit.SameMembers(t, siteProblem{}, at("problems"))
}

func TestSiteManyKernels(t *testing.T) {
	names, list := siteReports(20_000)
	found := writeSite(t, filepath.Join(t.TempDir(), "site"), names, list)
	checkSite(t, found)
	kernels := 0
	for n := 0; ; n++ {
		text, ok := found[fmt.Sprintf("rows/lib/0.10-linux-%d.js", n)]
		if !ok {
			break
		}
		call := fmt.Sprintf(`siteRows("lib/0.10-linux",%d,`, n)
		var part struct {
			Rows [][]any `json:"rows"`
		}
		testkit.NoError(t, json.Unmarshal([]byte(strings.TrimSuffix(strings.TrimPrefix(text, call), ");\n")), &part))
		kernels += len(part.Rows)
	}
	if kernels != 20_000 {
		t.Errorf("%d kernels", kernels)
	}
}

func TestSiteHostileNames(t *testing.T) {
	attacks := []string{"../../etc/passwd", "/abs", `C:\x`, "CON", ".", "..", "</script><script>alert(1)</script>", `"><img src=x onerror=alert(1)>`, "a\x00b\u202e", strings.Repeat("long", 5000), "{{.}}", "ä", "x?#%2e", "']);alert(1)//", "A", "a"}
	var names []string
	var list []*report.Report
	for i, a := range attacks {
		names = append(names, fmt.Sprint(i))
		reason := report.Reason{Rule: compat.Rule(a), Required: a, Text: a, Status: reporttest.FP64.Status}
		list = append(list, reporttest.Report(a, []string{a + "d"}, map[string]reporttest.Problems{a: {a + "d": {reason}}, "other": {}}))
	}
	found := writeSite(t, filepath.Join(t.TempDir(), "site"), names, list)
	checkSite(t, found)
	name := regexp.MustCompile(`^([a-z]+/)?([a-z0-9][a-z0-9._-]*/)?[a-z0-9][a-z0-9._-]{0,80}$`)
	for file, text := range found {
		if !name.MatchString(file) {
			t.Errorf("file %q", file)
		}
		if strings.HasSuffix(file, ".json") {
			continue
		}
		for _, bad := range []string{"<script>alert", "<img src=x", "\x00", "\u202e"} {
			if strings.Contains(text, bad) {
				t.Errorf("%s has %q", file, bad)
			}
		}
	}
}

func TestSiteRefused(t *testing.T) {
	for _, name := range []string{"dpctl-0.9-py3-none-manylinux_2_28_x86_64.whl", "lib-0.8-py3-none-manylinux_2_28_x86_64.whl", "lib-0.9-py3-none-win_amd64.whl"} {
		_, list := siteReports(1)
		both := wheel(name, list[0])
		if _, err := newSite([]string{"both.json"}, []*report.Report{both}); err == nil || !strings.Contains(err.Error(), "write one report per wheel") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	dir := t.TempDir()
	testkit.WriteFile(t, filepath.Join(dir, "thesis.txt"), "")
	_, list := siteReports(1)
	s, err := newSite([]string{"1.json"}, list[:1])
	testkit.NoError(t, err)
	if err := s.Write(dir); err == nil || !strings.Contains(err.Error(), "refusing to replace a directory") {
		t.Errorf("got %v", err)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "thesis.txt")); err != nil || !bytes.Equal(data, nil) {
		t.Error("a file of somebody else is gone")
	}
}
