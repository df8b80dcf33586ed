package devicecode

import (
	"maps"
	"strings"
	"testing"
)

// A decorated is a property of a variable, a parameter or a kernel, and the result of lowering it.
type decorated struct {
	properties string
	want       string // the decorations
	dpcpp      string // for DPC++'s translator, "" for the same
	fail       string
}

// decoratedCases are properties that all three can have. The decorations match DPC++ 2026.2, with
// two exceptions. Cache controls are levels and controls, because DPC++'s translator rejects the
// decorations that DPC++ writes. A boolean property has no operand if it is true and no decoration
// if it is false, as SPIR-V requires.
var decoratedCases = map[string]decorated{
	"an alignment of a variable or a kernel": {properties: `"sycl-alignment"="16"`, want: "{i32 44, i32 16}"},
	"restrict":                               {properties: `"sycl-strict"`, want: "{i32 19}", dpcpp: "{i32 19, i32 1}"},
	"restrict, with a value":                 {properties: `"sycl-strict"="true"`, want: "{i32 19}", dpcpp: "{i32 19, i32 1}"},
	"not restrict":                           {properties: `"sycl-strict"="false"`},
	"a number":                               {properties: `"sycl-buffer-location"="3"`, want: "{i32 5921, i32 3}"},
	"the greatest number":                    {properties: `"sycl-latency"="4294967295"`, want: "{i32 6179, i32 4294967295}"},
	"a truth":                                {properties: `"sycl-implement-in-csr"="1"`, want: "{i32 6191, i32 1}", dpcpp: "{i32 6149, i32 1}"},
	"a falsehood":                            {properties: `"sycl-implement-in-csr"="FALSE"`, want: "{i32 6191, i32 0}", dpcpp: "{i32 6149, i32 0}"},
	"a truth without a value":                {properties: `"sycl-implement-in-csr"`, want: "{i32 6191, i32 1}", dpcpp: "{i32 6149, i32 1}"},
	"a mode":                                 {properties: `"sycl-init-mode"="1"`, want: "{i32 6190, i32 1}", dpcpp: "{i32 6148, i32 1}"},
	"no value":                               {properties: `"sycl-datapath"="7"`, want: "{i32 5825}"},
	"a text":                                 {properties: `"sycl-resource"="M\22LAB"`, want: `{i32 5826, !"M\22LAB"}`},
	"numbers":                                {properties: `"sycl-latency-constraint"="1,2,3"`, want: "{i32 6173, i32 1, i32 2, i32 3}"},
	"levels of two modes of a cache":         {properties: `"sycl-cache-read-hint"="545"`, want: "{i32 6442, i32 0, i32 0}, {i32 6442, i32 1, i32 1}, {i32 6442, i32 1, i32 2}"},
	"all modes of writes":                    {properties: `"sycl-cache-write-hint"="17826049"`, want: "{i32 6443, i32 0, i32 0}, {i32 6443, i32 0, i32 3}, {i32 6443, i32 0, i32 1}, {i32 6443, i32 0, i32 2}"},
	"an assertion":                           {properties: `"sycl-cache-read-assertion"="524288"`, want: "{i32 6442, i32 3, i32 4}"},
	"a prefetch":                             {properties: `"sycl-prefetch-hint"="2"`, want: "{i32 6442, i32 2, i32 1}"},
	"a prefetch of what is used once":        {properties: `"sycl-prefetch-hint-nt"="0"`, want: "{i32 6442, i32 0, i32 3}"},
	"several, sorted":                        {properties: `"sycl-stable"="true" "sycl-awidth"="32" nounwind "sycl-module-id"="a"`, want: "{i32 6177, i32 32}, {i32 6183}", dpcpp: "{i32 6177, i32 32}, {i32 6183, i32 1}"},
	"metadata of other passes":               {properties: `"frame-pointer"="all" "sycl-usm-kind"="1"`},

	"an invalid number":              {properties: `"sycl-buffer-location"="x"`, fail: `property "sycl-buffer-location": "x" is not a 32-bit number`},
	"a number below zero":            {properties: `"sycl-buffer-location"="-1"`, fail: `"-1" is not a 32-bit number`},
	"a number that is missing":       {properties: `"sycl-buffer-location"`, fail: `"" is not a 32-bit number`},
	"a number over 32 bits":          {properties: `"sycl-num-banks"="4294967296"`, fail: `"4294967296" is not a 32-bit number`},
	"numbers with one missing":       {properties: `"sycl-latency-constraint"="1,,3"`, fail: `"" is not a 32-bit number`},
	"a mode that writes do not have": {properties: `"sycl-cache-write-hint"="16"`, fail: `"16" has cache mode cached, which writes do not support`},
	"a mode that reads do not have":  {properties: `"sycl-cache-read-hint"="1048576"`, fail: `"1048576" has cache mode write_through, which reads do not support`},
	"a mode that does not exist":     {properties: `"sycl-cache-read-hint"="268435456"`, fail: `"268435456" has an unknown cache mode`},
	"a level that does not exist":    {properties: `"sycl-prefetch-hint"="4"`, fail: `"4" is not a cache level from 0 to 3`},
}

