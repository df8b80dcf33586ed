package render

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/reporttest"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
)

// TestOptions checks that all human-readable formats include the options of images, safely escaped.
func TestOptions(t *testing.T) {
	const big = "-ze-intel-greater-than-4GB-buffer-required"
	modules := reporttest.Program()
	for m := range modules {
		for i := range modules[m].Images {
			modules[m].Images[i].Options = propset.JITOptions{Compile: big}
		}
	}
	modules[1].Images[0].Options = propset.JITOptions{Compile: "<b>`x\x1b[31m", Link: "@user"}
	modules[2].Images[0].Options = propset.JITOptions{Link: "-l"}
	r := reporttest.Build(t, modules, "intel_gpu_pvc")
	for name, test := range map[string]struct {
		got  string
		want []string
	}{
		"a table": {text(t, TextOptions{Width: 200}, r), []string{
			"\n6 images with options for the runtime's compiler: " + big + ".\n",
			"\n1 image with options for the runtime's linker: -l.\n",
			"\n1 image with options for the runtime's compiler: <b>`x\\u{1b}[31m, and its linker: @user.\n",
		}},
		"groups":   {text(t, TextOptions{Width: 200, GroupBy: ByReason}, r), []string{"\n6 images with options for the runtime's compiler: " + big + ".\n"}},
		"Markdown": {markdown(t, r, MarkdownOptions{}), []string{"\n6 images with options for the runtime's compiler: `" + big + "`.\n", "and its linker: `@user`.\n"}},
		"a page":   {pageText(t, r, HTMLOptions{}), []string{"<li>6 images with options for the runtime&#39;s compiler: " + big + "</li>", "&lt;b&gt;`x\\u{1b}[31m"}},
	} {
		for _, want := range test.want {
			if !strings.Contains(test.got, want) {
				t.Errorf("%s lacks %q:\n%s", name, want, test.got)
			}
		}
	}

	var many []report.Module
	for i := range 8 {
		m := report.Module{Needs: new(requirement.Requirements), Kernels: reporttest.Kernels(fmt.Sprintf("k%d", i)), Images: []report.ModuleImage{reporttest.IR(i)}}
		m.Images[0].Options.Compile = fmt.Sprintf("-D%d", i)
		many = append(many, m)
	}
	if got := text(t, TextOptions{}, reporttest.Build(t, many, "intel_gpu_pvc")); !strings.Contains(got, "-D4.\n3 more sets of options; see the JSON report.\n") || strings.Contains(got, "-D5") {
		t.Errorf("got\n%s", got)
	}
}
