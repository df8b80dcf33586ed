package inspect

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/offload"
)

// compiledIn returns the module with kernels as if it had been compiled with absolute source paths
// in dir.
func compiledIn(t *testing.T, dir string) []byte {
	const header, opString = 20, 7
	out := bytes.Clone(kernels[:header])
	replaced := false
	for at := header; at < len(kernels); {
		first := binary.LittleEndian.Uint32(kernels[at:])
		end := at + 4*int(first>>16)
		if old := []byte("./kernels.cpp\x00"); first&0xffff == opString && bytes.HasPrefix(kernels[at+8:], old) {
			text := append([]byte(dir+"/src/kernels.cpp"), 0)
			for len(text)%4 != 0 {
				text = append(text, 0)
			}
			out = binary.LittleEndian.AppendUint32(out, uint32(2+len(text)/4)<<16|opString)
			out = append(append(out, kernels[at+4:at+8]...), text...)
			replaced = true
		} else {
			out = append(out, kernels[at:end]...)
		}
		at = end
	}
	if !replaced {
		t.Fatal("module does not contain its source path")
	}
	return out
}

// TestWorkspace checks that absolute paths in debug information become relative to the workspace,
// and that paths outside of it are omitted.
func TestWorkspace(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	module := compiledIn(t, filepath.ToSlash(dir))
	testkit.WriteFile(t, "k.spv", string(module))
	testkit.WriteFile(t, "k.out", string(object(t, offload.SYCL, module)))
	if err := os.Symlink(dir, filepath.Join(dir, "link")); err != nil {
		t.Skip(err)
	}
	for _, file := range []string{"k.spv", "k.out"} {
		for workspace, want := range map[string]string{"": "src/kernels.cpp", ".": "src/kernels.cpp", dir: "src/kernels.cpp", "link": "src/kernels.cpp", "src": "kernels.cpp", "elsewhere": ""} {
			r, log, err := makeReport(t.Context(), Options{Files: []string{file}, Devices: []string{"intel_gpu_pvc"}, Workspace: workspace})
			testkit.NoError(t, err)
			found := ""
			for _, k := range r.Kernels {
				found = max(found, k.Location.Path)
			}
			if strings.Contains(log, "-ffile-prefix-map=") != (want == "") {
				t.Errorf("%s in %q: %s", file, workspace, log)
			}
			if found != want {
				t.Errorf("%s in %q: %q, want %q", file, workspace, found, want)
			}
		}
	}
}
