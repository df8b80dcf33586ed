//go:build unix

package testfile

import (
	"syscall"
	"testing"
)

// Pipe makes a named pipe. Where the system has none, the test is skipped.
func Pipe(t testing.TB, name string) {
	t.Helper()
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
}
