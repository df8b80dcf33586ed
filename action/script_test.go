package main

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

//go:embed run.sh
var script string

//go:embed checksums.txt
var checksums string

// fakeProgram replaces the action's program: it prints its name and its inputs.
const fakeProgram = "#!/bin/sh\necho \"program $REAL reports=$INPUT_REPORTS\"\nexit 1\n"

// fakeGo replaces go build: it writes such a program.
const fakeGo = `#!/bin/sh
[ "$1" = build ] || exit 9
while [ $# -gt 1 ]; do [ "$1" = -o ] && out=$2; shift; done
[ "$1" = ./action ] && [ -f MODULE.bazel ] || exit 8
printf '#!/bin/sh\necho "program built reports=$INPUT_REPORTS"\nexit 1\n' > "$out"
chmod +x "$out"
`

// A release is a copy of the action's directory with a directory of programs.
type release struct {
	*checkout
	path string // directory of the programs that the script can find
}

// newRelease returns an action with the given checksums and programs.
func newRelease(t *testing.T, lines string, programs ...string) *release {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Fatal("bash not found; the action's script requires it")
	}
	r := &release{newCheckout(t), t.TempDir()}
	r.write("src/action/run.sh", script)
	r.write("src/action/checksums.txt", checksums+lines)
	r.write("src/MODULE.bazel", "module(\n    name = \"rules_sycl\",\n    version = \"1.2.3\",\n)\n")
	// PATH contains only the tools that the script may use.
	for _, name := range append([]string{"dirname", "uname", "mktemp", "rm", "cut", "sha256sum", "cat", "chmod"}, programs...) {
		target, err := exec.LookPath(name)
		testkit.NoError(t, err)
		testkit.NoError(t, os.Symlink(target, filepath.Join(r.path, name)))
	}
	testkit.NoError(t, os.Symlink(bash, filepath.Join(r.path, "bash")))
	r.env = map[string]string{"PATH": r.path, "RUNNER_OS": "Linux", "RUNNER_ARCH": "X64", "INPUT_REPORTS": "a b; $(id) `id`"}
	return r
}

func (r *release) tool(name, text string) {
	r.Helper()
	testkit.NoError(r, os.WriteFile(filepath.Join(r.path, name), []byte(text), 0o755))
}

// curl provides curl: the real one if it is installed, or else a script that copies local files.
func (r *release) curl() {
	r.Helper()
	if target, err := exec.LookPath("curl"); err == nil {
		testkit.NoError(r, os.Symlink(target, filepath.Join(r.path, "curl")))
		return
	}
	r.tool("curl", `#!/bin/bash
while [ $# -gt 1 ]; do [ "$1" = --output ] && out=$2; shift; done
[[ $1 = file:///* ]] && cat -- "${1#file://}" > "$out" 2> /dev/null || exit 37
`)
}

func (r *release) start() *seenStep {
	r.Helper()
	return runStep(r, fakeStep{Program: filepath.Join(r.path, "bash"), Args: []string{filepath.Join(r.dir, "src/action/run.sh")}, Dir: r.dir, Env: r.env, Matchers: problemMatchers})
}

func line(name, content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:]) + "  " + name + "\n"
}

const releaseName = "sycl-compat-action-linux-amd64"

