package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/rhysd/actionlint"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

const baseWorkflow = "../examples/workflows/base-against-head.yml"

// fakeBazel builds targets with a file NAME.kernels, and keeps earlier outputs.
const fakeBazel = `#!/bin/sh
set -eu
[ "$1 $2" = "build //..." ]
mkdir -p "$OUTPUTS/pkg"
ln -sfn "$OUTPUTS" bazel-bin
for f in *.kernels; do
  cp "$f" "$OUTPUTS/pkg/${f%.kernels}.compat.json"
  chmod 555 "$OUTPUTS/pkg/${f%.kernels}.compat.json"
done
`

// TestBaseAgainstHead runs the steps of the example with a fake Bazel. Problems of the base must be
// known, and losses in the change must be new.
func TestBaseAgainstHead(t *testing.T) {
	for _, program := range []string{"git", "bash", "tar", "find"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(program + " not found")
		}
	}
	steps := workflowSteps(t, baseWorkflow)
	w := newCheckout(t)
	git := func(args ...string) {
		t.Helper()
		w.shell("git -c user.name=n -c user.email=e@x -c commit.gpgsign=false " + strings.Join(args, " "))
	}
	git("init", "--quiet", "--initial-branch=main", ".")
	w.write(".gitignore", "/bazel-*\n/base-reports/\n")
	w.write("a.kernels", encode(t, "//demo:a", both, kernel{"Old", []string{deviceA}}, kernel{"Loses", nil}))
	w.write("gone.kernels", encode(t, "//demo:gone", both, kernel{"Gone", nil}))
	git("add", ".")
	git("commit", "--quiet", "-m", "base")
	git("checkout", "--quiet", "-b", "change")
	w.write("a.kernels", encode(t, "//demo:a", both, kernel{"Old", []string{deviceA}}, kernel{"Loses", []string{deviceB}}))
	git("rm", "--quiet", "gone.kernels")
	git("commit", "--quiet", "-a", "-m", "change")
	git("checkout", "--quiet", "--detach", "main")
	git("merge", "--quiet", "--no-ff", "-m", "merge", "change")

	bin, outputs := t.TempDir(), filepath.Join(t.TempDir(), "execroot/_main/bazel-out/k8-fastbuild/bin")
	testkit.WriteFile(t, filepath.Join(bin, "bazel"), fakeBazel)
	testkit.NoError(t, os.Chmod(filepath.Join(bin, "bazel"), 0o755))
	w.env["PATH"], w.env["OUTPUTS"] = bin+":"+os.Getenv("PATH"), outputs
	var inputs []string
	for _, s := range steps {
		if s.Run != "" {
			w.shell(s.Run)
		}
		if strings.HasPrefix(s.Uses, "rules-sycl/rules_sycl/action@") {
			inputs = []string{"reports", s.With["reports"], "base-reports", s.With["base-reports"]}
		}
	}
	s := w.checkRun(1, "failure", "", inputs...)
	if s.Outputs["new-problems"] != "2" || s.Outputs["baselined"] != "1" {
		t.Errorf("outputs %v", s.Outputs)
	}
	wantText(t, "the log", s.log(), "kernel 'Loses' does not run on "+deviceB, "//demo:gone: no report covers the target, which exists on the base branch", "(known)")
}

// shell runs a script like the runner does, in the directory of the job.
func (w *checkout) shell(text string) {
	w.Helper()
	cmd := exec.CommandContext(w.Context(), "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", text)
	cmd.Dir = w.dir
	cmd.Env = []string{"HOME=" + w.dir, "GIT_CONFIG_NOSYSTEM=1"}
	for k, v := range w.env {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		w.Fatalf("%s: %v\n%s", text, err, out)
	}
}

type workflowStep struct {
	Run, Uses string
	With      map[string]string
}

// workflowSteps returns the steps of the only job of a workflow. It checks that actionlint accepts
// the workflow and that the inputs of the action exist.
func workflowSteps(t *testing.T, name string) []workflowStep {
	t.Helper()
	data := []byte(testkit.ReadFile(t, name))
	l, err := actionlint.NewLinter(os.Stderr, &actionlint.LinterOptions{})
	testkit.NoError(t, err)
	if errs, err := l.Lint(name, data, nil); err != nil || len(errs) > 0 {
		t.Errorf("%v, %v", errs, err)
	}
	var workflow struct {
		Jobs map[string]struct{ Steps []workflowStep }
	}
	testkit.NoError(t, yaml.Unmarshal(data, &workflow))
	if len(workflow.Jobs) != 1 {
		t.Fatalf("%d jobs", len(workflow.Jobs))
	}
	for _, job := range workflow.Jobs {
		for _, s := range job.Steps {
			if !strings.Contains(s.Uses, "rules_sycl/action@") {
				continue
			}
			for input := range s.With {
				if !strings.Contains(actionFile, "\n  "+input+":\n") {
					t.Errorf("the action has no input %s", input)
				}
			}
		}
		return job.Steps
	}
	return nil
}
