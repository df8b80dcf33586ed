package main

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rhysd/actionlint"
	"gopkg.in/yaml.v3"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

//go:embed action.yml
var actionFile string

// scriptInputs are the inputs that run.sh reads.
var scriptInputs = []string{"binary", "download-base-url", "version"}

type actionMetadata struct {
	Name, Description string
	Inputs            yaml.Node
	Outputs           yaml.Node
	Runs              struct {
		Using string
		Steps []struct {
			ID, Shell, Run, Uses string
			Env                  map[string]string
		}
	}
}

func parseAction(t *testing.T) (m actionMetadata) {
	t.Helper()
	d := yaml.NewDecoder(strings.NewReader(actionFile))
	testkit.NoError(t, d.Decode(&m))
	return m
}

func keys(n *yaml.Node) (list []string) {
	for i := 0; i < len(n.Content); i += 2 {
		list = append(list, n.Content[i].Value)
	}
	return list
}

// TestInputs checks that action.yml has the same inputs as the program, with the same defaults.
func TestInputs(t *testing.T) {
	m := parseAction(t)
	var names []string
	for _, in := range inputs {
		names = append(names, in.name)
	}
	names = append(names, scriptInputs...)
	if got := keys(&m.Inputs); !slices.Equal(got, names) {
		t.Errorf("inputs %q, want %q", got, names)
	}
	for i, n := range m.Inputs.Content {
		if i%2 == 0 {
			continue
		}
		var v struct {
			Description, Default string
			Required             bool
		}
		testkit.NoError(t, n.Decode(&v))
		name := m.Inputs.Content[i-1].Value
		at := slices.IndexFunc(inputs, func(in input) bool { return in.name == name })
		preset := ""
		if at >= 0 {
			preset = inputs[at].preset
			if !strings.HasPrefix(strings.ToLower(v.Description), strings.ToLower(inputs[at].usage)) {
				t.Errorf("input %s: description %q, usage %q", name, v.Description, inputs[at].usage)
			}
		}
		if name == "token" {
			preset = "${{ github.token }}"
		}
		if v.Default != preset || v.Description == "" || v.Required {
			t.Errorf("input %s: %+v", name, v)
		}
	}
	if got := keys(&m.Outputs); !slices.Equal(got, outputs) {
		t.Errorf("outputs %q, want %q", got, outputs)
	}
	for i := 0; i < len(m.Outputs.Content); i += 2 {
		var v struct{ Description, Value string }
		testkit.NoError(t, m.Outputs.Content[i+1].Decode(&v))
		if name := m.Outputs.Content[i].Value; v.Value != "${{ steps.gate.outputs."+name+" }}" || v.Description == "" {
			t.Errorf("output %s: %+v", name, v)
		}
	}
}

// TestNoUntrustedTextInScripts checks that values are passed to the shell as variables (S-20).
func TestNoUntrustedTextInScripts(t *testing.T) {
	m := parseAction(t)
	if m.Runs.Using != "composite" || len(m.Runs.Steps) != 1 {
		t.Fatalf("runs %+v", m.Runs)
	}
	step := m.Runs.Steps[0]
	if step.Shell != "bash" || step.Uses != "" || step.ID != "gate" {
		t.Errorf("step %+v", step)
	}
	if strings.Contains(step.Run, "${{") || strings.Contains(script, "${{") {
		t.Errorf("run is %q", step.Run)
	}
	if len(step.Env) != len(inputs)+len(scriptInputs) {
		t.Errorf("%d variables", len(step.Env))
	}
	for _, name := range keys(&m.Inputs) {
		in := input{name: name}
		if got := step.Env[in.variable()]; got != "${{ inputs."+name+" }}" {
			t.Errorf("variable %s is %q", in.variable(), got)
		}
	}
	for variable := range step.Env {
		if !regexp.MustCompile(`^INPUT_[A-Z_]+$`).MatchString(variable) {
			t.Errorf("variable %q: shells drop such names", variable)
		}
	}
}

