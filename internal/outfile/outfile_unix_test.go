//go:build unix

package outfile

import (
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestLinks(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.MkdirAll("real/deep", 0o777); err != nil {
		t.Fatal(err)
	}
	put(t, "real/file", "old")
	links := map[string]string{
		"to file": "real/file", "to link": "to file", "absolute": filepath.Join(dir, "real/file"),
		"dangling": "real/made", "linked folder": "real/deep", "real/deep/up": "../up", "loop": "loop",
	}
	for name, to := range links {
		if err := os.Symlink(to, name); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct{ name, file string }{
		{"to file", "real/file"}, {"to link", "real/file"}, {"absolute", "real/file"},
		{"dangling", "real/made"}, {"linked folder/up", "real/up"},
	} {
		if err := Write(test.name, text(test.name)); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		if data, err := os.ReadFile(test.file); err != nil || string(data) != test.name {
			t.Errorf("%s: content of %s: %q, %v", test.name, test.file, data, err)
		}
	}
	if err := Write("loop", text("")); err == nil || !strings.Contains(err.Error(), "links") {
		t.Errorf("got %v", err)
	}
	for name, to := range links {
		if now, err := os.Readlink(name); err != nil || now != to {
			t.Errorf("link %s points to %q, %v", name, now, err)
		}
	}
}

// TestDirectoryWithLinksToAnotherDisk checks that files appear only when complete, even on a
// different disk that a link in the output directory points to.
func TestDirectoryWithLinksToAnotherDisk(t *testing.T) {
	elsewhere, err := os.MkdirTemp("/dev/shm", "outfile")
	if err != nil {
		t.Skip("no second disk: ", err)
	}
	t.Cleanup(func() { os.RemoveAll(elsewhere) })
	t.Chdir(t.TempDir())
	if info, err := os.Stat(elsewhere); err != nil || sameDisk(".", info) {
		t.Skip("no second disk: ", err)
	}
	kept := filepath.Join(elsewhere, "kept")
	put(t, kept, "old")
	before, err := os.Open(kept) // the file before it is replaced
	if err != nil {
		t.Fatal(err)
	}
	defer before.Close()
	if err := os.Mkdir("out", 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"kept", "gone"} {
		if err := os.Symlink(filepath.Join(elsewhere, name), filepath.Join("out", name)); err != nil {
			t.Fatal(err)
		}
	}
	write := func() error {
		var g Group
		defer g.Close()
		if _, err := g.Directory("out"); err != nil {
			return err
		}
		for _, name := range []string{"kept", "gone"} {
			if err := g.Write(filepath.Join("out", name), text("new")); err != nil {
				return err
			}
		}
		return g.Commit()
	}
	if err := write(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"kept", "gone"} {
		if data, err := os.ReadFile(filepath.Join(elsewhere, name)); err != nil || string(data) != "new" {
			t.Errorf("%s: %q, %v", name, data, err)
		}
	}
	if old, err := io.ReadAll(before); err != nil || string(old) != "old" {
		t.Errorf("existing file was written to: %q, %v", old, err)
	}
	if err := os.RemoveAll(elsewhere); err != nil {
		t.Fatal(err)
	}
	if err := write(); err == nil || !strings.Contains(err.Error(), "directory "+elsewhere+" does not exist") {
		t.Errorf("got %v", err)
	}
}

func TestModes(t *testing.T) {
	t.Chdir(t.TempDir())
	defer syscall.Umask(syscall.Umask(0o027))
	put(t, "kept", "")
	if err := os.Chmod("kept", 0o604); err != nil {
		t.Fatal(err)
	}
	put(t, "owned", "")
	owner := os.Getuid()
	const other = 12345
	if owner == 0 && os.Chown("owned", other, other) == nil {
		owner = other // root in a user namespace may not have other users
	}
	for _, test := range []struct {
		name string
		mode os.FileMode
	}{{"new", 0o640}, {"kept", 0o604}, {"owned", 0o640}} {
		if err := Write(test.name, text("x")); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(test.name); err != nil || info.Mode().Perm() != test.mode {
			t.Errorf("%s: %v, %v, want %v", test.name, info.Mode(), err, test.mode)
		}
	}
	info, err := os.Stat("owned")
	if err != nil || int(info.Sys().(*syscall.Stat_t).Uid) != owner {
		t.Errorf("owner changed: %v", err)
	}
	for range 2 {
		var g Group
		dir, err := g.Directory("folder")
		if err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(dir, "a"), "")
		if err := g.Commit(); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat("folder"); err != nil || info.Mode().Perm() != 0o750 {
			t.Errorf("%v, %v", info.Mode(), err)
		}
	}
}

// TestSpecialFiles checks that devices and pipes are written to, both as the only output and as one
// of several.
func TestSpecialFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	pipe := func() (content chan string) {
		content = make(chan string, 1)
		go func() { data, _ := os.ReadFile("pipe"); content <- string(data) }()
		return content
	}
	if err := syscall.Mkfifo("pipe", 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/null", "to null"); err != nil {
		t.Fatal(err)
	}
	group := func(name string, write func(io.Writer) error) error {
		var g Group
		defer g.Close()
		if err := g.WriteMain(name, write); err != nil {
			return err
		}
		if err := g.Write("other", text("")); err != nil {
			return err
		}
		return g.Commit()
	}
	for _, write := range []func(string, func(io.Writer) error) error{Write, group} {
		content := pipe()
		for _, name := range []string{"pipe", "to null", "/dev/null"} {
			if err := write(name, text("through")); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if got := <-content; got != "through" {
			t.Errorf("pipe received %q", got)
		}
		if err := write("/dev/full", text("through")); err == nil || !strings.Contains(err.Error(), "no space left") {
			t.Errorf("got %v", err)
		}
	}
	for name, mode := range map[string]os.FileMode{"pipe": os.ModeNamedPipe, "to null": os.ModeSymlink, "/dev/null": os.ModeDevice, "/dev/full": os.ModeDevice} {
		if info, err := os.Lstat(name); err != nil || info.Mode()&mode == 0 {
			t.Errorf("%s was replaced: %v", name, err)
		}
	}
	l, err := net.Listen("unix", "socket")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := Write("socket", text("")); err == nil {
		t.Error("no error for a socket")
	}
}

// TestStandardOutput checks that the target of standard output is written to, whether it is a pipe
// or a file.
func TestStandardOutput(t *testing.T) {
	if os.Getenv("HELPER") == "stdout" {
		os.Stdout.WriteString("before ")
		if err := Write("/dev/fd/1", text("through")); err != nil {
			t.Fatal(err)
		}
		os.Exit(0)
	}
	if _, err := os.Stat("/dev/fd/1"); err != nil {
		t.Skip("/dev/fd not found")
	}
	helper := func(out io.Writer) {
		cmd := exec.Command(os.Args[0], "-test.run=^TestStandardOutput$")
		cmd.Env = append(os.Environ(), "HELPER=stdout")
		cmd.Stdout = out
		if err := cmd.Run(); err != nil {
			t.Fatal(err)
		}
	}
	var piped strings.Builder
	helper(&piped)
	name := filepath.Join(t.TempDir(), "out")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	helper(f)
	f.Close()
	data, err := os.ReadFile(name)
	if err != nil || piped.String() != "before through" || string(data) != "before through" {
		t.Errorf("%q, %q, %v", piped.String(), data, err)
	}
}
