package main

import (
	"encoding/binary"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/release"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/spirv"
	"github.com/rules-sycl/rules_sycl/sycl/syclbin"
	"github.com/rules-sycl/rules_sycl/tools/internal/bundle"
)

// IDs in the modules of the corpus.
const (
	idVoid = iota + 1
	idFunction
	idKernel
	idUchar
	idUlong
	idLength
	idArray
	idStruct
	idPointer
	idParameter
	idVariable
	idImport
	idLabel
	idCall
)

type moduleWords []uint32

// add appends an instruction whose operands are numbers and strings.
func (w *moduleWords) add(op uint32, operands ...any) {
	start := len(*w)
	*w = append(*w, 0)
	for _, o := range operands {
		switch o := o.(type) {
		case int:
			*w = append(*w, uint32(o))
		case string:
			b := append([]byte(o), make([]byte, 4-len(o)%4)...)
			for i := 0; i < len(b); i += 4 {
				*w = append(*w, binary.LittleEndian.Uint32(b[i:]))
			}
		}
	}
	(*w)[start] = uint32(len(*w)-start)<<16 | op
}

// A corpusModule describes a module with one kernel, _ZTS1K.
type corpusModule struct {
	capabilities     []int
	extensions       []string
	subGroup         int
	workGroup        int
	parameter, local int    // bytes
	calls            string // an imported function
}

func (m *corpusModule) spirv() string {
	w := moduleWords{0x07230203, 0x00010400, 0, 100, 0}
	for _, c := range append([]int{4, 5, 6, 11, 39}, m.capabilities...) { // Addresses, Linkage, Kernel, Int64, Int8
		w.add(17, c)
	}
	for _, e := range m.extensions {
		w.add(10, e)
	}
	w.add(14, 2, 2)                  // Physical64 OpenCL
	w.add(15, 6, idKernel, "_ZTS1K") // OpEntryPoint Kernel
	if m.subGroup != 0 {
		w.add(16, idKernel, 35, m.subGroup)
	}
	if m.workGroup != 0 {
		w.add(16, idKernel, 17, m.workGroup, 1, 1)
	}
	if m.parameter != 0 {
		w.add(71, idParameter, 38, 2) // FuncParamAttr ByVal
	}
	if m.calls != "" {
		w.add(71, idImport, 41, m.calls, 1) // LinkageAttributes Import
	}
	w.add(19, idVoid)
	w.add(21, idUchar, 8, 0)
	w.add(21, idUlong, 64, 0)
	w.add(43, idUlong, idLength, max(m.parameter, m.local, 1), 0)
	w.add(28, idArray, idUchar, idLength)
	w.add(30, idStruct, idArray)
	switch {
	case m.parameter != 0:
		w.add(32, idPointer, 7, idStruct)
		w.add(33, idFunction, idVoid, idPointer)
	case m.local != 0:
		w.add(32, idPointer, 4, idStruct)
		w.add(59, idPointer, idVariable, 4)
		fallthrough
	default:
		w.add(33, idFunction, idVoid)
	}
	if m.calls != "" {
		w.add(54, idVoid, idImport, 0, idFunction)
		w.add(56)
	}
	w.add(54, idVoid, idKernel, 0, idFunction)
	if m.parameter != 0 {
		w.add(55, idPointer, idParameter)
	}
	w.add(248, idLabel)
	switch {
	case m.local != 0:
		w.add(63, idVariable, idVariable) // OpCopyMemory
	case m.calls != "":
		w.add(57, idVoid, idCall, idImport)
	}
	w.add(253)
	w.add(56)
	data := make([]byte, 0, 4*len(w))
	for _, word := range w {
		data = binary.LittleEndian.AppendUint32(data, word)
	}
	return string(data)
}

// verdict returns the status of the kernels in a file on each device, with the reasons, worst
// first. The kernels of a module without metadata have separate requirements.
func verdict(t *testing.T, file string) map[string]string {
	t.Helper()
	mustRun(t, "report", "--devices", "intel_gpu_tgllp,intel_gpu_acm_g10,intel_gpu_pvc,intel_gpu_bmg_g21,intel_gpu_ptl_u,intel_gpu_cri,intel_cpu_spr", "--format", "json", "--output", "verdict.json", file)
	r, err := report.Decode("verdict.json", strings.NewReader(testkit.ReadFile(t, "verdict.json")))
	testkit.NoError(t, err)
	result := map[string]string{}
	for i, d := range r.Devices {
		reasons := map[string]bool{}
		status := report.Outcome{}.Status
		for _, k := range r.Kernels {
			o := r.Outcomes[r.Rows[k.Row][i]]
			status = max(status, o.Status)
			for _, reason := range o.Reasons {
				reasons[string(reason.Rule)+" "+reason.Text] = true
			}
		}
		var list []string
		for reason := range reasons {
			list = append(list, reason)
		}
		slices.Sort(list)
		result[d.Name] = fmt.Sprint(status, list)
	}
	return result
}

