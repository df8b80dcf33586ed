package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

// TestPolicyLookup checks that exactly one policy applies, that the log names it, and that the base
// is searched in the same way.
func TestPolicyLookup(t *testing.T) {
	required := func(device string) string { return "version: 1\ndevices: {required: [" + device + "]}\n" }
	const below = "libs/a"
	for _, test := range []struct {
		name       string
		files      map[string]string // of the base
		change     func(w *checkout)
		inputs     []string
		code       int
		conclusion string
		text       string
	}{
		{"none", nil, nil, nil, 1, "failure", "| Policy: none. No .github/sycl-compat.yml or .github/sycl-compat.yaml was found"},
		{"at the root", map[string]string{".github/sycl-compat.yml": required(deviceB)}, nil, nil, 0, "success", "| Policy: .github/sycl-compat.yml, the nearest policy above the working directory."},
		{"with the extension yaml", map[string]string{".github/sycl-compat.yaml": required(deviceB)}, nil, nil, 0, "success", "| Policy: .github/sycl-compat.yaml, the nearest"},
		{"halfway", map[string]string{".github/sycl-compat.yml": required(deviceA), "libs/.github/sycl-compat.yaml": required(deviceB)}, nil, nil, 0, "success", "| Policy: libs/.github/sycl-compat.yaml, the nearest"},
		{"in the directory", map[string]string{".github/sycl-compat.yml": required(deviceA), "libs/a/.github/sycl-compat.yml": required(deviceB)}, nil, nil, 0, "success", "| Policy: libs/a/.github/sycl-compat.yml."},
		{"in a sibling", map[string]string{"libs/b/.github/sycl-compat.yml": required(deviceB)}, nil, nil, 1, "failure", "| Policy: none."},
		{"two in one directory", map[string]string{".github/sycl-compat.yml": required(deviceB), ".github/sycl-compat.yaml": required(deviceB)}, nil, nil, 2, "error", "found two policies, ../../.github/sycl-compat.yml and ../../.github/sycl-compat.yaml; remove one"},
		{"two, and an input names one", map[string]string{".github/sycl-compat.yml": required(deviceA), ".github/sycl-compat.yaml": required(deviceB)}, nil, []string{"policy-file", "../../.github/sycl-compat.yaml"}, 0, "success", "| Policy: .github/sycl-compat.yaml (from the input policy-file)."},
		{"an absolute path", map[string]string{"p.yml": required(deviceB)}, nil, []string{"policy-file", "WORKSPACE/p.yml"}, 0, "success", "| Policy: p.yml (from"},
		{"an absolute path through a link", map[string]string{"p.yml": required(deviceB)}, nil, []string{"policy-file", "LINK/p.yml"}, 0, "success", "| Policy: p.yml (from"},
		{"an absolute path with policy-ref: base", map[string]string{"p.yml": required(deviceB)}, nil, []string{"policy-file", "WORKSPACE/p.yml", "policy-ref", "base"}, 0, "success", "| Policy of the base commit"},
		{"a path out of the workspace", nil, nil, []string{"policy-file", "../../../p.yml"}, 2, "error", "../../../p.yml is not in the repository or the workspace"},
		{"a policy outside of the workspace", nil, nil, []string{"policy-file", "/etc/hostname"}, 2, "error", "input policy-file: /etc/hostname is not in the workspace "},
		{"a baseline outside of the workspace", nil, nil, []string{"baseline-file", "/etc/hostname"}, 2, "error", "input baseline-file: /etc/hostname is not in the workspace "},
		{"devices outside of the workspace", nil, nil, []string{"device-config", "/etc/hostname"}, 2, "error", "input device-config: /etc/hostname is not in the workspace "},
		{"a link out of the workspace", nil, func(w *checkout) { w.link("/etc/passwd", ".github/sycl-compat.yaml") }, nil, 2, "error", "../../.github/sycl-compat.yaml: symbolic link that leads out of the workspace"},
		{"a dangling link", nil, func(w *checkout) { w.link("gone", ".github/sycl-compat.yml") }, nil, 2, "error", "../../.github/sycl-compat.yml: cannot read the file"},
		{"a pipe", nil, func(w *checkout) {
			w.write(".github/x", "")
			testkit.Pipe(w, filepath.Join(w.dir, ".github/sycl-compat.yml"))
		}, nil, 2, "error", "not a regular file"},
		{"a nearer policy in the change", map[string]string{".github/sycl-compat.yml": required("'*'")}, func(w *checkout) { w.write("libs/a/.github/sycl-compat.yml", required(deviceB)) }, nil, 0, "success", "are no longer required"},
		{"a nearer policy in the change with policy-ref: base", map[string]string{".github/sycl-compat.yml": required("'*'")}, func(w *checkout) { w.write("libs/a/.github/sycl-compat.yml", required(deviceB)) }, []string{"policy-ref", "base"}, 1, "failure", "are no longer required"},
		{"a different extension in the change", map[string]string{".github/sycl-compat.yml": required("'*'")}, func(w *checkout) {
			w.remove(".github/sycl-compat.yml")
			w.write(".github/sycl-compat.yaml", required(deviceB))
		}, nil, 0, "success", "are no longer required"},
		{"two policies in the base", map[string]string{".github/sycl-compat.yml": required("'*'"), ".github/sycl-compat.yaml": required(deviceB)}, func(w *checkout) { w.remove(".github/sycl-compat.yml") },
			[]string{"compare-with-base", "required"}, 1, "failure", "found two policies"},
		{"a missing file", map[string]string{".github/sycl-compat.yml": required(deviceB)}, nil, []string{"policy-file", "gone.yml"}, 2, "error", "input policy-file: cannot read gone.yml: file not found"},
		{"a baseline above", map[string]string{"b.json": "x"}, nil, []string{"baseline-file", "../../b.json"}, 2, "error", "../../b.json"},
		{"devices above", map[string]string{"d.yml": "x: ["}, nil, []string{"device-config", "../../d.yml"}, 3, "error", "../../d.yml"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newCheckout(t)
			w.write(".gitignore", "out/\n")
			w.write("libs/a/out/k.compat.json", encode(t, "//demo:kernels", both, kernel{"Axpy", []string{deviceA}}))
			for name, text := range test.files {
				w.write(name, text)
			}
			w.based(w.commit())
			if test.change != nil {
				test.change(w)
			}
			link := filepath.Join(t.TempDir(), "link")
			testkit.Link(t, w.dir, link)
			for i, v := range test.inputs {
				test.inputs[i] = strings.NewReplacer("WORKSPACE", w.dir, "LINK", link).Replace(v)
			}
			if strings.Contains(strings.Join(test.inputs, " "), link) {
				w.env["GITHUB_WORKSPACE"] = link
			}
			w.checkRun(test.code, test.conclusion, test.text, append([]string{"reports", pattern, "working-directory", below}, test.inputs...)...)
		})
	}
}

