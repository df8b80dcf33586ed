package main

import (
	"encoding/binary"
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/spirv"
)

// module returns SPIR-V with a kernel that calls the imported functions. If the name is "", there
// is no kernel.
func module(kernel string, imports ...string) string { return code(kernel, true, imports...) }

// exporting returns SPIR-V with an exported function.
func exporting(function string) string { return code(function, false) }

func code(name string, kernel bool, imports ...string) string {
	words := []uint32{0x07230203, 0x00010400, 0, 100, 0}
	inst := func(op uint32, operands ...uint32) {
		words = append(words, uint32(len(operands)+1)<<16|op)
		words = append(words, operands...)
	}
	text := func(s string) []uint32 {
		data := append([]byte(s), make([]byte, 4-len(s)%4)...)
		list := make([]uint32, len(data)/4)
		for i := range list {
			list[i] = binary.LittleEndian.Uint32(data[4*i:])
		}
		return list
	}
	const void, function, entry, label, first = 1, 2, 3, 4, 10
	for _, capability := range []uint32{4, 5, 6} { // Addresses, Linkage, Kernel
		inst(17, capability)
	}
	inst(14, 2, 2) // OpMemoryModel Physical64 OpenCL
	if name != "" && kernel {
		inst(15, append([]uint32{6, entry}, text(name)...)...)
	} else if name != "" {
		inst(71, append(append([]uint32{entry, 41}, text(name)...), 0)...) // LinkageAttributes Export
	}
	for i, name := range imports {
		inst(71, append(append([]uint32{first + uint32(i), 41}, text(name)...), 1)...) // LinkageAttributes Import
	}
	inst(19, void)
	inst(33, function, void)
	for i := range imports {
		inst(54, void, first+uint32(i), 0, function)
		inst(56)
	}
	if name != "" {
		inst(54, void, entry, 0, function)
		inst(248, label)
		for i := range imports {
			inst(57, void, first+20+uint32(i), first+uint32(i))
		}
		inst(253)
		inst(56)
	}
	var data []byte
	for _, w := range words {
		data = binary.LittleEndian.AppendUint32(data, w)
	}
	return string(data)
}

// driver returns a fake driver whose post-link step outputs the given files.
func driver(t *testing.T, files map[string]string) string {
	t.Helper()
	testkit.NoError(t, os.MkdirAll("made", 0o755))
	for name, text := range files {
		testkit.WriteFile(t, "made/"+name, text)
	}
	return testkit.Script(t, "driver", `test "$1 $2 $3 $4" = "post-link --library lib.so --output-dir" && cp made/* "$5"`)
}

const (
	kernelProperties  = "[SYCL/device requirements]\naspects=2|AAAAAAAAAAA\n[SYCL/kernel param opt]\n[SYCL/kernel names]\n_ZTS1L=1|1\n_ZTS1K=1|1\n"
	kernelDigest      = "[rules_sycl/kernel digests]\n_ZTS1K=1|4109509494\n" // of the SPIR-V that module returns
	libraryProperties = "[SYCL/exported symbols]\n__devicelib_f=1|1\n[SYCL/devicelib metadata]\nbfloat16=1|0\n"
	virtualProperties = "[SYCL/virtual functions]\nvirtual-functions-set=2|oAAAAAAAAAwXaR1U2B\n"
	emptyProperties   = "[SYCL/device requirements]\naspects=2|AAAAAAAAAAA\n[SYCL/kernel param opt]\n"
)

// dpcppOutput returns DPC++'s output for a source: an empty image, an image with kernels, and an
// image of its device library.
func dpcppOutput() map[string]string {
	return map[string]string{
		"images.table": "[Code|Properties|Symbols]\n0.spv|0.prop|0.sym\n1.spv|1.prop|1.sym\n2.spv|2.prop|2.sym\n",
		"0.spv":        module(""), "0.prop": emptyProperties, "0.sym": "",
		"1.spv": module("_ZTS1K", "__devicelib_f"), "1.prop": kernelProperties, "1.sym": "_ZTS1L\n_ZTS1K\n",
		"2.spv": module(""), "2.prop": libraryProperties, "2.sym": "",
	}
}

