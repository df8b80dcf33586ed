package aspect

import "testing"

// The symbols are those of code that DPC++ 2026.2 made, before and after it replaced the
// functions of its headers by intrinsics.
func TestIntrinsic(t *testing.T) {
	for symbol, want := range map[string]string{
		"llvm.genx.lsc.load.slm.v16f32.v1i1.v1i32":              "llvm.genx.lsc.load.slm",
		"llvm.genx.lsc.load.merge.stateless.v16f32.v1i1.v1i64":  "llvm.genx.lsc.load.merge.stateless",
		"llvm.genx.lsc.load2d.stateless.v128f32.v1i1.i64":       "llvm.genx.lsc.load2d.stateless",
		"llvm.genx.lsc.xatomic.stateless.v16i32.v16i1.v16i64":   "llvm.genx.lsc.xatomic.stateless",
		"llvm.genx.dpas2.v64f32.v64f32.v64i32.v64i32":           "llvm.genx.dpas2",
		"llvm.genx.nbarrier":                                    "llvm.genx.nbarrier",
		"llvm.genx.nbarrier.arrive":                             "llvm.genx.nbarrier.arrive",
		"_Z20__esimd_lsc_load_slmIfLN4sycl3_V13ext5intelE0EEEv": "llvm.genx.lsc.load.slm",
		"_Z13__esimd_dpas2ILN4sycl3_V13ext5intelE10ELi8EffiiEE": "llvm.genx.dpas2",
		"_Z23__esimd_nbarrier_arrivehhhh":                       "llvm.genx.nbarrier.arrive",
		"_Z31__esimd_lsc_xatomic_stateless_0ItLi1EEv":           "llvm.genx.lsc.xatomic.stateless",
		"_Z21__esimd_nbarrier_inith":                            "",
		"_Z20__esimd_svm_block_ldIDF16_Li128ELm2EEv":            "",
		"llvm.genx.svm.gather.v16f32.v16i1.v16i64":              "",
		"llvm.genx.fence":                                       "",
		"_Z99__esimd_lsc_load_slm":                              "",
		"_Z":                                                    "",
		"":                                                      "",
	} {
		got, ok := Intrinsic(symbol)
		if ok != (want != "") || ok && got != want {
			t.Errorf("%q is %q, %v; want %q", symbol, got, ok, want)
		}
	}
}
