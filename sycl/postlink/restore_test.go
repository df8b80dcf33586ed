package postlink

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/internal/llvmir"
	"github.com/rules-sycl/rules_sycl/sycl/postlink/internal/devicecode"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// bare is the output of the translator from SPIR-V.
const bare = `target triple = "spir64-unknown-unknown"
@list = addrspace(1) constant i32 0, align 4, !spirv.Decorations !9
@pipe = addrspace(1) global i32 0
@__AsanKernelMetadata = addrspace(1) global i32 0

define spir_kernel void @_ZTS1K(ptr addrspace(1) %a, ptr addrspace(3) %b) !reqd_work_group_size !6 {
  %x = load float, ptr addrspace(1) %a, !spirv.Decorations !1
  %y = fmul float %x, %x, !spirv.Decorations !3
  %z = fadd nnan float %y, %x, !spirv.Decorations !4
  %n = sub nsw i32 0, 1, !spirv.Decorations !5
  call spir_func void @_Z4fromv()
  ret void
}

define spir_func void @_Z2tov() {
  call spir_func void @_Z6insidev()
  ret void
}

define spir_func void @_Z6insidev() {
  ret void
}

declare spir_func void @_Z4fromv()

!spirv.Source = !{!0}
!opencl.enable.FP_CONTRACT = !{}

!0 = !{i32 0, i32 0}
!1 = !{!2}
!2 = !{i32 44, i32 4}
!3 = !{!7, !10}
!4 = !{!7}
!5 = !{!8}
!6 = !{i32 8, i32 4, i32 2}
!7 = !{i32 40, i32 1}
!8 = !{i32 4469}
!9 = !{!11, !2}
!10 = !{i32 5635}
!11 = !{i32 22}
`

func parseBare(t *testing.T) *llvmir.Module {
	t.Helper()
	m := testkit.Must(llvmir.Parse("bare.ll", bare))(t)
	return m
}

func registry(t *testing.T, text string) *propset.Registry {
	t.Helper()
	r := testkit.Must(propset.Parse("test", []byte(text)))(t)
	return r
}

// common holds the properties that every post-link step writes.
const common = "[SYCL/kernel names]\n_ZTS1K=1|1\n[SYCL/exported symbols]\n_Z2tov=1|1\n[SYCL/imported symbols]\n_Z4fromv=1|1\n"

// TestRestore checks that restored code has the properties of its image.
func TestRestore(t *testing.T) {
	const places = "11:0:src/k.cpp\nfp64\t7:19:src/math.hpp\t_Z6squared\n"
	r := registry(t, common+`[SYCL/device requirements]
aspects=`+propset.Uint32s(5, 6, 58).String()+`
fixed_target=`+propset.String("intel_gpu_12_60_7,intel_gpu_bmg_g21").String()+`
joint_matrix=`+propset.String("matrix_type::fp16,use::a,8,16;matrix_type::fp16,use::b,16,16").String()+`
reqd_sub_group_size=1|16
reqd_work_group_size_uint64_t=`+propset.Uint64s(8, 4, 2).String()+`
[SYCL/kernel param opt]
_ZTS1K=`+propset.Bits([]byte{0b101}, 3).String()+`
[SYCL/implicit local arg]
_ZTS1K=1|1
[SYCL/work group dynamic local mem]
_ZTS1K=1|1
[SYCL/device globals]
list=`+propset.Uint32s(4, 1).String()+`
[SYCL/host pipes]
pipe=`+propset.Uint32s(4).String()+`
[SYCL/registered kernels]
by name=`+propset.String("_ZTS1K").String()+`
[SYCL/misc properties]
isEsimdImage=1|1
sycl-grf-size=1|256
optLevel=1|3
sanUsed=`+propset.String("asan").String()+`
specConstsReplacedWithDefault=1|1
[rules_sycl/source places]
_ZTS1K=`+propset.String(places).String()+"\n")
	m := parseBare(t)
	lost, err := restore(m, "lib/a.syclbin", r)
	if err != nil || len(lost) > 0 {
		t.Fatalf("lost %q, %v", lost, err)
	}
	// The output can be parsed.
	if m, err = llvmir.Parse("again.ll", testkit.Text(t, m)); err != nil {
		t.Fatal(err)
	}
	images := testkit.Must(split(m, SplitOptions{Mode: SplitPerSource, Dependencies: true}))(t)
	if len(images) != 1 || images[0].Source != "lib/a.syclbin" {
		t.Fatalf("images: %+v", images)
	}
	define := images[0].define
	for _, name := range []string{"list", "pipe"} {
		define = append(define, m.Global(name))
	}
	got, err := properties(m, define, images[0].entryPoints, imageOptions{
		PropertyOptions: PropertyOptions{ParamInfo: true, ExportedSymbols: true, ImportedSymbols: true, KernelNames: true, DeviceGlobals: true},
		dependencies:    true,
	})
	testkit.NoError(t, err)
	value, ok := placesOf(m, m.Function("_ZTS1K"))
	if !ok {
		t.Fatal("location of the kernel lost")
	}
	got.Add(srcloc.Set).Put("_ZTS1K", value)
	if !got.Equal(r) {
		a, _ := got.SortedText()
		b, _ := r.SortedText()
		t.Errorf("got\n%s\nwant\n%s", a, b)
	}
}

