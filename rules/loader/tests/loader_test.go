// Package loader holds the loader of rules/loader, which is written in C, against
// the project's own reader of SYCLBIN files.
package loader

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/offload"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/release"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
	"github.com/rules-sycl/rules_sycl/sycl/syclbin"
)

// program returns the path of a test program in rules/loader: what Bazel built of it,
// or what the machine's C compiler makes of the sources.
func program(t testing.TB, name string, sources ...string) string {
	t.Helper()
	if path, bazel := os.LookupEnv("LOADER_" + strings.ToUpper(name)); bazel {
		return filepath.Join(os.Getenv("TEST_SRCDIR"), path)
	}
	path := filepath.Join(t.TempDir(), name)
	args := []string{"-std=c11", "-g", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-o", path,
		"-fsanitize=address,undefined", "-fno-sanitize-recover=all"}
	for _, source := range append(sources, "syclbin.c") {
		args = append(args, filepath.Join("..", source))
	}
	if out, err := exec.Command(testkit.Program(t, "cc"), args...).CombinedOutput(); err != nil {
		t.Fatalf("cc %q: %v\n%s", args, err, out)
	}
	return path
}

// command returns a command that stops at the first error that a sanitizer finds. Leaks are not
// checked, because the leak sanitizer needs privileges that a sandbox does not grant.
func command(path string, args ...string) *exec.Cmd {
	c := exec.Command(path, args...)
	c.Env = append(os.Environ(), "ASAN_OPTIONS=detect_leaks=0:abort_on_error=0", "UBSAN_OPTIONS=print_stacktrace=1")
	return c
}

// dump returns what the loader reads from each input, and the image that it finds for each device.
func dump(t testing.TB, path string, devices []string, inputs ...[]byte) []string {
	t.Helper()
	var in, out, diag bytes.Buffer
	for _, data := range inputs {
		in.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(data))))
		in.Write(data)
	}
	c := command(path, devices...)
	c.Stdin, c.Stdout, c.Stderr = &in, &out, &diag
	if err := c.Run(); err != nil {
		t.Fatalf("dump: %v\n%s", err, diag.String())
	}
	all := strings.Split(out.String(), "end\n")
	if len(all) != len(inputs)+1 {
		t.Fatalf("dump: %d answers for %d inputs", len(all)-1, len(inputs))
	}
	return all[:len(inputs)]
}

// A part is an image of a module to be made.
type part struct {
	triple, arch, content string
}

const (
	spir64 = "spir64-unknown-unknown"
	gen    = "spir64_gen-unknown-unknown"
	prefix = "__sycl_kernel_"
)

func module(needs *requirement.Requirements, kernels []string, parts ...part) *syclbin.Module {
	m := &syclbin.Module{Metadata: new(propset.Registry)}
	needs.Put(m.Metadata)
	names := m.Metadata.Add(propset.KernelNames)
	for _, k := range kernels {
		names.Put(k, propset.Uint(1))
	}
	m.Metadata.Add("another/set").Put("bits", propset.Bits([]byte{0xff, 0x01}, 9))
	for _, p := range parts {
		if p.arch == "" {
			m.IR = append(m.IR, syclbin.NewIR(syclbin.SPIRV, p.triple, strings.NewReader(p.content)))
		} else {
			m.Native = append(m.Native, syclbin.NewNative(p.arch, p.triple, strings.NewReader(p.content)))
		}
	}
	return m
}

type needs = requirement.Requirements

