package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

// TestOneMKLOptions checks the link options for the directories of a wheel, in which all library
// names contain a version, and of oneAPI.
func TestOneMKLOptions(t *testing.T) {
	root := t.TempDir()
	t.Chdir(root)
	for dir, suffix := range map[string]string{"wheel/lib": ".so.3", "oneapi/lib": ".so", "partial/lib": ".so.10"} {
		for name := range strings.FieldsSeq("core intel_lp64 intel_ilp64 tbb_thread sequential sycl_blas sycl_lapack sycl_sparse sycl_dft sycl_vm sycl_rng sycl_stats sycl_data_fitting") {
			if dir != "partial/lib" || name != "sycl_dft" {
				testkit.WriteFile(t, filepath.Join(root, dir, "libmkl_"+name+suffix), "")
			}
		}
	}
	testkit.WriteFile(t, filepath.Join(root, "partial/lib/libmkl_core.so.9"), "")
	testkit.WriteFile(t, filepath.Join(root, "partial/lib/libmkl_core.so.old"), "")
	testkit.NoError(t, os.Mkdir(filepath.Join(root, "empty"), 0o777))
	const sycl = "libmkl_sycl_blas.so.3 libmkl_sycl_lapack.so.3 libmkl_sycl_sparse.so.3 libmkl_sycl_dft.so.3 libmkl_sycl_vm.so.3 libmkl_sycl_rng.so.3 libmkl_sycl_stats.so.3 libmkl_sycl_data_fitting.so.3 "
	for _, test := range []struct{ options, root, want string }{
		{"-qmkl", "wheel", sycl + "libmkl_intel_ilp64.so.3 libmkl_tbb_thread.so.3 libmkl_core.so.3 -ltbb"},
		{"-qmkl=sequential -qmkl-sycl-impl=blas,rng", "wheel", "libmkl_sycl_blas.so.3 libmkl_sycl_rng.so.3 libmkl_intel_ilp64.so.3 libmkl_sequential.so.3 libmkl_core.so.3"},
		{"-fno-sycl -qmkl", "oneapi", "libmkl_intel_lp64.so libmkl_tbb_thread.so libmkl_core.so -ltbb"},
		{"-fno-sycl -qmkl-ilp64=sequential", "oneapi", "libmkl_intel_ilp64.so libmkl_sequential.so libmkl_core.so"},
		{"-qmkl -qmkl-sycl-impl=rng", "partial", "libmkl_sycl_rng.so.10 libmkl_intel_ilp64.so.10 libmkl_tbb_thread.so.10 libmkl_core.so.10 -ltbb"},
		{"-qmkl", "partial", "-qmkl: ROOT/partial/lib has no libmkl_sycl_dft.so; "},
		{"-qmkl=parallel", "empty", "-qmkl=parallel: cannot find oneMKL in ROOT/empty/lib or ROOT/empty/lib/intel64; correct MKLROOT, or unset it"},
		{"-qmkl", "", "-qmkl: cannot find oneMKL in ROOT/lib; run 'pip install mkl-devel-dpcpp', or set MKLROOT"},
		{"-qmkl -static", "wheel", "-qmkl: links shared libraries; remove -static"},
		{"", "empty", ""},
	} {
		t.Setenv("MKLROOT", test.root) // a relative path
		line := testkit.Must(parseLine(append(strings.Fields(test.options), "a.o")))(t)
		c := &compiler{line: line, dpcpp: &installation{dir: root}}
		options, err := c.oneMKLOptions()
		if err == nil && test.root != "" && test.options != "" {
			lib := filepath.Join(root, test.root, "lib")
			if !slices.Contains(options, "-Wl,-rpath,"+lib) || options[0] != "-L"+lib || !slices.Contains(options, "-Wl,--push-state,--no-as-needed") || options[len(options)-1] != "-ldl" {
				t.Errorf("%s in %s: %q", test.options, test.root, options)
			}
			if include := filepath.Join(root, test.root, "include"); !slices.Contains(line.Host, include) || !slices.Contains(line.Device, include) {
				t.Errorf("%s in %s: %q %q", test.options, test.root, line.Host, line.Device)
			}
		}
		var shown []string
		for _, option := range options {
			if strings.HasPrefix(option, root) {
				shown = append(shown, filepath.Base(option))
			} else if option == "-ltbb" {
				shown = append(shown, option)
			}
		}
		got := strings.Join(shown, " ")
		if err != nil {
			got = strings.ReplaceAll(err.Error(), root, "ROOT")
		}
		if got != test.want && (err == nil || !strings.HasPrefix(got, test.want)) {
			t.Errorf("%s in %s:\n got %s\nwant %s", test.options, test.root, got, test.want)
		}
	}
}
