package hostkernels

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/hostwrap"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// header returns an integration header with kernels of 8 bytes, at lines 1, 2 and so on.
func header(symbols ...string) (kernels []hostwrap.Kernel) {
	for i, s := range symbols {
		kernels = append(kernels, hostwrap.Kernel{Name: s, Location: srcloc.Location{Path: "a.cpp", Line: uint32(i + 1), Column: 7}, Size: 8})
	}
	return kernels
}

// object assembles an object file with the given symbols, and reads it.
func object(t *testing.T, compiler string, symbols ...string) *hostObject {
	t.Helper()
	dir := t.TempDir()
	var b strings.Builder
	if compiler != "" {
		fmt.Fprintf(&b, ".ident %q\n", compiler)
	}
	b.WriteString(".bss\n")
	for _, s := range symbols {
		fmt.Fprintf(&b, "%s: .zero 1\n", s)
	}
	source, out := filepath.Join(dir, "a.s"), filepath.Join(dir, "a.o")
	testkit.NoError(t, os.WriteFile(source, []byte(b.String()), 0o644))
	if text, err := exec.Command(testkit.Program(t, "gcc"), "-c", "-o", out, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	f := testkit.Must(os.Open(out))(t)
	defer f.Close()
	o := testkit.Must(readObject(f))(t)
	return o
}

const (
	gcc12   = "GCC: (Debian 12.2.0-14) 12.2.0"
	gcc16   = "GCC: (Debian 16.2.0-3) 16.2.0"
	clang21 = "Debian clang version 21.1.8 (13)"
)

func TestCompare(t *testing.T) {
	const lambda, second = "Z4mainEUlvE_", "Z4mainEUlvE0_"
	add := strconv.FormatUint(hostwrap.Hash("_ZTS3Add"), 10)
	// submitted returns the symbol of a submitted kernel in code of g++ and clang.
	submitted := func(kernel string, size int, hash string) string {
		return fmt.Sprintf("_ZN10rules_sycl9SubmittedI%sLm%dELm%sEE4hereE", kernel, size, hash)
	}
	tests := []struct {
		name     string
		compiler string
		device   []string // types of kernels
		host     []string // symbols of kernels
		want     []string // location, severity and part of the text
	}{
		{"same", gcc16, []string{lambda, second}, []string{submitted(lambda, 8, "0"), submitted(second, 8, "0")}, nil},
		{"none", gcc16, nil, nil, nil},
		{"with a name", gcc16, []string{"3Add"}, []string{submitted("3Add", 8, add)}, nil},
		{"with a name, without the header's", gcc16, []string{"3Add", "Z4mainE1K", lambda}, []string{submitted("Z4mainE1K", 8, "0"), submitted("3Add", 8, "0"), submitted(lambda, 8, "0")}, nil},
		{"with a name, without the header's, of g++ 12", gcc12, []string{"3Add", second}, []string{submitted("3Add", 16, "0"), submitted("Z4mainEUlvE1_", 8, "0")},
			[]string{"src/a.cpp:1:7 error the kernel 'Add' has 16 bytes of captures in the host code and 8 in the device code"}},
		{"constant", gcc16, []string{lambda}, []string{submitted(lambda, 16, "0")},
			[]string{"src/a.cpp:1:7 error the kernel 'main::{lambda()#1}' has 16 bytes of captures in the host code and 8 in the device code, so its arguments would be at wrong offsets: g++ and DPC++ capture different variables"}},
		{"constant, with a name", gcc16, []string{"3Add"}, []string{submitted("3Add", 16, add)},
			[]string{"src/a.cpp:1:7 error the kernel 'Add' has 16 bytes of captures"}},
		{"variable that only the device uses", clang21, []string{lambda}, []string{submitted(lambda, 1, "0")},
			[]string{"src/a.cpp:1:7 error the kernel 'main::{lambda()#1}' has 1 bytes of captures in the host code and 8 in the device code, so its arguments would be at wrong offsets: the device code uses a variable that the host code does not"}},
		{"only on the host", gcc16, []string{lambda}, []string{submitted(lambda, 8, "0"), submitted("8OnlyHost", 8, "0")},
			[]string{"src/a.cpp:3 error the host code submits the kernel 'OnlyHost', but the device code has no kernel of this name: remove the condition"}},
		{"only on the device", clang21, []string{lambda, second}, []string{submitted(lambda, 8, "0")},
			[]string{"src/a.cpp:2:7 warning the device code has the kernel 'main::{lambda()#2}', but the host code does not submit it"}},
		{"other numbers", gcc16, []string{lambda, second}, []string{submitted(lambda, 8, "0"), submitted("Z4mainEUlvE1_", 8, "0")},
			[]string{
				"src/a.cpp:2 error the host code submits the kernel 'main::{lambda()#3}', but the device code has no kernel of this name: give it a name",
				"src/a.cpp:2:7 warning the device code has the kernel 'main::{lambda()#2}'",
			}},
		{"other numbers of g++ 12", gcc12, []string{lambda, second}, []string{submitted("Z4mainEUlvE0_", 8, "0"), submitted("Z4mainEUlvE3_", 8, "0")}, nil},
		{"lambdas at namespace scope", clang21, []string{"Z3runIN3addMUliE_EEvT_EUlvE_"}, []string{submitted("Z3runIUliE_EvT_EUlvE_", 8, "0")},
			[]string{"src/a.cpp error the host code submits the kernel 'run<{lambda(int)#1}>({lambda(int)#1})::{lambda()#1}', but the device code has no kernel of this name: DPC++ names lambdas at namespace scope after"}},
		{"other lambdas", clang21, []string{"Z3runiEUlvE_"}, []string{submitted("Z3runiEUlvE0_", 8, "0")},
			[]string{"src/a.cpp error the host code submits the kernel 'run(int)::{lambda()#2}', but the device code has no kernel of this name: give it a name", "src/a.cpp:1:7 warning"}},
		{"types without a name", gcc16, []string{"Z3setI3$_0EvT_EUlvE_"}, []string{submitted("Z3setI8._anon_7EvT_EUlvE_", 8, "0")},
			[]string{"src/a.cpp error the kernel 'set<._anon_7>(._anon_7)::{lambda()#1}' is instantiated for an unnamed type"}},
		{"types without a name in a function", gcc16, []string{"Z3setIZ4mainE3$_0EvT_EUlvE_"}, []string{submitted("Z3setIZ4mainEUt_EvT_EUlvE_", 8, "0")},
			[]string{"src/a.cpp error the kernel 'set<main::{unnamed type#1}>(main::{unnamed type#1})::{lambda()#1}' is instantiated for an unnamed type"}},
		{"fold expression", gcc16, []string{"Z4eachIJildEEvDpT_EUlvE_"}, []string{submitted("Z4eachIJildEEvDpT_EUlvE_", 8, "0")}, nil},
		{"kernels of libsycl beside others", gcc16,
			[]string{lambda, "N4sycl3_V16detail18RoundedRangeKernelINS0_4itemILi1ELb1EEELi1EZ4mainEUlvE_EE"},
			[]string{submitted(lambda, 8, "0"), submitted("N4sycl3_V16detail18RoundedRangeKernelINS1_4itemILi1ELb1EEELi1EZ4mainEUlvE_EE", 24, "0")}, nil},
	}
	source := []byte("// a source\n\nclass OnlyHost; int main() {\n")
	source2 := []byte("\nint main() {\n")
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var symbols []string
			for _, d := range tt.device {
				symbols = append(symbols, "_ZTS"+d)
			}
			device := kernelsOf(header(symbols...))
			text := source
			if strings.HasPrefix(tt.name, "other numbers") {
				text = source2
			}
			var got []string
			for _, f := range compare(device, object(t, tt.compiler, tt.host...)) {
				severity := "error"
				if f.Warning {
					severity = "warning"
				}
				got = append(got, fmt.Sprintf("%s %s %s", f.Kernel.Place("src/a.cpp", text), severity, f.Text))
			}
			if len(got) != len(tt.want) {
				t.Fatalf("got %q, want %q", got, tt.want)
			}
			for i := range got {
				if !strings.HasPrefix(got[i], tt.want[i]) {
					t.Errorf("got  %s\nwant %s", got[i], tt.want[i])
				}
			}
		})
	}
}

