package devicecode

import (
	"errors"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/internal/llvmir"
)

// FuzzLower checks that any module results in a readable module or in an input error.
func FuzzLower(f *testing.F) {
	f.Add(annotated("%x = %p {sycl-alignment=64 sycl-resource=a sycl-cache-read-hint=3}\n%y = %x {sycl-strange}\n%v = load i32, ptr %y\nstore i32 %v, ptr %x, !dbg !0"))
	f.Add(annotated("%1 = %2 {sycl-strange}\n%2 = %1 {sycl-prefetch-hint=1}\ncall void @llvm.memcpy.p0.p0.i64(ptr %1, ptr %2)"))
	f.Add("@g = global i32 0, !spirv.Decorations !0 \"sycl-device-global-size\"=\"4\" \"sycl-unique-id\"=\"u\"\n!0 = !{!1, !0}\n!1 = !{i32 6147, i32 1, !\"u\"}\n")
	f.Add("define spir_kernel void @k(ptr \"sycl-alignment\"=\"8\" \"sycl-strict\" %p) \"sycl-work-group-size\"=\"8,4\" \"sycl-floating-point-control\"=\"17\" \"sycl-pipelined\"=\"-1\" {\n  ret void\n}\n!spirv.ExecutionMode = !{!0, !1}\n!0 = !{ptr @k, i32 4462, i32 64}\n!1 = !{!1}\n")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4096 {
			t.SkipNow()
		}
		m, err := llvmir.Parse("fuzz.ll", text)
		if err != nil {
			t.SkipNow()
		}
		if _, err := LowerProperties(m, PropertyOptions{DPCPP: len(text)%2 == 0}); err != nil {
			var bad *MetadataError
			if !errors.As(err, &bad) {
				t.Fatal(err)
			}
			return
		}
		again := testkit.Text(t, m)
		if _, err := llvmir.Parse("again.ll", again); err != nil {
			t.Fatalf("%v\n%s", err, again)
		}
	})
}

// FuzzValues checks that any value of a property results in a valid decoration or in an error.
func FuzzValues(f *testing.F) {
	for name, value := range map[string]string{
		"sycl-cache-read-hint": "545", "sycl-latency-constraint": "1,2,3", "sycl-resource": "M\"\\", "sycl-strict": "false", "sycl-prefetch-hint": "3",
		"sycl-work-group-size": "8,4,2", "sycl-floating-point-control": "255", "sycl-alignment": "64", "sycl-pipelined": "-1",
	} {
		f.Add(name, value)
	}
	f.Fuzz(func(t *testing.T, name, value string) {
		m, err := llvmir.Parse("fuzz.ll", "define spir_kernel void @k(ptr %p) {\n  ret void\n}\n")
		if err != nil {
			t.Fatal(err)
		}
		if strings.ContainsRune(name, 0) || strings.ContainsRune(value, 0) {
			t.SkipNow()
		}
		m.Function("k").SetAttribute(name, value)
		m.Function("k").SetParamAttribute(0, name, value)
		if _, err := LowerProperties(m, PropertyOptions{}); err == nil {
			write(t, m)
		}
	})
}
