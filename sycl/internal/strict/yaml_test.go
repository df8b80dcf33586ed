package strict

import (
	"errors"
	"strings"
	"testing"
	"testing/iotest"
)

func TestRead(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"nothing", "", "none"}, {"a comment", "# nothing\n", "none"}, {"null", "~\n", "null"}, {"a mapping", "a: 1\n", "!!map"},
		{"invalid YAML", "a: 1\nb: [\n", "line 2: not YAML: "},
		{"a tab", "a:\n\tb: 1\n", "line 2: not YAML: found character that cannot start any token; indent with spaces instead of tabs"},
		{"an unquoted owner", "a: 1\nb: @org/team\n", "line 2: not YAML: found character that cannot start any token; quote text that begins with @ or `"},
		{"an unquoted pattern", "a:\n  b: [*]\n", `line 2: not YAML: did not find expected alphabetic or numeric character; quote text that begins with *, as in "*"`},
		{"a directive", "%YAML 1.2\n---\na: 1\n", "not YAML: found incompatible YAML document; remove the line that begins with %YAML"},
		{"Latin-1", "a: 1\n# \xe9\n", "line 2: the file is not UTF-8; save it as UTF-8"},
		{"a second document", "a: 1\n---\nb: 2\n", "line 2: the file contains more than one YAML document; keep one"},
		{"an invalid second document", "a: 1\n---\n[\n", "not YAML: "},
		{"a merge conflict", "a: 1\n<<<<<<< HEAD\nb: 2\n=======\n>>>>>>> x\n", "line 2: merge conflict marker; resolve the conflict"},
		{"a Git LFS pointer", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 7\n", "this is a Git LFS pointer instead of the file; run 'git lfs pull'"},
		{"UTF-16", "\xff\xfea\x00:\x00 \x001\x00", "line 1: the file is UTF-16; save it as UTF-8"},
		{"UTF-16, big-endian", "\xfe\xff\x00a\x00:\x00 \x001", "line 1: the file is UTF-16; save it as UTF-8"},
		{"a byte order mark", "\xef\xbb\xbfa: 1\n", "!!map"},
		{"CRLF", "a: 1\r\nb: 2\r\n", "!!map"},
		{"a line separator in a comment", "a: 1\n# x\u2028b: 2\n", "line 2: line break U+2028, which editors may not show; use LF or CRLF"},
		{"a paragraph separator", "a: 1\u2029b: 2\n", "line 1: line break U+2029"},
		{"a next line", "a: 1\u0085b: 2\n", "line 1: line break U+0085"},
		{"a carriage return in a comment", "a: 1\r\n# x\rb: 2\r\n", "line 2: line break U+000D"},
		{"a carriage return at the end", "a: 1\r", "line 1: line break U+000D"},
		{"too long", strings.Repeat("#", 101), "file too large (limit 100 bytes)"},
	} {
		n, err := YAML(strings.NewReader(test.text), 100)
		got := "none"
		var f *YAMLError
		switch {
		case errors.As(err, &f):
			got = f.Error()
		case err != nil:
			t.Errorf("%s: %v is not a YAMLError", test.name, err)
		case n != nil && IsNull(n):
			got = "null"
		case n != nil:
			got = n.ShortTag()
		}
		if !strings.Contains(got, test.want) {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
	broken := errors.New("broken")
	if _, err := YAML(iotest.ErrReader(broken), 100); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}
