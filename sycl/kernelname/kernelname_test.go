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

func FuzzDisplay(f *testing.F) {
	f.Add("_ZTSN9sycl_lite11kernel_withI3SumILj4ELj5EELj0ELj0ELj0ELj16EEE")
	f.Fuzz(func(t *testing.T, symbol string) {
		if got := Display(symbol); len(got) > max(len(symbol), 1<<20) {
			t.Errorf("%d bytes of a symbol became %d", len(symbol), len(got))
		}
	})
}
