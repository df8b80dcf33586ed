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
	for name, want := range map[string]string{"pipe": ": pipe", "socket": ": socket", "/dev/zero": ": device", "/dev/null": ": device"} {
		_, err := OpenInput(name, "")
		checkError(t, err, want)
		_, err = ReadInput(filepath.Clean(name), "", 1<<20)
		checkError(t, err, want)
	}
}
