package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
)

// widthProperties returns the property sets of a kernel with the constant width, which has the
// given number.
func widthProperties(kernel string, number uint32, value byte) string {
	r := new(propset.Registry)
	r.Add(propset.KernelNames).Put(kernel, propset.Uint(1))
	propset.PutSpecConstants(r, []propset.SpecConstant{{Name: "_Z5width", Records: []propset.SpecRecord{{ID: number, Size: 4}}, Default: []byte{value, 0, 0, 0}}})
	return r.String()
}

func widthModule(kernel string, number uint32, value uint64) string {
	return string(testkit.SPIRV(kernel, testkit.SPIRVConstant{ID: number, Type: testkit.I32, Bits: value}))
}

// TestSpecialize sets a constant that has different numbers in two sources. One source has an image
// without the constant. There is no copy of an image with the default values.
func TestSpecialize(t *testing.T) {
	t.Chdir(t.TempDir())
	copied := widthProperties("A", 0, 8) + "[SYCL/misc properties]\nspecConstsReplacedWithDefault=1|1\n"
	for name, text := range map[string]string{
		"a.table":  "[Code|Properties|Symbols]\nin/a.spv|in/a.prop|in/a.sym\nin/copy.spv|in/copy.prop|in/a.sym\nin/empty.spv|in/empty.prop|in/empty.sym\n",
		"in/a.spv": widthModule("A", 0, 8), "in/a.prop": widthProperties("A", 0, 8), "in/a.sym": "A\n",
		"in/copy.spv": widthModule("A", 7, 8), "in/copy.prop": copied,
		"in/empty.spv": "", "in/empty.prop": "", "in/empty.sym": "",
		"b.table":  "[Code|Properties|Symbols]\nin/b.spv|in/b.prop|in/b.sym\nin/c.spv||\n",
		"in/b.spv": widthModule("B", 5, 8), "in/b.prop": widthProperties("B", 5, 8), "in/b.sym": "B\n",
		"in/c.spv": widthModule("C", 0, 8),
	} {
		testkit.NoError(t, os.MkdirAll("in", 0o777))
		testkit.WriteFile(t, name, text)
	}
	args := []string{"specialize", "--label=//app:kernels", "--code-dir=a", "--properties-dir=ap", "--table=a.new.table", "--code-dir=b", "--properties-dir=bp", "--table=b.new.table", "a.table", "b.table"}
	mustRun(t, append(args, "--set=width=16")...)
	for name, want := range map[string]string{
		"a.new.table": "[Code|Properties|Symbols]\na/a.spv|ap/a.prop|ap/a.sym\na/empty.spv|ap/empty.prop|ap/empty.sym\n",
		"b.new.table": "[Code|Properties|Symbols]\nb/b.spv|bp/b.prop|bp/b.sym\nb/c.spv|bp/c.prop|bp/c.sym\n",
		"a/a.spv":     widthModule("A", 0, 16), "ap/a.prop": widthProperties("A", 0, 16), "ap/a.sym": "A\n", "a/empty.spv": "",
		"b/b.spv": widthModule("B", 5, 16), "bp/b.prop": widthProperties("B", 5, 16), "bp/b.sym": "B\n",
		"b/c.spv": widthModule("C", 0, 8), "bp/c.prop": "", "bp/c.sym": "", // no properties
	} {
		if got := testkit.ReadFile(t, name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	if _, err := os.Stat("a/copy.spv"); err == nil {
		t.Error("the copy with the default values is still there")
	}
	testkit.WriteFile(t, "lost.table", "[Code|Properties|Symbols]\ngone.spv|in/a.prop|in/a.sym\n")
	for _, test := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--set=with=1"}, 2, "devicec: error: //app:kernels: attribute specialize: with=1: unknown constant; did you mean width?"},
		{[]string{"--set=width=wide"}, 2, `//app:kernels: attribute specialize: width=wide: "wide" is not an integer`},
		{nil, 2, "--set is required"},
		{[]string{"--set=width=1", "--code-dir=l", "--properties-dir=lp", "--table=l.new.table", "lost.table"}, 3, "lost.table: gone.spv: "},
		{[]string{"--set=width=1", "c.table"}, 2, "required once for each of the 3 inputs"},
	} {
		checkRun(t, test.code, test.want, append(args, test.args...)...)
	}
	for _, test := range []struct {
		dirs  [4]string // output directories of the first and the second table
		taken string    // the directory in conflict, "" if there is none
	}{
		{[4]string{"c", "p", "c", "q"}, "c"},
		{[4]string{"c", "p", "d", "./p"}, "p"},
		{[4]string{"c", "p", "p", "q"}, "p"},
		{[4]string{"c", "c", "d", "./d"}, ""},
	} {
		f := test.dirs
		code, stderr := run(t, "specialize", "--set=width=1", "--code-dir="+f[0], "--properties-dir="+f[1], "--table=1.table", "--code-dir="+f[2], "--properties-dir="+f[3], "--table=2.table", "a.table", "b.table")
		_, err := os.Stat("1.table")
		if test.taken == "" && (code != 0 || err != nil) || test.taken != "" && (code != 2 || err == nil || !strings.Contains(stderr, "'"+test.taken+"' is used for two outputs")) {
			t.Errorf("%q: exit %d: %s, %v", f, code, stderr, err)
		}
	}
	// If a table cannot be written, all outputs stay unchanged.
	code, stderr := run(t, "specialize", "--set=width=1", "--code-dir=a", "--properties-dir=ap", "--table=a.new.table", "--code-dir=e", "--properties-dir=ep", "--table=gone/e.table", "a.table", "b.table")
	if code != 4 || !strings.Contains(stderr, "gone/e.table") || testkit.ReadFile(t, "a/a.spv") != widthModule("A", 0, 16) {
		t.Errorf("exit %d: %s", code, stderr)
	}
	testkit.WriteFile(t, "in/b.prop", widthProperties("B", 5, 9))
	code, stderr = run(t, append(args, "--set=width=1")...)
	if want := "//app:kernels: attribute specialize: in/b.spv: the specialization constant 'width' has a different default value than in in/a.spv"; code != 3 || !strings.Contains(stderr, want) {
		t.Errorf("exit %d: %s", code, stderr)
	}
	testkit.WriteFile(t, "in/b.prop", fmt.Sprintf("[%s]\nwidth=1|4\n", propset.SpecializationConstants))
	checkRun(t, 3, "in/b.spv: [SYCL/specialization constants] width: the value is a 32-bit number", append(args, "--set=width=1")...)
}

// TestSpecializeMappedPaths reads a table whose file names contain the configuration, although
// Bazel has removed it from the paths.
func TestSpecializeMappedPaths(t *testing.T) {
	t.Chdir(t.TempDir())
	const bin = "bazel-out/cfg/bin/"
	testkit.NoError(t, os.MkdirAll(bin+"in", 0o777))
	testkit.WriteFile(t, bin+"a.table", strings.ReplaceAll("[Code|Properties|Symbols]\nBIN/in/a.spv|BIN/in/a.prop|BIN/in/a.sym\n", "BIN", "bazel-out/k8-opt/bin"))
	testkit.WriteFile(t, bin+"in/a.spv", widthModule("A", 0, 8))
	testkit.WriteFile(t, bin+"in/a.prop", widthProperties("A", 0, 8))
	testkit.WriteFile(t, bin+"in/a.sym", "A\n")
	mustRun(t, "specialize", "--label=//app:kernels", "--code-dir=a", "--properties-dir=ap", "--table=new.table", bin+"a.table", "--set=width=16")
	if got := testkit.ReadFile(t, "a/a.spv") + testkit.ReadFile(t, "ap/a.sym"); got != widthModule("A", 0, 16)+"A\n" {
		t.Errorf("got %q", got)
	}
}
