package testkit

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rules-sycl/rules_sycl/internal/outfile"
)

// A Job is a program that writes outputs into its current directory. Generation is 0 or 1 and
// selects the inputs, which lead to different outputs.
type Job struct {
	// Command returns the program with its arguments, which do not depend on the directory.
	Command func(generation int) *exec.Cmd
	// Main is the output that exists only if all others exist and are from its run. It is "" if
	// outputs do not refer to each other; then each must be complete.
	Main string
	// Replaces is true if a directory of outputs is replaced as a whole instead of file by file.
	Replaces bool
	// Before are files that exist before the program runs.
	Before map[string]string
}

// Files maps file names in a directory to contents, without scratch directories.
type Files map[string]string

// ReadFiles reads a directory.
func ReadFiles(t testing.TB, dir string) Files {
	t.Helper()
	files := Files{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case strings.HasPrefix(d.Name(), outfile.ScratchPrefix):
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		data, err := os.ReadFile(name)
		rel, _ := filepath.Rel(dir, name)
		files[rel] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// write replaces the files of a directory. Scratch directories remain.
func (f Files) write(t testing.TB, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), outfile.ScratchPrefix) {
			err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range f {
		WriteFile(t, filepath.Join(dir, name), content)
	}
}

// isIn reports whether others contains all of these files.
func (f Files) isIn(others Files) bool {
	for name, content := range f {
		if other, ok := others[name]; !ok || other != content {
			return false
		}
	}
	return true
}

// generations holds the outputs of a job: those of generation 0, and those of generation 1 written
// over generation 0.
type generations struct {
	job      Job
	dir      string
	old, new Files
}

// run produces both generations. Afterwards, the directory contains generation 1.
func (j Job) run(t testing.TB) *generations {
	t.Helper()
	g := &generations{job: j, dir: t.TempDir()}
	if err := os.Chmod(filepath.Dir(g.dir), 0o755); err != nil { // for all users
		t.Fatal(err)
	}
	Files(j.Before).write(t, g.dir)
	g.end(t, 0)
	g.old = ReadFiles(t, g.dir)
	Files(j.Before).write(t, g.dir)
	g.end(t, 1)
	g.new = ReadFiles(t, g.dir)
	differ := 0
	for name, content := range g.new {
		if old, ok := g.old[name]; ok && old != content {
			differ++
		}
	}
	if differ == 0 {
		t.Fatalf("the outputs of the two generations are equal: %q, %q", slices.Sorted(maps.Keys(g.old)), slices.Sorted(maps.Keys(g.new)))
	}
	if _, ok := g.new[j.Main]; j.Main != "" && !ok {
		t.Fatalf("there is no output %s", j.Main)
	}
	return g
}

func (g *generations) command(generation int) *exec.Cmd {
	cmd := g.job.Command(generation)
	cmd.Dir = g.dir
	return cmd
}

// end runs the program to completion.
func (g *generations) end(t testing.TB, generation int) {
	t.Helper()
	cmd := g.command(generation)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%q: %v\n%s", cmd.Args, err, out)
	}
}

// A State describes the outputs after a run.
type State string

// The states
const (
	Old    State = "old"    // the outputs of generation 0
	New    State = "new"    // the outputs of generation 1
	Absent State = "absent" // no main output
	Mixed  State = "mixed"  // complete outputs of both generations, for a job without a main output
	Torn   State = "torn"   // anything else
)

// state returns the state of the directory and, if it is torn, the reason.
func (g *generations) state(t testing.TB) (State, string) {
	t.Helper()
	now := ReadFiles(t, g.dir)
	for name, content := range now {
		old, inOld := g.old[name]
		new, inNew := g.new[name]
		if !(inOld && content == old) && !(inNew && content == new) {
			return Torn, fmt.Sprintf("%s is of no generation", name)
		}
	}
	_, main := now[g.job.Main]
	switch {
	case g.old.isIn(now):
		return Old, ""
	case g.new.isIn(now):
		return New, ""
	case g.job.Main == "" && len(g.new) > 1:
		return Mixed, ""
	case g.job.Main != "" && !main:
		return Absent, ""
	}
	return Torn, fmt.Sprintf("%q are of two generations", slices.Sorted(maps.Keys(now)))
}

