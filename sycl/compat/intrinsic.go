package compat

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// checkIntrinsics compares intrinsics with the families that the device's compilers accept. It
// adds one reason per family. A device without explicit SIMD gets none, because its aspects
// already state that.
func checkIntrinsics(r *Result, q *requirement.Requirements, d *deviceconfig.Device) {
	if slices.Contains(q.Aspects, aspect.ExtIntelESIMD) && !d.Has(aspect.ExtIntelESIMD) {
		return
	}
	byFamily := map[string][]string{}
	var families []aspect.IntrinsicFamily
	for _, name := range q.Intrinsics {
		family, _ := aspect.FamilyOfIntrinsic(name)
		if byFamily[family.Name] == nil {
			families = append(families, family)
		}
		byFamily[family.Name] = append(byFamily[family.Name], name)
	}
	for _, family := range families {
		if family.Name == "" || !slices.Contains(d.Intrinsics, family.Name) {
			r.Add(intrinsicReason(family, byFamily[family.Name], d))
		}
	}
}

// intrinsicReason returns the reason for intrinsics of a family that a device does not
// have, or may not have.
func intrinsicReason(family aspect.IntrinsicFamily, names []string, d *deviceconfig.Device) Reason {
	reason := Reason{Rule: UnsupportedIntrinsic, Status: Incompatible, Required: safetext.JoinFirst(names, 3)}
	switch {
	case family.Name == "": // a newer version wrote the requirement
		reason.Status = Undetermined
		reason.Text = fmt.Sprintf("Whether explicit SIMD intrinsic %s is supported on the device is not known to this version", reason.Required)
	case d.Intrinsics == nil:
		reason.Status = Undetermined
		reason.Text = fmt.Sprintf("Whether explicit SIMD intrinsic %s is supported on the device is not known: %s are for %s, and %s", reason.Required, family.What, family.Where, family.Instead)
	default:
		reason.Text = fmt.Sprintf("Explicit SIMD intrinsic %s is not supported on the device: %s are for %s, and %s", reason.Required, family.What, family.Where, family.Instead)
	}
	return reason
}

// checkExtensions adds a reason for each extension that the compiler of the device may reject.
// GPUs have a different compiler for explicit SIMD, which was not measured.
func checkExtensions(r *Result, q *requirement.Requirements, d *deviceconfig.Device) {
	for _, name := range q.Extensions {
		if isTableFeature(name) {
			checkFeature(r, name, q, d)
		} else if mayReject(name, q, d) {
			r.Add(extensionReason(name, d))
		}
	}
}

// isTableFeature reports whether the table of SPIR-V features decides about a name, rather than
// the lists of package aspect.
func isTableFeature(name string) bool {
	_, past := aspect.RetiredExtensions[name]
	return !past && aspect.ExtensionNamed(name) == nil && deviceconfig.IsFeature(name)
}

// checkFeature adds a reason if the compiler for the device rejects a SPIR-V feature, or was not
// tested with it.
func checkFeature(r *Result, name string, q *requirement.Requirements, d *deviceconfig.Device) {
	if slices.Contains(q.Aspects, aspect.ExtIntelESIMD) {
		return
	}
	support, message := deviceconfig.FeatureSupport(d.Name, name)
	if slices.Contains(d.RefusedExtensions, name) {
		support = deviceconfig.Refused
	}
	reason := Reason{Rule: MissingSPIRVExtension, Status: Incompatible, Required: name}
	words, advice := describeFeature(name)
	switch support {
	case deviceconfig.Refused:
		reason.Text = fmt.Sprintf("%s is not supported by the compiler for the device", words)
		if message != "" {
			reason.Text += " (" + message + ")"
		}
		reason.Text += advice
	case deviceconfig.NotMeasured:
		reason.Status = Undetermined
		reason.Text = fmt.Sprintf("Whether the compiler for the device supports %s was not measured", words)
	default:
		return
	}
	r.Add(reason)
}

// describeFeature describes a feature and gives advice for code that uses it.
func describeFeature(name string) (words, advice string) {
	switch {
	case name == deviceconfig.Images:
		return "Image access", "; use buffers or pointers"
	case name == "intel_ray_query":
		return "Ray query code", "; it runs on GPUs with ray tracing"
	case name == "__builtin_IB":
		return "Code that calls functions of Intel's GPU compiler (__builtin_IB_...)", ""
	case name == "__builtin_IB_lsc":
		return "Code that calls functions of Intel's GPU compiler (__builtin_IB_lsc_... and others) for Arc and newer GPUs", ""
	case name == "SPV_INTEL_bindless_images":
		return "SPIR-V extension " + name, "; use buffers or pointers for other devices"
	case name == "joint_matrix_layout":
		return "Loading or storing a joint_matrix of this use, type and size with this layout", "; use layout::row_major, or 8 rows"
	case name == "joint_matrix_a_col_major":
		return "Loading a joint_matrix of use::a with layout::col_major", "; use layout::row_major"
	case name == "joint_matrix_checked":
		return "Code that calls joint_matrix_load_checked, joint_matrix_store_checked or joint_matrix_prefetch", "; use joint_matrix_load and joint_matrix_store"
	case strings.HasPrefix(name, "SPV_"):
		return "SPIR-V extension " + name, ""
	}
	return "SPIR-V capability " + name, ""
}

func mayReject(name string, q *requirement.Requirements, d *deviceconfig.Device) bool {
	switch {
	case aspect.ExtensionNamed(name) == nil: // compilers accepted it in the past, or a newer version wrote it
		return true
	case slices.Contains(q.Aspects, aspect.ExtIntelESIMD):
		return false
	}
	return d.RefusedExtensions == nil || slices.Contains(d.RefusedExtensions, name)
}

// extensionReason returns the reason for an extension that the device's compiler rejects or may
// reject. Extensions that compilers accepted in the past count as undetermined because an old
// driver may still be installed.
func extensionReason(name string, d *deviceconfig.Device) Reason {
	reason := Reason{Rule: UnsupportedExtension, Status: Undetermined, Required: name}
	e := aspect.ExtensionNamed(name)
	switch {
	case e == nil:
		reason.Text = fmt.Sprintf("Current device compilers reject SPIR-V extension %s, which older compilers accepted", name)
		if advice, ok := aspect.RetiredExtensions[name]; ok {
			reason.Text += ": " + advice
		}
	case d.RefusedExtensions == nil:
		reason.Text = fmt.Sprintf("Whether SPIR-V extension %s is supported on the device is not known: %s for devices without it", name, e.Advice)
	default:
		reason.Status = Incompatible
		reason.Text = fmt.Sprintf("SPIR-V extension %s is not supported on the device, whose compiler rejects it: %s", name, e.Advice)
	}
	return reason
}
