package filetable

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func table(columns string, rows ...string) *Table {
	t := &Table{}
	if columns != "" {
		t.Columns = strings.Split(columns, "|")
	}
	for _, row := range rows {
		t.Rows = append(t.Rows, strings.Split(row, "|"))
	}
	return t
}

func untitled(columns string, rows ...string) *Table {
	t := table(columns, rows...)
	t.Untitled = true
	return t
}

func TestRead(t *testing.T) {
	tests := []struct {
		name, in string
		want     *Table
	}{
		{"an empty file", "", &Table{}},
		{"only blank lines", "\n\r\n\n", &Table{}},
		{"only a title", "[Code|Properties]\n", table("Code|Properties")},
		{"a title without columns", "[]\n", &Table{}},
		{"title and rows", "[Code|Properties|Symbols]\na.bc|a.prop|a.sym\nb.bc|b.prop|b.sym\n", table("Code|Properties|Symbols", "a.bc|a.prop|a.sym", "b.bc|b.prop|b.sym")},
		{"no newline at the end", "[Code]\na.bc", table("Code", "a.bc")},
		{"carriage returns before newlines", "[Code|Symbols]\r\na|b\r\n", table("Code|Symbols", "a|b")},
		{"blank lines", "\n[Code]\n\na\n\nb\n", table("Code", "a", "b")},
		{"empty cells", "[a|b|c]\n||\nx||z\n", table("a|b|c", "||", "x||z")},
		{"an empty last cell", "[Code|Properties|Symbols]\na.bin|a.prop|\n", table("Code|Properties|Symbols", "a.bin|a.prop|")},
		{"no title", "a|b\nc|d\n", untitled("0|1", "a|b", "c|d")},
		{"a row that begins with a bracket", "[a]\n[b]\n", table("a", "[b]")},
		{"white space", "[ a ]\n x \n", table(" a ", " x ")},
		{"a bracket in a column name", "[a]b]\nx\n", table("a]b", "x")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, r := range []io.Reader{strings.NewReader(tt.in), iotest.OneByteReader(strings.NewReader(tt.in))} {
				got, err := Read("f.table", r)
				if err != nil {
					t.Fatal(err)
				}
				if !same(got, tt.want) {
					t.Errorf("got %+v, want %+v", got, tt.want)
				}
			}
		})
	}
}

// same compares tables, treating nil and empty slices as equal.
func same(a, b *Table) bool {
	return fmt.Sprintf("%q %q %v", a.Columns, a.Rows, a.Untitled) == fmt.Sprintf("%q %q %v", b.Columns, b.Rows, b.Untitled)
}

