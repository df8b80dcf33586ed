package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/hostbin"
	"github.com/rules-sycl/rules_sycl/sycl/offload"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
)

// TestWrap checks that a program registers the images of its tables.
func TestWrap(t *testing.T) {
	cc := testkit.Program(t, "cc")
	for _, release := range []string{"2025.3", "2026.0", "2026.2"} {
		t.Run(release, func(t *testing.T) {
			enter(t, split)
			mustRun(t, append([]string{"wrap", "--runtime", release, "--output", "k.s"}, splitTables...)...)
			if out, err := exec.Command(cc, "-shared", "-o", "libk.so", "k.s").CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			f := testkit.Must(hostbin.Open("libk.so"))(t)
			defer f.Close()
			a, b := []string{"__sycl_kernel__ZTS1A"}, []string{"__sycl_kernel__ZTS1C", "__sycl_kernel__ZTS1B"}
			want := []struct {
				file, triple, arch, props string
				kind                      offload.Format
				entries                   []string
			}{
				{"a.ptx", "nvptx64", "", "a.prop", offload.Native, a},
				{"a.spv", "spir64", "", "a.prop", offload.SPIRV, a},
				{"b.spv", "spir64", "", "b.prop", offload.SPIRV, b},
				{"b.dg2", "spir64_gen", "intel_gpu_dg2", "b.prop", offload.Native, b},
				{"a.pvc", "spir64_gen", "intel_gpu_pvc", "a.prop", offload.Native, a},
				{"b.pvc", "spir64_gen", "intel_gpu_pvc", "b.prop", offload.Native, b},
			}
			if len(f.Images) != len(want) {
				t.Fatalf("%d images, want %d", len(f.Images), len(want))
			}
			for i, w := range want {
				img := f.Images[i]
				if data, err := img.Data(); err != nil || !bytes.Equal(data, file(t, w.file)) {
					t.Errorf("image %d is not %s: %q, %v", i, w.file, data, err)
				}
				if img.Triple != w.triple || img.Arch != w.arch || img.Stated != w.kind || !slices.Equal(img.Entries, w.entries) {
					t.Errorf("%s: %+v", w.file, img)
				}
				props := testkit.Must(propset.Parse(w.props, file(t, w.props)))(t)
				if props.Set(propset.KernelNames) == nil {
					for _, name := range w.entries {
						props.Add(propset.KernelNames).Put(name, propset.Uint(1))
					}
				}
				props = requirement.WithCompileTarget(props, w.arch)
				if !img.Properties.Equal(props) {
					t.Errorf("%s has the properties\n%s\nwant\n%s", w.file, img.Properties, props)
				}
			}
		})
	}
}

