package linkir

import (
	"os"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

// TestMembers checks which members of archives are linked. The letters of a module are its symbols: a
// kernel K, uses of others, and definitions, in upper case.
func TestMembers(t *testing.T) {
	t.Chdir(t.TempDir())
	dis := testkit.Script(t, "dis", `cat "$1"`)
	link := testkit.Script(t, "link", `for last; do :; done
while [ "$1" != -o ]; do sed -n 's/^source_filename = "\(.*\)"/\1/p' "$1"; shift; done | paste -sd' ' - > "$last"`)
	for _, test := range []struct{ modules, want string }{
		{"main=Kf a(f)=F", "main a(f)"},
		{"main=Kf f=F a(f)=F", "main f"},             // an object defines f
		{"a(f)=F main=Kf f=F", "main f"},             // objects take precedence
		{"main=Kf a(f)=F b(f)=F", "main a(f)"},       // the first archive is used
		{"main=Kf a(f)=Fg b(g)=G", "main a(f) b(g)"}, // a member that a member needs
		{"main=Kf b(g)=G a(f)=Fg", "main b(g) a(f)"}, // in any order
		{"main=Kf a(f)=F a(h)=Hx", "main a(f)"},      // x is undefined, but nothing uses h
		{"main=K a(k)=Kf b(f)=F", "main a(k) b(f)"},  // the host code may submit its kernel
		{"main=Kv a(v)=V", "main a(v)"},              // a variable
		{"main=Kw a(w)=W", "main a(w)"},              // a weak function
		{"main=Ki a(i)=I", "main"},                   // i is local to a module
		{"a(f)=F a(g)=G", "a(f)"},                    // llvm-link needs a module
	} {
		var o Options
		for module := range strings.FieldsSeq(test.modules) {
			name, symbols, _ := strings.Cut(module, "=")
			text := "source_filename = \"" + name + "\"\n"
			for s := range strings.SplitSeq(symbols, "") {
				text += map[string]string{
					"K": "define spir_kernel void @" + name + "() {\n  ret void\n}\n",
					"W": "define weak spir_func void @w() {\n  ret void\n}\n",
					"I": "define internal spir_func void @i() {\n  ret void\n}\n",
					"V": "@v = addrspace(1) constant i32 1\n", "v": "@v = external addrspace(1) constant i32\n",
				}[s]
				switch {
				case strings.Contains("FGH", s):
					text += "define spir_func void @" + strings.ToLower(s) + "() {\n  ret void\n}\n"
				case strings.Contains("fghwix", s):
					text += "declare spir_func void @" + s + "()\n"
				}
			}
			text = strings.ReplaceAll(text, "@"+name+"()", "@\""+name+"\"()")
			testkit.WriteFile(t, name, text)
			o.Sources = append(o.Sources, Source{Source: name, File: name, Member: strings.Contains(name, "(")})
		}
		o.LLVMDis, o.LLVMLink, o.Output = dis, link, "all.bc"
		testkit.NoError(t, Run(t.Context(), os.Stderr, o))
		if got := strings.TrimSpace(testkit.ReadFile(t, "all.bc")); got != test.want {
			t.Errorf("%s: linked %s, want %s", test.modules, got, test.want)
		}
	}
}

// TestRepeatedFunctions checks the message about two definitions of a constructor.
func TestRepeatedFunctions(t *testing.T) {
	t.Chdir(t.TempDir())
	testkit.WriteFile(t, "s.ll", "define spir_func void @_ZN1SC1Ei() {\n  ret void\n}\ndefine spir_func void @_ZN1SC2Ei() {\n  ret void\n}\n")
	dis := testkit.Script(t, "dis", `cat "$1"`)
	err := Run(t.Context(), os.Stderr, Options{LLVMDis: dis, LLVMLink: "/nonexistent", Output: "all.bc", Sources: []Source{{Source: "s.cpp in s.o", File: "s.ll"}, {Source: "t.cpp in libt.a(t.o)", File: "s.ll"}}})
	const want = "t.cpp in libt.a(t.o): function 'S::S(int)' is also defined in s.cpp in s.o; rename one of them, declare both inline, or link only one of them"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
