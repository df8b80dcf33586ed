package gatefiles

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/gate"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
)

// enterWorkspace creates a directory with good.json, a report without problems, and makes it the
// current directory.
func enterWorkspace(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	testkit.NoError(t, err)
	t.Chdir(dir)
	testkit.WriteFile(t, "good.json", goodReport(t))
	return dir
}

func goodReport(t *testing.T) string {
	t.Helper()
	config := deviceconfig.Default()
	d, ok := config.Lookup("intel_gpu_pvc")
	if !ok {
		t.Fatal("unknown device")
	}
	modules := []report.Module{{Needs: &requirement.Requirements{}, Kernels: []report.ModuleKernel{{Name: "k"}}, Images: []report.ModuleImage{{Format: "spirv", Triple: "spir64", Digest: report.Digest{1}}}}}
	r, err := report.Build(modules, []*deviceconfig.Device{d}, config, report.Generator{Name: "test", Version: "1"}, "//demo:kernels")
	testkit.NoError(t, err)
	return testkit.Written(t, r.Encode)
}

// oneEntry is a baseline with an entry that has no fingerprint.
var oneEntry = gate.Baseline{Findings: []gate.Entry{{Count: 1, Rule: "missing-aspect"}}}

// TestExitCodes checks the table of exit codes in docs/check/policies.md.
func TestExitCodes(t *testing.T) {
	enterWorkspace(t)
	testkit.WriteFile(t, "policy.yaml", "version: 1\nlimits: {max-baseline: 0}\n")
	testkit.WriteFile(t, "fault.yaml", "version: 1\nfail_on: new\n")
	testkit.WriteFile(t, "empty.json", testkit.Written(t, (&gate.Baseline{}).Encode))
	testkit.WriteFile(t, "folder/x", "")
	full := testkit.Written(t, oneEntry.Encode)
	testkit.WriteFile(t, "one.json", strings.Replace(full, `"fingerprint":""`, `"fingerprint":"`+wantedFingerprint(t, full)+`"`, 1))
	good := []string{"good.json"}
	for _, test := range []struct {
		name string
		o    CheckOptions
		code int
		want string
	}{
		{"no problems", CheckOptions{Reports: good}, 0, ""},
		{"a baseline", CheckOptions{Reports: good, Baseline: GateFile{Name: "empty.json"}}, 0, ""},
		{"content instead of files", CheckOptions{Reports: good, Policy: GateFile{Name: "gone.yaml", Data: []byte("version: 1\n")}, Baseline: GateFile{Name: "gone.json", Data: []byte(testkit.ReadFile(t, "empty.json"))}}, 0, ""},
		{"no report", CheckOptions{}, 2, "no input; pass reports"},
		{"a missing report", CheckOptions{Reports: []string{"gone.json"}}, 3, "gone.json: cannot read the file: no such file"},
		{"a report that is a directory", CheckOptions{Reports: []string{"folder"}}, 3, "folder: directory"},
		{"an invalid report", CheckOptions{Reports: []string{"policy.yaml"}}, 3, "policy.yaml: not a compatibility report"},
		{"a missing base report", CheckOptions{Reports: good, BaseReports: []string{"gone.json"}}, 3, "gone.json: cannot read the file"},
		{"a missing policy", CheckOptions{Reports: good, Policy: GateFile{Name: "gone.yaml"}}, 2, "gone.yaml: cannot read the file"},
		{"a policy that is a directory", CheckOptions{Reports: good, Policy: GateFile{Name: "folder"}}, 2, "folder: directory"},
		{"an invalid policy", CheckOptions{Reports: good, Policy: GateFile{Name: "fault.yaml"}}, 2, "fault.yaml:2: unknown key"},
		{"a missing policy of the base branch", CheckOptions{Reports: good, BasePolicy: GateFile{Name: "gone.yaml"}}, 2, "gone.yaml: cannot read the file"},
		{"a missing baseline", CheckOptions{Reports: good, Baseline: GateFile{Name: "gone.json"}}, 3, "--baseline: gone.json: cannot read the file: no such file or directory; run this command locally and commit the file: compat baseline update --baseline gone.json good.json"},
		{"a missing baseline for several reports", CheckOptions{Reports: []string{"good.json", "good.json"}, Policy: GateFile{Name: "one.yaml", Data: []byte("version: 1\n")}, Baseline: GateFile{Name: "gone.json"}}, 3, "compat baseline update --policy one.yaml --baseline gone.json good.json good.json"},
		{"a missing baseline for programs", programsOf(CheckOptions{Required: []string{"intel_gpu_*"}, Baseline: GateFile{Name: "gone.json"}}), 3,
			"compat baseline update --required 'intel_gpu_*' --baseline gone.json --binary 'dist/*.whl' --devices a,b good.json"},
		{"a missing baseline for names with shell commands", CheckOptions{Reports: good, Baseline: GateFile{Name: "$(touch forged)`touch forged`it's"}}, 3,
			`compat baseline update --baseline '$(touch forged)` + "`touch forged`" + `it'\''s' good.json`},
		{"a baseline that is a directory", CheckOptions{Reports: good, Baseline: GateFile{Name: "folder"}}, 3, "folder: directory"},
		{"an invalid baseline", CheckOptions{Reports: good, Baseline: GateFile{Name: "fault.yaml"}}, 2, "fault.yaml: not a baseline"},
		{"a baseline with too many entries", CheckOptions{Reports: good, Policy: GateFile{Name: "policy.yaml"}, Baseline: GateFile{Name: "one.json"}}, 2, "one.json: the baseline has 1 entry (limits.max-baseline of the policy is 0); to accept it, set \"limits: {max-baseline: 1}\" in the policy"},
		{"a missing baseline of the base branch", CheckOptions{Reports: good, BaseBaseline: GateFile{Name: "gone.json"}}, 3, "gone.json: cannot read the file"},
		{"a missing workspace", CheckOptions{Reports: good, Workspace: "gone"}, 2, `cannot use the workspace "gone": no such file or directory; name a directory`},
		{"an invalid date", CheckOptions{Reports: good, Today: "soon"}, 2, `--today: invalid date "soon"`},
		{"an invalid mode", CheckOptions{Reports: good, FailOn: "all"}, 2, `fail-on: expected new, any or none, got "all"`},
		{"an invalid severity", CheckOptions{Reports: good, FailOnSeverity: "off"}, 2, `fail-on-severity: unknown value "off"`},
		{"an invalid boolean", CheckOptions{Reports: good, FailOnStale: "yes"}, 2, `--fail-on-stale: expected true or false, got "yes"`},
		{"an invalid level", CheckOptions{Reports: good, Undetermined: "bad"}, 2, `undetermined: unknown severity "bad"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, err := Check(t.Context(), test.o)
			if code := cli.ExitCode(err); code != test.code || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("exit %d, %v; want %d, %q", code, err, test.code, test.want)
			}
			if err == nil && (r.Counts.Kernels != 1 || r.Generator.Name != "compat") {
				t.Errorf("got %+v", r)
			}
		})
	}
}

// programsOf returns options that also check programs.
func programsOf(o CheckOptions) CheckOptions {
	o.SetBuiltBy([]string{"dist/*.whl"}, []string{"a", "b"}, nil)
	o.Reports = []string{"good.json"}
	return o
}

// wantedFingerprint returns the fingerprint that the baseline reader expects for an entry.
func wantedFingerprint(t *testing.T, text string) string {
	t.Helper()
	_, err := gate.ReadBaseline("b", strings.NewReader(text))
	if err == nil {
		t.Fatal("no error")
	}
	_, after, _ := strings.Cut(err.Error(), "which has ")
	return after[:32]
}

func TestWriters(t *testing.T) {
	enterWorkspace(t)
	r, err := Check(t.Context(), CheckOptions{Reports: []string{"good.json"}, Program: "gate", Category: "linux"})
	testkit.NoError(t, err)
	if r.Generator.Name != "gate" || r.Category != "linux" {
		t.Errorf("got %+v, %q", r.Generator, r.Category)
	}
	for name, w := range Writers {
		var b strings.Builder
		if err := w(&b, r, WriteOptions{}); err != nil || b.Len() == 0 {
			t.Errorf("%s: %v, %d bytes", name, err, b.Len())
		}
		if err := w(failing{}, r, WriteOptions{}); err == nil {
			t.Errorf("%s: no error for a failed write", name)
		}
	}
	if got := strings.Join(slices.Sorted(maps.Keys(Writers)), " "); got != "gitlab json junit markdown sarif text" {
		t.Errorf("formats %s; list them here and in docs/check/policies.md", got)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

func TestResults(t *testing.T) {
	enterWorkspace(t)
	r, err := Check(t.Context(), CheckOptions{Reports: []string{"good.json"}, Required: []string{"intel_gpu_dg2"}})
	if err != nil || len(r.Findings) != 1 {
		t.Fatalf("%v, %+v", err, r)
	}
	testkit.WriteFile(t, "result.json", testkit.Written(t, r.Encode))
	for _, test := range []struct {
		names []string
		want  int
	}{{[]string{"result.json"}, 1}, {[]string{"good.json"}, 0}, {[]string{"good.json", "result.json"}, 1}} {
		list, err := ReadResults(t.Context(), CheckOptions{Reports: test.names})
		n := 0
		for _, r := range list {
			n += len(r.Findings)
		}
		if err != nil || n != test.want || len(list) != len(test.names) {
			t.Errorf("%q: %v, %+v", test.names, err, list)
		}
	}
	if _, err := ReadResults(t.Context(), CheckOptions{}); cli.ExitCode(err) != 2 {
		t.Errorf("got %v", err)
	}
}

func TestAttackS14FileLocations(t *testing.T) {
	dir := enterWorkspace(t)
	outside, err := filepath.EvalSymlinks(t.TempDir())
	testkit.NoError(t, err)
	out := filepath.Join(outside, "execroot/_main/bazel-out")
	testkit.WriteFile(t, filepath.Join(outside, "elsewhere.json"), goodReport(t))
	testkit.WriteFile(t, filepath.Join(out, "k8-fastbuild/bin/r.json"), goodReport(t))
	testkit.WriteFile(t, filepath.Join(out, "k8-fastbuild/secret.txt"), "secret\n")
	testkit.Link(t, filepath.Join(out, "k8-fastbuild/bin"), "bazel-bin")
	testkit.Link(t, outside, "bazel-evil")
	testkit.Link(t, filepath.Join(outside, "elsewhere.json"), "link.json")
	testkit.Link(t, "/etc/passwd", "passwd.json")
	testkit.Link(t, "/proc/self/environ", "environ.json")
	testkit.Link(t, "loop.json", "loop.json")
	testkit.Link(t, "good.json", "same.json")
	testkit.Link(t, "..", "up")
	testkit.Link(t, outside, "folder")
	testkit.Link(t, filepath.Join(out, "k8-fastbuild/secret.txt"), "secret.json")
	testkit.Pipe(t, "pipe.json")
	up := filepath.Join("up", filepath.Base(dir), "good.json")
	for _, test := range []struct {
		name, file string
		want       string // "" for success
	}{
		{"a file of the workspace", "good.json", ""},
		{"an absolute path", filepath.Join(dir, "good.json"), ""},
		{"a link in the workspace", "same.json", ""},
		{"a link out of the workspace and back", up, ""},
		{"a Bazel output", "bazel-bin/r.json", ""},
		{"a file outside of the workspace named by the user", filepath.Join(outside, "elsewhere.json"), ""},
		{"a link out of the workspace", "link.json", "link.json: symbolic link that leads out of the workspace"},
		{"a directory that is a symbolic link", "folder/elsewhere.json", "leads out of the workspace"},
		{"a link named like a Bazel output", "bazel-evil/elsewhere.json", "leads out of the workspace"},
		{"the passwords", "passwd.json", "leads out of the workspace"},
		{"the environment", "environ.json", "leads out of the workspace"},
		{"a loop", "loop.json", "loop.json: cannot read the file"},
		{"a pipe", "pipe.json", "pipe.json: pipe, not a regular file"},
		{"an output file that is not a report", "secret.json", "secret.json: not a compatibility report"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := Check(t.Context(), CheckOptions{Reports: []string{test.file}, Workspace: "."})
			if test.want == "" && err == nil {
				return
			}
			if cli.ExitCode(err) != 3 || test.want == "" || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "root:") || strings.Contains(strings.ReplaceAll(err.Error(), "secret.json", ""), "secret") {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
	// Policies and baselines have the same restrictions.
	for _, o := range []CheckOptions{{Policy: GateFile{Name: "passwd.json"}}, {Baseline: GateFile{Name: "passwd.json"}}, {BasePolicy: GateFile{Name: "environ.json"}}, {BaseBaseline: GateFile{Name: "folder/elsewhere.json"}}, {BaseReports: []string{"link.json"}}} {
		o.Reports, o.Workspace = []string{"good.json"}, "."
		if _, err := Check(t.Context(), o); err == nil || !strings.Contains(err.Error(), "leads out of the workspace") {
			t.Errorf("%+v: %v", o, err)
		}
	}
	// Devices and pipes are rejected even if links may lead anywhere.
	for _, name := range []string{"/dev/zero", "pipe.json"} {
		if _, err := Check(t.Context(), CheckOptions{Reports: []string{name}}); cli.ExitCode(err) != 3 || !strings.Contains(err.Error(), "not a regular file") {
			t.Errorf("%s: %v", name, err)
		}
	}
	// A file with several names is one report.
	r, err := Check(t.Context(), CheckOptions{Reports: []string{"good.json", "same.json", "./good.json", up}, Workspace: "."})
	testkit.NoError(t, err)
	if got := r.Targets[0].Reports; !slices.Equal(got, []string{"good.json"}) {
		t.Errorf("reports %q", got)
	}
}

func TestAttackS10ManyReports(t *testing.T) {
	enterWorkspace(t)
	o := CheckOptions{Reports: slices.Repeat([]string{"good.json"}, maxReports+1)}
	if _, err := Check(t.Context(), o); cli.ExitCode(err) != 3 || !strings.Contains(err.Error(), "too many reports: 10001 (limit 10000)") {
		t.Errorf("got %v", err)
	}
	testkit.WriteFile(t, "large.json", "")
	if err := os.Truncate("large.json", 10<<30); err != nil {
		t.Skip("sparse files are not supported:", err)
	}
	if _, err := Check(t.Context(), CheckOptions{Reports: []string{"large.json"}}); cli.ExitCode(err) != 3 || !strings.Contains(err.Error(), "not a compatibility report") {
		t.Errorf("got %v", err)
	}
}

// TestAttackS1FileNames checks file names, which are untrusted text.
func TestAttackS1FileNames(t *testing.T) {
	enterWorkspace(t)
	for _, name := range []string{"a\n::error::x.json", "a ##[error]x.json", "a ##vso[task.complete]x.json", "##teamcity[x].json", "a\r::x.json"} {
		testkit.WriteFile(t, name, "{}")
		for _, o := range []CheckOptions{{Reports: []string{name}}, {Reports: []string{"good.json"}, Policy: GateFile{Name: name}}, {Reports: []string{"gone" + name}}} {
			_, err := Check(t.Context(), o)
			if err == nil || strings.ContainsAny(err.Error(), "\n\r") || strings.Contains(strings.NewReplacer("vso", "", "teamcity", "").Replace(err.Error()), "##[") {
				t.Errorf("got %q", err)
			}
		}
	}
}

// TestLongTexts checks that errors truncate text from files, even if the error comes from a
// library.
func TestLongTexts(t *testing.T) {
	enterWorkspace(t)
	good := testkit.ReadFile(t, "good.json")
	digits, text := strings.Repeat("1", 2<<20), strings.Repeat("x", 2<<20)
	baseline := testkit.Written(t, oneEntry.Encode)
	reportOf := CheckOptions{Reports: []string{"long"}}
	baselineOf := CheckOptions{Reports: []string{"good.json"}, Baseline: GateFile{Name: "long"}}
	policyOf := CheckOptions{Reports: []string{"good.json"}, Policy: GateFile{Name: "long"}}
	for _, test := range []struct {
		name, text, old, new string
		o                    CheckOptions
	}{
		{"a number in a report", good, `"compatible":1,`, `"compatible":` + digits + ",", reportOf},
		{"a member of a report", good, `"open-world"`, `"` + text[:1<<20] + `"`, reportOf},
		{"a version of a report", good, report.Schema, report.Schema + text[:1<<20], reportOf},
		{"a status in a report", good, `"status":"compatible"`, `"status":"` + text[:1<<20] + `"`, reportOf},
		{"a format in a report", good, `"format":"spirv"`, `"format":"` + text[:1<<20] + `"`, reportOf},
		{"a number in a baseline", baseline, `"count":1`, `"count":` + digits, baselineOf},
		{"a number instead of a string", baseline, `"kernel":""`, `"kernel":` + digits, baselineOf},
		{"a member of a baseline", baseline, `"count"`, `"` + text + `"`, baselineOf},
		{"a fingerprint", baseline, `"fingerprint":""`, `"fingerprint":"` + text + `"`, baselineOf},
		{"a key of a policy", "version: 1\nX: 1\n", "X", text[:1000], policyOf},
		{"a value in a policy", "version: 1\nfail-on: X\n", "X", text[:100_000], policyOf},
	} {
		t.Run(test.name, func(t *testing.T) {
			changed := strings.Replace(test.text, test.old, test.new, 1)
			if changed == test.text {
				t.Fatalf("missing %s", test.old)
			}
			testkit.WriteFile(t, "long", changed)
			_, err := Check(t.Context(), test.o)
			if err == nil {
				t.Fatal("no error")
			}
			for ; err != nil; err = errors.Unwrap(err) {
				if s := err.Error(); len(s) > 1000 {
					t.Fatalf("%T of %d bytes: %.200s", err, len(s), s)
				}
			}
		})
	}
}
