package main

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

// TestDatabase checks the compilation database that -MJ requests: as with clang, it names the user's
// sources and options, and only contains the sources of the last command.
func TestDatabase(t *testing.T) {
	host := "-fsycl-host-compiler=" + testkit.Program(t, "g++")
	dir := t.TempDir()
	t.Chdir(dir)
	testkit.WriteFile(t, "a.cpp", "int main() {}\n")
	testkit.WriteFile(t, "b.cpp", "")
	testkit.WriteFile(t, "o.rsp", "-O1 '-DX=\"<a> b\"'")
	self := testkit.Must(os.Executable())(t)
	for _, test := range []struct{ args, want string }{
		{"-MMD -MF d -c a.cpp -o x.o @o.rsp", "a.cpp x.o: -xc++ a.cpp -o x.o -c -O1 -DX=\"<a> b\""},
		{"-c -x c++ b.cpp a.cpp -Wall", "b.cpp b.o: -xc++ b.cpp -o b.o -c -Wall\na.cpp a.o: -xc++ a.cpp -o a.o -c -Wall"},
		{"a.cpp b.cpp -o prog", "a.cpp prog: -xc++ a.cpp -o prog\nb.cpp prog: -xc++ b.cpp -o prog"},
		{"-fsyntax-only a.cpp", "a.cpp : -xc++ a.cpp -fsyntax-only"},
		{"-S a.cpp", "a.cpp a.s: -xc++ a.cpp -o a.s -S"},
	} {
		var log bytes.Buffer
		if code := run(t.Context(), &cli.Env{Stdout: &log, Stderr: &log}, append([]string{host, "--dpcpp=none", "-MJ", "db.json"}, strings.Fields(test.args)...)); code != 0 {
			t.Fatalf("%s: exit code %d\n%s", test.args, code, log.String())
		}
		var entries []struct {
			Directory, File, Output string
			Arguments               []string
		}
		text := testkit.ReadFile(t, "db.json")
		if err := json.Unmarshal([]byte("["+strings.TrimSuffix(text, ",\n")+"]"), &entries); err != nil {
			t.Fatalf("%s: %v\n%s", test.args, err, text)
		}
		var got []string
		for _, e := range entries {
			if e.Directory != dir || e.Arguments[0] != self {
				t.Errorf("%s: %+v", test.args, e)
			}
			options := slices.DeleteFunc(e.Arguments[1:], func(a string) bool { return a == host || a == "--dpcpp=none" })
			got = append(got, e.File+" "+e.Output+": "+strings.Join(options, " "))
		}
		if got := strings.Join(got, "\n"); got != test.want {
			t.Errorf("%s:\n got %s\nwant %s", test.args, got, test.want)
		}
	}
}