// countScratch counts scratch directories.
func (g *generations) countScratch(t testing.TB) (n int) {
	t.Helper()
	filepath.WalkDir(g.dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasPrefix(d.Name(), outfile.ScratchPrefix) {
			n++
		}
		return nil
	})
	return n
}

// rounds is the number of times a program is killed. RULES_SYCL_KILLS overrides it.
func rounds() int {
	if n, err := strconv.Atoi(os.Getenv("RULES_SYCL_KILLS")); err == nil {
		return n
	}
	return 8
}

// Killed repeatedly kills a program, each time in a directory with the outputs of the other
// generation, and then runs it to completion. Half of the kills happen at a random time, half after
// the program has created a scratch directory. No state may be torn, and no scratch directory may
// remain at the end.
func Killed(t *testing.T, j Job) map[State]int {
	t.Helper()
	g := j.run(t)
	g.old.write(t, g.dir)
	begin := time.Now()
	cmd, ended := g.start(t)
	g.waitForWrite(t, ended)
	writing := time.Now()
	<-ended
	took, wrote := time.Since(begin), time.Since(writing)
	g.checkSuccess(t, cmd)

	states, leaving := map[State]int{}, 0
	for killed := 0; killed < rounds(); {
		g.old.write(t, g.dir)
		cmd, ended := g.start(t)
		within := took
		if killed%2 == 0 && g.countScratch(t) == 0 {
			g.waitForWrite(t, ended)
			within = wrote
		}
		select {
		case <-time.After(time.Duration(rand.Int64N(int64(within) + 1))):
		case <-ended:
		}
		cmd.Process.Kill()
		<-ended
		if cmd.ProcessState.Exited() {
			g.checkSuccess(t, cmd)
			continue
		}
		killed++
		s, why := g.state(t)
		if s == Torn {
			t.Error(why)
		}
		states[s]++
		if g.countScratch(t) > 0 {
			leaving++
			g.finishAfterKill(t) // removes it
		}
	}
	g.finishAfterKill(t)
	if s, why := g.state(t); s != New {
		t.Errorf("after a run to the end: %s %s", s, why)
	}
	if n := g.countScratch(t); n > 0 {
		t.Errorf("%d scratch directories remain after a complete run", n)
	}
	t.Logf("killed %d times within %v: %v; %d left a scratch directory", rounds(), took, states, leaving)
	return states
}

// start starts the program with generation 1.
func (g *generations) start(t testing.TB) (cmd *exec.Cmd, ended chan struct{}) {
	t.Helper()
	cmd, ended = g.command(1), make(chan struct{})
	cmd.Stderr = new(bytes.Buffer)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { cmd.Wait(); close(ended) }()
	return cmd, ended
}

// finishAfterKill runs the program to completion after a run was killed.
func (g *generations) finishAfterKill(t testing.TB) {
	t.Helper()
	if len(g.job.Before) > 0 { // files that the program edits
		g.old.write(t, g.dir)
	}
	g.end(t, 1)
}

// checkSuccess ends the test unless a program exited successfully.
func (g *generations) checkSuccess(t testing.TB, cmd *exec.Cmd) {
	t.Helper()
	if !cmd.ProcessState.Success() {
		t.Fatalf("%q: %v\n%s", cmd.Args, cmd.ProcessState, cmd.Stderr)
	}
}

// waitForWrite waits until the program has created a scratch directory or has exited.
func (g *generations) waitForWrite(t testing.TB, ended <-chan struct{}) {
	for g.countScratch(t) == 0 {
		select {
		case <-ended:
			return
		case <-time.After(20 * time.Microsecond):
		}
	}
}
