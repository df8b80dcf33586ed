package snippets

import (
	"encoding/json"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bazelbuild/buildtools/build"
	"github.com/rhysd/actionlint"
	"gopkg.in/yaml.v3"

	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/gate"
)

// TestSnippets checks each code block of each page according to its language. Blocks that cannot be
// checked are in unchecked.tsv, with the reason.
func TestSnippets(t *testing.T) {
	known := knownNames(t)
	golden := append(goldenText(t), printed(t)...)
	unchecked := uncheckedBlocks(t)
	counts := map[string]int{}
	all := pages(t)
	for _, page := range slices.Sorted(maps.Keys(all)) {
		blocks, err := blocksOf(page, all[page])
		if err != nil {
			t.Error(err)
		}
		for _, b := range blocks {
			counts["blocks"]++
			_, excused := unchecked[b.first()]
			switch {
			case page == toolsPage && b.language == "":
				counts["help"]++ // compared by TestToolsPage
			case b.language == "starlark":
				known.checkStarlark(t, b)
				counts["parsed"]++
			case b.language == "yaml":
				checkYAML(t, b)
				counts["parsed"]++
			case b.language == "json":
				if !json.Valid([]byte(b.text)) {
					t.Errorf("%s: the JSON does not parse", b.at())
				}
				counts["parsed"]++
			case excused:
				unchecked[b.first()] = true
				counts["unchecked"]++
			case b.language == "cpp" || b.language == "c":
				counts["compiled"]++ // by TestCompile
			case isBazelrc(b):
				counts["flags of Bazel"]++ // by checkSettings, like the surrounding text
			case runs[b.first()] != nil:
				counts["run"]++ // by TestRuns
			case isShell(b):
				if out, err := checkSyntax(b.text); err != nil {
					t.Errorf("%s: bash: %v\n%s", b.at(), err, out)
				}
				checkShell(t, b.at(), b.text)
				counts["commands"]++
			case slices.ContainsFunc(golden, func(text string) bool { return strings.Contains(text, strings.TrimSpace(b.text)) }):
				counts["compared"]++
			default:
				t.Errorf("%s: the block %q is not checked by anything: see unchecked.tsv", b.at(), b.first())
			}
		}
		known.checkSettings(t, page, all[page])
		for _, m := range codeSpan.FindAllStringSubmatch(fence.ReplaceAllString(all[page], ""), -1) {
			if span := strings.ReplaceAll(m[1], "\n", " "); strings.Contains(span, " -") {
				if checkShell(t, page+": `"+span+"`", span) > 0 {
					counts["commands in sentences"]++
				}
			}
		}
	}
	for first, found := range unchecked {
		if !found {
			t.Errorf("unchecked.tsv: no block begins with %q, or it is checked", first)
		}
	}
	if counts["blocks"] < 100 || counts["parsed"] < 50 {
		t.Errorf("the blocks were not found: %v", counts)
	}
	t.Logf("%v", counts)
}

var (
	codeSpan = regexp.MustCompile("`([^`]+)`")
	fence    = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
)

// uncheckedBlocks returns the first lines of unchecked.tsv.
func uncheckedBlocks(t *testing.T) map[string]bool {
	data, err := os.ReadFile(filepath.Join(root, "docs/snippets/unchecked.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	list := map[string]bool{}
	for line := range strings.Lines(string(data)) {
		first, reason, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !ok || len(reason) < 10 {
			t.Errorf("unchecked.tsv: %q has no reason", line)
		}
		list[first] = false
	}
	return list
}

// goldenText returns the golden files of other tests.
func goldenText(t *testing.T) (list []string) {
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || !strings.Contains(filepath.Base(file), ".golden") && !strings.Contains(file, "/testdata/") || !strings.HasSuffix(file, ".txt") {
			return err
		}
		data, err := os.ReadFile(file)
		list = append(list, string(data))
		return err
	})
	if err != nil || list == nil {
		t.Fatalf("%d golden files, %v", len(list), err)
	}
	return list
}

var bazelrcLine = regexp.MustCompile(`^((build|common|test)(:[a-z]+)? --.*|# \.bazelrc)?$`)

// isBazelrc reports whether a block consists of lines of a .bazelrc.
func isBazelrc(b block) bool {
	return !slices.ContainsFunc(strings.Split(b.text, "\n"), func(line string) bool { return !bazelrcLine.MatchString(line) })
}