// file returns a file with modules of all kinds.
func file(state syclbin.State) *syclbin.File {
	ptx := module(&needs{}, []string{"ptx"})
	ptx.IR = append(ptx.IR, syclbin.NewIR(syclbin.PTX, "nvptx64-nvidia-cuda", strings.NewReader(".version 8.0")))
	old := module(&needs{}, []string{"_ZTS3old"}, part{spir64, "", "old code"}, part{gen, "intel_gpu_acm_g10", "old acm"},
		part{gen, "pvc", "old pvc"}, part{gen, "bmg-g21,lnl-m", "old others"})
	former := module(&needs{}, []string{"former"}, part{spir64, "", "former code"})
	former.Metadata.Set(propset.DeviceRequirements).Put("reqd_work_group_size", propset.Uint32s(2, 8, 4))
	return &syclbin.File{Version: 1, State: state, Global: new(propset.Registry), Modules: []*syclbin.Module{
		module(&needs{Aspects: []aspect.Aspect{aspect.FP64}, SubGroupSizes: []uint32{16}}, []string{prefix + "_ZTS4axpy", prefix + "_ZTS5other"}, part{spir64, "", "axpy code"}),
		module(&needs{Aspects: []aspect.Aspect{aspect.FP64}, SubGroupSizes: []uint32{16}, CompileTarget: "intel_gpu_pvc"}, []string{prefix + "_ZTS4axpy"}, part{gen, "intel_gpu_pvc", "axpy pvc"}),
		module(&needs{CompileTarget: "intel_gpu_bmg_g21"}, []string{prefix + "_ZTS4axpy"}, part{gen, "intel_gpu_bmg_g21", "axpy bmg"}),
		old, former, ptx,
		module(&needs{WorkGroupSize: []uint64{64, 1 << 40}, SubGroupSizes: []uint32{8, 16}}, []string{"large"}, part{spir64, "", ""}),
		module(&needs{WorkGroupSize: []uint64{64, 2, 1}, Aspects: []aspect.Aspect{aspect.FP16, aspect.FP64, aspect.CPU}}, []string{"small"}, part{spir64, "", "small code"}),
		module(&needs{Aspects: []aspect.Aspect{aspect.ExtIntelESIMD}, SubGroupSizes: []uint32{1}}, []string{"esimd"}, part{spir64, "", "esimd code"}),
		module(&needs{CompileTarget: "intel_gpu_pvc"}, []string{"only_pvc"}, part{spir64, "", "IR of a module for pvc"}, part{gen, "intel_gpu_pvc", "only pvc"}),
		{Metadata: new(propset.Registry)},
	}}
}

// forms are the ways of writing a file that the loader reads.
var forms = map[string]syclbin.Options{
	"bare":                              {Bare: true},
	"in a container of version 1":       {Container: 1},
	"of kind 6":                         {Container: 1, ImageKind: offload.KindSPIRV},
	"in a container of version 2":       {Container: 2},
	"with sets in the order of writing": {KeepOrder: true},
	"of version 2":                      {Version: 2},
}

func write(t testing.TB, f *syclbin.File, o syclbin.Options) []byte {
	t.Helper()
	var b bytes.Buffer
	testkit.NoError(t, syclbin.Write(&b, f, o))
	return b.Bytes()
}

var devices = []string{"", "intel_gpu_pvc", "intel_gpu_12_60_7", "intel_gpu_acm_g10", "intel_gpu_dg2_g10", "intel_gpu_bmg_g21", "intel_gpu_lnl_m", "intel_gpu_unknown"}

// describe returns what dump must print for a file, according to the project's reader.
func describe(f *syclbin.File, devices []string) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "version %d container %d state %d modules %d\n", f.Version, f.Container, f.State, len(f.Modules))
	for i, m := range f.Modules {
		fmt.Fprintf(&b, "module %d\n", i)
		describeMetadata(&b, m.Metadata)
		q, err := requirement.FromProperties(m.Metadata)
		if err != nil {
			return "", err
		}
		aspects, _ := m.Metadata.Set(propset.DeviceRequirements).Get("aspects")
		numbers, _ := aspects.Uint32s() // in the order of the file
		fmt.Fprintf(&b, "aspects%s\nsub-group sizes%s\n", list(numbers), list(subGroupSizes(m)))
		fmt.Fprintf(&b, "work-group size%s\ncompile target %s\n", list(q.WorkGroupSize), q.CompileTarget)
		for _, img := range m.Images() {
			kind := "native"
			if img.Kind == syclbin.IRModule {
				kind = "ir"
			}
			typ, _ := img.Type()
			h := fnv.New64a()
			if _, err := io.Copy(h, img.Open()); err != nil {
				return "", err
			}
			fmt.Fprintf(&b, "%s type %d arch %s triple %s size %d digest %016x\n", kind, typ, img.Arch(), img.Triple(), img.Size(), h.Sum64())
			describeMetadata(&b, img.Metadata)
		}
		for _, k := range m.Kernels() {
			fmt.Fprintf(&b, "kernel %s\n", k)
			for _, d := range devices {
				fmt.Fprintf(&b, "find %s on %s: %s\n", k, d, choose(f, k, d))
			}
		}
	}
	return b.String(), nil
}

