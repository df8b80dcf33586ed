package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/release"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
	"github.com/rules-sycl/rules_sycl/sycl/syclbin"
)

// These functions run the tool.
var (
	run       = testkit.Tool(tool).Run
	mustRun   = testkit.Tool(tool).MustRun
	checkExit = testkit.Tool(tool).CheckRun
)

// checkOutput runs a command that must print exactly the given text.
func checkOutput(t testing.TB, want string, args ...string) {
	t.Helper()
	if got := mustRun(t, args...); got != want {
		t.Errorf("%q: got %s", args, got)
	}
}

// checkContains checks that a text contains all of the parts.
func checkContains(t testing.TB, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in\n%s", part, text)
		}
	}
}

// goldenDir is the directory of the golden files, independent of the current directory.
var goldenDir string

func TestMain(m *testing.M) {
	var err error
	if goldenDir, err = filepath.Abs("testdata"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

func properties(q *requirement.Requirements, kernels ...string) *propset.Registry {
	r := new(propset.Registry)
	q.Put(r)
	for _, k := range kernels {
		r.Add(propset.KernelNames).Put(k, propset.Uint(1))
	}
	return r
}

// enterWorkspace creates a directory with a SYCLBIN, a SPIR-V module and a file table, and makes it
// the current directory.
func enterWorkspace(t *testing.T) {
	t.Helper()
	code := testkit.ReadFile(t, filepath.Join(goldenDir, "kernels.spv"))
	t.Chdir(t.TempDir())
	testkit.WriteFile(t, "k.spv", code)
	var b syclbin.Builder
	for _, m := range []struct {
		key  string
		meta *propset.Registry
		arch []string
	}{
		{"plain", properties(&requirement.Requirements{}, "_ZTS9VectorAdd"), []string{"intel_gpu_pvc", "intel_gpu_dg2"}},
		{"fp64", properties(&requirement.Requirements{Aspects: []aspect.Aspect{aspect.FP64}}, "_ZTS8Fp64Axpy"), []string{"intel_gpu_pvc"}},
		{"sg8", properties(&requirement.Requirements{SubGroupSizes: []uint32{8}}, "_ZTS9SubGroup8"), []string{"intel_gpu_dg2"}},
	} {
		for _, arch := range m.arch {
			testkit.NoError(t, b.Add(m.key, m.meta, syclbin.NewNative(arch, "spir64_gen-unknown-unknown", strings.NewReader(m.key+arch))))
		}
	}
	writeSYCLBIN(t, "k.syclbin", &b)
	testkit.WriteFile(t, "fp64.prop", properties(&requirement.Requirements{Aspects: []aspect.Aspect{aspect.FP64}}, "_ZTS8Fp64Axpy").String())
	testkit.WriteFile(t, "k.bc", "BC\xc0\xde")
	testkit.WriteFile(t, "k.table", "[Code|Properties]\nk.bc|fp64.prop\n")
}

// writeSYCLBIN writes the SYCLBIN that a builder has built to a file.
func writeSYCLBIN(t *testing.T, name string, b *syclbin.Builder) {
	t.Helper()
	write := func(w io.Writer) error { return syclbin.Write(w, b.File(syclbin.Executable), syclbin.Options{}) }
	testkit.WriteFile(t, name, testkit.Written(t, write))
}

func TestReportAndShow(t *testing.T) {
	enterWorkspace(t)
	mustRun(t, "report", "--name", "//demo:kernels", "--output", "r.json", "k.syclbin")
	data := testkit.ReadFile(t, "r.json")
	// Bazel links the version of the module into the tools; go test does not.
	testkit.GoldenFile(t, filepath.Join(goldenDir, "syclbin.json"), strings.Replace(data, `"version":"`+cli.Version+`"`, `"version":"VERSION"`, 1))
	testkit.GoldenFile(t, filepath.Join(goldenDir, "syclbin.txt"), mustRun(t, "show", "r.json"))
	if got := mustRun(t, "show", "--format", "json", "r.json"); got != data {
		t.Errorf("the JSON of one report is another one:\n%s", got)
	}
	if got := mustRun(t, "report", "--format=json", "--name=//demo:kernels", "k.syclbin"); got != data {
		t.Error("standard output has another report than the file")
	}
	// The format does not depend on whether the output is a terminal, but may depend on the file
	// name.
	text := mustRun(t, "show", "--command=compat report --name //demo:kernels k.syclbin", "r.json")
	if got := mustRun(t, "report", "--name=//demo:kernels", "k.syclbin"); got != text {
		t.Errorf("the report is not printed as text:\n%s", got)
	}
	for _, command := range []string{"report --name=//demo:kernels k.syclbin", "show r.json"} {
		for name, format := range map[string]string{"o.html": "html", "o.md": "markdown", "o.csv": "csv", "o.json": "json"} {
			args := strings.Fields(command)
			mustRun(t, append(args, "--output="+name)...)
			if got, want := testkit.ReadFile(t, name), mustRun(t, append(args, "--format="+format)...); got != want {
				t.Errorf("%s --output %s is not %s:\n%.200s", command, name, format, got)
			}
		}
	}

	for _, output := range []string{"o.pdf", "o.PDF", "o.sarif"} {
		if code, _, message := run(t, "show", "--output", output, "r.json"); code != cli.ExitUsage || !strings.Contains(message, "--output "+output+": no format has the extension "+strings.ToLower(filepath.Ext(output))) {
			t.Errorf("show --output %s: exit code %d, %s", output, code, message)
		}
	}
	for _, output := range []string{"report-0.20", "o.log", "tmp.AbCdEfGhIj", ".summary"} {
		mustRun(t, "show", "--output", output, "r.json")
	}
	mustRun(t, "show", "--output", "o.JSON", "r.json")
	if testkit.ReadFile(t, "o.JSON") != data {
		t.Error("o.JSON is not JSON")
	}

	mustRun(t, "report", "--output", "s.json", "--devices", "intel_gpu_12_60_7,intel_gpu_dg2", "k.spv")
	testkit.GoldenFile(t, filepath.Join(goldenDir, "spirv.txt"), mustRun(t, "show", "s.json"))
	testkit.GoldenFile(t, filepath.Join(goldenDir, "both.txt"), mustRun(t, "show", "r.json", "s.json"))
	joined, err := report.Decode("joined", strings.NewReader(mustRun(t, "show", "--format=json", "r.json", "s.json")))
	if err != nil || joined.Label() != "" || len(joined.Kernels) != 13 || joined.Target(&joined.Kernels[12]) != "s.json" {
		t.Errorf("the JSON of two reports: %v, %+v", err, joined)
	}
	if got := mustRun(t, "show", "--format", "json", "r.json", "r.json"); got != data {
		t.Errorf("a report joined with itself is another one:\n%s", got)
	}

	testkit.WriteFile(t, "own.yaml", "intel_gpu_dg2:\n  aspects: [fp64]\n")
	mustRun(t, "report", "--output", "t.json", "--devices", "intel_gpu_dg2,intel_gpu_dg1", "--device-config", "own.yaml", "k.table")
	testkit.GoldenFile(t, filepath.Join(goldenDir, "table.txt"), mustRun(t, "show", "t.json"))

	// Together, the files are one program: a device may use an image in one file if the other file
	// has none for it.
	mustRun(t, "report", "--output", "u.json", "--devices", "intel_gpu_pvc,intel_gpu_skl", "k.syclbin", "k.table")
	testkit.GoldenFile(t, filepath.Join(goldenDir, "together.txt"), mustRun(t, "show", "u.json"))
}

// A program uses its own native code. If it loads a file, it may use the native code or the IR in
// the file.
func TestReportEmbedded(t *testing.T) {
	enterWorkspace(t)
	metadata := properties(&requirement.Requirements{}, "_ZTS9VectorAdd")
	var b syclbin.Builder
	for _, image := range []*syclbin.Image{
		syclbin.NewNative("intel_gpu_pvc", "spir64_gen-unknown-unknown", strings.NewReader("native")),
		syclbin.NewIR(syclbin.SPIRV, "spir64-unknown-unknown", strings.NewReader(testkit.ReadFile(t, "k.spv"))),
	} {
		testkit.NoError(t, b.Add("both", metadata, image))
	}
	writeSYCLBIN(t, "both.syclbin", &b)
	for flag, want := range map[string]report.Code{"--embedded=both.syclbin": report.Native, "both.syclbin": report.NativeOrIR} {
		r, err := report.Decode(flag, strings.NewReader(mustRun(t, "report", "--format=json", "--devices=intel_gpu_pvc", flag)))
		testkit.NoError(t, err)
		for i := range r.Kernels {
			if o := r.Outcome(i, 0); r.Kernels[i].Name == "_ZTS9VectorAdd" && o.Code != want {
				t.Errorf("%s: the device takes %s, want %s", flag, o.Code, want)
			}
		}
	}
}

// The report command supports the same formats and views as show.
func TestReportFormats(t *testing.T) {
	enterWorkspace(t)
	mustRun(t, "report", "--output", "r.json", "k.syclbin")
	for _, flags := range [][]string{
		{"--format", "text", "--status", "incompatible"}, {"--format", "markdown"}, {"--format", "html"}, {"--format", "csv", "--kernels", "*Axpy"},
		{"--format", "json", "--needs", "fp64"}, {"--group-by", "name"}, {"--all"}, {"--forms"},
	} {
		want := strings.ReplaceAll(mustRun(t, append([]string{"show", "r.json"}, flags...)...), "compat show r.json", "compat report k.syclbin")
		if got := mustRun(t, append([]string{"report", "k.syclbin"}, flags...)...); got != want {
			t.Errorf("%q:\n%s\nwant:\n%s", flags, got, want)
		}
	}
	code, _, stderr := run(t, "report", "--open", "--format", "csv", "k.syclbin")
	if code != 2 || !strings.Contains(stderr, "--open requires --format html") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	r := reportCommand{name: "//a b"}
	r.wanted.Values, r.deviceConfig.Values, r.embedded.Values = []string{"x", "y"}, []string{"d e.yml"}, []string{"e.syclbin"}
	if got, want := r.commandLine([]string{"a.so", "b c.so", "d.so", "e.so"}), "compat report a.so 'b c.so' d.so ... --embedded e.syclbin --device-config 'd e.yml' --name '//a b' --devices x,y"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	r = reportCommand{name: "@@other+//demo:kernels", showCommand: showCommand{sources: cli.Strings{Values: []string{"@a.cpp"}}}}
	r.reading.Assume = release.Before2026()
	r.command = r.commandLine([]string{"a.so"})
	if got, want := r.showCommandLine(), "compat report a.so --name=@@other+//demo:kernels --assume-runtime 2025.3 --sources=@a.cpp"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// A build target without any image is still in the report.
func TestReportTargets(t *testing.T) {
	enterWorkspace(t)
	metadata := properties(&requirement.Requirements{Aspects: []aspect.Aspect{aspect.FP64}}, "_ZTS4Axpy")
	var b syclbin.Builder
	testkit.NoError(t, b.Add("axpy", metadata, syclbin.NewNative("intel_gpu_pvc", "spir64_gen-unknown-unknown", strings.NewReader("native"))))
	writeSYCLBIN(t, "axpy.syclbin", &b)
	for _, test := range []struct {
		name, want string
		flags      []string
	}{
		{"no targets", "intel_gpu_pvc compatible", nil},
		{"a target without an image", "intel_gpu_dg2 incompatible, intel_gpu_pvc compatible", []string{"--targets=intel_gpu_dg2,intel_gpu_pvc"}},
		{"an image for no target", "intel_gpu_acm_g10 incompatible, intel_gpu_pvc compatible", []string{"--targets", "intel_gpu_acm_g10"}},
		{"devices are wanted", "intel_gpu_skl incompatible", []string{"--devices=intel_gpu_skl", "--targets=intel_gpu_dg2"}},
	} {
		r, err := report.Decode(test.name, strings.NewReader(mustRun(t, append([]string{"report", "--format=json", "axpy.syclbin"}, test.flags...)...)))
		testkit.NoError(t, err)
		var outcomes []string
		for k := range r.Kernels {
			for d := range r.Devices {
				outcomes = append(outcomes, fmt.Sprint(r.Devices[d].Name, " ", r.Outcome(k, d).Status))
			}
		}
		if got := strings.Join(outcomes, ", "); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
	code, _, stderr := run(t, "report", "--targets=intel_gpu_pvv", "axpy.syclbin")
	if code != 2 || !strings.Contains(stderr, "did you mean intel_gpu_pvc") {
		t.Errorf("an unknown target: %d, %s", code, stderr)
	}
}

func TestShowFormats(t *testing.T) {
	enterWorkspace(t)
	mustRun(t, "report", "--name", "//demo:kernels", "--output", "r.json", "k.syclbin")
	wants := map[string]string{
		"text":     "KERNEL     intel_gpu_pvc\nSubGroup8  no: sub-group size 8\n",
		"markdown": "| `SubGroup8` | ❌ no: `sub-group size 8` |\n",
		"html":     "<a href=\"#k0\">SubGroup8</a></th><td class=\"x\">✕ no: sub-group size 8</td>",
		"csv":      "SubGroup8,_ZTS9SubGroup8,intel_gpu_pvc,incompatible,none,",
		"json":     `"display-name":"SubGroup8"`,
	}
	if got, want := formatsOf(writers, " "), formatsOf(wants, " "); got != want {
		t.Errorf("tools/compat/show.go has the formats %s, and TestShowFormats tests %s; add a test, and list the formats in docs/tutorials/first-program.md", got, want)
	}
	for format, want := range wants {
		args := []string{"show", "--format", format, "--devices", "*_pvc", "--status", "incompatible"}
		got := mustRun(t, append(args, "r.json")...)
		if !strings.Contains(got, want) || strings.Contains(got, "VectorAdd") || format != "json" && strings.Contains(got, "intel_gpu_dg2") {
			t.Errorf("%s: no %q or too much in\n%s", format, want, got)
		}
		// Bazel runs tools outside of the user's directory.
		t.Setenv("BUILD_WORKING_DIRECTORY", t.TempDir())
		if out := mustRun(t, append(args, "--output", "out", "r.json")...); out != "" {
			t.Errorf("%s: printed %q", format, out)
		}
		if data, err := os.ReadFile(filepath.Join(os.Getenv("BUILD_WORKING_DIRECTORY"), "out")); err != nil || string(data) != got {
			t.Errorf("%s: the file: %v", format, err)
		}
	}
	if short := mustRun(t, "show", "--format", "markdown", "--max-bytes", "500", "r.json"); len(short) > 500 {
		t.Errorf("%d bytes", len(short))
	}
	if runtime.GOOS != "linux" {
		return
	}
	// Install a fake browser that prints the page to open.
	t.Setenv("PATH", t.TempDir())
	testkit.NoError(t, os.WriteFile(filepath.Join(os.Getenv("PATH"), "xdg-open"), []byte("#!/bin/sh\necho \"$1\" > opened\n"), 0o755))
	page := filepath.Join(t.TempDir(), "page.html")
	if out := mustRun(t, "show", "--open", "--output", page, "r.json"); out != page+"\n" {
		t.Errorf("printed %q", out)
	}
	if opened, err := os.ReadFile("opened"); err != nil || string(opened) != page+"\n" {
		t.Errorf("opened %q, %v", opened, err)
	}
}

func TestSymbols(t *testing.T) {
	enterWorkspace(t)
	testkit.NoError(t, os.Mkdir("sub", 0o755))
	testkit.WriteFile(t, "sub/k.table", "[Code|Properties|Symbols]\nn.bin||n.sym\n") // without properties
	testkit.WriteFile(t, "sub/n.bin", "native")
	testkit.WriteFile(t, "sub/n.sym", "_ZTS1A\n_ZTS1B\n")
	mustRun(t, "report", "--output", "r.json", "--devices", "intel_gpu_dg2", "sub/k.table")
	got := mustRun(t, "show", "r.json")
	if !strings.Contains(got, "A       no: not built\nB       no: not built\n") {
		t.Errorf("got:\n%s", got)
	}
}

func TestErrors(t *testing.T) {
	enterWorkspace(t)
	mustRun(t, "report", "--output", "good.json", "k.syclbin")
	good := testkit.ReadFile(t, "good.json")
	testkit.WriteFile(t, "twice.json", strings.Replace(good, `"status":"compatible"`, `"status":"compatible","status":"compatible"`, 1))
	good = strings.ReplaceAll(good, "\"targets\": [\n\"\"", "\"targets\": [\n\"//x\"")
	testkit.WriteFile(t, "good.json", good)
	testkit.WriteFile(t, "other.json", strings.ReplaceAll(good, "is not supported on the device", "is missing"))
	testkit.WriteFile(t, "cut.spv", "\x03\x02\x23\x07\x00\x00")
	binary := testkit.ReadFile(t, "k.syclbin")
	testkit.WriteFile(t, "cut.syclbin", binary[:len(binary)/2])
	testkit.WriteFile(t, "host.o", append([]byte("\x7fELF\x02\x01\x01"), make([]byte, 100)...))
	testkit.WriteFile(t, "text.txt", "hello\n")
	testkit.WriteFile(t, "plain/text.txt", "hello\n")
	testkit.WriteFile(t, "empty.syclbin", "")
	testkit.WriteFile(t, "gone.table", "[Code|Properties]\ngone.bc|fp64.prop\n")
	testkit.WriteFile(t, "nocode.table", "[Properties]\nfp64.prop\n")
	for _, test := range []struct {
		name string
		args []string
		code int
		want []string
	}{
		{"no subcommand", nil, 2, []string{"missing subcommand"}},
		{"no file", []string{"report"}, 2, []string{"no input files; pass programs, libraries, wheels or directories"}},
		{"an unknown device", []string{"report", "--devices", "intel_gpu_pvv", "k.spv"}, 2, []string{`unknown target "intel_gpu_pvv"; did you mean intel_gpu_pvc`}},
		{"a directory without device code", []string{"report", "plain"}, 3, []string{"no device images in 1 file: looked for sections .llvm.offloading"}},
		{"a truncated SPIR-V module", []string{"report", "cut.spv"}, 3, []string{"cut.spv: ", "module too short for the header: 6 bytes"}},
		{"a truncated SYCLBIN", []string{"report", "cut.syclbin"}, 3, []string{"cut.syclbin: ", "offset"}},
		{"an object file", []string{"report", "host.o"}, 3, []string{"host.o: no device images: looked for sections .llvm.offloading"}},
		{"a text file", []string{"report", "text.txt"}, 3, []string{"text.txt: no device images: looked for sections .llvm.offloading"}},
		{"LLVM bitcode", []string{"report", "k.bc"}, 3, []string{"k.bc: no device images: LLVM bitcode is supported only inside the file"}},
		{"an empty file", []string{"report", "empty.syclbin"}, 3, []string{"empty.syclbin: empty file"}},
		{"a pattern without files", []string{"report", "*.so"}, 3, []string{"no file matches *.so; build the files first"}},
		{"an unknown format of report", []string{"report", "--format", "png", "k.spv"}, 2, []string{`unknown format "png"; expected one of csv, html, json, markdown, text`}},
		{"a table of a missing file", []string{"report", "gone.table"}, 3, []string{"gone.table: row 1: code file: ", "gone.bc"}},
		{"a table without code", []string{"report", "nocode.table"}, 3, []string{"nocode.table: the table has no column Code"}},
		{"no report", []string{"show"}, 2, []string{"no input reports"}},
		{"no report but SPIR-V", []string{"show", "k.spv"}, 3, []string{"k.spv: "}},
		{"a member twice", []string{"show", "twice.json"}, 3, []string{"twice.json: offset ", `duplicate member "status"`}},
		{"an unknown format of show", []string{"show", "--format", "png", "good.json"}, 2, []string{`unknown format "png"; expected one of csv, html, json, markdown, text`}},
		{"an unknown status", []string{"show", "--status", "bad", "good.json"}, 2, []string{`unknown status "bad"; expected compatible, incompatible`}},
		{"a device that is not in the report", []string{"show", "--devices", "intel_gpu_pvc,none*", "good.json"}, 2, []string{`no device "none*" in the report; its devices are intel_gpu_dg2, intel_gpu_pvc`}},
		{"a kernel that is not in the report", []string{"show", "--kernels", "VectorAd", "good.json"}, 2, []string{`no kernel "VectorAd" in the report; did you mean VectorAdd`}},
		{"opening a format other than html", []string{"show", "--open", "--format", "csv", "good.json"}, 2, []string{"--open requires --format html"}},
		{"a width for a page", []string{"show", "--format", "html", "--width", "80", "good.json"}, 2, []string{"--width requires --format text"}},
		{"a size for text", []string{"show", "--max-bytes", "80", "good.json"}, 2, []string{"--max-bytes requires --format markdown"}},
		{"reports that contradict each other", []string{"show", "good.json", "other.json"}, 3, []string{"cannot combine these reports", "contradict each other"}},
		{"a negative width", []string{"show", "--width", "-1", "good.json"}, 2, []string{"--width -1 is negative"}},
		{"an unknown schema", []string{"schema", "policies"}, 2, []string{`unknown schema "policies"; expected report`}},
		{"no schema", []string{"schema"}, 2, []string{"missing schema; expected report"}},
		{"an unknown operation on a baseline", []string{"baseline", "create"}, 2, []string{`unknown operation "create"; expected update`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			args := test.args
			if len(args) > 1 && args[0] == "report" {
				testkit.WriteFile(t, "out.json", "old")
				args = append([]string{"report", "--output", "out.json"}, args[1:]...)
			}
			code, stdout, stderr := run(t, args...)
			if code != test.code || stdout != "" && len(args) > 0 {
				t.Errorf("exit %d, want %d; stdout %q", code, test.code, stdout)
			}
			for _, want := range test.want {
				if !strings.Contains(stderr, want) {
					t.Errorf("%q is not in\n%s", want, stderr)
				}
			}
			if data, err := os.ReadFile("out.json"); err == nil && string(data) != "old" {
				t.Error("the old output is lost")
			}
		})
	}
}

func TestHelp(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"report", "--help"}, {"show", "--help"}, {"schema", "--help"}} {
		if code, stdout, _ := run(t, args...); code != 0 || !strings.Contains(stdout, "Usage: compat") {
			t.Errorf("%q: exit %d, %s", args, code, stdout)
		}
	}
}