// TestInputPaths checks that every input can name files above the working directory and by
// absolute paths, within the workspace.
func TestInputPaths(t *testing.T) {
	for _, test := range []struct {
		name   string
		inputs []string
		code   int
		text   string
	}{
		{"reports above", []string{"reports", "../../top/*.compat.json"}, 1, "1 failing problem"},
		{"reports in a sibling", []string{"reports", "../b/**/*.compat.json"}, 1, "1 failing problem"},
		{"reports by an absolute path", []string{"reports", "WORKSPACE/top/k.compat.json"}, 1, "1 failing problem"},
		{"reports in the directory by an absolute path", []string{"reports", "WORKSPACE/libs/a/out/*.compat.json"}, 0, "passed"},
		{"reports by a path up and down", []string{"reports", "../a/out/*.compat.json"}, 0, "passed"},
		{"reports above are excluded", []string{"reports", "out/*.json\n../../top/*.json\n!../../top/**"}, 0, "passed"},
		{"reports with an excluded directory", []string{"reports", "out/*.json\n../../top/*.json\n!out/**"}, 1, "2 kernels on"},
		{"everything above except for an absolute path", []string{"reports", "../../**/*.compat.json\n!WORKSPACE/top/**,!../b/**,!../../linked/**"}, 0, "passed"},
		{"base reports above", []string{"reports", "../../top/*.json", "base-reports", "../b/out/*.json"}, 0, "1 known"},
		{"base reports that are the checked reports", []string{"reports", "../../top/*.json", "base-reports", "WORKSPACE/top/k.compat.json"}, 2, "input base-reports: ../../top/k.compat.json is also a report of the change"},
		{"reports that include the base reports", []string{"reports", "../**/*.json", "base-reports", "../b/**/*.json"}, 2, "is also a report of the change"},
		{"binaries above", []string{"binaries", "../../bin/*.o", "devices", deviceA}, 1, "does not run on " + deviceA},
		{"a directory above", []string{"binaries", "../../bin", "devices", deviceB}, 0, "passed"},
		{"binaries by an absolute path", []string{"binaries", "WORKSPACE/bin/k.o", "devices", deviceB}, 0, "passed"},
		{"reports out of the workspace", []string{"reports", "../../../**"}, 2, "leads out of"},
		{"reports by an absolute path outside of the workspace", []string{"reports", "/etc/*"}, 2, "not relative"},
		{"reports next to the workspace", []string{"reports", "WORKSPACE-other/*"}, 2, "not relative"},
		{"binaries out of the workspace", []string{"binaries", "../../../x", "devices", deviceB}, 2, "leads out of the workspace"},
		{"binaries by an absolute path outside of the workspace", []string{"binaries", "/bin", "devices", deviceB}, 2, "leads out of the workspace"},
		{"a link above that leads out", []string{"reports", "../../elsewhere/*.json"}, 3, "leads out of the workspace"},
		{"a link above to a file", []string{"reports", "../../linked/*.json"}, 3, "leads out of the workspace"},
		{"binaries behind a link above", []string{"binaries", "../../elsewhere", "devices", deviceB}, 3, "leads out of the workspace"},
		{"a file above", []string{"reports", "out/*.json", "json-file", "../../new/r.json"}, 0, "passed"},
		{"a file by an absolute path", []string{"reports", "out/*.json", "json-file", "WORKSPACE/new/r.json"}, 0, "passed"},
		{"a file out of the workspace", []string{"reports", "out/*.json", "json-file", "../../../r.json"}, 2, "input json-file: ../../../r.json is not in the repository or the workspace"},
		{"a file by an absolute path outside of the workspace", []string{"reports", "out/*.json", "sarif-file", "OUTSIDE/x.sarif"}, 2, "is not in the workspace"},
		{"a file next to the workspace", []string{"reports", "out/*.json", "json-file", "WORKSPACE-other/r.json"}, 2, "is not in the workspace"},
		{"a file of Git", []string{"reports", "out/*.json", "json-file", "../../.git/config"}, 2, "input json-file: refusing to write ../../.git/config"},
		{"a file of Git by an absolute path", []string{"reports", "out/*.json", "html-file", "WORKSPACE/.git/hooks/post-checkout"}, 2, "refusing to write"},
		{"a file of Git behind a link", []string{"reports", "out/*.json", "json-file", "../../hooks/r.json"}, 4, "leads to Git's own files"},
		{"a link to a file of Git that does not exist", []string{"reports", "out/*.json", "json-file", "../../hook.json"}, 4, "leads to Git's own files"},
		{"two outputs with the same path", []string{"reports", "../../top/*.json", "json-file", "r", "sarif-file", "./r"}, 2, "two outputs"},
		{"a proposed baseline out of the workspace", []string{"reports", "out/*.json", "proposed-baseline-file", "../../../b.json"}, 2, "input proposed-baseline-file: ../../../b.json is not in"},
		{"a file behind a link above", []string{"reports", "out/*.json", "json-file", "../../elsewhere/r.json"}, 4, "cannot write"},
		{"a report above as an output", []string{"reports", "../../top/*.json", "json-file", "../../top/k.compat.json"}, 2, "cannot be an output"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newCheckout(t)
			outside := t.TempDir()
			bad := encode(t, "//demo:kernels", both, kernel{"Axpy", []string{deviceA}}, kernel{"Add", nil})
			testkit.WriteFile(t, filepath.Join(outside, "k.compat.json"), bad)
			w.write("top/k.compat.json", bad)
			w.write("libs/b/out/k.compat.json", bad)
			w.write("libs/a/out/k.compat.json", encode(t, "//demo:kernels", both, kernel{"Add", nil}))
			w.object("bin/k.o")
			w.link(outside, "elsewhere")
			w.write("module/.git/hooks/x", "")
			w.link("module/.git/hooks", "hooks")
			w.link("module/.git/hooks/post-checkout", "hook.json")
			w.link(filepath.Join(outside, "k.compat.json"), "linked/k.compat.json")
			for i, v := range test.inputs {
				test.inputs[i] = strings.NewReplacer("WORKSPACE", w.dir, "OUTSIDE", outside).Replace(v)
			}
			conclusion := map[int]string{0: "success", 1: "failure"}[test.code]
			if conclusion == "" {
				conclusion = "error"
			}
			s := w.checkRun(test.code, conclusion, test.text, append([]string{"working-directory", "libs/a"}, test.inputs...)...)
			if name := s.Outputs["result-file"]; test.code == 0 && strings.Contains(strings.Join(test.inputs, " "), "json-file") && name != "new/r.json" {
				t.Errorf("result-file %q", name)
			}
			if entries, _ := os.ReadDir(outside); len(entries) != 1 {
				t.Error("something was written outside of the workspace")
			}
		})
	}
}