// TestWrapRelative checks that with --relative, the assembly does not depend on the directory, and
// that the assembler finds the images with -I.
func TestWrapRelative(t *testing.T) {
	cc := testkit.Program(t, "cc")
	enter(t, split)
	var sources [][]byte
	for _, dir := range []string{"one", "two"} {
		testkit.NoError(t, os.MkdirAll(filepath.Join(dir, "out"), 0o777))
		testkit.WriteFile(t, dir+"/a.pvc", file(t, "a.pvc"))
		testkit.WriteFile(t, dir+"/k.table", "[Code]\n"+dir+"/a.pvc\n")
		source := dir + "/out/k.s"
		mustRun(t, "wrap", "--relative", "--output", source, "--table", "spir64_gen=intel_gpu_pvc="+dir+"/k.table")
		sources = append(sources, file(t, source))
		if out, err := exec.Command(cc, "-c", "-I", dir+"/out", "-o", dir+"/k.o", source).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	if !bytes.Equal(sources[0], sources[1]) || !strings.Contains(string(sources[0]), `.incbin "../a.pvc"`) {
		t.Errorf("got\n%s\nand\n%s", sources[0], sources[1])
	}
	testkit.NoError(t, os.MkdirAll("deep/er", 0o777))
	testkit.Link(t, "deep/er", "link")
	testkit.Link(t, "one", "first")
	mustRun(t, "wrap", "--relative", "--output", "link/k.s", "--table", "spir64_gen=intel_gpu_pvc=first/k.table")
	if out, err := exec.Command(cc, "-c", "-I", "link", "-o", "k.o", "link/k.s").CombinedOutput(); err != nil {
		t.Errorf("the output directory is a symbolic link: %v\n%s", err, out)
	}
	where := testkit.Must(filepath.Abs("one/out/k.s"))(t)
	checkRun(t, 2, "use absolute paths for both or for neither", "wrap", "--relative", "--output", where, "--table", "spir64_gen=intel_gpu_pvc=one/k.table")
}

// TestWrapHeaders checks integration headers, which contain the location of each kernel and the
// class that names it. The header of a source without kernels is empty.
func TestWrapHeaders(t *testing.T) {
	enter(t, split)
	header := func(name, symbol string, line int) {
		testkit.WriteFile(t, name, fmt.Sprintf("template <> struct KernelInfo<K> {\n  getName() { return %q; }\n  getFileName() { return \"%s.cpp\"; }\n  getLineNumber() { return %d; }\n};\n", symbol, name, line))
	}
	header("a", "_ZTSZ1fvE1K", 3)
	header("b", "_ZTSZ1gvE1K", 4)
	testkit.WriteFile(t, "none", "")
	wrap := append([]string{"wrap", "--output", "k.s", "--header", "a", "--header", "none"}, splitTables...)
	mustRun(t, wrap...)
	if !bytes.Contains(file(t, "k.s"), []byte("sycl_kernel_is_defined_twice_K:")) {
		t.Errorf("no symbol of K in\n%s", file(t, "k.s"))
	}
	checkRun(t, 3, `the kernel "K" of b.cpp:4 is also defined at a.cpp:3`, append(wrap, "--header", "b")...)
	checkRun(t, 3, "packager: error: a.cpp:3: kernel 'f()::K' has no image for any target, so submitting it would throw an exception; add a target that can run it", append(wrap, "--require-images")...)
	mustRun(t, append([]string{"wrap", "--output", "k.s", "--require-images", "--header", "none"}, splitTables...)...)
}

// TestWrapIsDeterministic checks that the output does not depend on the order of flags or its name.
func TestWrapIsDeterministic(t *testing.T) {
	enter(t, split)
	reversed := slices.Clone(splitTables)
	slices.Reverse(reversed)
	mustRun(t, append([]string{"wrap", "--output=k.s"}, splitTables...)...)
	mustRun(t, append([]string{"wrap", "--output=again.s"}, reversed...)...)
	if !bytes.Equal(file(t, "k.s"), file(t, "again.s")) {
		t.Error("another order of the tables made another source")
	}
}

// TestWrapEmptyImage checks that the empty image of a source without kernels is skipped.
func TestWrapEmptyImage(t *testing.T) {
	enter(t, split, map[string]string{"some.table": "[Code]\nempty.spv\na.pvc\n", "empty.spv": ""})
	code, _, stderr := run(t, "wrap", "--output=k.s", "--table=spir64_gen=intel_gpu_pvc=some.table")
	if code != 0 || !strings.Contains(stderr, "some.table:2: warning: skipping the empty image empty.spv") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	testkit.WriteFile(t, "some.table", []byte("[Code]\nempty.spv\na.pvc\nempty.spv\nempty.spv\n"))
	code, _, stderr = run(t, "wrap", "--output=k.s", "--table=spir64_gen=intel_gpu_pvc=some.table")
	if want := "some.table:2: warning: skipping the empty image empty.spv, which has no kernel names, and 2 more like it\n"; code != 0 || stderr != want {
		t.Errorf("exit code %d, %q; want %q", code, stderr, want)
	}
	if source := string(file(t, "k.s")); strings.Count(source, ".incbin") != 1 || !strings.Contains(source, `.incbin "a.pvc"`) {
		t.Errorf("got\n%s", source)
	}
}

// TestWrapOwnNames checks that the kernels of an image without property and symbol files are read
// from its code, and that the assembly includes images by their paths.
func TestWrapOwnNames(t *testing.T) {
	enter(t, map[string]string{
		"tables/k.spv":   string(spirvModule("_ZTS1K")),
		"tables/k.table": "[Code]\nk.spv\n",
	})
	mustRun(t, "wrap", "--output=k.s", "--table=spir64-unknown-unknown=tables/k.table")
	for _, want := range []string{`.asciz "_ZTS1K"`, `.incbin "tables/k.spv"`, `.asciz "spir64"`} {
		if source := string(file(t, "k.s")); !strings.Contains(source, want) {
			t.Errorf("%s is not in\n%s", want, source)
		}
	}
}

// TestWrapConstants checks the warning about kernels that read specialization constants but have no
// SPIR-V, the only form in which the runtime sets them.
func TestWrapConstants(t *testing.T) {
	const constants = "[SYCL/specialization constants]\nsize=2|gBAAAAAAAAAAAAAAAAAAAQAAAAA\n"
	const warning = "b.pvc: warning: kernel 'C' reads specialization constants, but the program has only native code for it, so the runtime ignores values that the program sets; add spir64 to the targets\n"
	for name, test := range map[string]struct {
		properties string
		tables     []string
		want       string
	}{
		"native code alone":       {constants, []string{"spir64_gen-unknown-unknown=intel_gpu_pvc=pvc.table"}, warning},
		"SPIR-V as well":          {constants, []string{"spir64_gen-unknown-unknown=intel_gpu_pvc=pvc.table", "spir64-unknown-unknown=spir64.table"}, ""},
		"SPIR-V of other kernels": {constants, []string{"spir64_gen-unknown-unknown=intel_gpu_pvc=pvc.table", "spir64-unknown-unknown=other.table"}, warning},
		"no constants":            {"[SYCL/specialization constants]\n", []string{"spir64_gen-unknown-unknown=intel_gpu_pvc=pvc.table"}, ""},
		"one warning a kernel": {constants, []string{"spir64_gen-unknown-unknown=intel_gpu_pvc=pvc.table", "spir64_gen-unknown-unknown=intel_gpu_dg2=dg2.table"},
			strings.Replace(warning, "b.pvc", "b.dg2", 1)},
		"one warning of all kernels": {constants, []string{"spir64_gen-unknown-unknown=intel_gpu_pvc=many.table"},
			"b.pvc: warning: kernel 'C' and 2 more read specialization constants, but the program has only native code for them, so the runtime ignores values that the program sets; add spir64 to the targets\n"},
	} {
		t.Run(name, func(t *testing.T) {
			enter(t, split, map[string]string{"b.prop": split["b.prop"] + test.properties, "other.table": "[Code|Properties|Symbols]\na.spv|a.prop|a.sym\n",
				"many.table": "[Code|Properties|Symbols]\nb.pvc|b.prop|b.sym\na.pvc|b.prop|a.sym\nb.dg2|b.prop|d.sym\n", "d.sym": "__sycl_kernel__ZTS1D\n"})
			args := []string{"wrap", "--output=k.s"}
			for _, table := range test.tables {
				args = append(args, "--table="+table)
			}
			if code, _, stderr := run(t, args...); code != 0 || stderr != test.want {
				t.Errorf("exit code %d, %q; want %q", code, stderr, test.want)
			}
		})
	}
}

// TestWrapVirtualFunctions checks that native images that the runtime would link for any device are
// omitted if the program has SPIR-V images of them.
func TestWrapVirtualFunctions(t *testing.T) {
	const warning = "b.pvc: warning: skipping native images that define or call virtual functions, because the runtime would link them across devices; the runtime compiles the SPIR-V instead\n"
	uses := "[SYCL/virtual functions]\nuses-virtual-functions-set=" + propset.String("set").String() + "\n"
	for name, test := range map[string]struct {
		properties, table string
		want              string
		native            bool
	}{
		"SPIR-V as well":          {uses, "spir64.table", warning, false},
		"SPIR-V of other kernels": {uses, "other.table", "", true},
		"no virtual functions":    {"", "spir64.table", "", true},
	} {
		t.Run(name, func(t *testing.T) {
			enter(t, split, map[string]string{"b.prop": split["b.prop"] + test.properties, "other.table": "[Code|Properties|Symbols]\na.spv|a.prop|a.sym\n"})
			code, _, stderr := run(t, "wrap", "--output=k.s", "--table=spir64_gen-unknown-unknown=intel_gpu_pvc=pvc.table", "--table=spir64-unknown-unknown="+test.table)
			if code != 0 || stderr != test.want {
				t.Errorf("exit code %d, %q; want %q", code, stderr, test.want)
			}
			if got := strings.Contains(testkit.ReadFile(t, "k.s"), "b.pvc"); got != test.native {
				t.Errorf("native code: %v, want %v", got, test.native)
			}
		})
	}
}

func TestWrapRefuses(t *testing.T) {
	files := maps.Clone(split)
	maps.Copy(files, map[string]string{
		"missing.table": "[Code]\nmissing.spv\n",
		"empty.table":   "[Code|Symbols]\nempty.spv|a.sym\n",
		"unnamed.table": "[Code]\nempty.spv\n",
		"empty.spv":     "",
		"names.table":   "[Code|Symbols]\na.ptx|bad.sym\n",
		"bad.sym":       "a\x00b\n",
		"aspect.table":  "[Code|Properties]\na.ptx|aspect.prop\n",
		"aspect.prop":   string(aspectProperty(99)),
	})
	for _, test := range []struct {
		name string
		args string
		code int
		want string
	}{
		{"no output", "--table=t=spir64.table", 2, "--output is required"},
		{"another output", "--output=k.cpp --table=t=spir64.table", 2, "'k.cpp' must end in .s"},
		{"nothing to wrap", "--output=k.s", 2, "nothing to wrap; --table is required"},
		{"an argument", "--output=k.s --table=t=spir64.table x", 2, "unexpected argument 'x'"},
		{"an unknown release", "--output=k.s --runtime=2024 --table=t=spir64.table", 2, "unknown runtime release"},
		{"a table without a target", "--output=k.s --table=spir64.table", 2, "expected TRIPLE[=ARCH]=FILE"},
		{"an empty target", "--output=k.s --table==spir64.table", 3, "spir64.table:2: the table has no target triple"},
		{"a triple without a system", "--output=k.s --table=-unknown=spir64.table", 3, `the target "" is empty`},
		{"a table without rows", "--output=k.s --table=t=nothing.table", 3, "nothing to wrap: all tables are empty. Either no source submits a kernel, or no target can run one; add a kernel or a target"},
		{"a table that is not there", "--output=k.s --table=t=x.table", 3, "x.table"},
		{"a missing image", "--output=k.s --table=t=missing.table", 3, "missing.table:2: missing.spv: file not found"},
		{"an empty image", "--output=k.s --table=t=empty.table", 3, "empty.table:2: the image empty.spv is empty"},
		{"an empty image without names", "--output=k.s --table=t=unnamed.table", 3, "nothing to wrap: all images are empty; check the step that writes them"},
		{"a bad kernel name", "--output=k.s --table=t=names.table", 3, "names.table:2: bad.sym"},
		{"an aspect of other releases", "--output=k.s --runtime=2026.0 --table=t=aspect.table", 3, "the runtime of release 2026.0 does not support aspect"},
	} {
		t.Run(test.name, func(t *testing.T) {
			enter(t, files)
			checkRun(t, test.code, test.want, append([]string{"wrap"}, strings.Fields(test.args)...)...)
			for _, name := range []string{"k.s", "k.cpp"} {
				if _, err := os.Stat(name); !errors.Is(err, os.ErrNotExist) {
					t.Errorf("there is an output %s", name)
				}
			}
		})
	}
}

// TestPackAspectInOtherReleases checks that an aspect that the release does not have is reported as
// invalid input, not as a system error.
func TestPackAspectInOtherReleases(t *testing.T) {
	enter(t, map[string]string{"a.ptx": "//", "aspect.prop": string(aspectProperty(90)), "aspect.table": "[Code|Properties]\na.ptx|aspect.prop\n"})
	for _, args := range []string{"pack --runtime=2026.2 --table=t=aspect.table --output=new.syclbin", "pack --runtime=2026.0 --table=t=aspect.table --output=old.syclbin", "convert --runtime=2026.0 --output=old.syclbin new.syclbin"} {
		want, say := 3, "does not support aspect ext_intel_xe_stack_count"
		if strings.Contains(args, "=2026.2") {
			want, say = 0, ""
		}
		checkRun(t, want, say, strings.Fields(args)...)
	}
}

// aspectProperty returns a property file that requires the aspect with a number.
func aspectProperty(number uint32) []byte {
	r := new(propset.Registry)
	r.Add(propset.DeviceRequirements).Put("aspects", propset.Uint32s(number))
	return []byte(r.String())
}

// TestWrapOptions checks that all conversions between programs and SYCLBINs keep the options for
// the runtime's compiler.
func TestWrapOptions(t *testing.T) {
	cc := testkit.Program(t, "cc")
	options := new(propset.Registry)
	propset.PutJITOptions(options, propset.JITOptions{Compile: "-ze-intel-greater-than-4GB-buffer-required -g", Link: "-l"})
	enter(t, map[string]string{
		"k.table": "[Code|Properties|Symbols]\nk.spv|k.prop|k.sym\n",
		"k.spv":   "\x03\x02\x23\x07 code",
		"k.prop":  "[SYCL/device requirements]\naspects=2|AAAAAAAAAAA\n" + options.String(),
		"k.sym":   "__sycl_kernel_k\n",
	})
	table := "spir64-unknown-unknown=k.table"
	for i := range 2 {
		mustRun(t, "wrap", "--output", "k.s", "--table", table)
		if out, err := exec.Command(cc, "-shared", "-o", "libk.so", "k.s").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		f := testkit.Must(hostbin.Open("libk.so"))(t)
		img := f.Images[0]
		if img.CompileOptions != "-ze-intel-greater-than-4GB-buffer-required -g" || img.LinkOptions != "-l" || img.Properties.Set(propset.JITOptionsSet) != nil {
			t.Errorf("round %d: options %q and %q, properties\n%s", i, img.CompileOptions, img.LinkOptions, img.Properties)
		}
		f.Close()
		code, _, stderr := run(t, "import", "--output=k.syclbin", "libk.so")
		want := `k.syclbin: note: run-time compiler options ("-g" of 1 image, "-l" of 1 image, "-ze-intel-greater-than-4GB-buffer-required" of 1 image) are kept in the set [rules_sycl/options]; the runtime applies them to images in a program, but ignores them in a file that a program loads
`
		if code != 0 || stderr != want {
			t.Errorf("exit code %d\n%s", code, stderr)
		}
		mustRun(t, "convert", "--state=object", "--output=o.syclbin", "k.syclbin")
		mustRun(t, "link", "--output=l.syclbin", "o.syclbin")
		if text := mustRun(t, "dump", "l.syclbin"); !strings.Contains(text, "rules_sycl/options:\n      compile: -ze-intel-greater-than-4GB-buffer-required -g\n      link: -l\n") {
			t.Errorf("no options in\n%s", text)
		}
		mustRun(t, "extract", "--output-dir=out", "l.syclbin")
		tables, err := filepath.Glob("out/*.table")
		if err != nil || len(tables) != 1 {
			t.Fatalf("tables %q, %v", tables, err)
		}
		table = "spir64-unknown-unknown=" + tables[0]
	}
}

// TestWrapAddsOptions checks that options of the command line are added to SPIR-V images only,
// after the image's own options.
func TestWrapAddsOptions(t *testing.T) {
	cc := testkit.Program(t, "cc")
	own := new(propset.Registry)
	propset.PutJITOptions(own, propset.JITOptions{Compile: "-own", Link: "-l"})
	enter(t, split)
	testkit.WriteFile(t, "a.prop", string(file(t, "a.prop"))+own.String())
	mustRun(t, append([]string{"wrap", "--output", "k.s", "--option=-a", "--option=-b c"}, splitTables...)...)
	if out, err := exec.Command(cc, "-shared", "-o", "libk.so", "k.s").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	f := testkit.Must(hostbin.Open("libk.so"))(t)
	defer f.Close()
	var got []string
	for _, img := range f.Images {
		got = append(got, fmt.Sprintf("%s %q %q", img.Triple, img.CompileOptions, img.LinkOptions))
	}
	want := []string{
		`nvptx64 "-own" "-l"`,
		`spir64 "-own -a -b c" "-l"`,
		`spir64 "-a -b c" ""`,
		`spir64_gen "" ""`,
		`spir64_gen "-own" "-l"`,
		`spir64_gen "" ""`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