func TestForgetTranslation(t *testing.T) {
	m := parseBare(t)
	testkit.Must(restore(m, "a", registry(t, common)))(t)
	got := testkit.Text(t, m)
	for _, want := range []string{
		"@list = linkonce_odr addrspace(1) constant i32 0, align 4\n",
		"%x = load float, ptr addrspace(1) %a\n",
		"%z = fadd contract nnan float %y, %x\n",
		"%n = sub nsw i32 0, 1\n",
		"define internal spir_func void @_Z6insidev()",
		"define spir_func void @_Z2tov()",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("missing %q in\n%s", want, got)
		}
	}
	// Only the decoration without a corresponding flag remains.
	again, err := llvmir.Parse("again.ll", got)
	testkit.NoError(t, err)
	for in := range again.Function("_ZTS1K").Body() {
		if in.Op() != "fmul" {
			continue
		}
		id, _ := in.Metadata(decorationsMD)
		if n := again.Node(id); n == nil || n.Text() != "!{!10}" || !strings.Contains(in.Text(), "fmul contract float") {
			t.Errorf("%s: decorations %v", in.Text(), n)
		}
	}
	if strings.Contains(got, "FP_CONTRACT") {
		t.Errorf("metadata of the translator remains:\n%s", got)
	}
	// An invalid language is ignored, and SYCL is used.
	if named := again.NamedMetadata("spirv.Source"); named == nil || len(named.Nodes()) != 1 || again.Node(named.Nodes()[0]).Text() != "!{i32 4, i32 100000}" {
		t.Errorf("the source language is not OpenCL C++ 1.0:\n%s", got)
	}
	// If a kernel does not allow contraction, the module must not allow it.
	m, err = llvmir.Parse("off.ll", strings.Replace(bare, "!opencl.enable.FP_CONTRACT = !{}\n", "", 1))
	testkit.NoError(t, err)
	testkit.Must(restore(m, "a", registry(t, common)))(t)
	if strings.Contains(testkit.Text(t, m), "contract") {
		t.Error("contract flag added without permission")
	}
}

// TestAllowContraction tests names that resemble an operation or a flag.
func TestAllowContraction(t *testing.T) {
	for text, want := range map[string]string{
		"%x = fadd float %a, %b":                      "%x = fadd contract float %a, %b",
		"%x = fadd nnan ninf float %a, %b":            "%x = fadd contract nnan ninf float %a, %b",
		"%fadd = fadd float %a, %a":                   "%fadd = fadd contract float %a, %a",
		`%"a = fadd b" = fadd double %a, %a`:          `%"a = fadd b" = fadd contract double %a, %a`,
		"%x=frem float %contract , %b":                "%x=frem contract float %contract , %b",
		"fdiv float %a, %b":                           "fdiv contract float %a, %b",
		"%x = fmul fast float %a, %b":                 "%x = fmul fast float %a, %b",
		"%x = fsub nnan contract <2 x half> %a, %b":   "%x = fsub nnan contract <2 x half> %a, %b",
		"%fadd = add i32 %a, %b":                      "%fadd = add i32 %a, %b",
		`%x = call float @f(float %a) "fadd " "fmul"`: `%x = call float @f(float %a) "fadd " "fmul"`,
	} {
		if got := allowContraction(text); got != want {
			t.Errorf("%s becomes %s, want %s", text, got, want)
		}
	}
}