func list(s string) string {
	if s == "" {
		return ""
	}
	return "{" + s + "}"
}

func TestVariables(t *testing.T) {
	cases := map[string]decorated{
		"a device global":                    {properties: `"sycl-device-global-size"="4" "sycl-unique-id"="id"`, want: `{i32 6188, i32 3, !"id"}`, dpcpp: `{i32 6147, i32 2, !"id"}`},
		"one that hosts read":                {properties: `"sycl-device-global-size"="4" "sycl-unique-id"="id" "sycl-host-access"="0" "sycl-device-image-scope"`, want: `{i32 6188, i32 1, !"id"}`, dpcpp: `{i32 6147, i32 0, !"id"}`},
		"one that hosts write":               {properties: `"sycl-device-global-size"="4" "sycl-unique-id"="id" "sycl-host-access"="1"`, want: `{i32 6188, i32 2, !"id"}`, dpcpp: `{i32 6147, i32 1, !"id"}`},
		"one that hosts read and write":      {properties: `"sycl-device-global-size"="4" "sycl-unique-id"="id" "sycl-host-access"="2"`, want: `{i32 6188, i32 3, !"id"}`, dpcpp: `{i32 6147, i32 2, !"id"}`},
		"one that hosts do not access":       {properties: `"sycl-device-global-size"="4" "sycl-unique-id"="a\22b" "sycl-host-access"="3"`, want: `{i32 6188, i32 0, !"a\22b"}`, dpcpp: `{i32 6147, i32 3, !"a\22b"}`},
		"with other decorations":             {properties: `"sycl-device-global-size"="4" "sycl-unique-id"="id" "sycl-init-mode"="0"`, want: `{i32 6190, i32 0}, {i32 6188, i32 3, !"id"}`, dpcpp: `{i32 6148, i32 0}, {i32 6147, i32 2, !"id"}`},
		"a pipe":                             {properties: `"sycl-host-pipe" "sycl-host-pipe-size"="4" "sycl-unique-id"="id"`, want: `{i32 6188, i32 3, !"id"}`, dpcpp: `{i32 6147, i32 2, !"id"}`},
		"access to what is no device global": {properties: `"sycl-host-access"="1"`},
		"other properties of what is none":   {properties: `"sycl-unique-id"="id" "sycl-device-image-scope"="false" "sycl-host-access"="1" "sycl-implement-in-csr"="true" "sycl-init-mode"="0"`, want: `{i32 6191, i32 1}, {i32 6190, i32 0}`, dpcpp: `{i32 6149, i32 1}, {i32 6148, i32 0}`},
		"a device global without an id":      {properties: `"sycl-device-global-size"="4"`, fail: `variable g: there is no "sycl-unique-id"`},
		"an access that does not exist":      {properties: `"sycl-device-global-size"="4" "sycl-unique-id"="id" "sycl-host-access"="4"`, fail: `variable g: property "sycl-host-access": "4" is not 0 (read), 1 (write), 2 (read and write) or 3 (none)`},
		"an access that is not a number":     {properties: `"sycl-device-global-size"="4" "sycl-unique-id"="id" "sycl-host-access"="rw"`, fail: `"rw" is not a 32-bit number`},
	}
	maps.Copy(cases, decoratedCases)
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			for _, dpcpp := range []bool{false, true} {
				m := parse(t, "@g = addrspace(1) global i32 0, align 4 #0\nattributes #0 = { "+test.properties+" }\n")
				diagnostics, err := lower(t, m, PropertyOptions{DPCPP: dpcpp})
				if test.fail != "" {
					if err == nil || !strings.Contains(err.Error(), test.fail) || !strings.HasPrefix(err.Error(), "variable g: ") {
						t.Fatalf("got %v, want an error with %q", err, test.fail)
					}
					continue
				}
				if err != nil || len(diagnostics) > 0 {
					t.Fatal(diagnostics, err)
				}
				want := test.want
				if dpcpp && test.dpcpp != "" {
					want = test.dpcpp
				}
				if want != "" {
					want = "spirv.Decorations " + list(want)
				}
				if got := attached(m, m.Global("g").Attachments()); got != want {
					t.Errorf("for DPC++ %v: got\n%s\nwant\n%s", dpcpp, got, want)
				}
			}
		})
	}
}

