package syclbin

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/offload"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/release"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
)

// lostKernels returns metadata with n kernels that the runtime cannot find by name.
func lostKernels(t testing.TB, n int) *propset.Registry {
	var b strings.Builder
	b.WriteString(strings.Replace(needsNothing, "__sycl_kernel_K", "k0", 1) + "[SYCL/kernel names]\n")
	for i := 1; i < n; i++ {
		fmt.Fprintf(&b, "k%d=1|1\n", i)
	}
	return registry(t, b.String())
}

const needsNothing = "[SYCL/kernel names]\n__sycl_kernel_K=1|1\n[SYCL/device requirements]\naspects=2|AAAAAAAAAAA\n"

// good returns a file without findings.
func good() *File {
	return &File{
		Version: 1, State: Executable, Global: mustParse("[SYCLBIN/global metadata]\nstate=1|2\n"),
		Modules: []*Module{{
			Metadata: mustParse(needsNothing),
			IR:       []*Image{NewIR(SPIRV, "spir64-unknown-unknown", strings.NewReader(spirvHead))},
		}, {
			Metadata: requirement.WithCompileTarget(mustParse(needsNothing), "intel_gpu_pvc"),
			Native:   []*Image{NewNative("intel_gpu_pvc", "spir64_gen-unknown-unknown", strings.NewReader("binary"))},
		}},
	}
}

func mustParse(text string) *propset.Registry {
	r, err := propset.Parse("", []byte(text))
	if err != nil {
		panic(err)
	}
	return r
}

