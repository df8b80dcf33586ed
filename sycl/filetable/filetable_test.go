package filetable

import (
	"errors"
	"fmt"
	"io"
	"reflect"
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
		{"an empty file is an empty table", "", &Table{}},
		{"only blank lines", "\n\r\n\n", &Table{}},
		{"a title alone", "[Code|Properties]\n", table("Code|Properties")},
		{"a title without columns", "[]\n", &Table{}},
		{"title and rows", "[Code|Properties|Symbols]\na.bc|a.prop|a.sym\nb.bc|b.prop|b.sym\n", table("Code|Properties|Symbols", "a.bc|a.prop|a.sym", "b.bc|b.prop|b.sym")},
		{"no newline at the end", "[Code]\na.bc", table("Code", "a.bc")},
		{"carriage returns before newlines", "[Code|Symbols]\r\na|b\r\n", table("Code|Symbols", "a|b")},
		{"blank lines", "\n[Code]\n\na\n\nb\n", table("Code", "a", "b")},
		{"empty cells", "[a|b|c]\n||\nx||z\n", table("a|b|c", "||", "x||z")},
		{"an empty last cell", "[Code|Properties|Symbols]\na.bin|a.prop|\n", table("Code|Properties|Symbols", "a.bin|a.prop|")},
		{"no title", "a|b\nc|d\n", untitled("0|1", "a|b", "c|d")},
		{"a row that begins with a bracket", "[a]\n[b]\n", table("a", "[b]")},
		{"white space counts", "[ a ]\n x \n", table(" a ", " x ")},
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

// same compares tables, taking nil and empty slices for the same.
func same(a, b *Table) bool {
	return fmt.Sprintf("%q %q %v", a.Columns, a.Rows, a.Untitled) == fmt.Sprintf("%q %q %v", b.Columns, b.Rows, b.Untitled)
}

func TestReadErrors(t *testing.T) {
	tests := []struct {
		name, in, want string
	}{
		{"a title without closing bracket", "\n[Code|Symbols\n", `f.table:2: the title "[Code|Symbols" does not end in a closing bracket`},
		{"text after the title", "[Code] x\n", `f.table:1: the title "[Code] x" does not end in a closing bracket`},
		{"a row that is too short", "[a|b]\n1|2\n\n3\n", `f.table:4: the row has 1 cell, but the table has 2 columns`},
		{"a row that is too long", "[a]\n1|2\n", `f.table:2: the row has 2 cells, but the table has 1 column`},
		{"a row of a table without columns", "[]\n1\n", `f.table:2: the row has 1 cell, but the table has 0 columns`},
		{"an untitled table whose rows differ", "1|2\n3\n", `f.table:2: the row has 1 cell, but the table has 2 columns`},
		{"a column named twice", "[a|b|a]\n", `f.table:1: the title names column "a" twice`},
		{"a column without name", "[a||b]\n", `f.table:1: column 2 of the title has no name`},
		{"a lone carriage return", "[a]\nx\ry\n", `f.table:2: the line has a carriage return in it`},
		{"a line without end", "[a]\n" + strings.Repeat("x", maxLine+1), `f.table:2: the line is longer than 1048576 bytes`},
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
	t.Run("a reader that fails", func(t *testing.T) {
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

func TestSeparator(t *testing.T) {
	const text = "[a,b]\nx|y,z\n"
	r := NewReader("f", strings.NewReader(text))
	r.Separator = ','
	got, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got.Rows, [][]string{{"x|y", "z"}}) {
		t.Fatalf("got %q", got.Rows)
	}
	var out strings.Builder
	w := NewWriter(&out, got.Columns)
	w.Separator = ','
	if err := errors.Join(w.Write(got.Rows[0]), w.Flush()); err != nil {
		t.Fatal(err)
	}
	if out.String() != text {
		t.Errorf("wrote %q", out.String())
	}
}

func TestWrite(t *testing.T) {
	tests := []struct {
		name  string
		table *Table
		want  string
	}{
		{"an empty table", &Table{}, ""},
		{"columns alone", table("Code|Symbols"), "[Code|Symbols]\n"},
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
		{"a separator in a cell", &Table{Columns: []string{"a", "b"}, Rows: [][]string{{"x", "y"}, {"x", "y|z"}}}, `row 2 of the file table cannot be written: the cell "y|z" of column "b" has the separator '|' in it`},
		{"a newline in a cell", table("a", "x\ny"), `row 1 of the file table cannot be written: the cell "x\ny" of column "a" has a line break in it`},
		{"a carriage return in a cell", table("a", "x\r"), `row 1 of the file table cannot be written: the cell "x\r" of column "a" has a line break in it`},
		{"a short row", table("a|b", "x"), `row 1 of the file table cannot be written: it has 1 cell, but the table has 2 columns`},
		{"an empty cell alone", table("a", ""), `row 1 of the file table cannot be written: an empty cell alone makes a blank line, which does not count as a row`},
		{"a row like a title", untitled("0", "[x]"), `row 1 of the file table cannot be written: the cell "[x]" begins the file like a title: write the table with a title`},
		{"names without a title", untitled("a|b"), `a table without title cannot keep the column names a, b`},
		{"a separator in a column name", &Table{Columns: []string{"a|b"}}, `the column name "a|b" has the separator '|' in it`},
		{"a column without name", &Table{Columns: []string{"a", ""}}, `column 2 has no name`},
		{"two columns of one name", table("a|a"), `two columns have the name "a"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.table.Write(io.Discard)
			if err == nil || err.Error() != tt.want {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
	t.Run("a writer that fails", func(t *testing.T) {
		broken := errors.New("broken")
		if err := table("a", "x").Write(writerFunc(func([]byte) (int, error) { return 0, broken })); !errors.Is(err, broken) {
			t.Errorf("got %v", err)
		}
	})
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func TestColumnOperations(t *testing.T) {
	tests := []struct {
		name string
		do   func(*Table) error
		want *Table
	}{
		{"add", func(t *Table) error { return t.Add("c", []string{"5", "6"}) }, table("a|b|c", "1|2|5", "3|4|6")},
		{"replace", func(t *Table) error { return t.Replace("b", []string{"5", "6"}) }, table("a|b", "1|5", "3|6")},
		{"rename", func(t *Table) error { return t.Rename("a", "c") }, table("c|b", "1|2", "3|4")},
		{"rename to the same name", func(t *Table) error { return t.Rename("a", "a") }, table("a|b", "1|2", "3|4")},
		{"merge", func(t *Table) error { return t.Merge(table("c|d", "5|6", "7|8")) }, table("a|b|c|d", "1|2|5|6", "3|4|7|8")},
		{"merge nothing", func(t *Table) error { return t.Merge(&Table{}) }, table("a|b", "1|2", "3|4")},
		{"append rows in another order", func(t *Table) error { return t.Append(table("b|a", "6|5")) }, table("a|b", "1|2", "3|4", "5|6")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := table("a|b", "1|2", "3|4")
			if err := tt.do(got); err != nil {
				t.Fatal(err)
			}
			if !same(got, tt.want) {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}

	t.Run("extract in another order", func(t *testing.T) {
		got, err := table("a|b|c", "1|2|3", "4|5|6").Extract("c", "a")
		if err != nil || !same(got, table("c|a", "3|1", "6|4")) {
			t.Errorf("got %+v, %v", got, err)
		}
	})
	t.Run("extract from an untitled table", func(t *testing.T) {
		in := untitled("0|1", "a|b")
		got, err := in.Extract("1")
		if err != nil || !same(got, table("1", "b")) {
			t.Errorf("got %+v, %v", got, err)
		}
		if got, err = in.Extract("0"); err != nil || !same(got, untitled("0", "a")) {
			t.Errorf("got %+v, %v", got, err)
		}
	})
	t.Run("an operation leaves extracted tables alone", func(t *testing.T) {
		in := table("a|b", "1|2")
		out := &Table{Columns: in.Columns, Rows: append([][]string(nil), in.Rows...)}
		if err := errors.Join(out.Replace("a", []string{"x"}), out.Rename("b", "c")); err != nil {
			t.Fatal(err)
		}
		if !same(in, table("a|b", "1|2")) {
			t.Errorf("became %+v", in)
		}
	})
	t.Run("add to an empty table", func(t *testing.T) {
		var got Table
		if err := got.Add("a", []string{"1", "2"}); err != nil || !same(&got, table("a", "1", "2")) {
			t.Errorf("got %+v, %v", got, err)
		}
	})
	t.Run("merge into an empty table", func(t *testing.T) {
		var got Table
		if err := got.Merge(table("a|b", "1|2")); err != nil || !same(&got, table("a|b", "1|2")) {
			t.Errorf("got %+v, %v", got, err)
		}
	})
	t.Run("append to an empty table", func(t *testing.T) {
		var got Table
		if err := got.Append(untitled("0|1", "1|2")); err != nil || !same(&got, untitled("0|1", "1|2")) {
			t.Errorf("got %+v, %v", got, err)
		}
	})
}

func TestColumnOperationErrors(t *testing.T) {
	extract := func(names ...string) func(*Table) error {
		return func(t *Table) error { _, err := t.Extract(names...); return err }
	}
	tests := []struct {
		name string
		do   func(*Table) error
		want string
	}{
		{"add a column that is there", func(t *Table) error { return t.Add("b", nil) }, `the table already has a column "b"`},
		{"add a column of another length", func(t *Table) error { return t.Add("c", []string{"5"}) }, `column "c" has 1 cells for 2 rows`},
		{"replace a column that is not there", func(t *Table) error { return t.Replace("c", nil) }, `the table has no column "c", only a, b`},
		{"replace by a column of another length", func(t *Table) error { return t.Replace("a", []string{"5"}) }, `column "a" has 1 cells for 2 rows`},
		{"replace in an empty table", func(*Table) error { return (&Table{}).Replace("c", nil) }, `the table has no column "c": it is empty`},
		{"rename a column that is not there", func(t *Table) error { return t.Rename("c", "d") }, `the table has no column "c", only a, b`},
		{"rename to a name that is taken", func(t *Table) error { return t.Rename("a", "b") }, `column "a" cannot become "b": the table already has a column of that name`},
		{"extract a column that is not there", extract("a", "c"), `the table has no column "c", only a, b`},
		{"extract a column twice", extract("a", "a"), `column "a" is to be extracted twice`},
		{"merge a column that is there", func(t *Table) error { return t.Merge(table("b", "1", "2")) }, `both tables have a column "b": rename one of them`},
		{"merge a table of another length", func(t *Table) error { return t.Merge(table("c", "1")) }, `the tables have 2 and 1 rows`},
		{"append rows that lack a column", func(t *Table) error { return t.Append(table("a", "1")) }, `the table has no column "b", only a`},
		{"append rows with a column more", func(t *Table) error { return t.Append(table("a|b|c", "1|2|3")) }, `the rows to append have a column "c", which the table does not have`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := table("a|b", "1|2", "3|4")
			err := tt.do(in)
			if err == nil || err.Error() != tt.want {
				t.Errorf("got %v, want %s", err, tt.want)
			}
			if !same(in, table("a|b", "1|2", "3|4")) {
				t.Errorf("a failed operation left %+v", in)
			}
		})
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
			t.Fatalf("what was read cannot be written: %v", err)
		}
		again, err := Read("f", strings.NewReader(out.String()))
		if err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		if !same(table, again) {
			t.Fatalf("%+v became %+v", table, again)
		}
	})
}
