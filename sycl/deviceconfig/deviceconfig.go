// Package deviceconfig describes the devices that kernels can be compiled for ahead of time: their
// aspects, the sub-group sizes that work on them, and the compiler that generates their code.
// Targets have the names of -fsycl-targets.
//
// A configuration is a YAML file with an entry for each target:
//
//	intel_gpu_example:
//	  aspects: [gpu, fp16, 28]           # names or numbers of enum class aspect
//	  sub-group-sizes: [16, 32]
//	  may-support-other-aspects: false   # optional, as are the keys below
//	  aot-toolchain: ocloc               # known for intel_gpu_* targets
//	  aot-toolchain-ocloc-device: example
//	  aot-toolchain-options: -device example
//	  max-work-group-size: 1024          # work-items; this and the rest are ours
//	  max-work-item-sizes: [1024, 1024, 1024]
//	  local-mem-size: 65536              # bytes
//	  max-parameter-size: 2048           # bytes
//	  matrix-combinations:
//	    - {max-msize: 8, nsize: 16, ksize: 16, atype: bf16, btype: bf16, ctype: fp32, dtype: fp32}
//	  esimd-intrinsics: [lsc, dpas]
//	  refused-extensions: [SPV_INTEL_float_controls2]
//
// Keys may have underscores for hyphens. The DPC++ design documents on optional kernel features and
// on the device configuration file define the format, except for the limits.
//
// [Default] combines four embedded files: devices.yaml with the facts of DPC++, names.yaml with
// aliases, and limits.yaml and devices_overlay.yaml with additions and repairs, each with its
// source. [ReadClinfo] and [OpenCLDevice.Entry] generate entries for the devices of a system.
package deviceconfig

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// A Config is a list of devices with distinct names.
type Config struct {
	// Warnings report duplicate entries and keys. The later ones take effect.
	Warnings []*SyntaxError

	devices []*Device      // in order
	index   map[string]int // index in devices by name
}

// A Device describes a target. Devices are shared between configurations and must not be modified.
type Device struct {
	Name string // canonical, such as intel_gpu_pvc

	// Aliases are other names of the target, such as intel_gpu_12_60_7.
	Aliases []string

	// Architecture is the value of the target in the architecture enumeration of
	// sycl_ext_oneapi_device_architecture, or 0 if it is not known.
	Architecture uint64

	Aspects       []aspect.Aspect // ascending and distinct
	SubGroupSizes []uint32        // sizes that kernels may require, ascending and distinct

	// MayHaveOtherAspects is true if devices of this name may have more aspects than Aspects
	// lists.
	MayHaveOtherAspects bool

	Limits

	AOTToolchain string            // the compiler, such as ocloc, or "" if there is none
	OclocDevice  string            // ocloc's name for the device
	AOTOptions   map[string]string // values of other aot-toolchain-... keys, by the rest of the key

	// Source is where the entry comes from: "FILE:LINE" for an entry of a user's file, documents
	// and repositories for a default.
	Source string
}

// Limits are the properties of a device that DPC++'s configuration files cannot have.
type Limits struct {
	// MaxWorkGroupSize is the largest number of work-items of a work-group, or 0 if it is not
	// known.
	MaxWorkGroupSize uint64

	// MaxWorkItemSizes are the largest numbers of work-items in each dimension of a work-group, in
	// the order of OpenCL: the last dimension of a SYCL range comes first. It is nil if every
	// dimension may be as large as the work-group, or if that is not known.
	MaxWorkItemSizes []uint64

	LocalMemorySize uint64 // in bytes, 0 if it is not known

	// MaxParameterSize is the largest size of a kernel's parameters in bytes, or 0 if it is not
	// known.
	MaxParameterSize uint64

	// MaxParameterRegisters is the maximum number of register bytes that a compiler for Intel GPUs
	// passes parameters in, or 0 if it is not known.
	MaxParameterRegisters uint64

	// MaxParameterRegistersLarge is the same with the option -ze-opt-large-register-file, or 0 if the
	// option has no effect.
	MaxParameterRegistersLarge uint64

	// Matrices are the combinations that joint_matrix supports, or nil if they are not known. If
	// Matrices is empty but not nil, joint_matrix does not work at all.
	Matrices []MatrixCombination

	// Intrinsics are the families of explicit SIMD intrinsics that the device's compilers accept,
	// see docs/check/device-config.md. It is nil if they are not known. If it is empty but not
	// nil, the compilers accept none of them.
	Intrinsics []string

	// RefusedExtensions are the SPIR-V extensions that the device's compilers reject, among the
	// ones in docs/check/device-config.md. It is nil if they are not known. If it is empty but not
	// nil, the compilers accept all of them.
	RefusedExtensions []string
}

