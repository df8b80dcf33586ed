package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/outfile"
	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

// run runs the tool in the current directory.
var run = testkit.Tool(func() *cli.Tool { return tool(nil, nil) }).Exit

func TestAot(t *testing.T) {
	t.Chdir(t.TempDir())
	testkit.WriteFile(t, "k.spv", "spirv")
	ocloc := testkit.Script(t, "ocloc", `for last; do :; done; echo native > "$last"`)

	testkit.WriteFile(t, "l.spv", "spirv")
	testkit.WriteFile(t, "two.table", "[Code|Properties|Symbols]\nk.spv|k.prop|k.sym\nl.spv|l.prop|l.sym\n")
	if code, stderr := run(t, "--ocloc", ocloc, "--device", "pvc", "--code-dir", "bin", "--output", "out.table", "two.table"); code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	if got := testkit.ReadFile(t, "bin/k.bin") + testkit.ReadFile(t, "bin/l.bin"); got != "native\nnative\n" {
		t.Errorf("images: %q", got)
	}
	if got := testkit.ReadFile(t, "out.table"); got != "[Code|Properties|Symbols]\nbin/k.bin|k.prop|k.sym\nbin/l.bin|l.prop|l.sym\n" {
		t.Errorf("table: %q", got)
	}
	if got := testkit.ReadFile(t, "ocloc.calls"); !strings.Contains(got, "-spirv_input -device pvc -file k.spv") {
		t.Errorf("ocloc was called with %q", got)
	}

	if code, stderr := run(t, "--ocloc", ocloc, "--device", "pvc", "--library", "--code-dir", "bin", "--output", "out.table", "two.table"); code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	if got := testkit.ReadFile(t, "ocloc.calls"); !strings.Contains(got, "-device pvc -options -library-compilation -file") || strings.Count(got, "-options") != 2 {
		t.Errorf("ocloc was called with %q", got)
	}

	// All options are one argument: the options of ocloc's compiler are text that it splits
	// itself.
	os.Remove("ocloc.calls")
	if code, stderr := run(t, "--ocloc", ocloc, "--device", "pvc", "--library", "--option=-a", "--option=-b 'c d'", "--code-dir", "bin", "--output", "out.table", "two.table"); code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	if got := testkit.ReadFile(t, "ocloc.calls"); strings.Count(got, "-device pvc -options -a -b 'c d' -library-compilation -file") != 2 {
		t.Errorf("ocloc was called with %q", got)
	}

	// Modules that the filter dropped: both outputs exist, and ocloc was not run.
	os.Remove("ocloc.calls")
	testkit.WriteFile(t, "none.table", "[Code|Properties|Symbols]\n")
	if code, stderr := run(t, "--ocloc", ocloc, "--device", "pvc", "--code-dir", "none", "--output", "none.out.table", "none.table"); code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	if got := testkit.ReadFile(t, "none.out.table"); got != "[Code|Properties|Symbols]\n" {
		t.Errorf("table: %q", got)
	}
	if files, err := os.ReadDir("none"); err != nil || len(files) > 0 {
		t.Errorf("images: %v, %v", files, err)
	}
	if _, err := os.Stat("ocloc.calls"); err == nil {
		t.Error("ocloc was run for a table without rows")
	}
}

