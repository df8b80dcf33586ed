package inspect

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/report"
)

// wheelsEnv names the variable with wheels built with DPC++, such as dpctl and dpnp, as a list of
// paths like PATH.
const wheelsEnv = "INSPECT_WHEELS"

// TestWheels checks that one command makes a valid report on each wheel. Labels must not contain
// the version of the wheel, and each kernel must have images with files.
func TestWheels(t *testing.T) {
	list := filepath.SplitList(os.Getenv(wheelsEnv))
	if len(list) == 0 {
		t.Skipf("%s names no wheels", wheelsEnv)
	}
	for _, wheel := range list {
		t.Run(filepath.Base(wheel), func(t *testing.T) {
			d, ok := report.ParseWheel(filepath.Base(wheel))
			if !ok {
				t.Fatalf("invalid wheel name %s", wheel)
			}
			r, stderr, err := makeReport(t.Context(), Options{Files: []string{wheel}, Devices: []string{"intel_gpu_pvc", "intel_gpu_acm_g10"}, Strict: true})
			testkit.NoError(t, err)
			if _, err := report.Decode("again", strings.NewReader(testkit.Written(t, r.Encode))); err != nil {
				t.Error(err)
			}
			labels, files := programs(r)
			for _, l := range labels {
				if !strings.HasPrefix(l, d.Name+"/") || strings.Contains(l, d.Version) {
					t.Errorf("label %q", l)
				}
			}
			for _, f := range files {
				if !strings.HasPrefix(f, filepath.ToSlash(filepath.Clean(wheel))+"/") {
					t.Errorf("file %q", f)
				}
			}
			for i := range r.Kernels {
				if k := &r.Kernels[i]; len(k.Images) == 0 {
					t.Errorf("kernel %q has no images", k.Name)
				}
			}
			for _, i := range r.Images {
				if len(r.ImageKinds[i.Kind].Files) == 0 {
					t.Errorf("image %s has no files", i.Digest)
				}
			}
			if len(r.Kernels) == 0 {
				t.Error("no kernels found")
			}
			if n := strings.Count(stderr, "\n"); n > 3*maxLines {
				t.Errorf("%d lines:\n%s", n, stderr)
			}
			t.Logf("%d programs, %d kernels, %d images", len(labels), len(r.Kernels), len(r.Images))
		})
	}
}