// TestMatchUnnamedTypes checks that kernels of an unnamed type are paired if the table has the
// host's names and there is only one such type.
func TestMatchUnnamedTypes(t *testing.T) {
	kernels := func(names ...string) (list []Kernel) {
		for _, name := range names {
			list = append(list, Kernel{Name: name, hash: hostwrap.Hash(name)})
		}
		return list
	}
	device, submitted := kernels("f<$_0>", "g<$_0>", "h<$_1>", "h<$_2>"), kernels("f<._anon_7>", "g<._anon_7>", "h<._anon_8>", "h<._anon_9>")
	for i := range submitted {
		submitted[i].hash = 0
	}
	for _, table := range []bool{true, false} {
		pairs, onlyHost, onlyDevice, _ := match(device, &hostObject{Readable: true, GCC: 16, Submitted: submitted, table: table})
		want := map[bool]int{true: 2, false: 0}[table]
		if len(pairs) != want || len(onlyHost) != 4-want || len(onlyDevice) != 4-want {
			t.Errorf("table %v: got %v, %v, %v", table, pairs, onlyHost, onlyDevice)
		}
		for _, p := range pairs {
			if p.device.Name[0] != p.host.Name[0] {
				t.Errorf("%s is paired with %s", p.device.Name, p.host.Name)
			}
		}
	}
}

