package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	sycllink "github.com/rules-sycl/rules_sycl/sycl/link"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/syclbin"
)

// noRequirements starts the properties of modules that any device supports.
const noRequirements = "[SYCL/device requirements]\naspects=2|AAAAAAAAAAA\n"

// object writes a file in object state with one IR module for each of the properties.
func object(t *testing.T, name string, o syclbin.Options, properties ...string) {
	t.Helper()
	f := &syclbin.File{Version: 1, State: syclbin.Object}
	for i, text := range properties {
		r := testkit.Must(propset.Parse(name, []byte(noRequirements+text)))(t)
		code := syclbin.NewIR(syclbin.SPIRV, "spir64-unknown-unknown", strings.NewReader(spirvHead+filepath.Base(name)+fmt.Sprint(i)))
		f.Modules = append(f.Modules, &syclbin.Module{Metadata: r, IR: []*syclbin.Image{code}})
	}
	o.KeepOrder = true
	var b bytes.Buffer
	testkit.NoError(t, syclbin.Write(&b, f, o))
	testkit.NoError(t, os.WriteFile(name, b.Bytes(), 0o666))
}

const (
	mainModule    = "[SYCL/kernel names]\n__sycl_kernel__ZTS4Main=1|1\n[SYCL/imported symbols]\n_Z6squaref=1|1\n"
	libraryModule = "[SYCL/exported symbols]\n_Z6squaref=1|1\n[vendor]\nkey=1|7\n"
	wrongModule   = "[SYCL/kernel names]\n__sycl_kernel__ZTS4Main=1|1\n[SYCL/exported symbols]\n_Z6squared=1|1\n"
)

// linkable creates main.syclbin and library.syclbin, and wrong.syclbin, which cannot be linked with
// either of them.
func linkable(t *testing.T) {
	t.Helper()
	enter(t)
	object(t, "main.syclbin", syclbin.Options{}, mainModule)
	object(t, "library.syclbin", syclbin.Options{}, libraryModule)
	object(t, "wrong.syclbin", syclbin.Options{}, wrongModule)
}

func TestLink(t *testing.T) {
	linkable(t)
	if out := mustRun(t, "link", "--output=app.syclbin", "main.syclbin", "library.syclbin"); out != "" {
		t.Errorf("printed %s", out)
	}
	testkit.GoldenFile(t, filepath.Join(testdata, "link.dump"), mustRun(t, "dump", "app.syclbin"))
	if out := mustRun(t, "verify", "app.syclbin"); out != "" {
		t.Errorf("verify found %s", out)
	}
	testkit.GoldenFile(t, filepath.Join(testdata, "link.golden.txt"), mustRun(t, "link", "--output=app.syclbin", "--graph=-", "main.syclbin", "library.syclbin"))
	mustRun(t, "link", "--output=app.syclbin", "--graph=app.dot", "--graph-format=dot", "main.syclbin", "library.syclbin")
	testkit.GoldenFile(t, filepath.Join(testdata, "link.golden.dot"), string(file(t, "app.dot")))
	testkit.GoldenFile(t, filepath.Join(testdata, "link.json"), mustRun(t, "link", "--output=app.syclbin", "--json", "main.syclbin", "library.syclbin"))

	app := file(t, "app.syclbin")
	for _, args := range [][]string{
		{"library.syclbin", "main.syclbin"},
		{"main.syclbin", "library.syclbin", "./main.syclbin"},
		{"--mode=combine", "--state=object", "main.syclbin", "library.syclbin"},
	} {
		mustRun(t, append([]string{"link", "--output=again.syclbin"}, args...)...)
		if !bytes.Equal(file(t, "again.syclbin"), app) {
			t.Errorf("%q made another file", args)
		}
	}
	mustRun(t, "link", "--output=part.syclbin", "--allow-unresolved", "main.syclbin")
	mustRun(t, "link", "--output=again.syclbin", "library.syclbin", "part.syclbin")
	if !bytes.Equal(file(t, "again.syclbin"), app) {
		t.Error("linking in two steps made another file")
	}
}

