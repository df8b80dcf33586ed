package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/syclbin"
)

// TestExtractSummary checks that warnings about several modules, images or properties are combined
// into one line for each kind.
func TestExtractSummary(t *testing.T) {
	enter(t)
	for _, test := range []struct {
		name   string
		change func(i int, m *syclbin.Module)
		want   string // the last lines
		lines  int
	}{
		{"properties", func(_ int, m *syclbin.Module) {
			m.IR[0].Metadata.Add("vendor").Put("a", propset.Uint(1))
			m.IR[0].Metadata.Add("vendor").Put("b\x01", propset.Uint(1))
		},
			"x.syclbin: warning: IR module module0_0.spv of abstract module 0: the property a of the set vendor is not extracted, and 2 more like it\n" +
				"x.syclbin: warning: IR module module0_0.spv of abstract module 0: the property b\\x01 of the set vendor is not extracted, and 2 more like it\n", 2},
		{"no images", func(_ int, m *syclbin.Module) { m.IR = nil },
			"x.syclbin: warning: abstract module 0 has no images and is not in any table, and 2 more like it\n", 1},
		{"two of a target", func(_ int, m *syclbin.Module) { m.IR = append(m.IR, m.IR[0]) },
			"x.syclbin: warning: the IR module module0_1.spv of abstract module 0 is the second image for its target; 'packager pack' will create a separate abstract module for it, and 2 more like it\n", 1},
		{"no architecture", func(_ int, m *syclbin.Module) {
			m.IR, m.Native = nil, []*syclbin.Image{syclbin.NewNative("", "spir64_gen", strings.NewReader("x"))}
		},
			"x.syclbin: warning: the native device code image module0_0.bin of abstract module 0 has no architecture and is not in any table, and 2 more like it\n", 1},
		{"targets", func(i int, m *syclbin.Module) {
			m.IR[0] = syclbin.NewIR(syclbin.SPIRV, fmt.Sprintf("a=%d", i), strings.NewReader(spirvHead))
		},
			"x.syclbin: warning: the target of the IR module module0_0.spv of abstract module 0 cannot be written to a table, so the image is not in any: a=0, and 2 more like it\n", 1},
		{"properties of other names", func(i int, m *syclbin.Module) {
			for j := range 5 {
				m.IR[0].Metadata.Add("vendor").Put(fmt.Sprint(i, j), propset.Uint(1))
			}
		}, "x.syclbin: warning: and 5 more kinds of warnings\n", 11},
	} {
		t.Run(test.name, func(t *testing.T) {
			testkit.WriteFile(t, "x.syclbin", threeModules(t, test.change))
			code, _, stderr := run(t, "extract", "--output-dir=parts", "x.syclbin")
			if code != 0 || !strings.HasSuffix(stderr, test.want) || strings.Count(stderr, "\n") != test.lines {
				t.Errorf("exit code %d:\n%s", code, stderr)
			}
		})
	}
}

// threeModules returns a file with three modules that each have a SPIR-V image, after applying
// change to each module.
func threeModules(t *testing.T, change func(i int, m *syclbin.Module)) []byte {
	t.Helper()
	f := &syclbin.File{Version: 1, State: syclbin.Object}
	for i := range 3 {
		m := &syclbin.Module{Metadata: new(propset.Registry), IR: []*syclbin.Image{syclbin.NewIR(syclbin.SPIRV, "spir64", strings.NewReader(spirvHead))}}
		change(i, m)
		f.Modules = append(f.Modules, m)
	}
	var data bytes.Buffer
	testkit.NoError(t, syclbin.Write(&data, f, syclbin.Options{KeepOrder: true}))
	return data.Bytes()
}
