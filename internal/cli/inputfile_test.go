package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	full, empty := write("full", "content"), write("empty", "")
	for _, test := range []struct{ name, want, error string }{
		{full, "a SYCLBIN", ""},
		{empty, "", ""},
		{empty, "a SYCLBIN", ": empty file; expected a SYCLBIN"},
		{dir, "", ": directory; expected a file"},
		{filepath.Join(full, "below"), "", "below: "},
		{filepath.Join(dir, "missing"), "", "missing: "},
		{filepath.Join(dir, "nul\x00"), "", ": invalid file name"},
		{filepath.Join(dir, strings.Repeat("long", 1000)), "", "long: "},
	} {
		f, err := OpenInput(test.name, test.want)
		if test.error == "" {
			if err != nil {
				t.Errorf("%s: %v", test.name, err)
			} else {
				f.Close()
			}
			continue
		}
		checkError(t, err, test.error)
		_, err = StatInput(test.name, test.want)
		checkError(t, err, test.error)
	}
}

// checkError fails unless the error is an input error with the wanted text.
func checkError(t *testing.T, err error, want string) {
	t.Helper()
	var bad interface{ BadInput() }
	if err == nil || !errors.As(err, &bad) || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q and bad input", err, want)
	}
}

func TestRead(t *testing.T) {
	name := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(name, []byte("12345"), 0o644); err != nil {
		t.Fatal(err)
	}
	if data, err := ReadInput(name, "", 5); err != nil || string(data) != "12345" {
		t.Errorf("%q, %v", data, err)
	}
	_, err := ReadInput(name, "a policy", 4)
	checkError(t, err, ": too large for a policy")
	_, err = ReadInput(filepath.Dir(name), "a policy", 4)
	checkError(t, err, ": directory; expected a file")
}
