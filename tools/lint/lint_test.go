// Package lint tests the rules of this repository that no compiler checks. The tests read the source
// tree, so they include new files that no BUILD file lists yet.
package lint

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/bazelbuild/buildtools/build"
	"github.com/bazelbuild/buildtools/warn"
	"github.com/rhysd/actionlint"

	"github.com/rules-sycl/rules_sycl/sycl/release"
)

// tree returns the root of the source tree: the directory of the real MODULE.bazel under Bazel, and
// a parent directory under go test.
func tree(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; dir != "/"; dir = filepath.Dir(dir) {
		file, err := filepath.EvalSymlinks(filepath.Join(dir, "MODULE.bazel"))
		if err == nil {
			return filepath.Dir(file)
		}
	}
	t.Fatal("there is no MODULE.bazel above this test")
	return ""
}

// files calls check with the path of every source file whose name match accepts. It fails the test if
// no file matches.
func files(t *testing.T, match func(path string) bool, check func(t *testing.T, path string, data []byte)) {
	t.Helper()
	root := tree(t)
	n := 0
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		path, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		switch {
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "testdata"):
			return fs.SkipDir
		case !d.Type().IsRegular() || !match(path):
			return nil
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		n++
		check(t, path, data)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n == 0 {
		t.Fatal("no file was checked")
	}
}

func ending(suffixes ...string) func(string) bool {
	return func(path string) bool {
		return slices.ContainsFunc(suffixes, func(s string) bool { return strings.HasSuffix(path, s) })
	}
}

func TestGofmt(t *testing.T) {
	files(t, ending(".go"), func(t *testing.T, path string, data []byte) {
		want, err := format.Source(data)
		if err != nil {
			t.Errorf("%s: %v", path, err)
		} else if !bytes.Equal(data, want) {
			t.Errorf("%s: not formatted; run gofmt -w %s", path, path)
		}
	})
}

func TestBuildifier(t *testing.T) {
	files(t, ending("BUILD.bazel", "MODULE.bazel", ".bzl"), func(t *testing.T, path string, data []byte) {
		f, err := build.Parse(path, data)
		if err != nil {
			t.Error(err)
			return
		}
		f.Path = path
		f.Pkg = filepath.Dir(path)
		for _, w := range warn.FileWarnings(f, warn.DefaultWarnings, nil, warn.ModeWarn, nil) {
			t.Errorf("%s:%d: %s: %s", path, w.Start.Line, w.Category, w.Message)
		}
		if !bytes.Equal(data, build.Format(f)) {
			t.Errorf("%s: not formatted; run buildifier %s", path, path)
		}
	})
}

// layers lists the packages of sycl/ from the lowest layer up. A package imports only packages of
// lower layers. docs/project/architecture.md describes the layers.
var layers = [][]string{
	{"internal/binfile", "internal/scc", "internal/strict", "safetext"},
	{"aspect", "kernelname", "offload", "propset"},
	{"deviceconfig", "requirement", "srcloc"},
	{"release"},
	{"filetable", "hostwrap", "internal/llvmir", "spirv", "syclbin"},
	{"hostbin", "postlink/internal/devicecode", "specialize"},
	{"postlink/aspects", "postlink/internal/constants"},
	{"compat", "link", "postlink"},
	{"report"},
	{"gate", "show"},
	{"gate/render", "report/render"},
}

// layerOf returns the layer of a package of sycl/, or -1 if it is in no layer.
func layerOf(pkg string) int {
	return slices.IndexFunc(layers, func(layer []string) bool { return slices.Contains(layer, pkg) })
}

// lightPackages are programs, build steps and packages that must not link the LLVM IR parser or the post-link step,
// because they only read tables, metadata and SPIR-V. compat and packager link both: compat reads the
// bitcode in objects, and 'packager link --mode ir' splits linked code.
var lightPackages = []string{
	"internal/gatefiles", "tools/aot", "tools/aspectfilter", "tools/internal/bundle",
	"tools/internal/steps/dpcppimages", "tools/internal/steps/gpucode", "tools/internal/steps/modulefiles",
	"tools/internal/steps/setconstants", "tools/internal/steps/translate",
}

