package main

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/docs"
	"github.com/rules-sycl/rules_sycl/internal/outfile"
	"github.com/rules-sycl/rules_sycl/internal/testkit"
	sycllink "github.com/rules-sycl/rules_sycl/sycl/link"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/syclbin"
)

// testdata is resolved before tests change the current directory.
var testdata = func() string {
	dir, err := filepath.Abs("testdata")
	if err != nil {
		panic(err)
	}
	return dir
}()

// These functions run the tool in the current directory.
var (
	run      = testkit.Tool(tool).Run
	mustRun  = testkit.Tool(tool).MustRun
	checkRun = testkit.Tool(tool).CheckRun
)

func file(t testing.TB, name string) []byte {
	t.Helper()
	data := testkit.Must(os.ReadFile(name))(t)
	return data
}

// enter creates a directory with files and makes it the current directory.
func enter(t *testing.T, files ...map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for _, f := range files {
		for name, content := range f {
			testkit.NoError(t, os.MkdirAll(filepath.Dir(name), 0o777))
			testkit.NoError(t, os.WriteFile(name, []byte(content), 0o666))
		}
	}
}

const spirvHead = "\x03\x02\x23\x07\x00\x00\x01\x00\x00\x00"

// split holds the files of two modules for four targets.
var split = map[string]string{
	"a.spv":         spirvHead,
	"b.spv":         spirvHead + "b",
	"a.ptx":         ".version 8.0\n",
	"a.pvc":         "native a",
	"b.pvc":         "native b",
	"b.dg2":         "native b for dg2",
	"a.prop":        "[SYCL/kernel names]\n__sycl_kernel__ZTS1A=1|1\n[SYCL/device requirements]\naspects=2|gAAAAAAAAAgBAAAA\n",
	"b.prop":        "[SYCL/device requirements]\naspects=2|AAAAAAAAAAA\nreqd_sub_group_size=1|16\n",
	"a.sym":         "__sycl_kernel__ZTS1A\n",
	"b.sym":         "__sycl_kernel__ZTS1C\n__sycl_kernel__ZTS1B\n",
	"spir64.table":  "[Code|Properties|Symbols]\na.spv|a.prop|a.sym\nb.spv|b.prop|b.sym\n",
	"ptx.table":     "[Code|Properties|Symbols]\na.ptx|a.prop|a.sym\n",
	"pvc.table":     "[Code|Properties|Symbols]\na.pvc|a.prop|a.sym\nb.pvc|b.prop|b.sym\n",
	"dg2.table":     "[Code|Properties|Symbols]\nb.dg2|b.prop|b.sym\n",
	"nothing.table": "[Code|Properties|Symbols]\n",
}

var splitTables = []string{
	"--table=spir64_gen-unknown-unknown=intel_gpu_pvc=pvc.table",
	"--table=nvptx64-nvidia-cuda=ptx.table",
	"--table=spir64-unknown-unknown=spir64.table",
	"--table=spir64_gen-unknown-unknown=intel_gpu_dg2=dg2.table",
}

func TestPack(t *testing.T) {
	enter(t, split)
	mustRun(t, append([]string{"pack", "--output", "k.syclbin"}, splitTables...)...)
	testkit.GoldenFile(t, filepath.Join(testdata, "pack.dump"), mustRun(t, "dump", "k.syclbin"))
	testkit.GoldenFile(t, filepath.Join(testdata, "pack.verbose"), mustRun(t, "dump", "--verbose", "k.syclbin"))
	testkit.GoldenFile(t, filepath.Join(testdata, "pack.json"), mustRun(t, "dump", "--json", "k.syclbin"))
	if out := mustRun(t, "verify", "k.syclbin"); out != "" {
		t.Errorf("verify found %s", out)
	}

	// Neither the order of flags nor the location of the files matters.
	reversed := slices.Clone(splitTables)
	slices.Reverse(reversed)
	mustRun(t, append(append([]string{"pack"}, reversed...), "--output=again.syclbin")...)
	if !bytes.Equal(file(t, "k.syclbin"), file(t, "again.syclbin")) {
		t.Error("another order of the tables made another file")
	}
}

// TestPackTablePathWithEquals checks table paths that contain =, because names of Bazel packages
// can.
func TestPackTablePathWithEquals(t *testing.T) {
	enter(t, split)
	mustRun(t, append([]string{"pack", "--output", "k.syclbin"}, splitTables...)...)
	var elsewhere []string
	for _, flag := range splitTables {
		part := strings.Split(flag, "=")
		if len(part) == 3 { // no architecture
			part = []string{part[0], part[1], "", part[2]}
		}
		at := "x=y/" + part[3]
		testkit.NoError(t, os.MkdirAll("x=y", 0o777))
		testkit.NoError(t, os.Rename(part[3], at))
		elsewhere = append(elsewhere, strings.Join(append(part[:3], at), "="))
	}
	mustRun(t, append([]string{"pack", "--output", "again.syclbin"}, elsewhere...)...)
	if !bytes.Equal(file(t, "k.syclbin"), file(t, "again.syclbin")) {
		t.Error("other paths of the tables made another file")
	}
}

func TestPackFindsFilesBesideTheTable(t *testing.T) {
	enter(t, split)
	mustRun(t, append([]string{"pack", "--output", "k.syclbin"}, splitTables...)...)
	want := file(t, "k.syclbin")
	beside := make(map[string]string)
	for name, content := range split {
		beside["out/"+name] = content
	}
	enter(t, beside)
	args := []string{"pack", "--output", "k.syclbin"}
	for _, table := range splitTables {
		args = append(args, table[:strings.LastIndex(table, "=")+1]+"out/"+table[strings.LastIndex(table, "=")+1:])
	}
	mustRun(t, args...)
	if !bytes.Equal(file(t, "k.syclbin"), want) {
		t.Error("the file differs")
	}
	testkit.NoError(t, os.WriteFile("a.spv", []byte("another"), 0o666))
	checkRun(t, 3, "a.spv: ambiguous: in the current directory and next to the table, with different contents", args...)
}

