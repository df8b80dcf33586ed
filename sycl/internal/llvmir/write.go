package llvmir

import (
	"bufio"
	"io"
	"strings"
	"sync"
)

// WriteTo writes the module. An unedited module is written byte for byte as it was read. An edited
// module is written without uselistorder directives and its summary, because these describe the
// original text.
func (m *Module) WriteTo(out io.Writer) (int64, error) {
	w := newWriter(out)
	if !m.edited {
		w.put(m.sources[0])
		return w.flush()
	}
	for i := range m.items {
		it := &m.items[i]
		if it.gone || it.kind == itemOrder || it.kind == itemSummary {
			continue
		}
		w.item(m, uint32(i), m.text(uint32(i)))
		if it.kind == itemFunction {
			w.put(m.all[it.index].(*Function).plainBody())
		}
	}
	if len(m.sources[0]) > 0 {
		w.put(m.sources[0][m.tail:])
	}
	if w.last != '\n' {
		w.put("\n")
	}
	return w.flush()
}

// A writer writes pieces of text and tracks line ends.
type writer struct {
	b    *bufio.Writer
	n    int64
	last byte
	err  error
}

// buffers holds buffers for writers to reuse, because a module may be split into many modules.
var buffers = sync.Pool{New: func() any { return bufio.NewWriterSize(nil, 64<<10) }}

func newWriter(w io.Writer) *writer {
	b := buffers.Get().(*bufio.Writer)
	b.Reset(w)
	return &writer{b: b, last: '\n'}
}

func (w *writer) put(s string) {
	if s == "" || w.err != nil {
		return
	}
	n, err := w.b.WriteString(s)
	w.n += int64(n)
	w.err = err
	w.last = s[len(s)-1]
}

func (w *writer) flush() (int64, error) {
	if w.err == nil {
		w.err = w.b.Flush()
	}
	w.b.Reset(nil)
	buffers.Put(w.b)
	w.b = nil
	return w.n, w.err
}

// item writes the white space and comments before an item, and then its text.
func (w *writer) item(m *Module, i uint32, text string) {
	it := &m.items[i]
	lead := m.sources[it.src][it.lead:it.start]
	if w.last != '\n' && strings.IndexByte(lead, '\n') < 0 {
		w.put("\n")
	}
	if w.n == 0 && i > 0 {
		lead = strings.TrimLeft(lead, "\r\n")
	}
	w.put(lead)
	w.put(text)
}
