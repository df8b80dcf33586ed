package main

import (
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/compilespec"
	"github.com/rules-sycl/rules_sycl/internal/icpxflags"
)

// Steps that an option can be passed to.
const (
	forHost   = compilespec.Host
	forDevice = compilespec.Device
	forLink   = compilespec.Link
	forWord   = compilespec.Placed
)

// readers maps readings to parsers, for options that are not merely passed to their steps.
var readers = map[compilespec.Reading]func(p *parser, o *option) error{
	compilespec.Standard:     (*parser).languageStandard,
	compilespec.Warning:      (*parser).warning,
	compilespec.Debug:        (*parser).debug,
	compilespec.Feature:      (*parser).feature,
	compilespec.Sysroot:      (*parser).sysroot,
	compilespec.Preprocessor: (*parser).preprocessor,
	compilespec.Depfile:      (*parser).depfile,
	compilespec.Mode:         (*parser).mode,
	compilespec.Query:        (*parser).hostOnly,
	compilespec.Language:     (*parser).language,
	compilespec.Reject:       (*parser).reject,
	compilespec.Set:          (*parser).flag,
	compilespec.Output:       (*parser).output,
	compilespec.Location:     (*parser).place,
}

// ownOptions are the options that only syclc++ has.
var ownOptions = []string{"--dpcpp", "--driver", "--host-headers", "--ocloc", "--require-images", "--share-gpu-families", "--skip-rejected-images", "--check"}

// offloadOptions are the icpx options that clang also has for CUDA, HIP and OpenMP. Without SYCL,
// they are passed to clang and omitted for g++.
var offloadOptions = []string{
	"--offload-arch=", "--offload-targets=", "--cuda-gpu-arch=", "-fgpu-rdc", "-fno-gpu-rdc", "--offload-rdc", "--no-offload-rdc",
	"--offload-compress", "--no-offload-compress", "--offload-compression-level=", "--offload-new-driver", "--no-offload-new-driver",
	"-fgpu-inline-threshold=", "-Xarch_device",
}

func isOffloadOption(option string) bool {
	name, _, hasValue := strings.Cut(option, "=")
	if hasValue {
		name += "="
	}
	return slices.Contains(offloadOptions, name)
}

// isOnlySYCL reports whether an icpx option only affects SYCL sources and programs.
func isOnlySYCL(f *icpxflags.Flag) bool {
	switch f.Sets {
	case icpxflags.SYCL, icpxflags.HostCompiler, icpxflags.HostOptions, icpxflags.LinkDevice:
		return false
	}
	return !slices.Contains([]icpxflags.Destination{icpxflags.Host, icpxflags.Both, icpxflags.Intel}, f.Destination)
}

// pass passes an option to the steps that its rule lists.
func (p *parser) pass(o *option) {
	p.addOptions(o.rule.To&^forDevice, o.words...)
	p.addOptions(forDevice, o.rule.DeviceWords(o.words, o.value)...)
}
