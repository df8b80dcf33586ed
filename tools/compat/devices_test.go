package main

import (
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

func TestDevices(t *testing.T) {
	own := testkit.WriteFile(t, t.TempDir()+"/d.yml", "toaster9000:\n  aspects: [fp16]\n")
	for _, test := range []struct {
		name   string
		args   []string
		code   int
		output string // one line
		stderr string
	}{
		{"all", nil, 0, "intel_gpu_acm_g10  Arc A770", ""},
		{"a device without a product", nil, 0, "ptx64", ""},
		{"a product", []string{"arc-a770"}, 0, "intel_gpu_acm_g10  Arc A770", ""},
		{"an ID and a pattern", []string{"0x56a0", "intel_gpu_bmg_g*"}, 0, "intel_gpu_bmg_g21  Arc B580", ""},
		{"one of a file", []string{"--device-config", own, "toaster*"}, 0, "toaster9000", ""},
		{"nothing like it", []string{"toaster9000"}, 2, "", `unknown target "toaster9000"`},
		{"a pattern for nothing", []string{"toaster*"}, 2, "", `no device matches "toaster*"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			code, stdout, stderr := run(t, append([]string{"devices"}, test.args...)...)
			if code != test.code || !strings.Contains(stderr, test.stderr) {
				t.Errorf("exit code %d: %s", code, stderr)
			}
			if test.output != "" && !hasFields(stdout, test.output) {
				t.Errorf("the output does not have %q:\n%s", test.output, stdout)
			}
		})
	}
}

// hasFields reports whether a line of the text consists of the same words as the given line.
func hasFields(text, line string) bool {
	want := strings.Join(strings.Fields(line), " ")
	for l := range strings.Lines(text) {
		if strings.Join(strings.Fields(l), " ") == want {
			return true
		}
	}
	return false
}
