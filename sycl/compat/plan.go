package compat

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
)

// A Plan decides which rows of file tables each target of a program gets.
type Plan struct {
	checker *Checker
	lists   targetLists
	rows    []PlanRow
	groups  []group
}

// targetLists holds the targets of -fsycl-targets and -fsycl-fixed-targets. An empty list matches
// any target.
type targetLists struct {
	Targets      []string `json:"targets"`
	FixedTargets []string `json:"fixed-targets"`
}

// A PlanRow is one row of a file table.
type PlanRow struct {
	Table   string   `json:"table"`
	Row     int      `json:"row"` // in its table, from 0
	Code    string   `json:"code,omitempty"`
	Kernels []string `json:"kernels,omitempty"`

	Needs *requirement.Requirements `json:"-"` // nil if the row requires nothing
}

// NewPlan returns the plan for rows of a program with these targets and fixed targets.
func NewPlan(config *deviceconfig.Config, targets, fixed []string, rows []PlanRow) *Plan {
	lists := targetLists{append([]string{}, targets...), append([]string{}, fixed...)} // [] in JSON, not null
	return &Plan{New(config), lists, rows, groupRows(rows)}
}

// Dropped returns, for each row, the reasons why a target does not get it, or nil if it does.
// target is any name of d, and options are the options for its compiler.
func (p *Plan) Dropped(target string, d *deviceconfig.Device, options []string) [][]string {
	large := slices.ContainsFunc(strings.Fields(strings.Join(options, " ")), requirement.IsLargeRegisterOption)
	dropped := make([][]string, len(p.rows))
	isSelected, why := p.lists.selected(target)
	for _, g := range p.groups {
		var reasons []string
		if !isSelected {
			reasons = []string{fmt.Sprintf("The target %s is %s (targets: %s; fixed targets: %s)", target, why, anyOf(p.lists.Targets), anyOf(p.lists.FixedTargets))}
		} else if kept, list := p.checker.Supports(withRegisters(g.needs, large), d); !kept {
			for _, r := range list {
				reasons = append(reasons, r.Text)
			}
		}
		for _, row := range g.rows {
			dropped[row] = reasons
		}
	}
	return dropped
}

// withRegisters returns requirements of code that is compiled with the large register file if large
// is true.
func withRegisters(q *requirement.Requirements, large bool) *requirement.Requirements {
	if !large || q.ParameterRegisters == 0 {
		return q
	}
	changed := *q
	changed.RegisterOption = requirement.LargeRegisterFile
	return &changed
}

func anyOf(targets []string) string {
	if len(targets) == 0 {
		return "any"
	}
	return strings.Join(targets, ", ")
}

// Devices returns the devices to decide on: the known targets, then the known fixed targets that
// are not among them. If both lists are empty, it returns all devices.
func (p *Plan) Devices() []*deviceconfig.Device {
	names := slices.Clone(p.lists.Targets)
	for _, name := range p.lists.FixedTargets {
		if len(p.lists.Targets) == 0 || !contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return p.checker.config.Devices()
	}
	var devices []*deviceconfig.Device
	for _, name := range names {
		if d, ok := p.checker.config.Lookup(name); ok {
			devices = append(devices, d)
		}
	}
	return devices
}

// A decision lists the rows that one target gets.
type decision struct {
	Target   string `json:"target"`
	Selected bool   `json:"selected"`      // false if one of the two lists lacks it
	Why      string `json:"why,omitempty"` // why it is not selected
	Kept     int    `json:"kept"`          // number of rows
	// Rows with the same requirements form one group, so their reasons are listed once.
	Groups []groupDecision `json:"groups"`
}

type groupDecision struct {
	Rows    []int        `json:"rows"` // indexes of rows of the plan
	Kept    bool         `json:"kept"`
	Reasons []planReason `json:"reasons,omitempty"`
}

type planReason struct {
	Rule      Rule   `json:"rule"`
	Required  string `json:"required"`
	Available string `json:"available,omitempty"`
	Property  string `json:"property"`
	Text      string `json:"text"`
}

