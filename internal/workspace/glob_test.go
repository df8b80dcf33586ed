package workspace

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

func TestGlob(t *testing.T) {
	dir := enter(t)
	outside := t.TempDir()
	out := filepath.Join(outside, "execroot/_main/bazel-out")
	testkit.WriteFile(t, filepath.Join(out, "bin/x/r.compat.json"), "")
	for _, name := range []string{"a.json", "b.json", "x/a.json", "x/y/a.json", "x/y/b.txt", "ü.json", ".git/a.json", "-dash.json"} {
		testkit.WriteFile(t, name, "")
	}
	testkit.Link(t, filepath.Join(out, "bin"), "bazel-bin")
	testkit.Link(t, outside, "out")
	testkit.Link(t, "..", "x/up")
	testkit.Link(t, "../a.json", "x/link.json")
	for _, test := range []struct {
		patterns string
		want     string
	}{
		{"*.json", "-dash.json a.json b.json good.json ü.json"},
		{"?.json", "a.json b.json ü.json"},
		{"./a.json", "a.json"},
		{"**/a.json", "a.json x/a.json x/y/a.json"},
		{"**/**/**/a.json", "a.json x/a.json x/y/a.json"},
		{"x/**", "x/a.json x/link.json x/y/a.json x/y/b.txt"},
		{"x//y/*", "x/y/a.json x/y/b.txt"},
		{"*/a.json", "x/a.json"},
		{"**/y/*.txt", "x/y/b.txt"},
		{"b.json,a.json\na.json", "a.json b.json"},
		{"**/*.json\n!x/**\n!?.json", "-dash.json good.json"},
		{"!b.json, ?.json", "a.json ü.json"},
		{"**/a.json, !x", "a.json"},
		{"**/a.json, !x/y/", "a.json x/a.json"},
		{"gone.json", ""},
		{"gone/**/x", ""},
		{"a.json/x", ""},
		{"x", ""},
		{"bazel-bin/**/*.compat.json", "bazel-bin/x/r.compat.json"},
		{"**/*.compat.json", ""},
		{"", ""},
	} {
		got, err := Glob(".", SplitPatterns(test.patterns))
		if err != nil || strings.Join(got, " ") != test.want {
			t.Errorf("%q: %v, %q", test.patterns, err, got)
		}
	}
	got, err := Glob(dir, []string{"b.json"})
	if err != nil || !slices.Equal(got, []string{filepath.Join(dir, "b.json")}) {
		t.Errorf("%v, %q", err, got)
	}
}

// TestGlobFindsUnreadableDirectories checks that an unreadable directory is returned instead of its
// files if a pattern may match files in it.
func TestGlobFindsUnreadableDirectories(t *testing.T) {
	enter(t)
	testkit.Unlistable(t, "x/locked")
	testkit.WriteFile(t, "x/a.json", "")
	testkit.WriteFile(t, "x/a/b/c.json", "")
	for _, test := range []struct {
		patterns string
		found    string // without the unreadable directory
		locked   bool
	}{
		{"x/**/*.json", "x/a.json x/a/b/c.json", true},
		{"**/*.json", "good.json x/a.json x/a/b/c.json", true},
		{"x/*.json", "x/a.json", false},
		{"x/a/**/*.json", "x/a/b/c.json", false},
		{"x/**/*.json\n!x/locked/**", "x/a.json x/a/b/c.json", false},
	} {
		got, err := Glob(".", SplitPatterns(test.patterns))
		found := slices.DeleteFunc(slices.Clone(got), func(name string) bool { return strings.HasPrefix(name, filepath.FromSlash("x/locked/")) })
		if locked := len(found) < len(got); err != nil || strings.Join(found, " ") != test.found || locked != test.locked {
			t.Errorf("%q: %v, %.200q", test.patterns, err, got)
		}
	}
}

// TestFind checks that patterns find and exclude files under all names of their directories.
func TestFind(t *testing.T) {
	dir := enter(t)
	for _, name := range []string{"b/a.json", "b/old/a.json", "c/old/a.json"} {
		testkit.WriteFile(t, name, "")
	}
	testkit.Link(t, "b", "link")
	testkit.Link(t, "a.json", "b/alias.txt")
	above := "../" + filepath.Base(dir)
	for _, test := range []struct {
		patterns, want string
	}{
		{"DIR/b/**/*.json", "DIR/b/a.json DIR/b/old/a.json"},
		{"DIR/b/**/*.json !DIR/b/old/*.json", "DIR/b/a.json"},
		{"DIR/b/**/*.json !b/old", "DIR/b/a.json"},
		{"!DIR/b/old/ b/**/*.json", "b/a.json"},
		{"b/**/*.json !" + above + "/b/*.json", "b/old/a.json"},
		{"b/**/*.json !link/old", "b/a.json"},
		{"b/**/*.json !link", ""},
		{"b/* !b/alias.txt", "b/a.json"},
		{"b/* !b/a.json", "b/alias.txt"},
		{"link/**/*.json !b/old/*", "link/a.json"},
		{"link/**/*.json !link/old/*", "link/a.json"},
		{"*/old/*.json DIR/c/old/a.json !**/old/**", ""},
		{"b/*.json !gone/x", "b/a.json"},
	} {
		got, err := Find(strings.Fields(strings.ReplaceAll(test.patterns, "DIR", dir)))
		if err != nil || strings.ReplaceAll(strings.Join(got, " "), dir, "DIR") != test.want {
			t.Errorf("%q: %v, %q", test.patterns, err, got)
		}
	}
	for _, pattern := range []string{"!DIR/b/*", "!", "!/", "!.."} {
		if got, err := Find([]string{strings.ReplaceAll(pattern, "DIR", dir)}); cli.ExitCode(err) != 2 {
			t.Errorf("%q: %v, %q", pattern, err, got)
		}
	}
}

