package aspect

import "testing"

// TestIntrinsic checks symbols from code that DPC++ 2026.2 generated, before and after it replaced
// the functions of its headers with intrinsics.
func TestIntrinsic(t *testing.T) {
	const (
		arguments = "ImLN4sycl3_V13ext5intel5esimd10cache_hintE0ELS5_0ELt1ELi0ELNS4_6detail13lsc_data_sizeE"
		wide      = arguments + "4ELNS6_15lsc_vector_sizeE8ELNS6_14lsc_data_orderE2ELi1E"
		narrow    = arguments + "3ELNS6_15lsc_vector_sizeE8ELNS6_14lsc_data_orderE2ELi1E"
	)
	for symbol, want := range map[string]string{
		"llvm.genx.lsc.load.slm.v16f32.v1i1.v1i32":                    "llvm.genx.lsc.load.slm",
		"llvm.genx.lsc.load.merge.stateless.v16f32.v1i1.v1i64":        "llvm.genx.lsc.load.merge.stateless",
		"llvm.genx.lsc.load2d.stateless.v128f32.v1i1.i64":             "llvm.genx.lsc.load2d.stateless",
		"llvm.genx.lsc.xatomic.stateless.v16i32.v16i1.v16i64":         "llvm.genx.lsc.xatomic.stateless",
		"llvm.genx.dpas2.v64f32.v64f32.v64i32.v64i32":                 "llvm.genx.dpas2",
		"llvm.genx.nbarrier":                                          "llvm.genx.nbarrier",
		"llvm.genx.nbarrier.arrive":                                   "llvm.genx.nbarrier.arrive",
		"_Z20__esimd_lsc_load_slmIfLN4sycl3_V13ext5intelE0EEEv":       "llvm.genx.lsc.load.slm",
		"_Z13__esimd_dpas2ILN4sycl3_V13ext5intelE10ELi8EffiiEE":       "llvm.genx.dpas2",
		"_Z23__esimd_nbarrier_arrivehhhh":                             "llvm.genx.nbarrier.arrive",
		"_Z31__esimd_lsc_xatomic_stateless_0ItLi1EEv":                 "llvm.genx.lsc.xatomic.stateless",
		"llvm.genx.lsc.load.merge.stateless.v64i64.v1i1.v1i64":        "llvm.genx.lsc.load.merge.stateless.512bytes",
		"llvm.genx.lsc.load.merge.stateless.v64f32.v1i1.v1i64":        "llvm.genx.lsc.load.merge.stateless", // 256 bytes
		"llvm.genx.lsc.load.merge.stateless.v128i32.v128i1.v128i64":   "llvm.genx.lsc.load.merge.stateless", // an address for each
		"llvm.genx.lsc.load.slm.v64f64.v1i1.v1i32":                    "llvm.genx.lsc.load.slm.512bytes",
		"llvm.genx.lsc.load.bti.v64i64.v1i1.v1i32":                    "llvm.genx.lsc.load.bti.512bytes",
		"llvm.genx.lsc.store.stateless.v1i1.v1i64.v64f64":             "llvm.genx.lsc.store.stateless.512bytes",
		"llvm.genx.lsc.store.stateless.v1i1.v1i64.v32f64":             "llvm.genx.lsc.store.stateless",
		"llvm.genx.lsc.prefetch.stateless.v1i1.v1i64":                 "llvm.genx.lsc.prefetch.stateless",
		"llvm.genx.lsc.load.slm.v99999999999999999999i64.v1i1.v1i32":  "llvm.genx.lsc.load.slm",
		"_Z27__esimd_lsc_store_stateless" + wide + "EvDvT7__tDvT7__m": "llvm.genx.lsc.store.stateless.512bytes",
		"_Z30__esimd_lsc_prefetch_stateless" + wide + "EvDvT7__t":     "llvm.genx.lsc.prefetch.stateless",
		"_Z32__esimd_lsc_load_merge_stateless" + narrow + "EDvT7__m":  "llvm.genx.lsc.load.merge.stateless",
		"_Z32__esimd_lsc_load_merge_stateless" + wide + "EDvT7__m":    "llvm.genx.lsc.load.merge.stateless.512bytes",
		"llvm.genx.tf32.cvt.v16i32.v16f32":                            "llvm.genx.tf32.cvt",
		"llvm.genx.hf8.cvt.v16i8.v16f16":                              "llvm.genx.hf8.cvt",
		"llvm.genx.qf.cvt.v16f16.v16i8":                               "llvm.genx.qf.cvt",
		"llvm.genx.srnd.v16f16.v16f32.v16i16":                         "llvm.genx.srnd",
		"llvm.genx.srnd.v16i8.v16f16.v16i8":                           "llvm.genx.srnd.8bits",
		"llvm.genx.biased.rounding.hf8.v16i8.v16f16":                  "llvm.genx.biased.rounding.hf8",
		"llvm.genx.biased.rounding.bf8.v16i8.v16i16":                  "llvm.genx.biased.rounding",
		"llvm.genx.packed.4bit.upconvert.lut.v16i32.v16i8":            "llvm.genx.packed.4bit.upconvert.lut",
		"llvm.genx.ieee.sqrt.v16f32":                                  "llvm.genx.ieee.sqrt.32bits",
		"llvm.genx.ieee.sqrt.v8f64":                                   "",
		"llvm.genx.ror.v8i64.v8i64":                                   "llvm.genx.ror.64bits",
		"llvm.genx.ror.v16i32.v16i32":                                 "",
		"llvm.genx.lsc.xatomic.slm.v16i64.v16i1.v16i32":               "llvm.genx.lsc.xatomic.slm.64bits",
		"llvm.genx.lsc.xatomic.slm.v16i32.v16i1.v16i32":               "llvm.genx.lsc.xatomic.slm",
		"llvm.genx.dpas2.v128f16.v128f16.v128i32.v64i32":              "llvm.genx.dpas2.16bits",
		"llvm.genx.dpasw.nosrc0.v64f32.v64i32.v32i32":                 "llvm.genx.dpasw.nosrc0",
		"_Z16__esimd_tf32_cvtILi16EjfEDvT_T0_S0_S1_":                  "llvm.genx.tf32.cvt",
		"_Z21__esimd_nbarrier_inith":                                  "",
		"_Z20__esimd_svm_block_ldIDF16_Li128ELm2EEv":                  "",
		"llvm.genx.svm.gather.v16f32.v16i1.v16i64":                    "",

		"llvm.genx.fence":          "",
		"_Z99__esimd_lsc_load_slm": "",
		"_Z":                       "",
		"":                         "",
	} {
		got, ok := Intrinsic(symbol)
		if ok != (want != "") || ok && got != want {
			t.Errorf("%q: %q, %v; want %q", symbol, got, ok, want)
		}
		if again, _ := Intrinsic(got); ok && again != got {
			t.Errorf("intrinsic name %q: %q", got, again)
		}
	}
}

