package main

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

// wheel writes a wheel with one module that has device code, and removes earlier wheels.
func (w *checkout) wheel(name, member string) {
	w.Helper()
	w.object("build/k.o")
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range map[string]string{member: w.read("build/k.o"), "my_pkg-1.0.dist-info/METADATA": "Name: my-pkg\nVersion: 1.0\n"} {
		f, err := z.Create(name)
		testkit.NoError(w, err)
		_, err = io.WriteString(f, text)
		testkit.NoError(w, err)
	}
	testkit.NoError(w, z.Close())
	testkit.NoError(w, os.RemoveAll(filepath.Join(w.dir, "dist")))
	w.write("dist/"+name, b.String())
}

// writeProblems writes a report with kernels that have a problem.
func (w *checkout) writeProblems(from, to int) {
	w.Helper()
	kernels := []kernel{{"Add", nil}}
	for i := from; i < to; i++ {
		kernels = append(kernels, kernel{fmt.Sprintf("lib::kernels::contiguous<%d>", i), []string{deviceA}})
	}
	w.write("out/k.compat.json", encode(w, "//demo:kernels", both, kernels...))
}

// TestReportedBugs replays bugs that users have reported in similar actions, with variations.
func TestReportedBugs(t *testing.T) {
	const (
		p    = ".github/sycl-compat.yml"
		mine = "<!-- rules_sycl compatibility v1 6e340b9cffb37a98 -->\nold"
	)
	policy := func(text string) string { return "version: 1\n" + text + "\n" }
	requires := func(devices string) string { return policy("devices: {required: [" + devices + "]}") }
	reports := []string{"reports", pattern}
	always := []string{"reports", pattern, "comment", "always", "token", "t"}
	onProblem := []string{"reports", pattern, "comment", "on-problem", "token", "t"}
	required := []string{"reports", pattern, "compare-with-base", "required"}
	wheels := []string{"binaries", "dist/*.whl", "devices", deviceA, "baseline-file", "b.json"}
	// knownWheel makes a wheel's problems known, and replaces the wheel.
	knownWheel := func(name, member, newName, newMember string) func(*checkout, *fakeGitHub) {
		return func(w *checkout, _ *fakeGitHub) {
			w.wheel(name, member)
			w.run("binaries", "dist/*.whl", "devices", deviceA, "proposed-baseline-file", "b.json")
			w.wheel(newName, newMember)
		}
	}
	const wheel, newWheel = "my_pkg-1.0-cp311-cp311-manylinux_2_28_x86_64.whl", "my_pkg-1.0-cp312-cp312-manylinux_2_28_x86_64.whl"
	refuse := func(status int, message string, header ...string) func(*checkout, *fakeGitHub) {
		return func(w *checkout, g *fakeGitHub) {
			w.reports()
			w.fixture("pull_request")
			g.fail = func(h http.ResponseWriter, r *http.Request, n int) bool {
				if n > 1 && len(header) > 0 || r.Method == http.MethodGet && len(header) == 0 {
					return false
				}
				for i := 0; i < len(header); i += 2 {
					h.Header().Set(header[i], header[i+1])
				}
				h.WriteHeader(status)
				fmt.Fprintf(h, `{"message": %q}`, message)
				return true
			}
		}
	}
	fromDependabot := func(event string) func(*checkout, *fakeGitHub) {
		return func(w *checkout, _ *fakeGitHub) { w.reports(); w.fixture(event) }
	}
	push := func(event string) func(*checkout, *fakeGitHub) {
		return func(w *checkout, _ *fakeGitHub) {
			w.reports()
			w.write(p, requires(deviceB))
			w.commit()
			w.event("push", event)
		}
	}
	fails := func(script string) func(*checkout, *fakeGitHub) {
		return func(w *checkout, _ *fakeGitHub) {
			w.reports()
			w.write(p, requires(deviceB))
			w.based(w.commit())
			w.fakeGit(script)
		}
	}
	// knownKernels writes a baseline with 300 known problems, and the report of a change with the
	// kernels numbered from to to.
	knownKernels := func(from, to int) func(*checkout, *fakeGitHub) {
		return func(w *checkout, _ *fakeGitHub) {
			w.fixture("pull_request")
			w.writeProblems(0, 300)
			w.write("b.json", w.baseline())
			w.writeProblems(from, to)
		}
	}
	// weakened weakens a policy that setup writes and names.
	weakened := func(setup func(w *checkout)) func(*checkout, *fakeGitHub) {
		return func(w *checkout, _ *fakeGitHub) {
			w.reports()
			setup(w)
			w.based(w.commit())
			name := "shared/p.yml"
			if _, err := os.Stat(filepath.Join(w.dir, name)); err != nil {
				name = "real/p.yml"
			}
			w.write(name, requires(deviceB))
		}
	}
	below := func(files ...string) func(*checkout, *fakeGitHub) {
		return func(w *checkout, _ *fakeGitHub) {
			w.write("libs/a/out/k.compat.json", encode(w, "//a:k", both, kernel{"K", []string{deviceA}}))
			for i := 0; i < len(files); i += 2 {
				w.write(files[i], files[i+1])
			}
			w.based(w.commit())
		}
	}
	// moved makes the base branch stricter after the change has diverged. commit creates the commit
	// of the change.
	moved := func(commit func(w *checkout)) func(*checkout, *fakeGitHub) {
		return func(w *checkout, _ *fakeGitHub) {
			w.write(".gitignore", "out/\n")
			w.reports()
			w.write(p, requires(deviceB))
			w.commit()
			w.git("checkout", "--quiet", "-b", "tip")
			w.write(p, requires("'*'"))
			tip := w.commit()
			w.git("checkout", "--quiet", "-b", "change", "tip^")
			commit(w)
			w.event("pull_request", fmt.Sprintf(`{"pull_request": {"number": 7, "head": {"sha": %q}, "base": {"sha": %q}}}`, w.commit(), tip))
		}
	}
	policyOf := func(name, text string) func(*checkout, *fakeGitHub) {
		return func(w *checkout, _ *fakeGitHub) { w.reports(); w.write(name, text); w.based(w.commit()) }
	}
	binaryPolicy := func(text string) func(*checkout, *fakeGitHub) {
		return func(w *checkout, _ *fakeGitHub) { w.object("bin/k.o"); w.write(p, text); w.based(w.commit()) }
	}
	comments := func(list ...comment) func(*checkout, *fakeGitHub) {
		return func(w *checkout, g *fakeGitHub) { w.reports(); w.fixture("pull_request"); g.comments = list }
	}
	ours := written(defaultAuthor, mine)
	outdated := func(event string) func(*checkout, *fakeGitHub) {
		return func(w *checkout, g *fakeGitHub) {
			w.reports()
			w.fixture(event)
			g.comments = []comment{ours}
			g.fail = atHead(otherCommit)
		}
	}
	program := func(name string) func(*checkout, *fakeGitHub) {
		return func(w *checkout, _ *fakeGitHub) {
			w.write("sub/out/k.compat.json", encode(w, "//a:k", both, kernel{"K", nil}))
			self, err := os.Executable()
			testkit.NoError(w, err)
			w.write(name, "#!/bin/sh\nexec "+self+"\n")
			testkit.NoError(w, os.Chmod(filepath.Join(w.dir, name), 0o755))
		}
	}
	unplaced := func(w *checkout, _ *fakeGitHub) {
		for _, name := range []string{"a", "b"} {
			w.write("out/"+name+".compat.json", strings.ReplaceAll(encode(w, "//"+name+":k", both, kernel{"K" + name, []string{deviceA}}),
				`"location":{"column":19,"line":7,"path":"src/k.cpp"},`, ""))
		}
	}
	files := func(inputs ...string) []string {
		return append([]string{"sarif-file", "r.sarif", "gitlab-file", "r.gitlab"}, inputs...)
	}
	allowed := policy("allow: [{rule: missing-aspect, kernels: ['Axpy*'], reason: r, expires: 2999-01-01}]\nlimits: {allow-without-end: true}")

	for _, test := range []struct {
		fault, name string
		prepare     func(w *checkout, g *fakeGitHub)
		inputs      []string
		code        int
		seen        string // expected in the streams, the summary, the comments or a file
		unseen      string
		comment     int // maximum size of a comment, or 0
	}{
		{"advice by exit code", "a first baseline", policyOf("x", ""), []string{"reports", pattern, "baseline-file", "b.json", "proposed-baseline-file", "new/b.json"}, 3, "cp new/b.json b.json\n", "look at the step", 0},
		{"advice by exit code", "a first baseline without a proposal", policyOf("x", ""), []string{"reports", pattern, "baseline-file", "b.json"}, 3, "set the input `proposed-baseline-file`", "look at the step", 0},
		{"advice by exit code", "no device code", policyOf("bin/x", "x"), []string{"binaries", "bin/*", "devices", deviceA}, 3, "set `fail-on-empty: false`", "look at the step", 0},
		{"advice by exit code", "a linked policy", func(w *checkout, _ *fakeGitHub) {
			w.reports()
			w.write("ci/p.yml", policy(""))
			w.link("ci/p.yml", "p.yml")
			w.based(w.commit())
		}, []string{"reports", pattern, "policy-file", "p.yml", "policy-ref", "base"}, 2, "use the path of that file instead", "disk and rights", 0},

		{"a binary in the working directory", "a relative path", program("sub/tool"), []string{"reports", pattern, "working-directory", "sub", "binary", "tool"}, 0, "passed", "", 0},
		{"a binary in the working directory", "a path up", program("tool"), []string{"reports", pattern, "working-directory", "sub", "binary", "../tool"}, 0, "passed", "", 0},
		{"a binary in the working directory", "an absolute path", program("bin/tool"), []string{"reports", pattern, "working-directory", "sub", "binary", "WORKSPACE/bin/tool"}, 0, "passed", "", 0},
		{"a binary in the working directory", "a name of the workspace", program("tool"), []string{"reports", pattern, "working-directory", "sub", "binary", "tool"}, 2, "tool is not a program in sub", "", 0},

		{"Dependabot may write", "its own run", fromDependabot("pull_request-dependabot"), always, 1, "--- comment", "read-only", 0},
		{"Dependabot may write", "a fork with a token that may write", fromDependabot("pull_request-fork"), always, 1, "--- comment", "read-only", 0},
		{"Dependabot may write", "a token that may not", func(w *checkout, g *fakeGitHub) {
			refuse(403, "Resource not accessible by integration")(w, g)
			w.fixture("pull_request-dependabot")
		}, always, 1, "the token is read-only", "--- comment", 0},

		{"advice after a forced push", "a forced push", push(`{"before": "` + strings.Repeat("b", 40) + `", "forced": true, "ref": "refs/heads/x"}`), required, 1, "a forced push has replaced", "fetch-depth", 0},
		{"advice after a forced push", "a tag", push(`{"before": "` + strings.Repeat("0", 40) + `", "created": true, "ref": "refs/tags/v1"}`), reports, 0, "passed", "not-compared", 0},
		{"advice after a forced push", "a new branch", push(`{"before": "` + strings.Repeat("0", 40) + `", "created": true, "ref": "refs/heads/x"}`), required, 1, "because the push creates the branch", "fetch-depth", 0},

		{"advice for errors of git", "an owner that git does not trust", fails(`echo "fatal: detected dubious ownership in repository at '/x'" >&2; exit 128`), required, 1, "safe.directory", "fetch-depth", 0},
		{"advice for errors of git", "an old git", fails(`echo "Unknown option: --no-replace-objects" >&2; exit 129`), required, 1, "install git 2.18", "fetch-depth", 0},
		{"advice for errors of git", "no repository", func(w *checkout, _ *fakeGitHub) { w.reports(); w.based(otherCommit) }, required, 1, "run actions/checkout", "fetch-depth", 0},

		{"known problems fill the comment", "nothing changed", knownKernels(0, 300), append([]string{"baseline-file", "b.json"}, always...), 0, "300 known", "", 500},
		{"known problems fill the comment", "one new problem", knownKernels(0, 301), append([]string{"baseline-file", "b.json"}, always...), 1, "| ❌ | `lib::kernels::contiguous<300>`", "", 1500},
		{"known problems fill the comment", "all solved", knownKernels(0, 0), append([]string{"baseline-file", "b.json"}, always...), 0, "300 known problems are solved", "", 1000},

		{"a linked directory of the policy", "a link", weakened(func(w *checkout) { w.write("real/p.yml", strictPolicy); w.link("real", "ci") }), append([]string{"policy-file", "ci/p.yml"}, required...), 0, "no longer required", "not-compared", 0},
		{"a linked directory of the policy", "a submodule", weakened(func(w *checkout) { w.submodule("shared", "p.yml", strictPolicy) }), append([]string{"policy-file", "shared/p.yml"}, required...), 0, "no longer required", "not-compared", 0},
		{"a linked directory of the policy", "a link into a submodule", weakened(func(w *checkout) { w.submodule("shared", "p.yml", strictPolicy); w.link("shared", "ci") }), append([]string{"policy-file", "ci/p.yml"}, required...), 0, "no longer required", "not-compared", 0},
		{"a linked directory of the policy", ".github is a link", func(w *checkout, _ *fakeGitHub) {
			w.reports()
			w.write("real/sycl-compat.yml", strictPolicy)
			w.link("real", ".github")
			w.based(w.commit())
			w.write("real/sycl-compat.yml", requires(deviceB))
		}, required, 0, "no longer required", "not-compared", 0},

		{"the policy of a monorepo", "at the root", below(p, requires(deviceB)), []string{"reports", pattern, "working-directory", "libs/a"}, 0, "Policy: .github/sycl-compat.yml, the nearest", "", 0},
		{"the policy of a monorepo", "by a path up", below(p, requires(deviceB)), []string{"reports", pattern, "working-directory", "libs/a", "policy-file", "../../" + p, "compare-with-base", "required"}, 0, "passed", "not in the repository", 0},
		{"the policy of a monorepo", "by a path up, of the base", below(p, requires(deviceB)), []string{"reports", pattern, "working-directory", "libs/a", "policy-file", "../../" + p, "policy-ref", "base"}, 0, "Policy of the base commit", "not in the repository", 0},
		{"the policy of a monorepo", "one for each part", below(p, requires(deviceA), "libs/"+p, requires(deviceB)), []string{"reports", pattern, "working-directory", "libs/a"}, 0, "Policy: libs/.github/sycl-compat.yml, the nearest", "", 0},

		{"a comment without a problem", "nothing to check", policyOf("x", ""), append([]string{"reports", "gone/*", "fail-on-empty", "false"}, onProblem[2:]...), 0, "", "--- comment", 0},
		{"a comment without a problem", "a new warning", func(w *checkout, _ *fakeGitHub) {
			w.reports()
			w.fixture("pull_request")
			w.write(p, policy("devices: {required: ["+deviceB+"], supported: ["+deviceA+"]}"))
		}, onProblem, 0, "--- comment", "", 0},
		{"a comment without a problem", "an exception", func(w *checkout, _ *fakeGitHub) { w.reports(); w.fixture("pull_request"); w.write(p, allowed) }, onProblem, 0, "", "--- comment", 0},

		{"a policy that is not touched", "something else is", moved(func(w *checkout) { w.write("x", "") }), reports, 0, "the base branch has a newer policy", "no longer required", 0},
		{"a policy that is not touched", "it is moved", moved(func(w *checkout) { w.remove(p); w.write(".github/sycl-compat.yaml", requires(deviceB)) }), reports, 0, "no longer required", "", 0},
		{"a policy that is not touched", "a comment in it is", moved(func(w *checkout) { w.write(p, requires(deviceB)+"# x\n") }), reports, 0, "no longer required", "", 0},

		{"a policy named .yaml", "it applies", policyOf(".github/sycl-compat.yaml", requires(deviceB)), required, 0, "Policy: .github/sycl-compat.yaml.", "Policy: none", 0},
		{"a policy named .yaml", "a device without a report", policyOf(".github/sycl-compat.yaml", requires("intel_gpu_bmg_g21")), required, 1, "no report covers the device", "", 0},
		{"a policy named .yaml", "and .yml", func(w *checkout, g *fakeGitHub) {
			policyOf(".github/sycl-compat.yaml", requires(deviceB))(w, g)
			w.write(p, requires(deviceA))
		}, reports, 2, "found two policies", "", 0},
		{"a policy named .yaml", "a weaker .yml", func(w *checkout, g *fakeGitHub) {
			policyOf(".github/sycl-compat.yaml", strictPolicy)(w, g)
			w.remove(".github/sycl-compat.yaml")
			w.write(p, requires(deviceB))
		}, required, 0, "no longer required", "", 0},

		{"the ABI in labels", "the next Python", knownWheel(wheel, "my_pkg/k.cpython-311-x86_64-linux-gnu.so", newWheel, "my_pkg/k.cpython-312-x86_64-linux-gnu.so"), wheels, 0, "10 known", "", 0},
		{"the ABI in labels", "Windows", knownWheel(wheel, "my_pkg/k.cp311-win_amd64.pyd", newWheel, "my_pkg/k.cp312-win_amd64.pyd"), wheels, 0, "10 known", "", 0},
		{"the ABI in labels", "a hash of delvewheel", knownWheel(wheel, "my_pkg.libs/k-"+strings.Repeat("0a", 16)+".dll", wheel, "my_pkg.libs/k-"+strings.Repeat("1b", 16)+".dll"), wheels, 0, "10 known", "", 0},
		{"the ABI in labels", "a hash of auditwheel and a version", knownWheel(wheel, "my_pkg.libs/libk-0a1b2c3d.so.1.2", wheel, "my_pkg.libs/libk-4e5f6071.so.1.3"), wheels, 0, "10 known", "", 0},
		{"the ABI in labels", "free-threaded Python on musl", knownWheel(wheel, "my_pkg/k.cpython-313t-x86_64-linux-musl.so", "my_pkg-1.0-cp314-cp314t-musllinux_1_2_x86_64.whl", "my_pkg/k.cpython-314t-x86_64-linux-musl.so"), wheels, 0, "10 known", "", 0},
		{"the ABI in labels", "a different module", knownWheel(wheel, "my_pkg/k.cpython-311-x86_64-linux-gnu.so", wheel, "my_pkg/other.cpython-311-x86_64-linux-gnu.so"), wheels, 1, "coverage-lost", "", 0},

		{"racing comments", "two", comments(ours, ours), always, 1, "--- comment -\n", "old", 0},
		{"racing comments", "three, and one by a person", comments(ours, written("mallory", mine), ours, ours), always, 1, "--- comment " + mine + "\n", "", 0},
		{"racing comments", "a person wrote the only one", comments(written("mallory", mine)), always, 1, "--- comment " + mine + "\n", "", 0},

		{"a rate limit with 403", "the quota is full again", refuse(403, "API rate limit exceeded", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "1"), always, 1, "--- comment", "permission pull-requests", 0},
		{"a rate limit with 403", "a second limit", refuse(403, "You have exceeded a secondary rate limit", "Retry-After", "1"), always, 1, "--- comment", "permission pull-requests", 0},
		{"a rate limit with 403", "the quota is full in an hour", refuse(403, "API rate limit exceeded", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "99999999999"), always, 1, "has exceeded its rate limit", "permission pull-requests", 0},
		{"a rate limit with 403", "a permission", refuse(403, "Resource not accessible by integration"), always, 1, "permission pull-requests", "--- comment", 0},

		{"suppressed results", "an exception", policyOf(p, allowed), files(reports...), 0, "\"results\": []", "\"suppressions\"", 0},
		{"suppressed results", "a baseline", func(w *checkout, _ *fakeGitHub) { w.reports(); w.write("b.json", w.baseline()) }, files("reports", pattern, "baseline-file", "b.json"), 0, "\"results\": []", "\"suppressions\"", 0},
		{"suppressed results", "reports of the base", func(w *checkout, _ *fakeGitHub) { w.reports(); w.write("base/k.json", w.read("out/k.compat.json")) }, files("reports", pattern, "base-reports", "base/*"), 0, "\"results\": []", "\"suppressions\"", 0},
		{"suppressed results", "a problem", policyOf("x", ""), files(reports...), 1, `"uri": "src/k.cpp"`, "\"results\": []", 0},

		{"results in an unrelated file", "two reports", unplaced, files(reports...), 1, `"uri": "out/b.compat.json"`, "", 0},
		{"results in an unrelated file", "a BUILD file", func(w *checkout, g *fakeGitHub) {
			unplaced(w, g)
			w.write("b/BUILD.bazel", "sycl_binary(\n    name = \"k\",\n)\n")
		}, files(reports...), 1, `"uri": "b/BUILD.bazel"`, `"uri": "out/b.compat.json"`, 0},
		{"results in an unrelated file", "a device of the policy", policyOf(p, requires("'*', intel_gpu_bmg_g21")), files(reports...), 1, `"uri": ".github/sycl-compat.yml"`, "", 0},
		{"results in an unrelated file", "a binary", binaryPolicy(policy("")), files("binaries", "bin/*", "devices", deviceA), 1, `"uri": "bin/k.o"`, "", 0},

		{"an outdated run", "the run of an older commit", outdated("pull_request"), always, 1, "--- comment " + mine + "\n", "", 0},
		{"an outdated run", "the run of a run", outdated("workflow_run"), always, 1, "--- comment " + mine + "\n", "", 0},
		{"an outdated run", "an older commit of a fork", outdated("pull_request-fork"), always, 1, "--- comment " + mine + "\n", "", 0},

		{"an unknown device", "in the policy", binaryPolicy("version: 1\ndevices:\n  required: [intel_gpu_pcv]\n"), []string{"binaries", "bin/*"}, 2, `.github/sycl-compat.yml:3: devices.required: unknown device "intel_gpu_pcv"; did you mean intel_gpu_pvc?`, "aspectfilter", 0},
		{"an unknown device", "a product", binaryPolicy(policy("")), []string{"binaries", "bin/*", "devices", "a7700"}, 2, "input devices: unknown device", "aspectfilter", 0},
		{"an unknown device", "supported only", binaryPolicy(policy("devices: {required: [" + deviceB + "], supported: [nvidia_gpu_sm_800]}")), []string{"binaries", "bin/*"}, 2, "devices.supported: unknown device", "aspectfilter", 0},
	} {
		t.Run(test.fault+", "+test.name, func(t *testing.T) {
			t.Parallel()
			w := newCheckout(t)
			g := newGitHub(t, w)
			test.prepare(w, g)
			var inputs []string
			isScript := false
			for _, v := range test.inputs {
				isScript = isScript || v == "binary"
				inputs = append(inputs, strings.ReplaceAll(v, "WORKSPACE", w.dir))
			}
			step := w.step(inputs...)
			if isScript {
				file := filepath.Join(t.TempDir(), "run.sh")
				testkit.NoError(t, os.WriteFile(file, []byte(script), 0o600))
				step.Program, step.Args = "bash", []string{file}
			}
			s := runStep(t, step)
			seen := s.Stdout + s.Stderr + "\n--- summary\n" + s.Summary
			for _, c := range g.comments {
				seen += "\n--- comment " + c.Body + "\n"
				if test.comment > 0 && len(c.Body) > test.comment {
					t.Errorf("comment of %d bytes: %s", len(c.Body), c.Body)
				}
			}
			for _, name := range []string{"r.sarif", "r.gitlab"} {
				if data, err := os.ReadFile(filepath.Join(w.dir, name)); err == nil {
					seen += "\n--- " + name + "\n" + string(data)
				}
			}
			if s.ExitCode != test.code || len(s.Faults) > 0 || !strings.Contains(seen, test.seen) || test.unseen != "" && strings.Contains(seen, test.unseen) {
				t.Errorf("exit code %d, want %d; runner errors %q; want %q, not %q:\n%s", s.ExitCode, test.code, s.Faults, test.seen, test.unseen, seen)
			}
		})
	}
}
