package render_test

import (
	"log"
	"os"
	"time"

	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/gate"
	"github.com/rules-sycl/rules_sycl/sycl/gate/render"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

func ExampleText() {
	r := &report.Report{
		Targets: []string{"//demo:kernels"},
		Devices: []report.Device{{Name: "intel_gpu_dg2"}},
		Kernels: []report.Kernel{{Name: "_ZTS4Axpy", DisplayName: "Axpy", Location: srcloc.Location{Path: "axpy.cpp", Line: 12}}},
		Rows:    [][]int32{{0}},
		Outcomes: []report.Outcome{{Status: compat.Incompatible,
			Reasons: []report.Reason{{Rule: "missing-aspect", Required: "fp64", Status: compat.Incompatible}}}},
	}
	result := gate.Evaluate(gate.Input{Reports: []*gate.Index{gate.NewIndex("kernels.compat.json", r)}, Today: time.Now()})
	if err := render.Text(os.Stdout, result, render.TextOptions{}); err != nil {
		log.Fatal(err)
	}
	// Output:
	// axpy.cpp:12: error: kernel 'Axpy' does not run on intel_gpu_dg2: it requires aspect fp64 [missing-aspect]
	// compat: next: missing-aspect: use a different type or function, or submit a different kernel if 'device::has(aspect::fp64)' is false ('compat explain missing-aspect')
	// compat: next: 'compat fix kernels.compat.json' proposes edits of BUILD files
	// compat: next: 'compat baseline update --baseline sycl-compat-baseline.json REPORT...' accepts the current problems, so that only new ones fail; commit the file and set '--baseline' or the action's 'baseline-file'
	// compat: failed: 1 kernel on 1 device: 1 failing problem, 1 error
}