// TestProgramImports checks the direct and indirect imports of lightPackages.
func TestProgramImports(t *testing.T) {
	for _, pkg := range lightPackages {
		needed := ownPackages(t, pkg)
		for _, heavy := range []string{"sycl/internal/llvmir", "sycl/postlink"} {
			if slices.Contains(needed, heavy) {
				t.Errorf("%s links %s", pkg, heavy)
			}
		}
	}
}

// TestStepImports checks that a build step does not import other steps: it must not run them
// itself, and changes to them must not change its program.
func TestStepImports(t *testing.T) {
	steps, err := filepath.Glob(filepath.Join(tree(t), "tools/internal/steps/*/BUILD.bazel"))
	if err != nil || len(steps) == 0 {
		t.Fatalf("no steps found (%v)", err)
	}
	for _, file := range steps {
		step := "tools/internal/steps/" + filepath.Base(filepath.Dir(file))
		if step == "tools/internal/steps/stepstest" {
			continue // it runs several steps
		}
		for _, dep := range ownPackages(t, step) {
			if strings.HasPrefix(dep, "tools/internal/steps/") && dep != step && dep != "tools/internal/steps/modulefiles" {
				t.Errorf("%s imports the step %s", step, dep)
			}
		}
	}
}

// TestLayersPage checks that docs/project/architecture.md lists the same layers.
func TestLayersPage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(tree(t), "docs", "project", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile("(?m)^\\| (\\d+) \\| ([^|]*) \\|")
	name := regexp.MustCompile("`([^`]*)`")
	got := make([][]string, len(layers))
	for _, m := range row.FindAllStringSubmatch(string(page), -1) {
		layer, err := strconv.Atoi(m[1])
		if err != nil || layer >= len(layers) {
			t.Fatalf("docs/project/architecture.md: unknown layer %s", m[1])
		}
		for _, n := range name.FindAllStringSubmatch(m[2], -1) {
			got[layer] = append(got[layer], n[1])
		}
	}
	for layer, want := range layers {
		if !slices.Equal(got[layer], want) {
			t.Errorf("docs/project/architecture.md: layer %d: got %q, want %q", layer, got[layer], want)
		}
	}
}

// TestPrivateRules checks that the files of rules/private are in directories, and that the BUILD file of
// each directory starts with a comment that describes it.
func TestPrivateRules(t *testing.T) {
	root := filepath.Join(tree(t), "rules/private")
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		switch {
		case e.IsDir():
			build, err := os.ReadFile(filepath.Join(root, e.Name(), "BUILD.bazel"))
			if err != nil {
				t.Error(err)
			} else if !bytes.HasPrefix(build, []byte("# ")) {
				t.Errorf("rules/private/%s/BUILD.bazel: start with a comment that describes the directory", e.Name())
			}
		case e.Name() != "BUILD.bazel":
			t.Errorf("rules/private/%s: move it into a directory", e.Name())
		}
	}
}

// effects are imports that only programs may use.
var effects = []string{"flag", "os/exec", "os/signal", "log", "log/slog"}

// programNames are names that only programs may use or declare: packages of sycl/ return values and plain
// errors, and never print, exit, or read arguments, the environment or clocks.
var programNames = map[string][]string{
	"fmt":  {"Print", "Printf", "Println"},
	"os":   {"Args", "Environ", "Exit", "Getenv", "LookupEnv", "Stderr", "Stdin", "Stdout"},
	"time": {"Now", "Since", "Until"},
	"":     {"WrongUsage", "ExitCode"}, // methods by which package cli chooses an exit code
}

