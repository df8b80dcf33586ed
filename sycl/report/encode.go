package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"iter"
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
	rest.Cells, rest.Images, rest.Kernels = Cells{}, Images{}, Kernels{}
	head, err := json.MarshalIndent(&rest, "", "  ")
	if err != nil {
		return err
	}
	// Each of the large lists is empty in what was encoded, and is put into its place.
	for _, list := range []struct {
		name   string
		encode func(*bufio.Writer) error
	}{{"cells", r.encodeCells}, {"images", r.encodeImages}, {"kernels", r.encodeKernels}} {
		before, after, _ := bytes.Cut(head, []byte("\n  \""+list.name+"\": []"))
		b.Write(before)
		b.WriteString("\n  \"" + list.name + "\": ")
		if err := list.encode(b); err != nil {
			return err
		}
		head = after
	}
	b.Write(head)
	b.WriteByte('\n')
	return b.Flush()
}

func (r *Report) encodeImages(b *bufio.Writer) error { return encodeList(b, r.Images.All()) }

func (r *Report) encodeKernels(b *bufio.Writer) error { return encodeList(b, r.Kernels.All()) }

// encodeList encodes a list of the report, element by element.
func encodeList[T any](b *bufio.Writer, list iter.Seq2[int, *T]) error {
	var element bytes.Buffer
	e := json.NewEncoder(&element)
	e.SetIndent("    ", "  ")
	b.WriteByte('[')
	isEmpty := true
	for i, v := range list {
		element.Reset()
		if err := e.Encode(v); err != nil {
			return err
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n    ")
		b.Write(bytes.TrimSuffix(element.Bytes(), []byte("\n")))
		isEmpty = false
	}
	if !isEmpty {
		b.WriteString("\n  ")
	}
	b.WriteByte(']')
	return nil
}

func (r *Report) encodeCells(b *bufio.Writer) error {
	if r.Cells.Len() == 0 {
		b.WriteString("[]")
		return nil
	}
	b.WriteString("[")
	c := cellEncoder{w: b, cells: &r.Cells, outcomes: make([]encodedOutcome, r.Cells.Outcomes())}
	for i := range r.Cells.Len() {
		if i > 0 {
			b.WriteString(",")
		}
		c.encode(i)
	}
	b.WriteString("\n  ]")
	return nil
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
	stored, at := e.cells.stored(i), e.cells.position(i)
	o := &e.outcomes[stored.outcome]
	if o.rest == nil {
		outcome := &e.cells.outcomes[stored.outcome]
		o.holds = slices.Concat([]byte(",\n      \"holds\": "), quote(string(outcome.Code)))
		o.rest = slices.Concat([]byte(",\n      \"scope\": "), quote(string(outcome.Scope)),
			[]byte(",\n      \"status\": "), quote(outcome.Verdict.String()), []byte("\n    }"))
	}
	if e.kernel == nil || e.last != at.kernel {
		e.kernel, e.last = quote(e.cells.kernelID(int(at.kernel))), at.kernel
	}
	e.w.WriteString("\n    {\n      \"device\": ")
	e.w.Write(quoted(&e.devices, e.cells.devices, at.device))
	e.w.Write(o.holds)
	if stored.image > 0 {
		e.w.WriteString(",\n      \"image\": ")
		e.w.Write(quote(e.cells.texts.at(stored.image)))
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
