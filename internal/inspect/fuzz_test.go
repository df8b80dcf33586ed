package inspect

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/offload"
	"github.com/rules-sycl/rules_sycl/sycl/report"
)

// FuzzArchive checks that any archive results in a readable report or in an input error.
// TestSpender checks that no byte beyond the budget is read.
func TestSpender(t *testing.T) {
	for size, fits := range map[int]bool{4: true, 5: false} {
		s := spender{Reader: strings.NewReader("12345"[:size]), left: new(atomic.Int64), size: 1}
		s.left.Store(4)
		n, err := s.Read(make([]byte, 8))
		if fits != (n == size && err == nil) {
			t.Errorf("%d bytes of 4: read %d, %v", size, n, err)
		}
	}
}

func FuzzArchive(f *testing.F) {
	obj := object(f, offload.SYCL, kernels[:len(kernels)/16*4])
	f.Add(zipFileOf(f, zip.Deflate, member{"lib/k.so", obj}, member{"../x", obj}))
	f.Add(patched(zipFileOf(f, zip.Store, member{"k.so", obj}), 1, 0))
	f.Add(zipFileOf(f, zip.Store, member{"p-1-cp310-cp310-any.whl", zipFileOf(f, zip.Deflate, member{"k.so", obj})}))
	f.Add(tarFileOf(f, member{"k.so", obj}, member{"k.a", arFile("k.o", obj)}))
	f.Add(gzipped(tarFileOf(f, member{"k.so", obj})))
	f.Add(zstdOf(f, tarFileOf(f, member{"k.so", obj})))
	f.Add(syclbinFile(f))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		name := testkit.WriteFile(t, filepath.Join(dir, "f"), data)
		r, _, err := makeReport(t.Context(), Options{Files: []string{name}})
		if entries, _ := os.ReadDir(dir); len(entries) != 1 {
			t.Fatalf("%d files", len(entries))
		}
		if err != nil {
			if cli.ExitCode(err) != cli.ExitBadInput {
				t.Fatal(err)
			}
			return
		}
		var b bytes.Buffer
		testkit.NoError(t, r.Encode(&b))
		if _, err := report.Decode("f", &b); err != nil {
			t.Fatal(err)
		}
	})
}
