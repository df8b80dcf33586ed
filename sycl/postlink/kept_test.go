package postlink

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

// ofFirst lists data that the image of the kernel "first" must contain and the image of "second"
// must not.
var ofFirst = []string{
	`"sycl-buffer-location"="2"`, "align 64", "!spirv.ParameterDecorations", "!{i32 44, i32 64}", "!{i32 5919, i32 1}",
	"!work_group_size_hint", "!{i64 2, i64 4, i64 8}", "!max_work_group_size", "!{i64 16, i64 16, i64 16}", "!max_linear_work_group_size", "!{i64 256}",
	"!RegisterAllocMode", "!max_global_work_dim", "!ip_interface", `!{!"csr"}`, `"sycl-work-group-size"="8,4,2"`, `"sycl-pipelined"="1"`,
	`"sycl-floating-point-control"="1"`, `"sycl-single-task"`, "@_Z20__spirv_SpecConstantii(i32 0, i32 20)", "@_Z20__spirv_SpecConstantia(i32 1, i8 99)",
	"@_Z29__spirv_SpecConstantCompositeia_Rcomposite(i32 %c, i8 %d)", `c"{6190:\221\22}\00", section "llvm.metadata"`, `c"{5826:\22x\22}\00"`,
	"!{i32 6442, i32 0, i32 1}", "!{ptr @first, i32 4462, i32 64}",
}

// ofBoth lists data that both images must contain: data about the whole module, and device globals.
var ofBoth = []string{
	`"sycl-host-access"="1"`, `"sycl-implement-in-csr"`, `"sycl-init-mode"="0"`,
	`!{i32 6188, i32 2, !"id_of_dg"}`, "@dg = addrspace(1) global i32 0, align 4, !spirv.Decorations",
	"!sycl.specialization-constants = !{", `!{!"id", i32 0, i32 0, i32 4, i32 1, i32 4, i32 1, i32 -1, i32 5, i32 3}`,
	"!sycl.specialization-constants-default-values = !{", "!{%composite { i32 20, i8 99 }}", "!{[4 x i8] zeroinitializer}",
}

// TestKeepConstantsAndProperties checks that images have the metadata of specialization constants
// and compile-time properties, even after LLVM's passes that clean up images.
func TestKeepConstantsAndProperties(t *testing.T) {
	text := testkit.Must(os.ReadFile("testdata/properties_kept.ll"))(t)
	for _, mode := range SplitModes {
		m := parse(t, string(text))
		images := testkit.Must(everything(t, m, Options{Split: SplitOptions{Mode: mode}}))(t)
		if mode == SplitOff {
			hasParts(t, "the only image", images[0], append(ofFirst, ofBoth...), nil)
			continue
		}
		if len(images) != 2 {
			t.Fatalf("%s: %d images", mode, len(images))
		}
		for _, image := range images {
			if strings.Contains(image, "void @first(") {
				hasParts(t, string(mode)+": first", image, append(ofFirst, ofBoth...), []string{"@second"})
			} else {
				hasParts(t, string(mode)+": second", image, append([]string{"!{ptr @second, i32 4460, i32 32}"}, ofBoth...), ofFirst)
			}
		}
	}
	opt := testkit.Program(t, "opt")
	images := testkit.Must(everything(t, parse(t, string(text)), Options{Split: SplitOptions{Mode: SplitPerKernel}}))(t)
	for _, image := range images {
		cmd := exec.Command(opt, "-passes=always-inline,globaldce,strip-dead-prototypes", "-S", "-o", "-", "-")
		cmd.Stdin = strings.NewReader(image)
		cmd.Stderr = new(strings.Builder)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %s", err, cmd.Stderr)
		}
		if strings.Contains(image, "void @first(") {
			hasParts(t, "first, cleaned up", string(out), append(ofFirst, ofBoth...), []string{"@second"})
		} else {
			hasParts(t, "second, cleaned up", string(out), append([]string{"!{ptr @second, i32 4460, i32 32}"}, ofBoth...), ofFirst)
		}
	}
}

func hasParts(t *testing.T, what, text string, has, not []string) {
	t.Helper()
	for _, s := range has {
		if !strings.Contains(text, s) {
			t.Errorf("%s lacks %s:\n%s", what, s, text)
		}
	}
	for _, s := range not {
		if strings.Contains(text, s) {
			t.Errorf("%s has %s:\n%s", what, s, text)
		}
	}
}