func TestScript(t *testing.T) {
	good := line(releaseName, fakeProgram)
	ran := func(which string) string { return "program " + which + " reports=a b; $(id) `id`" }
	for _, test := range []struct {
		name    string
		lines   string
		prepare func(r *release)
		code    int
		log     string // expected in the log or an annotation
	}{
		{"a program set by the input", "", func(r *release) {
			r.program("my/program")
			r.env["INPUT_BINARY"] = "my/program"
			r.env["REAL"] = "given"
		}, 1, ran("given")},
		{"a program next to the script", "", func(r *release) { r.program("-program"); r.env["INPUT_BINARY"] = "-program"; r.env["REAL"] = "given" }, 1, ran("given")},
		{"a program in the working directory", "", func(r *release) {
			r.program("sub dir/my/program")
			r.env["INPUT_BINARY"], r.env["INPUT_WORKING_DIRECTORY"] = "my/program", "sub dir"
			r.env["REAL"] = "given"
		}, 1, ran("given")},
		{"a program only in the workspace", "", func(r *release) {
			r.program("my/program")
			r.env["INPUT_BINARY"], r.env["INPUT_WORKING_DIRECTORY"] = "my/program", "sub"
		}, 2, "input binary: my/program is not a program in sub"},
		{"a missing program", good, func(r *release) { r.mirror(); r.env["INPUT_BINARY"] = "gone" }, 2, "input binary: gone is not a program"},
		{"an invalid program", "", func(r *release) { r.write("text", "x"); r.env["INPUT_BINARY"] = "text" }, 2, "input binary: text is not a program"},
		{"a program whose name is a command", "", func(r *release) { r.env["INPUT_BINARY"] = "x\n::set-output name=conclusion::success" }, 2, "input binary: x?::set-output name=conclusion::success is not a program"},
		{"a release", good, func(r *release) { r.mirror(); r.env["REAL"] = "released" }, 1, ran("released")},
		{"a release with a different name", good, func(r *release) { r.mirror(); r.env["REAL"] = "released"; r.env["INPUT_VERSION"] = "v1.2.3" }, 1, ran("released")},
		{"no checksum, go installed", "", func(r *release) { r.mirror(); r.tool("go", fakeGo) }, 1, ran("built")},
		{"a checksum for a different platform, go installed", good, func(r *release) { r.mirror(); r.env["RUNNER_ARCH"] = "ARM64"; r.tool("go", fakeGo) }, 1, ran("built")},
		{"an invalid checksum line, go installed", "abc  " + releaseName + "\n", func(r *release) { r.mirror(); r.tool("go", fakeGo) }, 1, ran("built")},
		{"a missing release, go installed", good, func(r *release) { r.mirror(); r.env["INPUT_VERSION"] = "v9"; r.tool("go", fakeGo) }, 1, ran("built")},
		{"a missing release, go not installed", good, func(r *release) { r.mirror(); r.env["INPUT_VERSION"] = "v9" }, 4, "no program for linux-amd64, and go is not installed to build it"},
		{"a different program, go installed", line(releaseName, "another"), func(r *release) { r.mirror(); r.tool("go", fakeGo) }, 4, "refusing to run"},
		{"no checksum, go not installed", "", func(r *release) { r.mirror() }, 4, "no program for linux-amd64, and go is not installed to build it; run actions/setup-go before this action, or set the input binary"},
		{"an unsupported platform", good, func(r *release) { r.mirror(); r.env["RUNNER_OS"] = "Plan9" }, 4, "no program for unknown-amd64"},
		{"no curl, go installed", good, func(r *release) { r.mirror(); r.removeTool("curl"); r.tool("go", fakeGo) }, 1, ran("built")},
		{"no checksum program", good, func(r *release) { r.mirror(); r.removeTool("sha256sum") }, 4, "neither sha256sum nor shasum"},
		{"a different checksum program", good, func(r *release) {
			r.mirror()
			r.removeTool("sha256sum")
			r.tool("shasum", "#!/bin/bash\n[ \"$1 $2\" = '-a 256' ] && exec "+realPath(t, "sha256sum")+"\n")
			r.env["REAL"] = "released"
		}, 1, ran("released")},
		{"Windows", line("sycl-compat-action-windows-amd64.exe", fakeProgram), func(r *release) { r.mirror(); r.env["RUNNER_OS"] = "Windows"; r.env["REAL"] = "released" }, 1, ran("released")},
		{"a Mac", line("sycl-compat-action-darwin-arm64", fakeProgram), func(r *release) {
			r.mirror()
			r.env["RUNNER_OS"], r.env["RUNNER_ARCH"], r.env["REAL"] = "macOS", "ARM64", "released"
		}, 1, ran("released")},
		{"a mirror without https", good, func(r *release) { r.mirror(); r.env["INPUT_DOWNLOAD_BASE_URL"] = "http://ghe.example/x" }, 2, "is not an https address"},
		{"a mirror that looks like an option", good, func(r *release) { r.mirror(); r.env["INPUT_DOWNLOAD_BASE_URL"] = "--config=/etc/passwd" }, 2, "is not an https address"},
		{"a failing build", "", func(r *release) { r.tool("go", "#!/bin/sh\nexit 1\n") }, 4, "cannot build the program of the action"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newRelease(t, test.lines)
			test.prepare(r)
			s := r.start()
			text := s.log()
			for _, a := range s.Annotations {
				text += "\n" + a.Message
			}
			if s.ExitCode != test.code || !strings.Contains(text, test.log) || len(s.Faults) > 0 {
				t.Errorf("exit code %d, %q, runner errors %q\n%s%s", s.ExitCode, text, s.Faults, s.Stdout, s.Stderr)
			}
			if test.code > 1 && (s.Outputs["conclusion"] != "error" || s.Outputs["exit-code"] != fmt.Sprint(test.code) || strings.Contains(text, "program released")) {
				t.Errorf("outputs %v", s.Outputs)
			}
			if failed := strings.Contains(s.Summary, "there is no conclusion on this change.\n\n`"); failed != (test.code > 1) || failed && !strings.Contains(s.Summary, test.log) {
				t.Errorf("summary: %s", s.Summary)
			}
		})
	}
}