// TestFrontEndDecorations checks that existing decorations of a variable remain, except for DPC++
// numbers that the translator does not support.
func TestFrontEndDecorations(t *testing.T) {
	for name, test := range map[string]struct{ have, want, dpcpp string }{
		"read":             {have: `{i32 6147, i32 0, !"x"}`, want: `{i32 6188, i32 1, !"x"}`},
		"write":            {have: `{i32 6147, i32 1, !"x"}`, want: `{i32 6188, i32 2, !"x"}`},
		"read and write":   {have: `{i32 6147, i32 2, !"x"}`, want: `{i32 6188, i32 3, !"x"}`},
		"none":             {have: `{i32 6147, i32 3, !"x"}`, want: `{i32 6188, i32 0, !"x"}`},
		"a mode":           {have: `{i32 6148, i32 1}`, want: `{i32 6190, i32 1}`},
		"a truth":          {have: `{i32 6149, i32 1}`, want: `{i32 6191, i32 1}`},
		"today's numbers":  {have: `{i32 6188, i32 1, !"x"}`, want: `{i32 6188, i32 1, !"x"}`},
		"unknown access":   {have: `{i32 6147, i32 9, !"x"}`, want: `{i32 6147, i32 9, !"x"}`},
		"nothing readable": {have: `{!"x"}`, want: `{!"x"}`},
		"an empty one":     {have: `{}`, want: `{}`},
	} {
		t.Run(name, func(t *testing.T) {
			for _, dpcpp := range []bool{false, true} {
				m := parse(t, `@g = addrspace(1) global i32 0, align 4, !spirv.Decorations !0 "sycl-device-global-size"="4" "sycl-host-access"="3" "sycl-unique-id"="id"
!0 = !{!1, !2}
!1 = !`+test.have+`
!2 = !{i32 44, i32 8}
`)
				if _, err := lower(t, m, PropertyOptions{DPCPP: dpcpp}); err != nil {
					t.Fatal(err)
				}
				want := test.want
				if dpcpp {
					want = test.have
				}
				if got := attached(m, m.Global("g").Attachments()); got != "spirv.Decorations {"+want+", {i32 44, i32 8}}" {
					t.Errorf("for DPC++ %v: got %s, want %s", dpcpp, got, want)
				}
			}
		})
	}
}