// TestMissingFiles checks that a file that an input names must exist, and that a pattern that matches
// nothing is visible, because a misspelled name would otherwise check less.
func TestMissingFiles(t *testing.T) {
	for _, test := range []struct {
		name       string
		inputs     []string
		code       int
		conclusion string
		text       string
	}{
		{"a report", []string{"reports", "out/k.compat.json, out/typo.json"}, 3, "error", "input reports: no file matches out/typo.json; build the file before this step, or correct the path"},
		{"a report by an absolute path", []string{"reports", "out/*.json\nWORKSPACE/typo.json"}, 3, "error", "typo.json; build the file"},
		{"a report, which the policy allows", []string{"reports", "out/k.compat.json, out/typo.json", "fail-on-empty", "false"}, 0, "success", "passed"},
		{"a pattern", []string{"reports", "out/*.json, typo/*.json"}, 0, "success", "::notice title=SYCL compatibility::input reports: no file matches typo/*.json"},
		{"an excluded pattern", []string{"reports", "out/*.json, !typo/*.json"}, 0, "success", "passed"},
		{"a pattern whose files are excluded", []string{"reports", "out/*.json, bin/*, !bin/**"}, 0, "success", "passed"},
		{"a directory", []string{"reports", "out"}, 3, "error", "input reports: out is a directory; name its reports, for example out/**/*.compat.json"},
		{"a binary", []string{"binaries", "bin/k.o, bin/typo.o", "devices", deviceB}, 3, "error", "input binaries: no file matches bin/typo.o; build the file"},
		{"a directory of binaries", []string{"binaries", "bin, dist", "devices", deviceB}, 3, "error", "input binaries: no file matches dist; build the file"},
		{"a pattern of binaries", []string{"binaries", "bin/*, dist/*.whl", "devices", deviceB}, 0, "success", "::notice title=SYCL compatibility::input binaries: no file matches dist/*.whl"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newCheckout(t)
			w.object("bin/k.o")
			w.write("out/k.compat.json", encode(t, "//demo:kernels", both, kernel{"Add", nil}))
			for i, v := range test.inputs {
				test.inputs[i] = strings.ReplaceAll(v, "WORKSPACE", w.dir)
			}
			s := w.checkRun(test.code, test.conclusion, test.text, test.inputs...)
			if strings.Contains(s.Stdout, "::notice") != strings.Contains(test.text, "::notice") {
				t.Error(s.Stdout)
			}
		})
	}
}

