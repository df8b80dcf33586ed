package report_test

import (
	"fmt"
	"slices"
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

	// A 64-bit reduction, with the strategies group_reduce with and without atomics.
	sumAtomic  = "_ZTSN4sycl3_V16detail9reduction7MainKrnIN3app3SumELNS2_8strategyE2EJEEE"
	sumMain    = "_ZTSN4sycl3_V16detail9reduction7MainKrnIN3app3SumELNS2_8strategyE5EJEEE"
	sumAux     = "_ZTSN4sycl3_V16detail9reduction6AuxKrnIN3app3SumELNS2_8strategyE5EJEEE"
	unnamedSum = "_ZTSZZN4sycl3_V16detail16NDRangeReductionILNS1_9reduction8strategyE1EE3runINS1_9auto_nameELi1ENS0_3ext6oneapi12experimental10propertiesINSA_6detail20properties_type_listIJEEEEEZNS1_22reduction_parallel_forIS7_LS4_0ELi1ESF_JNS1_14reduction_implIfSt4plusIvELi0ELm1ELb0ENS0_6bufferIfLi1ENS1_17aligned_allocatorIfEEvEEEEZZ4mainENKUlRNS0_7handlerEE_clESQ_EUlNS0_2idILi1EEERT_E_EEEvSQ_NS0_5rangeIXT1_EEET2_DpT3_EUlSU_DpRT0_E_SO_EEvSQ_NS0_8nd_rangeIXT0_EEERT1_RT3_RSZ_ENKUlSU_E_cl"
)

func TestJoinForms(t *testing.T) {
	small, fp64 := &needs{SubGroupSizes: []uint32{8}}, &needs{Aspects: []aspect.Aspect{aspect.FP64}}
	both := func() []report.ModuleKernel { return reporttest.Kernels(madeOfFill, writtenFill) }
	for name, c := range map[string]struct {
		modules []report.Module
		want    string // kernels, and per device: status, code, scope and rules
	}{
		"in one image": {
			[]report.Module{{Needs: fp64, Kernels: both(), Images: []report.ModuleImage{reporttest.IR(1)}}},
			"app::Fill: incompatible ir kernel missing-aspect, compatible ir kernel",
		},
		"in one image with a different kernel": {
			[]report.Module{{Needs: fp64, Kernels: append(both(), reporttest.Kernels("_ZTS5Other")...), Images: []report.ModuleImage{reporttest.IR(1)}}},
			"Other: incompatible ir image missing-aspect, compatible ir image; app::Fill: incompatible ir image missing-aspect, compatible ir image",
		},
		"in images with different requirements": {
			[]report.Module{{Needs: fp64, Kernels: reporttest.Kernels(writtenFill), Images: []report.ModuleImage{reporttest.IR(1)}}, {Needs: small, Kernels: reporttest.Kernels(madeOfFill), Images: []report.ModuleImage{reporttest.IR(2)}}},
			"app::Fill: incompatible ir kernel missing-aspect, incompatible ir kernel unsupported-sub-group-size",
		},
		"in images with overlapping requirements": {
			[]report.Module{{Needs: fp64, Kernels: reporttest.Kernels(writtenFill), Images: []report.ModuleImage{reporttest.IR(1)}},
				{Needs: &needs{Aspects: []aspect.Aspect{aspect.FP64}, SubGroupSizes: []uint32{8}}, Kernels: reporttest.Kernels(madeOfFill), Images: []report.ModuleImage{reporttest.IR(2)}}},
			"app::Fill: incompatible ir kernel missing-aspect, incompatible ir kernel unsupported-sub-group-size",
		},
		"native code for one form": {
			[]report.Module{{Needs: &needs{}, Kernels: reporttest.Kernels(writtenFill), Images: append(reporttest.Native(1, "intel_gpu_dg2"), reporttest.IR(1))}, {Needs: &needs{}, Kernels: reporttest.Kernels(madeOfFill), Images: []report.ModuleImage{reporttest.IR(2)}}},
			"app::Fill: compatible ir kernel, compatible ir kernel",
		},
		"only the generated form": {
			[]report.Module{{Needs: fp64, Kernels: reporttest.Kernels(madeOfFill), Images: []report.ModuleImage{reporttest.IR(1)}}},
			"app::Fill: incompatible ir kernel missing-aspect, compatible ir kernel",
		},
		"a reduction": {
			[]report.Module{{Needs: fp64, Kernels: reporttest.Kernels(sumAtomic, sumMain, sumAux), Images: []report.ModuleImage{reporttest.IR(1)}}},
			"app::Sum: incompatible ir kernel missing-aspect, compatible ir kernel",
		},
		"a reduction whose forms have different requirements": {
			[]report.Module{{Needs: fp64, Kernels: reporttest.Kernels(sumMain), Images: []report.ModuleImage{reporttest.IR(1)}}, {Needs: small, Kernels: reporttest.Kernels(sumAux), Images: []report.ModuleImage{reporttest.IR(2)}}},
			"app::Sum: incompatible ir kernel missing-aspect, incompatible ir kernel unsupported-sub-group-size",
		},
		"a reduction without a name": {
			[]report.Module{{Needs: &needs{}, Kernels: reporttest.Kernels(unnamedSum+"IPiEEDaSU_EUlNS0_7nd_itemILi1EEEE_", unnamedSum+"IPfEEDaSU_EUlNS0_7nd_itemILi1EEEE_"), Images: []report.ModuleImage{reporttest.IR(1)}}},
			"main::{lambda(sycl::handler&)#1}::operator()(sycl::handler&) const::{lambda(sycl::id<1>, auto:1&)#1}: compatible ir kernel, compatible ir kernel",
		},
	} {
		if got := joinedRows(t, c.modules, "intel_gpu_dg2", "intel_gpu_pvc"); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, c.want)
		}
	}
}

