package hostbin

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

func TestTextKernels(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	for _, test := range []struct {
		name, text string
		want       int
	}{
		{"OpenCL C", "__kernel void add(__global float *a) {}\n\x00kernel void sub() {}", 2},
		{"attributes", "__attribute__((a))\n__kernel __attribute__((reqd_work_group_size(1, 1, 1)))\n__attribute__((intel_reqd_sub_group_size(16))) void\nk(int a) {}", 1},
		{"after other text", "#define X;__kernel\tvoid a(){}/* */kernel\r\nvoid b(){}", 2},
		{"different words", "the kernel voids, my_kernel void x, kernelvoid x, __kernel\x00void x, kernel int x, __kernel", 0},
		{"unterminated attribute", "__kernel __attribute__((x void k()", 0},
		{"end of a chunk", long[:1<<20-3] + "\n__kernel void k(){}" + long, 1},
		{"every position around the end of a chunk", strings.Repeat(strings.Repeat(" ", 1<<20-50)+"__kernel void k(){}", 4), 4},
		{"many", strings.Repeat("__kernel void k(){}\n", 200000), 200000},
	} {
		if n, err := countTextKernels(test.text); n != test.want || err != nil {
			t.Errorf("%s: %d kernels, %v, want %d", test.name, n, err, test.want)
		}
	}
	for at := 1<<20 + 200; at < 1<<20+300; at++ {
		if n, _ := countTextKernels(strings.Repeat("\n", at) + "__kernel void k(){}" + long); n != 1 {
			t.Errorf("at %d: %d kernels", at, n)
		}
	}
}

func countTextKernels(text string) (int, error) {
	s := new(scanner)
	err := s.findOtherCode(&input{r: strings.NewReader(text), size: int64(len(text))}, []section{{size: int64(len(text))}}, nil)
	return s.other.textKernels, err
}

// TestOtherCode checks that files with images have a warning about other device code.
func TestOtherCode(t *testing.T) {
	const source = "__kernel void k() {}\x00"
	pvc, acm, unknown := string(gpuELF(pvcConfig)), string(gpuELF(acmG10Config)), string(gpuELF(0))
	padding := strings.Repeat("x", 1<<20)
	images := testSection{name: ".llvm.offloading", typ: 1, content: containers(t)}
	for _, test := range []struct{ name, constants, want string }{
		{"none", "", "[]"},
		{"a kernel", source, "[1 kernel is in OpenCL C source text, which the program compiles when it runs; reports do not include it]"},
		{"kernels", strings.Repeat(source, 3), "[3 kernels are in OpenCL C source text, which the program compiles when it runs; reports do not include them]"},
		{"a binary", pvc, "[1 Intel GPU binary (intel_gpu_pvc) is outside the device images, and the program may load it itself; reports do not include it]"},
		{"binaries", pvc + acm + padding + pvc, "[3 Intel GPU binaries (intel_gpu_acm_g10, intel_gpu_pvc) are outside the device images, and the program may load them itself; reports do not include them]"},
		{"an unknown GPU", unknown, "[1 Intel GPU binary is outside the device images, and the program may load it itself; reports do not include it]"},
		{"both", source + pvc, "[1 kernel is in OpenCL C source text, which the program compiles when it runs; reports do not include it " +
			"1 Intel GPU binary (intel_gpu_pvc) is outside the device images, and the program may load it itself; reports do not include it]"},
		{"truncated", pvc[:100] + padding + pvc[:len(pvc)-1], "[]"},
		{"inside another", pvc[:64] + acm[64:len(acm)/2] + pvc[:64] + padding, "[]"},
		{"a program for the processor", string(object()), "[]"},
	} {
		constants := testSection{name: ".rodata", typ: 1, flags: 2, content: []byte(test.constants)}
		f := testkit.Must(parse(object(images, constants)))(t)
		if got := fmt.Sprint(f.Warnings); got != test.want {
			t.Errorf("%s: %s", test.name, got)
		}
		if f := testkit.Must(parse(object(constants)))(t); len(f.Warnings) != 0 {
			t.Errorf("%s, without images: %q", test.name, f.Warnings)
		}
	}
}

// TestImagesAreNotOtherCode checks that a descriptor's images, which are among the constants, do
// not count as other code.
func TestImagesAreNotOtherCode(t *testing.T) {
	native := gpuELF(pvcConfig)
	images := []*Image{{Origin: Origin{Offset: 5, Address: 1}, Source: bytes.NewReader(native)}}
	s := new(scanner)
	data := append([]byte("12345"), native...)
	for _, in := range []struct {
		images []*Image
		want   int
	}{{images, 0}, {nil, 1}, {[]*Image{{Origin: Origin{Offset: 6, Address: 1}, Source: bytes.NewReader(native)}}, 2}} {
		if err := s.findOtherCode(&input{r: bytes.NewReader(data), size: int64(len(data))}, []section{{size: int64(len(data))}}, in.images); err != nil || s.other.gpuBinaries != in.want {
			t.Errorf("%d binaries, %v, want %d", s.other.gpuBinaries, err, in.want)
		}
	}
}