func images(t *testing.T, args ...string) (int, string) {
	t.Helper()
	return run(t, append([]string{"images", "--driver", "./driver", "--library", "lib.so", "--code-dir", "spv", "--properties-dir", "prop", "--table", "k.table"}, args...)...)
}

func TestImages(t *testing.T) {
	t.Chdir(t.TempDir())
	testkit.WriteFile(t, "k.bc", "bitcode")
	driver(t, dpcppOutput())
	if code, stderr := images(t, "k.bc"); code != 0 || stderr != "" {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	if got := testkit.ReadFile(t, "k.table"); got != "[Code|Properties|Symbols]\nspv/0.spv|prop/0.prop|prop/0.sym\nspv/1.spv|prop/1.prop|prop/1.sym\n" {
		t.Errorf("table: %q", got)
	}
	for name, want := range map[string]string{
		"spv/0.spv": module("_ZTS1K", "__devicelib_f"), "prop/0.prop": kernelProperties + kernelDigest, "prop/0.sym": "_ZTS1L\n_ZTS1K\n",
		"spv/1.spv": module(""), "prop/1.prop": libraryProperties, "prop/1.sym": "",
	} {
		if got := testkit.ReadFile(t, name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	if code, stderr := images(t, "--split", "per_kernel", "--allow-device-image-dependencies", "k.bc"); code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	calls := strings.Split(testkit.ReadFile(t, "driver.calls"), "\n")
	for i, want := range []string{"k.bc -- -fsycl-device-code-split=auto", "k.bc -- -fsycl-device-code-split=per_kernel -fsycl-allow-device-image-dependencies"} {
		if !strings.HasSuffix(calls[i], want) {
			t.Errorf("the driver was called with %q, want %q", calls[i], want)
		}
	}
}

// TestEmptyImages checks that a source without kernels has no images.
func TestEmptyImages(t *testing.T) {
	t.Chdir(t.TempDir())
	testkit.WriteFile(t, "k.bc", "bitcode")
	driver(t, map[string]string{"images.table": "[Code|Properties|Symbols]\n0.spv|0.prop|0.sym\n", "0.spv": module(""), "0.prop": emptyProperties, "0.sym": ""})
	if code, stderr := images(t, "k.bc"); code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	if got := testkit.ReadFile(t, "k.table"); got != "[Code|Properties|Symbols]\n" {
		t.Errorf("table: %q", got)
	}
	for _, dir := range []string{"spv", "prop"} {
		if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
			t.Errorf("%s: %v, %v", dir, files, err)
		}
	}
}

// TestUndefined checks that a function without a definition is an error unless it is allowed.
func TestUndefined(t *testing.T) {
	t.Chdir(t.TempDir())
	testkit.WriteFile(t, "k.bc", "bitcode")
	files := dpcppOutput()
	files["1.spv"] = module("_ZTS6Kernel", "_Z3fard", "_Z4nearf")
	driver(t, files)
	code, stderr := images(t, "k.bc")
	const fix = " define it in the same source or in a header that it includes; to use definitions in other sources, set rdc = True on this target, and on the sycl_cc_library in deps that contains them"
	want := "devicec: error: k.bc: undefined device function 'far(double)', used by kernel 'Kernel';" + fix + "\n" +
		"k.bc: undefined device function 'near(float)', used by kernel 'Kernel';" + fix + "\n"
	if code != cli.ExitBadInput || stderr != want {
		t.Errorf("exit %d:\n%swant\n%s", code, stderr, want)
	}
	if code, stderr := images(t, "--allow-device-image-dependencies", "k.bc"); code != 0 {
		t.Errorf("exit %d: %s", code, stderr)
	}

	// There is one function per type, too many to list in the message.
	testkit.WriteFile(t, "made/1.spv", module("_ZTS6Kernel", "_Z37__sycl_getScalar2020SpecConstantValueIfET_PKcPKvS4_", "_Z37__sycl_getScalar2020SpecConstantValueIiET_PKcPKvS4_"))
	code, stderr = images(t, "--allow-device-image-dependencies", "k.bc")
	want = "devicec: error: k.bc: kernel 'Kernel' reads a specialization constant, which DPC++'s own post-link step in libsycl-jit does not lower. Set post_link = \"rules_sycl\" in its BUILD file\n"
	if code != cli.ExitBadInput || stderr != want {
		t.Errorf("exit %d:\n%swant\n%s", code, stderr, want)
	}
}

// TestVirtualFunctions checks that kernels may use functions of other images only if they are
// virtual, because the runtime links those.
func TestVirtualFunctions(t *testing.T) {
	t.Chdir(t.TempDir())
	testkit.WriteFile(t, "k.bc", "bitcode")
	files := map[string]string{
		"images.table": "[Code|Properties|Symbols]\n0.spv|0.prop|0.sym\n1.spv|1.prop|1.sym\n",
		"0.spv":        exporting("_ZN5Shape4areaEv"), "0.prop": virtualProperties, "0.sym": "_ZN5Shape4areaEv\n",
		"1.spv": module("_ZTS1K", "_ZN5Shape4areaEv"), "1.prop": kernelProperties, "1.sym": "_ZTS1K\n",
	}
	driver(t, files)
	if code, stderr := images(t, "k.bc"); code != 0 || stderr != "" {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	if got := testkit.ReadFile(t, "prop/0.sym"); got != files["0.sym"] {
		t.Errorf("symbols: %q", got)
	}
	testkit.WriteFile(t, "made/0.prop", "[SYCL/exported symbols]\n_ZN5Shape4areaEv=1|1\n")
	if code, stderr := images(t, "k.bc"); code != cli.ExitBadInput || !strings.Contains(stderr, "undefined device function 'Shape::area()'") {
		t.Errorf("exit %d: %s", code, stderr)
	}

	// The symbol file of a translated module lists its virtual functions, but not its exported
	// functions.
	testkit.WriteFile(t, "made/images.table", "[Code|Properties|Symbols]\n0.spv|0.prop|0.sym\n")
	for properties, want := range map[string]string{virtualProperties: "_ZN5Shape4areaEv\n", "[SYCL/exported symbols]\n_ZN5Shape4areaEv=1|1\n": ""} {
		testkit.WriteFile(t, "k.table", "[Code|Properties]\nk.bc|k.prop\n")
		testkit.WriteFile(t, "k.prop", properties)
		mustRun(t, "translate", "--driver", "./driver", "--library", "lib.so", "--code-dir", "spv", "--properties-dir", "prop", "--table", "out.table", "k.table")
		if got := testkit.ReadFile(t, "prop/k.sym"); got != want {
			t.Errorf("symbols %q, want %q of\n%s", got, want, properties)
		}
	}
}

// TestImagesFailures checks that errors are reported and that the outputs stay unchanged.
func TestImagesFailures(t *testing.T) {
	for name, test := range map[string]struct {
		files    map[string]string // replace the files of made
		commands string            // the driver runs them instead of writing files
		args     []string
		code     int
		want     string
	}{
		"bad input":        {commands: `echo "k.bc: error: no bitcode" >&2; echo "note: as this" >&2; exit 3`, code: 3, want: "devicec: error: k.bc: no bitcode\nnote: as this\n"},
		"a refusal":        {commands: `echo "error: no" >&2; exit 1`, code: 3, want: "devicec: error: no\n"},
		"several errors":   {commands: `echo "a:1:1: error: no" >&2; echo "a:2:1: error: no" >&2; exit 1`, code: 3, want: "a:1:1: error: no\na:2:1: error: no\n"},
		"a crash":          {commands: `echo "k.bc: error: it ended by signal 11" >&2; exit 4`, code: 4, want: "devicec: error: k.bc: it ended by signal 11\n"},
		"silence":          {commands: "exit 5", code: 3, want: "driver failed with exit code 5"},
		"no results":       {commands: "exit 0", code: 3, want: "images.table: no such file"},
		"no columns":       {files: map[string]string{"images.table": "[Code]\n0.spv\n"}, code: 3, want: "Properties"},
		"a place":          {files: map[string]string{"images.table": "[Code|Properties|Symbols]\n../0.spv|0.prop|0.sym\n"}, code: 3, want: "k.bc: image 0: '../0.spv' is not a file next to the table"},
		"a lost file":      {files: map[string]string{"images.table": "[Code|Properties|Symbols]\n9.spv|0.prop|0.sym\n"}, code: 3, want: "9.spv: no such file"},
		"no SPIR-V":        {files: map[string]string{"1.spv": "SPIR-V"}, code: 3, want: "k.bc: image 1: not a usable SPIR-V module: "},
		"empty SPIR-V":     {files: map[string]string{"1.spv": ""}, code: 3, want: "k.bc: image 1: not a usable SPIR-V module: "},
		"odd properties":   {files: map[string]string{"1.prop": "[a]\nb=3|1\n"}, code: 3, want: "k.bc: image 1:2: [a] b: "},
		"no driver":        {args: []string{"--driver", "/nonexistent"}, code: 4, want: "cannot run /nonexistent"},
		"unknown mode":     {args: []string{"--split", "kernel"}, code: 2, want: "--split: unknown mode 'kernel'; expected one of auto, per_source, per_kernel, off"},
		"without a driver": {args: []string{"--driver", ""}, code: 2, want: "--driver is required"},
		"no library":       {args: []string{"--library", ""}, code: 2, want: "--library is required"},
		"no table":         {args: []string{"--table", ""}, code: 2, want: "--table is required"},
		"two inputs":       {args: []string{"l.bc"}, code: 2, want: "expected one input file, got 2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			testkit.WriteFile(t, "k.bc", "bitcode")
			files := dpcppOutput()
			maps.Copy(files, test.files)
			driver(t, files)
			if test.commands != "" {
				testkit.Script(t, "driver", test.commands)
			}
			testkit.WriteFile(t, "k.table", "old")
			code, stderr := images(t, append(test.args, "k.bc")...)
			if code != test.code || !strings.Contains(stderr, test.want) {
				t.Errorf("exit %d: %swant %d: %s", code, stderr, test.code, test.want)
			}
			if got := testkit.ReadFile(t, "k.table"); got != "old" {
				t.Errorf("the table is %q", got)
			}
			for _, dir := range []string{"spv", "prop"} {
				if _, err := os.Stat(dir); err == nil {
					t.Errorf("%s is there", dir)
				}
			}
		})
	}
}

// TestTranslateKeepsModules checks that a module with the name of a device library file is kept.
func TestTranslateKeepsModules(t *testing.T) {
	t.Chdir(t.TempDir())
	driver(t, dpcppOutput())
	testkit.WriteFile(t, "made/images.table", "[Code|Properties|Symbols]\n1.spv|1.prop|1.sym\n2.spv|2.prop|2.sym\n")
	testkit.WriteFile(t, "devicelib0.bc", "bitcode")
	mustRun(t, "translate", "--driver", "./driver", "--library", "lib.so", "--code-dir", "spv", "--properties-dir", "prop", "--table", "out.table", "devicelib0.bc")
	want := "[Code|Properties|Symbols]\nspv/devicelib0.spv|prop/devicelib0.prop|prop/devicelib0.sym\nspv/devicelib1.spv|prop/devicelib1.prop|prop/devicelib1.sym\n"
	if got := testkit.ReadFile(t, "out.table"); got != want {
		t.Errorf("table: %q", got)
	}
	if got := testkit.ReadFile(t, "prop/devicelib0.sym"); got != "_ZTS1K\n" {
		t.Errorf("symbols of the module: %q", got)
	}
}

func TestTranslateByDPCPP(t *testing.T) {
	t.Chdir(t.TempDir())
	testkit.WriteFile(t, "k.bc", "bitcode")
	driver(t, dpcppOutput())
	testkit.WriteFile(t, "made/images.table", "[Code|Properties|Symbols]\n1.spv|1.prop|1.sym\n2.spv|2.prop|2.sym\n")
	// Each module needs the device library, whose image is written only once.
	testkit.WriteFile(t, "k.table", "[Code|Properties]\na.bc|a.prop\nb.bc|b.prop\n")
	for _, name := range []string{"a", "b"} {
		testkit.WriteFile(t, name+".bc", "bitcode")
		testkit.WriteFile(t, name+".prop", "[SYCL/kernel names]\n_ZTS1K=1|1\n[rules/more]\n"+name+"=1|7\n")
	}
	translate := func(args ...string) (int, string) {
		return run(t, append([]string{"translate", "--driver", "./driver", "--library", "lib.so", "--code-dir", "spv", "--properties-dir", "prop", "--table", "out.table"}, args...)...)
	}
	if code, stderr := translate("k.table"); code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	// The calls may be in any order.
	for call := range strings.SplitSeq(strings.TrimSpace(testkit.ReadFile(t, "driver.calls")), "\n") {
		if !strings.HasSuffix(call, ".bc -- -fsycl-device-code-split=off") {
			t.Errorf("the driver was called with %q", call)
		}
	}
	want := "[Code|Properties|Symbols]\nspv/a.spv|prop/a.prop|prop/a.sym\nspv/b.spv|prop/b.prop|prop/b.sym\nspv/devicelib0.spv|prop/devicelib0.prop|prop/devicelib0.sym\n"
	if got := testkit.ReadFile(t, "out.table"); got != want {
		t.Errorf("table: %q", got)
	}
	const own = "[SYCL/device requirements]\naspects=2|AAAAAAAAAAA\n[SYCL/kernel names]\n_ZTS1K=1|1\n" + kernelDigest + "[rules/more]\nb=1|7\n"
	if got := testkit.ReadFile(t, "prop/b.prop"); got != own {
		t.Errorf("properties:\n%swant\n%s", got, own)
	}
	if got := testkit.ReadFile(t, "prop/b.sym") + testkit.ReadFile(t, "prop/devicelib0.prop") + testkit.ReadFile(t, "prop/devicelib0.sym"); got != "_ZTS1K\n"+libraryProperties {
		t.Errorf("got %q", got)
	}
	if m, err := spirv.Parse([]byte(testkit.ReadFile(t, "spv/b.spv"))); err != nil || len(m.Kernels) != 1 {
		t.Errorf("code: %v, %v", m, err)
	}

	// Functions that other modules call must not be dropped.
	testkit.WriteFile(t, "b.prop", "[SYCL/exported symbols]\nf=1|1\n")
	if code, stderr := translate("k.table"); code != 0 || strings.Count(testkit.ReadFile(t, "driver.calls"), " b.bc -- -fsycl-device-code-split=off -fsycl-allow-device-image-dependencies\n") != 1 {
		t.Errorf("exit %d: %s\n%s", code, stderr, testkit.ReadFile(t, "driver.calls"))
	}

	for name, test := range map[string]struct {
		table, want string
	}{
		"two images": {"[Code|Properties|Symbols]\n1.spv|1.prop|1.sym\n1.spv|1.prop|1.sym\n", "b.bc: DPC++'s library split the module into two images"},
		"no image":   {"[Code|Properties|Symbols]\n2.spv|2.prop|2.sym\n", "b.bc: DPC++'s library produced no image for the module"},
	} {
		testkit.WriteFile(t, "made/images.table", test.table)
		if code, stderr := translate("b.bc"); code != cli.ExitBadInput || !strings.Contains(stderr, test.want) {
			t.Errorf("%s: exit %d: %s", name, code, stderr)
		}
	}
	for _, args := range [][]string{{"--llvm-spirv", "llvm-spirv"}, {"--llc", "llc"}, {"--driver", ""}} {
		if code, stderr := translate(append(args, "b.bc")...); code != cli.ExitUsage || !strings.Contains(stderr, "expected exactly one of --llvm-spirv, --llc and --driver") {
			t.Errorf("%q: exit %d: %s", args, code, stderr)
		}
	}
}
