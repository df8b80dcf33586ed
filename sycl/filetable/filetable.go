// Package filetable reads and writes file tables, the text by which the steps
// that build device code tell each other which files they made:
//
//	[Code|Properties|Symbols]
//	kernels_0.bc|kernels_0.prop|kernels_0.sym
//	kernels_1.bc|kernels_1.prop|kernels_1.sym
//
// Each line is a row whose cells are divided by a separator, "|" unless said
// otherwise. The first line is a title in brackets with the names of the
// columns; without one they are named "0", "1" and so on. Cells may be empty and
// nothing can be quoted, so that no cell holds a separator or a line break.
// Blank lines do not count, and an empty file is an empty table.
//
// The format is that of DPC++, whose post-link step and file-table-tform tool
// write and read it.
package filetable

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Names of the columns that the post-link step writes, in its order.
const (
	Code       = "Code"       // a file with the code of a device image
	Properties = "Properties" // a file with its property sets
	Symbols    = "Symbols"    // a file with the names of its entry points, one a line
)

// DefaultSeparator divides the cells of a row.
const DefaultSeparator = '|'

// A Table is a file table in memory. Each row has as many cells as there are
// columns. The zero value is an empty table.
type Table struct {
	Columns  []string
	Rows     [][]string
	Untitled bool // the columns have numbers only: no title is written
}

// Read reads a table with the default separator. The name is used in errors.
func Read(name string, r io.Reader) (*Table, error) { return NewReader(name, r).ReadAll() }

// Write writes the table with the default separator.
func (t *Table) Write(w io.Writer) error {
	tw := NewWriter(w, t.Columns)
	tw.Untitled = t.Untitled
	for _, row := range t.Rows {
		if err := tw.Write(row); err != nil {
			return err
		}
	}
	return tw.Flush()
}

// Column returns the place of the column of that name, -1 when there is none.
func (t *Table) Column(name string) int { return slices.Index(t.Columns, name) }

// Cells returns a copy of the column of that name.
func (t *Table) Cells(name string) ([]string, error) {
	c, err := t.column(name)
	if err != nil {
		return nil, err
	}
	cells := make([]string, len(t.Rows))
	for i, row := range t.Rows {
		cells[i] = row[c]
	}
	return cells, nil
}

// Add adds a column after the others. It gives an empty table its rows.
func (t *Table) Add(name string, cells []string) error {
	if t.Column(name) >= 0 {
		return fmt.Errorf("the table already has a column %q", name)
	}
	if len(t.Columns) == 0 {
		t.Rows = make([][]string, len(cells))
	}
	if err := t.fits(name, cells); err != nil {
		return err
	}
	t.Columns = append(slices.Clip(t.Columns), name)
	for i, cell := range cells {
		t.Rows[i] = append(slices.Clip(t.Rows[i]), cell)
	}
	return nil
}

// Replace replaces the cells of a column.
func (t *Table) Replace(name string, cells []string) error {
	c, err := t.column(name)
	if err != nil {
		return err
	}
	if err := t.fits(name, cells); err != nil {
		return err
	}
	for i, cell := range cells {
		row := slices.Clone(t.Rows[i]) // rows may be shared with other tables
		row[c] = cell
		t.Rows[i] = row
	}
	return nil
}

// Rename gives a column another name.
func (t *Table) Rename(name, to string) error {
	c, err := t.column(name)
	if err != nil {
		return err
	}
	if other := t.Column(to); other >= 0 && other != c {
		return fmt.Errorf("column %q cannot become %q: the table already has a column of that name", name, to)
	}
	t.Columns = slices.Clone(t.Columns)
	t.Columns[c] = to
	t.Untitled = false // a name is nothing that an untitled table could keep
	return nil
}

// Extract returns a new table with the named columns in that order.
func (t *Table) Extract(names ...string) (*Table, error) {
	e := &Table{Columns: slices.Clone(names), Untitled: t.Untitled && slices.Equal(names, numbered(len(names)))}
	places := make([]int, len(names))
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return nil, fmt.Errorf("column %q is to be extracted twice", name)
		}
		c, err := t.column(name)
		if err != nil {
			return nil, err
		}
		places[i] = c
	}
	if len(names) == 0 {
		return e, nil
	}
	for _, row := range t.Rows {
		cells := make([]string, len(places))
		for i, c := range places {
			cells[i] = row[c]
		}
		e.Rows = append(e.Rows, cells)
	}
	return e, nil
}

// Merge adds the columns of o after those of t, row by row. Both must have as
// many rows, and no column in common.
func (t *Table) Merge(o *Table) error {
	for _, name := range o.Columns {
		if t.Column(name) >= 0 {
			return fmt.Errorf("both tables have a column %q: rename one of them", name)
		}
	}
	if len(t.Columns) > 0 && len(o.Columns) > 0 && len(t.Rows) != len(o.Rows) {
		return fmt.Errorf("the tables have %d and %d rows", len(t.Rows), len(o.Rows))
	}
	for _, name := range o.Columns {
		cells, err := o.Cells(name)
		if err == nil {
			err = t.Add(name, cells)
		}
		if err != nil {
			return err
		}
	}
	t.Untitled = t.Untitled && slices.Equal(t.Columns, numbered(len(t.Columns)))
	return nil
}