func (p *Plan) decide(d *deviceconfig.Device) decision {
	out := decision{Target: d.Name, Groups: make([]groupDecision, len(p.groups))}
	out.Selected, out.Why = p.lists.selected(d.Name)
	for i, g := range p.groups {
		kept, reasons := p.checker.Supports(g.needs, d)
		kept = kept && out.Selected
		if kept {
			out.Kept += len(g.rows)
		}
		out.Groups[i] = groupDecision{Rows: g.rows, Kept: kept}
		for _, r := range reasons {
			out.Groups[i].Reasons = append(out.Groups[i].Reasons, planReason{r.Rule, r.Required, r.Available, r.Property, r.Text})
		}
	}
	return out
}

// FirstUnusedRow returns the first row that no device accepts, and each device's reasons. If every
// row is accepted, ok is false.
func (p *Plan) FirstUnusedRow(devices []*deviceconfig.Device) (row int, why []string, ok bool) {
	decisions := make([]decision, len(devices))
	for i, d := range devices {
		decisions[i] = p.decide(d)
	}
	for i, g := range p.groups {
		if slices.ContainsFunc(decisions, func(d decision) bool { return d.Groups[i].Kept }) {
			continue
		}
		for _, d := range decisions {
			reasons := []string{d.Why}
			if d.Selected {
				reasons = nil
				for _, r := range d.Groups[i].Reasons {
					reasons = append(reasons, r.Text)
				}
			}
			why = append(why, d.Target+": "+strings.Join(reasons, "; "))
		}
		return g.rows[0], why, true
	}
	return 0, nil, false
}

// Encode writes the decisions on devices as JSON. It keeps only one decision in memory at a time
// because together they can be large.
func (p *Plan) Encode(w io.Writer, devices []*deviceconfig.Device) error {
	e := &planEncoder{Writer: bufio.NewWriter(w)}
	e.WriteString("{\n\"targets\": ")
	e.Write(e.marshal(p.lists.Targets))
	e.WriteString(",\n\"fixed-targets\": ")
	e.Write(e.marshal(p.lists.FixedTargets))
	e.WriteString(",\n\"rows\": [")
	for i, row := range p.rows {
		e.element(i, row)
	}
	e.WriteString("\n],\n\"decisions\": [")
	for i, d := range devices {
		e.element(i, p.decide(d))
	}
	e.WriteString("\n]\n}\n")
	return cmp.Or(e.err, e.Flush())
}

// A planEncoder writes JSON and keeps the first error.
type planEncoder struct {
	*bufio.Writer
	err error
}

func (e *planEncoder) marshal(v any) []byte {
	b, err := json.Marshal(v)
	e.err = cmp.Or(e.err, err)
	return b
}

// element writes an element of a list on a separate line.
func (e *planEncoder) element(i int, v any) {
	if i > 0 {
		e.WriteByte(',')
	}
	e.WriteByte('\n')
	e.Write(e.marshal(v))
}

// A group holds rows of file tables that have the same requirements and therefore share a
// decision.
type group struct {
	needs *requirement.Requirements
	rows  []int // counted from 0, ascending
}

// groupRows groups rows with the same requirements, in the order of their first rows.
func groupRows(rows []PlanRow) []group {
	var groups []group
	byPointer := map[*requirement.Requirements]int{}
	byContent := map[string]int{}
	for i, row := range rows {
		q := row.Needs
		g, ok := byPointer[q]
		if !ok {
			if q == nil {
				q = new(requirement.Requirements)
			}
			key := q.Key()
			if g, ok = byContent[key]; !ok {
				g = len(groups)
				groups = append(groups, group{needs: q})
				byContent[key] = g
			}
			byPointer[row.Needs] = g
		}
		groups[g].rows = append(groups[g].rows, i)
	}
	return groups
}

// selected reports whether a target is in every nonempty list. If not, why states which list lacks
// it.
func (l *targetLists) selected(target string) (ok bool, why string) {
	inTargets := len(l.Targets) == 0 || contains(l.Targets, target)
	inFixed := len(l.FixedTargets) == 0 || contains(l.FixedTargets, target)
	switch {
	case !inTargets && !inFixed:
		return false, "neither among the targets nor among the fixed targets"
	case !inTargets:
		return false, "not among the targets"
	case !inFixed:
		return false, "not among the fixed targets"
	}
	return true, ""
}

// contains reports whether a list contains any name of a target.
func contains(targets []string, target string) bool {
	return slices.ContainsFunc(targets, func(name string) bool {
		return deviceconfig.Canonical(name) == deviceconfig.Canonical(target)
	})
}
