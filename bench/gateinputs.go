package main

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"

	"github.com/rules-sycl/rules_sycl/internal/outfile"
	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// gateSizes holds the numbers of reports, kernels and devices.
type gateSizes struct{ reports, kernels, devices int }

// writeReports writes reports on programs in which one kernel in five needs features that some
// devices lack, and a small report.
func writeReports(dir string, s gateSizes) (names []string, bytes int64, err error) {
	config := deviceconfig.Default()
	devices := config.Devices()
	if len(devices) < s.devices {
		return nil, 0, fmt.Errorf("there are %d devices, not %d", len(devices), s.devices)
	}
	for i := range s.reports {
		name := fmt.Sprintf("%03d.compat.json", i)
		n, err := writeReport(filepath.Join(dir, name), i, s.kernels, devices[:s.devices], config)
		if err != nil {
			return nil, 0, err
		}
		names = append(names, name)
		bytes += n
	}
	_, err = writeReport(filepath.Join(dir, smallFile), 0, 5, devices[:3], config)
	return names, bytes, err
}

const smallFile = "small.json"

func digest(n int) (d report.Digest) {
	binary.BigEndian.PutUint64(d[:], uint64(n))
	return d
}

func writeReport(path string, number, kernels int, devices []*deviceconfig.Device, config *deviceconfig.Config) (int64, error) {
	var modules []report.Module
	for k := range kernels {
		q := &requirement.Requirements{}
		switch k % 10 {
		case 0:
			q.Aspects = []aspect.Aspect{aspect.FP64}
		case 5:
			q.SubGroupSizes = []uint32{16}
		}
		name := fmt.Sprintf("kernel_%02d_%04d", number, k)
		modules = append(modules, report.Module{Needs: q, Kernels: []report.ModuleKernel{{
			Name: fmt.Sprintf("_ZTSN4demo%d%sE", len(name), name), Source: srcloc.Kernel{Location: srcloc.Location{Path: fmt.Sprintf("src/file_%02d.cpp", k%50), Line: uint32(k + 1)}}}},
			Images: []report.ModuleImage{{Format: "spirv", Triple: "spir64-unknown-unknown", Digest: digest(number*kernels + k)}}})
	}
	r, err := report.Build(modules, devices, config, report.Generator{Name: "bench", Version: "1"}, fmt.Sprintf("//demo/part_%02d:kernels", number))
	if err != nil {
		return 0, err
	}
	if err := outfile.Write(path, r.Encode); err != nil {
		return 0, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