// Append adds the rows of o after those of t. Both must have the same columns;
// their order may differ.
func (t *Table) Append(o *Table) error {
	if len(t.Columns) == 0 {
		t.Columns, t.Untitled = slices.Clone(o.Columns), o.Untitled
	}
	e, err := o.Extract(t.Columns...)
	if err != nil {
		return err
	}
	if len(e.Columns) != len(o.Columns) {
		i := slices.IndexFunc(o.Columns, func(name string) bool { return t.Column(name) < 0 })
		return fmt.Errorf("the rows to append have a column %q, which the table does not have", o.Columns[i])
	}
	t.Rows = append(slices.Clip(t.Rows), e.Rows...)
	return nil
}

func (t *Table) column(name string) (int, error) {
	if c := t.Column(name); c >= 0 {
		return c, nil
	}
	if len(t.Columns) == 0 {
		return 0, fmt.Errorf("the table has no column %q: it is empty", name)
	}
	return 0, fmt.Errorf("the table has no column %q, only %s", name, strings.Join(t.Columns, ", "))
}

func (t *Table) fits(name string, cells []string) error {
	if len(cells) != len(t.Rows) {
		return fmt.Errorf("column %q has %d cells for %d rows", name, len(cells), len(t.Rows))
	}
	return nil
}

// numbered returns the column names of an untitled table.
func numbered(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = strconv.Itoa(i)
	}
	return names
}

// A SyntaxError is a fault of a file table, and its place.
type SyntaxError struct {
	File string // the name given to the Reader, may be ""
	Line int    // from 1
	Msg  string
}

func (e *SyntaxError) Error() string {
	if e.File == "" {
		return fmt.Sprintf("line %d: %s", e.Line, e.Msg)
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Msg)
}

// BadInput marks errors that are the fault of an input file.
func (*SyntaxError) BadInput() {}

// A Reader reads a table row by row.
type Reader struct {
	// Separator divides the cells. NewReader sets it to DefaultSeparator.
	Separator byte

	name     string
	r        *bufio.Reader
	line     int
	begun    bool
	columns  []string
	untitled bool
	first    []string // the first row of an untitled table, until Next returns it
	err      error    // sticky
}

// maxLine bounds the memory that a file without line breaks can take.
const maxLine = 1 << 20

// NewReader returns a Reader; the name is used in errors.
func NewReader(name string, r io.Reader) *Reader {
	return &Reader{Separator: DefaultSeparator, name: name, r: bufio.NewReader(r)}
}

// Columns returns the names of the columns, reading as far as needed. An empty
// file has none.
func (r *Reader) Columns() ([]string, error) {
	r.begin()
	if r.err != nil && r.err != io.EOF {
		return nil, r.err
	}
	return slices.Clone(r.columns), nil
}

// Untitled reports whether the file has no title, after Columns or Next.
func (r *Reader) Untitled() bool { return r.untitled }

// Next returns the next row, and io.EOF after the last one.
func (r *Reader) Next() ([]string, error) {
	r.begin()
	if row := r.first; row != nil {
		r.first = nil
		return row, nil
	}
	if r.err != nil {
		return nil, r.err
	}
	line, err := r.readLine()
	if err != nil {
		return nil, r.fail(err)
	}
	row := strings.Split(line, string(r.Separator))
	if len(row) != len(r.columns) {
		return nil, r.fail(r.errorf("the row has %s, but the table has %s", count(len(row), "cell"), count(len(r.columns), "column")))
	}
	return row, nil
}

// Line returns the number of the line read last, from 1.
func (r *Reader) Line() int { return r.line }

// ReadAll returns all of the table from here on.
func (r *Reader) ReadAll() (*Table, error) {
	columns, err := r.Columns()
	if err != nil {
		return nil, err
	}
	t := &Table{Columns: columns, Untitled: r.untitled}
	for {
		row, err := r.Next()
		if err == io.EOF {
			return t, nil
		}
		if err != nil {
			return nil, err
		}
		t.Rows = append(t.Rows, row)
	}
}

// begin reads the title, or the first row in its place.
func (r *Reader) begin() {
	if r.begun {
		return
	}
	r.begun = true
	line, err := r.readLine()
	if err != nil {
		r.fail(err)
		return
	}
	if line[0] != '[' {
		r.untitled = true
		r.first = strings.Split(line, string(r.Separator))
		r.columns = numbered(len(r.first))
		return
	}
	names, closed := strings.CutSuffix(line[1:], "]")
	if !closed {
		r.fail(r.errorf("the title %q does not end in a closing bracket", cut(line)))
		return
	}
	if names == "" {
		return
	}
	columns := strings.Split(names, string(r.Separator))
	seen := make(map[string]bool, len(columns))
	for i, name := range columns {
		if name == "" {
			r.fail(r.errorf("column %d of the title has no name", i+1))
			return
		}
		if seen[name] {
			r.fail(r.errorf("the title names column %q twice", cut(name)))
			return
		}
		seen[name] = true
	}
	r.columns = columns
}

