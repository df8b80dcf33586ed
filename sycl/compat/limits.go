package compat

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
)

// implicitParameterRegisters is the maximum number of register bytes that IGC needs for implicit
// parameters, such as the printf buffer, the offset and the sizes of the range.
const implicitParameterRegisters = 96

// InRegisters ends the required value of [UnsupportedParameterSize] if it is a number of bytes of
// registers.
const InRegisters = " in registers"

// parameterReason compares the bytes of a kernel's parameters with the limits of a device. It returns
// a reason if they do not fit, or may not fit.
func parameterReason(q *requirement.Requirements, d *deviceconfig.Device) (reason Reason, ok bool) {
	const pointer = "capture a pointer to the data"
	if q.ParameterRegisters == 0 && slices.Contains(q.Aspects, aspect.ExtIntelESIMD) && d.MaxParameterRegisters != 0 {
		return vectorParameterReason(q, d)
	}
	if d.MaxParameterSize != 0 && q.ParameterSize > d.MaxParameterSize {
		return Reason{Rule: UnsupportedParameterSize, Status: Incompatible, Required: fmt.Sprint(q.ParameterSize), Available: fmt.Sprintf("at most %d", d.MaxParameterSize),
			Text: fmt.Sprintf("Parameters of %d bytes are not supported on the device (limit %d); %s", q.ParameterSize, d.MaxParameterSize, pointer)}, true
	}
	registers, advice := d.MaxParameterRegisters, pointer
	if large := d.MaxParameterRegistersLarge; q.HasLargeRegisters() {
		registers = max(registers, large)
	} else if q.ParameterRegisters <= large {
		advice += ", or build with " + requirement.LargeRegisterFile
	}
	if registers == 0 || q.ParameterRegisters+implicitParameterRegisters <= registers {
		return Reason{}, false
	}
	reason = Reason{Rule: UnsupportedParameterSize, Status: Incompatible, Required: fmt.Sprint(q.ParameterRegisters) + InRegisters, Available: fmt.Sprintf("at most %d", registers),
		Text: fmt.Sprintf("Parameters that take %d bytes of registers are not supported on the device (limit %d, each member takes at least 4 bytes); %s",
			q.ParameterRegisters, registers, advice)}
	if q.ParameterRegisters <= registers {
		reason.Status = Undetermined
		reason.Text = fmt.Sprintf("Parameters that take %d bytes of registers may not be supported on the device (limit %d, and the compiler needs up to %d for its own); %s",
			q.ParameterRegisters, registers, implicitParameterRegisters, advice)
	}
	return reason, true
}

// vectorParameterReason is like parameterReason for explicit SIMD code on Intel GPUs. The compiler
// for such code uses half of the registers for parameters, keeps their memory layout and adds no
// implicit parameters. With 64-byte registers, it accepts more than the limit that the driver
// reports.
func vectorParameterReason(q *requirement.Requirements, d *deviceconfig.Device) (reason Reason, ok bool) {
	compiler := d.MaxParameterRegisters/2 + implicitParameterRegisters
	driver := cmp.Or(d.MaxParameterSize, compiler)
	most, verb, status := max(compiler, driver), "are not", Incompatible
	switch {
	case q.ParameterSize <= min(compiler, driver):
		return Reason{}, false
	case q.ParameterSize <= most:
		most, verb, status = min(compiler, driver), "may not be", Undetermined
	}
	return Reason{Rule: UnsupportedParameterSize, Status: status, Required: fmt.Sprint(q.ParameterSize), Available: fmt.Sprintf("at most %d", most),
		Text: fmt.Sprintf("Parameters of %d bytes %s supported on the device (limit %d); capture a pointer to the data", q.ParameterSize, verb, most)}, true
}

// checkLocalMemory compares the local memory that a kernel declares with the local memory of a device.
// Compilers accept more than the device has.
func checkLocalMemory(r *Result, q *requirement.Requirements, d *deviceconfig.Device) {
	if d.LocalMemorySize != 0 && q.LocalMemory > d.LocalMemorySize {
		r.Add(Reason{Rule: UnsupportedLocalMemory, Status: Incompatible, Required: fmt.Sprint(q.LocalMemory), Available: fmt.Sprintf("at most %d", d.LocalMemorySize),
			Text: fmt.Sprintf("Local memory of %d bytes is not supported on the device (limit %d); declare smaller arrays in local memory", q.LocalMemory, d.LocalMemorySize)})
	}
}
