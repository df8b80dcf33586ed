package bundle

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

func TestPlacer(t *testing.T) {
	dir := t.TempDir()
	file := func(name string, content []byte) *fileSource {
		path := filepath.Join(dir, name)
		testkit.NoError(t, os.WriteFile(path, content, 0o666))
		return &fileSource{path: path, size: int64(len(content))}
	}
	longer := file("longer", []byte("0123456789"))
	longer.size = 4
	shorter := file("shorter", []byte("0123"))
	shorter.size = 10
	tests := []struct {
		name  string
		parts []any // strings are written, sources are copied
		want  string
		err   string
	}{
		{"text between files", []any{"a", file("b", []byte("bbb")), "c", file("d", []byte("dd")), file("e", nil), "f"}, "abbbcddf", ""},
		{"a file that has grown is cut", []any{"a", longer, "b"}, "a0123b", ""},
		{"a file that has shrunk", []any{"a", shorter, "b"}, "", "shorter: unexpected end of file after 4 of 10 bytes"},
		{"a file that is gone", []any{&fileSource{path: filepath.Join(dir, "gone"), size: 1}}, "", "gone: no such file"},
		{"a directory", []any{&fileSource{path: dir, size: 1}}, "", ": directory; expected a file"},
	}
	var many []any
	var want strings.Builder
	for i := range 500 {
		content := bytes.Repeat([]byte{byte(i)}, i*977%70_000)
		many = append(many, file(fmt.Sprint("many", i), content), fmt.Sprint(i))
		want.Write(content)
		fmt.Fprint(&want, i)
	}
	tests = append(tests, struct {
		name  string
		parts []any
		want  string
		err   string
	}{"many files", many, want.String(), ""})

	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			out, err := os.Create(filepath.Join(t.TempDir(), "out"))
			testkit.NoError(t, err)
			defer out.Close()
			w := newSegmentWriter(out, new(cli.ProgressWriter))
			for _, p := range test.parts {
				switch p := p.(type) {
				case string:
					_, err = w.Write([]byte(p))
				case *fileSource:
					_, err = p.CopyTo(w, nil)
				}
				if err != nil && test.err == "" {
					t.Fatal(err)
				}
			}
			if testkit.Fails(t, w.finish(), test.err) {
				return
			}
			got := testkit.Must(os.ReadFile(out.Name()))(t)
			if string(got) != test.want {
				t.Errorf("%d bytes written, want %d, or they differ", len(got), len(test.want))
			}
		})
	}
}
