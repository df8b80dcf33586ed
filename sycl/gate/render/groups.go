package render

import (
	"encoding/binary"

	"github.com/rules-sycl/rules_sycl/sycl/gate"
)

// A group is findings that differ in nothing but the kernel and its place: one sentence
// is about all of them.
type group []*gate.Finding

// groupKey is what the findings of a group have in common.
type groupKey struct {
	rule, cause                   gate.RuleID
	required, text, fate, devices string
	severity                      gate.Severity
	fails, image                  bool
	single                        string // fingerprint of a finding that is about no kernel
}

// groupsOf returns the groups of findings, in the order of their first ones.
func groupsOf(list []*gate.Finding) []group {
	var groups []group
	index := map[groupKey]int{}
	for _, f := range list {
		key := groupKey{rule: f.Rule, cause: f.Cause, required: f.Required, text: f.Text, fate: plainWords.fate(f), devices: deviceKey(f),
			severity: f.Severity, fails: f.Fails, image: f.Image}
		if f.Kernel == "" {
			key.single = f.Fingerprint
		}
		at, ok := index[key]
		if !ok {
			at = len(groups)
			index[key] = at
			groups = append(groups, nil)
		}
		groups[at] = append(groups[at], f)
	}
	return groups
}

// deviceKey names the devices of a finding and what they have.
func deviceKey(f *gate.Finding) string {
	var key []byte
	for i := range f.Devices {
		for _, s := range [...]string{f.Devices[i].ID, f.Devices[i].Available} {
			key = append(binary.AppendUvarint(key, uint64(len(s))), s...)
		}
	}
	return string(key)
}

// places returns the places of a group, each once.
func (g group) places() (list []*gate.Finding) {
	seen := map[string]bool{}
	for _, f := range g {
		if p := place(f); p != "" && !seen[p] {
			seen[p] = true
			list = append(list, f)
		}
	}
	return list
}

// origin returns the function that makes all kernels of a group need what they need, ""
// when these are several or not known.
func (g group) origin() string {
	if len(g[0].Origins) == 0 {
		return ""
	}
	first := g[0].Origins[0]
	for _, f := range g {
		if len(f.Origins) == 0 || f.Origins[0] != first {
			return ""
		}
	}
	return first
}
