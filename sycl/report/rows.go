package report

import "encoding/binary"

// A table assigns numbers to distinct outcomes and rows of a report.
type table struct {
	*Report
	outcomes map[string]int32
	shared   map[sharedOutcome]int32
	rows     map[string]int32
	key      []byte
}

// A sharedOutcome identifies an outcome by the address of its reasons.
type sharedOutcome struct {
	reasons *Reason
	n       int
	code    Code
	scope   Scope
}

func newTable(r *Report) *table {
	r.Outcomes, r.Rows = []Outcome{}, [][]int32{}
	return &table{Report: r, outcomes: map[string]int32{}, shared: map[sharedOutcome]int32{}, rows: map[string]int32{}}
}

// outcome returns the number of an outcome. Its reasons must not be modified.
func (t *table) outcome(o *Outcome) int32 {
	shared := sharedOutcome{nil, len(o.Reasons), o.Code, o.Scope}
	if shared.n > 0 {
		shared.reasons = &o.Reasons[0]
	}
	if n, ok := t.shared[shared]; ok {
		return n
	}
	t.key = append(t.key[:0], byte(o.Status))
	t.texts(string(o.Code), string(o.Scope))
	for i := range o.Reasons {
		r := &o.Reasons[i]
		t.key = append(t.key, byte(r.Status))
		t.texts(r.Available, r.Property, r.Required, string(r.Rule), r.Text)
	}
	n, ok := t.outcomes[string(t.key)]
	if !ok {
		n = int32(len(t.Outcomes))
		t.outcomes[string(t.key)] = n
		t.Outcomes = append(t.Outcomes, *o)
	}
	t.shared[shared] = n
	return n
}

func (t *table) texts(list ...string) {
	for _, s := range list {
		t.key = append(binary.AppendUvarint(t.key, uint64(len(s))), s...)
	}
}

// row returns the number of a row.
func (t *table) row(outcomes []int32) int32 {
	t.key = t.key[:0]
	for _, n := range outcomes {
		t.key = binary.AppendUvarint(t.key, uint64(n))
	}
	n, ok := t.rows[string(t.key)]
	if !ok {
		n = int32(len(t.Rows))
		t.rows[string(t.key)] = n
		t.Rows = append(t.Rows, append([]int32{}, outcomes...))
	}
	return n
}
