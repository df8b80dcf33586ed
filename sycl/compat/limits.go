package compat

import (
	"fmt"

	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
)

// checkParameters compares the bytes of a kernel's parameters with the limits of a device.
func checkParameters(r *Result, q *requirement.Requirements, d *deviceconfig.Device) {
	advice := "capture a pointer to the data"
	registers := d.MaxParameterRegisters
	if large := d.MaxParameterRegistersLarge; q.HasLargeRegisters() {
		registers = max(registers, large)
	} else if q.ParameterRegisters <= large {
		advice += ", or build with " + requirement.LargeRegisterFile
	}
	switch {
	case d.MaxParameterSize != 0 && q.ParameterSize > d.MaxParameterSize:
		r.add(Reason{Rule: UnsupportedParameterSize, Status: Incompatible, Required: fmt.Sprint(q.ParameterSize), Available: fmt.Sprintf("at most %d", d.MaxParameterSize),
			Text: fmt.Sprintf("Parameters of %d bytes are not supported on the device (limit %d); capture a pointer to the data", q.ParameterSize, d.MaxParameterSize)})
	case registers != 0 && q.ParameterRegisters > registers:
		r.add(Reason{Rule: UnsupportedParameterSize, Status: Incompatible, Required: fmt.Sprint(q.ParameterRegisters), Available: fmt.Sprintf("at most %d", registers),
			Text: fmt.Sprintf("Parameters that take %d bytes of registers are not supported on the device (limit %d, each member takes at least 4 bytes); %s",
				q.ParameterRegisters, registers, advice)})
	}
}

// checkLocalMemory compares the local memory that a kernel declares with the local memory of a device.
// Compilers accept more than the device has.
func checkLocalMemory(r *Result, q *requirement.Requirements, d *deviceconfig.Device) {
	if d.LocalMemorySize != 0 && q.LocalMemory > d.LocalMemorySize {
		r.add(Reason{Rule: UnsupportedLocalMemory, Status: Incompatible, Required: fmt.Sprint(q.LocalMemory), Available: fmt.Sprintf("at most %d", d.LocalMemorySize),
			Text: fmt.Sprintf("Local memory of %d bytes is not supported on the device (limit %d); declare smaller arrays in local memory", q.LocalMemory, d.LocalMemorySize)})
	}
}