func subGroupSizes(m *syclbin.Module) []uint32 {
	v, _ := m.Metadata.Set(propset.DeviceRequirements).Get("reqd_sub_group_size")
	if n, ok := v.Uint(); ok {
		return []uint32{n}
	}
	sizes, _ := v.Uint32s()
	return sizes
}

func list[T uint32 | uint64](numbers []T) string {
	var b strings.Builder
	for _, n := range numbers {
		fmt.Fprintf(&b, " %d", n)
	}
	return b.String()
}

func describeMetadata(b *strings.Builder, r *propset.Registry) {
	for _, s := range r.Sets() {
		for _, p := range s.Properties() {
			if n, ok := p.Value.Uint(); ok {
				fmt.Fprintf(b, "property [%s] %s %d\n", s.Name, p.Key, n)
			} else {
				fmt.Fprintf(b, "property [%s] %s %d:%x\n", s.Name, p.Key, p.Value.BitLen(), p.Value.Bytes())
			}
		}
	}
}

// choose returns the image that a device gets if it meets all requirements.
func choose(f *syclbin.File, kernel, device string) string {
	for _, native := range []bool{true, false} {
		for i, m := range f.Modules {
			at := slices.IndexFunc(m.Kernels(), func(k string) bool {
				return strings.TrimPrefix(k, prefix) == strings.TrimPrefix(kernel, prefix)
			})
			if at < 0 {
				continue
			}
			if img := findImage(m, device, native); img != nil {
				kind := "ir"
				if native {
					kind = "native"
				}
				return fmt.Sprintf("module %d %s %s %s", i, kind, img.Arch(), m.Kernels()[at])
			}
		}
	}
	what := device
	if what == "" {
		what = "a device without a known name"
	}
	return fmt.Sprintf("status 4: kernel %s has neither SPIR-V nor an image for %s", printable(kernel), what)
}

// printable returns text as the loader prints it in messages.
func printable(text string) string {
	b := []byte(text)
	for i, c := range b {
		if c < ' ' || c > '~' {
			b[i] = '?'
		}
	}
	return string(b)
}

func findImage(m *syclbin.Module, device string, native bool) *syclbin.Image {
	value, _ := m.Metadata.Set(propset.DeviceRequirements).Get("compile_target")
	target := string(value.Bytes())
	if !native {
		for _, img := range m.IR {
			if typ, _ := img.Type(); target == "" && typ == syclbin.SPIRV {
				return img
			}
		}
		return nil
	}
	for _, img := range m.Native {
		architectures := img.Arch()
		if target != "" {
			architectures = target
		}
		for arch := range strings.SplitSeq(architectures, ",") {
			if !strings.HasPrefix(arch, "intel_gpu_") {
				arch = "intel_gpu_" + strings.ReplaceAll(arch, "-", "_")
			}
			if device != "" && deviceconfig.Canonical(arch) == deviceconfig.Canonical(device) {
				return img
			}
		}
	}
	return nil
}

