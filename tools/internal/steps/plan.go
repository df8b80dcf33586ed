package steps

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	"github.com/rules-sycl/rules_sycl/tools/internal/devices"
)

// A plan is the decision for each target and row.
type plan struct {
	Targets      []string   `json:"targets"`       // --targets
	FixedTargets []string   `json:"fixed-targets"` // --fixed-targets
	Rows         []planRow  `json:"rows"`          // of all tables, in order
	Decisions    []decision `json:"decisions"`     // by target
}

// A planRow is one row of a table.
type planRow struct {
	Table   string   `json:"table"`
	Row     int      `json:"row"` // in its table, from 0
	Code    string   `json:"code,omitempty"`
	Kernels []string `json:"kernels,omitempty"`
}

// A decision is what one target gets.
type decision struct {
	Target   string `json:"target"`
	Selected bool   `json:"selected"`      // false: cut by the two lists of targets
	Why      string `json:"why,omitempty"` // it is cut
	Kept     int    `json:"kept"`          // number of rows
	// Rows that need the same stand together, so that the plan of a large program
	// does not repeat their reasons.
	Groups []planGroup `json:"groups"`
}

type planGroup struct {
	Rows    json.RawMessage `json:"rows"` // places in the list of rows
	Kept    bool            `json:"kept"`
	Reasons []planReason    `json:"reasons,omitempty"`
}

type planReason struct {
	Rule      compat.Rule `json:"rule"`
	Required  string      `json:"required"`
	Available string      `json:"available,omitempty"`
	Property  string      `json:"property"`
	Text      string      `json:"text"`
}

func (f *Filter) writePlan(env *cli.Env, inputs []*needyTable) error {
	p := plan{Targets: orEmpty(f.Targets.Values), FixedTargets: orEmpty(f.Fixed.Values), Rows: []planRow{}}
	var rows []rowNeeds
	var describe []string
	for _, in := range inputs {
		for i, m := range in.rows {
			p.Rows = append(p.Rows, planRow{in.name, i, in.code(i), m.kernels})
			if f.RequireTaken {
				describe = append(describe, in.name+": "+in.describe(i))
			}
		}
		rows = append(rows, in.rows...)
	}
	checker := compat.New(f.config)
	targets, err := devices.FindAll(f.config, f.planTargets())
	if err != nil {
		return err
	}
	groups := compat.GroupRows(needs(rows))
	texts := make([]json.RawMessage, len(groups)) // the same for each target
	for i, g := range groups {
		texts[i] = marshal(g.Rows)
	}
	taken := make([]bool, len(groups))
	refused := make([][]string, len(groups))
	if err := env.Output(f.Output, func(w io.Writer) error {
		return p.write(w, len(targets), func(n int) decision {
			d := f.decide(checker, targets[n], groups)
			for i := range d.Groups {
				d.Groups[i].Rows = texts[i]
				taken[i] = taken[i] || d.Groups[i].Kept
				if f.RequireTaken && !d.Groups[i].Kept {
					refused[i] = append(refused[i], refusal(d, d.Groups[i]))
				}
			}
			return d
		})
	}); err != nil || !f.RequireTaken {
		return err
	}
	for i, ok := range taken {
		if !ok {
			return cli.No(fmt.Errorf("no target takes %s:\n  %s", describe[groups[i].Rows[0]], strings.Join(refused[i], "\n  ")))
		}
	}
	return nil
}

// planTargets returns the targets to decide on: those of --targets and the
// fixed targets that are not among them, else all.
func (f *Filter) planTargets() []string {
	targets := f.Targets.Values
	for _, name := range f.Fixed.Values {
		if ok, _ := compat.Selected(name, targets, nil); !ok || len(f.Targets.Values) == 0 {
			targets = append(targets[:len(targets):len(targets)], name)
		}
	}
	if len(targets) == 0 {
		for _, d := range f.config.Devices() {
			targets = append(targets, d.Name)
		}
	}
	return targets
}

func (f *Filter) decide(checker *compat.Checker, d *deviceconfig.Device, groups []compat.Group) decision {
	out := decision{Target: d.Name, Groups: []planGroup{}}
	out.Selected, out.Why = compat.Selected(d.Name, f.Targets.Values, f.Fixed.Values)
	for i, dec := range checker.Decide(groups, d) {
		g := planGroup{Kept: out.Selected && dec.Kept}
		if g.Kept {
			out.Kept += len(groups[i].Rows)
		}
		for _, r := range dec.Reasons {
			g.Reasons = append(g.Reasons, planReason{r.Rule, r.Required, r.Available, r.Property, r.Text})
		}
		out.Groups = append(out.Groups, g)
	}
	return out
}

// refusal says in one line why a target does not take a group.
func refusal(d decision, g planGroup) string {
	reasons := []string{d.Why}
	if d.Selected {
		reasons = nil
		for _, r := range g.Reasons {
			reasons = append(reasons, safetext.Escape(r.Text))
		}
	}
	return d.Target + ": " + strings.Join(reasons, "; ")
}

// write writes the plan with n decisions, one at a time: together they can be
// large. The lists of rows are the largest part and the same in each; they go out
// as they are, where encoding/json would look at them again.
func (p *plan) write(w io.Writer, n int, decide func(int) decision) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "{\n\"targets\": %s,\n\"fixed-targets\": %s,\n\"rows\": [", marshal(p.Targets), marshal(p.FixedTargets))
	for i, row := range p.Rows {
		fmt.Fprintf(b, "%s\n%s", comma(i), marshal(row))
	}
	b.WriteString("\n],\n\"decisions\": [")
	for i := range n {
		d := decide(i)
		groups := d.Groups
		d.Groups = []planGroup{}
		head, ok := bytes.CutSuffix(marshal(d), []byte("]}"))
		if !ok {
			panic("the groups are not the last member of a decision")
		}
		fmt.Fprintf(b, "%s\n%s", comma(i), head)
		for n, g := range groups {
			rest := marshal(struct {
				Kept    bool         `json:"kept"`
				Reasons []planReason `json:"reasons,omitempty"`
			}{g.Kept, g.Reasons})
			fmt.Fprintf(b, "%s{\"rows\":%s,%s", comma(n), g.Rows, rest[len("{"):])
		}
		b.WriteString("]}")
	}
	b.WriteString("\n]\n}\n")
	return b.Flush()
}

func comma(i int) string {
	if i == 0 {
		return ""
	}
	return ","
}

// marshal is for values that JSON can always hold.
func marshal(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
