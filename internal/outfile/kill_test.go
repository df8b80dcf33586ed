//go:build linux

package outfile

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// rounds is the number of times programs are killed. RULES_SYCL_KILLS overrides it.
func rounds(t *testing.T) int {
	if n, err := strconv.Atoi(os.Getenv("RULES_SYCL_KILLS")); err == nil {
		return n
	}
	if testing.Short() {
		return 5
	}
	return 25
}

// generation writes outputs that all belong to one generation: a directory with a main output, a
// directory without one, a file, and a table.
func generation(content string) error {
	var g Group
	defer g.Close()
	for _, name := range []string{"code", "parts"} {
		dir, err := g.Directory(name)
		if err != nil {
			return err
		}
		for n := range 5 {
			if err := os.WriteFile(filepath.Join(dir, strconv.Itoa(n)), []byte(content), 0o666); err != nil {
				return err
			}
		}
	}
	for name, write := range map[string]func(string, func(io.Writer) error) error{"parts/list": g.WriteMain, "note": g.Write, "table": g.WriteMain} {
		if err := write(name, text(content)); err != nil {
			return err
		}
	}
	return g.Commit()
}

// inconsistency describes an inconsistency between the outputs in a directory. It returns "" if
// they belong to one generation or their table does not exist.
func inconsistency(dir string) string {
	read := func(name string) string { data, _ := os.ReadFile(filepath.Join(dir, name)); return string(data) }
	for table, names := range map[string][]string{
		"parts/list": {"parts/0", "parts/1", "parts/2", "parts/3", "parts/4"},
		"table":      {"parts/list", "note", "parts/0", "parts/1", "parts/2", "parts/3", "parts/4", "code/0", "code/1", "code/2", "code/3", "code/4"},
	} {
		content := read(table)
		if content == "" {
			if _, err := os.Stat(filepath.Join(dir, table)); err == nil {
				return table + " is empty"
			}
			continue
		}
		for _, name := range names {
			if got := read(name); got != content {
				return fmt.Sprintf("%s is of %q and %s of %q", table, content, name, got)
			}
		}
	}
	return ""
}

// writer starts a program that writes count generations in a directory, or an unlimited number if
// count is 0.
func writer(t *testing.T, dir, name string, count int) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestWriter$")
	cmd.Env = append(os.Environ(), "HELPER="+name, "COUNT="+strconv.Itoa(count))
	cmd.Dir = dir
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// TestWriter is the program that is killed.
func TestWriter(t *testing.T) {
	name := os.Getenv("HELPER")
	if !strings.HasPrefix(name, "writer") {
		t.Skip("run by other tests")
	}
	count, _ := strconv.Atoi(os.Getenv("COUNT"))
	for n := 0; count == 0 || n < count; n++ {
		if err := generation(fmt.Sprint(name, " ", os.Getpid(), " ", n)); err != nil {
			t.Fatal(err)
		}
	}
}

// addUnrelated puts an unrelated file into the output directories, so that they cannot be replaced
// as a whole.
func addUnrelated(t *testing.T, dir string) {
	for _, name := range []string{"code", "parts"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o777); err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(dir, name, "other"), "kept")
	}
}

// countScratch counts scratch directories.
func countScratch(dir string) int {
	var list []string
	for _, below := range []string{".", "code", "parts"} {
		more, _ := filepath.Glob(filepath.Join(dir, below, ScratchPrefix+"*"))
		list = append(list, more...)
	}
	return len(list)
}

func TestKilled(t *testing.T) {
	for _, shared := range []bool{false, true} {
		t.Run(fmt.Sprintf("shared directory %t", shared), func(t *testing.T) {
			dir := t.TempDir()
			if shared {
				addUnrelated(t, dir)
			}
			wrong, leaving := 0, 0
			for range rounds(t) {
				cmd := writer(t, dir, "writer", 0)
				time.Sleep(5*time.Millisecond + time.Duration(rand.IntN(15_000))*time.Microsecond)
				cmd.Process.Kill()
				cmd.Wait()
				if why := inconsistency(dir); why != "" {
					wrong++
					t.Error(why)
				}
				if countScratch(dir) > 1 {
					t.Errorf("%d scratch directories remain", countScratch(dir))
				}
				leaving += countScratch(dir)
			}
			if err := writer(t, dir, "writer", 1).Wait(); err != nil {
				t.Fatal(err)
			}
			if n := countScratch(dir); n > 0 {
				t.Errorf("%d scratch directories remain after a complete run", n)
			}
			if why := inconsistency(dir); why != "" {
				t.Error(why)
			}
			if _, err := os.Stat(filepath.Join(dir, "code", "other")); shared && err != nil {
				t.Error(err)
			}
			t.Logf("%d kills, %d wrong states, %d with scratch directories that the next run removed", rounds(t), wrong, leaving)
		})
	}
}