func TestPackImages(t *testing.T) {
	module := string(spirvModule("__sycl_kernel_kernel"))
	zebin := string(zebinModule("__sycl_kernel_gpu_kernel"))
	files := map[string]string{
		"m.spv": module, "z.bin": zebin, "m.sym": "__sycl_kernel_named\n", "m.prop": "[SYCL/kernel names]\n__sycl_kernel_listed=1|1\n",
		"entries.sym":   "__sycl_kernel_kernel\n_Z6calledv\n",
		"exported.prop": "[SYCL/exported symbols]\n_Z6calledv=1|1\n",
		"virtual.prop":  "[SYCL/virtual functions]\n" + "virtual-functions-set=" + propset.String("set").String() + "\n",
		"ptx":           ".version 8.0\n",
	}
	tests := []struct {
		name    string
		image   string
		kernels []string
		warning string
	}{
		{"SPIR-V names its kernels", "file=m.spv,triple=spir64-unknown-unknown", []string{"__sycl_kernel_kernel"}, ""},
		{"ELF for Intel GPUs names its kernels", "file=z.bin,triple=spir64_gen-unknown-unknown,arch=intel_gpu_pvc", []string{"__sycl_kernel_gpu_kernel"}, ""},
		{"a symbol file goes before the image", "file=m.spv,triple=spir64-unknown-unknown,syms=m.sym", []string{"__sycl_kernel_named"}, ""},
		{"a property file goes before all", "file=m.spv,triple=spir64-unknown-unknown,syms=m.sym,props=m.prop", []string{"__sycl_kernel_listed"}, ""},
		{"exported functions are no kernels", "file=m.spv,triple=spir64-unknown-unknown,syms=entries.sym,props=exported.prop", []string{"__sycl_kernel_kernel"}, ""},
		{"virtual functions are no kernels", "file=m.spv,triple=spir64-unknown-unknown,syms=entries.sym,props=virtual.prop", []string{"__sycl_kernel_kernel"}, ""},
		{"virtual functions in a form without names", "file=ptx,triple=nvptx64-nvidia-cuda,syms=entries.sym,props=virtual.prop", nil, ""},
		{"no triple", "file=m.spv", []string{"__sycl_kernel_kernel"}, "ir-target-missing"},
		{"IR for an architecture", "file=m.spv,triple=spir64_gen-unknown-unknown,arch=intel_gpu_pvc", []string{"__sycl_kernel_kernel"}, "native-is-ir"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			enter(t, files)
			code, _, stderr := run(t, "pack", "--output=k.syclbin", "--image="+test.image)
			if code != 0 || (stderr == "") != (test.warning == "") || !strings.Contains(stderr, test.warning) {
				t.Fatalf("exit code %d: %s", code, stderr)
			}
			f := testkit.Must(syclbin.Open("k.syclbin"))(t)
			defer f.Close()
			if got := f.Modules[0].Kernels(); !slices.Equal(got, test.kernels) {
				t.Errorf("kernels %q, want %q", got, test.kernels)
			}
			if _, ok := f.Modules[0].Metadata.Set(propset.DeviceRequirements).Get("aspects"); !ok && strings.HasSuffix(test.image, "file=m.spv") {
				t.Error("the requirements of the module are missing")
			}
		})
	}
}

// TestPackWithoutBytes packs tables with the image of a source that has no kernels.
func TestPackWithoutBytes(t *testing.T) {
	files := map[string]string{
		"m.spv": string(spirvModule("__sycl_kernel_kernel")), "none.spv": "", "none.sym": "",
		"none.prop":   "[SYCL/device requirements]\naspects=2|AAAAAAAAAAA\n",
		"global.prop": "[SYCL/device globals]\ng=2|ABAAAAAAAAABAAAAAAAAAA\n",
		"both.table":  "[Code|Properties|Symbols]\nnone.spv|none.prop|none.sym\nm.spv||\n",
		"none.table":  "[Code|Properties|Symbols]\nnone.spv|none.prop|none.sym\n",
		"code.table":  "[Code]\nnone.spv\nm.spv\n",
		"many.table":  "[Code]\nm.spv\nnone.spv\nother.spv\nnone.spv\n", "other.spv": "",
		"fails.table":  "[Code]\nnone.spv\nother.spv\nmissing.spv\n",
		"global.table": "[Code|Properties|Symbols]\nnone.spv|global.prop|none.sym\n",
	}
	const left = "skipping the empty image none.spv, which has no kernel names"
	const note = left + "\n"
	for name, want := range map[string]struct {
		code   int
		stderr string
	}{
		"both":   {0, "both.table:2: warning: " + note},
		"code":   {0, "code.table:2: warning: " + note},
		"many":   {0, "many.table:3: warning: " + left + ", and 2 more like it\n"},
		"none":   {3, "nothing to pack: all images are empty; check the step that writes them"},
		"fails":  {3, "packager: error: fails.table:4: missing.spv: file not found"},
		"global": {3, "global.table:2: the image none.spv is empty; its compilation failed"},
	} {
		t.Run(name, func(t *testing.T) {
			enter(t, files)
			code, _, stderr := run(t, "pack", "--output=k.syclbin", "--table=spir64-unknown-unknown="+name+".table")
			if code != want.code || !strings.Contains(stderr, want.stderr) {
				t.Fatalf("exit code %d: %s", code, stderr)
			}
			if code != 0 {
				return
			}
			f := testkit.Must(syclbin.Open("k.syclbin"))(t)
			defer f.Close()
			if len(f.Modules) != 1 || !slices.Equal(f.Modules[0].Kernels(), []string{"__sycl_kernel_kernel"}) {
				t.Errorf("%d modules: %q", len(f.Modules), f.Modules[0].Kernels())
			}
		})
	}
}

// TestAllowEmpty packs tables without rows, for example from a library with only host code. With
// the flag, the output is a file without modules.
func TestAllowEmpty(t *testing.T) {
	enter(t, map[string]string{"none.table": "[Code|Properties|Symbols]\n"})
	for flag, args := range map[string][]string{
		"--embedded":    {"pack", "--output=k.syclbin"},
		"--allow-empty": {"wrap", "--output=k.s"},
	} {
		args = append(args, "--table=spir64-unknown-unknown=none.table")
		checkRun(t, 3, ": all tables are empty. Either no source submits a kernel, or no target can run one; add a kernel or a target", args...)
		mustRun(t, append(args, flag)...)
	}
	f := testkit.Must(syclbin.Open("k.syclbin"))(t)
	defer f.Close()
	if len(f.Modules) != 0 || f.State != syclbin.Executable {
		t.Errorf("%d modules in %v state", len(f.Modules), f.State)
	}
	if source := string(file(t, "k.s")); strings.Contains(source, "__sycl") {
		t.Errorf("an object without images registers some:\n%s", source)
	}
}

