package report_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/docs"
	"github.com/rules-sycl/rules_sycl/internal/reporttest"
	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/report"
)

// inFiles returns the program with its modules in separate files. Both files contain the first
// image.
func inFiles() []report.Module {
	modules := append(reporttest.Program(), reporttest.Program()[0])
	for i := range modules {
		modules[i].Files = []report.File{{Name: "lib/libb.so"}, {Name: "a.whl: liba.so", Digest: "12"}}[i%2 : i%2+1]
	}
	modules[4].Files = []report.File{{Name: "a.whl: liba.so", Digest: "12"}, {Name: "a.whl: liba.so", Digest: "12"}}
	return modules
}

// filesOf returns the names of the files of an image.
func filesOf(r *report.Report, image int) (names []string) {
	for _, n := range r.ImageKinds[r.Images[image].Kind].Files {
		names = append(names, r.Files[n].Name)
	}
	return names
}

func TestFiles(t *testing.T) {
	r := reporttest.Build(t, inFiles(), "intel_gpu_pvc")
	files := map[string]bool{}
	for i := range r.Images {
		files[strings.Join(filesOf(r, i), ", ")] = true
	}
	for _, want := range []string{"a.whl: liba.so, lib/libb.so", "a.whl: liba.so", "lib/libb.so"} {
		if !files[want] {
			t.Errorf("no image is in the files %q; files of images: %v", want, files)
		}
	}
	if want := []report.File{{Name: "a.whl: liba.so", Digest: "12"}, {Name: "lib/libb.so"}}; !slices.Equal(r.Files, want) {
		t.Errorf("files %+v", r.Files)
	}
	text := encode(t, r)
	if err := testkit.ValidateJSON(docs.ReportSchema, []byte(text)); err != nil {
		t.Error(err)
	}
	again, err := report.Decode("r.json", strings.NewReader(text))
	testkit.NoError(t, err)
	if !reflect.DeepEqual(again, r) {
		t.Errorf("got  %+v\nwant %+v", again, r)
	}
}

// TestMergeFilesAndForms checks that images of two reports that differ only in their files are
// merged.
func TestMergeFilesAndForms(t *testing.T) {
	one, two := reporttest.Build(t, inFiles(), "intel_gpu_pvc"), reporttest.Build(t, reporttest.Program(), "intel_gpu_pvc")
	two.Files = []report.File{{Name: "z.so"}}
	for i := range two.ImageKinds {
		two.ImageKinds[i].Files = []int32{0}
	}
	one.Kernels[0].Forms = &report.Forms{Reduction: []string{"b"}}
	two.Kernels[0].Forms = &report.Forms{Reduction: []string{"a", "b"}, RoundedRange: []string{"c"}}
	r := reporttest.Merge(t, one, two)
	if len(r.Images) != len(one.Images) {
		t.Errorf("%d images", len(r.Images))
	}
	for i := range r.Images {
		if got, want := filesOf(r, i), append(filesOf(one, i), "z.so"); !slices.Equal(got, want) {
			t.Errorf("files %q, want %q", got, want)
		}
	}
	if got := r.Kernels[0].Forms; !reflect.DeepEqual(got, two.Kernels[0].Forms) {
		t.Errorf("forms %v", got)
	}
	text := encode(t, r)
	if err := testkit.ValidateJSON(docs.ReportSchema, []byte(text)); err != nil {
		t.Error(err)
	}
	again, err := report.Decode("r.json", strings.NewReader(text))
	if err != nil || !reflect.DeepEqual(again, r) {
		t.Errorf("got %+v, %v", again, err)
	}
}

func TestContradictoryFilesAndForms(t *testing.T) {
	files := func(list ...string) func(*report.Report) {
		return func(r *report.Report) {
			for _, name := range list {
				r.Files = append(r.Files, report.File{Name: name})
			}
		}
	}
	forms := func(f report.Forms) func(*report.Report) {
		return func(r *report.Report) { r.Kernels[0].Forms = &f }
	}
	for name, c := range map[string]struct {
		change func(*report.Report)
		want   string
	}{
		"a file without a name":      {files(""), `the name "" is empty`},
		"a duplicate file":           {files("a", "a"), `the name "a" is empty, a duplicate`},
		"unsorted files":             {files("b", "a"), `or out of order`},
		"a form without a name":      {forms(report.Forms{Reduction: []string{""}}), `the name of a form is empty`},
		"a duplicate form":           {forms(report.Forms{Reduction: []string{"a"}, RoundedRange: []string{"a"}}), `a duplicate`},
		"no forms":                   {forms(report.Forms{}), `"forms" must not be empty`},
		"the kernel as its own form": {func(r *report.Report) { r.Kernels[0].Forms = &report.Forms{Reduction: []string{r.Kernels[0].Name}} }, `a duplicate or the kernel`},
		"escape sequences in names":  {files("\x1b[2J", ""), `the name "" is empty`},
	} {
		t.Run(name, func(t *testing.T) {
			r := reporttest.Build(t, reporttest.Program(), "intel_gpu_pvc")
			c.change(r)
			if _, err := report.Decode("r.json", strings.NewReader(encode(t, r))); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\x1b") {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}