// TestRepositoryInSubdirectory checks that GitHub shows problems in the right file if
// actions/checkout has put the repository into a subdirectory of the workspace.
func TestRepositoryInSubdirectory(t *testing.T) {
	const policy = "version: 1\ndevices: {required: ['*']}\nallow:\n- {rule: no-image, kernels: [Gone], reason: r, expires: 2999-01-01}\nlimits: {allow-without-end: true}\n"
	repository := func(dir string) *checkout {
		w := newCheckout(t)
		inner := &checkout{t, filepath.Join(w.dir, dir), w.env}
		inner.reports()
		inner.write("src/k.cpp", strings.Repeat("x\n", 20))
		inner.write("lib/src/k.cpp", strings.Repeat("x\n", 20))
		inner.write("lib/out/k.compat.json", inner.read("out/k.compat.json"))
		inner.write(".github/sycl-compat.yml", policy)
		w.based(inner.commit())
		return w
	}
	for dir, file := range map[string]string{"my repo": "src/k.cpp", "my repo/lib": "lib/src/k.cpp", "WORKSPACE/my repo": "src/k.cpp"} {
		w := repository("my repo")
		w.env["GITHUB_SERVER_URL"] = "https://github.com"
		s := w.checkRun(1, "failure", "", "reports", pattern, "working-directory", strings.ReplaceAll(dir, "WORKSPACE", w.dir), "sarif-file", "r.sarif")
		if len(s.Annotations) != 2 || s.Annotations[0].File != file || s.Annotations[1].File != ".github/sycl-compat.yml" {
			t.Errorf("%s: annotations %+v", dir, s.Annotations)
		}
		dir = strings.TrimPrefix(dir, "WORKSPACE/")
		if s.Outputs["sarif-file"] != dir+"/r.sarif" {
			t.Errorf("%s: outputs %v", dir, s.Outputs)
		}
		wantText(t, "SARIF", w.read(dir+"/r.sarif"), `"uri": "`+file+`"`)
	}
	w := repository("my repo")
	w.checkRun(1, "failure", "the repository is in my repo, not in the working directory; set the input working-directory to my repo", "reports", "my repo/out/*.json", "compare-with-base", "required")
	w.checkRun(2, "error", `input working-directory: "/etc" is not in the workspace`, "reports", pattern, "working-directory", "/etc")
}

