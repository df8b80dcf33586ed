package hostwrap

import (
	"os"
	"strings"
	"testing"
)

// TestHasNonKernelData checks samples of the output of libsycl-jit 2026.2.0. A sample without a
// footer file has an empty footer.
func TestHasNonKernelData(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile("testdata/" + name)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		return string(text)
	}
	for name, want := range map[string]bool{
		"kernels":                  false,
		"names":                    false,
		"device_global":            true,
		"free_function":            true,
		"specialization_constants": true,
	} {
		header, footer := read(name+".h"), read(name+".footer.h")
		if header == "" {
			t.Fatalf("missing sample %s", name)
		}
		if got := HasNonKernelData(header, footer); got != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
		for _, more := range []string{"void f();\n", "template <> struct is_kernel<f> {\n};\n", "#include <sycl/kernel_bundle.hpp>\n", "class R {\n};\n"} {
			if !HasNonKernelData(header+more, "") || !HasNonKernelData(strings.Replace(header, "\nnamespace sycl", "\n"+more+"namespace sycl", 1), "") {
				t.Errorf("%s: %q was recognized as kernel data", name, more)
			}
		}
	}
	if HasNonKernelData("", "") {
		t.Error("HasNonKernelData of empty texts = true")
	}
}