func realPath(t *testing.T, name string) string {
	path, err := exec.LookPath(name)
	testkit.NoError(t, err)
	return path
}

func (r *release) program(name string) {
	r.Helper()
	r.write(name, fakeProgram)
	testkit.NoError(r, os.Chmod(filepath.Join(r.dir, name), 0o755))
}

func (r *release) removeTool(tool string) {
	r.Helper()
	testkit.NoError(r, os.Remove(filepath.Join(r.path, tool)))
}

// mirror creates a directory of releases, with a program per platform.
func (r *release) mirror() {
	r.Helper()
	r.curl()
	for _, name := range []string{releaseName, "sycl-compat-action-linux-arm64", "sycl-compat-action-darwin-arm64", "sycl-compat-action-windows-amd64.exe"} {
		r.write("mirror/v1.2.3/"+name, fakeProgram)
	}
	r.env["INPUT_DOWNLOAD_BASE_URL"] = "file://" + filepath.Join(r.dir, "mirror") + "/"
}

// TestDownload checks that a redirect to a host without https is not followed, and that a download
// with the wrong checksum is not run (S-26).
func TestDownload(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("curl not found; testing with releases in directories instead of servers")
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/good/v1.2.3/" + releaseName:
			fmt.Fprint(w, fakeProgram)
		case "/swapped/v1.2.3/" + releaseName:
			fmt.Fprint(w, fakeProgram+"# swapped\n")
		case "/redirect/v1.2.3/" + releaseName:
			http.Redirect(w, r, "/good/v1.2.3/"+releaseName, http.StatusFound)
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	for dir, text := range map[string]string{
		"good":     "program released",
		"swapped":  "refusing to run",
		"redirect": "no program for linux-amd64, and go is not installed to build it",
		"missing":  "no program for linux-amd64, and go is not installed to build it",
	} {
		r := newRelease(t, line(releaseName, fakeProgram))
		r.curl()
		r.env["REAL"] = "released"
		r.env["INPUT_DOWNLOAD_BASE_URL"] = server.URL + "/" + dir
		s := r.start()
		if !strings.Contains(s.Stdout, text) || (s.ExitCode == 1) != (dir == "good") {
			t.Errorf("%s: exit code %d\n%s%s", dir, s.ExitCode, s.Stdout, s.Stderr)
		}
	}
}

// TestBuild builds the real program if go and a source tree are available.
func TestBuild(t *testing.T) {
	if os.Getenv("TEST_SRCDIR") != "" {
		return // Bazel has built the program, and the other tests run it
	}
	if testing.Short() {
		t.Skip("builds are slow; skipped in short mode")
	}
	tree, err := filepath.Abs("..")
	testkit.NoError(t, err)
	w := newCheckout(t)
	w.reports()
	step := w.step("reports", pattern)
	step.Program, step.Args = "bash", []string{filepath.Join(tree, "action", "run.sh")}
	cache, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE", "GOROOT", "GOPROXY").Output()
	if err != nil {
		t.Skip("go not found")
	}
	values := strings.Split(string(cache), "\n")
	step.Env["GOCACHE"], step.Env["GOMODCACHE"], step.Env["GOPROXY"] = values[0], values[1], values[3]
	step.Env["HOME"] = w.dir
	s := runStep(t, step)
	if s.ExitCode != 1 || s.Outputs["conclusion"] != "failure" || len(s.Annotations) != 1 {
		t.Errorf("exit code %d\n%s%s", s.ExitCode, s.Stdout, s.Stderr)
	}
}

// TestChecksums checks that the committed checksums are for programs, without duplicates.
func TestChecksums(t *testing.T) {
	seen := map[string]bool{}
	for l := range strings.Lines(checksums) {
		if strings.HasPrefix(l, "#") {
			continue
		}
		sum, name, ok := strings.Cut(strings.TrimSpace(l), "  ")
		if _, err := hex.DecodeString(sum); err != nil || len(sum) != 64 || !ok || !strings.HasPrefix(name, "sycl-compat-action-") || seen[name] {
			t.Errorf("invalid line %q", l)
		}
		seen[name] = true
	}
}
