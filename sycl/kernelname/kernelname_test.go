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
		"_ZTS9VectorAdd": "VectorAdd",
		"_ZTSN9sycl_lite11kernel_withIN5stats6SpreadELj0ELj0ELj0ELj8EEE": "stats::Spread",
		"_ZTSN9sycl_lite11kernel_withI3SumIdELj64ELj1ELj1ELj0EEE":        "Sum<double>",
		"_ZTSN9sycl_lite11kernel_withI3SumILj4ELj5EELj0ELj0ELj0ELj16EEE": "Sum<4u, 5u>",
		"_ZTSN9sycl_lite11kernel_withI3SumEE":                            "sycl_lite::kernel_with<Sum>",
		"rtc_0$__sycl_kernel__ZTS9VectorAdd":                             "VectorAdd",
		"not mangled":                                                    "not mangled",
		"":                                                               "",
		"_ZTS":                                                           "_ZTS",
		long:                                                             long,
	} {
		if got := Display(symbol); got != want {
			t.Errorf("%.80q: got %.80q, want %.80q", symbol, got, want)
		}
	}
}

func TestDistinct(t *testing.T) {
	for name, c := range map[string]struct{ symbols, want string }{
		"none":                           {"", ""},
		"without aliases":                {"b a", "b a"},
		"of the runtime":                 {"rtc_0$__sycl_kernel_a __sycl_kernel_a b rtc_0$b", "__sycl_kernel_a b"},
		"with and without the prefix":    {"rtc_12$a __sycl_kernel_a", "__sycl_kernel_a"},
		"alone":                          {"rtc_0$a b", "rtc_0$a b"},
		"other words before a dollar":    {"rtc_$a rtc_x$a srtc_0$a a", "rtc_$a rtc_x$a srtc_0$a a"},
		"an alias whose rest is no name": {"rtc_0$ a", "rtc_0$ a"},
	} {
		if got := strings.Join(Distinct(strings.Fields(c.symbols)), " "); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func FuzzDisplay(f *testing.F) {
	f.Add("_ZTSN9sycl_lite11kernel_withI3SumILj4ELj5EELj0ELj0ELj0ELj16EEE")
	f.Fuzz(func(t *testing.T, symbol string) {
		if got := Display(symbol); len(got) > max(len(symbol), 1<<20) {
			t.Errorf("%d bytes of a symbol became %d", len(symbol), len(got))
		}
	})
}
