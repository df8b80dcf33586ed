//go:build !unix

package testfile

import "testing"

// Pipe skips the test, as the system has no named pipes.
func Pipe(t testing.TB, _ string) {
	t.Helper()
	t.Skip("the system has no named pipes")
}
