//go:build unix

package packager

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

// TestPackKilled: after kill -9, a SYCLBIN is that of one run.
func TestPackKilled(t *testing.T) {
	folder(t, map[string]string{"0.bin": strings.Repeat("native a", 1<<20), "1.bin": strings.Repeat("native b", 1<<20)})
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	pack := func(generation int) *exec.Cmd {
		image := []string{"0.bin", "1.bin"}[generation%2]
		cmd := exec.Command(self, "pack", "--output=k.syclbin", "--image=file="+image+",triple=spir64_gen-unknown-unknown,arch=intel_gpu_pvc")
		cmd.Env = append(os.Environ(), asTool+"=1")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	var whole [][]byte
	for n := range 2 {
		if err := pack(n).Wait(); err != nil {
			t.Fatal(err)
		}
		whole = append(whole, file(t, "k.syclbin"))
	}
	testkit.Test(t, testkit.KilledJob{Start: pack, Main: "k.syclbin", Folders: []string{"."}, Check: func() string {
		if data := file(t, "k.syclbin"); !bytes.Equal(data, whole[0]) && !bytes.Equal(data, whole[1]) {
			return "the SYCLBIN is that of no run"
		}
		return ""
	}})
}