// TestRenameLambdas checks that lambdas at namespace scope are found in host code of clang, which does
// not name their variables.
func TestRenameLambdas(t *testing.T) {
	const twoLambdas = "namespace app { constexpr auto less = [](int n) { return n - 1; };\nconst auto more{[](int n) { return n + 1; }}; }"
	const less, more, first, second = "3runIN3app4lessMUliE_EEvT_EUlvE_", "3runIN3app4moreMUliE_EEvT_EUlvE_", "3runIN3appUliE_EEvT_EUlvE_", "3runIN3appUliE0_EEvT_EUlvE_"
	const both, bothHost = "4bothIN3app4moreMUliE_ENS0_4lessMUliE_EEvT_T0_EUlvE_", "4bothIN3appUliE0_ENS0_UliE_EEvT_T0_EUlvE_"
	for name, tt := range map[string]struct {
		sources      []string
		device, host []string
		want         map[string]string
	}{
		"one":                      {nil, []string{more}, []string{second}, map[string]string{more: second}},
		"two":                      {[]string{"", twoLambdas}, []string{more, less}, []string{second, first}, map[string]string{less: first, more: second}},
		"two in one name":          {[]string{twoLambdas}, []string{both}, []string{bothHost}, map[string]string{both: bothHost}},
		"no source has them":       {[]string{"MACRO(less) MACRO(more)"}, []string{more, less}, []string{second, first}, nil},
		"a variable of a function": {[]string{"void f() { auto more = 1; }" + twoLambdas}, []string{more, less}, []string{second, first}, map[string]string{less: first, more: second}},
		"declared twice":           {[]string{twoLambdas + "namespace other { auto more = [](int) {}; }"}, []string{more, less}, []string{second, first}, nil},
		"two files":                {[]string{"auto less = [](int) {};", "auto more = [](int) {};"}, []string{more, less}, []string{second, first}, nil},
		"one is not submitted":     {[]string{twoLambdas}, []string{more, less}, []string{first}, nil},
		"a lambda in the lambda":   {nil, []string{"NK4moreMUlvE_clEvEUlvE_"}, []string{"NKUlvE_clEvEUlvE_"}, map[string]string{"NK4moreMUlvE_clEvEUlvE_": "NKUlvE_clEvEUlvE_"}},
		"a const member function":  {nil, []string{"NK1S3runEvEUlvE_"}, []string{"NK1S3runEvEUlvE_"}, map[string]string{}},
	} {
		t.Run(name, func(t *testing.T) {
			var device []hostwrap.Kernel
			for i, k := range header(tt.device...) {
				k.Name = "_ZTSZ" + tt.device[i]
				device = append(device, k)
			}
			kernels := kernelsOf(device)
			host := &hostObject{Readable: true, table: true, types: make(map[string][]string)}
			for _, name := range tt.host {
				host.addType("_ZTSZ"+name, "Z"+name)
				for readable := range host.types {
					if host.types[readable][0] == "Z"+name {
						host.Submitted = append(host.Submitted, Kernel{Name: readable, Size: 8})
					}
				}
			}
			var files []string
			for i, text := range tt.sources {
				files = append(files, filepath.Join(t.TempDir(), fmt.Sprint(i)))
				testkit.NoError(t, os.WriteFile(files[i], []byte(text), 0o644))
			}
			renameLambdas(kernels, host, files)
			want := make(map[string]string)
			for device, host := range tt.want {
				want["_ZTSZ"+device] = "Z" + host
			}
			if got := types(kernels, host); !maps.Equal(got, want) {
				t.Errorf("names in the table: %q, want %q", got, want)
			}
		})
	}
}