// spirvModule returns a SPIR-V module with one empty kernel.
func spirvModule(name string) []byte {
	text := make([]byte, len(name)+4-len(name)%4)
	copy(text, name)
	var b []byte
	word := func(words ...uint32) {
		for _, w := range words {
			b = binary.LittleEndian.AppendUint32(b, w)
		}
	}
	op := func(code uint32, operands ...uint32) {
		word(uint32(1+len(operands))<<16 | code)
		word(operands...)
	}
	word(0x07230203, 0x00010000, 0, 5, 0)
	op(17, 4)    // OpCapability Addresses
	op(17, 6)    // OpCapability Kernel
	op(14, 2, 2) // OpMemoryModel Physical64 OpenCL
	word(uint32(3+len(text)/4)<<16|15, 6, 3)
	b = append(b, text...) // OpEntryPoint Kernel %3
	op(19, 1)              // %1 = OpTypeVoid
	op(33, 2, 1)           // %2 = OpTypeFunction %1
	op(54, 1, 3, 0, 2)     // %3 = OpFunction
	op(248, 4)             // %4 = OpLabel
	op(253)                // OpReturn
	op(56)                 // OpFunctionEnd
	return b
}

// zebinModule returns an ELF file for Intel GPUs with the section of one kernel.
func zebinModule(name string) []byte {
	le := binary.LittleEndian
	table := "\x00.text." + name + "\x00"
	b := make([]byte, 64)
	copy(b, "\x7fELF\x02\x01\x01")
	le.PutUint16(b[18:], 205)
	le.PutUint64(b[40:], 64)
	le.PutUint16(b[58:], 64)
	le.PutUint16(b[60:], 2)
	le.PutUint16(b[62:], 1)
	b = append(b, make([]byte, 128)...)
	section := b[128:]
	le.PutUint32(section, 1)
	le.PutUint64(section[24:], uint64(len(b)))
	le.PutUint64(section[32:], uint64(len(table)))
	return append(b, table...)
}

// zebinWithInfo returns an ELF file for Intel GPUs with a section .ze_info.
func zebinWithInfo(info string) []byte {
	le := binary.LittleEndian
	const names = "\x00.text.__sycl_kernel_k\x00.ze_info\x00"
	b := make([]byte, 64)
	copy(b, "\x7fELF\x02\x01\x01")
	le.PutUint16(b[18:], 205)
	le.PutUint64(b[40:], 64)
	le.PutUint16(b[58:], 64)
	le.PutUint16(b[60:], 4)
	le.PutUint16(b[62:], 3)
	b = append(b, make([]byte, 4*64)...)
	start := len(b)
	for i, s := range []struct{ name, offset, size int }{{1, start, 0}, {strings.Index(names, ".ze_info"), start, len(info)}, {1, start + len(info), len(names)}} {
		section := b[128+64*i:]
		le.PutUint32(section, uint32(s.name))
		le.PutUint64(section[24:], uint64(s.offset))
		le.PutUint64(section[32:], uint64(s.size))
	}
	return append(append(b, info...), names...)
}

func TestDumpKernels(t *testing.T) {
	for _, test := range []struct{ name, info, want string }{
		{"described", "kernels:\n  - name: __sycl_kernel_k\n    execution_env: {simd_size: 16, grf_count: 256, slm_size: 1024}\n    payload_arguments:\n      - {arg_type: arg_bypointer, size: 8}\n",
			"Kernel __sycl_kernel_k: sub-group size 16, 256 registers, 8 bytes of arguments, 1024 bytes of local memory\n"},
		{"invalid", "kernels: [", "Kernels: invalid: device image: offset 0x140: section .ze_info: yaml: "},
	} {
		t.Run(test.name, func(t *testing.T) {
			enter(t, map[string]string{"z.bin": string(zebinWithInfo(test.info))})
			mustRun(t, "pack", "--output=k.syclbin", "--image=file=z.bin,triple=spir64_gen-unknown-unknown,arch=intel_gpu_pvc")
			if got := mustRun(t, "dump", "--verbose", "k.syclbin"); !strings.Contains(got, test.want) {
				t.Errorf("no %q in\n%s", test.want, got)
			}
			if got := mustRun(t, "dump", "k.syclbin"); strings.Contains(got, "Kernel ") {
				t.Errorf("kernels without --verbose:\n%s", got)
			}
			testkit.NoError(t, testkit.ValidateJSON(docs.DumpSchema, []byte(mustRun(t, "dump", "--json", "k.syclbin"))))
		})
	}
}

// TestNotSYCLBIN checks that commands for SYCLBINs suggest the command that converts other files.
func TestNotSYCLBIN(t *testing.T) {
	enter(t, map[string]string{"ocloc.ar": "!<arch>\n" + arMember("64.12.60.7", string(zebinWithInfo(""))), "z.bin": string(zebinWithInfo(""))})
	for _, name := range []string{"ocloc.ar", "z.bin"} {
		for _, args := range [][]string{{"dump"}, {"verify"}, {"explain", "--device", "intel_gpu_pvc"}} {
			checkRun(t, 3, "not a SYCLBIN file; convert it with packager import", append(args, name)...)
		}
	}
}

