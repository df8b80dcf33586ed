package postlink

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/internal/llvmir"
	"github.com/rules-sycl/rules_sycl/sycl/postlink/aspects"
	"github.com/rules-sycl/rules_sycl/sycl/postlink/internal/devicecode"
)

// TestMismatchesInCompiledCode checks declared aspects in compiled code. There must be one warning
// for each missing aspect, with the chain of calls, including constructors, but none for code that
// if constexpr discards.
func TestMismatchesInCompiledCode(t *testing.T) {
	clang := testkit.Program(t, "clang++")
	var bare []string
	for _, debug := range []bool{false, true} {
		file := filepath.Join(t.TempDir(), "mismatch.ll")
		args := []string{"-std=c++20", "-fsycl", "-fsycl-device-only", "-O0", "-S", "-emit-llvm", "testdata/mismatch.cpp", "-o", file}
		if debug {
			args = append(args, "-g")
		}
		if out, err := exec.CommandContext(t.Context(), clang, args...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		text := testkit.Must(os.ReadFile(file))(t)
		m := testkit.Must(llvmir.Parse("mismatch.ll", string(text)))(t)
		testkit.NoError(t, markSource(m, "mismatch.cpp", false))
		result := testkit.Must(aspects.Propagate(m, aspects.Options{}))(t)
		var got []string
		place := regexp.MustCompile(`(?m)(^| )[^ ]*mismatch\.cpp:(\d+):\d+(:?)`)
		for _, d := range result.Diagnostics {
			got = append(got, place.ReplaceAllString(d.String(), "$1$2$3"))
		}
		slices.Sort(got)
		if !debug {
			bare = got
			continue
		}
		want := `11: warning: function 'chosen_to' uses aspect 'fp64' not listed in 'sycl::device_has'
use is from this call chain:
  chosen_to(float)
  void chosen<true>(float) 46
  uses_double(float) 41
11: warning: function 'constructs' uses aspect 'fp64' not listed in 'sycl::device_has'
use is from this call chain:
  constructs()
  Derived::Derived() 50
  Constructed::Constructed(float) 24
  uses_double(float) 21
15: warning: function 'both' uses aspect 'fp16' not listed in 'sycl::device_has'
use is from this call chain:
  both(float)
  uses_both(float) 29
16: warning: function 'both' uses aspect 'fp64' not listed in 'sycl::device_has'
use is from this call chain:
  both(float)
  uses_both(float) 29
16: warning: function 'one' uses aspect 'fp64' not listed in 'sycl::device_has'
use is from this call chain:
  one(float)
  uses_both(float) 32`
		if text := strings.Join(got, "\n"); text != want {
			t.Errorf("with -g:\n%s\nwant:\n%s", text, want)
		}
		// Without debug information, the warnings are the same, without locations.
		for i, s := range got {
			got[i] = regexp.MustCompile(`(?m)^\d+: | \d+$`).ReplaceAllString(s, "") + "\n" + devicecode.CompileWithDebug
		}
		slices.Sort(got)
		if !slices.Equal(bare, got) {
			t.Errorf("without -g:\n%s\nwant:\n%s", strings.Join(bare, "\n"), strings.Join(got, "\n"))
		}
	}
}
