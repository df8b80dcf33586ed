package main

import (
	"os"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

// compiler is a fake clang++: a script that handles -o and -MF.
const compiler = `while [ $# -gt 0 ]; do
  case $1 in
  -o) out=$2 ;;
  -MF) rule=$2 ;;
  esac
  shift
done
echo bitcode > "$out"
test -z "$rule" || echo "k.bc: k.cpp ./used.hpp" > "$rule"
`

func TestCompile(t *testing.T) {
	t.Chdir(t.TempDir())
	clang := testkit.Script(t, "clang++", compiler+"echo 'a warning' >&2")
	testkit.WriteFile(t, "headers", "used.hpp\nunused.hpp\noptions.txt\n")
	code, stderr := run(t, "compile", "--output", "k.bc", "--candidates=headers", "--unused", "k.unused", "--", clang, "-fsycl", "--library", "@options.txt", "k.cpp")
	if code != 0 || stderr != "a warning\n" {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	if got := testkit.ReadFile(t, "k.bc") + testkit.ReadFile(t, "k.unused"); got != "bitcode\nunused.hpp\n" {
		t.Errorf("got %q", got)
	}
	if got := testkit.ReadFile(t, "clang++.calls"); !strings.HasPrefix(got, "-fsycl --library @options.txt k.cpp -c -o ") || !strings.Contains(got, " -MD -MF ") {
		t.Errorf("clang++ was called with %q", got)
	}

	testkit.WriteFile(t, "headers", "k.cpp\n")
	testkit.WriteFile(t, "inputs", "dpcpp/\n")
	checkRun(t, 1, "k.cpp: error: undeclared inclusion of 'used.hpp'\n", "compile", "--output", "k.bc", "--candidates=headers", "--inputs=inputs", "--unused", "k.unused", "--", clang, "k.cpp")

	if code, stderr := run(t, "compile", "--output", "again.bc", "--", clang, "k.cpp"); code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	if calls := strings.Split(testkit.ReadFile(t, "clang++.calls"), "\n"); strings.Contains(calls[2], "-MD") {
		t.Errorf("clang++ was called with %q", calls[2])
	}
}

func TestCompileFails(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, test := range map[string]struct {
		args   []string
		does   string
		code   int
		stderr string
	}{
		"an error of the source": {[]string{"--", "CLANG", "k.cpp"}, "echo 'k.cpp:1:1: error: no' >&2; exit 1", 1, "k.cpp:1:1: error: no\n"},
		"a crash":                {[]string{"--", "CLANG", "k.cpp"}, "kill -9 $$", 4, "devicec: error: clang was terminated by signal: killed\nnote: the program has a bug or ran out of memory; try again with fewer parallel jobs\n"},
		"no output":              {[]string{"--", "CLANG", "k.cpp"}, ":", 4, "devicec: error: k.bc: cannot be written: the compiler produced no output\n"},
		"no compiler":            {[]string{"--", "/nonexistent/clang", "k.cpp"}, "", 4, "devicec: error: cannot run /nonexistent/clang: "},
		"no list":                {[]string{"--candidates=headers", "--unused=u", "--", "CLANG", "k.cpp"}, ":", 4, "devicec: error: the compiler wrote no dependency file"},
		"no command":             {[]string{"--"}, "", 2, "devicec: error: missing command"},
		"no source":              {[]string{"--", "CLANG"}, "", 2, "devicec: error: missing command"},
		"candidates for nothing": {[]string{"--candidates=headers", "--", "CLANG", "k.cpp"}, "", 2, "devicec: error: --candidates requires --unused"},
	} {
		clang := testkit.Script(t, "clang", test.does)
		testkit.WriteFile(t, "headers", "")
		args := []string{"compile", "--output=k.bc"}
		for _, a := range test.args {
			args = append(args, strings.ReplaceAll(a, "CLANG", clang))
		}
		checkRun(t, test.code, test.stderr, args...)
		if _, err := os.Stat("k.bc"); err == nil {
			t.Errorf("%s: there is an output", name)
		}
	}
}