// orElse returns l with its unset limits copied from o.
func (l Limits) orElse(o Limits) Limits {
	return Limits{
		MaxWorkGroupSize: cmp.Or(l.MaxWorkGroupSize, o.MaxWorkGroupSize),
		MaxWorkItemSizes: either(l.MaxWorkItemSizes, o.MaxWorkItemSizes),
		LocalMemorySize:  cmp.Or(l.LocalMemorySize, o.LocalMemorySize),

		MaxParameterSize:      cmp.Or(l.MaxParameterSize, o.MaxParameterSize),
		MaxParameterRegisters: cmp.Or(l.MaxParameterRegisters, o.MaxParameterRegisters),

		MaxParameterRegistersLarge: cmp.Or(l.MaxParameterRegistersLarge, o.MaxParameterRegistersLarge),

		Matrices:          either(l.Matrices, o.Matrices),
		Intrinsics:        either(l.Intrinsics, o.Intrinsics),
		RefusedExtensions: either(l.RefusedExtensions, o.RefusedExtensions),
	}
}

// either returns a, or b if a is nil.
func either[T any](a, b []T) []T {
	if a == nil {
		return b
	}
	return a
}

// Has reports whether a is among the aspects of the device.
func (d *Device) Has(a aspect.Aspect) bool {
	_, found := slices.BinarySearch(d.Aspects, a)
	return found
}

// HasSubGroupSize reports whether kernels may require a sub-group size.
func (d *Device) HasSubGroupSize(size uint32) bool {
	_, found := slices.BinarySearch(d.SubGroupSizes, size)
	return found
}

// IsGeneric reports whether a target represents devices that are known only at run time. Such a
// target, for example spir64, lists no aspects and no sub-group sizes.
func (d *Device) IsGeneric() bool {
	return d.MayHaveOtherAspects && len(d.Aspects) == 0 && len(d.SubGroupSizes) == 0
}

// Arch returns the architecture name in device images of the target: the compiler's name for
// NVIDIA and AMD GPUs, such as sm_80 and gfx90a, and the name of the target for other devices.
func (d *Device) Arch() string {
	for _, prefix := range []string{"nvidia_gpu_", "amd_gpu_"} {
		if arch, ok := strings.CutPrefix(d.Name, prefix); ok {
			return arch
		}
	}
	return d.Name
}

// Default returns the devices that this version supports.
func Default() *Config {
	c := defaults()
	return &Config{Warnings: slices.Clone(c.Warnings), devices: slices.Clone(c.devices), index: maps.Clone(c.index)}
}

// Lookup returns the device of a target, which may be an alias.
func (c *Config) Lookup(target string) (*Device, bool) {
	i, ok := c.index[Canonical(target)]
	if !ok {
		return nil, false
	}
	return c.devices[i], true
}

// Devices returns the devices in the order of their definition.
func (c *Config) Devices() []*Device { return slices.Clone(c.devices) }

// Nearest returns up to three target names that target may be a misspelling of, the likeliest
// first.
func (c *Config) Nearest(target string) []string { return NearestOf(target, c.targets(), 3) }

// families are the prefixes of device names of one kind.
var families = []string{"intel_gpu_", "intel_cpu_", "nvidia_gpu_", "amd_gpu_"}

// NearestOf returns up to n candidates whose names are similar to an unknown target, the closest
// first. Only the part after the family prefix is compared, and the prefix must be the same: a
// different device is not a misspelling. A name without a prefix matches any family. A candidate
// that differs only in the prefix, hyphens and case is the only one.
func NearestOf(target string, candidates iter.Seq[string], n int) []string {
	family, rest := cutFamily(strings.ReplaceAll(strings.ToLower(target), "-", "_"))
	full := map[string]string{}
	var names []string
	for c := range candidates {
		f, r := cutFamily(c)
		if _, seen := full[r]; !seen && (f == family || family == "") {
			full[r] = c
			names = append(names, r)
		}
	}
	if same, ok := full[rest]; ok && n > 0 {
		return []string{same}
	}
	var list []string
	for _, near := range safetext.Nearest(rest, slices.Values(names), n) {
		list = append(list, full[near])
	}
	return list
}

func cutFamily(target string) (family, rest string) {
	for _, f := range families {
		if rest, ok := strings.CutPrefix(target, f); ok {
			return f, rest
		}
	}
	return "", target
}

// targets yields all names and aliases.
func (c *Config) targets() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, d := range c.devices {
			if !yield(d.Name) {
				return
			}
		}
		for _, d := range c.devices {
			for _, alias := range d.Aliases {
				if !yield(alias) {
					return
				}
			}
		}
	}
}

// Merge adds the devices and warnings of o. A device of o replaces the device with the same name
// and keeps its position. Limits that o does not set are kept, because DPC++'s configuration files
// cannot have them.
func (c *Config) Merge(o *Config) {
	for _, d := range o.devices {
		if i, ok := c.index[d.Name]; ok {
			merged := *d
			merged.Limits = d.Limits.orElse(c.devices[i].Limits)
			d = &merged
		}
		c.put(d)
	}
	c.Warnings = append(slices.Clip(c.Warnings), o.Warnings...)
}

func (c *Config) put(d *Device) {
	if i, ok := c.index[d.Name]; ok {
		c.devices[i] = d
		return
	}
	if c.index == nil {
		c.index = make(map[string]int)
	}
	c.index[d.Name] = len(c.devices)
	c.devices = append(c.devices, d)
}
