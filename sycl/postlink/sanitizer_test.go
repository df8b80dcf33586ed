package postlink

import (
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

const instrumented = `@name = internal addrspace(1) constant [2 x i8] c"a\00"
@LIST = appending dso_local addrspace(1) global [2 x { i64, i64 }] [{ i64, i64 } { i64 ptrtoint (ptr addrspace(1) @name to i64), i64 1 }, { i64, i64 } zeroinitializer] #1
define weak_odr spir_kernel void @a() "sycl-module-id"="a.cpp" {
  ret void
}
define weak_odr spir_kernel void @b() "sycl-module-id"="b.cpp" {
  ret void
}
attributes #1 = { "sycl-device-global-size"="16" "sycl-device-image-scope" "sycl-host-access"="0" "sycl-unique-id"="u" }
`

// TestSanitizerLists checks that each image has the list of kernels, in the format that the
// sanitizer's runtime reads, and names the sanitizer.
func TestSanitizerLists(t *testing.T) {
	for list, want := range map[string]string{
		"__AsanKernelMetadata":          "asan",
		"__AsanKernelMetadata_4f0a":     "asan",
		"__MsanKernelMetadata":          "msan",
		"__TsanKernelMetadata":          "tsan",
		"__TsanKernelMetadata_id":       "tsan",
		"__AsanKernelMetadataOfSomeone": "",
	} {
		t.Run(list, func(t *testing.T) {
			result, err := run(parse(t, strings.ReplaceAll(instrumented, "LIST", list)), Options{Split: SplitOptions{Mode: SplitPerSource}})
			if err != nil || len(result.Images) != 2 {
				t.Fatalf("%+v, %v", result, err)
			}
			for _, image := range result.Images {
				sets := testkit.Must(image.Properties(PropertyOptions{DeviceGlobals: true}))(t)
				got := ""
				if misc := sets.Set("SYCL/misc properties"); misc != nil {
					if v, ok := misc.Get("sanUsed"); ok {
						got, _ = v.Text()
					}
				}
				if got != want {
					t.Errorf("sanUsed %q, want %q", got, want)
				}
				var code strings.Builder
				testkit.NoError(t, image.WriteCode(&code))
				if want == "" {
					continue
				}
				if !strings.Contains(code.String(), "@"+list+" = dso_local addrspace(1) global { [2 x { i64, i64 }] } { [2 x { i64, i64 }] [") ||
					!strings.Contains(code.String(), `"sycl-device-global-size"="32"`) || !strings.Contains(code.String(), "@name = ") {
					t.Error(code.String())
				}
			}
		})
	}
}
