//go:build unix

package testkit

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// UnwritableOutputs runs a program that cannot write its outputs. The program must report this with
// exit code 4, keep the outputs of the previous run, and leave no other files.
func UnwritableOutputs(t *testing.T, j Job) {
	t.Helper()
	g := j.run(t)
	t.Run("files may not grow", func(t *testing.T) {
		g.old.write(t, g.dir)
		g.checkFailure(t, shell(g.command(1), `ulimit -f 0; exec "$0" "$@"`), "ile too large", "terminated by signal: file size limit exceeded")
	})
	t.Run("read-only directory", func(t *testing.T) {
		g.old.write(t, g.dir)
		cmd := g.command(1)
		asNobody(t, cmd)
		g.mode(t, 0o555, 0o444)
		defer g.mode(t, 0o755, 0o644)
		g.checkFailure(t, cmd, "ermission denied")
	})
	t.Run("links to dev/full", g.linkToFull)
	t.Run("full disk", g.fullDisk)
}

// linkToFull runs the program with a link to /dev/full instead of an output, for the main output
// and for some others.
func (g *generations) linkToFull(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("skipped: ", err)
	}
	if g.job.Replaces {
		t.Skip("skipped: replacing the directory replaces the link")
	}
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(g.new)), func(name string) bool {
		_, before := g.job.Before[name]                          // this output is also an input
		return before || name == g.job.Main || g.new[name] == "" // this output needs no space
	})
	names = names[:min(3, len(names))]
	if g.job.Main != "" {
		names = append(names, g.job.Main)
	}
	for _, name := range names {
		full := filepath.Join(g.dir, name)
		g.old.write(t, g.dir)
		os.Remove(full)
		Link(t, "/dev/full", full)
		code, errs := run(t, g.command(1))
		if to, err := os.Readlink(full); code != 4 || !strings.Contains(errs, "o space left") || err != nil || to != "/dev/full" {
			t.Errorf("%s: exit %d, %s%v", name, code, errs, err)
		}
		if n := g.countScratch(t); n > 0 {
			t.Errorf("%s: %d scratch directories remain", name, n)
		}
		os.Remove(full)
		if main, err := os.ReadFile(filepath.Join(g.dir, g.job.Main)); g.job.Main != "" && err == nil && string(main) != g.old[g.job.Main] {
			t.Errorf("%s was not written, and %s is of the same run", name, g.job.Main)
		}
	}
}

// checkFailure runs a program that cannot write its outputs, and must report one of the reasons in
// why.
func (g *generations) checkFailure(t *testing.T, cmd *exec.Cmd, why ...string) {
	t.Helper()
	code, errs := run(t, cmd)
	if code != 4 || !slices.ContainsFunc(why, func(w string) bool { return strings.Contains(errs, w) }) {
		t.Errorf("exit %d, %s", code, errs)
	}
	if now := ReadFiles(t, g.dir); !now.isIn(g.old) || !g.old.isIn(now) {
		s, torn := g.state(t)
		t.Errorf("the old outputs have changed: %s %s", s, torn)
	}
	if n := g.countScratch(t); n > 0 {
		t.Errorf("%d scratch directories remain", n)
	}
}

// mode sets the modes of the directory and of its files.
func (g *generations) mode(t *testing.T, dir, file os.FileMode) {
	t.Helper()
	filepath.Walk(g.dir, func(name string, info os.FileInfo, err error) error {
		if err != nil {
			t.Fatal(err)
		}
		mode := file
		if info.IsDir() {
			mode = dir
		}
		return os.Chmod(name, mode)
	})
}

// fullDisk runs a program on disks with different amounts of free space, from none to enough.
func (g *generations) fullDisk(t *testing.T) {
	unshare, err := exec.LookPath("unshare")
	if err == nil {
		err = exec.Command(unshare, "-rm", "mount", "-t", "tmpfs", "none", g.dir).Run()
	}
	if err != nil {
		t.Skip("skipped: the system does not allow mounting a disk: ", err)
	}
	after := filepath.Join(t.TempDir(), "after")
	// The disk is mounted only for these commands.
	const script = `set -e
mount -t tmpfs -o size=${room}k,nr_inodes=${files} none .
cd "$PWD"
cp -a "$old/." .
code=0; "$0" "$@" || code=$?
rm -rf "$after"; cp -a . "$after"
exit $code`
	g.old.write(t, g.dir)
	pages, inodes := 0, 1
	for name, content := range g.old {
		pages += (len(content) + 4095) / 4096
		inodes += 1 + strings.Count(name, "/")
	}
	more := (len(strings.Join(slices.Collect(maps.Values(g.new)), "")) + 4095) / 4096
	refused, done := 0, 0
	for _, free := range []struct{ pages, files int }{{0, 0}, {0, 2}, {0, 99}, {1, 99}, {more / 2, 99}, {2*more + 99, 999}} {
		work := filepath.Join(t.TempDir(), "work")
		if err := os.Mkdir(work, 0o755); err != nil {
			t.Fatal(err)
		}
		cmd := g.command(1)
		cmd.Dir = work
		cmd = shell(cmd, script)
		cmd.Args = append([]string{"unshare", "-rm"}, cmd.Args...)
		cmd.Path = unshare
		cmd.Env = append(cmd.Environ(), "old="+g.dir, "after="+after, fmt.Sprint("room=", 4*(pages+free.pages)), fmt.Sprint("files=", inodes+free.files), "TMPDIR="+t.TempDir())
		code, errs := run(t, cmd)
		there := generations{job: g.job, dir: after, old: g.old, new: g.new}
		s, why := there.state(t)
		switch {
		case code == 0 && s == New:
			done++
		case code == 4 && s == Old && strings.Contains(errs, "o space left"):
			refused++
		default:
			t.Errorf("%d pages and %d files are free: exit %d, %s %s\n%s", free.pages, free.files, code, s, why, errs)
		}
		if n := there.countScratch(t); n > 0 {
			t.Errorf("%d pages and %d files are free: %d scratch directories remain", free.pages, free.files, n)
		}
	}
	if refused == 0 || done == 0 {
		t.Errorf("%d disks were full and %d were not", refused, done)
	}
}

// run runs a program and returns its exit code and standard error.
func run(t testing.TB, cmd *exec.Cmd) (code int, stderr string) {
	t.Helper()
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), errs.String()
}

// shell runs a program from a shell, which executes commands with the program as "$0" "$@".
func shell(cmd *exec.Cmd, commands string) *exec.Cmd {
	cmd.Args = append([]string{"sh", "-c", commands, cmd.Path}, cmd.Args[1:]...)
	cmd.Path = "/bin/sh"
	return cmd
}

// asNobody runs a program as a user without root's permission to write.
func asNobody(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if os.Geteuid() != 0 {
		return
	}
	const nobody = 65534
	as := &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	probe := exec.Command(cmd.Path, "--help")
	probe.SysProcAttr = as
	if err := probe.Run(); err != nil {
		t.Skip("skipped: root may write everywhere, and the user nobody cannot run the program: ", err)
	}
	cmd.SysProcAttr = as
}
