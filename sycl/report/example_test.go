package report_test

import (
	"bytes"
	"fmt"
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
	config := deviceconfig.Default()
	dg2, _ := config.Lookup("intel_gpu_dg2")
	pvc, _ := config.Lookup("intel_gpu_pvc")
	r, err := report.Build([]report.Module{module}, []*deviceconfig.Device{dg2, pvc}, config,
		report.Generator{Name: "example", Version: "1.0"}, "//demo:kernels")
	if err != nil {
		log.Fatal(err)
	}
	for k, kernel := range r.Kernels {
		for d, device := range r.Devices {
			for _, reason := range r.Outcome(k, d).Reasons {
				fmt.Printf("%s on %s: %s: %s\n", kernel.Name, device.Name, reason.Status, reason.Text)
			}
		}
	}
	// Output:
	// _ZTS4Deep on intel_gpu_dg2: incompatible: Required aspect fp64 is not supported on the device
}
