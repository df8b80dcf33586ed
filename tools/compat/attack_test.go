package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

// A fullDisk accepts a limited number of bytes.
type fullDisk struct{ left int }

func (d *fullDisk) Write(p []byte) (int, error) {
	if len(p) > d.left {
		n := d.left
		d.left = 0
		return n, syscall.ENOSPC
	}
	d.left -= len(p)
	return len(p), nil
}

func TestAttackS27DiskFull(t *testing.T) {
	gateWorkspace(t)
	for _, args := range [][]string{
		{"check", "before.json"}, {"check", "--format=json", "before.json"}, {"check", "--format=sarif", "before.json"}, {"check", "--format=junit", "before.json"},
		{"check", "--format=gitlab", "before.json"}, {"check", "--format=markdown", "before.json"}, {"show", "--format=html", "before.json"},
		{"explain"}, {"explain", "missing-aspect"}, {"--help"}, {"check", "--help"}, {"schema", "policy"}, {"diff", "before.json", "now.json"},
	} {
		for _, left := range []int{0, 100} {
			var errs bytes.Buffer
			code := tool().Run(t.Context(), &cli.Env{Stdin: strings.NewReader(""), Stdout: &fullDisk{left}, Stderr: &errs}, args)
			if code != 4 || !strings.Contains(errs.String(), "no space left") {
				t.Errorf("%q with %d bytes left: exit %d, %s", args, left, code, errs.String())
			}
		}
	}
}

func TestAttackS27UnwritableDirectories(t *testing.T) {
	gateWorkspace(t)
	t.Setenv("CI", "")
	testkit.WriteFile(t, "file", "text\n")
	testkit.NoError(t, os.Mkdir("folder", 0o755))
	before := list(t, ".")
	for _, path := range []string{"file/out", "gone/out", "folder", "/proc/out"} {
		for _, args := range [][]string{
			{"check", "--output", path, "before.json"}, {"check", "--sarif-file", path, "before.json"}, {"check", "--proposed-baseline", path, "before.json"},
			{"check", "--warn-only", "--json-file", path, "before.json"}, {"baseline", "update", "--baseline", path, "before.json"},
		} {
			code, _, stderr := run(t, args...)
			if code == 0 || code == 1 || stderr == "" {
				t.Errorf("%q: exit %d, %s", args, code, stderr)
			}
		}
	}
	if after := list(t, "."); !slices.Equal(before, after) {
		t.Errorf("before %q, after %q", before, after)
	}
	if data, _ := os.ReadFile("file"); string(data) != "text\n" {
		t.Errorf("the file has %q", data)
	}
}

// TestCheckFilesAppearTogether checks that the files of one call are only written if all can be
// written.
func TestCheckFilesAppearTogether(t *testing.T) {
	gateWorkspace(t)
	before := list(t, ".")
	code, _, stderr := run(t, "check", "--json-file=a.json", "--proposed-baseline=b.json", "--sarif-file=gone/c.sarif", "--output=d.txt", "before.json")
	if code != 4 || !strings.Contains(stderr, "gone/c.sarif: cannot be written: directory gone does not exist") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	if after := list(t, "."); !slices.Equal(after, before) {
		t.Errorf("there are %q, and there were %q", after, before)
	}
	checkExit(t, 0, "", "check", "--warn-only", "--json-file=a.json", "before.json")
	testkit.ReadFile(t, "a.json")
}

// list returns the files below a directory.
func list(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		names = append(names, path)
		return err
	})
	testkit.NoError(t, err)
	return names
}

// The content of a file of the wrong type is never printed.
func TestAttackS14NoOutput(t *testing.T) {
	gateWorkspace(t)
	t.Setenv("CI", "")
	testkit.WriteFile(t, "secret.txt", "{\"PASSWORD\": \"hunter2\",\n \"auths\": {\"x\": \"hunter2\"}}\n")
	for _, args := range [][]string{
		{"check", "secret.txt"}, {"check", "--base-reports", "secret.txt", "before.json"}, {"show", "secret.txt"}, {"diff", "secret.txt", "before.json"},
		{"fix", "secret.txt"}, {"baseline", "update", "--baseline", "b.json", "secret.txt"}, {"check", "--baseline", "secret.txt", "before.json"},
	} {
		code, stdout, stderr := run(t, args...)
		if code < 2 || strings.Contains(stdout+stderr, "hunter2") || strings.Contains(strings.ToLower(stdout+stderr), "password") {
			t.Errorf("%q: exit %d, %s%s", args, code, stdout, stderr)
		}
	}
}

