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
		{"no YAML", "a: 1\nb: [\n", "line 2: not YAML: "},
		{"a second document", "a: 1\n---\nb: 2\n", "line 2: the file has a second YAML document"},
		{"a second document that is no YAML", "a: 1\n---\n[\n", "not YAML: "},
		{"a merge conflict", "a: 1\n<<<<<<< HEAD\nb: 2\n=======\n>>>>>>> x\n", "line 2: merge conflict marker; resolve the conflict"},
		{"too long", strings.Repeat("#", 101), "the file is longer than 100 bytes"},
	} {
		n, err := YAML(strings.NewReader(test.text), 100)
		got := "none"
		var f *YAMLFault
		switch {
		case errors.As(err, &f):
			got = f.Error()
		case err != nil:
			t.Errorf("%s: %v is no fault", test.name, err)
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
