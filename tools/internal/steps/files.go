package steps

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/interrupt"
	"github.com/rules-sycl/rules_sycl/sycl/filetable"
)

// A row is the files of one module.
type row struct{ code, properties string }

// stem is what a module's files are called, without their extension.
func (r row) stem() string {
	base := filepath.Base(r.code)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

func readTable(name string) (*filetable.Table, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return filetable.Read(name, f)
}

// readRows returns the rows of a table, or the one of a module.
func readRows(name string) ([]row, error) {
	if filepath.Ext(name) != ".table" {
		return []row{{code: name}}, nil
	}
	t, err := readTable(name)
	if err != nil {
		return nil, err
	}
	return rowsOf(name, t)
}

func rowsOf(name string, t *filetable.Table) ([]row, error) {
	column := t.Column(filetable.Code)
	if column < 0 && len(t.Rows) > 0 {
		return nil, cli.BadInput(fmt.Errorf("%s: no column %s", name, filetable.Code))
	}
	var rows []row
	seen := map[string]bool{}
	for _, cells := range t.Rows {
		r := row{code: cells[column]}
		if p := t.Column(filetable.Properties); p >= 0 {
			r.properties = cells[p]
		}
		if seen[r.stem()] {
			return nil, cli.BadInput(fmt.Errorf("%s: two modules are called %s", name, r.stem()))
		}
		seen[r.stem()] = true
		rows = append(rows, r)
	}
	return rows, nil
}

// outputs are files that are put at their places together, when all are done.
type outputs struct {
	mu   sync.Mutex
	list []*output
}

// An output is a file that a step makes.
type output struct {
	path, scratch string
	forget        func()
}

func newOutputs() *outputs { return new(outputs) }

// file returns a file of a folder that may not be there yet.
func (o *outputs) file(dir, name string) *output {
	f := &output{path: filepath.Join(dir, name), scratch: filepath.Clean(dir) + "." + name + ".tmp"}
	f.forget = interrupt.Scratch(f.scratch)
	o.mu.Lock()
	o.list = append(o.list, f)
	o.mu.Unlock()
	return f
}

// place makes the folders and puts the files there.
func (o *outputs) place(dirs ...string) error {
	for _, dir := range dirs {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return err
		}
	}
	for _, f := range o.list {
		if err := os.Rename(f.scratch, f.path); err != nil {
			return err
		}
	}
	return nil
}

// discard removes what was not put anywhere.
func (o *outputs) discard() {
	for _, f := range o.list {
		os.Remove(f.scratch)
		f.forget()
	}
}

// rowFiles are the files of a row.
type rowFiles struct{ code, properties, symbols *output }

// image returns the files of an image of that name.
func (o *outputs) image(codeDir, propertiesDir, stem string) *rowFiles {
	return &rowFiles{o.file(codeDir, stem+".spv"), o.file(propertiesDir, stem+".prop"), o.file(propertiesDir, stem+".sym")}
}

// row returns the cells of the image's row in a file table.
func (f *rowFiles) row() []string { return []string{f.code.path, f.properties.path, f.symbols.path} }
