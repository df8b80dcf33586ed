package gating

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/cli"
)

func TestGlob(t *testing.T) {
	dir := workspace(t)
	outside := t.TempDir()
	out := filepath.Join(outside, "execroot/_main/bazel-out")
	write(t, filepath.Join(out, "bin/x/r.compat.json"), "")
	for _, name := range []string{"a.json", "b.json", "x/a.json", "x/y/a.json", "x/y/b.txt", "ü.json", ".git/a.json", "-dash.json"} {
		write(t, name, "")
	}
	link(t, filepath.Join(out, "bin"), "bazel-bin")
	link(t, outside, "out")
	link(t, "..", "x/up")
	link(t, "../a.json", "x/link.json")
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

func TestAttackS15Patterns(t *testing.T) {
	workspace(t)
	outside := t.TempDir()
	write(t, filepath.Join(outside, "secret.json"), "")
	link(t, outside, "out")
	write(t, strings.Repeat("d/", 120)+"deep.json", "")
	for pattern, want := range map[string]string{
		"../../**":                             "leads out of the folder",
		"x/../../**":                           "leads out of the folder",
		"/etc/*":                               "is empty or not relative",
		"-rf":                                  "begins with a dash",
		`a\..\b`:                               "there is / between folders",
		"a\x00b":                               "has a part that is no name",
		".":                                    "names no file",
		"!":                                    "is empty or not relative",
		strings.Repeat("a", maxPattern+1):      "is longer than 4096 bytes",
		strings.Repeat("*/a/", maxDepth) + "x": "has more than 100 parts",
		"!*.json":                              "there is none that finds some",
	} {
		found, err := Glob(".", []string{pattern})
		if cli.ExitCode(err) != 2 || !strings.Contains(err.Error(), want) || found != nil {
			t.Errorf("%.50q: %q, %v", pattern, found, err)
		}
	}
	if _, err := Glob(".", slices.Repeat([]string{"*"}, maxPatterns+1)); cli.ExitCode(err) != 2 {
		t.Errorf("got %v", err)
	}
	// A link that the pattern names is followed only where reports may be.
	if found, err := Glob(".", []string{"out/*.json"}); cli.ExitCode(err) != 3 || found != nil {
		t.Errorf("%q, %v", found, err)
	}
	if found, err := Glob(".", []string{"**/secret.json", "*/secret.json", "**/deep.json"}); err != nil || found != nil {
		t.Errorf("%q, %v", found, err)
	}
	// Patterns that make some matchers try everything.
	for _, pattern := range []string{strings.Repeat("**/*", 20), strings.Repeat("*a", 1000) + "b", strings.Repeat("**/a/", 40) + "x"} {
		if _, err := Glob(".", []string{pattern}); err != nil {
			t.Errorf("%.20q: %v", pattern, err)
		}
		matchPath(strings.Split(pattern, "/"), slices.Repeat([]string{strings.Repeat("a", 200)}, 100))
	}
}

func TestMatchName(t *testing.T) {
	for _, test := range []struct {
		pattern, name string
		want          bool
	}{
		{"", "", true}, {"", "a", false}, {"*", "", true}, {"*", "abc", true}, {"a*", "abc", true}, {"*c", "abc", true}, {"a*c", "abc", true}, {"a*b", "abc", false},
		{"?", "ü", true}, {"??", "ü", false}, {"*ab*ab", "abab", true}, {"*ab*ab", "ab", false}, {"a**b", "ab", true}, {"[ab]", "a", false}, {"[ab]", "[ab]", true},
	} {
		if got := matchName(test.pattern, test.name); got != test.want {
			t.Errorf("%q, %q: %t", test.pattern, test.name, got)
		}
	}
}

// slowMatch is matchPath without care for time.
func slowMatch(parts, names []string) bool {
	switch {
	case len(parts) == 0:
		return len(names) == 0
	case parts[0] == "**":
		return slowMatch(parts[1:], names) || len(names) > 0 && slowMatch(parts, names[1:])
	}
	return len(names) > 0 && matchName(parts[0], names[0]) && slowMatch(parts[1:], names[1:])
}

func FuzzGlob(f *testing.F) {
	f.Add("**/a*/?", "x/ab/c")
	f.Add("a/**/**/b", "a/b")
	f.Add("../*", "..")
	f.Fuzz(func(t *testing.T, pattern, path string) {
		parts, err := splitPattern(pattern)
		if err != nil {
			return
		}
		for _, p := range parts {
			if p == ".." || strings.ContainsAny(p, "/\\\x00") {
				t.Errorf("%q has the part %q", pattern, p)
			}
		}
		names := strings.Split(path, "/")
		if len(parts)*len(names) > 100 || len(path) > 200 {
			return
		}
		if got, want := matchPath(parts, names), slowMatch(parts, names); got != want {
			t.Errorf("%q, %q: %t", pattern, path, got)
		}
		for i := 1; i < len(names); i++ {
			if matchPath(parts, names) && !matchFolder(parts, names[:i]) {
				t.Errorf("%q matches %q, and not the folder %q", pattern, path, names[:i])
			}
		}
	})
}