func TestAgreesWithReader(t *testing.T) {
	path := program(t, "dump", "dump.c")
	images := 0
	for name, o := range forms {
		for _, state := range []syclbin.State{syclbin.Input, syclbin.Object, syclbin.Executable, syclbin.NoState} {
			data := write(t, file(state), o)
			f, err := syclbin.NewFile(bytes.NewReader(data), int64(len(data)))
			testkit.NoError(t, err)
			want, err := describe(f, devices)
			testkit.NoError(t, err)
			if got := dump(t, path, devices, data)[0]; got != want {
				t.Errorf("%s, %v: %s", name, state, firstDifference(got, want))
			}
			for _, m := range f.Modules {
				images += len(m.Images())
			}
		}
	}
	t.Logf("%d images of %d files", images, 4*len(forms))
}

// firstDifference returns the first lines of two texts that are not the same.
func firstDifference(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("line %d\ngot  %s\nwant %s", i+1, a[i], b[i])
		}
	}
	return fmt.Sprintf("got %d lines, want %d", len(a), len(b))
}

// TestFind tests the image that each device gets. The statuses are defined in
// syclbin.h.
func TestFind(t *testing.T) {
	f := file(syclbin.Executable)
	data := write(t, f, syclbin.Options{Container: 1})
	path := program(t, "dump", "dump.c")
	tests := []struct{ device, kernel, want string }{
		{"/6/16", "_ZTS4axpy", "module 0 ir  __sycl_kernel__ZTS4axpy"},
		{"intel_gpu_pvc/6/16", "_ZTS4axpy", "module 1 native intel_gpu_pvc __sycl_kernel__ZTS4axpy"},
		{"intel_gpu_pvc//16", "__sycl_kernel__ZTS4axpy", "module 1 native intel_gpu_pvc __sycl_kernel__ZTS4axpy"},
		{"intel_gpu_pvc/9,5/16", "_ZTS4axpy", "status 5: Required aspect 6 is not supported on the device"},
		{"/6/8,32", "_ZTS4axpy", "status 5: Sub-group size 16 is not supported on the device"},
		{"intel_gpu_bmg_g21/9/8", "_ZTS4axpy", "module 2 native intel_gpu_bmg_g21 __sycl_kernel__ZTS4axpy"},
		{"intel_gpu_12_60_7", "_ZTS3old", "module 3 native pvc _ZTS3old"},
		{"intel_gpu_lnl_m", "__sycl_kernel__ZTS3old", "module 3 native bmg-g21,lnl-m _ZTS3old"},
		{"", "_ZTS3old", "module 3 ir  _ZTS3old"},
		{"///32", "former", "module 4 ir  former"},
		{"///31", "former", "status 5: Required work-group size {4, 8} is not supported on the device"},
		{"///32,8,3", "former", "status 5: Required work-group size {4, 8} is not supported on the device"},
		{"///32,8,4", "former", "module 4 ir  former"},
		{"", "ptx", "status 4: kernel ptx has neither SPIR-V nor an image for a device without a known name"},
		{"//8,16/", "large", "module 6 ir  large"},
		{"//8", "large", "status 5: Sub-group size 16 is not supported on the device"},
		{"///4294967295", "large", "status 5: Required work-group size {1099511627776, 64} is not supported on the device"},
		{"/5,6,1//128,64,2,1", "small", "module 7 ir  small"},
		{"/1,6//128", "small", "status 5: Required aspect 5 is not supported on the device"},
		{"///128,128,1,1", "small", "status 5: Required work-group size {1, 2, 64} is not supported on the device"},
		{"/49,53/8", "esimd", "module 8 ir  esimd"},
		{"", "only_pvc", "status 4: kernel only_pvc has neither SPIR-V nor an image for a device without a known name"},
		{"intel_gpu_acm_g10", "only_pvc", "status 4: kernel only_pvc has neither SPIR-V nor an image for intel_gpu_acm_g10"},
		{"intel_gpu_pvc", "only_pvc", "module 9 native intel_gpu_pvc only_pvc"},
		{"", "_ZTS4axp", "status 3: no kernel named _ZTS4axp was found"},
		{"", "", "status 3: no kernel named  was found"},
	}
	for _, test := range tests {
		got := dump(t, path, []string{"--kernel", test.kernel, test.device}, data)[0]
		if want := fmt.Sprintf("find %s on %s: %s\n", test.kernel, test.device, test.want); got != want {
			t.Errorf("got  %swant %s", got, want)
		}
	}
}