// TestIntrinsicFamily checks that each name has one family, the first that matches.
func TestIntrinsicFamily(t *testing.T) {
	for name, want := range map[string]string{
		"llvm.genx.lsc.load.slm":           "lsc",
		"llvm.genx.lsc.load.slm.512bytes":  "lsc-512",
		"llvm.genx.nbarrier":               "named-barriers",
		"llvm.genx.dpas2":                  "dpas",
		"llvm.genx.dpas2.16bits":           "dpas-16",
		"llvm.genx.dpasw.nosrc0":           "dpasw",
		"llvm.genx.tf32.cvt":               "xe-hpc",
		"llvm.genx.srnd":                   "xe-hpc",
		"llvm.genx.ieee.div.32bits":        "xe-hpc",
		"llvm.genx.lsc.xatomic.slm.64bits": "xe-hpc",
		"llvm.genx.srnd.8bits":             "fp8",
		"llvm.genx.qf.cvt":                 "fp8",
		"llvm.genx.biased.rounding.hf8":    "biased-rounding",
		"llvm.genx.biased.rounding":        "biased-rounding",
		"llvm.genx.4bit.downconvert":       "4bit",

		"llvm.genx.fence": "",
		"lsc.load.slm":    "",
	} {
		if got, ok := FamilyOfIntrinsic(name); got.Name != want || ok != (want != "") {
			t.Errorf("%s: family %q, %v; want %q", name, got.Name, ok, want)
		}
	}
}
