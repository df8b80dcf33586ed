package compat

import (
	"slices"

	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
)

// A Group is rows of a file table that need the same, so that one decision
// serves them all.
type Group struct {
	Requirements *requirement.Requirements
	Rows         []int // counted from 0, ascending
}

// GroupRows groups rows by what they need, in the order in which each need
// first occurs. A row whose requirements are nil needs nothing.
func GroupRows(rows []*requirement.Requirements) []Group {
	var groups []Group
	byPointer := map[*requirement.Requirements]int{}
	byContent := map[string]int{}
	for row, q := range rows {
		g, ok := byPointer[q]
		if !ok {
			if q == nil {
				q = new(requirement.Requirements)
			}
			key := q.Key()
			if g, ok = byContent[key]; !ok {
				g = len(groups)
				groups = append(groups, Group{Requirements: q})
				byContent[key] = g
			}
			byPointer[rows[row]] = g
		}
		groups[g].Rows = append(groups[g].Rows, row)
	}
	return groups
}

// A Decision is what the aspect filter does with the rows of a group.
type Decision struct {
	Kept    bool
	Reasons []Reason // why not
}

// Decide returns the decision on each group for a target.
func (c *Checker) Decide(groups []Group, d *deviceconfig.Device) []Decision {
	list := make([]Decision, len(groups))
	for i, g := range groups {
		list[i].Kept, list[i].Reasons = c.Keeps(g.Requirements, d)
	}
	return list
}

// Selected reports whether a program is compiled ahead of time for a target,
// given the lists of -fsycl-targets and -fsycl-fixed-targets: the target must be
// in each of the lists that is not empty. If it is not, why says so.
func Selected(target string, targets, fixed []string) (ok bool, why string) {
	is := func(name string) bool {
		return deviceconfig.Canonical(name) == deviceconfig.Canonical(target)
	}
	switch inTargets, inFixed := slices.ContainsFunc(targets, is), slices.ContainsFunc(fixed, is); {
	case len(targets) > 0 && !inTargets && len(fixed) > 0 && !inFixed:
		return false, "neither among the targets nor among the fixed targets"
	case len(targets) > 0 && !inTargets:
		return false, "not among the targets"
	case len(fixed) > 0 && !inFixed:
		return false, "not among the fixed targets"
	}
	return true, ""
}
