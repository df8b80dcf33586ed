package render_test

import (
	"log"
	"os"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/report/render"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
)

func Example() {
	modules := []report.Module{{
		Needs:   &requirement.Requirements{Aspects: []aspect.Aspect{aspect.FP64}},
		Kernels: []report.ModuleKernel{{Name: "_ZTSN3sim6ReduceIdEE"}},
		Images:  []report.ModuleImage{{Format: "spirv", Triple: "spir64-unknown-unknown"}},
	}}
	config := deviceconfig.Default()
	dg2, _ := config.Lookup("intel_gpu_dg2")
	pvc, _ := config.Lookup("intel_gpu_pvc")
	r, err := report.Build(modules, []*deviceconfig.Device{dg2, pvc}, config, report.Generator{Name: "example", Version: "1.0"}, "//demo:kernels")
	if err != nil {
		log.Fatal(err)
	}
	render.Text(os.Stdout, r, render.TextOptions{})
	// Output:
	// //demo:kernels
	//
	// KERNEL               intel_gpu_dg2  intel_gpu_pvc
	// sim::Reduce<double>  no: fp64       yes (JIT)
	//
	// GPUs: intel_gpu_pvc (Data Center GPU Max 1550)
	//
	// no: fp64: Required aspect fp64 is not supported on the device.
	//     sim::Reduce<double> on intel_gpu_dg2.
	//
	// The kernel does not run on every device.
}