// TestAotSameDevices checks that a module is compiled once for devices that ocloc does not
// distinguish.
func TestAotSameDevices(t *testing.T) {
	t.Chdir(t.TempDir())
	ocloc := testkit.Script(t, "ocloc", `if [ "$1" = ids ]; then
  case $2 in dg2|acm-g10) echo 12.55.8;; *) echo $2;; esac
else
  for last; do :; done; echo native > "$last"
fi`)
	for _, name := range []string{"k", "l", "m"} {
		testkit.WriteFile(t, name+".spv", "spirv")
	}
	testkit.WriteFile(t, "dg2.table", "[Code]\nk.spv\nl.spv\n")
	testkit.WriteFile(t, "acm.table", "[Code]\nl.spv\nm.spv\n") // with other facts it may take others
	testkit.WriteFile(t, "pvc.table", "[Code]\nl.spv\n")
	args := []string{"--ocloc", ocloc, "--code-dir", "bin"}
	for _, device := range []string{"dg2", "acm-g10", "pvc"} {
		args = append(args, "--device", device, "--output", device+".out")
	}
	if code, stderr := run(t, append(args, "dg2.table", "acm.table", "pvc.table")...); code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	for name, want := range map[string]string{
		"dg2.out":     "[Code]\nbin/k.bin\nbin/l.bin\n",
		"acm-g10.out": "[Code]\nbin/l.bin\nbin/m.bin\n",
		"pvc.out":     "[Code]\nbin/l.pvc.bin\n",
	} {
		if got := testkit.ReadFile(t, name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if got := strings.Count(testkit.ReadFile(t, "ocloc.calls"), "compile "); got != 4 {
		t.Errorf("%d modules were compiled, want 4", got)
	}
	if got := testkit.ReadFile(t, "bin/l.pvc.bin"); got != "native\n" {
		t.Errorf("image: %q", got)
	}
}

// TestAotDevicesWithoutNumbers checks that devices without an answer from ocloc count as
// different.
func TestAotDevicesWithoutNumbers(t *testing.T) {
	t.Chdir(t.TempDir())
	ocloc := testkit.Script(t, "ocloc", `if [ "$1" != ids ]; then for last; do :; done; echo native > "$last"; fi`)
	testkit.WriteFile(t, "k.spv", "spirv")
	testkit.WriteFile(t, "k.table", "[Code]\nk.spv\n")
	args := []string{"--ocloc", ocloc, "--code-dir", "bin", "--device", "dg2", "--output", "dg2.out", "--output", "pvc.out"}
	if code, stderr := run(t, append(args, "--device", "pvc", "k.table", "k.table")...); code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	if got := strings.Count(testkit.ReadFile(t, "ocloc.calls"), "compile "); got != 2 {
		t.Errorf("%d modules were compiled, want 2", got)
	}
	if code, stderr := run(t, append(args, "--device", "", "k.table", "k.table")...); code != cli.ExitUsage || !strings.Contains(stderr, "--device and --output cannot be empty") {
		t.Errorf("an empty device: exit %d: %s", code, stderr)
	}
}

// TestSkipRejected checks that an image that ocloc rejects is omitted from the table, also for the
// other GPUs of the family, and that other failures are still errors.
func TestSkipRejected(t *testing.T) {
	t.Chdir(t.TempDir())
	ocloc := testkit.Script(t, "ocloc", `case "$*" in
*bad.spv*) echo 'Compilation from IR'; echo "error: in kernel 'k': not supported"; exit 245 ;;
*killed.spv*) kill -9 $$ ;;
esac
for last; do :; done; echo native > "$last"`)
	for _, name := range []string{"good", "bad", "killed"} {
		testkit.WriteFile(t, name+".spv", "spirv "+name)
	}
	testkit.WriteFile(t, "k.table", "[Code|Symbols]\nbad.spv|b.sym\ngood.spv|g.sym\n")
	args := []string{"--ocloc", ocloc, "--share=off", "--code-dir", "bin", "--device", "pvc", "--output", "pvc.out"}
	if code, stderr := run(t, append(args, "k.table")...); code != cli.ExitBadInput {
		t.Errorf("by default: exit %d: %s", code, stderr)
	}
	args = append(args, "--skip-rejected-images")
	code, stderr := run(t, append(args, "--device", "acm-g10", "--output", "acm.out", "k.table", "k.table")...)
	if code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	for _, device := range []string{"pvc", "acm-g10"} {
		want := "warning: k.table: omitting bad.spv for " + device + ", because ocloc rejects it: error: in kernel 'k': not supported; please report this, with the module, at https://"
		if !strings.Contains(stderr, want) {
			t.Errorf("got %q, want %q", stderr, want)
		}
	}
	for name, want := range map[string]string{
		"pvc.out": "[Code|Symbols]\nbin/good.bin|g.sym\n",
		"acm.out": "[Code|Symbols]\nbin/good.acm-g10.bin|g.sym\n",
	} {
		if got := testkit.ReadFile(t, name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if files, _ := filepath.Glob("bin/*"); len(files) != 2 {
		t.Errorf("images: %q", files)
	}
	testkit.WriteFile(t, "killed.table", "[Code|Symbols]\nkilled.spv|k.sym\n")
	if code, stderr := run(t, append(args, "killed.table")...); code != cli.ExitFailure {
		t.Errorf("a killed compiler: exit %d: %s", code, stderr)
	}
}

func TestAotFailures(t *testing.T) {
	t.Chdir(t.TempDir())
	testkit.WriteFile(t, "k.spv", "spirv")
	testkit.NoError(t, os.Mkdir("bin", 0o755))
	testkit.WriteFile(t, "bin/k.bin", "old")
	testkit.WriteFile(t, "one.table", "[Code]\nk.spv\n")
	testkit.WriteFile(t, "two.table", "[Code]\nk.spv\nk.spv\n")
	testkit.WriteFile(t, "other.table", "[Code]\nother/k.spv\n")
	testkit.WriteFile(t, "odd.table", "[Properties]\nk.prop\n")
	testkit.WriteFile(t, "lost.table", "[Code]\nlost.spv\n")
	refuse := testkit.Script(t, "refuse", "echo 'error: Double type is not supported on this platform.'; exit 245")
	silent := testkit.Script(t, "silent", "exit 0")
	killed := testkit.Script(t, "killed", "kill -9 $$")
	image := testkit.Script(t, "image", `for last; do :; done; echo native > "$last"`)
	for name, test := range map[string]struct {
		args []string
		code int
		want string
	}{
		"the compiler says no":              {[]string{"--ocloc", refuse, "one.table"}, cli.ExitBadInput, "refuse failed with exit code 245:\nerror: Double type"},
		"the compiler writes nothing":       {[]string{"--ocloc", silent, "one.table"}, cli.ExitFailure, "wrote no image for pvc"},
		"the compiler is killed":            {[]string{"--ocloc", killed, "one.table"}, cli.ExitFailure, "killed was terminated by signal: killed\nnote: the program has a bug or ran out of memory"},
		"there is no compiler":              {[]string{"--ocloc", "/nonexistent/ocloc", "one.table"}, cli.ExitFailure, "cannot run /nonexistent/ocloc"},
		"two modules of one name":           {[]string{"--ocloc", silent, "two.table"}, cli.ExitBadInput, "two.table: duplicate module name k"},
		"no column Code":                    {[]string{"--ocloc", silent, "odd.table"}, cli.ExitBadInput, "no column Code"},
		"a row whose file is not there":     {[]string{"--ocloc", silent, "lost.table"}, cli.ExitBadInput, "lost.table: lost.spv: "},
		"no table":                          {[]string{"--ocloc", silent}, cli.ExitUsage, "no input tables"},
		"two tables for a device":           {[]string{"--ocloc", silent, "one.table", "two.table"}, cli.ExitUsage, "once for each of the 2 inputs, got 1 and 1"},
		"a device that ocloc does not know": {[]string{"--ocloc", refuse, "--device", "pvv", "--output", "p.table", "one.table", "one.table"}, cli.ExitBadInput, "refuse failed with exit code 245"},
		"two modules of two tables":         {[]string{"--ocloc", silent, "--device", "pvc", "--output", "p.table", "one.table", "other.table"}, cli.ExitBadInput, "other.table: two images would be written to bin/k.bin; rename module k"},
		"two outputs of one name":           {[]string{"--ocloc", image, "--device", "dg2", "--output", "./o.table", "one.table", "one.table"}, cli.ExitUsage, "'./o.table' is used for two outputs"},
		"a flag is missing":                 {[]string{"one.table"}, cli.ExitUsage, "--ocloc is required"},
	} {
		t.Run(name, func(t *testing.T) {
			code, stderr := run(t, append([]string{"--device", "pvc", "--code-dir", "bin", "--output", "o.table"}, test.args...)...)
			if code != test.code || !strings.Contains(stderr, test.want) {
				t.Errorf("exit %d, %q; want %d, %q", code, stderr, test.code, test.want)
			}
			if got := testkit.ReadFile(t, "bin/k.bin"); got != "old" {
				t.Errorf("the old image is gone: %q", got)
			}
			if left, _ := filepath.Glob(outfile.ScratchPrefix + "*"); len(left) > 0 {
				t.Errorf("temporary files are left: %q", left)
			}
		})
	}
}

func TestBadInputs(t *testing.T) {
	t.Chdir(t.TempDir())
	testkit.BadInputs(t, func() *cli.Tool { return tool(nil, nil) }, []string{"--ocloc=x --device=pvc --code-dir=c --output=o INPUT"})
}