// TestJoinStrategies checks that devices without the aspect atomic64 use a different strategy.
func TestJoinStrategies(t *testing.T) {
	atomic := &needs{Aspects: []aspect.Aspect{aspect.Atomic64}}
	for name, c := range map[string]struct {
		modules []report.Module
		want    string
	}{
		"a strategy without 64-bit atomics": {
			[]report.Module{{Needs: atomic, Kernels: reporttest.Kernels(sumAtomic), Images: []report.ModuleImage{reporttest.IR(1)}}, {Needs: &needs{}, Kernels: reporttest.Kernels(sumMain, sumAux), Images: []report.ModuleImage{reporttest.IR(2)}}},
			"app::Sum: compatible ir kernel, compatible ir kernel, compatible ir kernel",
		},
		"a strategy with 64-bit atomics that does not run": {
			[]report.Module{{Needs: &needs{Aspects: []aspect.Aspect{aspect.Atomic64}, SubGroupSizes: []uint32{8}}, Kernels: reporttest.Kernels(sumAtomic), Images: []report.ModuleImage{reporttest.IR(1)}}, {Needs: &needs{}, Kernels: reporttest.Kernels(sumMain, sumAux), Images: []report.ModuleImage{reporttest.IR(2)}}},
			"app::Sum: incompatible ir kernel unsupported-sub-group-size, compatible ir kernel, compatible ir kernel",
		},
		"a kernel that uses 64-bit atomics itself": {
			[]report.Module{{Needs: atomic, Kernels: reporttest.Kernels(sumAtomic, sumMain), Images: []report.ModuleImage{reporttest.IR(1)}}, {Needs: &needs{}, Kernels: reporttest.Kernels(sumAux), Images: []report.ModuleImage{reporttest.IR(2)}}},
			"app::Sum: compatible ir kernel, incompatible ir kernel missing-aspect, undetermined ir kernel missing-aspect",
		},
	} {
		if got := joinedRows(t, c.modules, "intel_gpu_pvc", "intel_gpu_tgllp", "spir64"); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, c.want)
		}
	}
}