func TestReadErrors(t *testing.T) {
	tests := []struct {
		name, in, want string
	}{
		{"a title without closing bracket", "\n[Code|Symbols\n", `f.table:2: the title "[Code|Symbols" does not end in a closing bracket`},
		{"text after the title", "[Code] x\n", `f.table:1: the title "[Code] x" does not end in a closing bracket`},
		{"a short row", "[a|b]\n1|2\n\n3\n", `f.table:4: the row has 1 cell, but the table has 2 columns`},
		{"a long row", "[a]\n1|2\n", `f.table:2: the row has 2 cells, but the table has 1 column`},
		{"a row of a table without columns", "[]\n1\n", `f.table:2: the row has 1 cell, but the table has 0 columns`},
		{"an untitled table with rows of different lengths", "1|2\n3\n", `f.table:2: the row has 1 cell, but the table has 2 columns`},
		{"a duplicate column name", "[a|b|a]\n", `f.table:1: duplicate column "a" in the title`},
		{"a column without a name", "[a||b]\n", `f.table:1: column 2 of the title has no name`},
		{"a lone carriage return", "[a]\nx\ry\n", `f.table:2: line contains a carriage return`},
		{"a line without an end", "[a]\n" + strings.Repeat("x", maxLine+1), `f.table:2: line too long (limit 1048576 bytes)`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Read("f.table", strings.NewReader(tt.in))
			var syntax *SyntaxError
			if !errors.As(err, &syntax) || err.Error() != tt.want {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
	t.Run("without a file name", func(t *testing.T) {
		if _, err := Read("", strings.NewReader("[a")); err == nil || !strings.HasPrefix(err.Error(), "line 1: ") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("a failing reader", func(t *testing.T) {
		broken := errors.New("broken")
		_, err := Read("f.table", io.MultiReader(strings.NewReader("[a]\nx\n"), iotest.ErrReader(broken)))
		var syntax *SyntaxError
		if !errors.Is(err, broken) || errors.As(err, &syntax) {
			t.Errorf("got %v", err)
		}
	})
}

func TestReaderKeepsItsError(t *testing.T) {
	r := NewReader("f", strings.NewReader("[a]\n1\n2|3\n4\n"))
	if row, err := r.Next(); err != nil || row[0] != "1" || r.Line() != 2 {
		t.Fatalf("got %q, %v on line %d", row, err, r.Line())
	}
	_, err := r.Next()
	if _, again := r.Next(); err == nil || again != err {
		t.Errorf("got %v, then %v", err, again)
	}
}

func TestWrite(t *testing.T) {
	tests := []struct {
		name  string
		table *Table
		want  string
	}{
		{"an empty table", &Table{}, ""},
		{"only columns", table("Code|Symbols"), "[Code|Symbols]\n"},
		{"title and rows", table("a|b", "1|2", "|"), "[a|b]\n1|2\n|\n"},
		{"no title", untitled("0|1", "1|2"), "1|2\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out strings.Builder
			if err := tt.table.Write(&out); err != nil {
				t.Fatal(err)
			}
			if out.String() != tt.want {
				t.Errorf("got %q, want %q", out.String(), tt.want)
			}
		})
	}
}

func TestWriteErrors(t *testing.T) {
	tests := []struct {
		name  string
		table *Table
		want  string
	}{
		{"a separator in a cell", &Table{Columns: []string{"a", "b"}, Rows: [][]string{{"x", "y"}, {"x", "y|z"}}}, `cannot write row 2 of the file table: cell "y|z" in column "b" contains the separator '|'`},
		{"a newline in a cell", table("a", "x\ny"), `cannot write row 1 of the file table: cell "x\ny" in column "a" contains a line break`},
		{"a carriage return in a cell", table("a", "x\r"), `cannot write row 1 of the file table: cell "x\r" in column "a" contains a line break`},
		{"a short row", table("a|b", "x"), `cannot write row 1 of the file table: it has 1 cell, but the table has 2 columns`},
		{"a single empty cell", table("a", ""), `cannot write row 1 of the file table: a row with one empty cell would be a blank line, which readers skip`},
		{"a row that looks like a title", untitled("0", "[x]"), `cannot write row 1 of the file table: cell "[x]" at the start of the file looks like a title; write the table with a title`},
		{"names without a title", untitled("a|b"), `a table without a title cannot have the column names a, b`},
		{"a separator in a column name", &Table{Columns: []string{"a|b"}}, `column name "a|b" contains the separator '|'`},
		{"a column without a name", &Table{Columns: []string{"a", ""}}, `column 2 has no name`},
		{"duplicate column names", table("a|a"), `duplicate column name "a"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.table.Write(io.Discard)
			if err == nil || err.Error() != tt.want {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
	t.Run("a failing writer", func(t *testing.T) {
		broken := errors.New("broken")
		if err := table("a", "x").Write(writerFunc(func([]byte) (int, error) { return 0, broken })); !errors.Is(err, broken) {
			t.Errorf("got %v", err)
		}
	})
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func TestExtract(t *testing.T) {
	in := table("a|b|c", "1|2|3", "4|5|6")
	got, err := in.Extract("c", "a")
	if err != nil || !same(got, table("c|a", "3|1", "6|4")) {
		t.Errorf("got %+v, %v", got, err)
	}
	in = untitled("0|1", "a|b")
	if got, err = in.Extract("1"); err != nil || !same(got, table("1", "b")) {
		t.Errorf("got %+v, %v", got, err)
	}
	if got, err = in.Extract("0"); err != nil || !same(got, untitled("0", "a")) {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestExtractErrors(t *testing.T) {
	in := table("a|b", "1|2", "3|4")
	for _, tt := range []struct {
		table   *Table
		columns []string
		want    string
	}{
		{in, []string{"a", "c"}, `the table has no column "c", only a, b`},
		{in, []string{"a", "a"}, `duplicate column "a"`},
		{new(Table), []string{"c"}, `the table has no column "c": it is empty`},
	} {
		if _, err := tt.table.Extract(tt.columns...); err == nil || err.Error() != tt.want {
			t.Errorf("%q: got %v, want %s", tt.columns, err, tt.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("[Code|Properties|Symbols]\na.bc|a.prop|a.sym\n")
	f.Add("\r\n[a]\r\n\r\nx\r\n")
	f.Add("a|b\nc|d")
	f.Add("[]\n")
	f.Add("[a|\n|a]")
	f.Fuzz(func(t *testing.T, in string) {
		table, err := Read("f", strings.NewReader(in))
		if err != nil {
			return
		}
		var out strings.Builder
		if err := table.Write(&out); err != nil {
			t.Fatalf("cannot write the table that was read: %v", err)
		}
		again, err := Read("f", strings.NewReader(out.String()))
		if err != nil {
			t.Fatalf("cannot read the written table: %v", err)
		}
		if !same(table, again) {
			t.Fatalf("%+v is read as %+v", table, again)
		}
	})
}