// TestImportsInExecutable links modules that import symbols into one file, in object and executable
// state.
func TestImportsInExecutable(t *testing.T) {
	linkable(t)
	args := []string{"link", "--output=app.syclbin", "main.syclbin", "library.syclbin"}
	code, _, stderr := run(t, append(args, "--state=executable")...)
	if code != 1 || !strings.Contains(stderr, `main.syclbin: error: Symbol "_Z6squaref" is imported`) || !strings.Contains(stderr, "--mode ir") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	if _, err := os.Stat("app.syclbin"); !errors.Is(err, os.ErrNotExist) {
		t.Error("there is an output")
	}
	mustRun(t, args...)
	if out := mustRun(t, "verify", "app.syclbin"); out != "" {
		t.Errorf("in object state: %s", out)
	}
	mustRun(t, "convert", "--state=executable", "--output=exe.syclbin", "app.syclbin")
	code, stdout, stderr := run(t, "verify", "exe.syclbin")
	if code != 1 || !strings.HasPrefix(stdout, `exe.syclbin: abstract module 1: import-in-executable: the module imports "_Z6squaref", which`) || strings.Count(stdout, "\n") != 1 {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
	mustRun(t, "extract", "--output-dir=parts", "exe.syclbin")
	code, _, stderr = run(t, "pack", "@parts/pack.args", "--output=again.syclbin")
	if code != 0 || !strings.Contains(stderr, "again.syclbin: warning: abstract module ") || !strings.Contains(stderr, "import-in-executable") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	checkRun(t, 1, "imports are not resolved in executable state", "link", "--output=app.syclbin", "exe.syclbin")
}

func TestLinkReadsAndWritesEveryForm(t *testing.T) {
	linkable(t)
	mustRun(t, "link", "--output=want.syclbin", "main.syclbin", "library.syclbin")
	want := file(t, "want.syclbin")
	for _, form := range [][]string{{"--bare"}, {"--container-version=1"}, {"--container-version=1", "--image-kind=6"}, {"--syclbin-version=2"}} {
		mustRun(t, append([]string{"convert", "--output=form.syclbin", "library.syclbin"}, form...)...)
		mustRun(t, "link", "--output=app.syclbin", "main.syclbin", "form.syclbin")
		if !bytes.Equal(file(t, "app.syclbin"), want) {
			t.Errorf("an input with %q made another file", form)
		}
		mustRun(t, append([]string{"link", "--output=app.syclbin", "main.syclbin", "library.syclbin"}, form...)...)
		mustRun(t, append([]string{"convert", "--output=form.syclbin", "want.syclbin"}, form...)...)
		if !bytes.Equal(file(t, "app.syclbin"), file(t, "form.syclbin")) {
			t.Errorf("the output with %q differs from the output of convert", form)
		}
	}

	// Some compilers do not advance first indices.
	object(t, "two.syclbin", syclbin.Options{Bare: true}, libraryModule, "[SYCL/kernel names]\n__sycl_kernel_other=1|1\n")
	mustRun(t, "link", "--output=want.syclbin", "main.syclbin", "two.syclbin")
	data := file(t, "two.syclbin")
	clear(data[56+32+20 : 56+32+24])
	testkit.NoError(t, os.WriteFile("two.syclbin", data, 0o666))
	checkRun(t, 3, "two.syclbin: ", "link", "--output=app.syclbin", "main.syclbin", "two.syclbin")
	code, _, stderr := run(t, "link", "--lenient", "--output=app.syclbin", "main.syclbin", "two.syclbin")
	if code != 0 || strings.Count(stderr, "two.syclbin: warning: file: first-index: ") != 1 {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	if !bytes.Equal(file(t, "app.syclbin"), file(t, "want.syclbin")) {
		t.Error("the repaired input made another file")
	}
}

func TestLinkKeepsNativeImages(t *testing.T) {
	enter(t, split)
	mustRun(t, append([]string{"pack", "--state=object", "--output=k.syclbin"}, splitTables...)...)
	object(t, "library.syclbin", syclbin.Options{}, libraryModule)
	mustRun(t, "link", "--output=app.syclbin", "library.syclbin", "k.syclbin")
	out := mustRun(t, "dump", "app.syclbin")
	if n := strings.Count(out, "arch: "); n != 3 {
		t.Errorf("%d native images in\n%s", n, out)
	}
}

func TestLinkProblems(t *testing.T) {
	linkable(t)
	testkit.NoError(t, os.WriteFile("app.syclbin", []byte("old"), 0o666))
	args := []string{"link", "--output=app.syclbin", "--json", "--graph=graph.txt", "main.syclbin", "wrong.syclbin"}
	code, stdout, stderr := run(t, args...)
	if code != 1 {
		t.Errorf("exit code %d", code)
	}
	testkit.GoldenFile(t, filepath.Join(testdata, "link-problems.golden.txt"), stderr)
	testkit.GoldenFile(t, filepath.Join(testdata, "link-problems.json"), stdout)
	testkit.GoldenFile(t, filepath.Join(testdata, "link-problems.graph.txt"), string(file(t, "graph.txt")))
	if string(file(t, "app.syclbin")) != "old" {
		t.Error("the old output is gone")
	}
}

func TestLinkLimitsProblems(t *testing.T) {
	enter(t)
	var imports strings.Builder
	imports.WriteString("[SYCL/imported symbols]\n")
	for i := range 2000 {
		fmt.Fprintf(&imports, "f%04d=1|1\n", i)
	}
	imports.WriteString("aaa" + strings.Repeat("a", 1<<20) + "=1|1\n")
	object(t, "a.syclbin", syclbin.Options{}, imports.String())
	code, stdout, stderr := run(t, "link", "--output=app.syclbin", "--json", "--graph=graph.txt", "a.syclbin")
	if code != 1 || strings.Count(stderr, "\n") > 50 || len(stderr) > 8000 || !strings.Contains(stderr, "2001 problems, the first 10 shown; use --graph FILE or --json to see all") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	var r struct{ Problems []sycllink.Problem }
	if err := json.Unmarshal([]byte(stdout), &r); err != nil || len(r.Problems) != 2001 {
		t.Errorf("%d problems in the JSON, error %v", len(r.Problems), err)
	}
	if n := strings.Count(string(file(t, "graph.txt")), "No exported symbol"); n != 2001 {
		t.Errorf("%d problems in the text", n)
	}
}

func TestLinkRefuses(t *testing.T) {
	linkable(t)
	data := file(t, "library.syclbin")
	testkit.NoError(t, os.WriteFile("cut.syclbin", data[:len(data)-20], 0o666))
	testkit.NoError(t, os.Mkdir("folder", 0o777))
	testkit.NoError(t, os.Link("main.syclbin", "linked.syclbin"))
	object(t, "bad.syclbin", syclbin.Options{}, "[SYCL/device globals]\ng=1|1\n")
	mustRun(t, "convert", "--state=executable", "--output=exe.syclbin", "wrong.syclbin")
	for name, test := range map[string]struct {
		args string
		code int
		want string
	}{
		"no output":                       {"main.syclbin", 2, "--output is required"},
		"no input":                        {"--output=o", 2, "no input files"},
		"an unknown mode":                 {"--output=o --mode=glue main.syclbin", 2, "unknown mode 'glue'; expected combine or ir"},
		"an unknown state":                {"--output=o --state=linked main.syclbin", 2, `unknown state "linked"; expected input, object or executable`},
		"unresolved and executable":       {"--output=o --state=executable --allow-unresolved main.syclbin", 2, "--allow-unresolved cannot be combined with --state executable"},
		"a form without a graph":          {"--output=o --graph-format=dot main.syclbin", 2, "--graph-format requires --graph"},
		"an unknown form":                 {"--output=o --graph=g --graph-format=svg main.syclbin", 2, "unknown format 'svg'; expected text or dot"},
		"two things on standard output":   {"--output=o --graph=- --json main.syclbin", 2, "--graph - and --json both write to standard output; write the graph to a file"},
		"the graph over the output":       {"--output=o --graph=./o main.syclbin", 2, "the same file"},
		"the graph over an input":         {"--output=o --graph=linked.syclbin main.syclbin", 2, "--graph would overwrite the input main.syclbin"},
		"a flag of the other mode":        {"--output=o --split=off main.syclbin", 2, "--split requires --mode ir"},
		"missing file":                    {"--output=o main.syclbin none.syclbin", 3, "none.syclbin"},
		"a directory":                     {"--output=o folder", 3, "folder: directory; expected a file"},
		"a file that is cut":              {"--output=o main.syclbin cut.syclbin", 3, "cut.syclbin: "},
		"something else":                  {"--output=o main.syclbin /dev/null", 3, "/dev/null: device, not a regular file"},
		"a property of another layout":    {"--output=o bad.syclbin", 3, "bad.syclbin: abstract module 0: "},
		"an executable file among others": {"--output=o main.syclbin exe.syclbin", 1, "SYCLBIN file 'exe.syclbin' is in executable state; only SYCLBIN files in input or object state can be linked"},
		"an earlier state":                {"--output=o --state=input library.syclbin", 1, "cannot become input"},
	} {
		t.Run(name, func(t *testing.T) {
			checkRun(t, test.code, test.want, append([]string{"link"}, strings.Fields(test.args)...)...)
			if _, err := os.Stat("o"); !errors.Is(err, os.ErrNotExist) {
				t.Error("there is an output")
			}
		})
	}
}

// TestGraphAndOutputAppearTogether checks that a failed link does not write a graph, which would
// not belong to the existing output.
func TestGraphAndOutputAppearTogether(t *testing.T) {
	linkable(t)
	checkRun(t, 4, "directory gone does not exist", "link", "--output=gone/o.syclbin", "--graph=graph.txt", "main.syclbin", "library.syclbin")
	if _, err := os.Stat("graph.txt"); !errors.Is(err, os.ErrNotExist) {
		t.Error("there is a graph")
	}
}

// TestLinkOverAnInput checks that a link does not replace an input, even through a symbolic link. A hard
// link is a separate file.
func TestLinkOverAnInput(t *testing.T) {
	linkable(t)
	testkit.NoError(t, os.Link("library.syclbin", "hard.syclbin"))
	testkit.NoError(t, os.Symlink("library.syclbin", "soft.syclbin"))
	library := file(t, "library.syclbin")
	for _, output := range []string{"main.syclbin", "soft.syclbin"} {
		for _, mode := range []string{"combine", "ir"} {
			checkRun(t, 2, "cannot be an output, because it is also an input", "link", "--mode="+mode, "--output="+output, "main.syclbin", "library.syclbin")
		}
	}
	mustRun(t, "link", "--output=hard.syclbin", "main.syclbin", "library.syclbin")
	if !bytes.Equal(file(t, "library.syclbin"), library) {
		t.Error("library.syclbin has changed")
	}
}

// TestLinkKeepsTheRelease checks that inputs for one release are linked to a file for that release,
// and other inputs to a file for all releases of 2026.
func TestLinkKeepsTheRelease(t *testing.T) {
	linkable(t)
	for _, name := range []string{"main", "library"} {
		mustRun(t, "convert", "--runtime=2025.3", "--output="+name+".old.syclbin", name+".syclbin")
	}
	for output, inputs := range map[string][]string{"2025.3": {"main.old.syclbin", "library.old.syclbin"}, "2026.0": {"main.old.syclbin", "library.syclbin"}} {
		mustRun(t, append([]string{"link", "--output=app.syclbin"}, inputs...)...)
		if out := mustRun(t, "dump", "--verbose", "app.syclbin"); !strings.Contains(out, "Runtime: "+output+"\n") {
			t.Errorf("%q: not for %s:\n%s", inputs, output, out)
		}
	}
}

func TestLinkManyFiles(t *testing.T) {
	enter(t)
	args := []string{"link", "--output=app.syclbin"}
	for i := range 100 {
		name := fmt.Sprintf("%03d.syclbin", i)
		object(t, name, syclbin.Options{}, fmt.Sprintf("[SYCL/kernel names]\n__sycl_kernel_k%d=1|1\n", i), fmt.Sprintf("[SYCL/kernel names]\n__sycl_kernel_a%d=1|1\n", i))
		args = append(args, name)
	}
	mustRun(t, args...)
	f := testkit.Must(syclbin.Open("app.syclbin"))(t)
	defer f.Close()
	for _, m := range f.Modules {
		code, err := m.IR[0].Data()
		name := kernelname.Base(m.Kernels()[0])
		want := fmt.Sprintf("%s%03s.syclbin%d", spirvHead, name[1:], map[byte]int{'k': 0, 'a': 1}[name[0]])
		if err != nil || string(code) != want {
			t.Errorf("%s: %q, want %q, error %v", name, code, want, err)
		}
	}
}

func TestLinkStopsWhenAsked(t *testing.T) {
	linkable(t)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	var out bytes.Buffer
	env := &cli.Env{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out}
	if code := tool().Run(ctx, env, []string{"link", "--output=app.syclbin", "main.syclbin", "library.syclbin"}); code != 4 {
		t.Errorf("exit code %d: %s", code, &out)
	}
	if hidden, _ := filepath.Glob("*app*"); len(hidden) > 0 {
		t.Errorf("files are left: %q", hidden)
	}
}

func TestLinkNamesCannotControlTheTerminal(t *testing.T) {
	enter(t)
	const evil = "\x1b[31mred\x07\u202e ##[error]x"
	object(t, evil+".syclbin", syclbin.Options{}, "[SYCL/kernel names]\n"+evil+"=1|1\n[SYCL/imported symbols]\n"+evil+"=1|1\n")
	object(t, "b.syclbin", syclbin.Options{}, "[SYCL/kernel names]\n"+evil+"=1|1\n")
	for _, args := range [][]string{
		{"--graph=-", "--output=out.syclbin", evil + ".syclbin", "b.syclbin"},
		{"--graph=-", "--output=out.syclbin", "--graph-format=dot", "--allow-unresolved", evil + ".syclbin"},
		{"--json", "--output=out.syclbin", evil + ".syclbin", "b.syclbin"},
		{"--output=out.syclbin", evil},
	} {
		_, stdout, stderr := run(t, append([]string{"link"}, args...)...)
		if strings.Contains(stderr, "##[") {
			t.Errorf("%q: a command of a runner: %s", args, stderr)
		}
		if strings.ContainsAny(stderr, "\x1b\x07\u202e") || args[0] != "--json" && strings.ContainsAny(stdout, "\x1b\x07\u202e") || strings.ContainsAny(stdout, "\x1b\x07") {
			t.Errorf("%q: %q %q", args, stdout, stderr)
		}
	}
	for _, args := range [][]string{
		{"verify", evil + ".syclbin"}, {"diff", evil + ".syclbin", "b.syclbin"}, {"explain", "--device=intel_gpu_pvc", "b.syclbin"},
		{"import", "--output=" + evil, evil + ".syclbin", evil + ".syclbin"},
	} {
		_, stdout, stderr := run(t, args...)
		if printed := stdout + stderr; !strings.Contains(printed, "red") || strings.ContainsAny(printed, "\x1b\x07\u202e") || strings.Contains(printed, "##[") {
			t.Errorf("%q: %q %q", args, stdout, stderr)
		}
	}
}

func TestLinkSurvivesAFullDisk(t *testing.T) {
	old := largeDir(t)
	code, stderr := process(t, "ulimit -f 64; ", "link", "--output=old.syclbin", "large.syclbin")
	if code != 4 || !strings.Contains(stderr, "file too large") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	checkOld(t, old)
}
