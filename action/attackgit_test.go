package main

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

// strictBase commits a strict policy and overwrites it with a weak one. The report has a problem.
func (w *checkout) strictBase() (commit string) {
	w.reports()
	w.write(".github/sycl-compat.yml", strictPolicy)
	commit = w.commit()
	w.based(commit)
	w.write(".github/sycl-compat.yml", weakPolicy)
	return commit
}

// weakCommit creates a commit with a weak policy that is on no branch.
func (w *checkout) weakCommit() string {
	w.git("add", "--all")
	return w.git("commit-tree", "-m", "weak", w.git("write-tree"))
}

// TestAttackGit checks that the policy of the base is read from its commit, regardless of replaced
// objects or environment variables.
func TestAttackGit(t *testing.T) {
	for _, test := range []struct {
		name    string
		prepare func(w *checkout, base string)
	}{
		{"nothing", func(*checkout, string) {}},
		{"a replaced commit", func(w *checkout, base string) { w.git("replace", base, w.weakCommit()) }},
		{"a replaced commit in a different namespace", func(w *checkout, base string) {
			w.git("update-ref", "refs/other/"+base, w.weakCommit())
			w.env["GIT_REPLACE_REF_BASE"] = "refs/other/"
			w.env["GIT_NO_REPLACE_OBJECTS"] = "0"
		}},
		{"a graft", func(w *checkout, base string) { w.write(".git/info/grafts", base+" "+w.weakCommit()+"\n") }},
		{"a branch with the name of the commit", func(w *checkout, base string) { w.git("update-ref", "refs/heads/"+base, w.weakCommit()) }},
		{"a tag with the name of the commit", func(w *checkout, base string) { w.git("update-ref", "refs/tags/"+base, w.weakCommit()) }},
		{"filters and encodings", func(w *checkout, _ string) {
			w.write(".gitattributes", "*.yml filter=weak export-subst working-tree-encoding=UTF-16 eol=crlf\n")
			w.git("config", "filter.weak.smudge", "printf 'version: 1\nfail-on: none\n'")
		}},
		{"a textconv and a hook", func(w *checkout, _ string) {
			w.write(".gitattributes", "*.yml diff=weak\n")
			w.git("config", "diff.weak.textconv", "true")
			w.git("config", "core.hooksPath", "hooks")
		}},
		{"an alias", func(w *checkout, _ string) {
			w.git("config", "alias.cat-file", "!echo version: 1")
			w.git("config", "alias.ls-tree", "!true")
		}},
		{"git options in the environment", func(w *checkout, _ string) {
			w.env["GIT_CONFIG_COUNT"], w.env["GIT_CONFIG_KEY_0"], w.env["GIT_CONFIG_VALUE_0"] = "1", "core.worktree", "/"
			w.env["GIT_PAGER"], w.env["GIT_TRACE"], w.env["GIT_GLOB_PATHSPECS"], w.env["GIT_ICASE_PATHSPECS"] = "false", "2", "1", "1"
		}},
		{"a different repository", func(w *checkout, base string) {
			w.env["GIT_DIR"] = forgedRepository(w, base)
		}},
		{"a different object directory", func(w *checkout, base string) {
			w.env["GIT_OBJECT_DIRECTORY"] = filepath.Join(forgedRepository(w, base), "objects")
		}},
		{"an alternate object directory", func(w *checkout, base string) {
			w.env["GIT_ALTERNATE_OBJECT_DIRECTORIES"] = filepath.Join(forgedRepository(w, base), "objects")
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newCheckout(t)
			base := w.strictBase()
			test.prepare(w, base)
			s := w.checkRun(1, "failure", "", "reports", pattern, "policy-ref", "base")
			wantText(t, "the log", s.log(), "merging this change weakens the check")
		})
	}
}