// TestRenameSubstituted checks names with two generic lambdas, which g++ 12 mangles differently.
func TestRenameSubstituted(t *testing.T) {
	const device, host, other = "Z4bothINL2sqMUlT_E_ENL3decMUlS2_E_EEv5queuePiS2_T0_EUlvE_", "Z4bothINL2sqMUlT_E_ENL3decMUlS1_E_EEv5queuePiS1_T0_EUlvE_", "Z4bothINL2sqMUlT_E_ENL3incMUlS1_E_EEv5queuePiS1_T0_EUlvE_"
	for submitted, pairs := range map[string]int{host: 1, other: 0} {
		inner := strings.ReplaceAll(submitted, "S1_", "S3_") // rules_sycl and Submitted come before
		o := object(t, gcc12, "_ZN10rules_sycl9SubmittedI"+inner+"Lm8ELm0EE4hereE", "_ZTSP"+submitted)
		o.table = true
		kernels := kernelsOf(header("_ZTS" + device))
		renameSubstituted(kernels, o)
		if got, _, _, _ := match(kernels, o); len(got) != pairs {
			t.Errorf("%s: pairs %v", submitted, got)
		}
		if got := types(kernels, o); pairs == 1 && got["_ZTS"+device] != submitted {
			t.Errorf("names in the table: %q", got)
		}
	}
}

