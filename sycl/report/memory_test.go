package report_test

import (
	"bytes"
	"runtime"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/reporttest"
	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/report"
)

// TestReportsNeedLittleMemory checks that a decoded report needs little more memory than its names.
func TestReportsNeedLittleMemory(t *testing.T) {
	const kernels, most = 20_000, 300
	text := []byte(encode(t, reporttest.Build(t, reporttest.Large(kernels), "intel_gpu_dg2", "intel_gpu_pvc", "intel_gpu_tgllp", "x86_64", "intel_cpu_spr", "nvidia_gpu_sm_80", "spir64")))
	before := heap()
	r, err := report.Decode("r.json", bytes.NewReader(text))
	testkit.NoError(t, err)
	after := heap()
	t.Logf("%d bytes for each kernel", (after-before)/kernels)
	if n := (after - before) / kernels; n > most {
		t.Errorf("%d bytes per kernel, limit %d", n, most)
	}
	runtime.KeepAlive(r)
	runtime.KeepAlive(text)
}

// TestBuildersNeedLittleMemory checks that a builder needs little more memory for a module than its
// names, and releases it after building the report.
func TestBuildersNeedLittleMemory(t *testing.T) {
	const kernels, most = 20_000, 300
	modules := reporttest.Large(kernels)
	config := deviceconfig.Default()
	before := heap()
	b := report.NewBuilder(config)
	for i := range modules {
		b.Add(&modules[i])
	}
	if n := (heap() - before) / kernels; n > most {
		t.Errorf("%d bytes per kernel before the report is built, limit %d", n, most)
	}
	r, err := b.Report(config.Devices()[:8], report.Generator{Name: "test", Version: "1"}, "//demo:kernels")
	testkit.NoError(t, err)
	if n := (heap() - before) / kernels; n > most {
		t.Errorf("%d bytes per kernel of the report, limit %d", n, most)
	}
	runtime.KeepAlive(b)
	runtime.KeepAlive(r)
	runtime.KeepAlive(modules)
}

// heap returns the number of live bytes on the heap.
func heap() uint64 {
	runtime.GC()
	runtime.GC() // for objects with finalizers
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestMergingNeedsLittleMemory checks that merging reports allocates little more than the lists of
// the result. With a map of all outcomes, it allocated 9,700 bytes per kernel here.
func TestMergingNeedsLittleMemory(t *testing.T) {
	const kernels, most = 20_000, 3_000
	one := reporttest.BuildLabelled(t, "//a:a", reporttest.Large(kernels), "intel_gpu_dg2", "intel_gpu_pvc", "x86_64", "spir64")
	other := reporttest.BuildLabelled(t, "//b:b", reporttest.Large(kernels), "intel_gpu_pvc", "intel_gpu_tgllp", "intel_cpu_spr", "nvidia_gpu_sm_80")
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r := reporttest.Merge(t, one, other)
	runtime.ReadMemStats(&after)
	if n := (after.TotalAlloc - before.TotalAlloc) / uint64(len(r.Kernels)); n > most {
		t.Errorf("%d bytes allocated per kernel, limit %d", n, most)
	}
}