func TestParametersAndKernels(t *testing.T) {
	for name, test := range decoratedCases {
		t.Run(name, func(t *testing.T) {
			m := parse(t, "define spir_kernel void @k(i32 %a, ptr addrspace(1) noundef "+strings.NewReplacer("nounwind ", "nonnull ").Replace(test.properties)+" %p) "+test.properties+" {\n  ret void\n}\n")
			_, err := lower(t, m, PropertyOptions{})
			if test.fail != "" {
				if err == nil || !strings.Contains(err.Error(), "function k: "+test.fail) && !strings.Contains(err.Error(), test.fail) || !strings.Contains(err.Error(), "function k: parameter 2: ") {
					t.Fatalf("got %v, want an error with %q", err, test.fail)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			want := ""
			if test.want != "" {
				want = "spirv.Decorations " + list(test.want)
				if !strings.Contains(test.properties, "sycl-alignment") {
					want += "\nspirv.ParameterDecorations {{}, " + list(test.want) + "}"
				}
			}
			if got := attached(m, m.Function("k").Attachments()); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// TestAlignedParameters checks that an alignment property replaces the alignment in IR.
func TestAlignedParameters(t *testing.T) {
	for name, test := range map[string]struct{ parameter, want, fail string }{
		"without another": {parameter: `ptr noundef "sycl-alignment"="64"`, want: "ptr align 64 noundef %p"},
		"with another":    {parameter: `ptr align 4 noundef "sycl-alignment"="64"`, want: "ptr align 64 noundef %p"},
		"of zero":         {parameter: `ptr "sycl-alignment"="0"`, fail: `function k: parameter 1: property "sycl-alignment": "0" is not a power of two`},
		"of 24":           {parameter: `ptr "sycl-alignment"="24"`, fail: `"24" is not a power of two`},
		"that is missing": {parameter: `ptr "sycl-alignment"`, fail: `"" is not a 32-bit number`},
	} {
		t.Run(name, func(t *testing.T) {
			m := parse(t, "define spir_kernel void @k("+test.parameter+" %p) {\n  ret void\n}\n")
			_, err := lower(t, m, PropertyOptions{})
			if test.fail != "" {
				if err == nil || !strings.Contains(err.Error(), test.fail) {
					t.Fatalf("got %v, want an error with %q", err, test.fail)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := m.Function("k").Params()[0].Text; got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// TestUnknownProperties checks that each unknown property is reported once, at its first location.
func TestUnknownProperties(t *testing.T) {
	m := parse(t, `@g = addrspace(1) global i32 0, !dbg !0 "sycl-new"
define spir_kernel void @_ZTS1K(ptr "sycl-new"="1" "sycl-other"="2" %p) "sycl-newest" !dbg !3 {
  ret void
}
define spir_kernel void @_ZTS1L(ptr "sycl-other"="2" %p) "sycl-newest" {
  ret void
}
define spir_kernel void @_ZTS1M() "sycl-last" "other-new" {
  ret void
}
!0 = !DIGlobalVariableExpression(var: !1, expr: !DIExpression())
!1 = distinct !DIGlobalVariable(name: "g", file: !2, line: 4)
!2 = !DIFile(filename: "a.cpp", directory: "")
!3 = distinct !DISubprogram(name: "K", file: !2, line: 7)
`)
	diagnostics, err := lower(t, m, PropertyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range diagnostics {
		got = append(got, d.String())
	}
	want := []string{
		"a.cpp:4: warning: unknown property 'sycl-new' of variable 'g' has no effect",
		"a.cpp:7: warning: unknown property 'sycl-newest' of kernel 'K' has no effect",
		"a.cpp:7: warning: unknown property 'sycl-other' of parameter 1 of 'K' has no effect",
		"warning: unknown property 'sycl-last' of kernel 'M' has no effect\ncompile with '-g' to get source location",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