// forgedRepository creates a bare repository in which the base commit has a weak policy. Git does
// not verify object names when it reads objects.
func forgedRepository(w *checkout, base string) string {
	w.Helper()
	dir := filepath.Join(w.TempDir(), "forged")
	for name, text := range forgedFiles(w, base) {
		testkit.WriteFile(w, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
	return dir
}

// forgedFiles returns the files of that repository: the objects of the checkout, except for the
// policy.
func forgedFiles(w *checkout, base string) map[string]string {
	w.Helper()
	files := map[string]string{"HEAD": "ref: refs/heads/main\n", "config": "[core]\n\trepositoryformatversion = 0\n\tbare = true\n", "refs/heads/main": base + "\n"}
	for object := range strings.FieldsSeq(w.git("rev-list", "--objects", "--no-object-names", base)) {
		name := "objects/" + object[:2] + "/" + object[2:]
		files[name] = w.read(".git/" + name)
	}
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	fmt.Fprintf(z, "blob %d\x00%s", len(weakPolicy), weakPolicy)
	testkit.NoError(w, z.Close())
	policies := 0
	for line := range strings.Lines(w.git("ls-tree", "-r", base)) {
		if fields := strings.Fields(line); strings.HasSuffix(fields[3], ".github/sycl-compat.yml") {
			files["objects/"+fields[2][:2]+"/"+fields[2][2:]] = b.String()
			policies++
		}
	}
	if policies != 1 {
		w.Fatalf("%d policies", policies)
	}
	return files
}

// TestAttackRepositoryInTheCheckout checks that a directory of the change that looks like a
// repository, or is a submodule, does not determine the base.
func TestAttackRepositoryInTheCheckout(t *testing.T) {
	t.Run("bare", func(t *testing.T) {
		w := newCheckout(t)
		w.write("sub/.github/sycl-compat.yml", strictPolicy)
		base := w.commit()
		w.based(base)
		for name, text := range forgedFiles(w, base) {
			w.write("sub/"+name, text)
		}
		w.write("sub/.github/sycl-compat.yml", weakPolicy)
		w.write("sub/out/k.compat.json", encode(t, "//demo:kernels", both, kernel{"Axpy", []string{deviceA}}))
		s := w.checkRun(1, "failure", "", "reports", pattern, "policy-ref", "base", "working-directory", "sub")
		wantText(t, "the log", s.log(), "merging this change weakens the check")
	})
	t.Run("submodule", func(t *testing.T) {
		w := newCheckout(t)
		w.write("sub/.github/sycl-compat.yml", "version: 1\ndevices: {required: ["+deviceA+", "+deviceB+"]}\n")
		base := w.commit()
		w.based(base)
		// The submodule has the project's history: its root has no policy.
		testkit.NoError(t, os.RemoveAll(filepath.Join(w.dir, "sub")))
		w.git("-c", "protocol.file.allow=always", "clone", "--quiet", ".", "sub")
		w.write("sub/out/k.compat.json", encode(t, "//demo:kernels", []string{deviceB}, kernel{"Axpy", nil}))
		s := w.checkRun(1, "failure", "", "reports", pattern, "policy-ref", "base", "working-directory", "sub")
		wantText(t, "the log", s.log(), deviceA+": no report covers the device")
	})
}

// TestAttackForgedObjects checks that an object whose content does not match its name is rejected.
func TestAttackForgedObjects(t *testing.T) {
	w := newCheckout(t)
	base := w.strictBase()
	for name, text := range forgedFiles(w, base) {
		if strings.HasPrefix(name, "objects/") {
			testkit.NoError(t, os.Remove(filepath.Join(w.dir, ".git", name)))
			w.write(".git/"+name, text)
		}
	}
	s := w.run("reports", pattern, "policy-ref", "base")
	if s.ExitCode < 2 || s.Outputs["conclusion"] != "error" {
		t.Errorf("exit code %d, %s", s.ExitCode, s.Stdout)
	}
	wantText(t, "what is seen", s.Stdout, "the repository has a different blob under the name")
}

// TestAttackShallow checks that a base missing from the checkout is not treated as empty.
func TestAttackShallow(t *testing.T) {
	w := newCheckout(t)
	w.strictBase()
	w.based(strings.Repeat("12", 20))
	w.checkRun(2, "error", "the checkout does not contain the base commit 121212121212", "reports", pattern, "policy-ref", "base")
	w.checkRun(1, "failure", "the checkout does not contain the base commit 121212121212", "reports", pattern, "compare-with-base", "required")
}

// TestAttackPolicyNotAFile checks that a base policy that is a link, a directory or a submodule
// is not treated as missing.
func TestAttackPolicyNotAFile(t *testing.T) {
	for name, prepare := range map[string]func(w *checkout){
		"a link":      func(w *checkout) { w.write("weak.yml", weakPolicy); w.link("weak.yml", "p.yml") },
		"a directory": func(w *checkout) { w.write("p.yml/x", "") },
		"a submodule": func(w *checkout) {
			w.git("init", "--quiet")
			w.git("update-index", "--add", "--cacheinfo", "160000,"+strings.Repeat("1", 40)+",p.yml")
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newCheckout(t)
			w.reports()
			prepare(w)
			w.git("init", "--quiet")
			if name != "a submodule" {
				w.git("add", "--all")
			}
			w.git("commit", "--quiet", "--message", "x")
			w.based(w.git("rev-parse", "HEAD"))
			s := w.run("reports", pattern, "policy-file", "p.yml", "policy-ref", "base")
			if s.ExitCode < 2 || s.Outputs["conclusion"] != "error" {
				t.Errorf("exit code %d, %s", s.ExitCode, s.Stdout)
			}
			wantText(t, "what is seen", s.Stdout, "input policy-ref: p.yml of commit ")
		})
	}
}
