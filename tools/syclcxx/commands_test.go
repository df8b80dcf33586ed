package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

var scratchName = regexp.MustCompile(`[^ ]*/\.?rules_sycl[^ /]*/`)

// TestCommands compares the commands that -### prints with a golden file.
func TestCommands(t *testing.T) {
	golden := testkit.Must(filepath.Abs("testdata/commands.txt"))(t)
	dir := t.TempDir()
	t.Chdir(dir)
	for _, name := range []string{
		"dpcpp/lib/libsycl-jit.so", "dpcpp/lib/libsycl.so.9", "dpcpp/lib/libsycl-preview.so.9", "dpcpp/include/sycl/sycl.hpp", "dpcpp/lib/python3/site-packages/intel_sycl_rt-2026.2.0.dist-info/METADATA",
		"driver", "headers/sycl", "plain.cpp", "in_c.c", "in_assembler.S",
	} {
		testkit.WriteFile(t, name, "")
	}
	testkit.WriteFile(t, "kernel.cpp", "#include <sycl/sycl.hpp>\n")
	testkit.WriteFile(t, "other.cpp", "#include <sycl/sycl.hpp>\n")
	testkit.Script(t, "g++", "echo /gcc/lib/include")
	testkit.Script(t, "clang++", "")
	t.Setenv("CPATH", "")
	t.Setenv("CPLUS_INCLUDE_PATH", "")
	var all strings.Builder
	for _, line := range []string{
		"-c kernel.cpp",
		"-O2 -DNDEBUG -c kernel.cpp -o out/kernel.o -MD",
		"-O0 -g -std=c++20 -DPROBE=7 -c kernel.cpp",
		"-Wall -Wextra -Wduplicated-cond -Werror -c kernel.cpp",
		"-fsycl-rdc -c kernel.cpp",
		"-fno-sycl-unnamed-lambda -fsycl-device-code-split=per_kernel -c kernel.cpp",
		"-fsycl-fp64-conv-emu -flto -c kernel.cpp",
		"-fsycl-id-queries-range=size_t -D__SYCL_ID_QUERIES_FIT_IN_INT__=0 -c kernel.cpp",
		"-march=haswell -fno-rtti -fPIC -fsanitize=address --coverage -c kernel.cpp",
		"-I inc -isystem sys -iquote quote -include in_c.c --sysroot=/root -nostdinc++ -Xarch_host -DHOST -Xarch_device -DDEVICE -c kernel.cpp",
		"-Ofast -ggdb3 -ftemplate-depth=9 -Xclang -x --gcc-install-dir=/g -c kernel.cpp",
		"-O2 -DX plain.cpp kernel.cpp in_c.c in_assembler.S -lm -o program",
		"-fpreview-breaking-changes kernel.cpp -o program",
		"-fno-sycl -O2 plain.cpp in_c.c -o program",
		"-fno-sycl -emit-llvm -c plain.cpp",
		"-fno-sycl -fgpu-rdc --offload-arch=sm_90 -Xarch_device -DX -O2 -c plain.cpp",
		"-fno-sycl -emit-llvm -S plain.cpp",
		"-E kernel.cpp",
		"-MMD -c plain.cpp",
		"-MMD -c kernel.cpp",
		"-S plain.cpp -MD",
		"-E plain.cpp",
		"-O2 -c other.cpp -fsyclbin",
	} {
		for _, host := range []string{"g++", "clang++"} {
			args := append([]string{"-fsycl-host-compiler=" + dir + "/" + host, "--dpcpp=" + dir + "/dpcpp", "--driver=" + dir + "/driver", "--host-headers=" + dir + "/headers", "-###"}, strings.Fields(line)...)
			var log bytes.Buffer
			if code := run(t.Context(), &cli.Env{Stdout: &log, Stderr: &log}, args); code != 0 {
				t.Errorf("%s: exit code %d\n%s", line, code, log.String())
			}
			text := scratchName.ReplaceAllString(log.String(), "SCRATCH/")
			text = strings.ReplaceAll(text, os.TempDir(), "/tmp")
			all.WriteString("$ " + host + " " + line + "\n" + strings.ReplaceAll(text, dir+"/", "") + "\n")
		}
	}
	testkit.GoldenFile(t, golden, all.String())
}
