package report_test

import (
	"bytes"
	"log"
	"os"

	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/report"
)

func Example() {
	code, err := os.ReadFile("testdata/kernels.spv")
	if err != nil {
		log.Fatal(err)
	}
	module, err := report.FromSPIRV(bytes.NewReader(code))
	if err != nil {
		log.Fatal(err)
	}
	module.Kernels = module.Kernels[:4]
	config := deviceconfig.Default()
	dg2, _ := config.Lookup("intel_gpu_dg2")
	pvc, _ := config.Lookup("intel_gpu_pvc")
	r, err := report.Build([]report.Module{module}, []*deviceconfig.Device{dg2, pvc}, config,
		report.Generator{Name: "example", Version: "1.0"}, "//demo:kernels")
	if err != nil {
		log.Fatal(err)
	}
	report.WriteText(os.Stdout, r, report.TextOptions{})
	// Output:
	// //demo:kernels
	//
	// KERNEL     intel_gpu_dg2  intel_gpu_pvc
	// Deep       no: fp64       yes (JIT)
	// Folded     yes (JIT)      yes (JIT)
	// Plain      yes (JIT)      yes (JIT)
	// Untouched  yes (JIT)      yes (JIT)
	//
	// no: fp64: Required aspect fp64 is not supported on the device.
	//     Deep (kernels.cpp:31) on intel_gpu_dg2.
	//     Used by viaDouble(float) at kernels.cpp:19.
	//
	// 3 of 4 kernels run on every device.
}
