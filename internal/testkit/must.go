package testkit

import (
	"errors"
	"io"
	"strings"
	"testing"
)

// NoError ends the test if there is an error.
func NoError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Fails checks that an error contains the wanted text, and ends the test if the error is
// unexpected. It reports whether an error is wanted, because most tests then have nothing left to
// check.
func Fails(t testing.TB, err error, want string) bool {
	t.Helper()
	if want == "" {
		NoError(t, err)
	} else if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want one with %q", err, want)
	}
	return want != ""
}

// BlamesInput is like Fails, for errors caused by the input.
func BlamesInput(t testing.TB, err error, want string) bool {
	t.Helper()
	if want != "" && !errors.As(err, new(interface{ BadInput() })) {
		t.Errorf("error %v does not blame the input", err)
	}
	return Fails(t, err, want)
}

// Written returns the output that a function writes.
func Written(t testing.TB, write func(io.Writer) error) string {
	t.Helper()
	var b strings.Builder
	NoError(t, write(&b))
	return b.String()
}

// Text returns what w writes.
func Text(t testing.TB, w io.WriterTo) string {
	t.Helper()
	var b strings.Builder
	Must(w.WriteTo(&b))(t)
	return b.String()
}

// Must accepts the results of a call, and returns a function that returns the value, or ends the
// test if there is an error: f := testkit.Must(os.Open(name))(t).
func Must[T any](value T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		NoError(t, err)
		return value
	}
}