// TestVerify checks all rules, except those about the bytes of a file, which have cases in the
// tests that read files.
func TestVerify(t *testing.T) {
	ir := func(f *File) *Image { return f.Modules[0].IR[0] }
	native := func(f *File) *Image { return f.Modules[1].Native[0] }
	tests := []struct {
		name   string
		damage func(f *File)
		want   []string // id, location, and part of the message
	}{
		{"a valid file", func(f *File) {}, nil},
		{"no state", func(f *File) { f.Global, f.State = mustParse("[SYCLBIN/global metadata]\n"), NoState },
			[]string{"state-missing: global metadata: missing state"}},
		{"a state out of range", func(f *File) { f.Global, f.State = mustParse("[SYCLBIN/global metadata]\nstate=1|3\n"), 3 },
			[]string{"state-invalid: global metadata: the state is 3"}},
		{"a state that is text", func(f *File) {
			f.Global, f.State = mustParse("[SYCLBIN/global metadata]\nstate=2|IAAAAAAAAAAE\n"), NoState
		},
			[]string{"state-invalid: global metadata: the state is a byte array"}},
		{"lost kernels", func(f *File) { f.Modules[0].Metadata = lostKernels(t, 3) },
			[]string{`kernel-name-prefix: abstract module 0: ext_oneapi_get_kernel cannot find 3 kernels: "k0", "k1", "k2"`}},
		{"many lost kernels", func(f *File) { f.Modules[0].Metadata = lostKernels(t, maxLost+7) },
			[]string{`kernel-name-prefix: abstract module 0: ext_oneapi_get_kernel cannot find at least 1000 kernels: "k0", "k1", "k10", "k100", "k1000" and 995 more`}},
		{"an unexpected set in the global metadata", func(f *File) { f.Global.Add("SYCL/kernel names") },
			[]string{`metadata-sets: global metadata: the set "SYCL/kernel names" does not belong here`}},
		{"a SYCLBIN set in a module", func(f *File) { f.Modules[0].Metadata.Add(propset.SYCLBINIR) },
			[]string{`metadata-sets: abstract module 0: the set "SYCLBIN/ir module metadata"`}},
		{"an unexpected set of an IR module", func(f *File) { ir(f).Metadata.Add("X\x1b") },
			[]string{`metadata-sets: IR module 0 of abstract module 0: the set "X\x1b"`}},
		{"no modules", func(f *File) { f.Modules = nil }, []string{"no-modules: file"}},
		{"a module without images", func(f *File) { f.Modules[0].IR = nil }, []string{"module-empty: abstract module 0"}},
		{"no kernel names", func(f *File) { f.Modules[0].Metadata.Delete(propset.KernelNames) },
			[]string{"kernel-names-missing: abstract module 0: the module names no kernels"}},
		{"no kernels", func(f *File) {
			f.Modules[0].Metadata.Delete(propset.KernelNames)
			for _, i := range f.Modules[0].IR {
				if i.Format() == offload.SPIRV {
					i.Source = strings.NewReader(spirvHead + strings.Repeat("\x00", 10))
				}
			}
			f.Modules[0].IR = slices.DeleteFunc(f.Modules[0].IR, func(i *Image) bool { return i.Format() != offload.SPIRV })
		}, []string{"kernel-names-missing: abstract module 0: the module has no kernels and exports no symbols"}},
		{"a library without kernels", func(f *File) {
			f.Modules[0].Metadata.Delete(propset.KernelNames)
			f.Modules[0].Metadata.Add(propset.ExportedSymbols).Put("f", propset.Uint(1))
		}, nil},
		{"no aspects", func(f *File) { f.Modules[0].Metadata.Set(propset.DeviceRequirements).Delete("aspects") }, []string{"aspects-missing: abstract module 0"}},
		{"a value of the wrong type", func(f *File) {
			f.Modules[0].Metadata.Set(propset.DeviceRequirements).Put("aspects", propset.Uint(5))
		}, []string{`property-value: abstract module 0: "SYCL/device requirements", key "aspects": the value is a 32-bit number`}},
		{"a space in the name of a set", func(f *File) { f.Modules[0].Metadata.Add("SYCL/kernel  names ").Put("k", propset.Uint(1)) },
			[]string{`set-name: abstract module 0: readers do not recognize the set "SYCL/kernel  names " as "SYCL/kernel names"`}},
		{"an undocumented key", func(f *File) { ir(f).Set().Put("Type", propset.Uint(0)) },
			[]string{`property-key: IR module 0 of abstract module 0: "SYCLBIN/ir module metadata", key "Type": the set has type and target`}},
		{"two masks of device libraries", func(f *File) {
			set := f.Modules[0].Metadata.Add(propset.DeviceLibReqMask)
			set.Put("DeviceLibReqMask", propset.Uint(1))
			set.Put("DeviceLibReqMask2", propset.Uint(1))
		}, []string{`property-key: abstract module 0: "SYCL/devicelib req mask", key "DeviceLibReqMask2": the set has DeviceLibReqMask`}},
		{"properties of unknown kernels", func(f *File) {
			m := f.Modules[0].Metadata
			kernel := m.Set(propset.KernelNames).Keys()[0]
			m.Add(propset.ImplicitLocalArg).Put("gone", propset.Uint(0))
			m.Set(propset.ImplicitLocalArg).Put(kernel, propset.Uint(1))
			m.Add(propset.RegisteredKernels).Put("a", propset.String(kernel))
			m.Set(propset.RegisteredKernels).Put("b", propset.String("lost"))
			m.Add(propset.KernelParamOpt).Put("__devicelib_f", propset.Bits([]byte{1}, 1))
			m.Add(propset.ProgramMetadata).Put("f@max_work_group_size", propset.Uint32s(8))
		}, []string{`kernel-unknown: abstract module 0: "SYCL/implicit local arg", key "gone": the module has no kernel "gone"`,
			`kernel-unknown: abstract module 0: "SYCL/registered kernels", key "b": the module has no kernel "lost"`}},
		{"a tab in the name of a set", func(f *File) { f.Modules[0].Metadata.Add("SYCL/kernel\tnames").Put("k", propset.Uint(1)) },
			[]string{`set-name: abstract module 0: readers do not recognize the set "SYCL/kernel\tnames" as "SYCL/kernel names"`}},
		{"four sub-group sizes", func(f *File) {
			f.Modules[0].Metadata.Set(propset.DeviceRequirements).Put("reqd_sub_group_size", propset.Uint32s(8, 16, 32, 64))
		}, []string{`property-value: abstract module 0: "SYCL/device requirements", key "reqd_sub_group_size": the byte array holds 4 numbers, not 1 to 3`}},
		{"fixed targets that are not text", func(f *File) {
			f.Modules[0].Metadata.Set(propset.DeviceRequirements).Put("fixed_target", propset.Bytes([]byte{0xff, 0xfe, 0xfd}))
		}, []string{`property-value: abstract module 0: "SYCL/device requirements", key "fixed_target": the byte array is not a list of 32-bit aspect numbers, and the byte array is not text`}},
		{"an unknown register allocation mode", func(f *File) {
			f.Modules[0].Metadata.Add(propset.MiscProperties).Put("sycl-register-alloc-mode", propset.Uint(5))
		}, []string{`property-value: abstract module 0: "SYCL/misc properties", key "sycl-register-alloc-mode": unknown value 5; expected 0 (automatic) or 2 (large)`}},
		{"truncated default values of constants", func(f *File) {
			f.Modules[0].Metadata.Add(propset.SpecializationConstants).Put("scale", propset.Uint32s(0, 0, 4))
			f.Modules[0].Metadata.Add(propset.SpecializationConstantDefaults).Put("all", propset.Bytes([]byte{1, 2}))
		}, []string{`property-value: abstract module 0: "SYCL/specialization constants default values", key "all": the 2 bytes end within the constant "scale"`}},
		{"overlapping parts of a constant", func(f *File) {
			f.Modules[0].Metadata.Add(propset.SpecializationConstants).Put("scale", propset.Uint32s(0, 0, 4, 1, 2, 4))
		}, []string{`property-value: abstract module 0: "SYCL/specialization constants", key "scale": record 2 begins at offset 2`}},
		{"no IR metadata", func(f *File) { ir(f).Metadata = new(propset.Registry) }, []string{"ir-metadata-missing: IR module 0 of abstract module 0"}},
		{"no IR type", func(f *File) { ir(f).Set().Delete("type") }, []string{"ir-type-missing: IR module 0"}},
		{"an IR type out of range", func(f *File) { ir(f).Set().Put("type", propset.Uint(3)) }, []string{"ir-type-invalid: IR module 0 of abstract module 0: the type is 3"}},
		{"an IR type that is text", func(f *File) { ir(f).Set().Put("type", propset.String("x")) }, []string{"ir-type-invalid: IR module 0 of abstract module 0: the type is a byte array"}},
		{"an IR type that contradicts the bytes", func(f *File) { ir(f).Set().Put("type", propset.Uint(1)) },
			[]string{"ir-type-mismatch: IR module 0 of abstract module 0: the type is PTX (1), but the bytes are SPIR-V: SPIR-V (0)"}},
		{"no IR target", func(f *File) { ir(f).Set().Delete("target") }, []string{"ir-target-missing: IR module 0"}},
		{"no native metadata", func(f *File) { native(f).Metadata = new(propset.Registry) }, []string{"native-compile-target: abstract module 1", "native-metadata-missing: native image 0 of abstract module 1"}},
		{"the alternative name of the native metadata", func(f *File) {
			r := new(propset.Registry)
			r.Add(propset.SYCLBINNativeAlias).Put("arch", propset.String("intel_gpu_pvc"))
			r.Add(propset.SYCLBINNativeAlias).Put("target", propset.String("t"))
			native(f).Metadata = r
		}, []string{"native-metadata-name: native image 0"}},
		{"no architecture", func(f *File) { native(f).Set().Delete("arch") },
			[]string{`native-compile-target: abstract module 1: the native image is for "", and the compile_target of the module is "intel_gpu_pvc"`, "native-arch-missing: native image 0"}},
		{"code for CPUs as written by the runtime", func(f *File) {
			f.Modules[1].Metadata = f.Modules[0].Metadata
			f.Modules[1].Native[0] = NewNative("x86_64", "spir64-unknown-unknown", strings.NewReader("binary"))
		}, nil},
		{"code for CPUs with an architecture", func(f *File) {
			f.Modules[1].Metadata = f.Modules[0].Metadata
			f.Modules[1].Native[0] = NewNative("intel_cpu_spr", "spir64-unknown-unknown", strings.NewReader("binary"))
		}, nil},
		{"images for two architectures in one module", func(f *File) {
			f.Modules[1].Native = append(f.Modules[1].Native, NewNative("intel_gpu_bmg_g21", "spir64_gen-unknown-unknown", strings.NewReader("binary")))
		}, []string{"native-compile-target: abstract module 1: 2 of the module's 2 images are native: the runtime cannot determine"}},
		{"a native image next to IR", func(f *File) { f.Modules[0].Native = f.Modules[1].Native },
			[]string{"native-compile-target: abstract module 0: 1 of the module's 2 images is native"}},
		{"a native image without compile_target", func(f *File) { f.Modules[1].Metadata = f.Modules[0].Metadata },
			[]string{`native-compile-target: abstract module 1: the native image is for "intel_gpu_pvc", and the compile_target of the module is ""`}},
		{"IR with compile_target", func(f *File) { f.Modules[0].Metadata = f.Modules[1].Metadata },
			[]string{`ir-compile-target: abstract module 0: the module has IR, and its compile_target is "intel_gpu_pvc"`}},
		{"a kernel without prefix", func(f *File) { f.Modules[0].Metadata.Add(propset.KernelNames).Put("K2", propset.Uint(1)) },
			[]string{`kernel-name-prefix: abstract module 0: ext_oneapi_get_kernel cannot find the kernel "K2"`}},
		{"kernels without prefix", func(f *File) {
			f.Modules[0].Metadata.Add(propset.KernelNames).Put("K2", propset.Uint(1))
			f.Modules[0].Metadata.Add(propset.KernelNames).Put("K3", propset.Uint(1))
		}, []string{`kernel-name-prefix: abstract module 0: ext_oneapi_get_kernel cannot find 2 kernels: "K2", "K3"`}},
		{"many kernels without prefix", func(f *File) {
			for _, name := range []string{"_ZTS1A", "_ZTS1B", "_ZTS1C", "_ZTS1D", "_ZTS1E", "_ZTS1F", "_ZTS1G", "_ZTSN4sycl3_V16detail19__pf_kernel_wrapperI1AEE"} {
				f.Modules[0].Metadata.Add(propset.KernelNames).Put(name, propset.Uint(1))
			}
		}, []string{`kernel-name-prefix: abstract module 0: ext_oneapi_get_kernel cannot find 7 kernels: "A", "B", "C", "D", "E" and 2 more`}},
		{"a kernel with two names, as written by the runtime", func(f *File) {
			set := f.Modules[0].Metadata.Add(propset.KernelNames)
			for _, name := range set.Keys() {
				set.Put("rtc_0$"+name, propset.Uint(1))
			}
		}, nil},
		{"virtual functions without kernels", func(f *File) {
			f.Modules[0].Metadata.Delete(propset.KernelNames)
			f.Modules[0].Metadata.Add(propset.VirtualFunctions).Put("virtual-functions-set", propset.String("set"))
		}, nil},
		{"no native target", func(f *File) { native(f).Set().Delete("target") }, []string{"native-target-missing: native image 0"}},
		{"IR as a native image", func(f *File) { native(f).Source = strings.NewReader(spirvHead) }, []string{"native-is-ir: native image 0 of abstract module 1: the bytes are SPIR-V"}},
		{"an empty image", func(f *File) { native(f).Source = strings.NewReader("") }, []string{"image-empty: native image 0"}},
		{"too many findings", func(f *File) {
			for i := range maxFindings + 10 {
				f.Global.Add(fmt.Sprint(i))
			}
		}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := good()
			test.damage(f)
			found := Verify(f)
			if len(found) == maxFindings {
				if last := found[len(found)-1]; last.ID != "too-many" {
					t.Errorf("last finding %v", last)
				}
				return
			}
			if len(found) != len(test.want) {
				t.Fatalf("found %v, want %q", found, test.want)
			}
			for i, f := range found {
				if got := f.ID + ": " + f.Place + ": " + f.Message; !strings.HasPrefix(got, test.want[i]) {
					t.Errorf("found %q, want %q", got, test.want[i])
				}
				if f.Fix == "" {
					t.Errorf("%s has no fix", f.ID)
				}
			}
		})
	}
}