// TestRestoreNoLocalArg checks a kernel that shares memory but has no parameter for it.
func TestRestoreNoLocalArg(t *testing.T) {
	m := parseBare(t)
	if lost, err := restore(m, "a.syclbin", registry(t, common+"[SYCL/implicit local arg]\n_ZTS1K=1|4294967295\n")); err != nil || len(lost) > 0 {
		t.Fatalf("lost %q, %v", lost, err)
	}
	got := testkit.Must(properties(m, []llvmir.Symbol{m.Function("_ZTS1K")}, nil, imageOptions{}))(t)
	if v, ok := got.Set(propset.ImplicitLocalArg).Get("_ZTS1K"); !ok || v.String() != "1|4294967295" {
		t.Errorf("got %v", v)
	}
}

// TestRestoreManyNames checks that the list of names is written once, not once per name.
func TestRestoreManyNames(t *testing.T) {
	cost := func(n int) uint64 {
		text := common + "[SYCL/registered kernels]\n"
		for i := range n {
			text += fmt.Sprintf("name%d=%s\n", i, propset.String("_ZTS1K"))
		}
		m, r := parseBare(t), registry(t, text)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if lost, err := restore(m, "a", r); err != nil || len(lost) > 0 || len(m.NamedMetadata(registeredNamesMD).Nodes()) != n {
			t.Fatalf("lost %q, %v", lost, err)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	cost(100)
	if small, large := cost(500), cost(2000); large > 6*small {
		t.Errorf("500 names: %d bytes, 2000 names: %d bytes", small, large)
	}
}

// TestRestoreUnknown checks that every visible function counts as exported if there are no property
// sets.
func TestRestoreUnknown(t *testing.T) {
	m := parseBare(t)
	if lost, err := restore(m, "a", new(propset.Registry)); err != nil || len(lost) > 0 {
		t.Fatalf("lost %q, %v", lost, err)
	}
	for name, want := range map[string]bool{"_ZTS1K": true, "_Z2tov": true, "_Z6insidev": true, "_Z4fromv": false} {
		f := m.Function(name)
		if _, ok := f.Attribute(devicecode.AttrModuleID); ok != want || f.Linkage() != llvmir.External {
			t.Errorf("%s: of a source: %v, linkage %q", name, ok, f.Linkage())
		}
	}
}

// TestRestoreSharedVariables checks that several images of a program may each have a copy of a
// visible variable, and that their modules can be linked.
func TestRestoreSharedVariables(t *testing.T) {
	m, err := llvmir.Parse("bare.ll", bare+"@table = addrspace(1) constant [1 x i32] [i32 7]\n@own = internal addrspace(1) constant i32 1\n"+
		"@other = external addrspace(1) global i32\n")
	testkit.NoError(t, err)
	device := "[SYCL/device globals]\nlist=" + propset.Uint32s(4, 1).String() + "\n"
	testkit.Must(restore(m, "a", registry(t, common+device)))(t)
	for name, want := range map[string]llvmir.Linkage{
		"table": llvmir.LinkOnceODR, "own": llvmir.Internal, "list": llvmir.External, "__AsanKernelMetadata": llvmir.External, "other": llvmir.External,
	} {
		if got := m.Global(name).Linkage(); got != want {
			t.Errorf("%s: linkage %q, want %q", name, got, want)
		}
	}
}

func TestRestoreSizes(t *testing.T) {
	m := parseBare(t)
	m.Function("_ZTS1K").RemoveMetadata("reqd_work_group_size")
	_, err := restore(m, "a", registry(t, common+"[SYCL/device requirements]\nwork_group_num_dim=1|2\n[SYCL/program metadata]\n"+
		"_ZTS1K@reqd_work_group_size="+propset.Uint32s(64, 1).String()+"\n_ZTS1K@reqd_sub_group_size=1|32\n_ZTS1K@max_linear_work_group_size=1|128\n"))
	testkit.NoError(t, err)
	for kind, want := range map[string][]uint64{
		"reqd_work_group_size": {64, 1}, "intel_reqd_sub_group_size": {32}, "max_linear_work_group_size": {128}, "work_group_num_dim": {2},
	} {
		if got, _ := devicecode.AttachedSizes(m, m.Function("_ZTS1K"), kind, 1, 3); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", kind, got, want)
		}
	}
}

// TestRestoreDPCPP checks properties that only DPC++ writes. DPC++ exports variables, lists the
// removed arguments of functions, and marks the images of its library, which is ordinary code after
// linking.
func TestRestoreDPCPP(t *testing.T) {
	m := parseBare(t)
	bits := propset.Bits([]byte{1}, 1).String()
	lost, err := restore(m, "a", registry(t, "[SYCL/devicelib metadata]\nbfloat16=1|1\n[SYCL/exported symbols]\n_Z2tov=1|1\npipe=1|1\n[SYCL/kernel names]\n_ZTS1K=1|1\n"+
		"[SYCL/kernel param opt]\n_Z2tov="+bits+"\n_Z4gonev="+bits+"\n_ZTS1K="+propset.Bits([]byte{2}, 2).String()+"\n"))
	if err != nil || len(lost) > 0 {
		t.Fatalf("lost %q, %v", lost, err)
	}
	if g := m.Global("pipe"); g.Linkage() != llvmir.WeakODR {
		t.Errorf("exported variable has linkage %q", g.Linkage())
	}
	for name, want := range map[string]bool{"_Z2tov": false, "_ZTS1K": true} {
		if f := m.Function(name); f.HasMetadata("sycl_kernel_omit_args") != want {
			t.Errorf("%s: removed arguments: %v", name, !want)
		}
	}
}

func TestRestoreErrors(t *testing.T) {
	for name, test := range map[string]struct{ properties, want string }{
		"a missing kernel":                      {"[SYCL/kernel names]\n_ZTS1X=1|1\n", "[SYCL/kernel names] X: the IR module has no kernel of that name"},
		"a function instead of a kernel":        {"[SYCL/kernel names]\n_Z2tov=1|1\n", "[SYCL/kernel names] to(): the IR module has no kernel"},
		"a missing export":                      {"[SYCL/exported symbols]\nlost=1|1\n", "[SYCL/exported symbols] lost: the IR module defines neither a function nor a variable"},
		"an export that is only declared":       {"[SYCL/exported symbols]\n_Z4fromv=1|1\n", "[SYCL/exported symbols] from(): the IR module defines neither a function nor a variable"},
		"a specialization constant":             {"[SYCL/specialization constants]\nsize=" + propset.Uint32s(0, 0, 4).String() + "\n", "[SYCL/specialization constants] size: the IR does not identify the constant"},
		"a device global with a different name": {"[SYCL/device globals]\nother=" + propset.Uint32s(4, 0).String() + "\n", "[SYCL/device globals] other: the IR does not identify the variable"},
		"a device global without its scope":     {"[SYCL/device globals]\nlist=" + propset.Uint32s(4).String() + "\n", "[SYCL/device globals] list: the value does not have the layout of a variable"},
		"virtual functions":                     {"[SYCL/virtual functions]\nvirtual-functions-set=" + propset.String("s").String() + "\n", "[SYCL/virtual functions] virtual-functions-set: the IR does not identify virtual functions"},
		"a missing parameter":                   {"[SYCL/implicit local arg]\n_ZTS1K=1|2\n", "[SYCL/implicit local arg] K: the IR module has no kernel of that name with such a parameter"},
		"memory of an unknown kernel":           {"[SYCL/work group dynamic local mem]\n_ZTS1X=1|1\n", "[SYCL/work group dynamic local mem] X: the IR module has no kernel of that name"},
		"removed parameters that are text":      {"[SYCL/kernel param opt]\n_ZTS1K=1|1\n", "[SYCL/kernel param opt] K: the value is not a list of bits"},
		"an image without a possible target":    {"[SYCL/device requirements]\nfixed_target=2|AAAAAAAAAAA\n", "[SYCL/device requirements] fixed_target: the image is not allowed to run anywhere"},
		"sub-groups of an unknown kernel":       {"[SYCL/device requirements]\nreqd_sub_group_size=" + propset.Uint32s(8, 16).String() + "\n", "no kernel in the IR module is marked as requiring sub-group size 8"},
		"a size that is text":                   {"[SYCL/program metadata]\n_ZTS1K@work_group_num_dim=" + propset.String("abc").String() + "\n", "expected one to three sizes"},
		"a sanitizer without its list":          {"[SYCL/misc properties]\nsanUsed=" + propset.String("msan").String() + "\n", "[SYCL/misc properties] sanUsed: the IR module does not have the sanitizer's list"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := restore(parseBare(t), "a", registry(t, test.properties))
			var refused *restoreError
			if !errors.As(err, &refused) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
	if _, err := restore(parseBare(t), "a", registry(t, "[SYCL/device requirements]\naspects=1|5\n")); err == nil || !strings.Contains(err.Error(), "aspects") {
		t.Errorf("numeric aspects: %v", err)
	}
}

func TestRestoreLosses(t *testing.T) {
	for name, test := range map[string]struct{ properties, want string }{
		"an unknown set":                   {"[of/others]\nkey=1|1\n", "the property key of the set [of/others] is lost: IR cannot express the set"},
		"an unknown requirement":           {"[SYCL/device requirements]\nnew=1|1\n", "the property new of the set [SYCL/device requirements] is lost: it is unknown"},
		"an unknown property":              {"[SYCL/misc properties]\nnew=1|1\n", "the property new of the set [SYCL/misc properties] is lost: IR cannot express it"},
		"default values without constants": {"[SYCL/specialization constants default values]\nall=" + propset.Uint32s(1).String() + "\n", "is lost: there is no specialization constant"},
	} {
		t.Run(name, func(t *testing.T) {
			lost, err := restore(parseBare(t), "a", registry(t, test.properties))
			if err != nil || len(lost) != 1 || !strings.Contains(lost[0], test.want) {
				t.Errorf("lost %q, %v; want %s", lost, err, test.want)
			}
		})
	}
	// Digests are recomputed from the code.
	if lost, err := restore(parseBare(t), "a", registry(t, "["+propset.KernelDigests+"]\nK=1|1\n")); err != nil || len(lost) != 0 {
		t.Errorf("lost %q, %v", lost, err)
	}
}

// FuzzRestore checks that a module can be parsed after any property sets were restored in it.
func FuzzRestore(f *testing.F) {
	f.Add([]byte(common))
	f.Add([]byte(common + "[SYCL/device requirements]\naspects=" + propset.Uint32s(5, 6).String() + "\nfixed_target=" + propset.String("a\"\\b,c").String() +
		"\njoint_matrix=" + propset.String("a;;b").String() + "\nreqd_sub_group_size=1|16\nreqd_work_group_size_uint64_t=" + propset.Uint64s(1<<40, 2).String() + "\n"))
	f.Add([]byte("[SYCL/kernel param opt]\n_ZTS1K=" + propset.Bits([]byte{5}, 3).String() + "\n[SYCL/implicit local arg]\n_ZTS1K=1|1\n" +
		"[SYCL/device globals]\nlist=" + propset.Uint32s(4, 1).String() + "\n[SYCL/host pipes]\npipe=" + propset.Uint32s(4).String() + "\n"))
	f.Add([]byte("[SYCL/registered kernels]\na\"b=" + propset.String("_ZTS1K\n").String() + "\n[SYCL/misc properties]\nisEsimdImage=1|1\noptLevel=1|3\nsanUsed=" +
		propset.String("asan").String() + "\n[SYCL/program metadata]\n_ZTS1K@work_group_num_dim=1|3\nx@global_id_mapping=" + propset.String("list").String() + "\n"))
	f.Add([]byte("[rules_sycl/source places]\n_ZTS1K=" + propset.String("1:2:a\n\xc3\xa9").String() + "\n[SYCL/virtual functions]\na=1|1\n"))
	f.Fuzz(func(t *testing.T, properties []byte) {
		r, err := propset.Parse("p", properties)
		if err != nil {
			return
		}
		m := testkit.Must(llvmir.Parse("bare.ll", bare))(t)
		if _, err := restore(m, "a", r); err != nil {
			return
		}
		if _, err := llvmir.Parse("again.ll", testkit.Text(t, m)); err != nil {
			t.Errorf("%v\n%s", err, testkit.Text(t, m))
		}
	})
}