// TestSparseCheckout checks that a policy or baseline that only the commit contains does not count
// as absent.
func TestSparseCheckout(t *testing.T) {
	const policy = ".github/sycl-compat.yml"
	for _, test := range []struct {
		name, missing string
		inputs        []string
		text          string
	}{
		{"a policy", policy, nil, "the checkout lacks .github/sycl-compat.yml, although its commit contains the file; add .github to the input sparse-checkout"},
		{"a policy that an input names", "ci/p.yml", []string{"policy-file", "ci/p.yml"}, "the checkout lacks ci/p.yml"},
		{"a baseline", "ci/b.json", []string{"baseline-file", "ci/b.json", "proposed-baseline-file", "new.json"}, "the checkout lacks ci/b.json"},
	} {
		w := newCheckout(t)
		w.write(".gitignore", "out/\n")
		w.reports()
		w.write("ci/b.json", w.baseline())
		for _, name := range []string{policy, "ci/p.yml"} {
			w.write(name, "version: 1\ndevices: {required: ["+deviceB+"]}\nundetermined: error\n")
		}
		w.based(w.commit())
		w.remove(test.missing)
		w.checkRun(2, "error", test.text, append([]string{"reports", pattern}, test.inputs...)...)
	}
}

// TestPolicyErrorLocation checks that an error in the policy or the baseline is shown at its line.
func TestPolicyErrorLocation(t *testing.T) {
	const policy = ".github/sycl-compat.yml"
	for _, test := range []struct {
		name, file, text string
		inputs           []string
		line             string
	}{
		{"a policy", policy, "version: 1\nfail_on: none\n", nil, "2"},
		{"an expiry date", policy, "version: 1\nallow:\n- {rule: no-image, kernels: [a], reason: r, expires: 2999-01-01}\n", nil, "3"},
		{"a baseline", "lib/b.json", "{\n<<<<<<< a\n", []string{"baseline-file", "b.json"}, "2"},
	} {
		w := newCheckout(t)
		w.write("lib/out/k.compat.json", encode(t, "//demo:kernels", both, kernel{"Axpy", []string{deviceA}}))
		w.write(test.file, test.text)
		w.based(w.commit())
		s := w.run(append([]string{"reports", pattern, "working-directory", "lib"}, test.inputs...)...)
		if s.ExitCode != 2 || len(s.Annotations) != 1 || s.Annotations[0].File != test.file || s.Annotations[0].Line != test.line {
			t.Errorf("%s: exit code %d, annotations %+v", test.name, s.ExitCode, s.Annotations)
		}
	}
}

