// Package filetable reads and writes file tables, the text files in which a step of a device code
// build lists its outputs for the next step:
//
//	[Code|Properties|Symbols]
//	kernels_0.bc|kernels_0.prop|kernels_0.sym
//	kernels_1.bc|kernels_1.prop|kernels_1.sym
//
// Each line is a row with cells that are separated by "|". The first line is a title in brackets
// with the names of the columns. Without a title, columns are named "0", "1" and so on. Cells may
// be empty. There is no quoting, so no cell contains a separator or a line break. Blank lines are
// ignored, and an empty file is an empty table.
//
// DPC++'s post-link step and its file-table-tform tool read and write file tables.
package filetable

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// Names of the columns that the post-link step writes, in order.
const (
	Code       = "Code"       // a file with the code of a device image
	Properties = "Properties" // a file with its property sets
	Symbols    = "Symbols"    // a file with the names of its entry points, one per line
)

// separator separates the cells of a row.
const separator = "|"

// A Table is a file table in memory. Each row has as many cells as there are columns. The zero
// value is an empty table.
type Table struct {
	Columns  []string
	Rows     [][]string
	Untitled bool // the columns have no names, only numbers; Write omits the title
}

// Read reads a table. name is used in errors.
func Read(name string, in io.Reader) (*Table, error) {
	r := NewReader(name, in)
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

// Column returns the index of the named column, or -1 if there is none.
func (t *Table) Column(name string) int { return slices.Index(t.Columns, name) }

// Extract returns a new table with the named columns, in that order.
func (t *Table) Extract(names ...string) (*Table, error) {
	e := &Table{Columns: slices.Clone(names), Untitled: t.Untitled && slices.Equal(names, numbered(len(names)))}
	places := make([]int, len(names))
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return nil, fmt.Errorf("duplicate column %q", name)
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

func (t *Table) column(name string) (int, error) {
	if c := t.Column(name); c >= 0 {
		return c, nil
	}
	if len(t.Columns) == 0 {
		return 0, fmt.Errorf("the table has no column %q: it is empty", name)
	}
	return 0, fmt.Errorf("the table has no column %q, only %s", name, strings.Join(t.Columns, ", "))
}

// numbered returns the column names of an untitled table.
func numbered(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = strconv.Itoa(i)
	}
	return names
}

// A SyntaxError is an error in a file table, with its location.
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

// BadInput marks the error as caused by an input file.
func (*SyntaxError) BadInput() {}

// A Reader reads a table row by row.
type Reader struct {
	name     string
	r        *bufio.Reader
	line     int
	begun    bool
	columns  []string
	untitled bool
	first    []string // the first row of an untitled table, until Next returns it
	err      error    // sticky
}

// maxLine bounds the memory for a file without line breaks.
const maxLine = 1 << 20

// NewReader returns a Reader for r. name is used in errors.
func NewReader(name string, r io.Reader) *Reader {
	return &Reader{name: name, r: bufio.NewReader(r)}
}

// Columns returns the names of the columns, reading as much as necessary. An empty file has none.
func (r *Reader) Columns() ([]string, error) {
	r.begin()
	if r.err != nil && r.err != io.EOF {
		return nil, r.err
	}
	return slices.Clone(r.columns), nil
}

// Next returns the next row, or io.EOF after the last row.
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
	row := strings.Split(line, separator)
	if len(row) != len(r.columns) {
		return nil, r.fail(r.errorf("the row has %s, but the table has %s", safetext.Count(len(row), "cell"), safetext.Count(len(r.columns), "column")))
	}
	return row, nil
}

// Line returns the number of the last line that was read, from 1.
func (r *Reader) Line() int { return r.line }

// begin reads the title, or the first row if there is no title.
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
		r.first = strings.Split(line, separator)
		r.columns = numbered(len(r.first))
		return
	}
	names, closed := strings.CutSuffix(line[1:], "]")
	if !closed {
		r.fail(r.errorf("the title %s does not end in a closing bracket", safetext.Quote(line)))
		return
	}
	if names == "" {
		return
	}
	columns := strings.Split(names, separator)
	seen := make(map[string]bool, len(columns))
	for i, name := range columns {
		if name == "" {
			r.fail(r.errorf("column %d of the title has no name", i+1))
			return
		}
		if seen[name] {
			r.fail(r.errorf("duplicate column %s in the title", safetext.Quote(name)))
			return
		}
		seen[name] = true
	}
	r.columns = columns
}

