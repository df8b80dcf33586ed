package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

const (
	writtenFill = "_ZTSN3app4FillE"
	madeOfFill  = "_ZTSN4sycl3_V16detail19__pf_kernel_wrapperIN3app4FillEEE"
)

func TestJoinRounded(t *testing.T) {
	small, fp64 := &needs{SubGroupSizes: []uint32{8}}, &needs{Aspects: []aspect.Aspect{aspect.FP64}}
	both := func() []KernelInfo { return kernels(madeOfFill, writtenFill) }
	for name, c := range map[string]struct {
		modules []Module
		want    string // kernels, and for each device status, what is held, scope and rules
	}{
		"in one image": {
			[]Module{{Needs: fp64, Kernels: both(), Forms: []Form{ir(1)}}},
			"app::Fill: incompatible ir kernel missing-aspect, compatible ir kernel",
		},
		"in one image with another": {
			[]Module{{Needs: fp64, Kernels: append(both(), kernels("_ZTS5Other")...), Forms: []Form{ir(1)}}},
			"Other: incompatible ir image missing-aspect, compatible ir image; app::Fill: incompatible ir image missing-aspect, compatible ir image",
		},
		"in images that need different things": {
			[]Module{{Needs: fp64, Kernels: kernels(writtenFill), Forms: []Form{ir(1)}}, {Needs: small, Kernels: kernels(madeOfFill), Forms: []Form{ir(2)}}},
			"app::Fill: incompatible ir kernel missing-aspect, incompatible ir kernel unsupported-sub-group-size",
		},
		"in images that need partly the same": {
			[]Module{{Needs: fp64, Kernels: kernels(writtenFill), Forms: []Form{ir(1)}},
				{Needs: &needs{Aspects: []aspect.Aspect{aspect.FP64}, SubGroupSizes: []uint32{8}}, Kernels: kernels(madeOfFill), Forms: []Form{ir(2)}}},
			"app::Fill: incompatible ir kernel missing-aspect, incompatible ir kernel unsupported-sub-group-size",
		},
		"native code for one of them": {
			[]Module{{Needs: &needs{}, Kernels: kernels(writtenFill), Forms: append(native(1, "intel_gpu_dg2"), ir(1))}, {Needs: &needs{}, Kernels: kernels(madeOfFill), Forms: []Form{ir(2)}}},
			"app::Fill: compatible ir kernel, compatible ir kernel",
		},
		"only the one that was made": {
			[]Module{{Needs: fp64, Kernels: kernels(madeOfFill), Forms: []Form{ir(1)}}},
			"app::Fill: incompatible ir kernel missing-aspect, compatible ir kernel",
		},
	} {
		JoinRounded(c.modules)
		r := build(t, c.modules, "intel_gpu_dg2", "intel_gpu_pvc")
		var rows []string
		for i, k := range r.Kernels {
			var cells []string
			for _, c := range r.Cells[2*i : 2*i+2] {
				text := fmt.Sprint(c.Verdict, " ", c.Holds, " ", c.Scope)
				for _, reason := range c.Reasons {
					text += " " + reason.Rule
				}
				cells = append(cells, text)
			}
			rows = append(rows, k.DisplayName+": "+strings.Join(cells, ", "))
		}
		if got := strings.Join(rows, "; "); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, c.want)
		}
	}
}

// A kernel keeps the place where it was written, and lists the images of both.
func TestJoinRoundedDescribes(t *testing.T) {
	modules := []Module{{Needs: &needs{}, Kernels: kernels(madeOfFill), Forms: []Form{ir(1)}}, {Needs: &needs{}, Kernels: kernels(writtenFill), Forms: []Form{ir(2)}}}
	modules[0].Kernels[0].Source.Location = srcloc.Location{Path: "include/sycl/handler.hpp", Line: 300}
	modules[1].Kernels[0].Source.Location = srcloc.Location{Path: "fill.cpp", Line: 3}
	JoinRounded(modules)
	r := build(t, modules, "intel_gpu_pvc")
	if len(r.Kernels) != 1 || r.Kernels[0].Name != writtenFill || r.Kernels[0].Location.Path != "fill.cpp" || len(r.Kernels[0].Images) != 2 {
		t.Errorf("got %+v", r.Kernels)
	}
}

// Kernels of different symbols and one name could both be what another was made of.
func TestJoinRoundedWhenUnclear(t *testing.T) {
	modules := []Module{{Kernels: kernels(writtenFill, "_ZN3app4FillE", madeOfFill)}}
	JoinRounded(modules)
	if got := modules[0].Kernels[2].Name; got != madeOfFill {
		t.Errorf("%s is taken for made of %s", madeOfFill, got)
	}
}

// A lambda without a name is known by its place.
func TestLambdaPlace(t *testing.T) {
	modules := []Module{{Needs: &needs{}, Kernels: kernels("_ZTSZ4mainEUlN4sycl3_V12idILi1EEEE_", writtenFill), Forms: []Form{ir(1)}}}
	for i := range modules[0].Kernels {
		modules[0].Kernels[i].Source.Location = srcloc.Location{Path: "src/fill|.cpp", Line: 3}
	}
	r := build(t, modules, "intel_gpu_pvc")
	for name, c := range map[string]struct {
		render func(*bytes.Buffer) error
		want   string
	}{
		"text":     {func(b *bytes.Buffer) error { return WriteText(b, r, TextOptions{Width: 200}) }, "main::{lambda(sycl::id<1>)#1} at src/fill|.cpp:3  yes"},
		"Markdown": {func(b *bytes.Buffer) error { return WriteMarkdown(b, r, MarkdownOptions{}) }, "| `main::{lambda(sycl::id<1>)#1} at src/fill\\|.cpp:3` |"},
	} {
		var b bytes.Buffer
		if err := c.render(&b); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), c.want) {
			t.Errorf("%s: no %q in\n%s", name, c.want, &b)
		}
		if strings.Contains(b.String(), "Fill at") {
			t.Errorf("%s: a kernel with a name has its place there", name)
		}
	}
}
