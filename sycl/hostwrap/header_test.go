package hostwrap

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// Output of libsycl-jit 2026.2.0.
func TestParseHeader(t *testing.T) {
	text, err := os.ReadFile("testdata/kernels.h")
	if err != nil {
		t.Fatal(err)
	}
	at := func(path string, line, column uint32) srcloc.Location {
		return srcloc.Location{Path: path, Line: line, Column: column}
	}
	want := []Kernel{
		{"_ZTSZN2ns1fERN4sycl3_V15queueEE3Loc", "ns::Loc", at("e1.cpp", 8, 75), 1, "ns::Loc", false, 0, nil, nil},
		{"_ZTS4TmplIN2ns1GELi3EE", "Tmpl<ns::G, 3>", at("e1.cpp", 8, 140), 1, "::Tmpl<::ns::G, 3>", false, 0, nil, nil},
		{"_ZTSN12_GLOBAL__N_11LE", "L", at("e1.cpp", 9, 93), 1, "L", false, 0, nil, nil},
		{"_ZTSN4sycl3_V16detail9reduction7MainKrnIZ2e1NS0_5queueEPiE3RedLNS2_8strategyE1EJS5_EEE",
			"sycl::detail::reduction::MainKrn<Red, static_cast<sycl::detail::reduction::strategy>(1), int *>", at("reduction.hpp", 1289, 51), 136,
			"::sycl::detail::reduction::MainKrn<Red, static_cast<::sycl::detail::reduction::strategy>(1), int *>", false, 9, nil, nil},
		{"_ZTSZ1eN4sycl3_V15queueEPiEUlvE_", "", at("un.cpp", 3, 17), 40, "class (lambda)", false, 1,
			[]Parameter{{"accessor", 4062, 0}, {"std_layout", 2, 32}}, []string{"acc", "acc", "acc", "s"}},
	}
	added := string(text) + "// Arguments of _ZTSZ1eN4sycl3_V15queueEPiEUlvE_: acc acc acc s\n// File dir/un.cpp\n// File a b.hpp\n"
	if got := ParseHeader(added); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	if got, want := ParseFiles(added), []string{"dir/un.cpp", "a b.hpp"}; !slices.Equal(got, want) {
		t.Errorf("got files %q, want %q", got, want)
	}
}

func TestParseHeaderByName(t *testing.T) {
	text, err := os.ReadFile("testdata/kernels.h")
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range ParseHeader(HeaderByName + string(text)) {
		if k.Type != "" || k.Name == "" {
			t.Errorf("%+v", k)
		}
	}
}

func FuzzParseHeader(f *testing.F) {
	text, err := os.ReadFile("testdata/kernels.h")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(text))
	f.Add("kernel_signatures[] = {\n  //--- _ZTS1K\n  { kernel_param_kind_t::kind_pointer, 8, 0 },\n};\n")
	f.Add("template <> struct KernelInfo<K> {\n")
	f.Fuzz(func(t *testing.T, text string) {
		HasNonKernelData(text, "")
		ParseFiles(text)
		for _, k := range ParseHeader(text) {
			if k.Name == "" || (k.Location.Path == "") != (k.Location.Line == 0) || !strings.Contains(text, k.Name) {
				t.Errorf("%+v", k)
			}
		}
	})
}
