// Package compat decides which devices can run a device image. A [Checker] compares the
// requirements of an image with a device. The resulting status is compatible, incompatible,
// undetermined or not applicable, with every reason and not only the first.
//
// The checks, their order and their texts match the SYCL runtime of DPC++: aspects, joint
// matrices, dimensions and size of the work-group, sub-group size. The runtime throws an exception
// of kind errc::kernel_not_supported at the first failed check. Two more checks cover what the
// runtime decides when it chooses among images, or does not check yet: the targets that a kernel
// was fixed to and the target that an image was compiled for. The last check is for the device's
// compiler: explicit SIMD intrinsics, inline assembly, and extensions that it rejects.
//
// A device may have aspects that are not listed, and its limits may not be known. Requirements
// that depend on them are undetermined, not incompatible. Matrices on NVIDIA and AMD GPUs are
// undetermined because the runtime does not compare them there.
//
// A build needs a definite answer. [Checker.Supports] therefore performs the checks of the aspect
// filter, and a [Plan] uses it to decide which rows of file tables each target of a program gets.
package compat

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
)

// A Rule names a kind of reason. Rule names and their meanings never change.
type Rule string

const (
	MissingAspect            Rule = "missing-aspect"
	UnsupportedJointMatrix   Rule = "unsupported-joint-matrix"
	UnsupportedWorkGroupDims Rule = "unsupported-work-group-dims"
	UnsupportedWorkGroupSize Rule = "unsupported-work-group-size"
	UnsupportedSubGroupSize  Rule = "unsupported-sub-group-size"
	FixedTargetMismatch      Rule = "fixed-target-mismatch"
	CompileTargetMismatch    Rule = "compile-target-mismatch"
	UnsupportedAssembly      Rule = "unsupported-assembly"
	UnsupportedExtension     Rule = "unsupported-extension"
	UnsupportedIntrinsic     Rule = "unsupported-intrinsic"
	MissingSPIRVExtension    Rule = "missing-spirv-extension"
	UnsupportedParameterSize Rule = "unsupported-parameter-size"
	UnsupportedLocalMemory   Rule = "unsupported-local-memory"
	UnsupportedOption        Rule = "unsupported-option"
	UnreadableRequirement    Rule = "unreadable-requirement"
	NoImage                  Rule = "no-image" // no image for the device
)

// A Reason is one obstacle to an image being compatible.
type Reason struct {
	Available string `json:"available,omitempty"` // what the device has instead; "": a long list, or not known
	Property  string `json:"property,omitempty"`  // key in the set "SYCL/device requirements", "" for other sets
	Required  string `json:"required"`            // what is required: "fp64", "32", "8x4x2" in the order of SYCL
	Rule      Rule   `json:"rule"`
	Status    Status `json:"status"` // Incompatible, Undetermined or NotApplicable
	Text      string `json:"text"`   // one sentence: the runtime's message, if it has one
}

// A Result is a status with all its reasons, in the order of the checks.
type Result struct {
	Status  Status
	Reasons []Reason
}

// Add adds a reason.
func (r *Result) Add(reason Reason) {
	r.Reasons = append(r.Reasons, reason)
	r.Status = max(r.Status, reason.Status)
}

// A Checker compares requirements with devices. It is safe for concurrent use by multiple
// goroutines.
type Checker struct {
	config *deviceconfig.Config
}

// New returns a Checker that resolves target names with config.
func New(config *deviceconfig.Config) *Checker { return &Checker{config} }

// Check returns the status on d of an image that requires q, with the reasons if it does not run.
func (c *Checker) Check(q *requirement.Requirements, d *deviceconfig.Device) Result {
	r := Result{Status: Compatible}
	checkAspects(&r, q, d, !d.MayHaveOtherAspects, false)
	checkIntrinsics(&r, q, d)
	checkAssembly(&r, q, d)
	checkExtensions(&r, q, d)
	if reason, ok := parameterReason(q, d); ok {
		r.Add(reason)
	}
	checkLocalMemory(&r, q, d)
	checkOptions(&r, q, d)
	checkMatrices(&r, q, d)
	checkWorkGroup(&r, q, d)
	checkSubGroups(&r, q, d)
	c.checkFixedTargets(&r, q, d)
	checkCompileTarget(&r, q, d)
	for _, unreadable := range q.Unreadable {
		r.Add(Reason{Rule: UnreadableRequirement, Status: Undetermined, Required: unreadable.Key, Property: unreadable.Key,
			Text: fmt.Sprintf("The requirements of the image are not completely known: %v", unreadable)})
	}
	return r
}

