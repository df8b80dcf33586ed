package testkit

import (
	"errors"
	"io"
	"strings"
	"testing"
)

// NoError ends a test with an error, if there is one.
func NoError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Fails checks that an error says what a test wants, and ends the test at one that it does not want.
// It reports whether there has to be an error: behind that most tests have nothing to look at.
func Fails(t testing.TB, err error, want string) bool {
	t.Helper()
	if want == "" {
		NoError(t, err)
	} else if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want one with %q", err, want)
	}
	return want != ""
}

// BlamesInput is Fails for errors that blame the input.
func BlamesInput(t testing.TB, err error, want string) bool {
	t.Helper()
	if want != "" && !errors.As(err, new(interface{ BadInput() })) {
		t.Errorf("error %v does not blame the input", err)
	}
	return Fails(t, err, want)
}

// Written returns what a function writes.
func Written(t testing.TB, write func(io.Writer) error) string {
	t.Helper()
	var b strings.Builder
	NoError(t, write(&b))
	return b.String()
}

// Must takes what a call returns, and returns a function that ends the test if that is an error,
// else returns the value: f := testkit.Must(os.Open(name))(t).
func Must[T any](value T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		NoError(t, err)
		return value
	}
}