// programName returns the first of programNames in a file, or "".
func programName(f *ast.File) (name string) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if pkg, ok := n.X.(*ast.Ident); ok && slices.Contains(programNames[pkg.Name], n.Sel.Name) {
				name = pkg.Name + "." + n.Sel.Name
			}
		case *ast.FuncDecl:
			if slices.Contains(programNames[""], n.Name.Name) {
				name = n.Name.Name
			}
		}
		return name == ""
	})
	return name
}

func TestProgramName(t *testing.T) {
	for source, want := range map[string]string{
		`import "os"; var a = os.Args`:                                "os.Args",
		`import "fmt"; func f() { fmt.Println() }`:                    "fmt.Println",
		`type e struct{}; func (e) WrongUsage() {}`:                   "WrongUsage",
		`import "os"; func f() { os.Open("") }`:                       "",
		`type e struct{}; func (e) BadInput() {}; func f(w string){}`: "",
	} {
		f, err := parser.ParseFile(token.NewFileSet(), "", "package p; "+source, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := programName(f); got != want {
			t.Errorf("%s: got %q, want %q", source, got, want)
		}
	}
}

func TestLayers(t *testing.T) {
	const module = "github.com/rules-sycl/rules_sycl/"
	isDomain := func(path string) bool {
		return strings.HasPrefix(path, "sycl/") && strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go")
	}
	files(t, isDomain, func(t *testing.T, path string, data []byte) {
		pkg := strings.TrimPrefix(filepath.ToSlash(filepath.Dir(path)), "sycl/")
		layer := layerOf(pkg)
		if layer < 0 {
			t.Errorf("%s: the package is in no layer; add it to layers in tools/lint/lint_test.go", path)
			return
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, data, 0)
		if err != nil {
			t.Error(err)
			return
		}
		if name := programName(f); name != "" {
			t.Errorf("%s uses %s; move this to a program", path, name)
		}
		for _, spec := range f.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Error(err)
			}
			if slices.Contains(effects, name) {
				t.Errorf("%s imports %s; move this to a program", path, name)
			}
			own, ok := strings.CutPrefix(name, module)
			if !ok {
				continue
			}
			dep, ok := strings.CutPrefix(own, "sycl/")
			if !ok {
				t.Errorf("%s imports %s; packages of sycl/ import only packages of sycl/", path, name)
				continue
			}
			if layerOf(dep) >= layer {
				t.Errorf("%s (layer %d) imports sycl/%s (layer %d)", path, layer, dep, layerOf(dep))
			}
		}
	})
}

// ownPackages returns the packages of this module that a package needs, itself included.
func ownPackages(t *testing.T, pkg string) []string {
	const module = "github.com/rules-sycl/rules_sycl/"
	root := tree(t)
	list := []string{pkg}
	for i := 0; i < len(list); i++ {
		sources, err := filepath.Glob(filepath.Join(root, list[i], "*.go"))
		if err != nil || len(sources) == 0 {
			t.Fatalf("%s: no sources found (%v)", list[i], err)
		}
		for _, source := range sources {
			if strings.HasSuffix(source, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), source, nil, parser.ImportsOnly)
			if err != nil {
				t.Fatal(err)
			}
			for _, spec := range f.Imports {
				own, ok := strings.CutPrefix(strings.Trim(spec.Path.Value, `"`), module)
				if ok && !slices.Contains(list, own) {
					list = append(list, own)
				}
			}
		}
	}
	slices.Sort(list)
	return list
}

// TestAotNeedsLittle checks the dependencies of the program that compiles ahead of time. If a
// program changes, Bazel reruns all of its actions. The actions of this program take longest, so
// changes to other steps must not change it.
func TestAotNeedsLittle(t *testing.T) {
	want := []string{
		"internal/cli", "internal/outfile",
		"sycl/filetable", "sycl/safetext", "tools/aot", "tools/internal/aot", "tools/internal/buildstep",
	}
	if got := ownPackages(t, "tools/aot"); !slices.Equal(got, want) {
		t.Errorf("tools/aot needs %q, want %q", got, want)
	}
	if got := ownPackages(t, "tools/devicec"); !slices.Contains(got, "sycl/postlink") {
		t.Errorf("tools/devicec needs only %q", got)
	}
}

