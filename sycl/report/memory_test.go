package report_test

import (
	"bytes"
	"runtime"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/reporttest"
	"github.com/rules-sycl/rules_sycl/sycl/report"
)

// A report that is read takes little more memory than the names in it. With lists of
// structs and a string for each text it was 865 bytes for each of these kernels.
func TestReportsNeedLittleMemory(t *testing.T) {
	const kernels, most = 20_000, 250
	text := []byte(encode(t, reporttest.Build(t, reporttest.Large(kernels), "intel_gpu_dg2", "intel_gpu_pvc", "intel_gpu_tgllp", "x86_64", "intel_cpu_spr", "nvidia_gpu_sm_80", "spir64")))
	before := heap()
	r, err := report.Decode("r.json", bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	after := heap()
	t.Logf("%d bytes for each kernel", (after-before)/kernels)
	if n := (after - before) / kernels; n > most {
		t.Errorf("%d bytes for each kernel, more than %d", n, most)
	}
	runtime.KeepAlive(r)
	runtime.KeepAlive(text)
}

// heap returns the size of what is still in use.
func heap() uint64 {
	runtime.GC()
	runtime.GC() // what had finalizers
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
