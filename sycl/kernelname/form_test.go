package kernelname

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestReductions tests the names that DPC++ 2021 to 2026 gives to the kernels of a reduction.
func TestReductions(t *testing.T) {
	const (
		reductions = "_ZTSN4sycl3_V16detail9reduction"
		// Symbol for: queue.submit([&](handler &h) { h.parallel_for(range, reduction(...),
		// [=](id<1>, auto &) {...}); });
		unnamedRun = "_ZTSZZN4sycl3_V16detail16NDRangeReductionILNS1_9reduction8strategyE1EE3runINS1_9auto_nameELi1ENS0_3ext6oneapi12experimental10propertiesINSA_6detail20properties_type_listIJEEEEEZNS1_22reduction_parallel_forIS7_LS4_0ELi1ESF_JNS1_14reduction_implIfSt4plusIvELi0ELm1ELb0ENS0_6bufferIfLi1ENS1_17aligned_allocatorIfEEvEEEEZZ4mainENKUlRNS0_7handlerEE_clESQ_EUlNS0_2idILi1EEERT_E_EEEvSQ_NS0_5rangeIXT1_EEET2_DpT3_EUlSU_DpRT0_E_SO_EEvSQ_NS0_8nd_rangeIXT0_EEERT1_RT3_RSZ_ENKUlSU_E_cl"
		lambda     = "main::{lambda(sycl::handler&)#1}::operator()(sycl::handler&) const::{lambda(sycl::id<1>, auto:1&)#1}"
	)
	for _, test := range []struct {
		symbol string
		want   Form
	}{
		{reductions + "7MainKrnIN3app3SumELNS2_8strategyE8EJNS1_14KernelOneWGTagEEEE", Form{"app::Sum", Reduction, "8"}},
		{reductions + "6AuxKrnIN9histogram3SumELNS2_8strategyE8EJNS1_23EmptyReductionPredicateEEEE", Form{"histogram::Sum", Reduction, "8"}},
		{reductions + "6AuxKrnI3SumLNS2_8strategyE2EJEEE", Form{"Sum", Reduction, "2"}},
		{reductions + "10InitMemKrnINS2_7MainKrnI3SumLNS2_8strategyE3EJEEEEE", Form{"Sum", Reduction, "3"}},
		{"_ZTSN4sycl3_V16detail19__pf_kernel_wrapperINS1_9reduction7MainKrnI3SumLNS3_8strategyE3EJEEEEE", Form{"Sum", Reduction, "3"}},
		{unnamedRun + "IPiEEDaSU_EUlNS0_7nd_itemILi1EEEE_", Form{lambda, Reduction, "1"}},
		{unnamedRun + "INS0_8accessorIiLi1ELNS0_6access4modeE1026ELNS1G_6targetE2014ELNS1G_11placeholderE0ENS9_22accessor_property_listIJEEEEEEEDaSU_EUlNS0_7nd_itemILi1EEEE_", Form{lambda, Reduction, "1"}},
		// 2023, 2022 and 2021
		{"_ZTSN4sycl3_V16detail9reduction8main_krn12NDRangeBasicI3SumEE", Form{"Sum", Reduction, "NDRangeBasic"}},
		{"_ZTSN4sycl3_V16detail9reduction7aux_krn12NDRangeBasicI3SumEE", Form{"Sum", Reduction, "NDRangeBasic"}},
		{"_ZTSN2cl4sycl3ext6oneapi6detail28__sycl_reduction_main_kernelI3SumLb0ELb1ENS0_8accessorIfLi1EEEEE", Form{"Sum", Reduction, ""}},
		{"_ZTSN2cl4sycl6ONEAPI6detail27__sycl_reduction_aux_kernelIZ4mainE3SumLb0ELb1ENS0_8accessorIfLi1EEEEE", Form{"main::Sum", Reduction, ""}},
		{"_ZTSN4sycl3_V13ext6oneapi6detail28__sycl_reduction_main_kernelIZ4mainEUlNS0_7nd_itemILi1EEET_E_Lb1ELb1EPfEE", Form{"main::{lambda(sycl::nd_item<1>, auto:1)#1}", Reduction, ""}},
	} {
		if got, ok := FormOf(test.symbol); !ok || got != test.want {
			t.Errorf("%s:\ngot  %+v, %v\nwant %+v", test.symbol, got, ok, test.want)
		}
	}
	for name, symbol := range map[string]string{
		"a different kernel of the headers":   "_ZTSZN4sycl3_V17handler4fillIfEEvPvRKT_mEUlNS0_2idILi1EEEE_",
		"a reduction without a kernel":        reductions + "7MainKrnINS1_9auto_nameELNS2_8strategyE8EJEEE",
		"a strategy":                          reductions + "8strategyE",
		"too few arguments":                   reductions + "7MainKrnI3SumEE",
		"a class of the program":              "_ZTSN3app9reduction7MainKrnI3SumLi3EEE",
		"a function of the program":           "_ZTSZN3app22reduction_parallel_forI3SumEEvvEUlvE_",
		"a reduction of the dpnp library":     "_ZTSN4dpnp6tensor7kernels17reduction_seq_krnIaaN4sycl3_V17minimumIaEENS0_12offset_utils25TwoOffsets_StridedIndexerENS7_14StridedIndexerEEE",
		"a lambda in a different kind of run": "_ZTSZN4sycl3_V16detail5OtherILi1EE3runI3SumEEvvEUlvE_",
	} {
		if form, ok := FormOf(symbol); ok {
			t.Errorf("%s: unexpected form %+v", name, form)
		}
	}
}

