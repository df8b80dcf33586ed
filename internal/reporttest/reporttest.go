// Package reporttest builds reports for tests from modules and devices that a test can specify in
// one line.
package reporttest

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

const devices = `
intel_gpu_dg2:
  aspects: [gpu, fp16, atomic64]
  sub-group-sizes: [8, 16, 32]
  max-work-group-size: 1024
intel_gpu_pvc:
  aspects: [gpu, fp16, fp64, atomic64]
  sub-group-sizes: [16, 32]
  max-work-group-size: 1024
intel_gpu_tgllp:
  aspects: [gpu, fp16]
  sub-group-sizes: [8, 16, 32]
  max-work-group-size: 512
x86_64:
  aspects: [cpu, fp64]
  sub-group-sizes: [4, 8, 16]
  may-support-other-aspects: true
intel_cpu_spr:
  aspects: [cpu, fp64]
  sub-group-sizes: [4, 8, 16]
  may-support-other-aspects: true
nvidia_gpu_sm_80:
  aspects: [gpu, fp64]
  sub-group-sizes: [32]
  may-support-other-aspects: true
spir64:
  may-support-other-aspects: true
`

// Build returns the report on modules and devices of a small device configuration.
func Build(t testing.TB, modules []report.Module, names ...string) *report.Report {
	t.Helper()
	return build(t, modules, names, func(*report.Builder) {})
}

// BuildJoined is like Build, but joins the forms of kernels.
func BuildJoined(t testing.TB, modules []report.Module, names ...string) *report.Report {
	t.Helper()
	return build(t, modules, names, (*report.Builder).JoinForms)
}

func build(t testing.TB, modules []report.Module, names []string, join func(*report.Builder)) *report.Report {
	t.Helper()
	config, err := deviceconfig.Read("test.yaml", strings.NewReader(devices))
	testkit.NoError(t, err)
	var list []*deviceconfig.Device
	for _, n := range names {
		d, ok := config.Lookup(n)
		if !ok {
			t.Fatalf("no device %s", n)
		}
		list = append(list, d)
	}
	b := report.NewBuilder(config)
	for i := range modules {
		b.Add(&modules[i])
	}
	join(b)
	if len(list) == 0 {
		list = report.Targets(modules, config)
	}
	r, err := b.Report(list, report.Generator{Name: "test", Version: "1"}, "//demo:kernels")
	testkit.NoError(t, err)
	return r
}

// BuildLabelled is like Build, with a label.
func BuildLabelled(t testing.TB, label string, modules []report.Module, names ...string) *report.Report {
	t.Helper()
	r := Build(t, modules, names...)
	r.Targets[0] = label
	return r
}

// Merge merges reports.
func Merge(t testing.TB, parts ...*report.Report) *report.Report {
	t.Helper()
	r, err := report.Merge(parts...)
	testkit.NoError(t, err)
	return r
}

// Program returns the modules of a program with native code for two GPUs and IR for all devices.
func Program() []report.Module {
	fp64 := report.Module{Needs: &requirement.Requirements{Aspects: []aspect.Aspect{aspect.FP64}}, Kernels: Kernels("_ZTS8Fp64Axpy"),
		Images: append(Native(2, "intel_gpu_pvc"), IR(2))}
	fp64.Kernels[0].Source.Location = srcloc.Location{Path: "src/axpy.cpp", Line: 12, Column: 3}
	fp64.Kernels[0].Source.Origins = []srcloc.Origin{{Aspect: aspect.FP64.Named(), Function: "square(double)", Location: srcloc.Location{Path: "src/math.hpp", Line: 7}}}
	return []report.Module{
		{Needs: &requirement.Requirements{}, Kernels: Kernels("_ZTS9VectorAdd", "_ZTS6Matrix"), Images: append(Native(1, "intel_gpu_pvc", "intel_gpu_dg2"), IR(1))},
		fp64,
		{Needs: &requirement.Requirements{SubGroupSizes: []uint32{8}}, Kernels: Kernels("_ZTS9SubGroup8"), Images: append(Native(3, "intel_gpu_dg2"), IR(3))},
		{Needs: &requirement.Requirements{WorkGroupSize: []uint64{64, 32, 1}}, Kernels: Kernels("_ZTS4Wide"), Images: []report.ModuleImage{IR(4)}},
	}
}

// Large returns a program with a number of kernels in several files. Every fifth kernel requires
// fp64, every seventh a sub-group size, and every 50th a larger work-group than supported.
func Large(kernels int) []report.Module {
	var modules []report.Module
	families := []string{"Blur", "Reduce", "Scan", "Sort", "Transpose", "Add"}
	types := []string{"f", "d", "i", "l", "h", "s"}
	for k := range kernels {
		needs := new(requirement.Requirements)
		typ := types[k%len(types)]
		switch {
		case k%5 == 0:
			needs.Aspects, typ = []aspect.Aspect{aspect.FP64}, "d"
		case k%7 == 0:
			needs.SubGroupSizes = []uint32{8}
		case k%50 == 1:
			needs.WorkGroupSize = []uint64{64, 32, 1}
		}
		family := families[k/3%len(families)]
		m := report.Module{Needs: needs, Images: []report.ModuleImage{IR(k)}, Files: []report.File{{Name: fmt.Sprintf("lib/lib%s.so", strings.ToLower(family))}},
			Kernels: Kernels(fmt.Sprintf("_ZTSN3sim%d%sI%sLi%dEEE", len(family), family, typ, k))}
		m.Kernels[0].Source.Location = srcloc.Location{Path: fmt.Sprintf("src/part%02d.cpp", k*30/kernels), Line: uint32(k + 1)}
		if k%10 == 0 {
			m.Kernels[0].Source.Origins = []srcloc.Origin{{Aspect: aspect.FP64.Named(), Function: "sim::norm(double)", Location: srcloc.Location{Path: "src/norm.hpp", Line: 7}}}
		}
		modules = append(modules, m)
	}
	return modules
}

// Digest returns a distinct image digest for each n.
func Digest(n int) (d report.Digest) {
	binary.BigEndian.PutUint64(d[:], uint64(n))
	return d
}

// Native returns native code for each architecture. n must differ between modules.
func Native(n int, archs ...string) (images []report.ModuleImage) {
	for _, a := range archs {
		images = append(images, report.ModuleImage{Format: "native", Native: true, Triple: "spir64_gen-unknown-unknown", Arch: a, Digest: Digest(n*16 + len(images))})
	}
	return images
}

// IR returns SPIR-V. n must differ between modules.
func IR(n int) report.ModuleImage {
	return report.ModuleImage{Format: "spirv", Triple: "spir64-unknown-unknown", Digest: Digest(n*16 + 15)}
}

// Kernels returns kernels with these names.
func Kernels(names ...string) (list []report.ModuleKernel) {
	for _, n := range names {
		list = append(list, report.ModuleKernel{Name: n})
	}
	return list
}
