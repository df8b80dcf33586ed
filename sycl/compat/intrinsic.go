package compat

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
)

// checkIntrinsics compares intrinsics with the families that compilers for a device take.
// There is one reason for each family. A device without explicit SIMD, whose aspect says
// so already, gets none.
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
			r.add(intrinsicReason(family, byFamily[family.Name], d))
		}
	}
}

// intrinsicReason returns the reason for intrinsics of a family that a device does not
// have, or may not have.
func intrinsicReason(family aspect.IntrinsicFamily, names []string, d *deviceconfig.Device) Reason {
	reason := Reason{Rule: UnsupportedIntrinsic, Status: Incompatible, Required: someOf(names)}
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

// someOf lists names, of many the first.
func someOf(names []string) string {
	const most = 3
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// checkExtensions adds a reason for each extension that the compiler of the device may refuse. GPUs
// have another compiler for explicit SIMD, of which configurations do not speak.
func checkExtensions(r *Result, q *requirement.Requirements, d *deviceconfig.Device) {
	for _, name := range q.Extensions {
		if mayRefuse(name, q, d) {
			r.add(extensionReason(name, d))
		}
	}
}

func mayRefuse(name string, q *requirement.Requirements, d *deviceconfig.Device) bool {
	switch {
	case aspect.ExtensionNamed(name) == nil:
		return true
	case slices.Contains(q.Aspects, aspect.ExtIntelESIMD):
		return false
	}
	return d.RefusedExtensions == nil || slices.Contains(d.RefusedExtensions, name)
}

// extensionReason returns the reason for an extension that the compiler of a device refuses, or that
// it may refuse: those of the past, which compilers took when the code was made, as an old driver may
// still be there.
func extensionReason(name string, d *deviceconfig.Device) Reason {
	reason := Reason{Rule: UnsupportedExtension, Status: Undetermined, Required: name}
	e := aspect.ExtensionNamed(name)
	switch {
	case e == nil:
		reason.Text = fmt.Sprintf("Current compilers for devices refuse SPIR-V extension %s, which older ones took", name)
		if advice, ok := aspect.RefusedExtensions[name]; ok {
			reason.Text += ": " + advice
		}
	case d.RefusedExtensions == nil:
		reason.Text = fmt.Sprintf("Whether SPIR-V extension %s is supported on the device is not known: %s for devices without it", name, e.Advice)
	default:
		reason.Status = Incompatible
		reason.Text = fmt.Sprintf("SPIR-V extension %s is not supported on the device, whose compiler refuses it: %s", name, e.Advice)
	}
	return reason
}