func TestVerifyFor(t *testing.T) {
	both := good() // a kernel with IR and native code
	irOnly := good()
	irOnly.Modules = append(irOnly.Modules, &Module{Metadata: mustParse("[SYCL/kernel names]\n__sycl_kernel_L=1|1\n"), IR: irOnly.Modules[0].IR})
	object := good()
	object.State = Object
	input := good()
	input.State = Input
	noNative := good()
	noNative.Modules = noNative.Modules[:1]
	noNative.State = Object
	read := mustRead(t, vector(t, "v1_bare"))
	for _, tt := range []struct {
		name    string
		file    *File
		release string
		want    string
	}{
		{"native code for each kernel", both, "2025.3", ""},
		{"a kernel without native code", irOnly, "2025.3", `native-beside-ir: the kernel "__sycl_kernel_L" has only IR, which the runtime of 2025.3 ignores on GPUs`},
		{"a kernel without native code, 2026", irOnly, "2026.0", ""},
		{"native code in object state", object, "2025.3", "native-beside-ir: the file is in object state and has native images, with which sycl::link of 2025.3 may crash"},
		{"native code in input state", input, "2025.3", "native-beside-ir: the file is in input state and has native images, with which sycl::link of 2025.3 may crash"},
		{"native code in object state, 2026", object, "2026.2", ""},
		{"IR in object state", noNative, "2025.3", ""},
		{"an unsupported form", read, "2026.2", "runtime-form: the runtime of 2026.2 rejects the file: Incorrect Offload Binary magic number"},
	} {
		r := testkit.Must(release.Parse(tt.release))(t)
		var got []string
		found := VerifyFor(tt.file, r)
		if tt.file.Size > 0 { // it was read
			found = append(VerifyForm(tt.file, r), found...)
		}
		for _, f := range found {
			got = append(got, f.ID+": "+f.Message)
		}
		if text := strings.Join(got, "\n"); !strings.HasPrefix(text, tt.want) || (text == "") != (tt.want == "") {
			t.Errorf("%s: %q, want %q", tt.name, text, tt.want)
		}
	}
}

