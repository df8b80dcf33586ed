package lint

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestBazelTargets checks that BUILD files list every Go file and the packages of this module that it
// imports. Otherwise 'go test' passes, and Bazel fails or does not run a test.
func TestBazelTargets(t *testing.T) {
	const module = "github.com/rules-sycl/rules_sycl/"
	files(t, ending(".go"), func(t *testing.T, path string, data []byte) {
		dir := filepath.Dir(path)
		build, err := os.ReadFile(filepath.Join(tree(t), dir, "BUILD.bazel"))
		if err != nil {
			return // not built by Bazel
		}
		if !strings.Contains(string(build), strconv.Quote(filepath.Base(path))) {
			t.Errorf("%s/BUILD.bazel does not list %s; add it, or run './bazelw run //:gazelle'", dir, filepath.Base(path))
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, data, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range file.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			own, isOwn := strings.CutPrefix(name, module)
			label := `"//` + own
			if isOwn && own != dir && !strings.Contains(string(build), label+`"`) && !strings.Contains(string(build), label+`:`) {
				t.Errorf("%s imports %s; add //%s to deps in %s/BUILD.bazel", path, name, own, dir)
			}
		}
	})
}
