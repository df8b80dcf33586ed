package steps

import (
	"fmt"
	"path/filepath"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/outfile"
	"github.com/rules-sycl/rules_sycl/sycl/filetable"
)

// A row is the files of one module.
type row struct {
	table            string // "" for a module that is given itself
	code, properties string
}

// stem is what a module's files are called, without their extension.
func (r row) stem() string { return cli.Stem(r.code) }

// size returns how many bytes the code has.
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
	// Files are called after those of the table.
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

// outputs are the folders of a step's files and its table, which appear together with all
// others of the group.
type outputs struct {
	*outfile.Group
	code, properties folder
}

// A folder is one of outputs, with where its files are until then.
type folder struct{ path, scratch string }

// newOutputs returns the outputs of a step that writes code to one folder and, unless its
// name is empty, properties and symbols to another one. The group has to be closed.
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

// commit writes the table and puts all in their places.
func (o *outputs) commit(table string, t *filetable.Table) error {
	if err := o.WriteMain(table, t.Write); err != nil {
		return err
	}
	return o.Commit()
}

// An output is a file that a step makes.
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
