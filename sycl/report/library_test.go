package report_test

import (
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/reporttest"
	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/report"
)

func TestLibraryName(t *testing.T) {
	for label, want := range map[string]string{
		"bigdl-core-cpp/bigdl/cpp/libs/libggml-sycl.so":          "bigdl-core-cpp/bigdl/cpp/libs/ggml-sycl",
		"bigdl-core-cpp/bigdl/cpp/libs/ggml-sycl.dll":            "bigdl-core-cpp/bigdl/cpp/libs/ggml-sycl",
		"pkg/_core.cpython-312-x86_64-linux-gnu.so":              "pkg/_core",
		"pkg/_core.cp313-win_amd64.pyd":                          "pkg/_core",
		"pkg/_core.abi3.so":                                      "pkg/_core",
		"pkg/_core.pypy310-pp73-x86_64-linux-gnu.so":             "pkg/_core",
		"pkg (cp311-cp311-manylinux_2_28_x86_64)/pkg/libx.dylib": "pkg/pkg/x",
		"onemkl-sycl-blas/lib/libmkl_sycl_blas.so.5":             "onemkl-sycl-blas/mkl_sycl_blas",
		"onemkl-sycl-blas/Library/bin/mkl_sycl_blas.5.dll":       "onemkl-sycl-blas/mkl_sycl_blas",
		"root/lib/python3.12/site-packages/pkg/libx.so":          "root/pkg/x",
		"pkg.libs/libcore-1a2b3c4d.so":                           "pkg.libs/core",
		"app.exe":                                                "app",
		"app":                                                    "app",
		"//demo:kernels":                                         "//demo:kernels",
		"":                                                       "",
	} {
		if got := report.LibraryName(label); got != want {
			t.Errorf("%q: %q, want %q", label, got, want)
		}
	}
}

// TestWithoutRepeatedLibraries checks that builds of a library for several Python versions count as
// one library.
func TestWithoutRepeatedLibraries(t *testing.T) {
	of := func(label string, kernels ...string) *report.Report {
		return reporttest.BuildLabelled(t, label, []report.Module{{Needs: &needs{Aspects: []aspect.Aspect{aspect.FP64}}, Kernels: reporttest.Kernels(kernels...),
			Images: []report.ModuleImage{reporttest.IR(1)}}}, "intel_gpu_pvc", "intel_gpu_dg2")
	}
	r := reporttest.Merge(t, of("lib (cp39)/k.cpython-39-x86_64-linux-gnu.so", "K", "L"), of("lib (cp312)/k.cpython-312-x86_64-linux-gnu.so", "K", "M"), of("lib/other.so", "K"))
	once := r.WithoutRepeatedLibraries()
	want := map[string]string{"K": "", "L": "lib (cp39)/k.cpython-39-x86_64-linux-gnu.so", "M": "lib (cp312)/k.cpython-312-x86_64-linux-gnu.so"}
	if len(r.Kernels) != 5 || len(once.Kernels) != 4 || len(once.Devices) != 2 {
		t.Fatalf("%d of %d kernels", len(once.Kernels), len(r.Kernels))
	}
	for i := range once.Kernels {
		k := &once.Kernels[i]
		label := once.Target(k)
		if name := k.Name; want[name] != "" && label != want[name] || label == "lib (cp39)/k.cpython-39-x86_64-linux-gnu.so" && name == "K" {
			t.Errorf("%s has the label %s", name, label)
		}
	}
	if again := once.WithoutRepeatedLibraries(); again != once {
		t.Error("a report without repetitions was copied")
	}
}