// TestGPUs compares the table of GPUs in C with the project's, including all aliases.
func TestGPUs(t *testing.T) {
	path := program(t, "dump", "dump.c")
	out, err := command(path, "--gpus").Output()
	testkit.NoError(t, err)
	config := deviceconfig.Default()
	names := make(map[uint32]string)
	var want, all []string
	for _, d := range config.Devices() {
		if strings.HasPrefix(d.Name, "intel_gpu_") && d.Architecture != 0 {
			version := uint32(d.Architecture >> 8)
			if other, ok := names[version>>14]; ok {
				t.Fatalf("%s and %s differ in their revision only", d.Name, other)
			}
			names[version>>14] = d.Name
			all = append(all, d.Name)
		}
	}
	for _, version := range slices.Sorted(maps.Keys(names)) {
		want = append(want, fmt.Sprintf("%#x %s\n", version<<14, names[version]))
	}
	if got := string(out); got != strings.Join(want, "") {
		t.Errorf("kGPUs of rules/loader/syclbin.c is not what sycl/deviceconfig/names.yaml has: %s", firstDifference(got, strings.Join(want, "")))
	}

	for _, name := range all {
		d, _ := config.Lookup(name)
		f := &syclbin.File{State: syclbin.Executable, Modules: []*syclbin.Module{
			module(&needs{}, []string{"k"}, part{spir64, "", "x"}, part{gen, name, "x"}),
		}}
		data := write(t, f, syclbin.Options{})
		for i, got := range dump(t, path, append([]string{"--kernel", "k", name}, d.Aliases...), data) {
			for line := range strings.Lines(got) {
				if !strings.HasSuffix(line, ": module 0 native "+name+" k\n") {
					t.Errorf("alias %d: %s", i, line)
				}
			}
			if n := strings.Count(got, "\n"); n != 1+len(d.Aliases) {
				t.Errorf("%d answers for %s and %q", n, name, d.Aliases)
			}
		}
	}
	t.Logf("%d GPUs", len(all))
}

