package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"
)

// Encode writes the report as JSON, indented by two spaces, with a final line break.
//
// The output is that of encoding/json, in a fifth of the time. A large report is nearly
// all cells, and cells repeat each other. So what they share is encoded once.
func (r *Report) Encode(w io.Writer) error {
	b := bufio.NewWriterSize(w, 64<<10)
	rest := *r
	rest.Cells = Cells{}
	var head bytes.Buffer
	e := json.NewEncoder(&head)
	e.SetIndent("", "  ")
	if err := e.Encode(&rest); err != nil {
		return err
	}
	before, after, ok := bytes.Cut(head.Bytes(), []byte("[]"))
	if !ok || r.Cells.Len() == 0 {
		b.Write(head.Bytes())
		return b.Flush()
	}
	b.Write(before)
	b.WriteString("[")
	c := cellEncoder{w: b, cells: &r.Cells, outcomes: make([]encodedOutcome, r.Cells.Outcomes())}
	for i := range r.Cells.Len() {
		if i > 0 {
			b.WriteString(",")
		}
		c.encode(i)
	}
	b.WriteString("\n  ]")
	b.Write(after)
	return b.Flush()
}

// A cellEncoder encodes cells. What cells of one outcome share is encoded once.
type cellEncoder struct {
	w        *bufio.Writer
	cells    *Cells
	outcomes []encodedOutcome
	devices  [][]byte
	kernel   []byte // the last one
	last     uint32 // its index
}

// An encodedOutcome is the part of a cell between device and image, the reasons, and the
// rest. Reasons with the name of the kernel are not kept.
type encodedOutcome struct{ holds, reasons, rest []byte }

func (e *cellEncoder) encode(i int) {
	stored, at := e.cells.list[i], e.cells.position(i)
	o := &e.outcomes[stored.outcome]
	if o.rest == nil {
		outcome := &e.cells.outcomes[stored.outcome]
		o.holds = slices.Concat([]byte(",\n      \"holds\": "), quote(string(outcome.Code)))
		o.rest = slices.Concat([]byte(",\n      \"scope\": "), quote(string(outcome.Scope)),
			[]byte(",\n      \"status\": "), quote(outcome.Verdict.String()), []byte("\n    }"))
	}
	if e.kernel == nil || e.last != at.kernel {
		e.kernel, e.last = quote(e.cells.kernels[at.kernel]), at.kernel
	}
	e.w.WriteString("\n    {\n      \"device\": ")
	e.w.Write(quoted(&e.devices, e.cells.devices, at.device))
	e.w.Write(o.holds)
	if stored.image > 0 {
		e.w.WriteString(",\n      \"image\": ")
		e.w.Write(quote(e.cells.images[stored.image-1]))
	}
	e.w.WriteString(",\n      \"kernel\": ")
	e.w.Write(e.kernel)
	if len(e.cells.outcomes[stored.outcome].Reasons) > 0 {
		e.w.WriteString(",\n      \"reasons\": ")
		e.w.Write(e.reasons(i, o))
	}
	e.w.Write(o.rest)
}

// reasons encodes the reasons of a cell.
func (e *cellEncoder) reasons(i int, o *encodedOutcome) []byte {
	if o.reasons != nil {
		return o.reasons
	}
	encoded, _ := json.MarshalIndent(e.cells.At(i).Reasons, "      ", "  ") // cannot fail for text
	if e.cells.outcomes[e.cells.Outcome(i)].reason < 0 {
		o.reasons = encoded
	}
	return encoded
}

// quoted encodes a text of a list, unless it was encoded before.
func quoted(done *[][]byte, list []string, i uint32) []byte {
	for len(*done) <= int(i) {
		*done = append(*done, quote(list[len(*done)]))
	}
	return (*done)[i]
}

// quote encodes a text.
func quote(text string) []byte {
	if !strings.ContainsFunc(text, func(r rune) bool {
		return r < ' ' || r > '~' || r == '"' || r == '\\' || r == '<' || r == '>' || r == '&'
	}) {
		return append(append(append(make([]byte, 0, len(text)+2), '"'), text...), '"')
	}
	encoded, _ := json.Marshal(text) // cannot fail for text
	return encoded
}