// TestMatchTemplateLambdas checks that kernels such as [=]<int D>(item<D>) {} are paired. g++ 12
// does not mangle their template parameters.
func TestMatchTemplateLambdas(t *testing.T) {
	const item, item12 = "Z4mainEUlTniN4sycl3_V14itemIXT_ELb1EEEE_", "Z4mainEUlN4sycl3_V14itemIXT_ELb1EEEE_"
	const class, generic, second = "Z4mainEUlTyT_E_", "Z4mainEUlT_E_", "Z4mainEUlT_E0_" // []<class T>(T) {}, [](auto) {}
	for name, tt := range map[string]struct {
		compiler     string
		device, host []string
		pairs        int
	}{
		"g++ 12":                        {gcc12, []string{item}, []string{item12}, 1},
		"g++ 16":                        {gcc16, []string{item}, []string{item}, 1},
		"g++ 12, ambiguous":             {gcc12, []string{class, generic}, []string{generic, second}, 0},
		"g++ 16, names that differ":     {gcc16, []string{class, generic}, []string{class, generic}, 2},
		"clang, names that differ":      {clang21, []string{class, generic}, []string{class, generic}, 2},
		"clang, a kernel is not in one": {clang21, []string{class}, []string{generic}, 0},
	} {
		var device, submitted []string
		for _, d := range tt.device {
			device = append(device, "_ZTS"+d)
		}
		for _, h := range tt.host {
			submitted = append(submitted, "_ZN10rules_sycl9SubmittedI"+h+"Lm8ELm0EE4hereE")
		}
		host := object(t, tt.compiler, submitted...)
		host.table = true
		pairs, onlyHost, _, _ := match(kernelsOf(header(device...)), host)
		if len(pairs) != tt.pairs || len(onlyHost) != len(tt.host)-tt.pairs {
			t.Errorf("%s: got %v and %v", name, pairs, onlyHost)
		}
		for _, p := range pairs {
			if tt.compiler != gcc12 && p.device.Name != p.host.Name {
				t.Errorf("%s: %s is paired with %s", name, p.device.Name, p.host.Name)
			}
		}
	}
}