// TestErrors checks the errors in invalid files and their locations.
func TestErrors(t *testing.T) {
	bare := write(t, file(syclbin.Executable), syclbin.Options{Bare: true, Unrecorded: true})
	wrapped := write(t, file(syclbin.Executable), syclbin.Options{Container: 2, Unrecorded: true})
	parts := write(t, file(syclbin.Executable), syclbin.Options{Version: 2, Unrecorded: true})
	with := func(data []byte, at int, width int, n uint64) []byte {
		changed := slices.Clone(data)
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], n)
		copy(changed[at:], b[:width])
		return changed
	}
	replace := func(data []byte, old, new string) []byte {
		if len(old) != len(new) || !bytes.Contains(data, []byte(old)) {
			t.Fatalf("cannot replace %q by %q", old, new)
		}
		return bytes.Replace(data, []byte(old), []byte(new), 1)
	}
	swap := func(data []byte, i, j int) []byte {
		changed := slices.Clone(data)
		copy(changed[32+40*i:][:40], data[32+40*j:])
		copy(changed[32+40*j:][:40], data[32+40*i:])
		return changed
	}
	const last = math.MaxUint64
	tests := []struct {
		name string
		data []byte
		want string
	}{
		{"nothing", nil, "1 0 neither a SYCLBIN file nor an OffloadBinary container"},
		{"an ELF file", []byte("\x7fELF...."), "1 0 neither a SYCLBIN file nor an OffloadBinary container"},
		{"the magic number of another byte order", []byte("SYBI...."), "1 0 starts with SYBI, but a SYCLBIN file starts with IBYS: the magic number was written in the wrong byte order"},
		{"a header cut short", bare[:55], "1 0 file too short for the header: 55 bytes, want 56"},
		{"version 2 in the layout of version 1", with(bare, 4, 4, 2), "2 0x4 unsupported SYCLBIN version 2; expected 1 in this layout"},
		{"too many modules", with(bare, 8, 4, 0xffffffff), "1 0x8 file is truncated: it is too short for the headers of 4294967309 modules and images"},
		{"metadata beyond the end", with(bare, 24, 8, last), "1 0x18 the metadata table of 18446744073709551615 bytes extends past the end of the file"},
		{"images beyond the end", with(bare, 32, 8, last-7), "1 0x20 the binary table of 18446744073709551608 bytes extends past the end of the file"},
		{"a range that wraps around", with(bare, 56, 8, last), "1 0x38 192 bytes at offset 0xffffffffffffffff of the metadata table extend past its end at 0xccb"},
		{"a first IR module that is not there", with(bare, 56+20, 4, 200), "1 0x48 an abstract module has 1 IR modules from number 200 on, but the file has 8"},
		{"a first IR module of another", with(bare, 56+32*3+20, 4, 0), "1 0xac the first IR module of an abstract module is 0, want 1; to repair files of compilers that do not advance it, use 'packager convert --lenient'"},
		{"ranges that share bytes", with(with(bare, 56, 8, 0), 64, 8, binary.LittleEndian.Uint64(bare[24:])), "1 0x38 parts of the metadata table overlap"},
		{"a container cut short", wrapped[:31], "1 0 file too short for the header of a container: 31 bytes, want 32"},
		{"a container of version 3", with(wrapped, 4, 4, 3), "2 0x4 unsupported container version 3; expected 1 or 2. Convert it with 'packager convert --container-version 2'"},
		{"a container that is larger than the file", with(wrapped, 8, 8, last), "1 0x8 the container declares 18446744073709551615 bytes, but the file has 4352"},
		{"two containers", append(slices.Clone(wrapped), wrapped...), "2 0x1100 the file has more than one container, and SYCL runtimes read only the first; join them with 'packager convert'"},
		{"no entries", with(wrapped, 24, 8, 0), "1 0x18 the container has no entries"},
		{"too many entries", with(wrapped, 24, 8, 1<<61), "1 0x10 2305843009213693952 entries at 0x20 are not between the header and the end of the container"},
		{"entries at the end", with(wrapped, 16, 8, last-7), "1 0x10 1 entries at 0xfffffffffffffff8 are not between the header and the end of the container"},
		{"an image beyond the end", with(wrapped, 32+24, 8, last), "1 0x38 4272 bytes at offset 0xffffffffffffffff of the container extend past its end at 0x1100"},
		{"strings beyond the end", with(wrapped, 32+16, 8, 1<<60), "1 0x28 the strings of entry 0 extend past the end of the container"},
		{"an image of another kind", with(wrapped, 32, 2, 1), "2 0x20 the container has image kind 1, but a SYCLBIN file has 7, or formerly 6; convert the file with 'packager convert'"},
		{"another image", replace(wrapped, "IBYS", "XBYS"), "1 0x20 the first entry of the container is not a SYCLBIN file"},
		{"a role that is not known", replace(parts, "am_metadata", "an_metadata"), "1 0x48 entry 1 of a version 2 file has no known role"},
		{"the global metadata after another entry", swap(parts, 0, 1), "2 0x20 entry 0: the global metadata must be the first entry and only the first; convert the file with 'packager convert --syclbin-version 1'"},
		{"an image before the metadata of its module", swap(parts, 1, 2), "2 0x48 entry 1 is out of order; convert the file with 'packager convert --syclbin-version 1'"},
		{"metadata that is larger than its entry", with(parts, int(binary.LittleEndian.Uint64(parts[32+2*40+24:])), 8, last), "the metadata of entry 2 is larger than its 105 bytes"},
		{"a number with leading zeros", replace(bare, "state=1|2\n", "stat=1|02\n"), "metadata: a number has leading zeros"},
		{"a line that is nothing", replace(bare, "state=1|2\n", "state.1|2\n"), "metadata: a line is neither a [set] title nor key=type|value"},
		{"a number that is not one", replace(bare, "compile_target=2|", "compile_target=1|"), "metadata: a number is not decimal"},
		{"a list cut off", replace(bare, "aspects=2|gAAAAAAAAAgB", "aspects=2|gAAAAAA\n\n\n\n\n"), "1 0x397 metadata: a byte array is too short for its bit count"},
		{"a character of another encoding", replace(bare, "aspects=2|gAAAAAAAAAgB", "aspects=2|gAAAAAA=AAgB"), "1 0x397 metadata: a byte array has a character that is not a letter, digit, + or /"},
		{"a count of bits without its bits", replace(bare, "aspects=2|gAAAAAAAAAgB", "aspects=2|gEAAAAAAAAgB"), "1 0x397 metadata: the size of a byte array does not match its bit count"},
		{"a list of other numbers", replace(bare, "aspects=2|gAAAAAAAAAgBAAAA", "aspects=1|6"+strings.Repeat("\n", 15)), "1 0x397 abstract module 0: [SYCL/device requirements] aspects: a list of numbers is not a byte array"},
		{"a property without a set", replace(bare, "[SYCLBIN/global metadata]", "\nSYCLBIN/global metadata="), "1 0x359 metadata: a property precedes the first [set] title"},
		{"a title that goes on", replace(bare, "[SYCLBIN/global metadata]", "[SYCLBIN/global metadat]a"), "1 0x358 metadata: a title does not end with a bracket"},
	}
	path := program(t, "dump", "dump.c")
	for _, test := range tests {
		got := strings.TrimPrefix(dump(t, path, nil, test.data)[0], "error ")
		if want := test.want; want == "" || !strings.Contains(got, want) {
			t.Errorf("%s: got %swant %s", test.name, got, want)
		}
	}
}

