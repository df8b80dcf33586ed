package testkit

import (
	"errors"
	"testing"
)

// Pipe creates a named pipe. It skips the test if the system does not support pipes.
func Pipe(t testing.TB, name string) {
	t.Helper()
	switch err := makePipe(name); {
	case errors.Is(err, errors.ErrUnsupported):
		t.Skip("the system has no named pipes")
	case err != nil:
		t.Fatal(err)
	}
}
