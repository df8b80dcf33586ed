package hostbin

import (
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
		if n, err := textKernels(strings.NewReader(test.text)); n != test.want || err != nil {
			t.Errorf("%s: %d kernels, %v, want %d", test.name, n, err, test.want)
		}
	}
	for at := 1<<20 + 200; at < 1<<20+300; at++ {
		if n, _ := textKernels(strings.NewReader(strings.Repeat("\n", at) + "__kernel void k(){}" + long)); n != 1 {
			t.Errorf("at %d: %d kernels", at, n)
		}
	}
}

// Kernels in source text are mentioned for files that have images.
func TestFileTextKernels(t *testing.T) {
	images := testSection{name: ".llvm.offloading", typ: 1, content: containers(t)}
	for n, want := range map[int]string{
		0: "[]",
		1: "[1 kernel is in OpenCL C source text, which the program compiles when it runs; reports do not include it]",
		3: "[3 kernels are in OpenCL C source text, which the program compiles when it runs; reports do not include them]",
	} {
		text := testSection{name: ".rodata", typ: 1, flags: 2, content: []byte(strings.Repeat("__kernel void k() {}\x00", n))}
		f := testkit.Must(parse(object(images, text)))(t)
		if got := fmt.Sprint(f.Warnings); got != want {
			t.Errorf("%d kernels: %s", n, got)
		}
		if f := testkit.Must(parse(object(text)))(t); len(f.Warnings) != 0 {
			t.Errorf("without images: %q", f.Warnings)
		}
	}
}