func TestAttackS15Patterns(t *testing.T) {
	enter(t)
	outside := t.TempDir()
	testkit.WriteFile(t, filepath.Join(outside, "secret.json"), "")
	testkit.Link(t, outside, "out")
	testkit.WriteFile(t, strings.Repeat("d/", 120)+"deep.json", "")
	for pattern, want := range map[string]string{
		"../../**":                             "leads out of the directory",
		"x/../../**":                           "leads out of the directory",
		"/etc/*":                               "is empty or not relative",
		"-rf":                                  "starts with a dash",
		`a\..\b`:                               "separate directories with /",
		"a\x00b":                               "has an invalid path component",
		".":                                    "names no file",
		"!":                                    "is empty or not relative",
		strings.Repeat("a", maxPattern+1):      "is longer than 4096 bytes",
		strings.Repeat("*/a/", maxDepth) + "x": "has too many path components (limit 100)",
		"!*.json":                              "add a pattern that matches files",
	} {
		found, err := Glob(".", []string{pattern})
		if cli.ExitCode(err) != 2 || !strings.Contains(err.Error(), want) || found != nil {
			t.Errorf("%.50q: %q, %v", pattern, found, err)
		}
	}
	if _, err := Glob(".", slices.Repeat([]string{"*"}, maxPatterns+1)); cli.ExitCode(err) != 2 {
		t.Errorf("got %v", err)
	}
	// A link that the pattern names literally is followed only if its target may contain reports.
	if found, err := Glob(".", []string{"out/*.json"}); cli.ExitCode(err) != 3 || found != nil {
		t.Errorf("%q, %v", found, err)
	}
	if found, err := Glob(".", []string{"**/secret.json", "*/secret.json", "**/deep.json"}); err != nil || found != nil {
		t.Errorf("%q, %v", found, err)
	}
	// Patterns that cause exponential backtracking in some matchers.
	for _, pattern := range []string{strings.Repeat("**/*", 20), strings.Repeat("*a", 1000) + "b", strings.Repeat("**/a/", 40) + "x"} {
		if _, err := Glob(".", []string{pattern}); err != nil {
			t.Errorf("%.20q: %v", pattern, err)
		}
		p, err := parsePattern(pattern)
		testkit.NoError(t, err)
		p.matches(strings.Repeat(strings.Repeat("a", 200)+"/", 100))
	}
}

// TestRepeatedStars checks that a parsed pattern never has two consecutive **, which are slow to
// match.
func TestRepeatedStars(t *testing.T) {
	for _, text := range []string{"**/a", "**/**/a", "**/**/**/a"} {
		if p, err := parsePattern(text); err != nil || !slices.Equal(p, pattern{"**", "a"}) {
			t.Errorf("%s: %q, %v", text, p, err)
		}
	}
}

func TestPatternMatches(t *testing.T) {
	for _, test := range []struct {
		pattern, path string
		want          bool
	}{
		{"*", "abc", true}, {"a*", "abc", true}, {"*c", "abc", true}, {"a*c", "abc", true}, {"a*b", "abc", false}, {"*", "a/b", false},
		{"?", "ü", true}, {"??", "ü", false}, {"*ab*ab", "abab", true}, {"*ab*ab", "ab", false}, {"a**b", "ab", true}, {"a**b", "a/b", false}, {"a***", "a", true}, {"***", "a", true}, {"***", "a/b", false},
		{"[ab]", "a", false}, {"[ab]", "[ab]", true}, {"{a,b}", "a", false}, {"{a,b}", "{a,b}", true},
		{"**/a", "a", true}, {"**/a", "x/y/a", true}, {"a/**", "a/x/y", true}, {"a/**/b", "a/b", true}, {"a/**/b", "a/x/c", false},
	} {
		p, err := parsePattern(test.pattern)
		testkit.NoError(t, err)
		if got := p.matches(test.path); got != test.want {
			t.Errorf("%q, %q: %t", test.pattern, test.path, got)
		}
	}
}

func FuzzGlob(f *testing.F) {
	f.Add("**/a*/?", "x/ab/c")
	f.Add("a/**/**/b", "a/b")
	f.Add("../*", "..")
	f.Add("a*/**", "a/b")
	f.Add("a***/*", "a/b")
	f.Fuzz(func(t *testing.T, text, path string) {
		p, err := parsePattern(text)
		if err != nil {
			return
		}
		for _, part := range p {
			if part == ".." || strings.ContainsAny(part, "/\\\x00") {
				t.Errorf("%q has part %q", text, part)
			}
		}
		if len(path) > 200 || !fs.ValidPath(path) || !p.matches(path) {
			return
		}
		// The search visits every directory that contains a match.
		for i := range path {
			if path[i] == '/' && !p.mayMatchIn(path[:i]) {
				t.Errorf("%q matches %q, but not the directory %q", text, path, path[:i])
			}
		}
	})
}