func TestAttackS15UserPatterns(t *testing.T) {
	gateWorkspace(t)
	outside := t.TempDir()
	for _, name := range []string{"a.json", "sub/b.json"} {
		testkit.WriteFile(t, filepath.Join(outside, name), testkit.ReadFile(t, "before.json"))
	}
	here, err := os.Getwd()
	testkit.NoError(t, err)
	relative, err := filepath.Rel(here, outside)
	testkit.NoError(t, err)
	for _, pattern := range []string{outside + "/*.json", outside + "/**/*.json", outside + "/a.json", relative + "/**"} {
		checkContains(t, mustRun(t, "check", "--base-reports", pattern, "before.json"), "2 known")
	}
	for pattern, want := range map[string]int{outside + "/gone/*": 3, outside + "/../**/..": 2, "a/../../x": 2, outside: 3, "-x": 2} {
		checkExit(t, want, "", "check", "--base-reports", pattern, "before.json")
	}
}

// TestAttackDeviceData checks that device data with added capabilities is reported.
func TestAttackDeviceData(t *testing.T) {
	code := testkit.ReadFile(t, filepath.Join(goldenDir, "kernels.spv"))
	t.Chdir(t.TempDir())
	const data = "intel_gpu_dg2:\n  aspects: [%s]\n  sub-group-sizes: [8, 16, 32]\n"
	testkit.WriteFile(t, "was.yml", fmt.Sprintf(data, "fp16, atomic64"))
	testkit.WriteFile(t, "is.yml", fmt.Sprintf(data, "fp16, atomic64, fp64"))
	testkit.WriteFile(t, "k.spv", code)
	check := func(args ...string) string {
		t.Helper()
		return mustRun(t, append([]string{"check", "--binary", "k.spv", "--devices", "intel_gpu_dg2", "--device-config", "is.yml"}, args...)...)
	}
	const notice = "the data of the required device intel_gpu_dg2 allow more than the base branch's data: the aspect fp64"
	for base, want := range map[string]bool{"was.yml": true, "is.yml": false, "none": true} {
		if got := check("--base-device-config", base); strings.Contains(got, notice) != want {
			t.Errorf("%s: %s", base, got)
		}
	}
}

// TestAttackOutputsOverInputs checks that no command overwrites its inputs.
func TestAttackOutputsOverInputs(t *testing.T) {
	gateWorkspace(t)
	testkit.WriteFile(t, "p.yml", "version: 1\n")
	before := testkit.ReadFile(t, "before.json")
	for _, args := range [][]string{
		{"--output", "before.json"}, {"--json-file", "./before.json"}, {"--sarif-file", "p.yml", "--policy", "p.yml"},
		{"--json-file", "now.json", "--base-reports", "now.json"}, {"--proposed-baseline", "p.yml", "--base-policy", "p.yml"},
	} {
		checkExit(t, 2, "because it is also an input", append(append([]string{"check"}, args...), "before.json")...)
	}
	for _, args := range [][]string{
		{"report", "before.json"}, {"report", "--embedded", "before.json"}, {"report", "now.json", "--device-config", "before.json"},
		{"show", "before.json"}, {"diff", "before.json", "now.json"},
	} {
		checkExit(t, 2, "because it is also ", slices.Insert(args, 1, "--output", "./before.json")...)
	}
	if testkit.ReadFile(t, "before.json") != before || testkit.ReadFile(t, "p.yml") != "version: 1\n" {
		t.Error("a file has changed")
	}
}

func TestAttackReportForDifferentCommit(t *testing.T) {
	gateWorkspace(t)
	commit, other := strings.Repeat("ab", 20), strings.Repeat("cd", 20)
	testkit.WriteFile(t, "k.json", strings.Replace(testkit.ReadFile(t, "before.json"), `"statistics"`, `"source": {"commit": "`+commit+`"}, "statistics"`, 1))
	const text = "k.json is a report on commit abababababababababababababababababababab, but commit cdcdcdcdcdcd is being checked"
	for given, want := range map[string]bool{commit: false, other: true} {
		_, stdout, stderr := run(t, "check", "--commit", given, "k.json")
		if strings.Contains(stdout, text) != want {
			t.Errorf("%s: %s%s", given, stdout, stderr)
		}
	}
	checkExit(t, 2, "", "check", "--commit", "main", "k.json")
}
