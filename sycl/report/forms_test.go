package report_test

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/docs/schema"
	"github.com/rules-sycl/rules_sycl/docs/schema/schematest"
	"github.com/rules-sycl/rules_sycl/internal/reporttest"
	"github.com/rules-sycl/rules_sycl/sycl/report"
)

// inFiles returns the program in files: each module in one of them, and the first image in
// both.
func inFiles() []report.Module {
	modules := append(reporttest.Program(), reporttest.Program()[0])
	for i := range modules {
		modules[i].Files = []string{"lib/libb.so", "a.whl: liba.so"}[i%2 : i%2+1]
	}
	modules[4].Files = []string{"a.whl: liba.so", "a.whl: liba.so"}
	return modules
}

func TestFiles(t *testing.T) {
	r := reporttest.Build(t, inFiles(), "intel_gpu_pvc")
	files := map[string]bool{}
	for _, i := range r.Images.All() {
		files[strings.Join(i.Files, ", ")] = true
	}
	for _, want := range []string{"a.whl: liba.so, lib/libb.so", "a.whl: liba.so", "lib/libb.so"} {
		if !files[want] {
			t.Errorf("no image is in the files %q: %v", want, files)
		}
	}
	text := encode(t, r)
	if err := schematest.Validate(schema.CompatReport, []byte(text)); err != nil {
		t.Error(err)
	}
	again, err := report.Decode("r.json", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := reporttest.ListImages(again), reporttest.ListImages(r); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}

	// The files change nothing but themselves and the version.
	reporttest.EditImages(r, func(i *report.Image) { i.Files = nil })
	if r.SchemaVersion != "1.1" {
		t.Errorf("version %s", r.SchemaVersion)
	}
	r.SchemaVersion = "1.0"
	if got, want := encode(t, r), encode(t, reporttest.Build(t, reporttest.Program(), "intel_gpu_pvc")); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Images of two reports that differ in nothing but their files are one.
func TestMergeFilesAndForms(t *testing.T) {
	one, two := reporttest.Build(t, inFiles(), "intel_gpu_pvc"), reporttest.Build(t, reporttest.Program(), "intel_gpu_pvc")
	if v := reporttest.Merge(t, two, two).SchemaVersion; v != "1.0" {
		t.Errorf("version %s without files", v)
	}
	reporttest.EditImages(two, func(i *report.Image) { i.Files = []string{"z.so"} })
	forms(report.KernelForm{Kind: report.Reduction, Name: "b"})(one)
	forms(report.KernelForm{Kind: report.Reduction, Name: "a"}, report.KernelForm{Kind: report.Reduction, Name: "b"})(two)
	r := reporttest.Merge(t, one, two)
	if r.Images.Len() != one.Images.Len() || r.SchemaVersion != "1.1" {
		t.Errorf("%d images, version %s", r.Images.Len(), r.SchemaVersion)
	}
	for i, image := range r.Images.All() {
		if want := append(slices.Clone(one.Images.Files(i)), "z.so"); !slices.Equal(image.Files, want) {
			t.Errorf("files %q, want %q", image.Files, want)
		}
	}
	if got := r.Kernels.At(0).Forms; !slices.Equal(got, two.Kernels.At(0).Forms) {
		t.Errorf("forms %v", got)
	}
	var text bytes.Buffer
	if err := r.Encode(&text); err != nil {
		t.Fatal(err)
	}
	if err := schematest.Validate(schema.CompatReport, text.Bytes()); err != nil {
		t.Error(err)
	}
	again, err := report.Decode("r.json", &text)
	if err != nil || !reflect.DeepEqual(reporttest.ListKernels(again), reporttest.ListKernels(r)) {
		t.Errorf("got %+v, %v", again, err)
	}
}

func TestFilesAndFormsThatContradict(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*report.Report)
		want   string
	}{
		"a file without a name":   {files(""), `the file "" has no name`},
		"a file twice":            {files("a", "a"), `the file "a" has no name, occurs twice`},
		"files in another order":  {files("b", "a"), `or is not in order`},
		"a form without a name":   {forms(report.KernelForm{Kind: report.Reduction}), `"name" must not be empty`},
		"a form twice":            {forms(report.KernelForm{Kind: report.Reduction, Name: "a"}, report.KernelForm{Kind: report.RoundedRange, Name: "a"}), `the form "a"`},
		"forms in another order":  {forms(report.KernelForm{Kind: report.Reduction, Name: "b"}, report.KernelForm{Kind: report.Reduction, Name: "a"}), `or is not in order`},
		"a form without a kind":   {forms(report.KernelForm{Name: "a"}), `"" is not a kind of form`},
		"a kind that is not one":  {forms(report.KernelForm{Kind: "other", Name: "a"}), `"other" is not a kind of form`},
		"the kernel as a form":    {forms(report.KernelForm{Kind: report.Reduction, Name: "_ZTS6Matrix"}), `or that of the kernel`},
		"terminal codes in names": {files("\x1b[2J", ""), `has no name`},
	} {
		t.Run(name, func(t *testing.T) {
			r := reporttest.Build(t, reporttest.Program(), "intel_gpu_pvc")
			kernels := reporttest.ListKernels(r)
			i := slices.IndexFunc(kernels, func(k report.Kernel) bool { return k.Name == "_ZTS6Matrix" })
			kernels[0], kernels[i] = kernels[i], kernels[0]
			r.Kernels = report.MakeKernels(kernels...)
			c.change(r)
			if _, err := report.Decode("r.json", strings.NewReader(encode(t, r))); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\x1b") {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func forms(list ...report.KernelForm) func(*report.Report) {
	return func(r *report.Report) {
		reporttest.EditKernel(r, 0, func(k *report.Kernel) { k.Forms = list })
	}
}

func files(list ...string) func(*report.Report) {
	return func(r *report.Report) {
		reporttest.EditImages(r, func(i *report.Image) { i.Files = list })
	}
}
