package gate

import (
	"fmt"
	"maps"
	"slices"
)

// Weakened says in which ways a policy asks for less than an older one.
func Weakened(old, now *Policy) []string {
	w := weakening{old: old, now: now}
	w.devices()
	w.thresholds()
	w.rules()
	w.families()
	w.exceptions()
	w.when(now.MaxAllow > old.MaxAllow || now.MaxBaseline > old.MaxBaseline || now.NeverEnds && !old.NeverEnds, "the limits are wider")
	return w.list
}

// weakening compares two policies.
type weakening struct {
	old, now *Policy
	list     []string
}

// when adds a sentence to the list if the policy asks for less.
func (w *weakening) when(less bool, format string, args ...any) {
	if less {
		w.list = append(w.list, fmt.Sprintf(format, args...))
	}
}

func (w *weakening) devices() {
	in := func(pattern string, list []string) bool {
		return slices.Contains(list, pattern) || slices.Contains(list, "*")
	}
	for _, d := range w.old.Required {
		w.when(!in(d, w.now.Required), "devices %s are no longer required", d)
	}
	for _, d := range w.old.Supported {
		w.when(!in(d, w.now.Supported) && !slices.Contains(w.now.Required, d), "devices %s are no longer supported", d)
	}
}

func (w *weakening) thresholds() {
	old, now := w.old, w.now
	modes := []FailOn{FailOnNone, FailOnNew, FailOnAny} // each asks for more than the one before
	w.when(slices.Index(modes, now.FailOn) < slices.Index(modes, old.FailOn), "fail-on is %s, not %s", now.FailOn, old.FailOn)
	w.when(now.FailOnSeverity > old.FailOnSeverity, "fail-on-severity is %v, not %v", now.FailOnSeverity, old.FailOnSeverity)
	w.when(now.Undetermined < old.Undetermined, "undetermined is %v, not %v", now.Undetermined, old.Undetermined)
	w.when(old.FailOnEmpty && !now.FailOnEmpty, "fail-on-empty is off")
	w.when(old.FailOnStale && !now.FailOnStale, "fail-on-stale is off")
}

func (w *weakening) rules() {
	either := maps.Clone(w.old.Rules)
	if either == nil {
		either = map[RuleID]Severity{}
	}
	maps.Copy(either, w.now.Rules)
	for _, id := range slices.Sorted(maps.Keys(either)) {
		old, now := w.old.level(id), w.now.level(id)
		w.when(now < old, "the rule %s is %v, not %v", id, now, old)
	}
}

func (w *weakening) families() {
	for _, f := range w.now.Families {
		same := func(o Family) bool { return o.Name == f.Name && slices.Equal(o.Kernels, f.Kernels) }
		w.when(!slices.ContainsFunc(w.old.Families, same), "the family %s is new or has other kernels", f.Name)
	}
}

func (w *weakening) exceptions() {
	for i := range w.now.Allow {
		x := &w.now.Allow[i]
		at := slices.IndexFunc(w.old.Allow, func(o Exception) bool {
			return o.Rule == x.Rule && slices.Equal(o.Kernels, x.Kernels) && slices.Equal(o.Devices, x.Devices) && slices.Equal(o.Targets, x.Targets) && o.Detail == x.Detail
		})
		if at < 0 {
			w.when(true, "%s is new", x.name())
			continue
		}
		end := w.old.Allow[at].Expires
		w.when(end != "" && (x.Expires == "" || x.Expires > end), "%s ends later", x.name())
	}
}
