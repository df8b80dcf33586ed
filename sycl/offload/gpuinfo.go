package offload

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

const (
	infoSection = ".ze_info"
	maxInfo     = 16 << 20 // bytes of the section; a kernel has about 1 KB
)

// A GPUKernel describes a kernel in native code for Intel GPUs, as its compiler recorded it.
type GPUKernel struct {
	Name          string
	SubGroupSize  uint64
	Registers     uint64   // of a work-item
	WorkGroupSize []uint64 // required, the fastest dimension first; nil if there is none
	LocalMemory   uint64   // bytes that the kernel declares
	Spill         uint64   // bytes that registers are spilled to
	ArgumentSize  uint64   // bytes, without arguments that the compiler adds
}

// String describes the kernel without its name: "sub-group size 16, 128 registers, 24 bytes of arguments".
func (k *GPUKernel) String() string {
	var parts []string
	add := func(n uint64, format string) {
		if n != 0 {
			parts = append(parts, fmt.Sprintf(format, n))
		}
	}
	add(k.SubGroupSize, "sub-group size %d")
	if k.WorkGroupSize != nil {
		parts = append(parts, "work-group size "+strings.Trim(strings.ReplaceAll(fmt.Sprint(k.WorkGroupSize), " ", "x"), "[]"))
	}
	add(k.Registers, "%d registers")
	add(k.ArgumentSize, "%d bytes of arguments")
	add(k.LocalMemory, "%d bytes of local memory")
	add(k.Spill, "%d bytes of spilled registers")
	return strings.Join(parts, ", ")
}

// zeInfo is the part of section .ze_info that GPUKernels reads.
type zeInfo struct {
	Kernels []struct {
		Name        string
		Environment struct {
			SIMDSize      uint64   `yaml:"simd_size"`
			Registers     uint64   `yaml:"grf_count"`
			LocalMemory   uint64   `yaml:"slm_size"`
			Spill         uint64   `yaml:"spill_size"`
			WorkGroupSize []uint64 `yaml:"required_work_group_size"`
		} `yaml:"execution_env"`
		Arguments []struct {
			Type string `yaml:"arg_type"`
			Size uint64
		} `yaml:"payload_arguments"`
		Buffers []struct {
			Usage string
			Size  uint64
		} `yaml:"per_thread_memory_buffers"`
	}
}

// GPUKernels returns the kernels in an ELF file for Intel GPUs in the order of its section .ze_info,
// which is YAML, or none without the section. Errors in the content are of type [*FormatError].
func GPUKernels(r io.ReaderAt, size int64) ([]GPUKernel, error) {
	f, err := readELF(r, size)
	if err != nil {
		return nil, err
	}
	for _, s := range f.Sections {
		if name, ok := s.ShortName(len(infoSection)); !ok || name != infoSection {
			continue
		}
		if s.Size > maxInfo {
			return nil, imageErrorf(s.Header, "section %s has %d bytes (limit %d)", infoSection, s.Size, maxInfo)
		}
		data, err := sectionContent(r, size, s)
		if err != nil {
			return nil, err
		}
		var info zeInfo
		if err := yaml.Unmarshal(data, &info); err != nil {
			return nil, imageErrorf(int64(s.Offset), "section %s: %s", infoSection, strings.Join(strings.Fields(err.Error()), " "))
		}
		return info.kernels(), nil
	}
	return nil, nil
}

func (info *zeInfo) kernels() (kernels []GPUKernel) {
	for i := range info.Kernels {
		in := &info.Kernels[i]
		if in.Name == notKernel {
			continue
		}
		env := &in.Environment
		k := GPUKernel{Name: in.Name, SubGroupSize: env.SIMDSize, Registers: env.Registers, LocalMemory: env.LocalMemory, Spill: env.Spill}
		if slices.ContainsFunc(env.WorkGroupSize, func(n uint64) bool { return n != 0 }) {
			k.WorkGroupSize = env.WorkGroupSize
		}
		for _, a := range in.Arguments {
			if strings.HasPrefix(a.Type, "arg_by") {
				k.ArgumentSize += a.Size
			}
		}
		for _, b := range in.Buffers {
			if b.Usage == "spill_fill_space" {
				k.Spill = max(k.Spill, b.Size)
			}
		}
		kernels = append(kernels, k)
	}
	return kernels
}
