package testkit

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/rules-sycl/rules_sycl/internal/interrupt"
)

// A KilledJob is a program that writes outputs.
type KilledJob struct {
	// Start starts the program in the current folder, with outputs of one generation.
	Start func(generation int) *exec.Cmd
	// Check returns what is wrong with the outputs, "" when they are of one generation or
	// the main one is not there.
	Check func() string
	// Main is the main output, which is there after a run to the end.
	Main string
	// Folders are where scratch folders may be.
	Folders []string
}

// rounds is how often programs are killed. RULES_SYCL_KILLS sets another number.
func rounds() int {
	if n, err := strconv.Atoi(os.Getenv("RULES_SYCL_KILLS")); err == nil {
		return n
	}
	return 15
}

// Test kills programs at random moments, and then runs one to its end. No state is wrong, and
// nothing is left.
func Test(t *testing.T, j KilledJob) {
	t.Helper()
	begin := time.Now()
	j.end(t, j.Start(1))
	took := time.Since(begin)
	wrong, killed, leaving := 0, 0, 0
	check := func() {
		if why := j.Check(); why != "" {
			wrong++
			t.Error(why)
		}
	}
	check()
	for range rounds() {
		cmd := j.Start(rand.IntN(9))
		time.Sleep(time.Duration(rand.Int64N(int64(took))))
		cmd.Process.Kill()
		cmd.Wait()
		if !cmd.ProcessState.Exited() {
			killed++
		}
		check()
		leaving += j.left()
	}
	time.Sleep(50 * time.Millisecond) // until what the last one ran has ended as well
	j.end(t, j.Start(rand.IntN(9)))
	check()
	if _, err := os.Stat(j.Main); err != nil {
		t.Error(err)
	}
	if n := j.left(); n > 0 {
		t.Errorf("%d scratch folders are left after a run to the end", n)
	}
	t.Logf("of %d runs %d were killed within %v, %d left scratch folders; wrong states: %d", rounds(), killed, took, leaving, wrong)
}

func (j KilledJob) end(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%q: %v", cmd.Args, err)
	}
}

// left counts scratch folders.
func (j KilledJob) left() int {
	n := 0
	for _, dir := range j.Folders {
		list, _ := filepath.Glob(filepath.Join(dir, interrupt.ScratchPrefix+"*"))
		n += len(list)
	}
	return n
}
