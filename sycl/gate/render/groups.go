package render

import (
	"encoding/binary"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/gate"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	"github.com/rules-sycl/rules_sycl/sycl/show"
)

// A group holds findings that differ only in the kernel and its location, so one sentence describes
// all of them.
type group []*gate.Finding

// A groupKey holds the fields that the findings of a group share.
type groupKey struct {
	rule, cause                          gate.RuleID
	required, text, disposition, devices string
	severity                             gate.Severity
	fails, image                         bool
	at                                   string // the location, if it matters
	single                               string // fingerprint of a finding without a kernel
}

// groupsOf groups findings, in the order of their first members.
func groupsOf(list []*gate.Finding) []group {
	return groupsBy(list, func(*gate.Finding) string { return "" })
}

// groupsByLine groups findings by source line. Every other finding is a separate group, because the
// line of a target in its BUILD file is not a cause that kernels share.
func groupsByLine(list []*gate.Finding) []group {
	return groupsBy(list, func(f *gate.Finding) string {
		if name := path.Base(f.Path); f.Line > 0 && name != "BUILD" && name != "BUILD.bazel" {
			return place(f)
		}
		return f.Fingerprint
	})
}

func groupsBy(list []*gate.Finding, at func(*gate.Finding) string) []group {
	return show.Group(group(list), func(f *gate.Finding) groupKey {
		key := groupKey{rule: f.Rule, cause: f.Cause, required: f.Required, text: f.Text, disposition: plainWords.disposition(f), devices: deviceKey(f),
			severity: f.Severity, fails: f.Fails, image: f.Image, at: at(f)}
		if f.Kernel == "" {
			key.single = f.Fingerprint
		}
		return key
	})
}

// A Cause groups findings at one location that one edit may fix.
type Cause struct {
	First   *gate.Finding
	Message string // describes the findings, as [Message] does
}

// Causes returns the causes of findings, in the order of their first findings. A line that many
// kernels reach is one cause, even if the findings are about different devices.
func Causes(list []*gate.Finding) (causes []Cause) {
	type key struct {
		rule, cause                    gate.RuleID
		required, path, target, single string
		line, column                   int
	}
	findings := show.Group(list, func(f *gate.Finding) key {
		k := key{rule: f.Rule, cause: f.Cause, required: f.Required, path: f.Path, line: f.Line, column: f.Column}
		if f.Line == 0 {
			k.target = f.Target // without a line, a file may have several causes
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

// deviceKey identifies the devices of a finding and what they have.
func deviceKey(f *gate.Finding) string {
	var key []byte
	for i := range f.Devices {
		for _, s := range [...]string{f.Devices[i].ID, f.Devices[i].Available} {
			key = append(binary.AppendUvarint(key, uint64(len(s))), s...)
		}
	}
	return string(key)
}

// places returns the distinct locations of a group.
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

// origin returns the function that causes the requirement of all kernels of a group, or "" if there
// are several functions or it is unknown.
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

// gpus returns a legend of the GPUs in groups.
func gpus(groups []group) string {
	var names []string
	for _, g := range groups {
		for _, d := range g[0].Devices {
			if !slices.Contains(names, d.ID) {
				names = append(names, d.ID)
			}
		}
	}
	slices.SortFunc(names, safetext.CompareNatural)
	return show.GPUs(names, safetext.CodeSpan)
}
