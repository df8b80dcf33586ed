package main

import (
	"slices"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
)

// languageVersion defines the macro by which programs detect support for SYCL.
const languageVersion = "-DSYCL_LANGUAGE_VERSION=202012L"

// traitMacros returns the macros from which libsycl's headers derive sycl::any_device_has and
// sycl::all_devices_have, matching what DPC++'s driver defines for targets.
func traitMacros(targets []*deviceconfig.Device) []string {
	having := map[aspect.Aspect]int{}
	for _, d := range targets {
		for _, a := range d.Aspects {
			having[a]++
		}
	}
	any := slices.ContainsFunc(targets, func(d *deviceconfig.Device) bool { return d.MayHaveOtherAspects })
	var macros []string
	for a, devices := range having {
		if !any {
			macros = append(macros, "-D__SYCL_ANY_DEVICE_HAS_"+a.String()+"__=1")
		}
		if devices == len(targets) {
			macros = append(macros, "-D__SYCL_ALL_DEVICES_HAVE_"+a.String()+"__=1")
		}
	}
	if any {
		macros = append(macros, "-D__SYCL_ANY_DEVICE_HAS_ANY_ASPECT__=1")
	}
	slices.Sort(macros)
	return macros
}
