package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

// emptied returns a baseline without entries.
func emptied(baseline string) string {
	return regexp.MustCompile(`(?s)"findings": \[.*?\n  \]`).ReplaceAllString(baseline, `"findings": []`)
}

// submodule adds a submodule with a file, and returns its checkout.
func (w *checkout) submodule(dir, name, text string) *checkout {
	w.Helper()
	source := &checkout{w.T, w.TempDir(), nil}
	source.write(name, text)
	source.commit()
	w.commit()
	w.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", source.dir, dir)
	return &checkout{w.T, filepath.Join(w.dir, dir), nil}
}

// TestLinkedFiles weakens a baseline and a device configuration. Even if the path of the file leads
// through a symbolic link or a submodule, in the base, in the change or in both, the action must
// report the weakening, or report that it cannot compare the files.
func TestLinkedFiles(t *testing.T) {
	type layout struct {
		name    string
		base    func(w *checkout, name, old string)  // writes the file of the base as ci/NAME
		head    func(w *checkout, name, more string) // replaces it
		after   func(w *checkout)                    // damages the objects or links that the base is read from
		why     string                               // why there is no comparison, "" if there is one
		refused string                               // why the file of the change is not read
	}
	file := func(dir string) func(*checkout, string, string) {
		return func(w *checkout, name, text string) { w.write(dir+"/"+name, text) }
	}
	linked := func(w *checkout, name, old string) { w.write("real/"+name, old); w.link("real", "ci") }
	unlink := func(to string) func(*checkout, string, string) {
		return func(w *checkout, name, more string) {
			testkit.NoError(w, os.RemoveAll(filepath.Join(w.dir, "ci")))
			w.write(to+"/"+name, more)
			if to != "ci" {
				w.link(to, "ci")
			}
		}
	}
	inSubmodule := func(w *checkout, name, old string) { w.submodule("ci", name, old) }
	const (
		notAFile = "is a symbolic link to ../real/"
		outside  = "leads out of the workspace"
	)
	for _, l := range []layout{
		{name: "a file", base: file("ci"), head: file("ci")},
		{name: "a link in both", base: linked, head: file("real")},
		{name: "a link in the base", base: linked, head: unlink("ci")},
		{name: "a link in the change", base: file("ci"), head: unlink("other")},
		{name: "a link with a different target", base: linked, head: unlink("other")},
		{name: "links to links", base: func(w *checkout, name, old string) {
			w.write("a/b/"+name, old)
			w.link("../a/./b/", "c/d")
			w.link("c/d", "ci")
		}, head: file("a/b")},
		{name: "a link into a submodule", base: func(w *checkout, name, old string) {
			w.submodule("shared", "x/"+name, old)
			w.link("shared/x", "ci")
		}, head: file("shared/x")},
		{name: "a submodule with an edited file", base: inSubmodule, head: file("ci")},
		{name: "a submodule at a different commit", base: inSubmodule, head: func(w *checkout, name, more string) {
			sub := &checkout{w.T, filepath.Join(w.dir, "ci"), nil}
			sub.write(name, more)
			sub.commit()
			w.commit()
		}},
		{name: "a directory instead of the submodule", base: inSubmodule, head: unlink("ci"), why: "which is not checked out"},
		{name: "a submodule instead of the directory", base: file("ci"), head: func(w *checkout, name, more string) {
			testkit.NoError(w, os.RemoveAll(filepath.Join(w.dir, "ci")))
			w.submodule("ci", name, more)
		}},
		{name: "the file is a link in both", base: func(w *checkout, name, old string) {
			w.write("real/"+name, old)
			w.link("../real/"+name, "ci/"+name)
		}, head: file("real"), why: notAFile},
		{name: "the file is a link in the base", base: func(w *checkout, name, old string) {
			w.write("real/"+name, old)
			w.link("../real/"+name, "ci/"+name)
		}, head: unlink("ci"), why: notAFile},
		{name: "the file is a link in the change", base: file("ci"), head: func(w *checkout, name, more string) {
			w.remove("ci/" + name)
			w.write("real/"+name, more)
			w.link("../real/"+name, "ci/"+name)
		}},
		{name: "a link out of the workspace in the change", base: file("ci"), head: func(w *checkout, name, more string) {
			dir := w.TempDir()
			testkit.WriteFile(w, filepath.Join(dir, name), more)
			testkit.NoError(w, os.RemoveAll(filepath.Join(w.dir, "ci")))
			w.link(dir, "ci")
		}, refused: outside},
		{name: "a link out of the workspace in the base", base: func(w *checkout, name, old string) { w.link("../..", "ci") }, head: unlink("ci"), why: "is reached through a symbolic link that leads out of the repository"},
		{name: "a link to itself in the base", base: func(w *checkout, name, old string) { w.link("ci", "ci") }, head: unlink("ci"), why: "is reached through more than 40 symbolic links"},
		{name: "a link to itself in the change", base: file("ci"), head: func(w *checkout, name, more string) {
			testkit.NoError(w, os.RemoveAll(filepath.Join(w.dir, "ci")))
			w.link("ci", "ci")
		}, refused: "too many levels of symbolic links"},
		{name: "a missing tree behind a link", base: linked, head: file("real"), after: func(w *checkout) {
			tree := w.git("rev-parse", "HEAD:real")
			w.remove(".git/objects/" + tree[:2] + "/" + tree[2:])
		}, why: "is not in the checkout: the tree "},
	} {
		for _, input := range []string{"baseline-file", "device-config"} {
			t.Run(l.name+", "+input, func(t *testing.T) {
				t.Parallel()
				w := newCheckout(t)
				w.reports()
				w.object("out/k.o")
				name, old, more := "d.yml", deviceB+":\n  aspects: [fp16]\n  sub-group-sizes: [16, 32]\n", ""
				more = strings.Replace(old, "fp16", "fp16, fp64, atomic64", 1)
				inputs, noticed := []string{"binaries", "out/k.o", "devices", deviceB}, "allow more than the base branch's data"
				if input == "baseline-file" {
					name, more = "b.json", w.baseline()
					old, inputs, noticed = emptied(more), []string{"reports", pattern}, "not in the baseline of the base branch"
				}
				w.write(".gitignore", "out/\n")
				l.base(w, name, old)
				w.based(w.commit())
				l.head(w, name, more)
				if l.after != nil {
					l.after(w)
				}
				inputs = append(inputs, input, "ci/"+name)
				switch {
				case l.refused != "":
					if s := w.run(inputs...); s.ExitCode < 2 || s.Outputs["conclusion"] != "error" || !strings.Contains(s.Stdout, l.refused) {
						t.Errorf("exit code %d: %s", s.ExitCode, s.Stdout)
					}
				case l.why != "":
					w.checkRun(0, "success", l.why, append(inputs, "compare-with-base", "optional")...)
					w.checkRun(1, "failure", l.why, append(inputs, "compare-with-base", "required")...)
				default:
					s := w.checkRun(0, "success", noticed, append(inputs, "compare-with-base", "required")...)
					if strings.Contains(s.Stdout, "not-compared") {
						t.Error(s.Stdout)
					}
				}
				// With policy-ref base, the file of the base applies if it can be read. It does not
				// contain the additions of the change.
				s := w.run(append(inputs, "policy-ref", "base")...)
				if code := s.ExitCode; code == 0 || code == 1 && l.why != "" || code > 1 && l.why == "" {
					t.Errorf("policy-ref: base: exit code %d: %s", code, s.Stdout)
				}
			})
		}
	}
}