// Supports reports whether the aspect filter keeps a row that requires q in the table of target d,
// and returns the reasons if not. d must list every required aspect and sub-group size. The fixed
// targets must include d or, if they are given as aspects, d must have one of them. If d lists
// families of intrinsics or of inline assembly, the intrinsics and the known assembly requirements
// must belong to them. Extensions must not be among those that d rejects. Supports ignores whether
// d may have unlisted aspects. A generic target, see [deviceconfig.Device.IsGeneric], accepts all
// rows.
func (c *Checker) Supports(q *requirement.Requirements, d *deviceconfig.Device) (bool, []Reason) {
	if d.IsGeneric() {
		return true, nil
	}
	r := Result{Status: Compatible}
	checkAspects(&r, q, d, true, true)
	if d.Intrinsics != nil {
		checkIntrinsics(&r, q, d)
		checkKnownAssembly(&r, q, d)
	}
	if reason, ok := parameterReason(q, d); ok && reason.Status == Incompatible {
		r.Add(reason)
	}
	checkLocalMemory(&r, q, d)
	checkMatrixSubGroups(&r, q, d)
	for _, name := range q.Extensions {
		if isTableFeature(name) {
			if support, _ := deviceconfig.FeatureSupport(d.Name, name); support != deviceconfig.NotMeasured {
				checkFeature(&r, name, q, d)
			}
			continue
		}
		if d.RefusedExtensions != nil && aspect.ExtensionNamed(name) != nil && mayReject(name, q, d) {
			r.Add(extensionReason(name, d))
		}
	}
	checkSubGroups(&r, q, d)
	c.checkFixedTargets(&r, q, d)
	return r.Status == Compatible, r.Reasons
}

func checkAspects(r *Result, q *requirement.Requirements, d *deviceconfig.Device, closed, keepUnknown bool) {
	for _, a := range q.Aspects {
		if d.Has(a) {
			continue
		}
		closed := closed || d.IsBuiltIn() && deviceconfig.IsIntelCPU(d.Name) && slices.Contains(neverOnCPUs, a)
		reason := Reason{Rule: MissingAspect, Status: Incompatible, Required: a.String(), Property: "aspects"}
		switch {
		case !a.IsKnown():
			reason.Text = fmt.Sprintf("Unknown aspect %d", uint32(a))
		case closed:
			reason.Text = fmt.Sprintf("Required aspect %s is not supported on the device", a)
		default:
			reason.Text = fmt.Sprintf("Required aspect %s is not in the device data, but the device may have it", a)
		}
		if closed && aspect.IsKnownAtRunTime(a) && d.IsBuiltIn() && strings.HasPrefix(d.Name, "intel_gpu_") {
			if keepUnknown {
				continue
			}
			reason.Status = Undetermined
			reason.Text = fmt.Sprintf("Whether aspect %s is supported on the device is known only when the program runs", a)
		}
		// Devices may have aspects whose names are not known here.
		if !closed || !a.IsKnown() {
			reason.Status = Undetermined
		}
		r.Add(reason)
	}
}

// neverOnCPUs lists aspects that no CPU has, whatever else a CPU may have. The runtime denies them,
// and the compiler for CPUs rejects explicit SIMD code.
var neverOnCPUs = []aspect.Aspect{
	aspect.GPU, aspect.Accelerator, aspect.Custom, aspect.ExtIntelESIMD, aspect.ExtOneAPICUDAAsyncBarrier, aspect.ExtOneAPICUDAClusterGroup,
}

// maxDims is the maximum number of dimensions of a SYCL range.
const maxDims = 3

func checkWorkGroup(r *Result, q *requirement.Requirements, d *deviceconfig.Device) {
	size := q.WorkGroupSize
	dims := cmp.Or(int(q.WorkGroupDims), len(size))
	// Compilers pad sizes to three dimensions with 1.
	isNotOne := func(n uint64) bool { return n != 1 }
	if dims > maxDims || len(size) > dims && slices.ContainsFunc(size[dims:], isNotOne) {
		r.Add(Reason{Rule: UnsupportedWorkGroupDims, Status: Incompatible, Required: strconv.Itoa(max(dims, len(size))),
			Available: strconv.Itoa(min(dims, maxDims)), Property: "work_group_num_dim",
			Text: "The local size dimension of submitted nd_range doesn't match the required work-group size dimension"})
	}
	if slices.ContainsFunc(size, isNotOne) {
		checkWorkGroupSize(r, size, d)
	}
}

// checkWorkGroupSize compares a size with the limits of a device. The texts match the runtime,
// which state the number of work-items, not the size.
func checkWorkGroupSize(r *Result, size []uint64, d *deviceconfig.Device) {
	add := func(status Status, available, text string) {
		r.Add(Reason{Rule: UnsupportedWorkGroupSize, Status: status, Required: formatSize(size, "x"), Available: available,
			Property: "reqd_work_group_size_uint64_t", Text: text})
	}
	limit := "" // if it is not known
	if d.MaxWorkGroupSize > 0 {
		limit = fmt.Sprintf("at most %d", d.MaxWorkGroupSize)
	}
	total, fits := product(size)
	switch {
	case !fits:
		add(Incompatible, limit, "Required work-group size is not supported (total number of work-items requested can't fit into size_t)")
	case d.MaxWorkGroupSize == 0:
		add(Undetermined, limit, fmt.Sprintf("Required work-group size {%s} has %d work-items, but the device's limit is unknown", formatSize(size, ", "), total))
	case total > d.MaxWorkGroupSize:
		add(Incompatible, limit, fmt.Sprintf("Required work-group size %d is not supported on the device", total))
	}
	// Both lists begin with the last dimension of a SYCL range.
	for i, most := range slices.Backward(d.MaxWorkItemSizes) {
		if i < len(size) && size[i] > most {
			add(Incompatible, fmt.Sprintf("at most %s", formatSize(d.MaxWorkItemSizes, "x")),
				fmt.Sprintf("Required work-group size %d is not supported", size[i]))
		}
	}
}

