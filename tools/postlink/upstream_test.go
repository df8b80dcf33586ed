package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/filetable"
)

// The files of testdata/upstream contain the constructs of intel/llvm's tests of its post-link
// step. docs/project/upstream-tests.md maps those tests to the files. The first line of a file
// describes it. Each comment
//
//	; run: FLAGS
//
// is one run. NAME.txt contains the results of all runs of NAME.ll: the images with their symbols,
// the first lines of definitions and declarations, the metadata about symbols, and the properties;
// or the error. A file with the comment
//
//	; dpcpp: FLAGS
//
// is also passed to DPC++'s own post-link step if it is available; see dpcpp_test.go.
type construct struct {
	name, file string
	runs       []string
	dpcpp      []string
}

func constructs(t testing.TB) []construct {
	t.Helper()
	files, err := filepath.Glob("testdata/upstream/*.ll")
	if err != nil || len(files) == 0 {
		t.Fatal("no files in testdata/upstream", err)
	}
	var list []construct
	for _, file := range files {
		text := testkit.Must(os.ReadFile(file))(t)
		c := construct{name: strings.TrimSuffix(filepath.Base(file), ".ll"), file: file}
		for line := range strings.Lines(string(text)) {
			comment, ok := strings.CutPrefix(strings.TrimSpace(line), "; ")
			if !ok {
				break
			}
			if flags, ok := strings.CutPrefix(comment, "run: "); ok {
				c.runs = append(c.runs, flags)
			} else if flags, ok := strings.CutPrefix(comment+" ", "dpcpp: "); ok {
				c.dpcpp = append(c.dpcpp, strings.TrimSpace(flags))
			}
		}
		if len(c.runs) == 0 {
			t.Errorf("%s has no line \"; run: FLAGS\"", file)
		}
		list = append(list, c)
	}
	return list
}

func TestUpstreamConstructs(t *testing.T) {
	for _, c := range constructs(t) {
		t.Run(c.name, func(t *testing.T) {
			var b strings.Builder
			for _, flags := range c.runs {
				fmt.Fprintf(&b, "$ postlink %s\n", flags)
				describeRun(t, &b, c.file, strings.Fields(flags))
			}
			testkit.Golden(t, "upstream/"+c.name+".txt", b.String())
		})
	}
}

// describeRun writes the results of a run.
func describeRun(t *testing.T, b *strings.Builder, file string, flags []string) {
	t.Helper()
	dir := t.TempDir()
	table := filepath.Join(dir, "out.table")
	var args []string
	named := false // whether the flags name the outputs
	for _, flag := range flags {
		if strings.Contains(flag, "OUT") {
			named = true
		}
		args = append(args, strings.ReplaceAll(flag, "OUT", filepath.Join(dir, "out")))
	}
	if !named {
		args = append(args, "--output", table)
	}
	code, stderr := run(t, append(args, file)...)
	if stderr != "" {
		b.WriteString(strings.ReplaceAll(strings.ReplaceAll(stderr, dir+"/", ""), file, filepath.Base(file)))
	}
	if code != 0 {
		fmt.Fprintf(b, "exit code %d\n\n", code)
		return
	}
	outputs := testkit.Must(filepath.Glob(filepath.Join(dir, "*")))(t)
	for _, output := range outputs {
		switch filepath.Ext(output) {
		case ".table":
			describeTable(t, b, output)
		case ".ll":
			if slices.Contains(flags, "--ir-output-only") {
				describeCode(b, readFile(t, output))
			}
		}
	}
	b.WriteString("\n")
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text := testkit.Must(os.ReadFile(name))(t)
	return string(text)
}

// describeTable writes the rows of a file table with the content of their files.
func describeTable(t *testing.T, b *strings.Builder, name string) {
	t.Helper()
	table := testkit.Must(filetable.Read(name, bytes.NewReader([]byte(readFile(t, name)))))(t)
	fmt.Fprintf(b, "%s [%s]\n", filepath.Base(name), strings.Join(table.Columns, "|"))
	for _, row := range table.Rows {
		var files []string
		for _, file := range row {
			files = append(files, filepath.Base(file))
		}
		fmt.Fprintf(b, "\n%s\n", strings.Join(files, "|"))
		for i, column := range table.Columns {
			path := row[i]
			if !filepath.IsAbs(path) {
				path = filepath.Join(filepath.Dir(name), path)
			}
			text := readFile(t, path)
			switch column {
			case filetable.Symbols:
				fmt.Fprintf(b, "  symbols: %s\n", strings.Join(strings.Fields(text), " "))
			case filetable.Properties:
				for line := range strings.Lines(text) {
					b.WriteString("  " + line)
				}
			default:
				describeCode(b, text)
			}
		}
	}
}

// header matches the start of a definition or declaration in IR, which contains the linkage and
// visibility of the symbol.
var header = regexp.MustCompile(`^(?:(?:define|declare) [^@]*@"?[^"( ]+"?|@"?[^" ]+"? = .*)`)

// attached matches references to attributes and metadata by number.
var attached = regexp.MustCompile(`(,? ![\w.]+ !\d+)+|(,? #\d+)+$`)

// aboutSymbol matches a metadata node about a symbol, such as a node of nvvm.annotations.
var aboutSymbol = regexp.MustCompile(`^!\d+ = (?:distinct )?(!\{ptr @.*\})$`)

// describeCode writes the symbols of a module and the metadata about symbols.
func describeCode(b *strings.Builder, text string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if found := header.FindString(line); found != "" {
			fmt.Fprintf(b, "  %s\n", strings.TrimSpace(attached.ReplaceAllString(found, "")))
		} else if node := aboutSymbol.FindStringSubmatch(line); node != nil {
			fmt.Fprintf(b, "  metadata: %s\n", node[1])
		}
	}
}