// TestPolicyDevices checks that an unknown device in a policy is reported with its location and
// a suggestion.
func TestPolicyDevices(t *testing.T) {
	for _, test := range []struct {
		name, policy string
		inputs       []string
		code         int
		text         string
	}{
		{"a misspelled device", "version: 1\ndevices:\n  required:\n  - " + deviceB + "\n  - intel_gpu_pcv\n", nil, 2, `.github/sycl-compat.yml:5: devices.required: unknown device "intel_gpu_pcv"; did you mean intel_gpu_pvc?`},
		{"a misspelled supported device", "version: 1\ndevices: {required: [" + deviceB + "],\n  supported: [intel_gpu_pcv]}\n", nil, 2, `.github/sycl-compat.yml:3: devices.supported: unknown device`},
		{"a device without a similar name", "version: 1\ndevices: {required: [toaster9000]}\n", nil, 2, `unknown device "toaster9000"; 'compat devices' lists the built-in devices`},
		{"an unknown device in an input", "version: 1\ndevices: {required: [" + deviceB + "]}\n", []string{"devices", deviceB + ",toaster9000"}, 2, `input devices: unknown device "toaster9000"; 'compat devices' lists`},
		{"a device of device-config", "version: 1\ndevices: {required: [toaster9000]}\n", []string{"device-config", "d.yml"}, 0, "passed"},
		{"a pattern in a flow sequence", "version: 1\ndevices: {required: ['intel_gpu_nvl*']}\n", nil, 1, "no report covers a device that matches"},
		{"a hostile name", "version: 1\ndevices: {required: [\"x\\n::error::y\"]}\n", nil, 2, `unknown device`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newCheckout(t)
			w.object("bin/k.o")
			w.write("d.yml", "toaster9000:\n  aspects: [fp16, fp64, atomic64]\n  sub-group-sizes: [8, 16, 32]\n")
			w.write(".github/sycl-compat.yml", test.policy)
			s := w.run(append([]string{"binaries", "bin/*"}, test.inputs...)...)
			if s.ExitCode != test.code || len(s.Commands) > 8 {
				t.Errorf("exit code %d, %+v", s.ExitCode, s.Commands)
			}
			wantText(t, "what is seen", s.Stdout, test.text)
			if strings.Contains(s.Stdout, "aspectfilter") {
				t.Error(s.Stdout)
			}
		})
	}
}
