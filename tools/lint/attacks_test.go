package lint

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestTrustPage checks that docs/explanation/trust.md lists all tests that are named as attacks on
// the gate, and states their number.
func TestTrustPage(t *testing.T) {
	root := tree(t)
	page, err := os.ReadFile(filepath.Join(root, "docs", "explanation", "trust.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "\n## Attacks\n")
	link := regexp.MustCompile(`\[(Test\w+)\]\(\.\./\.\./([\w/]+_test\.go)\)`)
	kinds, named := 0, map[string]bool{}
	for line := range strings.Lines(table) {
		tests := link.FindAllStringSubmatch(line, -1)
		if tests == nil {
			continue
		}
		kinds++
		for _, m := range tests {
			code, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(m[2])))
			if err != nil || !strings.Contains(string(code), "\nfunc "+m[1]+"(t *testing.T) {\n") {
				t.Errorf("%s has no %s", m[2], m[1])
			}
			named[path.Dir(m[2])+" "+m[1]] = true
		}
	}
	if want := fmt.Sprintf("\nThere are %d tests for %d kinds of attack.", len(named), kinds); !strings.Contains(table, want) {
		t.Errorf("docs/explanation/trust.md does not say %q", want)
	}
	attack := regexp.MustCompile(`(?m)^func (TestAttack\w*)\(`)
	files(t, func(name string) bool { return strings.HasSuffix(name, "_test.go") }, func(t *testing.T, name string, data []byte) {
		for _, m := range attack.FindAllSubmatch(data, -1) {
			if test := path.Dir(filepath.ToSlash(name)) + " " + string(m[1]); !named[test] {
				t.Errorf("docs/explanation/trust.md does not name %s", test)
			}
		}
	})
}
