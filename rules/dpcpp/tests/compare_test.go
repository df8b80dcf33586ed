package dpcpp

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

// TestCompare checks that the header that the driver writes compiles if and only if the host compile
// has the macros of the device compile, and that its errors are at the lines that use a macro.
func TestCompare(t *testing.T) {
	driver, fake, cxx := driver(t), fake(t), testkit.Program(t, "c++")
	t.Chdir(t.TempDir())
	write(t, "k.cpp", "")
	write(t, "a b.cpp", "#ifdef WIDE\n#endif\n  #  if LANES > 4 && \\\n defined(__AVX2__) // NOT_THIS\n#endif\n#if !defined(ONLY_HOST) && !defined(__SYCL_DEVICE_ONLY__)\n#endif\n#if defined linux || not defined(_OPENMP) || SYCL_LANGUAGE_VERSION\n#endif\n")
	write(t, "c.hpp", "#ifndef GUARD\n#define GUARD\n#endif\n#elifdef LATER\n")
	for _, c := range []struct{ name, device, apart, host, want string }{
		{"equal", "-DWIDE -DLANES=8", "", "-DWIDE -DLANES=8", ""},
		{"equal, in two words", "-D WIDE -D LANES=8", "", "-DLANES=8 -DWIDE=1", ""},
		{"undefined again", "-DWIDE -UWIDE", "", "", ""},
		{"host only", "", "", "-DWIDE", "a b.cpp:1:2: error: #error the host compilation defines WIDE, but the device compilation does not"},
		{"host only, by name", "", "", "-DLATER", "c.hpp:4:2: error: #error the host compilation defines LATER"},
		{"device only", "-DLANES=8", "", "", "a b.cpp:3:2: error: #error the device compilation defines LANES, but the host compilation does not"},
		{"values", "-DLANES=8", "", "-DLANES=4", "a b.cpp:3:"},
		{"strings", `-DLANES="a"`, "", `-DLANES="a"`, ""},
		{"strings differ", `-DLANES="a"`, "", `-DLANES="b"`, "the host compilation defines LANES differently from the device compilation"},
		{"nobody asks", "", "", "-DELSE", ""},
		{"nobody asks, but the device has it", "-DELSE=2", "", "", "k.cpp:1:2: error: #error the device compilation defines ELSE"},
		{"the condition asks which compile it is", "", "", "-DONLY_HOST", ""},
		{"meant to differ", "-DLANES=8", "WIDE,LANES", "-DWIDE", ""},
		{"the CPU", "", "", "-mavx2", "a b.cpp:3:2: error: #error the host compilation defines __AVX2__"},
		{"the standard", "", "", "-std=c++20", "k.cpp:1:2: error: #error the host compilation uses C++20"},
		{"a function", "-DLANES(x)=x", "", "-DLANES(x)=x", ""},
		{"unbalanced", "-DLANES=(", "", "-DLANES=(", ""},
		{"a file before the source", "-include c.hpp", "", "-DGUARD", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := []string{"compile", "--library", fake, "--output", "k.bc", "--compare", "k.h"}
			if c.apart != "" {
				args = append(args, "--apart", c.apart)
			}
			args = append(args, "k.cpp", "--")
			if code, _, stderr := run(t, driver, append(args, strings.Fields(c.device)...)...); code != 0 {
				t.Fatalf("exit %d: %s", code, stderr)
			}
			// The stand-in does not answer what wchar_t is.
			host := append([]string{"-std=c++17", "-fshort-wchar", "-fsyntax-only", "-x", "c++"}, strings.Fields(c.host)...)
			out, err := exec.Command(cxx, append(host, "k.h")...).CombinedOutput()
			switch {
			case c.want == "" && err != nil:
				t.Errorf("%v: %s", err, out)
			case c.want != "" && (err == nil || !strings.Contains(string(out), c.want)):
				t.Errorf("%v: %q is not in\n%s", err, c.want, out)
			}
		})
	}
}
