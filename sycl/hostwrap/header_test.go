package hostwrap

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// TestParseHeader parses output of libsycl-jit 2026.2.0.
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
			[]Parameter{{"accessor", 4062, 0}, {"std_layout", 2, 32}}, &Class{40, []Member{{Name: "acc", Size: 32}, {Name: "s", Offset: 32, Size: 2, Const: true}}}},
	}
	added := string(text) + "// Class of _ZTSZ1eN4sycl3_V15queueEPiEUlvE_: 40{acc@0:32 s@32c:2}\n// File dir/un.cpp\n// File a b.hpp\n"
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
	f.Add(string(text) + "// Class of _ZTSZ1eN4sycl3_V15queueEPiEUlvE_: 40{acc@0:32 f@32c:2{@0:1}}\n")
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

func TestParseClass(t *testing.T) {
	pack := Member{Name: "v", Offset: 8, Size: 2}
	want := &Class{72, []Member{
		{Size: 8},
		{Name: "f", Offset: 8, Size: 64, Class: &Class{64, []Member{{Name: "step", Size: 4, Const: true}, pack, pack}}},
		{Name: "g", Offset: 72, Size: 1, Class: &Class{1, nil}},
		{Name: "list", Offset: 80, Size: 24, Class: &Class{8, []Member{{Name: "n", Size: 4}}}, Count: 3},
	}}
	if got := parseClass("72{@0:8 f@8:64{step@0c:4 v@8:2 v@8:2} g@72:1{} list@80:3x8{n@0:4}}"); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
	for _, bad := range []string{"", "8", "8{", "8{a}", "8{a@}", "8{a@0}", "8{a@0:}", "8{a@0:4", "8{a@0:4{}", "8{a@0:4}}", "x{}", "8{a@0:2x}", "8{a@0:2x4}", "8{a@0:99999999x8{}}", "8{a@0:99999999999999999999}", strings.Repeat("8{a@0:", 1000)} {
		if got := parseClass(bad); got != nil {
			t.Errorf("%q: got %+v", bad, got)
		}
	}
}
