package render

import (
	"encoding/binary"
	"fmt"
	"path"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/gate"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
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
	at                            string // where, as far as that matters
	single                        string // fingerprint of a finding that is about no kernel
}

// groupsOf returns the groups of findings, in the order of their first ones.
func groupsOf(list []*gate.Finding) []group {
	return groupsBy(list, func(*gate.Finding) string { return "" })
}

// groupsByLine returns groups of findings at the same line of a source; one of each other.
// The line of a target in its BUILD file is no cause that kernels share.
func groupsByLine(list []*gate.Finding) []group {
	return groupsBy(list, func(f *gate.Finding) string {
		if name := path.Base(f.Path); f.Line > 0 && name != "BUILD" && name != "BUILD.bazel" {
			return place(f)
		}
		return f.Fingerprint
	})
}

func groupsBy(list []*gate.Finding, at func(*gate.Finding) string) []group {
	return grouped(list, func(f *gate.Finding) groupKey {
		key := groupKey{rule: f.Rule, cause: f.Cause, required: f.Required, text: f.Text, fate: plainWords.disposition(f), devices: deviceKey(f),
			severity: f.Severity, fails: f.Fails, image: f.Image, at: at(f)}
		if f.Kernel == "" {
			key.single = f.Fingerprint
		}
		return key
	})
}

// grouped returns the findings with equal keys together, in the order of the first ones.
func grouped[K comparable](list []*gate.Finding, key func(*gate.Finding) K) (groups []group) {
	index := map[K]int{}
	for _, f := range list {
		k := key(f)
		n, ok := index[k]
		if !ok {
			n = len(groups)
			index[k] = n
			groups = append(groups, nil)
		}
		groups[n] = append(groups[n], f)
	}
	return groups
}

// A Cause is what findings at one place have in common: what one edit there may solve.
type Cause struct {
	First   *gate.Finding
	Message string // says what they are, as [Message] does
}

// Causes returns the causes of findings, in the order of their first ones. A line that many
// kernels get to is one cause, also where their devices differ.
func Causes(list []*gate.Finding) (causes []Cause) {
	type key struct {
		rule, cause                    gate.RuleID
		required, path, target, single string
		line, column                   int
	}
	findings := grouped(list, func(f *gate.Finding) key {
		k := key{rule: f.Rule, cause: f.Cause, required: f.Required, path: f.Path, line: f.Line, column: f.Column}
		if f.Line == 0 {
			k.target = f.Target // without a line, a file may have many causes
		}
		if f.Kernel == "" {
			k.single = f.Fingerprint
		}
		return k
	})
	for _, g := range findings {
		const most = 3
		var messages []string
		groups := groupsOf(g)
		for _, part := range groups[:min(len(groups), most)] {
			messages = append(messages, plainWords.short(part).sentence(part))
		}
		text := strings.Join(messages, "; ")
		left := 0
		for _, part := range groups[len(messages):] {
			left += len(part)
		}
		if left > 0 {
			text += fmt.Sprintf("; and %d more %s", left, safetext.Plural(left, "kernel", "kernels"))
		}
		causes = append(causes, Cause{g[0], text})
	}
	return causes
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