// TestWorkflowCommands checks that only the wrapper calls the library for workflow commands,
// because the library does not prevent forged commands in values.
func TestWorkflowCommands(t *testing.T) {
	const library, wrapper = "github.com/sethvargo/go-githubactions", "action/runner.go"
	files(t, ending(".go"), func(t *testing.T, path string, data []byte) {
		if strings.HasSuffix(path, "_test.go") || filepath.ToSlash(path) == wrapper {
			return
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, data, parser.ImportsOnly)
		if err != nil {
			t.Error(err)
			return
		}
		for _, spec := range f.Imports {
			if spec.Path.Value == strconv.Quote(library) {
				t.Errorf("%s imports %s; use %s", path, library, wrapper)
			}
		}
		if filepath.ToSlash(filepath.Dir(path)) == "action" && bytes.Contains(data, []byte(".library.")) {
			t.Errorf("%s calls %s itself; use %s", path, library, wrapper)
		}
	})
}

// TestWorkflows checks that third-party actions are pinned to a commit, and that the steps and
// inputs of this project's action are valid.
func TestWorkflows(t *testing.T) {
	isWorkflow := func(path string) bool {
		dir := filepath.ToSlash(filepath.Dir(path))
		return (strings.HasSuffix(dir, ".github/workflows") || strings.HasSuffix(dir, "examples/workflows")) && strings.HasSuffix(path, ".yml")
	}
	uses := regexp.MustCompile(`^\s*-?\s*uses: (\S+)(.*)$`)
	pinned := regexp.MustCompile(`^[\w./-]+@[0-9a-f]{40} # v?\d[\d.]*$`)
	own := "rules-sycl/rules_sycl/action@FULL_SHA_OF_A_COMMIT" // readers replace the placeholder
	project, err := actionlint.NewProject(tree(t))
	if err != nil {
		t.Fatal(err)
	}
	files(t, isWorkflow, func(t *testing.T, path string, data []byte) {
		linter, err := actionlint.NewLinter(io.Discard, &actionlint.LinterOptions{})
		if err != nil {
			t.Fatal(err)
		}
		// Refer to the action in this tree, so that its inputs are checked.
		local := bytes.ReplaceAll(data, []byte(own), []byte("./action"))
		found, err := linter.Lint(path, local, project)
		if err != nil {
			t.Fatal(err)
		}
		for _, problem := range found {
			t.Errorf("%s", problem)
		}
		for i, line := range strings.Split(string(data), "\n") {
			m := uses.FindStringSubmatch(line)
			if m != nil && m[1] != own && !pinned.MatchString(m[1]+m[2]) {
				t.Errorf("%s:%d: %s is not a commit followed by its version as a comment", path, i+1, m[1])
			}
		}
	})
}

