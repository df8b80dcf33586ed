package gate

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Weakened says in which ways a policy asks for less than an older one.
func Weakened(old, now *Policy) []string {
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	for _, d := range old.Required {
		if !slices.Contains(now.Required, d) && !slices.Contains(now.Required, "*") {
			add("devices %s are not required any more", d)
		}
	}
	for _, d := range old.Supported {
		if !slices.Contains(now.Supported, d) && !slices.Contains(now.Required, d) && !slices.Contains(now.Supported, "*") {
			add("devices %s are not supported any more", d)
		}
	}
	rank := map[FailOn]int{FailOnNone: 0, FailOnNew: 1, FailOnAny: 2}
	if rank[now.FailOn] < rank[old.FailOn] {
		add("fail-on is %s, not %s", now.FailOn, old.FailOn)
	}
	if now.FailOnSeverity > old.FailOnSeverity {
		add("fail-on-severity is %v, not %v", now.FailOnSeverity, old.FailOnSeverity)
	}
	if now.Undetermined < old.Undetermined {
		add("undetermined is %v, not %v", now.Undetermined, old.Undetermined)
	}
	if old.FailOnEmpty && !now.FailOnEmpty {
		add("fail-on-empty is off")
	}
	if old.FailOnStale && !now.FailOnStale {
		add("fail-on-stale is off")
	}
	ids := map[RuleID]bool{}
	for _, p := range []*Policy{old, now} {
		for id := range p.Rules {
			ids[id] = true
		}
	}
	for _, id := range slices.Sorted(maps.Keys(ids)) {
		if now.level(id) < old.level(id) {
			add("the rule %s is %v, not %v", id, now.level(id), old.level(id))
		}
	}
	for _, f := range now.Families {
		if !slices.ContainsFunc(old.Families, func(o Family) bool { return o.Name == f.Name && slices.Equal(o.Kernels, f.Kernels) }) {
			add("the family %s is new or has other kernels", f.Name)
		}
	}
	for _, a := range now.Allow {
		same := func(o Allow) bool {
			return o.Rule == a.Rule && slices.Equal(o.Kernels, a.Kernels) && slices.Equal(o.Devices, a.Devices) && slices.Equal(o.Targets, a.Targets) && o.Detail == a.Detail
		}
		i := slices.IndexFunc(old.Allow, same)
		switch {
		case i < 0:
			add("the exception from %s for %s is new", a.Rule, strings.Join(a.Kernels, ", "))
		case old.Allow[i].Expires != "" && (a.Expires == "" || a.Expires > old.Allow[i].Expires):
			add("the exception from %s for %s ends later", a.Rule, strings.Join(a.Kernels, ", "))
		}
	}
	if now.MaxAllow > old.MaxAllow || now.MaxBaseline > old.MaxBaseline || now.NeverEnds && !old.NeverEnds {
		add("the limits are wider")
	}
	return out
}