// readLine returns the next line that is not blank, without its end.
func (r *Reader) readLine() (string, error) {
	for {
		var line []byte
		for {
			part, err := r.r.ReadSlice('\n')
			if len(line) == 0 && (err == nil || len(part) > 0) {
				r.line++
			}
			line = append(line, part...)
			if len(line) > maxLine {
				return "", r.errorf("the line is longer than %d bytes", maxLine)
			}
			if err == nil || err == io.EOF && len(line) > 0 {
				break
			}
			if !errors.Is(err, bufio.ErrBufferFull) {
				return "", err
			}
		}
		text := strings.TrimSuffix(strings.TrimSuffix(string(line), "\n"), "\r")
		if strings.ContainsRune(text, '\r') {
			return "", r.errorf("the line has a carriage return in it")
		}
		if text != "" {
			return text, nil
		}
	}
}

// fail makes err the answer of this and all later calls.
func (r *Reader) fail(err error) error {
	var syntax *SyntaxError
	if err != io.EOF && !errors.As(err, &syntax) {
		err = fmt.Errorf("%s: reading the file table: %w", r.name, err)
	}
	r.err = err
	return err
}

func (r *Reader) errorf(format string, args ...any) error {
	return &SyntaxError{r.name, r.line, fmt.Sprintf(format, args...)}
}

// A Writer writes a table row by row.
type Writer struct {
	// Separator divides the cells. NewWriter sets it to DefaultSeparator.
	Separator byte

	// Untitled leaves the title out.
	Untitled bool

	columns []string
	w       *bufio.Writer
	rows    int
	begun   bool
}

// NewWriter returns a Writer of a table with these columns. Both fields of the
// Writer may be changed before the first row.
func NewWriter(w io.Writer, columns []string) *Writer {
	return &Writer{Separator: DefaultSeparator, columns: slices.Clone(columns), w: bufio.NewWriter(w)}
}

// Write writes a row. A row that would be read as something else is an error,
// and nothing of it is written.
func (w *Writer) Write(row []string) error {
	if err := w.begin(); err != nil {
		return err
	}
	if len(row) != len(w.columns) {
		return w.rowErrorf("it has %s, but the table has %s", count(len(row), "cell"), count(len(w.columns), "column"))
	}
	for i, cell := range row {
		if what := w.fault(cell); what != "" {
			return w.rowErrorf("the cell %q of column %q has %s in it", cut(cell), w.columns[i], what)
		}
	}
	switch line := strings.Join(row, string(w.Separator)); {
	case line == "":
		return w.rowErrorf("an empty cell alone makes a blank line, which does not count as a row")
	case w.Untitled && w.rows == 0 && line[0] == '[':
		return w.rowErrorf("the cell %q begins the file like a title: write the table with a title", cut(row[0]))
	}
	w.rows++
	return w.line(row)
}

// Flush writes what is buffered, and the title of a table without rows.
func (w *Writer) Flush() error {
	if err := w.begin(); err != nil {
		return err
	}
	return w.w.Flush()
}

// begin writes the title once.
func (w *Writer) begin() error {
	if w.begun {
		return nil
	}
	if w.Untitled {
		if !slices.Equal(w.columns, numbered(len(w.columns))) {
			return fmt.Errorf("a table without title cannot keep the column names %s", strings.Join(w.columns, ", "))
		}
		w.begun = true
		return nil
	}
	for i, name := range w.columns {
		if name == "" {
			return fmt.Errorf("column %d has no name", i+1)
		}
		if what := w.fault(name); what != "" {
			return fmt.Errorf("the column name %q has %s in it", cut(name), what)
		}
		if slices.Contains(w.columns[:i], name) {
			return fmt.Errorf("two columns have the name %q", name)
		}
	}
	w.begun = true
	if len(w.columns) == 0 {
		return nil
	}
	w.w.WriteByte('[') // bufio.Writer keeps the error for Flush
	for i, name := range w.columns {
		if i > 0 {
			w.w.WriteByte(w.Separator)
		}
		w.w.WriteString(name)
	}
	_, err := w.w.WriteString("]\n")
	return err
}

func (w *Writer) line(row []string) error {
	for i, cell := range row {
		if i > 0 {
			w.w.WriteByte(w.Separator)
		}
		w.w.WriteString(cell)
	}
	return w.w.WriteByte('\n')
}

// fault says what in a cell has no place there, "" when nothing has.
func (w *Writer) fault(cell string) string {
	switch {
	case strings.IndexByte(cell, w.Separator) >= 0:
		return fmt.Sprintf("the separator %q", w.Separator)
	case strings.ContainsAny(cell, "\n\r"):
		return "a line break"
	}
	return ""
}

func (w *Writer) rowErrorf(format string, args ...any) error {
	return fmt.Errorf("row %d of the file table cannot be written: %s", w.rows+1, fmt.Sprintf(format, args...))
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// cut shortens text that is too long for a message.
func cut(text string) string {
	if len(text) > 80 {
		return text[:80] + "..."
	}
	return text
}