// TestActionlint checks workflows that use the action with actionlint, which must see the same
// inputs and outputs.
func TestActionlint(t *testing.T) {
	dir := t.TempDir()
	testkit.WriteFile(t, filepath.Join(dir, "action", "action.yml"), actionFile)
	testkit.NoError(t, os.MkdirAll(filepath.Join(dir, ".github", "workflows"), 0o755))
	testkit.NoError(t, os.MkdirAll(filepath.Join(dir, ".git"), 0o755))
	project, err := actionlint.NewProjects().At(dir)
	if err != nil || project == nil {
		t.Fatal(project, err)
	}
	found, _, err := actionlint.NewLocalActionsCache(project, nil).FindMetadata("./action")
	if err != nil || found == nil {
		t.Fatal(found, err)
	}
	m := parseAction(t)
	if len(found.Inputs) != len(keys(&m.Inputs)) || len(found.Outputs) != len(outputs) || found.Inputs["reports"].Required {
		t.Errorf("%d inputs, %d outputs", len(found.Inputs), len(found.Outputs))
	}
	workflow := `on: pull_request
permissions:
  contents: read
jobs:
  gate:
    runs-on: ubuntu-24.04
    steps:
      - id: gate
        uses: ./action
        with:
          reports: bazel-bin/**/*.compat.json
          %s
      - run: echo "$CONCLUSION"
        env:
          CONCLUSION: ${{ steps.gate.outputs.conclusion }}
`
	for with, faults := range map[string]int{"fail-on: none": 0, "fail-onn: none": 1} {
		l, err := actionlint.NewLinter(os.Stderr, &actionlint.LinterOptions{WorkingDir: dir})
		testkit.NoError(t, err)
		errs, err := l.Lint(filepath.Join(dir, ".github", "workflows", "x.yml"), []byte(strings.Replace(workflow, "%s", with, 1)), project)
		if err != nil || len(errs) != faults {
			t.Errorf("%s: %v, %v", with, errs, err)
		}
	}
}

// TestPage checks the tables of inputs and outputs on the page about the action.
func TestPage(t *testing.T) {
	const page = "../docs/check/github-action.md"
	m := parseAction(t)
	var b strings.Builder
	b.WriteString("| Input | Values | Default | Description |\n|---|---|---|---|\n")
	for _, in := range inputs {
		preset := ""
		if in.preset != "" {
			preset = "`" + in.preset + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", in.name, in.values, preset, in.usage)
	}
	values := map[string]string{"binary": "path", "download-base-url": "address", "version": "text"}
	for i := 0; i < len(m.Inputs.Content); i += 2 {
		name := m.Inputs.Content[i].Value
		if !slices.Contains(scriptInputs, name) {
			continue
		}
		var v struct{ Description string }
		testkit.NoError(t, m.Inputs.Content[i+1].Decode(&v))
		usage := strings.TrimSuffix(strings.ToLower(v.Description[:1])+v.Description[1:], ".")
		fmt.Fprintf(&b, "| `%s` | %s |  | %s |\n", name, values[name], usage)
	}
	testkit.GoldenSection(t, page, "inputs", b.String())
	b.Reset()
	b.WriteString("| Output | Description |\n|---|---|\n")
	for i := 0; i < len(m.Outputs.Content); i += 2 {
		var v struct{ Description string }
		testkit.NoError(t, m.Outputs.Content[i+1].Decode(&v))
		fmt.Fprintf(&b, "| `%s` | %s |\n", m.Outputs.Content[i].Value, v.Description)
	}
	testkit.GoldenSection(t, page, "outputs", b.String())
}

// TestPageWorkflow checks that actionlint accepts the workflow on the page.
func TestPageWorkflow(t *testing.T) {
	text := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindStringSubmatch(testkit.ReadFile(t, "../docs/check/github-action.md"))[1]
	l, err := actionlint.NewLinter(os.Stderr, &actionlint.LinterOptions{})
	testkit.NoError(t, err)
	errs, err := l.Lint("page.yml", []byte(text), nil)
	if err != nil || len(errs) != 0 {
		t.Errorf("%v, %v", errs, err)
	}
}