// joinedRows returns the kernels of a report and, per device, status, code, scope and rules.
func joinedRows(t *testing.T, modules []report.Module, devices ...string) string {
	t.Helper()
	r := reporttest.BuildJoined(t, modules, devices...)
	var rows []string
	for i, k := range r.Kernels {
		var outcomes []string
		for d := range devices {
			c := r.Outcome(i, d)
			text := fmt.Sprint(c.Status, " ", c.Code, " ", c.Scope)
			for _, reason := range c.Reasons {
				text += " " + string(reason.Rule)
			}
			outcomes = append(outcomes, text)
		}
		rows = append(rows, k.DisplayName+": "+strings.Join(outcomes, ", "))
	}
	return strings.Join(rows, "; ")
}

// TestJoinFormsDescribes checks that a merged kernel keeps its source location, and has the images
// of both kernels.
func TestJoinFormsDescribes(t *testing.T) {
	modules := []report.Module{{Needs: &needs{}, Kernels: reporttest.Kernels(madeOfFill), Images: []report.ModuleImage{reporttest.IR(1)}}, {Needs: &needs{}, Kernels: reporttest.Kernels(writtenFill), Images: []report.ModuleImage{reporttest.IR(2)}}}
	modules[0].Kernels[0].Source.Location = srcloc.Location{Path: "include/sycl/handler.hpp", Line: 300}
	modules[1].Kernels[0].Source.Location = srcloc.Location{Path: "fill.cpp", Line: 3}
	r := reporttest.BuildJoined(t, modules, "intel_gpu_pvc")
	if len(r.Kernels) != 1 || r.Kernels[0].Name != writtenFill || r.Kernels[0].Location.Path != "fill.cpp" || len(r.Kernels[0].Images) != 2 {
		t.Errorf("got %+v", r.Kernels)
	}
	if f := r.Kernels[0].Forms; f == nil || !slices.Equal(f.RoundedRange, []string{madeOfFill}) || f.Reduction != nil {
		t.Errorf("forms %+v", f)
	}
}

// TestJoinFormsOfReduction checks that the row of a reduction has the first name of its forms in
// sort order, lists the other forms, and can be selected by each of them, regardless of the order
// of the modules.
func TestJoinFormsOfReduction(t *testing.T) {
	modules := []report.Module{{Needs: &needs{}, Kernels: reporttest.Kernels(sumMain, sumAux, sumAtomic), Images: []report.ModuleImage{reporttest.IR(1)}}}
	for i := range modules[0].Kernels {
		modules[0].Kernels[i].Source.Location = srcloc.Location{Path: "dpcpp/include/sycl/reduction.hpp", Line: 1}
	}
	r := reporttest.BuildJoined(t, modules, "intel_gpu_pvc")
	want := []string{sumAtomic, sumMain}
	if len(r.Kernels) != 1 || r.Kernels[0].Name != sumAux || r.Kernels[0].DisplayName != "app::Sum" || !slices.Equal(r.Kernels[0].FormNames(), want) || !r.Kernels[0].Location.IsZero() {
		t.Errorf("got %+v", r.Kernels)
	}
	if c := r.Outcome(0, 0); c.Scope != report.ScopeKernel {
		t.Errorf("image with forms of only one kernel: scope %s", c.Scope)
	}
	for _, pattern := range []string{"app::Sum", sumAux, sumMain, "*MainKrn*", "app::Sum (reduction, *)"} {
		if part, unmatched := r.Select(report.Selection{Kernels: []string{pattern}}); len(part.Kernels) != 1 || unmatched != nil {
			t.Errorf("%s does not select the kernel", pattern)
		}
	}
}

// TestJoinFormsWhenUnclear checks forms for which several kernels with the same name could be the
// original.
func TestJoinFormsWhenUnclear(t *testing.T) {
	modules := []report.Module{{Kernels: reporttest.Kernels(writtenFill, "_ZN3app4FillE", madeOfFill)}}
	modules[0].Needs, modules[0].Images = &needs{}, []report.ModuleImage{reporttest.IR(1)}
	if r := reporttest.BuildJoined(t, modules, "intel_gpu_pvc"); len(r.Kernels) != 3 {
		t.Errorf("got %+v", r.Kernels)
	}
}