// TestLimits checks that buffers for copied values have exactly the required size.
func TestLimits(t *testing.T) {
	name := strings.Repeat("a", 127)
	counted := func(aspects, sizes int) *needs {
		q := &needs{CompileTarget: name}
		for i := range aspects {
			q.Aspects = append(q.Aspects, aspect.Aspect(i))
		}
		for i := range sizes {
			q.SubGroupSizes = append(q.SubGroupSizes, uint32(i))
		}
		return q
	}
	with := func(q *needs, triple, arch string) *syclbin.File {
		return &syclbin.File{State: syclbin.Object, Modules: []*syclbin.Module{module(q, []string{"k"}, part{triple, arch, "x"})}}
	}
	four := module(&needs{}, nil)
	four.Metadata.Set(propset.DeviceRequirements).Put("reqd_work_group_size_uint64_t", propset.Uint64s(1, 1, 1, 1))
	none := module(&needs{}, nil)
	none.Metadata.Set(propset.DeviceRequirements).Put("reqd_work_group_size_uint64_t", propset.Uint64s())
	tests := []struct {
		name string
		file *syclbin.File
		want string // of the error, "" when the file is read
	}{
		{"as much as there can be", with(counted(256, 16), name, name), ""},
		{"a longer architecture", with(&needs{}, name, name+"a"), "metadata of an image: arch: a name has more than 127 bytes"},
		{"a longer triple", with(&needs{}, name+"a", ""), "metadata of an image: target: a name has more than 127 bytes"},
		{"a longer target", with(&needs{CompileTarget: name + "a"}, name, ""), "compile_target: a name has more than 127 bytes"},
		{"an architecture with NUL", with(&needs{}, name, "a\x00b"), "metadata of an image: arch: a name contains a NUL byte"},
		{"more aspects", with(counted(257, 1), name, ""), "aspects: a list of numbers is too long"},
		{"more sub-group sizes", with(counted(1, 17), name, ""), "reqd_sub_group_size: a list of numbers is too long"},
		{"a work-group size of four dimensions", &syclbin.File{Modules: []*syclbin.Module{four}}, "reqd_work_group_size_uint64_t: a list of numbers is too long"},
		{"a work-group size of none", &syclbin.File{Modules: []*syclbin.Module{none}}, "reqd_work_group_size_uint64_t: a work-group size does not have 1 to 3 dimensions"},
	}
	path := program(t, "dump", "dump.c")
	for _, test := range tests {
		data := write(t, test.file, syclbin.Options{Release: release.Newest()})
		got := dump(t, path, nil, data)[0]
		if test.want != "" {
			if !strings.HasPrefix(got, "error 1 ") || !strings.HasSuffix(got, test.want+"\n") {
				t.Errorf("%s: got %swant %s", test.name, got, test.want)
			}
			continue
		}
		f, err := syclbin.NewFile(bytes.NewReader(data), int64(len(data)))
		testkit.NoError(t, err)
		if want, err := describe(f, nil); err != nil || got != want {
			t.Errorf("%s: %v, %s", test.name, err, firstDifference(got, want))
		}
	}
}

