package render

import (
	"bytes"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/reporttest"
	"github.com/rules-sycl/rules_sycl/sycl/gate"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// TestLineHashes compares fingerprints with the output of the action that uploads SARIF files.
func TestLineHashes(t *testing.T) {
	greeting := []string{"e9496ae3ebfced30:1", "fb7c023a8b9ccb3f:1", "ce8ba1a563dcdaca:1", "e20e36e16fcb0cc8:1", "b3edc88f2938467e:1", "c8e28b0b4002a3a0:1", "c129715d7a2bc9a3:1"}
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"an empty file", "", []string{"c129715d7a2bc9a3:1"}},
		{"spaces and tabs", " a\nb\n  \t\tc\n d", []string{"271789c17abda88f:1", "54703d4cd895b18:1", "180aee12dab6264:1", "a23a3dc5e078b07b:1"}},
		{"no final line break", " hello; \t\nworld!!!\n\n\n  \t\tGreetings\n End", []string{"8b7cf3e952e7aeb2:1", "b1ae1287ec4718d9:1", "bff680108adb0fcc:1", "c6805c5e1288b612:1", "b86d3392aea1be30:1", "e6ceba753e1a442:1"}},
		{"line feeds", " hello; \t\nworld!!!\n\n\n  \t\tGreetings\n End\n", greeting},
		{"returns", " hello; \t\rworld!!!\r\r\r  \t\tGreetings\r End\r", greeting},
		{"both", " hello; \t\r\nworld!!!\r\n\r\n\r\n  \t\tGreetings\r\n End\r\n", greeting},
		{"mixed line ends", " hello; \t\nworld!!!\r\n\n\r  \t\tGreetings\r End\r\n", greeting},
		{"equal lines", strings.Repeat("Lorem ipsum dolor sit amet.\n", 10), []string{"a7f2ff13bc495cf2:1", "a7f2ff13bc495cf2:2", "a7f2ff13bc495cf2:3", "a7f2ff13bc495cf2:4", "a7f2ff13bc495cf2:5", "a7f2ff13bc495cf2:6",
			"a7f2ff1481e87703:1", "a9cf91f7bbf1862b:1", "55ec222b86bcae53:1", "cc97dc7b1d7d8f7b:1", "c129715d7a2bc9a3:1"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := lineHashes(test.text); !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
	for name, data := range map[string][]byte{"large": make([]byte, maxHashed+1), "binary": []byte("\xff")} {
		if got := readLines(bytes.NewReader(data)); got != nil {
			t.Errorf("%s file: %d lines", name, len(got))
		}
	}
	want := []int{2, 0, 4, 0}
	for i, line := range readLines(strings.NewReader("ab\r\n\r\t\U0001F600c\n")) {
		if line.length != want[i] {
			t.Errorf("line %d: %d UTF-16 units, want %d", i+1, line.length, want[i])
		}
	}
}

func FuzzLineHashes(f *testing.F) {
	f.Add("a\r\nb\tc\n\U0001F600\n")
	f.Fuzz(func(t *testing.T, text string) {
		list := lineHashes(text)
		for i, h := range list {
			if slices.Contains(list[:i], h) {
				t.Errorf("line %d: fingerprint %s of an earlier line", i+1, h)
			}
		}
	})
}

// A tree is a workspace.
type tree map[string]string

func (w tree) HasFile(path string) bool { _, ok := w[path]; return ok }

func (w tree) Open(path string) (io.ReadCloser, error) {
	if !w.HasFile(path) {
		return nil, fs.ErrNotExist
	}
	return io.NopCloser(strings.NewReader(w[path])), nil
}

func (w tree) Target(string) (string, int, bool) { return "BUILD.bazel", 3, w.HasFile("BUILD.bazel") }

func TestLineHashesInSARIF(t *testing.T) {
	r := reporttest.Report("//:t", []string{"a"}, map[string]reporttest.Problems{"K": {"a": {reporttest.FP64}}, "L": {"a": {reporttest.FP64}}, "M": {"a": {reporttest.FP64}}})
	for i, name := range []string{"k.cpp", "", "l.cpp"} {
		if name != "" {
			r.Kernels[i].Location = srcloc.Location{Path: name, Line: 2}
		}
	}
	in := gate.Input{Reports: facts(r), Today: today, Workspace: tree{"k.cpp": " a\nb\n  \t\tc\n d", "l.cpp": "one line", "BUILD.bazel": "\n\n c\nd"}}
	text := written(t, "result.sarif", gate.Evaluate(in))
	// There is one fingerprint for a line of k.cpp, one for the BUILD file, and none for a line beyond
	// the end of l.cpp.
	if n := strings.Count(text, "primaryLocationLineHash"); n != 2 || !strings.Contains(text, `"primaryLocationLineHash": "54703d4cd895b18:1"`) || !strings.Contains(text, `"primaryLocationLineHash": "180aee12dab6264:1"`) {
		t.Errorf("%d fingerprints in\n%s", n, text)
	}
	in.Workspace = nil
	if text := written(t, "result.sarif", gate.Evaluate(in)); strings.Contains(text, "primaryLocationLineHash") {
		t.Errorf("fingerprint for a missing file:\n%s", text)
	}
}