// setting matches a flag of the rules in a command line or a .bazelrc.
var setting = regexp.MustCompile(`--@rules_sycl//rules/settings:([a-z_]+)`)

// checkSettings checks that flags of the rules that a page names exist.
func (n *names) checkSettings(t *testing.T, page, text string) {
	t.Helper()
	for _, m := range setting.FindAllStringSubmatch(text, -1) {
		if !strings.Contains(n.settings, `name = "`+m[1]+`"`) {
			t.Errorf("%s: there is no flag %s", page, m[0])
		}
	}
}

// otherPrograms lists programs that shell lines may start with and that are not part of the
// project.
var otherPrograms = strings.Fields("bazel cat cc cd c++ cmake cp ctest curl docker export for g++ gh git go jq meson ninja pip pre-commit python python3 sha256sum sudo")

// isShell reports whether a block consists of shell commands without their output.
func isShell(b block) bool {
	if b.language == "sh" {
		return true
	}
	if b.language != "" || strings.HasPrefix(b.text, "$ ") {
		return false
	}
	for _, command := range words(b.text) {
		for len(command) > 0 && assignment.MatchString(command[0]) {
			command = command[1:]
		}
		if len(command) == 0 {
			continue
		}
		name := strings.TrimPrefix(command[0], "./")
		return slices.Contains(otherPrograms, name) || programs[name] != "" || strings.HasSuffix(name, "bazelw") || isInTree(name) ||
			name == "sycl-post-link" || strings.Contains(command[0], "/") && strings.HasPrefix(command[0], ".")
	}
	return false
}

func checkSyntax(script string) ([]byte, error) {
	cmd := exec.Command("bash", "-n")
	cmd.Stdin = strings.NewReader(script)
	return cmd.CombinedOutput()
}

const ownAction = "rules-sycl/rules_sycl/action@"

// checkYAML checks a workflow, steps of a workflow, a policy or a device configuration.
func checkYAML(t *testing.T, b block) {
	t.Helper()
	var document any
	if err := yaml.Unmarshal([]byte(b.text), &document); err != nil {
		t.Errorf("%s: %v", b.at(), err)
		return
	}
	text := b.text
	switch top := document.(type) {
	case []any: // steps
		text = "on: push\npermissions: {}\njobs:\n  job:\n    runs-on: ubuntu-24.04\n    steps:\n" + indented(text, "      ")
		checkWorkflow(t, b, text)
	case map[string]any:
		switch {
		case top["jobs"] != nil:
			checkWorkflow(t, b, text)
		case top["version"] == 1:
			if _, err := gate.ReadPolicy(b.at(), strings.NewReader(text)); err != nil {
				t.Error(err)
			}
		case strings.HasPrefix(b.first(), "intel_gpu_"):
			if _, err := deviceconfig.Read(b.at(), strings.NewReader(text)); err != nil {
				t.Error(err)
			}
		case strings.Contains(text, "script:"): // of GitLab
			var job struct{ Script []string }
			for _, v := range top {
				data, _ := yaml.Marshal(v)
				if yaml.Unmarshal(data, &job) == nil && job.Script != nil {
					script := strings.Join(job.Script, "\n")
					if out, err := checkSyntax(script); err != nil {
						t.Errorf("%s: bash: %v\n%s", b.at(), err, out)
					}
					if checkShell(t, b.at(), script) == 0 {
						t.Errorf("%s: the script has no command of the project", b.at())
					}
				}
			}
			if job.Script == nil {
				t.Errorf("%s: no job has a script", b.at())
			}
		default:
			t.Errorf("%s: YAML of an unknown kind", b.at())
		}
	}
}

func indented(text, by string) string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	return by + strings.Join(lines, "\n"+by) + "\n"
}

