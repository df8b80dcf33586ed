package main

import (
	"fmt"
	"iter"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// inputs returns devices with different features. About a quarter of the outcomes of the modules
// are negative.
func inputs(devices int) (config *deviceconfig.Config, list []*deviceconfig.Device, err error) {
	var text strings.Builder
	for d := range devices {
		fmt.Fprintf(&text, "intel_gpu_bench_%03d:\n  aspects: [gpu, fp16%s%s]\n  sub-group-sizes: [%s]\n  max-work-group-size: %d\n", d,
			[]string{"", ", fp64"}[d%2], []string{", atomic64", ""}[d/2%2], []string{"8, 16, 32", "16, 32"}[d/4%2], 256<<(d/8%3))
	}
	if config, err = deviceconfig.Read("devices.yaml", strings.NewReader(text.String())); err != nil {
		return nil, nil, err
	}
	return config, config.Devices(), nil
}

// modules returns modules with different requirements. Some modules have one kernel, others
// several.
func modules(kernels int, devices []*deviceconfig.Device) iter.Seq[*report.Module] {
	const shared = 4 // kernels in one module
	return func(yield func(*report.Module) bool) {
		for number, k := 0, 0; k < kernels; number++ {
			n := 1
			if number%2 == 0 {
				n = min(shared, kernels-k)
			}
			m := report.Module{Needs: needs(number)}
			for range n {
				name := fmt.Sprintf("Kernel%05d", k)
				m.Kernels = append(m.Kernels, report.ModuleKernel{
					Name:   fmt.Sprintf("_ZTSN5bench6ModuleINS_6detail%d%sIdLi%dEEEEE", len(name), name, k%7),
					Source: srcloc.Kernel{Location: srcloc.Location{Path: fmt.Sprintf("src/part%03d/kernels.cpp", k/50), Line: uint32(k%50*12 + 1)}},
				})
				k++
			}
			m.Images = append(m.Images, report.ModuleImage{Format: "spirv", Triple: "spir64-unknown-unknown", Digest: digest(2 * number)})
			if number%3 == 0 {
				m.Images = append(m.Images, report.ModuleImage{Format: "native", Native: true, Triple: "spir64_gen-unknown-unknown",
					Arch: devices[number%len(devices)].Name, Digest: digest(2*number + 1)})
			}
			if !yield(&m) {
				return
			}
		}
	}
}

func needs(n int) *requirement.Requirements {
	q := new(requirement.Requirements)
	switch n % 9 {
	case 1, 4:
		q.Aspects = []aspect.Aspect{aspect.FP64}
	case 2:
		q.SubGroupSizes = []uint32{8}
	case 5:
		q.Aspects = []aspect.Aspect{aspect.FP64, aspect.Atomic64}
	case 7:
		q.WorkGroupSize = []uint64{32, 16, 1}
	}
	return q
}
