package gate_test

import (
	"fmt"
	"log"
	"strings"
	"time"

	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/gate"
	"github.com/rules-sycl/rules_sycl/sycl/report"
)

func Example() {
	policy, err := gate.ReadPolicy("policy.yaml", strings.NewReader(`
version: 1
devices: {required: [intel_gpu_pvc], supported: [intel_gpu_dg2]}
`))
	if err != nil {
		log.Fatal(err)
	}
	r := &report.Report{
		Targets: []string{"//demo:kernels"},
		Devices: []report.Device{{Name: "intel_gpu_dg2"}, {Name: "intel_gpu_pvc"}},
		Kernels: []report.Kernel{{Name: "_ZTS4Axpy", DisplayName: "Axpy"}},
		Rows:    [][]int32{{1, 0}},
		Outcomes: []report.Outcome{
			{Status: compat.Compatible},
			{Status: compat.Incompatible, Reasons: []report.Reason{{Rule: "missing-aspect", Required: "fp64", Status: compat.Incompatible}}},
		},
	}
	result := gate.Evaluate(gate.Input{
		Reports: []*gate.Index{gate.NewIndex("kernels.compat.json", r)},
		Policy:  policy,
		Today:   time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC),
	})
	fmt.Println(result.Conclusion)
	for _, f := range result.Findings {
		fmt.Println(f.Severity, f.Rule, f.Kernel, f.Devices[0].ID, f.Required)
	}
	// Output:
	// success
	// warning missing-aspect Axpy intel_gpu_dg2 fp64
}