func TestPackRefuses(t *testing.T) {
	files := maps.Clone(split)
	maps.Copy(files, map[string]string{
		"nocode.table":  "[Properties|Symbols]\na.prop|a.sym\n",
		"cell.table":    "[Code|Properties|Symbols]\na.spv|a.prop|a.sym\n|b.prop|b.sym\n",
		"empty.table":   "[Code|Properties|Symbols]\nempty.spv|a.prop|a.sym\n",
		"empty.spv":     "",
		"missing.table": "[Code|Properties|Symbols]\nmissing.spv|a.prop|a.sym\n",
		"dir.table":     "[Code|Properties|Symbols]\nfolder|a.prop|a.sym\n",
		"folder/x":      "",
		"props.table":   "[Code|Properties|Symbols]\na.spv|bad.prop|a.sym\n",
		"bad.prop":      "[SYCL/kernel names]\nK=3|1\n",
		"own.table":     "[Code|Properties|Symbols]\na.spv|own.prop|a.sym\n",
		"own.prop":      "[S]\n[SYCLBIN/global metadata]\nstate=1|1\n",
		"names.table":   "[Code|Properties|Symbols]\na.spv|b.prop|bad.sym\n",
		"bad.sym":       "a=b\n",
		"ragged.table":  "[Code|Properties|Symbols]\na.spv|a.prop\n",
		"cut.spv":       spirvHead,
	})
	tests := []struct {
		name string
		args string
		code int
		want string
	}{
		{"no output", "--table=t=spir64.table", 2, "--output is required"},
		{"nothing to pack", "--output=k", 2, "nothing to pack; --table or --image is required"},
		{"an argument", "--output=k --table=t=spir64.table x", 2, "unexpected argument 'x'"},
		{"a table without a target", "--output=k --table=spir64.table", 2, "expected TRIPLE[=ARCH]=FILE"},
		{"an unknown state", "--output=k --state=linked --table=t=spir64.table", 2, `unknown state "linked"; expected input, object or executable`},
		{"version 3", "--output=k --syclbin-version=3 --table=t=spir64.table", 2, "unsupported version 3; expected 1 or 2"},
		{"a bare version 2", "--output=k --syclbin-version=2 --bare --table=t=spir64.table", 2, "--syclbin-version 2 requires container version 2 and image kind 7; remove --bare, --container-version and --image-kind"},
		{"container version 3", "--output=k --container-version=3 --table=t=spir64.table", 2, "unsupported version 3; expected 1 or 2"},
		{"an image kind without a container", "--output=k --bare --image-kind=6 --table=t=spir64.table", 2, "--bare cannot be combined with --container-version or --image-kind"},
		{"another image kind", "--output=k --image-kind=5 --table=t=spir64.table", 2, "unsupported kind 5; expected 6 or 7"},
		{"an image without a file", "--output=k --image=triple=t", 2, "missing file= in"},
		{"an image with another field", "--output=k --image=file=a.spv,kind=sycl", 2, "unknown field 'kind=sycl'"},
		{"an image with a field twice", "--output=k --image=file=a.spv,file=b.spv", 2, "duplicate field 'file'"},
		{"a table that is not there", "--output=k --table=t=x.table", 3, "x.table"},
		{"a table without rows", "--output=k --table=t=nothing.table", 3, "nothing to pack: all tables are empty. Either no source submits a kernel, or no target can run one; add a kernel or a target"},
		{"a table without code", "--output=k --table=t=nocode.table", 3, "nocode.table: missing column Code"},
		{"a ragged table", "--output=k --table=t=ragged.table", 3, "ragged.table:2"},
		{"a row without code", "--output=k --table=t=cell.table", 3, "cell.table:3: empty column Code"},
		{"an empty image", "--output=k --table=t=empty.table", 3, "empty.table:2: the image empty.spv is empty"},
		{"a missing image", "--output=k --table=t=missing.table", 3, "missing.table:2: missing.spv: file not found"},
		{"a directory as an image", "--output=k --table=t=dir.table", 3, "dir.table:2: folder: directory; expected a file"},
		{"bad properties", "--output=k --table=t=props.table", 3, "props.table:2: bad.prop:2"},
		{"properties of a SYCLBIN", "--output=k --table=t=own.table", 3, "own.prop:2: the set [SYCLBIN/global metadata]"},
		{"symbols that are no keys", "--output=k --table=t=names.table", 3, "names.table:2: bad.sym"},
		{"SPIR-V that is cut", "--output=k --image=file=cut.spv", 3, "--image file=cut.spv: cut.spv: "},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			enter(t, files)
			checkRun(t, test.code, test.want, append([]string{"pack"}, strings.Fields(test.args)...)...)
			if _, err := os.Stat("k"); !errors.Is(err, os.ErrNotExist) {
				t.Error("there is an output")
			}
		})
	}
}

func TestDumpMatchesSyclbinDump(t *testing.T) {
	enter(t)
	writeVector(t, "bare.syclbin", nil)
	testkit.GoldenFile(t, filepath.Join(testdata, "vector.dump"), mustRun(t, "dump", "bare.syclbin"))
	testkit.GoldenFile(t, filepath.Join(testdata, "two.dump"), mustRun(t, "dump", "bare.syclbin", "bare.syclbin"))
}

// writeVector writes the test vector after a change.
func writeVector(t *testing.T, name string, change func(string) string) {
	t.Helper()
	text := strings.Join(strings.Fields(string(file(t, filepath.Join(testdata, "v1_bare.hex")))), "")
	data := testkit.Must(hex.DecodeString(text))(t)
	if change != nil {
		data = []byte(change(string(data)))
	}
	testkit.NoError(t, os.WriteFile(name, data, 0o666))
}

func TestNamesFromFilesCannotControlTheTerminal(t *testing.T) {
	enter(t)
	r := new(propset.Registry)
	r.Add("S\x1b[2J\u202e").Put("\xff\x9bK\u2028", propset.String("\x1b]0;x\a"))
	var b syclbin.Builder
	testkit.NoError(t, b.Add("", r, syclbin.NewIR(syclbin.SPIRV, "\x1b[31m", strings.NewReader(spirvHead))))
	var data bytes.Buffer
	testkit.NoError(t, syclbin.Write(&data, b.File(syclbin.Object), syclbin.Options{}))
	testkit.NoError(t, os.WriteFile("x.syclbin", data.Bytes(), 0o666))
	for _, args := range [][]string{{"dump"}, {"dump", "--verbose"}, {"verify"}} {
		_, stdout, stderr := run(t, append(args, "x.syclbin")...)
		if stdout == "" || stderr != "" {
			t.Errorf("%q: %q, %q", args, stdout, stderr)
		}
		if i := strings.IndexFunc(stdout, func(r rune) bool {
			return r != '\n' && (r < ' ' || r == 0x7f || r >= 0x80)
		}); i >= 0 {
			t.Errorf("%q printed %q", args, stdout[i:min(len(stdout), i+10)])
		}
	}
	_, stdout, _ := run(t, "dump", "x.syclbin")
	if want := "    S\\x1b[2J\\u202e:\n      \\xff\\x9bK\\u2028: 1b5d303b7807\n"; !strings.Contains(stdout, want) {
		t.Errorf("dump printed\n%swant\n%s", stdout, want)
	}
}