func checkWorkflow(t *testing.T, b block, text string) {
	t.Helper()
	project, err := actionlint.NewProject(root)
	if err != nil {
		t.Fatal(err)
	}
	linter, err := actionlint.NewLinter(io.Discard, &actionlint.LinterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	// Refer to the action in this tree, so that its inputs are checked.
	text = regexp.MustCompile(regexp.QuoteMeta(ownAction)+`\S+`).ReplaceAllString(text, "./action")
	found, err := linter.Lint(b.page, []byte(text), project)
	if err != nil {
		t.Errorf("%s: %v", b.at(), err)
	}
	for _, problem := range found {
		t.Errorf("%s: %v", b.at(), problem)
	}
}

// names lists the rules, tags and flags of rules_sycl that BUILD files can use.
type names struct {
	files    map[string][]string        // symbols that can be loaded, by file of //rules
	rules    map[string]map[string]bool // attributes by rule, macro or tag
	settings string                     // text of the BUILD file with the flags
}

var (
	section   = regexp.MustCompile(`(?m)^## (\S+)$`)
	attribute = regexp.MustCompile("(?m)^\\| `\\*{0,2}([a-z_0-9]+)` \\|")
)

// knownNames reads the reference page of the rules, which is generated from their docstrings, and
// the .bzl files.
func knownNames(t *testing.T) *names {
	n := &names{files: map[string][]string{}, rules: map[string]map[string]bool{}}
	data, err := os.ReadFile(filepath.Join(root, "docs/reference/rules.md"))
	if err != nil {
		t.Fatal(err)
	}
	settings, err := os.ReadFile(filepath.Join(root, "rules/settings/BUILD.bazel"))
	if err != nil {
		t.Fatal(err)
	}
	n.settings = string(settings)
	page := string(data)
	at := section.FindAllStringSubmatchIndex(page, -1)
	for i, m := range at {
		end := len(page)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		attributes := map[string]bool{}
		for _, a := range attribute.FindAllStringSubmatch(page[m[1]:end], -1) {
			attributes[a[1]] = true
		}
		n.rules[page[m[2]:m[3]]] = attributes
	}
	// These rules also accept the attributes of other rules.
	for _, name := range []string{"sycl_cc_library", "sycl_cc_binary", "sycl_cc_test"} {
		for _, other := range []string{"sycl_cc_library", "sycl_cc_binary"} {
			maps.Copy(n.rules[name], n.rules[other])
		}
		for attribute := range strings.FieldsSeq("dynamic_deps linkshared linkstatic") { // of cc_binary
			n.rules[name][attribute] = true
		}
	}
	found, err := filepath.Glob(filepath.Join(root, "rules/*.bzl"))
	if err != nil || len(n.rules) < 20 {
		t.Fatalf("%d rules, %v", len(n.rules), err)
	}
	for _, name := range found {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		file, err := build.ParseBzl(name, data)
		if err != nil {
			t.Fatal(err)
		}
		var exported []string
		for _, statement := range file.Stmt {
			switch s := statement.(type) {
			case *build.DefStmt:
				exported = append(exported, s.Name)
			case *build.AssignExpr:
				if left, ok := s.LHS.(*build.Ident); ok {
					exported = append(exported, left.Name)
				}
			}
		}
		n.files[strings.TrimSuffix(filepath.Base(name), ".bzl")] = exported
	}
	return n
}

// everyRule lists the attributes that every rule or test has in Bazel.
var everyRule = strings.Fields("name visibility tags testonly size timeout flaky shard_count local args env env_inherit features data deps target_compatible_with exec_compatible_with exec_properties deprecation toolchains")

// checkStarlark parses a block, and compares its load statements and calls with the rules.
func (n *names) checkStarlark(t *testing.T, b block) {
	t.Helper()
	file, err := build.ParseDefault(b.at(), []byte(strings.ReplaceAll(b.text, "...", "")))
	if err != nil {
		t.Errorf("%s: %v", b.at(), err)
		return
	}
	build.WalkInterruptable(file, func(e build.Expr, _ []build.Expr) error {
		switch e := e.(type) {
		case *build.LoadStmt:
			name, own := strings.CutPrefix(e.Module.Value, "@rules_sycl//rules:")
			if !own {
				return nil
			}
			exported, found := n.files[strings.TrimSuffix(name, ".bzl")]
			for _, symbol := range e.From {
				if !found || !slices.Contains(exported, symbol.Name) {
					t.Errorf("%s: %s has no %s", b.at(), e.Module.Value, symbol.Name)
				}
			}
		case *build.CallExpr:
			called := build.FormatString(e.X)
			attributes, own := n.rules[called]
			if !own {
				return nil
			}
			for _, argument := range e.List {
				if a, ok := argument.(*build.AssignExpr); ok {
					key := a.LHS.(*build.Ident).Name
					if !attributes[key] && !attributes["kwargs"] && !slices.Contains(everyRule, key) {
						t.Errorf("%s: %s has no %s", b.at(), called, key)
					}
				}
			}
		}
		return nil
	})
}
