package report_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/reporttest"
	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

const (
	writtenFill = "_ZTSN3app4FillE"
	madeOfFill  = "_ZTSN4sycl3_V16detail19__pf_kernel_wrapperIN3app4FillEEE"
)

func TestJoinRounded(t *testing.T) {
	small, fp64 := &needs{SubGroupSizes: []uint32{8}}, &needs{Aspects: []aspect.Aspect{aspect.FP64}}
	both := func() []report.ModuleKernel { return reporttest.Kernels(madeOfFill, writtenFill) }
	for name, c := range map[string]struct {
		modules []report.Module
		want    string // kernels, and for each device status, what is held, scope and rules
	}{
		"in one image": {
			[]report.Module{{Needs: fp64, Kernels: both(), Images: []report.ModuleImage{reporttest.IR(1)}}},
			"app::Fill: incompatible ir kernel missing-aspect, compatible ir kernel",
		},
		"in one image with another": {
			[]report.Module{{Needs: fp64, Kernels: append(both(), reporttest.Kernels("_ZTS5Other")...), Images: []report.ModuleImage{reporttest.IR(1)}}},
			"Other: incompatible ir image missing-aspect, compatible ir image; app::Fill: incompatible ir image missing-aspect, compatible ir image",
		},
		"in images that need different things": {
			[]report.Module{{Needs: fp64, Kernels: reporttest.Kernels(writtenFill), Images: []report.ModuleImage{reporttest.IR(1)}}, {Needs: small, Kernels: reporttest.Kernels(madeOfFill), Images: []report.ModuleImage{reporttest.IR(2)}}},
			"app::Fill: incompatible ir kernel missing-aspect, incompatible ir kernel unsupported-sub-group-size",
		},
		"in images that need partly the same": {
			[]report.Module{{Needs: fp64, Kernels: reporttest.Kernels(writtenFill), Images: []report.ModuleImage{reporttest.IR(1)}},
				{Needs: &needs{Aspects: []aspect.Aspect{aspect.FP64}, SubGroupSizes: []uint32{8}}, Kernels: reporttest.Kernels(madeOfFill), Images: []report.ModuleImage{reporttest.IR(2)}}},
			"app::Fill: incompatible ir kernel missing-aspect, incompatible ir kernel unsupported-sub-group-size",
		},
		"native code for one of them": {
			[]report.Module{{Needs: &needs{}, Kernels: reporttest.Kernels(writtenFill), Images: append(reporttest.Native(1, "intel_gpu_dg2"), reporttest.IR(1))}, {Needs: &needs{}, Kernels: reporttest.Kernels(madeOfFill), Images: []report.ModuleImage{reporttest.IR(2)}}},
			"app::Fill: compatible ir kernel, compatible ir kernel",
		},
		"only the one that was made": {
			[]report.Module{{Needs: fp64, Kernels: reporttest.Kernels(madeOfFill), Images: []report.ModuleImage{reporttest.IR(1)}}},
			"app::Fill: incompatible ir kernel missing-aspect, compatible ir kernel",
		},
	} {
		report.JoinRounded(c.modules)
		r := reporttest.Build(t, c.modules, "intel_gpu_dg2", "intel_gpu_pvc")
		var rows []string
		for i, k := range r.Kernels {
			var cells []string
			for d := range 2 {
				c := r.Cells.At(2*i + d)
				text := fmt.Sprint(c.Verdict, " ", c.Code, " ", c.Scope)
				for _, reason := range c.Reasons {
					text += " " + reason.Rule
				}
				cells = append(cells, text)
			}
			rows = append(rows, k.DisplayName+": "+strings.Join(cells, ", "))
		}
		if got := strings.Join(rows, "; "); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, c.want)
		}
	}
}

// A kernel keeps the place where it was written, and lists the images of both.
func TestJoinRoundedDescribes(t *testing.T) {
	modules := []report.Module{{Needs: &needs{}, Kernels: reporttest.Kernels(madeOfFill), Images: []report.ModuleImage{reporttest.IR(1)}}, {Needs: &needs{}, Kernels: reporttest.Kernels(writtenFill), Images: []report.ModuleImage{reporttest.IR(2)}}}
	modules[0].Kernels[0].Source.Location = srcloc.Location{Path: "include/sycl/handler.hpp", Line: 300}
	modules[1].Kernels[0].Source.Location = srcloc.Location{Path: "fill.cpp", Line: 3}
	report.JoinRounded(modules)
	r := reporttest.Build(t, modules, "intel_gpu_pvc")
	if len(r.Kernels) != 1 || r.Kernels[0].Name != writtenFill || r.Kernels[0].Location.Path != "fill.cpp" || len(r.Kernels[0].Images) != 2 {
		t.Errorf("got %+v", r.Kernels)
	}
}

// Kernels of different symbols and one name could both be what another was made of.
func TestJoinRoundedWhenUnclear(t *testing.T) {
	modules := []report.Module{{Kernels: reporttest.Kernels(writtenFill, "_ZN3app4FillE", madeOfFill)}}
	report.JoinRounded(modules)
	if got := modules[0].Kernels[2].Name; got != madeOfFill {
		t.Errorf("%s is taken for made of %s", madeOfFill, got)
	}
}