// product multiplies and reports whether the result fits.
func product(size []uint64) (total uint64, fits bool) {
	total = 1
	for _, n := range size {
		hi, lo := bits.Mul64(total, n)
		if hi != 0 && !slices.Contains(size, 0) {
			return 0, false
		}
		total = lo
	}
	return total, true
}

// formatSize writes the dimensions of a work-group size in the order of a SYCL program.
// Properties have the reverse order.
func formatSize(size []uint64, separator string) string {
	var s []string
	for _, n := range slices.Backward(size) {
		s = append(s, strconv.FormatUint(n, 10))
	}
	return strings.Join(s, separator)
}

func checkSubGroups(r *Result, q *requirement.Requirements, d *deviceconfig.Device) {
	// Explicit SIMD kernels have sub-group size 1, which the runtime does not check.
	if slices.Contains(q.Aspects, aspect.ExtIntelESIMD) && slices.Equal(q.SubGroupSizes, []uint32{1}) {
		return
	}
	for _, n := range q.SubGroupSizes {
		if d.HasSubGroupSize(n) {
			continue
		}
		size := strconv.FormatUint(uint64(n), 10)
		reason := Reason{Rule: UnsupportedSubGroupSize, Status: Incompatible, Required: size,
			Available: strings.Trim(strings.ReplaceAll(fmt.Sprint(d.SubGroupSizes), " ", ", "), "[]"), Property: "reqd_sub_group_size",
			Text: fmt.Sprintf("Sub-group size %s is not supported on the device", size)}
		if len(d.SubGroupSizes) == 0 && d.MayHaveOtherAspects {
			reason.Status = Undetermined
			reason.Text = fmt.Sprintf("Whether sub-group size %s is supported on the device is known only when the program runs", size)
		}
		r.Add(reason)
	}
}

func (c *Checker) checkFixedTargets(r *Result, q *requirement.Requirements, d *deviceconfig.Device) {
	if !q.HasFixedTargets {
		return
	}
	for _, name := range q.FixedTargets {
		if t, ok := c.config.Lookup(name); TargetMatches(name, d) || ok && t.IsGeneric() && name != anyNVIDIA {
			return
		}
	}
	if slices.ContainsFunc(q.FixedTargetAspects, d.Has) {
		return
	}
	targets := slices.Clone(q.FixedTargets)
	for _, a := range q.FixedTargetAspects {
		targets = append(targets, a.String())
	}
	list := strings.Join(targets, ",")
	reason := Reason{Rule: FixedTargetMismatch, Status: Incompatible, Required: list, Available: d.Name, Property: "fixed_target",
		Text: fmt.Sprintf("Kernel was compiled with '-fsycl-fixed-targets=%s' but was submitted to a different device", list)}
	switch {
	case len(targets) == 0:
		reason.Text = "Kernel was compiled with '-fsycl-fixed-targets' for targets without a device in common"
	case len(q.FixedTargetAspects) > 0 && d.MayHaveOtherAspects:
		reason.Status = Undetermined
		reason.Text = fmt.Sprintf("Kernel was compiled with '-fsycl-fixed-targets' for devices with aspect %s, which the device may have", list)
	}
	r.Add(reason)
}

func checkCompileTarget(r *Result, q *requirement.Requirements, d *deviceconfig.Device) {
	if q.CompileTarget == "" || TargetMatches(q.CompileTarget, d) {
		return
	}
	r.Add(Reason{Rule: CompileTargetMismatch, Status: NotApplicable, Required: q.CompileTarget, Available: d.Name, Property: "compile_target",
		Text: fmt.Sprintf("The image was compiled ahead of time for %s", q.CompileTarget)})
}

// TargetMatches reports whether native code for a target runs on d: the target is any name of d, or
// a family of Intel GPUs whose code the driver runs on d (intel_gpu_bmg), or it is x86_64 and d is
// an x86-64 processor, or it is ptx64 and d is an NVIDIA GPU.
func TargetMatches(target string, d *deviceconfig.Device) bool {
	if deviceconfig.Canonical(target) == d.Name || slices.Contains(deviceconfig.FamilyMembers(target), d.Name) {
		return true
	}
	return isAnyCPU(target) && deviceconfig.IsIntelCPU(d.Name) || target == anyNVIDIA && strings.HasPrefix(d.Name, "nvidia_gpu_")
}

const anyNVIDIA = "ptx64"

func isAnyCPU(target string) bool { return target == "spir64_x86_64" || target == "x86_64" }

// NoImageReason is the reason why a kernel without an image for the device does not run there.
var NoImageReason = Reason{Rule: NoImage, Status: Incompatible, Text: "No image of the kernel is for the device"}
