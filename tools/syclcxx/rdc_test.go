package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

func TestRDCByDefault(t *testing.T) {
	digests := map[bool]string{} // of external.cpp, by whether LLVM is installed
	dir := t.TempDir()
	llvm := filepath.Join(dir, "llvm")
	testkit.NoError(t, os.Mkdir(llvm, 0o777))
	for _, name := range []string{"llvm-dis", "llvm-link"} {
		testkit.NoError(t, os.WriteFile(filepath.Join(llvm, name), []byte("#!/bin/sh\necho LLVM version 23.1.4\n"), 0o755))
	}
	for name, text := range map[string]string{
		"plain.cpp": "int f();\n", "external.cpp": "SYCL_EXTERNAL int f();\n", "includes.cpp": "#include \"sub/external.hpp\"\n",
		"sub/external.hpp": "SYCL_EXTERNAL int f();\n", "sycl.cpp": "#include <sycl.hpp>\n", "dpcpp/include/sycl.hpp": "#define SYCL_EXTERNAL\n",
	} {
		path := filepath.Join(dir, name)
		testkit.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		testkit.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	}
	t.Chdir(dir)
	t.Setenv("VIRTUAL_ENV", "")
	t.Setenv("CONDA_PREFIX", "")
	for _, tt := range []struct {
		line string
		llvm bool
		want bool
	}{
		{"external.cpp", true, true},
		{"external.cpp", false, false},
		{"includes.cpp", true, true},
		{"plain.cpp", true, false},
		{"plain.cpp -include sub/external.hpp", true, true},
		{"sycl.cpp -Idpcpp/include", true, false},
		{"missing.cpp", true, false},
		{"external.cpp -fsycl-device-code-split=auto", true, true},
		{"external.cpp -fno-sycl-rdc", true, false},
		{"external.cpp -fsycl-targets=intel_gpu_pvc", true, false},
		{"external.cpp -fsycl-fixed-targets=intel_gpu_pvc", true, false},
		{"external.cpp -fsycl-device-config-file=c.yaml", true, false},
		{"external.cpp -fsycl-device-code-split=per_kernel", true, false},
		{"external.cpp -fsycl-fp64-conv-emu", true, false},
		{"external.cpp -fsyclbin", true, false},
		{"external.cpp -Xs -g", true, false},
	} {
		t.Setenv("PATH", "/nonexistent")
		if tt.llvm {
			t.Setenv("PATH", llvm)
		}
		line := testkit.Must(parseLine(strings.Fields(tt.line)))(t)
		u := &compilation{compiler: &compiler{line: line, dpcpp: &installation{dir: "dpcpp"}}, source: strings.Fields(tt.line)[0]}
		files, _ := u.closure(lineInput{Path: u.source})
		if got := u.usesRDC(files); got != tt.want {
			t.Errorf("%s: LLVM %t: got %t", tt.line, tt.llvm, got)
		}
		if tt.line == "external.cpp" {
			digests[tt.llvm] = testkit.Must(u.deviceDigest(lineInput{Path: u.source}))(t)
		}
	}
	if digests[true] == digests[false] {
		t.Error("compiler caches would mix objects of machines with and without LLVM")
	}
}

// TestUndefinedAdvice checks that the error about an undefined function does not name an option
// that was used for the link.
func TestUndefinedAdvice(t *testing.T) {
	for source, want := range map[string]string{"a.cpp": "compile and link these sources with -fsycl-rdc", "": "a kernel cannot use functions or variables of a shared library"} {
		if got := (&imageSet{source: source}).advice(); !strings.HasSuffix(got, want) {
			t.Errorf("source %q: %s", source, got)
		}
	}
}