// TestOneModuleOneVerdict checks that a module has the same status on its own as in a SYCLBIN, an
// object, a library and a program.
func TestOneModuleOneVerdict(t *testing.T) {
	modules := map[string]string{
		"plain":            (&corpusModule{}).spirv(),
		"parameters":       (&corpusModule{parameter: 3000}).spirv(),
		"small parameters": (&corpusModule{parameter: 1000}).spirv(),
		"local memory":     (&corpusModule{local: 100000}).spirv(),
		"images":           (&corpusModule{capabilities: []int{13}}).spirv(),
		"bindless images":  (&corpusModule{capabilities: []int{6528}, extensions: []string{"SPV_INTEL_bindless_images"}}).spirv(),
		"clock":            (&corpusModule{capabilities: []int{5055}, extensions: []string{"SPV_KHR_shader_clock"}}).spirv(),
		"float_controls2":  (&corpusModule{capabilities: []int{5603}, extensions: []string{"SPV_INTEL_float_controls2"}}).spirv(),
		"ray query":        (&corpusModule{calls: "intel_ray_query_sync"}).spirv(),
		"sub-group":        (&corpusModule{subGroup: 8}).spirv(),
		"work-group":       (&corpusModule{workGroup: 2048}).spirv(),
	}
	for _, name := range []string{"testdata/kernels.spv", "../../sycl/report/testdata/kernels.spv", "../../sycl/report/testdata/esimd.spv", "../../sycl/spirv/testdata/kernels.spv", "../../sycl/spirv/testdata/sizes.spv"} {
		modules[name] = testkit.ReadFile(t, filepath.FromSlash(name))
	}
	compiler, _ := exec.LookPath("gcc")
	refused := 0
	for name, code := range modules {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			testkit.WriteFile(t, "k.spv", code)
			want := verdict(t, "k.spv")
			if strings.Contains(fmt.Sprint(want), "incompatible") {
				refused++
			}
			parsed, err := spirv.Parse([]byte(code))
			testkit.NoError(t, err)
			properties, err := spirv.Properties(parsed)
			testkit.NoError(t, err)

			files := []string{"object.o", "library.a", "plain.syclbin", "described.syclbin"}
			object := container(t, code)
			testkit.WriteFile(t, "object.o", object)
			object += strings.Repeat("\n", len(object)%2)
			testkit.WriteFile(t, "library.a", fmt.Sprintf("!<arch>\n%-16s%-12d%-6d%-6d%-8s%-10d`\n%s", "k.o/", 0, 0, 0, "644", len(object), object))
			for file, metadata := range map[string]*propset.Registry{"plain.syclbin": new(propset.Registry), "described.syclbin": properties} {
				var b syclbin.Builder
				testkit.NoError(t, b.Add("k", metadata, syclbin.NewIR(syclbin.SPIRV, "spir64-unknown-unknown", strings.NewReader(code))))
				testkit.WriteFile(t, file, testkit.Written(t, func(w io.Writer) error { return syclbin.Write(w, b.File(syclbin.Executable), syclbin.Options{}) }))
			}
			if compiler != "" {
				testkit.WriteFile(t, "k.prop", testkit.Must(properties.MarshalText())(t))
				testkit.WriteFile(t, "k.table", "[Code|Properties]\nk.spv|k.prop\n")
				env := &cli.Env{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard}
				testkit.NoError(t, bundle.Wrap(t.Context(), env, bundle.WrapOptions{Output: "k.s", Runtime: release.Default(), Tables: []bundle.Table{{Triple: "spir64-unknown-unknown", File: "k.table"}}}))
				for file, mode := range map[string]string{"program.o": "-c", "library.so": "-shared"} {
					if out, err := exec.Command(compiler, mode, "-nostdlib", "-Wl,-z,noexecstack", "-Wl,--unresolved-symbols=ignore-all", "-o", file, "k.s").CombinedOutput(); err != nil {
						t.Fatalf("%v\n%s", err, out)
					}
					files = append(files, file)
				}
			}
			for _, file := range files {
				got := verdict(t, file)
				for device, status := range want {
					if got[device] != status {
						t.Errorf("%s on %s: %s, but alone %s", file, device, got[device], status)
					}
				}
			}
		})
	}
	if refused < 8 {
		t.Errorf("only %d modules are rejected by a device", refused)
	}
}
