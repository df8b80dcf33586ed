package testkit

import (
	"errors"
	"testing"
)

// Pipe makes a named pipe. Where the system has none, the test is skipped.
func Pipe(t testing.TB, name string) {
	t.Helper()
	switch err := makePipe(name); {
	case errors.Is(err, errors.ErrUnsupported):
		t.Skip("the system has no named pipes")
	case err != nil:
		t.Fatal(err)
	}
}
