package postlink

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/internal/llvmir"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
)

// kernelWith is the mangled prefix of the name type sycl_lite::kernel_with<Name, X, Y, Z, SubGroup>
// of the device header. Stock clang has no attributes for required sizes in SYCL code, so the
// header encodes them in the kernel's name.
const kernelWith = "_ZTSN9sycl_lite11kernel_withI"

// lowerKernelNames adds the metadata that SPIR-V translators read to kernels whose name type
// encodes required sizes.
func lowerKernelNames(m *llvmir.Module) error {
	for _, k := range m.Kernels() {
		name := kernelname.Base(k.Name())
		if !strings.HasPrefix(name, kernelWith) {
			continue
		}
		n, ok := kernelSizes(name)
		if !ok {
			return fmt.Errorf("kernel %s: the sizes in its name type kernel_with cannot be read", kernelname.Display(k.Name()))
		}
		if workGroup := n[:3]; !slices.Equal(workGroup, []uint32{0, 0, 0}) && !k.HasMetadata("reqd_work_group_size") {
			if slices.Contains(workGroup, 0) {
				return fmt.Errorf("kernel %s: the required work-group size is 0", kernelname.Display(k.Name()))
			}
			k.SetMetadata("reqd_work_group_size", m.AddNode(fmt.Sprintf("i32 %d, i32 %d, i32 %d", n[0], n[1], n[2])))
		}
		if n[3] != 0 && !k.HasMetadata("intel_reqd_sub_group_size") {
			k.SetMetadata("intel_reqd_sub_group_size", m.AddNode(fmt.Sprintf("i32 %d", n[3])))
		}
	}
	return nil
}

// kernelSizes returns the last four template arguments of a kernel_with name. Lj8E is the unsigned
// literal 8, and the name ends in an E for the template and an E for the nested name.
func kernelSizes(name string) ([]uint32, bool) {
	rest, ok := strings.CutSuffix(name, "EE")
	if !ok {
		return nil, false
	}
	sizes := make([]uint32, 4)
	for i := 3; i >= 0; i-- {
		if rest, ok = strings.CutSuffix(rest, "E"); !ok {
			return nil, false
		}
		at := strings.LastIndex(rest, "Lj")
		if at < 0 {
			return nil, false
		}
		n, err := strconv.ParseUint(rest[at+2:], 10, 32)
		if err != nil {
			return nil, false
		}
		sizes[i] = uint32(n)
		rest = rest[:at]
	}
	return sizes, true
}
