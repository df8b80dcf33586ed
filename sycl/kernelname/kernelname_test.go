package kernelname

import (
	"fmt"
	"strings"
	"testing"
)

func ExampleDisplay() {
	fmt.Println(Display("_ZTSN6linear9VectorAddE"))
	fmt.Println(Display("_Z5twicei"))
	// Output:
	// linear::VectorAdd
	// twice(int)
}

func TestDisplay(t *testing.T) {
	long := "_ZTS" + strings.Repeat("9VectorAdd", 2000)
	for symbol, want := range map[string]string{
		"_ZTS9VectorAdd":                 "VectorAdd",
		"_Z19__sycl_kernel_scalePff":     "scale(float*, float)",
		"_ZN2ns19__sycl_kernel_scaleEPf": "ns::scale(float*)",
		"_ZTSN9sycl_lite11kernel_withIN5stats6SpreadELj0ELj0ELj0ELj8EEE": "stats::Spread",
		"_ZTSN9sycl_lite11kernel_withI3SumIdELj64ELj1ELj1ELj0EEE":        "Sum<double>",
		"_ZTSN9sycl_lite11kernel_withI3SumILj4ELj5EELj0ELj0ELj0ELj16EEE": "Sum<4u, 5u>",
		"_ZTSN9sycl_lite11kernel_withI3SumEE":                            "sycl_lite::kernel_with<Sum>",
		"rtc_0$__sycl_kernel__ZTS9VectorAdd":                             "VectorAdd",
		"_ZTSZ4mainEUlN4sycl3_V14itemILi3ELb1EEEE_":                      "main::{lambda(sycl::item<3, true>)#1}",
		"_ZTSN4sycl3_V14itemILi3ELb1EEE":                                 "sycl::item<3, true>",
		"_ZN17__sycl_kernel_app5firstEPd":                                "app::first(double*)",
		"_Z18__sycl_kernel_fillIiEvPT_":                                  "void fill<int>(int*)",
		"_Z7a__sycl_kernel_v":                                            "_Z7a__sycl_kernel_v",
		"_ZTSN7my_sycl3_V14itemE":                                        "my_sycl::_V1::item",
		"_ZTSN4sycl2_V4itemE":                                            "sycl::_V::item",
		"not mangled":                                                    "not mangled",
		"":                                                               "",
		"_ZTS":                                                           "_ZTS",
		long:                                                             long,
		"_ZTSN4sycl3_V16detail9reduction7MainKrnIN3app3SumELNS2_8strategyE8EJNS1_14KernelOneWGTagEEEE": "app::Sum (reduction, KernelOneWGTag)",
		"_ZTSN4sycl3_V16detail9reduction6AuxKrnI3SumLNS2_8strategyE2EJEEE":                             "Sum (reduction, AuxKrn 2)",
		"_ZTSN4sycl3_V16detail9reduction7MainKrnI3SumEE":                                               "sycl::detail::reduction::MainKrn<Sum>",
		"_ZTSN4sycl3_V16detail9reduction8strategyE":                                                    "sycl::detail::reduction::strategy",
	} {
		if got := Display(symbol); got != want {
			t.Errorf("%.80q: got %.80q, want %.80q", symbol, got, want)
		}
	}
}

// TestDisplayOldLambdas checks the names of DPC++ 2020 and 2021, which append the line and the
// column to lambdas.
func TestDisplayOldLambdas(t *testing.T) {
	for symbol, want := range map[string]string{
		"_ZTSZ4mainEUlN2cl4sycl2idILi1EEEE126_31":                                                            "main::{lambda(cl::sycl::id<1>) at 126:31}",
		"_ZTSZZ40mkl_sparse_d_create_csr_omp_offload_lp64ENKUlRN2cl4sycl7handlerEE207_38clES2_E10copyBuffer": "mkl_sparse_d_create_csr_omp_offload_lp64::{lambda(cl::sycl::handler&) at 207:38}::operator()(cl::sycl::handler&) const::copyBuffer",
		"_ZTSZZN3lib1fERN2cl4sycl5queueEENKUlRNS1_7handlerEE64_41clES5_EUlNS1_2idILi1EEEE126_31":             "lib::f(cl::sycl::queue&)::{lambda(cl::sycl::handler&) at 64:41}::operator()(cl::sycl::handler&) const::{lambda(cl::sycl::id<1>) at 126:31}",
		"_ZTSZ4mainEUlvE0_":                     "main::{lambda()#2}",
		"_ZTSZ4mainEUlvE7_12x":                  "_ZTSZ4mainEUlvE7_12x",
		"_ZTSZ4mainEUlvE99999999999999999999_1": "_ZTSZ4mainEUlvE99999999999999999999_1",
	} {
		if got := Display(symbol); got != want {
			t.Errorf("%q: got %q, want %q", symbol, got, want)
		}
	}
}

