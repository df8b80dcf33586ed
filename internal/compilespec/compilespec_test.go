package compilespec

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestDeviceOptions(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"", ""},
		{"-DX -D Y -UZ -I inc -isystem=sys -include a.h", "-DX -D Y -UZ -I inc -isystem=sys -include a.h"},
		{"-std=c++20 -std=c11 -std=gnu++17", "-std=c++20 -std=gnu++17"},
		{"-O -O0 -Ofast -O9 -Og", "-O1 -O0 -O3 -ffast-math -O3 -Og"},
		{"-g -g0 -ggdb3 -ggdb0 -gdwarf-4 -gsplit-dwarf -gz -g1", "-g -g0 -g -g0 -gdwarf-4 -g"},
		{"-ffast-math -fno-signed-zeros -fPIC -fno-gnu-unique -ftemplate-depth=9 -ftemplate-depth-9 -fno-builtin-x -fsanitize=address", "-ffast-math -fno-signed-zeros -ftemplate-depth=9 -ftemplate-depth-9 -fno-builtin-x"},
		{"-Wall -Wl,-s -Wa,-x -Wp,-DX -w", "-Wall -w"},
		{"--sysroot=/r --sysroot /s -isysroot /t", "--sysroot=/r --sysroot=/s -isysroot /t"},
		{"-o -DX -x c -MF -DY -lm -L -DZ a.cpp -c", ""},
		{"-Xclang -foo -Xlinker -DX -mllvm -DY", "-Xclang -foo"},
		{"-I", ""},
		{"-march=haswell -mtune=native -mavx2 -mno-sse4.2 -mlong-double-64", "-march=haswell -mtune=native -mavx2 -mno-sse4.2 -mlong-double-64"},
		{"-mfpmath=sse -mavx256-split-unaligned-load -mcpu=x -m64 -mlong-double-128 -mabm", ""},
		{"-fno-rtti -frtti -fno-exceptions -pthread -pthreads", "-fno-exceptions -pthread"},
	} {
		got := deviceOptions(strings.Fields(c.line))
		if want := strings.Fields(c.want); !slices.Equal(got, want) {
			t.Errorf("%s:\n got %q\nwant %q", c.line, got, want)
		}
	}
}

// deviceOptions returns the options that the device compile derives from the command line of a host
// compile.
func deviceOptions(line []string) []string {
	var out []string
	for i := 0; i < len(line); i++ {
		r := Find(line[i])
		if r == nil {
			continue
		}
		words := line[i : i+1]
		value, next := r.Value(line[i])
		if next {
			if i++; i == len(line) {
				break
			}
			value, words = line[i], line[i-1:i+1]
		}
		out = append(out, r.DeviceWords(words, value)...)
	}
	return out
}

// TestFind checks that the longest name takes precedence, regardless of its position in the table.
func TestFind(t *testing.T) {
	for arg, want := range map[string]string{
		"-include": "-include", "-include-pch": "-include-pch", "-includes": "-include", "-isystem-after": "-isystem-after", "-Inc": "-I",
		"-MMD": "-MMD", "-MMDX": "", "--sysroot=x": "--sysroot", "--sysrootx": "", "-static-libgcc": "-static", "-shared": "-shared", "-sharedx": "",
		"a.cpp": "", "-": "", "": "",
	} {
		got := ""
		if r := Find(arg); r != nil {
			got = r.Name
		}
		if got != want {
			t.Errorf("%q: rule %q, want %q", arg, got, want)
		}
	}
	seen := map[string]bool{}
	for _, r := range Rules() {
		if seen[r.Name] {
			t.Errorf("%s has two rules", r.Name)
		}
		seen[r.Name] = true
	}
}

// TestAdded checks that the documentation of Adds lists every placeholder, and that no placeholder
// remains after filling.
func TestAdded(t *testing.T) {
	placeholder := regexp.MustCompile(`\{\w+\}`)
	fill := map[string]string{"front": "/f", "dpcpp": "/d", "number": "20260200", "prefix": "uid{split}", "split": "auto", "gcc": "/gcc"}
	for _, a := range Adds() {
		if len(a.Words) == 0 || a.For == 0 || a.Why == "" || a.To != Host && a.To != Device {
			t.Errorf("incomplete: %+v", a)
		}
		for _, name := range placeholder.FindAllString(strings.Join(a.Words, " "), -1) {
			if _, ok := fill[strings.Trim(name, "{}")]; !ok {
				t.Errorf("unknown placeholder %s in %q", name, a.Words)
			}
		}
	}
	for _, c := range []struct {
		to   Step
		at   Position
		is   Cond
		want string
	}{
		{Host, First, GCC | NoStandard, "-std=gnu++17 --param=ggc-min-heapsize=262144 -Wno-psabi -D__SYCL_ID_QUERIES_FIT_IN_INT__=1 -D__SYCL_UNNAMED_LAMBDA__=1"},
		{Host, First, Clang, "-stdlib=libstdc++ -D__SYCL_ID_QUERIES_FIT_IN_INT__=1 -D__SYCL_UNNAMED_LAMBDA__=1"},
		{Host, Front, GCC, "-isystem /f -isystem /d/sycl/stl_wrappers"},
		{Device, Last, Warnings, "-Wno-unknown-warning-option"},
		{Device, Last, 0, ""},
	} {
		if got := strings.Join(AddedOptions(Command, c.to, c.at, c.is, fill), " "); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
	first := strings.Join(AddedOptions(Command, Device, First, RDC, fill), " ")
	for _, want := range []string{"-fsycl-unique-prefix=uid{split} ", "-fsycl-allow-device-image-dependencies", "-U__INTEL_LLVM_COMPILER"} {
		if !strings.Contains(first, want) {
			t.Errorf("%s lacks %s", first, want)
		}
	}
}