// readLine returns the next line that is not blank, without its line break.
func (r *Reader) readLine() (string, error) {
	for {
		line, err := r.readRaw()
		if err != nil {
			return "", err
		}
		text := strings.TrimSuffix(strings.TrimSuffix(string(line), "\n"), "\r")
		if strings.ContainsRune(text, '\r') {
			return "", r.errorf("line contains a carriage return")
		}
		if text != "" {
			return text, nil
		}
	}
}

// readRaw returns the next line with its line break, which the last line may lack.
func (r *Reader) readRaw() (line []byte, err error) {
	for {
		part, err := r.r.ReadSlice('\n')
		if len(line) == 0 && (err == nil || len(part) > 0) {
			r.line++
		}
		line = append(line, part...)
		switch {
		case len(line) > maxLine:
			return nil, r.errorf("line too long (limit %d bytes)", maxLine)
		case err == nil, err == io.EOF && len(line) > 0:
			return line, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}

// fail makes this and all later calls return err.
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

// Write writes the table. It returns an error if Read would not return the same names and rows.
func (t *Table) Write(w io.Writer) error {
	if err := t.checkColumns(); err != nil {
		return err
	}
	out := bufio.NewWriter(w) // keeps errors for Flush
	if !t.Untitled && len(t.Columns) > 0 {
		out.WriteByte('[')
		writeCells(out, t.Columns)
		out.WriteString("]\n")
	}
	for i, row := range t.Rows {
		if err := t.checkRow(i); err != nil {
			return err
		}
		writeCells(out, row)
		out.WriteByte('\n')
	}
	return out.Flush()
}

func writeCells(w *bufio.Writer, row []string) {
	for i, cell := range row {
		if i > 0 {
			w.WriteString(separator)
		}
		w.WriteString(cell)
	}
}

// checkColumns checks that the title, or its absence, represents the names of the columns.
func (t *Table) checkColumns() error {
	if t.Untitled {
		if !slices.Equal(t.Columns, numbered(len(t.Columns))) {
			return fmt.Errorf("a table without a title cannot have the column names %s", strings.Join(t.Columns, ", "))
		}
		return nil
	}
	for i, name := range t.Columns {
		if name == "" {
			return fmt.Errorf("column %d has no name", i+1)
		}
		if what := cellProblem(name); what != "" {
			return fmt.Errorf("column name %s contains %s", safetext.Quote(name), what)
		}
		if slices.Contains(t.Columns[:i], name) {
			return fmt.Errorf("duplicate column name %q", name)
		}
	}
	return nil
}

// checkRow checks that row i reads back unchanged.
func (t *Table) checkRow(i int) error {
	fail := func(format string, args ...any) error {
		return fmt.Errorf("cannot write row %d of the file table: %s", i+1, fmt.Sprintf(format, args...))
	}
	row := t.Rows[i]
	if len(row) != len(t.Columns) {
		return fail("it has %s, but the table has %s", safetext.Count(len(row), "cell"), safetext.Count(len(t.Columns), "column"))
	}
	for j, cell := range row {
		if what := cellProblem(cell); what != "" {
			return fail("cell %s in column %q contains %s", safetext.Quote(cell), t.Columns[j], what)
		}
	}
	switch {
	case len(row) == 0, len(row) == 1 && row[0] == "":
		return fail("a row with one empty cell would be a blank line, which readers skip")
	case t.Untitled && i == 0 && strings.HasPrefix(row[0], "["):
		return fail("cell %s at the start of the file looks like a title; write the table with a title", safetext.Quote(row[0]))
	}
	return nil
}

// cellProblem describes the error in a cell, or returns "" if the cell is valid.
func cellProblem(cell string) string {
	switch {
	case strings.Contains(cell, separator):
		return fmt.Sprintf("the separator '%s'", separator)
	case strings.ContainsAny(cell, "\n\r"):
		return "a line break"
	}
	return ""
}
