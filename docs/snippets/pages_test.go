// Package snippets checks the code, commands and outputs in the pages of the project.
package snippets

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A block is a fenced block of a page.
type block struct {
	page     string // path from the root
	line     int    // line of the fence
	language string
	text     string
}

func (b block) at() string { return fmt.Sprintf("%s:%d", b.page, b.line) }

// first returns the first line, which identifies a block in tables even if the block moves.
func (b block) first() string {
	line, _, _ := strings.Cut(strings.TrimLeft(b.text, "\n"), "\n")
	return strings.TrimSpace(line)
}

// root is the root directory of the source tree. It contains MODULE.bazel, which is a symbolic link
// into the root in a Bazel test.
var root = func() string {
	dir, err := os.Getwd()
	for ; err == nil && dir != "/"; dir = filepath.Dir(dir) {
		if file, err := filepath.EvalSymlinks(filepath.Join(dir, "MODULE.bazel")); err == nil {
			return filepath.Dir(file)
		}
	}
	panic("there is no MODULE.bazel above this test")
}()

var openFence = regexp.MustCompile("^( *)```+([a-z+]*) *$")

// blocksOf returns the blocks of a page.
func blocksOf(page, text string) (list []block, err error) {
	var b *block
	var indent string
	for i, line := range strings.Split(text, "\n") {
		m := openFence.FindStringSubmatch(line)
		switch {
		case b == nil && m != nil:
			indent, b = m[1], &block{page: page, line: i + 1, language: m[2]}
		case b == nil:
		case m != nil && m[1] == indent && m[2] == "":
			list = append(list, *b)
			b = nil
		default:
			b.text += strings.TrimPrefix(line, indent) + "\n"
		}
	}
	if b != nil {
		return nil, fmt.Errorf("%s: the block has no end", b.at())
	}
	return list, nil
}

// pages returns the text of each page for readers, by path.
func pages(t *testing.T) map[string]string {
	t.Helper()
	pages := map[string]string{}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && file != root || d.Name() == "testdata" || d.Name() == "node_modules") {
			return fs.SkipDir
		}
		if !d.Type().IsRegular() || !strings.HasSuffix(file, ".md") || d.Name() == "CHANGELOG.md" {
			return nil
		}
		path, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(file)
		pages[filepath.ToSlash(path)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return pages
}
