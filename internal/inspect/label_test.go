package inspect

import (
	"archive/zip"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/offload"
)

// wheelOf returns a wheel for one Python release with the given members.
func wheelOf(t *testing.T, members ...member) []byte { return zipFileOf(t, zip.Deflate, members...) }

// labelsOf returns the labels of the programs in files.
func labelsOf(t *testing.T, files map[string][]byte) []string {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, data := range files {
		testkit.WriteFile(t, name, string(data))
	}
	r, _, err := makeReport(t.Context(), Options{Files: []string{"**"}})
	testkit.NoError(t, err)
	labels, _ := programs(r)
	return labels
}

// TestModuleLabels checks that modules for two Python releases have the same label, and that
// different modules get different labels.
func TestModuleLabels(t *testing.T) {
	one := object(t, offload.SYCL, kernels)
	two := object(t, offload.SYCL, kernels, []byte("\x03\x02\x23\x07\x00\x04\x01\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00"))
	for _, test := range []struct {
		name  string
		files map[string][]byte
		want  []string
	}{
		{"one wheel", map[string][]byte{"p-1-cp311-cp311-linux_x86_64.whl": wheelOf(t, member{"p/k.cpython-311-x86_64-linux-gnu.so", one})}, []string{"p/p/k.so"}},
		{"a newer wheel", map[string][]byte{"p-2-cp312-cp312-linux_x86_64.whl": wheelOf(t, member{"p/k.cpython-312-x86_64-linux-gnu.so", two})}, []string{"p/p/k.so"}},
		{"both, with the same code", map[string][]byte{
			"p-1-cp311-cp311-linux_x86_64.whl": wheelOf(t, member{"p/k.cpython-311-x86_64-linux-gnu.so", one}),
			"p-1-cp312-cp312-linux_x86_64.whl": wheelOf(t, member{"p/k.cpython-312-x86_64-linux-gnu.so", one}),
		}, []string{"p/p/k.so"}},
		{"both, with different code", map[string][]byte{
			"p-1-cp311-cp311-linux_x86_64.whl": wheelOf(t, member{"p/k.cpython-311-x86_64-linux-gnu.so", one}),
			"p-1-cp312-cp312-linux_x86_64.whl": wheelOf(t, member{"p/k.cpython-312-x86_64-linux-gnu.so", two}),
		}, []string{"p/p/k.cpython-311-x86_64-linux-gnu.so", "p/p/k.cpython-312-x86_64-linux-gnu.so"}},
		{"one wheel with modules for both", map[string][]byte{"p-1-py3-none-linux_x86_64.whl": wheelOf(t,
			member{"p/k.cpython-311-x86_64-linux-gnu.so", one}, member{"p/k.cpython-312-x86_64-linux-gnu.so", two})},
			[]string{"p/p/k.cpython-311-x86_64-linux-gnu.so", "p/p/k.cpython-312-x86_64-linux-gnu.so"}},
		{"a tagged and an untagged module", map[string][]byte{"out/k.so": one, "out/k.abi3.so": two}, []string{"out/k.abi3.so", "out/k.so"}},
		{"two libraries that differ only in the hash", map[string][]byte{"p-1-py3-none-win_amd64.whl": wheelOf(t,
			member{"p.libs/k-" + strings.Repeat("0a", 16) + ".dll", one}, member{"p.libs/k-" + strings.Repeat("1b", 16) + ".dll", two})},
			[]string{"p/p.libs/k-" + strings.Repeat("0a", 16) + ".dll", "p/p.libs/k-" + strings.Repeat("1b", 16) + ".dll"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := labelsOf(t, test.files); !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