// TestFuzz runs the entry point of libFuzzer on changed files.
func TestFuzz(t *testing.T) {
	path := program(t, "fuzz", "fuzz.c", "fuzz_main.c")
	args := []string{"3000"}
	for _, name := range []string{"bare", "in a container of version 1", "of version 2"} {
		f := file(syclbin.Executable)
		if name != "bare" { // of which containers hold no more kinds
			f.Modules = f.Modules[:4]
		}
		seed := filepath.Join(t.TempDir(), name)
		testkit.NoError(t, os.WriteFile(seed, write(t, f, forms[name]), 0o600))
		args = append(args, seed)
	}
	out, err := command(path, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}

// TestAgreesOnChangedFiles changes every byte of a file, and checks that the project's reader
// accepts every input that the loader accepts, with the same content.
func TestAgreesOnChangedFiles(t *testing.T) {
	path := program(t, "dump", "dump.c")
	small := []string{"intel_gpu_pvc"}
	for _, name := range []string{"bare", "in a container of version 1", "of version 2"} {
		t.Run(name, func(t *testing.T) {
			data := write(t, file(syclbin.Executable), forms[name])
			var inputs [][]byte
			for i := range data {
				changed := slices.Clone(data)
				changed[i] ^= 1 << (i % 8)
				inputs = append(inputs, changed)
			}
			read := 0
			for i, got := range dump(t, path, small, inputs...) {
				if strings.HasPrefix(got, "error ") {
					checkRejected(t, inputs[i], got)
					continue
				}
				read++
				f, err := syclbin.NewFile(bytes.NewReader(inputs[i]), int64(len(inputs[i])))
				if err != nil {
					// The loader does not detect overlapping parts, because it has no memory to
					// sort them.
					if !strings.Contains(err.Error(), "overlap") {
						t.Errorf("input %d is read although: %v", i, err)
					}
					continue
				}
				want, err := describe(f, small)
				if err == nil && got != want {
					t.Errorf("input %d: %s", i, firstDifference(got, want))
				}
			}
			t.Logf("%d inputs, of which %d are read", len(inputs), read)
			if read < 100 || len(inputs)-read < 1000 {
				t.Errorf("%d of %d inputs are read: that is not a mixture", read, len(inputs))
			}
		})
	}
}

// rejections are the parts of messages for files that only the loader rejects.
var rejections = []string{
	"packager convert",           // a form that the loader does not support
	"[SYCL/device requirements]", // the project's reader does not check its content
	"name is not a byte array",   // the name of an image, likewise
	"contains a NUL byte",        // likewise
	"extend past its end",        // values of strings
	"of a version 2 file has kind",
}

// checkRejected checks an input that the loader rejects and the project's reader may accept.
func checkRejected(t *testing.T, data []byte, got string) {
	t.Helper()
	_, err := syclbin.NewFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return
	}
	if !slices.ContainsFunc(rejections, func(s string) bool { return strings.Contains(got, s) }) {
		t.Errorf("the project's reader accepts what the loader rejects: %s", got)
	}
}
