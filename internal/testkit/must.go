package testkit

import (
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