func TestVerifyVersion2Entries(t *testing.T) {
	global := v2Entry("global_metadata", globalText)
	global.OffloadKind = offload.OpenMP
	ir := v2Entry("ir", prefixed(irText, spirvHead), "am_index", "0", "ir_type", "1", "triple", "x", "arch", "y")
	ir.Strings[0].Value = "9"
	f := mustRead(t, container(t, 2, global, v2Entry("am_metadata", "[SYCL/kernel names]\n__sycl_kernel_K=1|1\n", "am_index", "0"), ir))
	want := []string{
		"entry 0: entry-offload-kind: the offload kind is openmp, not sycl",
		`entry 2: entry-strings: the string sycl_format_version is "9", not 2`,
		"entry 2: entry-strings: the string arch does not belong to the role ir",
		`entry 2: entry-strings: the string triple is "x", but the metadata has ""`,
		`entry 2: entry-strings: the string ir_type is "1", but the metadata has "0"`,
		"IR module 0 of abstract module 0: ir-target-missing: missing target",
	}
	var got []string
	for _, f := range Verify(f) {
		text, _, _ := strings.Cut(f.String(), ";")
		got = append(got, text)
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestRulesAreDistinct(t *testing.T) {
	seen := make(map[string]bool)
	for _, r := range Rules() {
		if r.ID == "" || r.Short == "" || r.Fix == "" || seen[r.ID] {
			t.Errorf("empty or duplicate rule %+v", r)
		}
		seen[r.ID] = true
	}
}