// TestRoundedRangeOf2021 checks the names of DPC++ 2021, which names the kernel of a rounded range
// after a lambda in its headers.
func TestRoundedRangeOf2021(t *testing.T) {
	const (
		head = "_ZTSZN2cl4sycl7handler27getRangeRoundedKernelLambda"
	)
	for _, test := range []struct{ symbol, want string }{
		{head + "IN3app4CopyENS0_2idILi1EEELi1EZN3app3runEvEUlNS0_2idILi1EEEE_EEDaT2_NS0_5rangeIXT1_EEEEUlS4_E_", "app::Copy"},
		{head + "INS0_6detail19__pf_kernel_wrapperIN3app4CopyEEENS0_2idILi1EEELi1EZN3app3runEvEUlNS0_2idILi1EEEE_EEDaT2_NS0_5rangeIXT1_EEEEUlS6_E_", "app::Copy"},
		{head + "INS0_6detail19__pf_kernel_wrapperIN2cl4sycl6detail9auto_nameEEENS0_2idILi1EEELi1EZN3app3runEvEUlNS0_2idILi1EEEE_EEDaT2_NS0_5rangeIXT1_EEEEUlS6_E_", "app::run()::{lambda(cl::sycl::id<1>)#1}"},
		{head + "INS0_6detail9auto_nameENS0_2idILi1EEELi1EZN3app3runEvEUlNS0_2idILi1EEEE_EEDaT2_NS0_5rangeIXT1_EEEEUlS5_E_", "app::run()::{lambda(cl::sycl::id<1>)#1}"},
	} {
		form, ok := FormOf(test.symbol)
		if !ok || form != (Form{test.want, RoundedRange, ""}) {
			t.Errorf("%s:\ngot  %+v, %v\nwant %s", test.symbol, form, ok, test.want)
		}
	}
}

// TestWrapperWords checks that the names of wrappers and functions contain one of wrapperWords,
// because FormOf parses no other symbols.
func TestWrapperWords(t *testing.T) {
	names := slices.Collect(maps.Keys(wrappers))
	names = append(names, "main_krn", "aux_krn", "getRangeRoundedKernelLambda", "NDRangeReduction", "reduction_parallel_for", "reduCGFuncMulti", "reduAuxCGFunc")
	for _, name := range names {
		if !slices.ContainsFunc(wrapperWords, func(word string) bool { return strings.Contains(name, word) }) {
			t.Errorf("%s contains none of %q", name, wrapperWords)
		}
	}
}
