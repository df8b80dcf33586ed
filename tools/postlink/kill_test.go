//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/filetable"
)

// asTool is set in the environment of processes that are the tool, not the test.
const asTool = "POSTLINK_TEST_AS_TOOL"

func TestMain(m *testing.M) {
	if os.Getenv(asTool) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// TestKilled: after kill -9, the files that a table
// names are those of its run.
func TestKilled(t *testing.T) {
	t.Chdir(t.TempDir())
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// A generation has its number of kernels, each with that number in its name.
	start := func(generation int) *exec.Cmd {
		source := fmt.Sprintf("%d.ll", generation)
		if _, err := os.Stat(source); err != nil {
			text := "target triple = \"spirv64-unknown-unknown\"\n"
			for n := range 20 + generation {
				text += fmt.Sprintf("define spir_kernel void @_ZTS3K%02d_g%d() {\n  ret void\n}\n", n, generation)
			}
			testkit.WriteFile(t, source, text)
		}
		cmd := exec.Command(self, "--split=per_kernel", "--output=k.table", source)
		cmd.Env, cmd.Stderr = append(os.Environ(), asTool+"=1"), os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	testkit.Test(t, testkit.KilledJob{Start: start, Main: "k.table", Folders: []string{"."}, Check: func() string {
		data, err := os.ReadFile("k.table")
		if err != nil {
			return ""
		}
		table, err := filetable.Read("k.table", bytes.NewReader(data))
		if err != nil {
			return err.Error()
		}
		seen := map[string]bool{fmt.Sprintf("_g%d", len(table.Rows)-20): true}
		for _, row := range table.Rows {
			for _, name := range row {
				data, err := os.ReadFile(name)
				if err != nil {
					return err.Error()
				}
				_, rest, _ := strings.Cut(string(data), "_g")
				seen["_g"+rest[:min(1, len(rest))]] = true
			}
		}
		if len(seen) != 1 {
			return fmt.Sprintf("the files of %d rows are of generations %v", len(table.Rows), seen)
		}
		return ""
	}})
}
