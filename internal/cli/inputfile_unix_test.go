//go:build unix

package cli

import (
	"net"
	"path/filepath"
	"syscall"
	"testing"
)

// TestSpecialFiles checks that pipes and devices are rejected without waiting for a writer or
// reading without end.
func TestSpecialFiles(t *testing.T) {
	t.Chdir(t.TempDir()) // socket paths must be short
	if err := syscall.Mkfifo("pipe", 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", "socket")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for name, want := range map[string]string{"pipe": "is a pipe", "socket": "is a socket", "/dev/zero": "is a device", "/dev/null": "is a device"} {
		_, err := OpenInput(name, "")
		checkError(t, err, want)
		_, err = ReadInput(filepath.Clean(name), "", 1<<20)
		checkError(t, err, want)
	}
}