func TestVerify(t *testing.T) {
	enter(t, split)
	writeVector(t, "good.syclbin", nil)
	writeVector(t, "bad.syclbin", func(s string) string {
		s = strings.Replace(s, "state=1|1", "state=1|7", 1)
		s = strings.Replace(s, "type=1|0", "type=1|2", 1)
		return strings.Replace(s, "[SYCL/kernel names]", "[SYCL/kernel-names]", 1)
	})
	// The only problem is the kernel name, which a different compiler wrote.
	if code, out, _ := run(t, "verify", "good.syclbin"); code != 1 || strings.Count(out, "\n") != 1 || !strings.Contains(out, "kernel-name-prefix: ext_oneapi_get_kernel cannot find the kernel \"K\"") {
		t.Errorf("exit code %d: %s", code, out)
	}
	mustRun(t, append([]string{"pack", "--output=ours.syclbin"}, splitTables...)...)
	mustRun(t, "verify", "--runtime=2026.0", "ours.syclbin")
	if code, out, _ := run(t, "verify", "--runtime=2025.3", "ours.syclbin"); code != 1 || !strings.HasPrefix(out, "ours.syclbin: file: runtime-form: the runtime of 2025.3 rejects the file: Unexpected image type; ") {
		t.Errorf("exit code %d: %s", code, out)
	}
	if out := mustRun(t, "verify", "ours.syclbin"); out != "" {
		t.Errorf("found %s", out)
	}
	code, stdout, stderr := run(t, "verify", "good.syclbin", "bad.syclbin")
	if code != 1 || stderr != "" {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	testkit.GoldenFile(t, filepath.Join(testdata, "verify.txt"), stdout)
	code, stdout, stderr = run(t, "verify", "--json", "good.syclbin", "bad.syclbin")
	if code != 1 || stderr != "" {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	testkit.GoldenFile(t, filepath.Join(testdata, "verify.json"), stdout)

	testkit.NoError(t, os.WriteFile("broken.syclbin", []byte("IBYS"), 0o666))
	checkRun(t, 3, "broken.syclbin: syclbin: offset 0x0: file too short for the header: 4 bytes", "verify", "broken.syclbin")
	rules := mustRun(t, "verify", "--rules")
	for _, other := range []string{"--json", "k.syclbin"} {
		checkRun(t, 2, "--rules cannot be combined with --json or files", "verify", "--rules", other)
	}
	if n := strings.Count(rules, "\n"); n != len(sycllink.Rules()) {
		t.Errorf("%d rules", n)
	}
}

// TestPackLimitsFindings checks that only the first findings about a file are shown.
func TestPackLimitsFindings(t *testing.T) {
	files := map[string]string{"k.prop": "[SYCL/device requirements]\nreqd_sub_group_size=1|16\n"} // without aspects
	var table strings.Builder
	table.WriteString("[Code|Properties|Symbols]\n")
	for i := range 15 {
		files[fmt.Sprintf("%d.spv", i)] = spirvHead + fmt.Sprint(i)
		files[fmt.Sprintf("%d.sym", i)] = fmt.Sprintf("__sycl_kernel_%d\n", i)
		fmt.Fprintf(&table, "%[1]d.spv|k.prop|%[1]d.sym\n", i)
	}
	files["k.table"] = table.String()
	enter(t, files)
	for _, args := range [][]string{
		{"pack", "--output=k.syclbin", "--table=spir64-unknown-unknown=k.table"},
		{"link", "--output=l.syclbin", "k.syclbin"},
	} {
		code, _, stderr := run(t, args...)
		_, stdout, _ := run(t, "verify", strings.TrimPrefix(args[1], "--output="))
		all := strings.Count(stdout, "\n")
		more := fmt.Sprintf(".syclbin: warning: and %d more; 'packager verify' shows all\n", all-10)
		if code != 0 || all < 15 || strings.Count(stderr, "\n") != 11 || !strings.HasSuffix(stderr, more) {
			t.Errorf("%s: exit code %d, %d findings:\n%s", args[0], code, all, stderr)
		}
	}
}

func TestExtractAndPackAgain(t *testing.T) {
	forms := [][]string{nil, {"--bare"}, {"--container-version=1"}, {"--container-version=1", "--image-kind=6"}, {"--syclbin-version=2"}, {"--state=input"}}
	for _, form := range forms {
		t.Run(strings.Join(form, " "), func(t *testing.T) {
			enter(t, split)
			mustRun(t, slices.Concat([]string{"pack", "--output=k.syclbin"}, form, splitTables)...)
			mustRun(t, "extract", "--output-dir=a=b/parts", "k.syclbin")
			mustRun(t, "pack", "@a=b/parts/pack.args", "--output=again.syclbin")
			if !bytes.Equal(file(t, "k.syclbin"), file(t, "again.syclbin")) {
				t.Errorf("another file:\n%s\n%s", mustRun(t, "dump", "k.syclbin"), mustRun(t, "dump", "again.syclbin"))
			}
		})
	}
}

// TestPackElsewhere checks that extracted files can be packed from any directory, even one that has
// files of the same names, and after they have been moved.
func TestPackElsewhere(t *testing.T) {
	enter(t, split)
	mustRun(t, slices.Concat([]string{"pack", "--output=k.syclbin"}, splitTables)...)
	mustRun(t, "extract", "--output-dir=parts", "k.syclbin")
	home := testkit.Must(os.Getwd())(t)
	moved := filepath.Join(home, "a = folder\nof ' two lines")
	testkit.NoError(t, os.Rename("parts", moved))
	mustRun(t, "extract", "--output-dir=other/below", "k.syclbin")
	testkit.NoError(t, os.WriteFile("other/below/module0.prop", []byte("[SYCL/kernel names]\nanother=1|1\n"), 0o666))
	relative := testkit.Must(filepath.Rel(filepath.Join(home, "other", "below"), moved))(t)
	t.Chdir("other/below")
	for _, dir := range []string{moved, relative} {
		mustRun(t, "pack", "@"+filepath.Join(dir, "pack.args"), "--output=again.syclbin")
		if !bytes.Equal(file(t, filepath.Join(home, "k.syclbin")), file(t, "again.syclbin")) {
			t.Errorf("%q: another file", dir)
		}
	}
}

func TestExtractFiles(t *testing.T) {
	enter(t, split)
	mustRun(t, append([]string{"pack", "--output=k.syclbin"}, splitTables...)...)
	mustRun(t, "extract", "--output-dir=parts", "k.syclbin")
	testkit.GoldenFile(t, filepath.Join(testdata, "extract.txt"), listing(t, "parts"))
	mustRun(t, "extract", "--output-dir=native1", "--kind=native", "--module=1", "k.syclbin")
	testkit.GoldenFile(t, filepath.Join(testdata, "extract-native.txt"), listing(t, "native1"))

	mustRun(t, "extract", "--output-dir=all", "--module=-1", "k.syclbin")
	if listing(t, "all") != listing(t, "parts") {
		t.Errorf("-1 is not all modules:\n%s", listing(t, "all"))
	}
	for _, n := range []string{"5", "-2", "-5"} {
		want := fmt.Sprintf("no abstract module %s in k.syclbin, which has 5, counted from 0", n)
		checkRun(t, 2, want, "extract", "--output-dir=x", "--module="+n, "k.syclbin")
	}
}

// listing shows the files of a directory with their content.
func listing(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	list := testkit.Must(os.ReadDir(dir))(t)
	for _, e := range list {
		fmt.Fprintf(&b, "%s: %q\n", e.Name(), file(t, filepath.Join(dir, e.Name())))
	}
	return b.String()
}

func TestExtractFileNames(t *testing.T) {
	enter(t)
	var b syclbin.Builder
	for _, triple := range []string{"../../etc/passwd", "..", "/abs", "a\x00b", "con", "CON", "a=b", "", strings.Repeat("x", 5000)} {
		r := new(propset.Registry)
		r.Add(propset.KernelNames).Put("K", propset.Uint(1))
		testkit.NoError(t, b.Add(triple, r, syclbin.NewIR(syclbin.SPIRV, triple, strings.NewReader(spirvHead))))
	}
	var data bytes.Buffer
	testkit.NoError(t, syclbin.Write(&data, b.File(syclbin.Object), syclbin.Options{}))
	testkit.NoError(t, os.WriteFile("x.syclbin", data.Bytes(), 0o666))
	checkRun(t, 0, "the target of the IR module module6_0.spv of abstract module 6 cannot be written to a table, so the image is not in any: a=b", "extract", "--output-dir=parts", "x.syclbin")
	list, _ := os.ReadDir("parts")
	var tables []string
	for _, e := range list {
		if strings.HasSuffix(e.Name(), ".table") {
			tables = append(tables, e.Name())
		}
	}
	want := []string{".table", "CON.2.table", "_.._etc_passwd.table", "_abs.table", "a_b.table", "con.table", "none.table", strings.Repeat("x", 100) + ".table"}
	slices.Sort(tables)
	if !slices.Equal(tables, want) {
		t.Errorf("tables %q, want %q", tables, want)
	}
	if list, _ := os.ReadDir("."); len(list) != 2 {
		t.Errorf("files next to the directory: %v", list)
	}
}

func TestConvert(t *testing.T) {
	enter(t)
	writeVector(t, "bare.syclbin", nil)
	forms := [][]string{{}, {"--container-version=1"}, {"--syclbin-version=2"}, {"--container-version=1", "--image-kind=6"}}
	for _, form := range forms {
		mustRun(t, slices.Concat([]string{"convert", "--output=other.syclbin", "bare.syclbin"}, form)...)
		mustRun(t, "convert", "--bare", "--no-runtime-record", "--output=back.syclbin", "other.syclbin")
		if !bytes.Equal(file(t, "bare.syclbin"), file(t, "back.syclbin")) {
			t.Errorf("%q and back is another file", form)
		}
		mustRun(t, "diff", "bare.syclbin", "other.syclbin")
	}
	mustRun(t, "convert", "--state=executable", "--bare", "--output=bare.syclbin", "bare.syclbin")
	if out := mustRun(t, "dump", "bare.syclbin"); !strings.Contains(out, "state: 2\n") {
		t.Errorf("dump printed\n%s", out)
	}
}

func TestLenient(t *testing.T) {
	enter(t, split)
	mustRun(t, slices.Concat([]string{"pack", "--bare", "--output=good.syclbin"}, splitTables)...)
	data := file(t, "good.syclbin")
	for i := range 5 { // the first indices of the abstract modules
		clear(data[56+32*i+20 : 56+32*i+24])
		clear(data[56+32*i+28 : 56+32*i+32])
	}
	testkit.NoError(t, os.WriteFile("bad.syclbin", data, 0o666))
	code, _, stderr := run(t, "convert", "--bare", "--output=repaired.syclbin", "bad.syclbin")
	if code != 3 || !strings.Contains(stderr, "does not advance first indices") {
		t.Errorf("strict: exit code %d: %s", code, stderr)
	}
	code, _, stderr = run(t, "convert", "--lenient", "--bare", "--output=repaired.syclbin", "bad.syclbin")
	if code != 0 || strings.Count(stderr, "bad.syclbin: warning: file: first-index: ") != 2 {
		t.Errorf("lenient: exit code %d: %s", code, stderr)
	}
	if !bytes.Equal(file(t, "good.syclbin"), file(t, "repaired.syclbin")) {
		t.Error("the repaired file is another one")
	}
}

// TestLenientLimitsWarnings checks that only the first repairs of a file are shown.
func TestLenientLimitsWarnings(t *testing.T) {
	enter(t)
	var properties strings.Builder
	properties.WriteString("[vendor]\n")
	for i := range 15 {
		fmt.Fprintf(&properties, "key%02d=1|7\n", i)
	}
	object(t, "good.syclbin", syclbin.Options{Bare: true}, properties.String())
	testkit.WriteFile(t, "bad.syclbin", regexp.MustCompile(`key\d\d`).ReplaceAll(file(t, "good.syclbin"), []byte("key00")))
	code, _, stderr := run(t, "convert", "--lenient", "--output=repaired.syclbin", "bad.syclbin")
	if code != 0 || strings.Count(stderr, "the key is repeated") != 10 || !strings.HasSuffix(stderr, "bad.syclbin: warning: and 4 more; 'packager verify' shows all\n") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

func TestDiff(t *testing.T) {
	enter(t, split)
	mustRun(t, slices.Concat([]string{"pack", "--output=a.syclbin"}, splitTables)...)
	same := slices.Clone(splitTables)
	mustRun(t, slices.Concat([]string{"pack", "--syclbin-version=2", "--output=same.syclbin"}, same)...)
	if out := mustRun(t, "diff", "a.syclbin", "same.syclbin"); out != "" {
		t.Errorf("differences: %s", out)
	}

	// A file with one module per image, as other tools write it, is equivalent.
	f := testkit.Must(syclbin.Open("a.syclbin"))(t)
	defer f.Close()
	apart := &syclbin.File{State: f.State, Global: f.Global}
	for _, m := range f.Modules {
		for _, img := range m.Native {
			apart.Modules = append(apart.Modules, &syclbin.Module{Metadata: m.Metadata, Native: []*syclbin.Image{img}})
		}
		for _, img := range m.IR {
			apart.Modules = append(apart.Modules, &syclbin.Module{Metadata: m.Metadata, IR: []*syclbin.Image{img}})
		}
	}
	testkit.NoError(t, outfile.Write("apart.syclbin", func(w io.Writer) error { return syclbin.Write(w, apart, syclbin.Options{}) }))
	if out := mustRun(t, "diff", "a.syclbin", "apart.syclbin"); out != "" {
		t.Errorf("differences: %s", out)
	}

	// The order of modules does not matter, even if modules have the same kernels or no kernels.
	twins := &syclbin.File{State: f.State, Global: f.Global}
	for _, m := range apart.Modules {
		for _, key := range []string{"one", "two"} {
			metadata := m.Metadata.Clone()
			metadata.Add("vendor").Put(key, propset.Uint(1))
			for _, named := range []bool{true, false} {
				if !named {
					metadata = metadata.Clone()
					metadata.Delete(propset.KernelNames)
					metadata.Delete(propset.ExportedSymbols)
				}
				twins.Modules = append(twins.Modules, &syclbin.Module{Metadata: metadata, Native: m.Native, IR: m.IR})
			}
		}
	}
	turned := &syclbin.File{State: f.State, Global: f.Global, Modules: slices.Clone(twins.Modules)}
	slices.Reverse(turned.Modules)
	for name, file := range map[string]*syclbin.File{"twins.syclbin": twins, "turned.syclbin": turned} {
		testkit.NoError(t, outfile.Write(name, func(w io.Writer) error { return syclbin.Write(w, file, syclbin.Options{}) }))
	}
	if code, stdout, stderr := run(t, "diff", "twins.syclbin", "turned.syclbin"); code != 0 || stdout != "" {
		t.Errorf("exit code %d, differences: %s%s", code, stdout, stderr)
	}
	// A missing module is a difference, even if similar modules remain.
	turned.Modules = turned.Modules[1:]
	testkit.NoError(t, outfile.Write("less.syclbin", func(w io.Writer) error { return syclbin.Write(w, turned, syclbin.Options{}) }))
	if code, stdout, _ := run(t, "diff", "twins.syclbin", "less.syclbin"); code != 1 || strings.Count(stdout, "\n") != 1 || !strings.Contains(stdout, ": only in A: ") {
		t.Errorf("exit code %d, differences: %s", code, stdout)
	}

	// Property sets without a counterpart are compared with the last ones of the other file.
	more := &syclbin.File{State: f.State, Global: f.Global}
	for _, file := range []struct {
		name string
		keys []string
	}{{"two.syclbin", []string{"a", "b"}}, {"three.syclbin", []string{"c", "d", "e"}}} {
		more.Modules = nil
		for _, key := range file.keys {
			metadata := f.Modules[0].Metadata.Clone()
			metadata.Add("vendor").Put(key, propset.Uint(1))
			more.Modules = append(more.Modules, &syclbin.Module{Metadata: metadata, Native: f.Modules[0].Native, IR: f.Modules[0].IR})
		}
		testkit.NoError(t, outfile.Write(file.name, func(w io.Writer) error { return syclbin.Write(w, more, syclbin.Options{}) }))
	}
	_, differences, _ := run(t, "diff", "two.syclbin", "three.syclbin")
	var keys []string
	for _, found := range regexp.MustCompile(`\[vendor\] (\w)`).FindAllStringSubmatch(differences, -1) {
		keys = append(keys, found[1])
	}
	if want := []string{"a", "c", "b", "d", "b", "e"}; !slices.Equal(keys, want) {
		t.Errorf("compared the keys %q, want %q", keys, want)
	}

	changed := map[string]string{
		"a.spv":  spirvHead + "longer",
		"b.pvc":  "native x",
		"b.prop": "[SYCL/device requirements]\naspects=2|gAAAAAAAAAgBAAAA\nreqd_sub_group_size=1|32\n",
		"b.sym":  "__sycl_kernel__ZTS1B\n__sycl_kernel__ZTS1C\n",
		"a.sym":  "__sycl_kernel__ZTS1A\n__sycl_kernel__ZTS1D\n",
	}
	for name, content := range changed {
		testkit.NoError(t, os.WriteFile(name, []byte(content), 0o666))
	}
	mustRun(t, slices.Concat([]string{"pack", "--state=object", "--output=b.syclbin"}, splitTables[:3])...)
	code, stdout, stderr := run(t, "diff", "a.syclbin", "b.syclbin")
	if code != 1 || stderr != "" {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	testkit.GoldenFile(t, filepath.Join(testdata, "diff.txt"), stdout)
	code, stdout, _ = run(t, "diff", "--json", "a.syclbin", "b.syclbin")
	if code != 1 {
		t.Errorf("exit code %d", code)
	}
	testkit.GoldenFile(t, filepath.Join(testdata, "diff.json"), stdout)

	// A module with an additional kernel is a different module.
	testkit.NoError(t, os.WriteFile("a.prop", []byte("[SYCL/kernel names]\n__sycl_kernel__ZTS1A=1|1\n__sycl_kernel__ZTS1D=1|1\n"), 0o666))
	mustRun(t, slices.Concat([]string{"pack", "--state=object", "--output=c.syclbin"}, splitTables[:3])...)
	_, stdout, _ = run(t, "diff", "b.syclbin", "c.syclbin")
	testkit.GoldenFile(t, filepath.Join(testdata, "diff-kernel.txt"), stdout)
}

func TestDumpFitsItsSchema(t *testing.T) {
	packConstants(t)
	for name, text := range split {
		testkit.WriteFile(t, name, text)
	}
	writeVector(t, "vector.syclbin", nil)
	writeVector(t, "odd.syclbin", func(s string) string {
		return strings.Replace(strings.Replace(s, "[SYCL/kernel names]\nK", "[SYCL/devicereqs!!]\nK", 1), "state=1|1", "stats=1|1", 1)
	})
	mustRun(t, append([]string{"pack", "--output", "k.syclbin"}, splitTables...)...)
	var rules map[string]any
	testkit.NoError(t, json.Unmarshal(docs.DumpSchema, &rules))
	var value any
	testkit.NoError(t, json.Unmarshal([]byte(mustRun(t, "dump", "--json", "k.syclbin", "vector.syclbin", "odd.syclbin", "all.syclbin")), &value))
	v := validator{root: rules}
	v.check("", rules, value)
	for _, fault := range v.faults {
		t.Error(fault)
	}
	if mustRun(t, "dump", "--schema") != string(docs.DumpSchema) {
		t.Error("--schema printed something else")
	}

	// The validator reports errors.
	file := value.(map[string]any)["files"].([]any)[0].(map[string]any)
	file["extra"], file["version"] = 1, 3
	delete(file, "state")
	v.faults = nil
	v.check("", rules, value)
	if len(v.faults) != 3 {
		t.Errorf("faults: %q", v.faults)
	}
}

// A validator checks a value against the part of JSON Schema that our schemas use.
type validator struct {
	root   map[string]any
	faults []string
}

func (v *validator) check(path string, rules map[string]any, value any) {
	fault := func(format string, args ...any) {
		v.faults = append(v.faults, path+": "+fmt.Sprintf(format, args...))
	}
	if ref, ok := rules["$ref"].(string); ok {
		def, ok := v.root["$defs"].(map[string]any)[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
		if !ok {
			fault("no definition %s", ref)
			return
		}
		v.check(path, def, value)
		return
	}
	if list, ok := rules["enum"].([]any); ok && !slices.Contains(list, value) {
		fault("%v is none of %v", value, list)
	}
	n, isNumber := value.(float64)
	if least, ok := rules["minimum"].(float64); ok && isNumber && n < least {
		fault("%v is less than %v", n, least)
	}
	if most, ok := rules["maximum"].(float64); ok && isNumber && n > most {
		fault("%v is more than %v", n, most)
	}
	typ, _ := rules["type"].(string)
	fits := true
	switch value := value.(type) {
	case map[string]any:
		fits = typ == "object" || typ == ""
		known, _ := rules["properties"].(map[string]any)
		for key, child := range value {
			if def, ok := known[key].(map[string]any); ok {
				v.check(path+"/"+key, def, child)
			} else if rules["additionalProperties"] == false {
				fault("%s is not in the schema", key)
			}
		}
		required, _ := rules["required"].([]any)
		for _, key := range required {
			if _, ok := value[key.(string)]; !ok {
				fault("%s is missing", key)
			}
		}
	case []any:
		fits = typ == "array" || typ == ""
		if items, ok := rules["items"].(map[string]any); ok {
			for i, child := range value {
				v.check(fmt.Sprintf("%s/%d", path, i), items, child)
			}
		}
	case string:
		fits = typ == "string" || typ == ""
	case bool:
		fits = typ == "boolean" || typ == ""
	case float64:
		fits = typ == "integer" && n == float64(int64(n)) || typ == ""
	default:
		fits = typ == ""
	}
	if !fits {
		fault("%v is not of type %s", value, typ)
	}
}

// TestExplainBuildErrors checks IR that the compiler of a device rejects when the runtime builds
// the program, after the runtime's checks of the device.
func TestExplainBuildErrors(t *testing.T) {
	for _, test := range []struct{ name, properties, device, want string }{
		{"option", "[SYCL/misc properties]\nsycl-grf-size=1|256\n", "intel_cpu_spr",
			"throws sycl::exception with errc::build\n  what(): The program was built for 1 devices\n  because: Option -ze-opt-large-register-file"},
		{"parameters", "[rules_sycl/device requirements]\nparameters=" + propset.Uint64s(3000, 3000).String() + "\n", "intel_gpu_pvc",
			"throws sycl::exception with errc::build"},
		{"aspect before parameters", "[SYCL/device requirements]\naspects=" + propset.Uint32s(1).String() + "\n[rules_sycl/device requirements]\nparameters=" + propset.Uint64s(3000, 3000).String() + "\n", "intel_gpu_pvc",
			"throws sycl::exception with errc::kernel_not_supported\n  what(): Required aspect cpu is not supported on the device\n  also: Parameters of 3000 bytes"},
		{"local memory", "[rules_sycl/device requirements]\nlocal_memory=" + propset.Uint64s(300000).String() + "\n", "intel_gpu_pvc",
			"throws sycl::exception with errc::runtime"},
	} {
		t.Run(test.name, func(t *testing.T) {
			enter(t, map[string]string{"m.spv": string(spirvModule("__sycl_kernel_k")), "m.prop": test.properties + "[SYCL/kernel names]\n__sycl_kernel_k=1|1\n"})
			mustRun(t, "pack", "--output=k.syclbin", "--image=file=m.spv,triple=spir64-unknown-unknown,props=m.prop")
			_, got, stderr := run(t, "explain", "--embedded", "--device", test.device, "k.syclbin")
			if !strings.Contains(got, test.want) {
				t.Errorf("no %q in\n%s%s", test.want, got, stderr)
			}
		})
	}
}
