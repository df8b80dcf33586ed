package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

// TestAttackValues checks hostile files and inputs. Each must be rejected with its location, or
// have no effect. None may hang the action or hide a weaker policy, and no text may become a
// command.
func TestAttackValues(t *testing.T) {
	const p = ".github/sycl-compat.yml"
	bomb := "a0: &a0 [x]\n"
	for i := range 9 {
		bomb += fmt.Sprintf("a%d: &a%d [%s]\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i), 9), ","))
	}
	file := func(name, text string) func(w *checkout) { return func(w *checkout) { w.write(name, text) } }
	link := func(to, name string) func(w *checkout) {
		return func(w *checkout) {
			testkit.NoError(w, os.RemoveAll(filepath.Join(w.dir, name)))
			w.link(to, name)
		}
	}
	baseline := func(old, new string) func(w *checkout) {
		return func(w *checkout) { w.write("b.json", strings.Replace(w.baseline(), old, new, 1)) }
	}
	inBaseline, inDevices := []string{"baseline-file", "b.json"}, []string{"device-config", "d.yml"}
	for _, test := range []struct {
		name    string
		prepare func(w *checkout)
		inputs  []string
		code    int
		text    string
	}{
		{"a policy with NUL", file(p, "version: 1\x00\n"), nil, 2, p + ": not YAML: control characters are not allowed"},
		{"a policy that ends a comment with a line separator", file(p, "version: 1\n# x\u2028fail-on: none\n"), nil, 2, p + ":2: line break U+2028"},
		{"a policy that ends a comment with a carriage return", file(p, "version: 1\n# x\rfail-on: none\n"), nil, 2, p + ":2: line break U+000D"},
		{"a policy in UTF-16", file(p, "\xff\xfev\x00e\x00"), nil, 2, p + ":1: the file is UTF-16"},
		{"a policy with aliases of aliases", file(p, "version: 1\n"+bomb), nil, 2, p + ":2: unknown key \"a0\""},
		{"a policy with a recursive alias", file(p, "version: 1\ndevices: &a {required: *a}\n"), nil, 2, "references (& and *) are not supported"},
		{"a policy with a merge key", file(p, "version: 1\n<<: {fail-on: none}\n"), nil, 2, p + ":2: unknown key \"<<\""},
		{"a policy with deeply nested lists", file(p, "version: 1\ndevices: "+strings.Repeat("[", 100_000)), nil, 2, "not YAML: exceeded max depth"},
		{"a policy with a second document", file(p, "version: 1\n---\nfail-on: none\n"), nil, 2, p + ":2: the file contains more than one YAML document"},
		{"a policy with a command as a key", file(p, "version: 1\n\"x\\n::error::forged\": 1\n"), nil, 2, `unknown key "x\n::error::forged"`},
		{"a policy with a pattern of only stars", file(p, "version: 1\nfamilies: [{name: x, kernels: ['"+strings.Repeat("*a", 600)+"']}]\n"), nil, 2, "pattern too long (limit 1000 bytes)"},
		{"a policy that is too long", file(p, "version: 1\n"+strings.Repeat("#", 1<<20)), nil, 2, "file too large (limit 1048576 bytes)"},
		{"a policy that is a directory", file(p+"/x", ""), nil, 2, p + ": directory; expected a file"},
		{"a policy that links to itself", link("sycl-compat.yml", p), nil, 2, p + ": cannot read the file: too many levels of symbolic links"},
		{"a directory of the policy that links to itself", link(".github", ".github"), nil, 2, "cannot read " + p + ": too many levels of symbolic links"},
		{"a policy that is a device", link("/dev/zero", p), nil, 2, "leads out of the workspace"},

		{"a baseline with NUL", baseline("{", "\x00{"), inBaseline, 2, "b.json:"},
		{"a baseline with a huge count", baseline(`"count":1`, `"count":1e999`), inBaseline, 2, `"count" must not be the number 1e999`},
		{"a baseline with a negative count", baseline(`"count":1`, `"count":-1`), inBaseline, 2, "count -1 is out of range"},
		{"a baseline with a duplicate member", baseline(`"devices"`, `"devices": [], "devices"`), inBaseline, 2, `duplicate member "devices"`},
		{"a baseline with a different kernel", baseline("Axpy", "A*"), inBaseline, 2, "does not match its entry"},
		{"a baseline with deeply nested objects", file("b.json", strings.Repeat(`{"a":`, 100_000)), inBaseline, 2, "b.json: not a baseline"},
		{"a baseline with a command as a member", baseline("{", "{\"x\\n::error::forged\": 1,"), inBaseline, 2, `b.json:1: unknown member "x\n::error::forged"`},
		{"a baseline with a conflict in the middle", baseline("  \"findings\"", "<<<<<<< HEAD\n  \"findings\""), inBaseline, 2, "merge conflict marker"},
		{"a baseline that is a directory", file("b.json/x", ""), inBaseline, 3, "b.json: directory; expected a file"},
		{"a baseline that links to itself", link("b.json", "b.json"), inBaseline, 3, "b.json: cannot read the file: too many levels of symbolic links"},
		{"a baseline that is a device", link("/dev/zero", "b.json"), inBaseline, 3, "leads out of the workspace"},

		{"devices with an alias", file("d.yml", "a: &a {aspects: [fp16], sub-group-sizes: [8]}\nb: *a\n"), inDevices, 3, "d.yml:2: b: expected keys with values, got a reference"},
		{"devices with a command as a name", file("d.yml", "\"x\\n::error::forged\": {aspects: [fp16]}\n"), inDevices, 3, `d.yml:1: the target "x\n::error::forged"`},
		{"devices with a path as a name", file("d.yml", "../x: {aspects: [fp16]}\n"), inDevices, 3, `d.yml:1: the target "../x"`},
		{"devices that end a comment with a line separator", file("d.yml", "# x\u2028"+deviceA+": {aspects: [fp64]}\n"), inDevices, 3, "d.yml:1: line break U+2028"},

		{"a working directory with a command", func(*checkout) {}, []string{"working-directory", "x\n::error::forged"}, 2, "input working-directory: expected one line, got 2"},
		{"an address with markup", func(*checkout) {}, []string{"artifact-url", "https://x/)](http://evil) <img>"}, 2, "input artifact-url: "},
		{"a script as an address", func(*checkout) {}, []string{"artifact-url", "javascript:alert(1)"}, 2, "input artifact-url: "},
		{"a policy as an output", func(*checkout) {}, []string{"sarif-file", p}, 2, "cannot be an output"},
		{"a source with a command", func(w *checkout) {
			w.write("out/k.compat.json", strings.ReplaceAll(w.read("out/k.compat.json"), `"src/k.cpp"`, `"src/k.cpp\n::error::forged"`))
		}, nil, 1, "Axpy"},
		{"a source outside of the workspace", func(w *checkout) {
			w.write("out/k.compat.json", strings.ReplaceAll(w.read("out/k.compat.json"), `"src/k.cpp"`, `"../../../../etc/passwd"`))
		}, nil, 1, "Axpy"},
		{"a source that is a pipe", func(w *checkout) { w.remove("src/k.cpp"); testkit.Pipe(w, filepath.Join(w.dir, "src/k.cpp")) }, nil, 1, "Axpy"},
		{"a name of half a megabyte", func(w *checkout) {
			w.write("out/k.compat.json", encode(w, "//demo:kernels", both, kernel{strings.Repeat("`", 1<<19), both}))
		}, nil, 1, "2 failing problems"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newCheckout(t)
			w.reports()
			w.write(p, strictPolicy)
			w.based(w.commit())
			if strings.HasPrefix(test.name, "a policy that is a directory") {
				w.remove(p)
			}
			g := newGitHub(t, w)
			test.prepare(w)
			s := w.run(append([]string{"reports", pattern, "comment", "always", "token", "ghs_SECRET", "html-file", "r.html", "sarif-file", "r.sarif"}, test.inputs...)...)
			conclusion := map[int]string{1: "failure", 2: "error", 3: "error"}[test.code]
			if s.ExitCode != test.code || s.Outputs["conclusion"] != conclusion || len(s.Faults) > 0 || s.Stderr != "" || !strings.Contains(s.Stdout, test.text) {
				t.Errorf("exit code %d, want %d with %q; runner errors %q: %s%s", s.ExitCode, test.code, test.text, s.Faults, s.Stdout, s.Stderr)
			}
			for _, a := range s.Annotations {
				if strings.HasPrefix(a.Message, "forged") || a.Matched {
					t.Errorf("annotation %+v", a)
				}
			}
			for _, c := range g.comments {
				if len(c.Body) > 65_536 {
					t.Errorf("comment of %d bytes", len(c.Body))
				}
				checkMarkdown(t, c.Body[strings.Index(c.Body, "\n")+1:], test.name)
			}
			checkMarkdown(t, s.Summary, test.name)
		})
	}
}