func TestWithoutCalls(t *testing.T) {
	for name, want := range map[string]string{
		"f(int)::{lambda(A&)#1}::operator()(A) const::{lambda()#2}":                      "f(int)::{lambda(A&)#1}::operator() const::{lambda()#2}",
		"{lambda(auto:1)#1}::operator()<g<int (*)(int)>>(g<int (*)(int)>)::{lambda()#1}": "{lambda(auto:1)#1}::operator()<g<int (*)(int)>>::{lambda()#1}",
		"A<{lambda()#1}::operator()() const::{lambda()#1}>":                              "A<{lambda()#1}::operator() const::{lambda()#1}>",
		"{lambda()#1}::operator()(":                                                      "{lambda()#1}::operator()",
	} {
		if got := withoutCalls(name); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

func TestTable(t *testing.T) {
	device := kernelsOf(header("_ZTSZNK12at_namespaceMUlR3RunE_clES1_EUlvE_"))
	host := object(t, gcc12, "_ZN10rules_sycl9SubmittedIZNK12at_namespaceMUlR3RunE_clES1_EUlvE_Lm8ELm0EE4hereE")
	if got := compare(device, host); len(got) != 2 || host.table {
		t.Errorf("without a table, got %v", got)
	}
	host = object(t, gcc12, "_ZN10rules_sycl9SubmittedIZNK12at_namespaceMUlR3RunE_clES1_EUlvE_Lm8ELm0EE4hereE", ".section rules_sycl_kernels\nat")
	if got := compare(device, host); len(got) != 0 {
		t.Errorf("with a table, got %v", got)
	}
}

func TestTypes(t *testing.T) {
	device := kernelsOf(header("_ZTSZ4mainEUlvE_", "_ZTSZ4mainEUliE_", "_ZTS3Add"))
	symbols := []string{"_ZTSPZ4mainEUlvE2_", "_ZTSPZ4mainEUliE_", "_ZTSP3Add", "_ZTSP5Other"}
	for _, kernel := range []string{"Z4mainEUlvE2_", "Z4mainEUliE_", "3Add"} {
		symbols = append(symbols, "_ZN10rules_sycl9SubmittedI"+kernel+"Lm8ELm0EE4hereE")
	}
	got := types(device, object(t, gcc12, symbols...))
	if want := map[string]string{"_ZTSZ4mainEUlvE_": "Z4mainEUlvE2_"}; !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := types(device, object(t, clang21, symbols...)); len(got) != 0 {
		t.Errorf("clang's code does not use typeid, and got %v", got)
	}
}

func TestFoldExpression(t *testing.T) {
	// A lambda in a fold expression becomes several kernels at one location.
	one := func(symbols ...string) []Kernel {
		kernels := header(symbols...)
		for i := range kernels {
			kernels[i].Location.Line = 1
		}
		return kernelsOf(kernels)
	}
	device := one("_ZTSZ4eachIJildEEvDpT_EUlvE_", "_ZTSZ4eachIJildEEvDpT_EUlvE0_")
	for _, tt := range []struct {
		compiler string
		want     int
	}{{gcc16, 1}, {clang21, 0}} {
		host := object(t, tt.compiler,
			"_ZN10rules_sycl9SubmittedIZ4eachIJildEEvDpT_EUlvE_Lm8ELm0EE4hereE",
			"_ZN10rules_sycl9SubmittedIZ4eachIJildEEvDpT_EUlvE0_Lm8ELm0EE4hereE")
		found := compare(device, host)
		if len(found) != tt.want {
			t.Errorf("%s: got %v", tt.compiler, found)
		}
	}
	// The kernels of two reductions in one function have the same location in libsycl's headers but
	// different arguments.
	device = one("_ZTSN4sycl3RedIZ4mainEUlvE_JiEEE", "_ZTSN4sycl3RedIZ4mainEUlvE0_JiEEE")
	host := object(t, gcc16,
		"_ZN10rules_sycl9SubmittedIN4sycl3RedIZ4mainEUlvE_JiEEELm8ELm0EE4hereE",
		"_ZN10rules_sycl9SubmittedIN4sycl3RedIZ4mainEUlvE0_JiEEELm8ELm0EE4hereE")
	if found := compare(device, host); len(found) != 0 {
		t.Errorf("reductions: got %v", found)
	}
}

func TestObjectsWithoutSymbols(t *testing.T) {
	device := kernelsOf(header("_ZTSZ4mainEUlvE_"))
	bitcode := testkit.Must(readObject(bytes.NewReader([]byte("BC\xc0\xde and more"))))(t)
	if found := compare(device, bitcode); len(found) != 0 {
		t.Errorf("bitcode: got %v", found)
	}
	for _, text := range []string{"", "abc", "\x7fELF but not really"} {
		if _, err := readObject(strings.NewReader(text)); err == nil {
			t.Errorf("%q is read", text)
		}
	}
}

func FuzzCompare(f *testing.F) {
	f.Add("_ZTS3Add", "_ZTSZ4mainEUlvE_", 12)
	f.Add("_ZTSZ4eachIJildEEvDpT_EUlvE0_", "_ZTSN4sycl3RedIZ4mainEUlvE_JiEEE", 16)
	f.Fuzz(func(t *testing.T, first, second string, gcc int) {
		host := kernelsOf(header(first, second))
		for i := range host {
			host[i].hash = 0
		}
		for _, found := range compare(kernelsOf(header(first)), &hostObject{Readable: true, GCC: gcc, Submitted: host}) {
			found.Kernel.Place("a.cpp", []byte(second))
		}
	})
}

// TestSymbolsOfAddressSanitizer reads symbols with the hash that clang's AddressSanitizer appends.
func TestSymbolsOfAddressSanitizer(t *testing.T) {
	for symbol, want := range map[string]string{
		"_ZN10rules_sycl9SubmittedIZ4mainEUlvE_Lm8ELm0EE4hereE.21576b91ab9b15712202e1b4a494877f": "main::{lambda()#1}",
		"_ZN10rules_sycl9SubmittedIN4work4hereELm8ELm0EE4hereE":                                  "work::here",
	} {
		o := object(t, clang21, symbol)
		if len(o.Submitted) != 1 || o.Submitted[0].Name != want || o.Submitted[0].Size != 8 {
			t.Errorf("%s: got %v", symbol, o.Submitted)
		}
	}
}

func TestDebugCommand(t *testing.T) {
	got := debugCommand([]string{"g++", "-gsplit-dwarf", "-c", "a.cpp", "-o", ObjectName, "-gsplit-dwarf=single"}, "a.o")
	want := []string{"g++", "-c", "a.cpp", "-o", "a.o", "-g", "-O0", "-fno-data-sections", "-fno-lto", "-w"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
