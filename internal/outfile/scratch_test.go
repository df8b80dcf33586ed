//go:build unix

package outfile

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestMissingTempDir checks that a missing directory for temporary files is not an input error.
func TestMissingTempDir(t *testing.T) {
	t.Setenv("TMPDIR", "/gone")
	_, _, err := TempDir()
	if want := "cannot create a temporary directory in /gone: no such file or directory; set TMPDIR"; err == nil || err.Error() != want || errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestAbandonedDirectories checks that the next program removes the directories of killed programs,
// but not the directories of running programs.
func TestAbandonedDirectories(t *testing.T) {
	dir := t.TempDir()
	dirs := func() (list []string) {
		list, _ = filepath.Glob(filepath.Join(dir, ScratchPrefix+"*"))
		return list
	}
	killed, running := scratchUser(t, dir, "scratch, for ever"), scratchUser(t, dir, "scratch, for ever")
	if list := dirs(); len(list) != 2 {
		t.Fatalf("directories of two running programs: %q", list)
	}
	killed.Process.Kill()
	killed.Wait()
	// This directory was left by a program that was killed before it created the lock.
	if err := os.Mkdir(filepath.Join(dir, ScratchPrefix+"early"), 0o700); err != nil {
		t.Fatal(err)
	}
	scratchUser(t, dir, "scratch").Wait()
	if list := dirs(); len(list) != 1 {
		t.Errorf("directories of one running program: %q", list)
	}
	running.Process.Kill()
}

// scratchUser starts a program that creates a scratch directory in dir and keeps running.
func scratchUser(t *testing.T, dir, helper string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestScratchUser$")
	cmd.Env = append(os.Environ(), "HELPER="+helper)
	cmd.Dir = dir
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	if line, err := bufio.NewReader(stdout).ReadString('\n'); line != "ready\n" {
		t.Fatalf("%q, %v", line, err)
	}
	return cmd
}

// TestScratchUser is the program that scratchUser starts.
func TestScratchUser(t *testing.T) {
	helper := os.Getenv("HELPER")
	if helper != "scratch" && helper != "scratch, for ever" {
		t.Skip("run by other tests")
	}
	_, remove, err := ScratchDir(".")
	if err != nil {
		t.Fatal(err)
	}
	defer remove()
	fmt.Println("ready")
	if helper == "scratch, for ever" {
		select {}
	}
}