// spelled returns template arguments that encode a name as character codes.
func spelled(name string) string {
	var b strings.Builder
	for _, c := range []byte(name) {
		if n := int(int8(c)); n < 0 {
			fmt.Fprintf(&b, "Lcn%dE", -n)
		} else {
			fmt.Fprintf(&b, "Lc%dE", n)
		}
	}
	return b.String()
}

// TestDisplaySpelledNames checks the names of oneDPL, which encodes kernel names as character
// codes.
func TestDisplaySpelledNames(t *testing.T) {
	long := strings.Repeat("n", 1000)
	for symbol, want := range map[string]string{
		"_ZTSN3dpl9compositeIJ" + spelled("_ZTS3Foo") + "EEE":                     "dpl::composite<Foo>",
		"_ZTSN3dpl9compositeI" + spelled("_ZTSN3app3SumIdEE") + "iEE":             "dpl::composite<app::Sum<double>, int>",
		"_ZTS1KIiJ" + spelled("not mangled") + "EfE":                              "K<int, not mangled, float>",
		"_ZTS1KIJ" + spelled("_ZTS5Föö") + "EE":                                   "K<Föö>",
		"_ZTS1KILc65ELc66ELc67EE":                                                 "K<(char)65, (char)66, (char)67>",
		"_ZTS1KILc65ELc66ELc0ELc67EE":                                             "K<(char)65, (char)66, (char)0, (char)67>",
		"_ZTS1KIJ" + spelled("_ZTS1LIJ"+spelled("_ZTS3Foo")+"EE") + "EE":          "K<L<Foo> >",
		"_ZTS1KIJ" + spelled(fmt.Sprintf("_ZTS%d%s", len(long), long)) + "E3FooE": "K<" + long + ", Foo>",
	} {
		if got := Display(symbol); got != want {
			t.Errorf("%.80q: got %.200q, want %.200q", symbol, got, want)
		}
	}
}

func TestRoundedRange(t *testing.T) {
	const wrapper, kernel = "_ZTSN4sycl3_V16detail19__pf_kernel_wrapperI", "_ZTSN4sycl3_V16detail18RoundedRangeKernelINS0_4itemILi1ELb1EEELi1E"
	long := "3Tag" + "I" + strings.Repeat("3TagIjE", 1500) + "E"
	// Symbols generated by both DPC++ 2025.3 and 2026.2, with the symbol of the original kernel.
	for symbol, written := range map[string]string{
		wrapper + "Z4mainE5LocalEE": "_ZTSZ4mainE5Local",
		wrapper + "N3app4FillEEE":   "_ZTSN3app4FillE",
		wrapper + "N3app2TnIiEEEE":  "_ZTSN3app2TnIiEE",
		"_ZTSN4sycl3_V16detail18RoundedRangeKernelINS0_4itemILi3ELb1EEELi3EZ4mainEUlS4_E_EE":                            "_ZTSZ4mainEUlN4sycl3_V14itemILi3ELb1EEEE_",
		"_ZTSN4sycl3_V16detail24RoundedRangeKernelWithKHINS0_4itemILi3ELb1EEELi3EZ4mainEUlS4_NS0_14kernel_handlerEE_EE": "_ZTSZ4mainEUlN4sycl3_V14itemILi3ELb1EEENS0_14kernel_handlerEE_",
		kernel + "7FunctorEE":                                    "_ZTS7Functor",
		kernel + "Z4mainEUlT_E_EE":                               "_ZTSZ4mainEUlT_E_",
		kernel + "Z3runIiEvRNS0_5queueEPT_EUlNS0_2idILi1EEEE_EE": "_ZTSZ3runIiEvRN4sycl3_V15queueEPT_EUlNS1_2idILi1EEEE_",
		kernel + "Z3runIjEvRNS0_5queueEPT_EUlNS0_2idILi1EEEE_EE": "_ZTSZ3runIjEvRN4sycl3_V15queueEPT_EUlNS1_2idILi1EEEE_",
		Prefix + wrapper + "N3app4FillEEE":                       Prefix + "_ZTSN3app4FillE",
		"_ZTSN4sycl6detail19__pf_kernel_wrapperIN3app4FillEEE":   "_ZTSN3app4FillE",
		"_ZTSN2cl4sycl6detail19__pf_kernel_wrapperI4FillEE":      "_ZTS4Fill",
		wrapper + "NS1_19__pf_kernel_wrapperI4FillEEEE":          "_ZTS4Fill",
	} {
		got, ok := FormOf(symbol)
		want, _ := text(parse(Base(written)))
		if !ok || got != (Form{Kernel: want, Kind: RoundedRange}) {
			t.Errorf("%s: got %+v, %v, want %q", symbol, got, ok, want)
		}
		if got := Display(symbol); got != want {
			t.Errorf("%s: display name %q, want %q", symbol, got, want)
		}
	}
	for name, symbol := range map[string]string{
		"a different kernel":       "_ZTSN3app4FillE",
		"empty":                    "",
		"not mangled":              "sycl::detail::__pf_kernel_wrapper<Fill>",
		"truncated":                wrapper + "N3app4Fill",
		"without arguments":        "_ZTSN4sycl3_V16detail19__pf_kernel_wrapperE",
		"with too few arguments":   "_ZTSN4sycl3_V16detail18RoundedRangeKernelIiE",
		"of a different namespace": "_ZTSN2my4sycl3_V16detail19__pf_kernel_wrapperI4FillEE",
		"of a similar class":       "_ZTSN4sycl3_V16detail19__pf_kernel_wrappesI4FillEE",
		"a type in the wrapper":    "_ZTSN4sycl3_V16detail19__pf_kernel_wrapperI4FillE4TypeE",
		"a function with the name": "_ZN4sycl3_V16detail19__pf_kernel_wrapperI4FillEvv",
		"an excessively long name": wrapper + strings.Repeat("N3app4FillEE", 2000),
		"a truncated name":         wrapper + long + "EE",
	} {
		if form, ok := FormOf(symbol); ok {
			t.Errorf("%s: unexpected form %+v", name, form)
		}
	}
}