// TestScripts checks that .ci/README.md names exactly the existing scripts.
func TestScripts(t *testing.T) {
	dir := filepath.Join(tree(t), ".ci")
	page, err := os.ReadFile(filepath.Join(dir, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	named := make(map[string]bool)
	for _, m := range regexp.MustCompile("`([a-z0-9][a-z0-9.-]+)`").FindAllSubmatch(page, -1) {
		named[string(m[1])] = true
	}
	for _, e := range entries {
		name := e.Name()
		if ext := filepath.Ext(name); ext == "" || ext == ".sh" {
			if !named[name] {
				t.Errorf(".ci/README.md does not name %s; add it to a row of the table", name)
			}
			delete(named, name)
		}
	}
	for name := range named {
		t.Errorf(".ci/README.md names %s, which is not in .ci", name)
	}
}

func TestTextFiles(t *testing.T) {
	files(t, ending(".go", ".bzl", ".bazel", ".md", ".yaml", ".yml", ".sh", ".hpp", ".cpp", ".c", "bazelw", "make", "enter"), func(t *testing.T, path string, data []byte) {
		if len(data) > 0 && !bytes.HasSuffix(data, []byte("\n")) {
			t.Errorf("%s: the last line has no line end", path)
		}
		for i, line := range bytes.Split(data, []byte("\n")) {
			if bytes.HasSuffix(line, []byte(" ")) || bytes.HasSuffix(line, []byte("\t")) || bytes.HasSuffix(line, []byte("\r")) {
				t.Errorf("%s:%d: white space at the end of the line", path, i+1)
			}
		}
	})
}

var (
	pageLink = regexp.MustCompile(`\]\(([^()\s]*)\)`)
	fence    = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
	notInRef = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
)

// TestLinks checks that links of Markdown pages lead to existing files and headings.
func TestLinks(t *testing.T) {
	root := tree(t)
	anchors := func(text string) map[string]bool {
		found := map[string]bool{"": true}
		repeated := map[string]int{}
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "#") {
				heading := strings.ToLower(strings.TrimSpace(strings.TrimLeft(line, "#")))
				anchor := strings.ReplaceAll(notInRef.ReplaceAllString(heading, ""), " ", "-")
				if n := repeated[anchor]; n > 0 {
					found[fmt.Sprintf("%s-%d", anchor, n)] = true
				}
				repeated[anchor]++
				found[anchor] = true
			}
		}
		return found
	}
	checked := 0
	files(t, ending(".md"), func(t *testing.T, path string, data []byte) {
		for _, m := range pageLink.FindAllStringSubmatch(fence.ReplaceAllString(string(data), ""), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			checked++
			name, anchor, _ := strings.Cut(m[1], "#")
			target := filepath.Join(root, filepath.Dir(path), name)
			if name == "" {
				target = filepath.Join(root, path)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: there is no file at %s", path, m[1])
			} else if anchor != "" {
				text, err := os.ReadFile(target)
				if err != nil || !anchors(fence.ReplaceAllString(string(text), ""))[anchor] {
					t.Errorf("%s: there is no heading at %s", path, m[1])
				}
			}
		}
	})
	if checked < 100 {
		t.Errorf("only %d links found", checked)
	}
}

// TestGo checks that go.mod, MODULE.bazel and the rules specify the same version of Go.
func TestGo(t *testing.T) {
	root := tree(t)
	read := func(name string) string {
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	version := regexp.MustCompile(`(?m)^go (\d+)\.(\d+)\.\d+$`).FindStringSubmatch(read("go.mod"))
	if version == nil {
		t.Fatal("go.mod has no version of Go")
	}
	for name, want := range map[string]string{
		"MODULE.bazel":                       `go_sdk.download(version = "` + strings.TrimPrefix(version[0], "go ") + `")`,
		"rules/private/toolchain/go_sdk.bzl": "_NEEDED = (" + version[1] + ", " + version[2] + ")",
	} {
		if !strings.Contains(read(name), "\n"+want+"\n") {
			t.Errorf("%s has no %s, and go.mod has Go %s.%s", name, want, version[1], version[2])
		}
	}
}

// TestReleases checks that the rules offer the releases of the runtime that package release
// defines.
func TestReleases(t *testing.T) {
	root := tree(t)
	list := `["` + strings.ReplaceAll(release.Names(), ", ", `", "`) + `"]`
	for name, want := range map[string]string{
		"rules/private/compile/attributes.bzl": "_RUNTIMES = " + list,
		"rules/toolchain.bzl":                  "values = " + list,
	} {
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(data), want+"\n") && !strings.Contains(string(data), want+",\n") {
			t.Errorf("%s has no %s, the releases of sycl/release/release.go", name, want)
		}
	}
}
