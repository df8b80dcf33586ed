package steps

import (
	"fmt"
	"path/filepath"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/outfile"
	"github.com/rules-sycl/rules_sycl/sycl/filetable"
)

// A row holds the names of the files of one module.
type row struct {
	table            string // "" for a module that is given itself
	code, properties string
}

// stem returns the name of a module's files without the extension.
func (r row) stem() string { return cli.Stem(r.code) }

// size returns the size of the code in bytes.
func (r row) size() (int64, error) {
	n, err := size(r.code)
	if err != nil && r.table != "" {
		err = fmt.Errorf("%s: %w", r.table, err)
	}
	return n, err
}

// readRows returns the rows of a table, or the one of a module.
func readRows(name string) ([]row, error) {
	if filepath.Ext(name) != ".table" {
		return []row{{code: name}}, nil
	}
	t, err := cli.ReadTable(name)
	if err != nil {
		return nil, err
	}
	return rowsOf(name, t)
}

func rowsOf(name string, t *filetable.Table) ([]row, error) {
	// Output files are named after the files in the table.
	if _, err := cli.Stems(name, t); err != nil {
		return nil, err
	}
	code, properties := t.Column(filetable.Code), t.Column(filetable.Properties)
	var rows []row
	for _, cells := range t.Rows {
		r := row{table: name, code: cli.Moved(name, cells[code])}
		if properties >= 0 {
			r.properties = cli.Moved(name, cells[properties])
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// outputs holds the output directories and the table of a step, which appear together with all
// other outputs of the group.
type outputs struct {
	*outfile.Group
	code, properties folder
}

// A folder is an output directory and its scratch directory.
type folder struct{ path, scratch string }

// newOutputs returns the outputs of a step that writes code to one directory and, unless
// properties is empty, property and symbol files to another. The caller must close the group.
func newOutputs(g *outfile.Group, code, properties string) (*outputs, error) {
	o := &outputs{Group: g, code: folder{path: code}, properties: folder{path: properties}}
	var err error
	if o.code.scratch, err = g.Folder(code); err != nil || properties == "" {
		return o, err
	}
	o.properties.scratch = o.code.scratch
	if filepath.Clean(properties) != filepath.Clean(code) {
		o.properties.scratch, err = g.Folder(properties)
	}
	return o, err
}

// commit writes the table and moves all outputs to their locations.
func (o *outputs) commit(table string, t *filetable.Table) error {
	if err := o.WriteMain(table, t.Write); err != nil {
		return err
	}
	return o.Commit()
}

// An output is a file that a step writes.
type output struct{ path, scratch string }

func (f folder) file(name string) output {
	return output{filepath.Join(f.path, name), filepath.Join(f.scratch, name)}
}

// rowFiles are the files of a row.
type rowFiles struct{ code, properties, symbols output }

// image returns the files of an image of that name.
func (o *outputs) image(stem string) rowFiles {
	return rowFiles{o.code.file(stem + ".spv"), o.properties.file(stem + ".prop"), o.properties.file(stem + ".sym")}
}

// row returns the cells of the image's row in a file table.
func (f rowFiles) row() []string { return []string{f.code.path, f.properties.path, f.symbols.path} }

// tableOf returns a table with the standard columns.
func tableOf(rows [][]string) *filetable.Table {
	return &filetable.Table{Columns: []string{filetable.Code, filetable.Properties, filetable.Symbols}, Rows: rows}
}
