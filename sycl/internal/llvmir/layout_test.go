package llvmir

import (
	"bytes"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

const spirLayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"

func TestLayout(t *testing.T) {
	m := parseString(t, `%pair = type { i32, i64 }
%loop = type { i32, %other }
%other = type { [2 x %loop] }
%unknown = type opaque
`)
	for _, test := range []struct {
		layout, typ string
		want        Size
		offsets     string
		fail        string
	}{
		{spirLayout, "i1", Size{1, 1, 1}, "", ""},
		{spirLayout, "i24", Size{3, 4, 4}, "", ""},
		{spirLayout, "i128", Size{16, 16, 8}, "", ""},
		{"i128:128", "i128", Size{16, 16, 16}, "", ""},
		{spirLayout, "half", Size{2, 2, 2}, "", ""},
		{spirLayout, "x86_fp80", Size{10, 16, 16}, "", ""},
		{spirLayout, "<3 x i32>", Size{12, 16, 16}, "", ""},
		{spirLayout, "<5 x i1>", Size{1, 1, 1}, "", ""},
		{spirLayout, "<3 x ptr>", Size{24, 32, 32}, "", ""},
		{spirLayout, "[3 x <3 x i8>]", Size{12, 12, 4}, "", ""},
		{spirLayout, "ptr addrspace(4)", Size{8, 8, 8}, "", ""},
		{"p:32:32-p4:64:64", "ptr addrspace(3)", Size{4, 4, 4}, "", ""},
		{"p:32:32-p4:64:64", "ptr addrspace(4)", Size{8, 8, 8}, "", ""},
		{spirLayout, "target(\"spirv.Event\")", Size{8, 8, 8}, "", ""},
		{spirLayout, "{}", Size{0, 0, 1}, "[]", ""},
		{spirLayout, "{ i8, i64, i8 }", Size{24, 24, 8}, "[0 8 16]", ""},
		{spirLayout, "<{ i8, i64, i8 }>", Size{10, 10, 1}, "[0 1 9]", ""},
		{spirLayout, "{ i8, <{ i8, i64 }>, i16 }", Size{12, 12, 2}, "[0 1 10]", ""},
		{spirLayout, "%pair", Size{16, 16, 8}, "[0 8]", ""},
		{"a:32:64", "{ i8 }", Size{4, 4, 4}, "[0]", ""},
		{spirLayout, "void", Size{}, "", "has no size"},
		{spirLayout, "<vscale x 2 x i32>", Size{}, "", "unknown size of type"},
		{spirLayout, "%unknown", Size{}, "", "is not defined"},
		{spirLayout, "%missing", Size{}, "", "is not defined"},
		{spirLayout, "%loop", Size{}, "", "contains itself"},
		{spirLayout, "[18446744073709551615 x i64]", Size{}, "", "too large"},
		{spirLayout, "[281474976710656 x [2 x i8]]", Size{}, "", "too large"},
		{spirLayout, "{ [281474976710656 x i8], i8 }", Size{}, "", "too large"},
		{spirLayout, "<4 x {}>", Size{}, "", "elements without a size"},
		{spirLayout, "<4 x i0>", Size{}, "", "elements without a size"},
		{spirLayout, "<4 x [0 x i8]>", Size{}, "", "elements without a size"},
		{"E-i64:64", "i8", Size{}, "", "part 'E'"},
		{"i64", "i8", Size{}, "", "part 'i64'"},
		{"i64:7", "i8", Size{}, "", "part 'i64:7'"},
		{"i64:24", "i8", Size{}, "", "part 'i64:24'"},
		{"p", "i8", Size{}, "", "part 'p'"},
		{"p99999999999:64:64", "i8", Size{}, "", "part 'p99999999999:64:64'"},
		{"e--", "i8", Size{}, "", "empty"},
	} {
		t.Run(test.layout+" "+test.typ, func(t *testing.T) {
			typ, err := m.Type(test.typ)
			testkit.NoError(t, err)
			l, err := newLayout(test.layout)
			var got Size
			if err == nil {
				got, err = l.Size(typ)
			}
			if test.fail != "" {
				if err == nil || !strings.Contains(err.Error(), test.fail) {
					t.Errorf("error %v, want %s", err, test.fail)
				}
				return
			}
			if err != nil || got != test.want {
				t.Errorf("%+v, %v, want %+v", got, err, test.want)
			}
			offsets, err := l.Offsets(typ)
			if test.offsets != "" && (err != nil || fmt.Sprint(offsets) != test.offsets) {
				t.Errorf("offsets %v, %v, want %s", offsets, err, test.offsets)
			}
			if test.offsets == "" && err == nil {
				t.Error("unexpected fields")
			}
		})
	}
}

// laidOut lists the types whose layout is compared with LLVM's.
var laidOut = []string{
	"i1", "i8", "i16", "i24", "i32", "i64", "i128", "half", "bfloat", "float", "double", "x86_fp80", "fp128", "ptr", "ptr addrspace(1)", "ptr addrspace(4)",
	"<2 x i8>", "<3 x i8>", "<4 x i8>", "<2 x i16>", "<3 x i32>", "<8 x half>", "<16 x double>", "<7 x i16>", "<5 x i24>",
	"[3 x <3 x i32>]", "[5 x i24]", "[0 x i64]", "{}", "{ i8, i16, i8, i64, i8 }", "<{ i8, i16, i8, i64, i8 }>",
	"{ i8, { i8, double }, [3 x i16], half }", "{ i8, <3 x float>, i8 }", "<{ i8, { i32, i8 }, i8 }>", "{ [3 x { i8, i16 }], <4 x i1>, i24, i8 }", "{ i128, i8, x86_fp80 }",
}

// TestLayoutIsLLVMs compares sizes and offsets with the constants that LLVM computes for them.
func TestLayoutIsLLVMs(t *testing.T) {
	opt := testkit.Program(t, "opt")
	for _, layout := range []string{spirLayout, "", "e-p:32:32-i64:64-i128:128-v16:16-v32:32-n16:32:64", "e-p:64:64-p1:64:64-p4:32:32-f80:128-v96:64-a:0:32"} {
		var b strings.Builder
		if layout != "" {
			fmt.Fprintf(&b, "target datalayout = %q\n", layout)
		}
		var want []uint64
		l, err := newLayout(layout)
		testkit.NoError(t, err)
		m := parseString(t, "")
		place := func(pointer, indices string, value uint64) {
			fmt.Fprintf(&b, "define i64 @v%d() {\n  %%p = getelementptr %s, ptr addrspace(0) null, %s\n  %%n = ptrtoint ptr %%p to i64\n  ret i64 %%n\n}\n", len(want), pointer, indices)
			want = append(want, value)
		}
		for _, text := range laidOut {
			typ, err := m.Type(text)
			testkit.NoError(t, err)
			size, err := l.Size(typ)
			testkit.NoError(t, err)
			place(text, "i32 1", size.Alloc)
			place("{ i8, "+text+" }", "i32 0, i32 1", size.Align)
			for i := range typ.Fields() {
				offsets, _ := l.Offsets(typ)
				place(text, fmt.Sprintf("i32 0, i32 %d", i), offsets[i])
			}
		}
		cmd := exec.Command(opt, "-passes=instcombine", "-S", "-o", "-")
		cmd.Stdin = strings.NewReader(b.String())
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v\n%s", err, b.String())
		}
		got := 0
		for line := range bytes.Lines(out) {
			value, ok := strings.CutPrefix(strings.TrimSpace(string(line)), "ret i64 ")
			if !ok {
				continue
			}
			n, err := strconv.ParseUint(value, 10, 64)
			if err != nil || got >= len(want) || n != want[got] {
				t.Errorf("layout %q: LLVM's @v%d:%s", layout, got, line)
			}
			got++
		}
		if got != len(want) {
			t.Errorf("LLVM folded %d of %d constants", got, len(want))
		}
	}
}

func FuzzLayout(f *testing.F) {
	for _, text := range laidOut {
		f.Add(spirLayout, text)
	}
	f.Add("p1:32:32:64:8-m:e-S128-ni:1", "[3 x [4 x ptr addrspace(1)]]")
	f.Fuzz(func(t *testing.T, layout, text string) {
		if len(layout)+len(text) > longest {
			return
		}
		l, err := newLayout(layout)
		if err != nil {
			return
		}
		m, err := Parse("f.ll", "%a = type { "+text+", %b }\n%b = type [2 x %a]\n")
		if err != nil {
			return
		}
		for _, text := range []string{text, "%a", "[3 x " + text + "]", "{ i8, " + text + " }"} {
			typ, err := m.Type(text)
			if err != nil {
				continue
			}
			size, err := l.Size(typ)
			if err != nil {
				continue
			}
			if size.Alloc < size.Store || size.Align == 0 || size.Alloc%size.Align != 0 && typ.Kind() != Struct {
				t.Fatalf("%s: size %+v", text, size)
			}
			if again, err := l.Size(typ); err != nil || again != size {
				t.Fatalf("%s: size %+v, then %+v, %v", text, size, again, err)
			}
		}
	})
}
