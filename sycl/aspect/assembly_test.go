package aspect

import (
	"slices"
	"strings"
	"testing"
)

// TestAssembly checks texts that mostly come from published libraries: oneCCL, oneMKL and
// AutoRound.
func TestAssembly(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"lsc_fence.ugm.evict.gpu", "lsc_fence"},
		{"\nlsc_load.ugm.uc.ca (M1, 16) $0:d32x4 flat[$1]:a64\n", "lsc_load"},
		{"lsc_load_block2d.ugm.ca.ca (M1, 1)  %null:d$1.$2x$3nn flat[$0+(0,0)]", "lsc_load_block2d"},
		{"{\n.decl DST     v_type=G type=f num_elts=$5 alias=<$0,0>\n.decl A v_type=G type=UD num_elts=128 alias=<$2,0>\n" +
			"dpas.hf.hf.8.$3 (M1, 16) DST.0 DST.0 A.0 A(0,0)\n}\n", "dpas.16"},
		{"mov (M1_NM, 1) V6(0,4)<1> 0x100:ud", "V6 mov"},
		{"{\n.decl P1 v_type=P num_elts=16\ncmp.lt (M1, 16) P1 $1(0,0)<1;1,0> $2(0,0)<1;1,0>\n(!P1) sel (M1, 16) $0(0,0)<1> $1(0,0)<1;1,0> 0x0:d\n}", "cmp sel"},
		{"sbarrier.signal // and later\nsbarrier.wait\n", "sbarrier"},
		{"MOV (M1, 16) $0(0,0)<1> 0x1:DF", "df mov"},
		{".decl X v_type=G type=uq num_elts=16\nadd (M1, 16) X(0,0)<1> $1(0,0)<1;1,0> 0x1:uq", "add uq"},
		{"again:\njmp (M1, 1) again", "jmp"},
		{"(P3) mov (M1, 16) $0(0,0)<1> A0(0)<1>", "A0 mov"},
		{"dpas.s8.s8.8.8 $0 $1", "dpas"},
		{"*&^%", "syntax"},
		{" \n{}\n", ""},
		{"", ""},
	} {
		if got := AssemblyNames(c.text); !slices.Equal(got, strings.Fields(c.want)) {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

func FuzzAssembly(f *testing.F) {
	f.Add("{\n.decl A v_type=G\n(P1) dpas.s8.s8.8.1 (M1, 16) V6.0 A(0,0) 0x1:df // x\n}")
	f.Fuzz(func(t *testing.T, text string) {
		names := AssemblyNames(text)
		if !slices.IsSorted(names) {
			t.Errorf("%q is not sorted", names)
		}
		for _, name := range names {
			if name == "" || len(name) > 70 || strings.ContainsAny(name, ", \n\"") {
				t.Errorf("invalid name %q", name)
			}
		}
	})
}
