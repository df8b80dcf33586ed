package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/reporttest"
	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/report"
)

// enterLarge enters a directory with the report "large report.json" and returns the report.
func enterLarge(t *testing.T) *report.Report {
	t.Helper()
	t.Chdir(t.TempDir())
	r := reporttest.Build(t, reporttest.Large(2000), "intel_gpu_dg2", "intel_gpu_pvc", "x86_64", "spir64")
	f, err := os.Create("large report.json")
	testkit.NoError(t, err)
	defer f.Close()
	testkit.NoError(t, r.Encode(f))
	return r
}

// words returns the arguments of a command as parsed by a shell.
func words(t *testing.T, command string) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "sh", "-c", "printf '%s\\n' "+command).Output()
	if err != nil {
		t.Fatalf("%s: %v", command, err)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
}

// The commands in the text of a large report show what the text omits.
func TestHintsCanBePasted(t *testing.T) {
	enterLarge(t)
	for _, args := range [][]string{
		{},
		{"--group-by", "name"},
		{"--group-by", "source"},
		{"--group-by", "file"},
		{"--group-by", "kernel"},
		{"--needs", "fp64", "--status", "incompatible"},
		{"--devices", "intel_gpu_dg2,spir64", "--sources", "src/*"},
	} {
		args = append([]string{"show", "large report.json"}, args...)
		text := mustRun(t, args...)
		if n := strings.Count(text, "\n"); n > 200 {
			t.Errorf("%q: %d lines", args, n)
		}
		hints := 0
		for line := range strings.Lines(text) {
			command, ok := strings.CutPrefix(line, "      compat ")
			if !ok {
				continue
			}
			hints++
			words := words(t, command)
			if got := mustRun(t, words...); got == text {
				t.Errorf("%q shows nothing else than %q", words, args)
			}
			// A command keeps the previous selection.
			for _, word := range args {
				if word != "kernel" && word != "name" && word != "source" && word != "file" && word != "--group-by" && !strings.Contains(command, word) {
					t.Errorf("%q is not in the command %s", word, command)
				}
			}
		}
		if hints < 3 {
			t.Errorf("%q: %d commands in\n%s", args, hints, text)
		}
	}
}

// A displayed name selects the kernel.
func TestNamesSelectKernels(t *testing.T) {
	r := enterLarge(t)
	text := mustRun(t, "show", "--group-by", "kernel", "--all", "--devices", "x86_64", "large report.json")
	_, table, _ := strings.Cut(text, "KERNEL\n")
	for i, line := range strings.Split(table, "\n")[:len(r.Kernels)] {
		if i%100 != 0 {
			continue
		}
		name := line[strings.Index(line, "sim::"):]
		part := mustRun(t, "show", "--kernels", name, "large report.json")
		if !strings.Contains(part, "KERNEL") || strings.Count(part, "\n"+strings.Split(name, ",")[0]) != strings.Count(part, "KERNEL") {
			t.Errorf("%s selects\n%s", name, part)
		}
	}
	// The common part of a group's names selects all kernels of the group.
	rows := 1 // includes the header
	for _, k := range r.Kernels {
		if strings.HasPrefix(k.DisplayName, "sim::Blur<") {
			rows++
		}
	}
	if n := strings.Count(mustRun(t, "show", "--kernels", "sim::Blur<*", "--format", "csv", "--devices", "spir64", "large report.json"), "\n"); n != rows {
		t.Errorf("%d rows, not %d", n, rows)
	}
}

// Markdown fits in a comment by default.
func TestMarkdownFitsInAComment(t *testing.T) {
	r := enterLarge(t)
	text := mustRun(t, "show", "--format", "markdown", "large report.json")
	if len(text) > 65_536 || !strings.Contains(text, "omitted to keep the text short. To show all, run `compat show 'large report.json' --all`.") {
		t.Errorf("%d bytes:\n%s", len(text), text)
	}
	if text := mustRun(t, "show", "--format", "markdown", "--max-bytes", "0", "large report.json"); len(text) < 65_536 || strings.Count(text, "\n| `sim::") != len(r.Kernels) {
		t.Errorf("%d bytes, %d rows", len(text), strings.Count(text, "\n| `sim::"))
	}
}

func TestShowFlags(t *testing.T) {
	enterLarge(t)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--group-by", "size"}, `--group-by: unknown value "size"; expected one of reason, name, source, file, kernel`},
		{[]string{"--all", "--format", "csv"}, "--group-by, --all and --forms require --format text"},
		{[]string{"--forms", "--format", "csv"}, "--group-by, --all and --forms require --format text"},
		{[]string{"--needs", "fp46"}, `no kernel in the report has a source, file, rule or requirement "fp46"`},
	} {
		code, _, stderr := run(t, append(append([]string{"show"}, c.args...), "large report.json")...)
		if code != 2 || !strings.Contains(stderr, c.want) {
			t.Errorf("%q: exit %d, %s", c.args, code, stderr)
		}
	}
	if text := mustRun(t, "show", "--command", "bazel run //:compat --", "--rules", "missing-aspect", "large report.json"); !strings.Contains(text, "\n      bazel run //:compat -- --rules missing-aspect --all\n") {
		t.Errorf("the command is not in\n%s", text)
	}
}

// The command that shows omitted parts does not name thousands of files.
func TestShowCommandIsShort(t *testing.T) {
	gateWorkspace(t)
	args := []string{"show", "--format", "text", "--group-by", "reason"}
	for i := range 5 {
		name := fmt.Sprintf("r%d.json", i)
		testkit.WriteFile(t, name, strings.ReplaceAll(testkit.ReadFile(t, "before.json"), "//demo:kernels", fmt.Sprintf("//demo:k%d", i)))
		args = append(args, name)
	}
	if got := mustRun(t, args...); !strings.Contains(got, "compat show r0.json r1.json r2.json ...") || strings.Contains(got, "r3.json") {
		t.Errorf("got\n%s", got)
	}
}

// Kernels of two versions of a library cannot be counted together.
func TestTwoVersions(t *testing.T) {
	of := func(wheels ...string) *report.Report {
		r := &report.Report{}
		for _, name := range wheels {
			r.Files = append(r.Files, report.File{Name: "dist/" + name + "/lib/k.so"})
		}
		return r
	}
	const v18, v20, win20 = "dpnp-0.18.1-0-cp311-cp311-manylinux_2_28_x86_64.whl", "dpnp-0.20.0-0-cp311-cp311-manylinux_2_28_x86_64.whl", "dpnp-0.20.0-0-cp311-cp311-win_amd64.whl"
	for _, test := range []struct {
		reports []*report.Report
		refused bool
	}{
		{[]*report.Report{of(v18), of(v20)}, true},
		{[]*report.Report{of("x-1-py3-none-any.whl"), of(v18), of(v20)}, true},
		{[]*report.Report{of(v20), of(win20)}, false},
		{[]*report.Report{of(v18), of("x-0.20.0-py3-none-any.whl")}, false},
		{[]*report.Report{of("build/libk.so"), of("build/libk.so")}, false},
		{[]*report.Report{of(v18, v20)}, false}, // a single report distinguishes them
	} {
		names := []string{"a.json", "b.json", "c.json"}
		err := oneVersion(names, test.reports)
		if (err != nil) != test.refused || err != nil && !strings.Contains(err.Error(), "'compat diff ") {
			t.Errorf("%v: %v", test.reports[0].Files, err)
		}
	}
}