func TestDistinct(t *testing.T) {
	for name, c := range map[string]struct{ symbols, want string }{
		"none":                               {"", ""},
		"without aliases":                    {"b a", "b a"},
		"of the runtime":                     {"rtc_0$__sycl_kernel_a __sycl_kernel_a b rtc_0$b", "__sycl_kernel_a b"},
		"with and without the prefix":        {"rtc_12$a __sycl_kernel_a", "__sycl_kernel_a"},
		"alone":                              {"rtc_0$a b", "rtc_0$a b"},
		"a different prefix before a dollar": {"rtc_$a rtc_x$a srtc_0$a a", "rtc_$a rtc_x$a srtc_0$a a"},
		"an alias with an invalid name":      {"rtc_0$ a", "rtc_0$ a"},
	} {
		if got := strings.Join(WithoutAliases(strings.Fields(c.symbols)), " "); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func FuzzDisplay(f *testing.F) {
	f.Add("_ZTSN9sycl_lite11kernel_withI3SumILj4ELj5EELj0ELj0ELj0ELj16EEE")
	f.Add("_ZTSN4sycl3_V16detail18RoundedRangeKernelINS0_4itemILi3ELb1EEELi3EZ4mainEUlS4_E_EE")
	f.Fuzz(func(t *testing.T, symbol string) {
		if form, ok := FormOf(symbol); ok && form.Kind == RoundedRange && form.Kernel != Display(Base(symbol)) && Base(symbol) == symbol {
			t.Errorf("%q is a form of %q, but its display name is %q", symbol, form.Kernel, Display(symbol))
		}
		if got := Display(symbol); len(got) > max(len(symbol), 1<<20) {
			t.Errorf("symbol of %d bytes has a display name of %d bytes", len(symbol), len(got))
		}
	})
}

func TestConstant(t *testing.T) {
	for id, want := range map[string]string{
		"_ZN3app5scaleE":                  "app::scale",
		"____ZN3appL5scaleE":              "app::scale",
		"uid9e107d9d372bb682____ZL5coeff": "coeff",
		"_Z4tmplILi7EE":                   "tmpl<7>",
		"_ZTS12MyInt32Const":              "MyInt32Const",
		"scale":                           "scale",
		"___scale":                        "___scale",
		"uidxyz____ZL5coeff":              "uidxyz____ZL5coeff",
	} {
		if got := Constant(id); got != want {
			t.Errorf("%s: got %s, want %s", id, got, want)
		}
	}
}
