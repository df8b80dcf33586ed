package main

import (
	"encoding/hex"
	"strconv"

	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/release"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// valueText formats a property value: numbers in decimal, and byte arrays as text if they are
// printable or in hexadecimal otherwise.
func valueText(v propset.Value) string {
	if n, ok := v.Uint(); ok {
		return strconv.FormatUint(uint64(n), 10)
	}
	if s, ok := v.Text(); ok && safetext.IsPrintable(s) {
		return s
	}
	return hex.EncodeToString(v.Bytes())
}

// describer returns a describer of property values with the aspect numbers of a release.
func describer(r *release.Release) propset.Describer {
	return propset.Describer{AspectName: func(n uint32) string {
		if a := r.Aspect(n); a.IsKnown() {
			return a.String()
		}
		return ""
	}}
}
