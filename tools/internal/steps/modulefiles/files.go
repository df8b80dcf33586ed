// Package modulefiles reads and writes the files that build steps pass to each other: file tables,
// and device images with their property and symbol files.
package modulefiles

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/outfile"
	"github.com/rules-sycl/rules_sycl/sycl/filetable"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
)

// A Row holds the file names of one module.
type Row struct {
	Table            string // "" if the input is a module instead of a table
	Code, Properties string
}

// Stem returns the name of a module's files without the extension.
func (r Row) Stem() string { return cli.Stem(r.Code) }

// Size returns the size of the code in bytes.
func (r Row) Size() (int64, error) {
	n, err := Size(r.Code)
	if err != nil && r.Table != "" {
		err = fmt.Errorf("%s: %w", r.Table, err)
	}
	return n, err
}

// ReadRows returns the rows of a table. If the file is a module, it returns one row.
func ReadRows(name string) ([]Row, error) {
	if filepath.Ext(name) != ".table" {
		return []Row{{Code: name}}, nil
	}
	t, err := cli.ReadTable(name)
	if err != nil {
		return nil, err
	}
	return RowsOf(name, t)
}

func RowsOf(name string, t *filetable.Table) ([]Row, error) {
	// Output files are named after the files in the table.
	if _, err := cli.Stems(name, t); err != nil {
		return nil, err
	}
	code, properties := t.Column(filetable.Code), t.Column(filetable.Properties)
	var rows []Row
	for _, cells := range t.Rows {
		r := Row{Table: name, Code: cli.CurrentPath(name, cells[code])}
		if properties >= 0 {
			r.Properties = cli.CurrentPath(name, cells[properties])
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// Outputs holds the output directories of a step. They and the table are moved to their locations
// together with all other outputs of the group.
type Outputs struct {
	*outfile.Group
	Code, Properties Directory
}

// A Directory is an output directory and its scratch directory.
type Directory struct{ Path, Scratch string }

// NewOutputs returns the outputs of a step that writes code to the directory code and, unless
// properties is "", property and symbol files to that directory. The caller must close the group.
func NewOutputs(g *outfile.Group, code, properties string) (*Outputs, error) {
	o := &Outputs{Group: g, Code: Directory{Path: code}, Properties: Directory{Path: properties}}
	var err error
	if o.Code.Scratch, err = g.Directory(code); err != nil || properties == "" {
		return o, err
	}
	o.Properties.Scratch = o.Code.Scratch
	if filepath.Clean(properties) != filepath.Clean(code) {
		o.Properties.Scratch, err = g.Directory(properties)
	}
	return o, err
}

// Commit writes the table and moves all outputs to their locations.
func (o *Outputs) Commit(table string, t *filetable.Table) error {
	if err := o.WriteMain(table, t.Write); err != nil {
		return err
	}
	return o.Group.Commit()
}

// A File is a file that a step writes.
type File struct{ Path, Scratch string }

func (f Directory) File(name string) File {
	return File{filepath.Join(f.Path, name), filepath.Join(f.Scratch, name)}
}

// RowFiles holds the files of a row.
type RowFiles struct{ Code, Properties, Symbols File }

// Image returns the files of the image with the given stem.
func (o *Outputs) Image(stem string) RowFiles {
	return RowFiles{o.Code.File(stem + ".spv"), o.Properties.File(stem + ".prop"), o.Properties.File(stem + ".sym")}
}

// Row returns the cells of the row in a file table.
func (f RowFiles) Row() []string { return []string{f.Code.Path, f.Properties.Path, f.Symbols.Path} }

// TableOf returns a table with the standard columns and the given rows.
func TableOf(rows [][]string) *filetable.Table {
	return &filetable.Table{Columns: []string{filetable.Code, filetable.Properties, filetable.Symbols}, Rows: rows}
}

// Size returns the size of a file in bytes.
func Size(file string) (int64, error) {
	info, err := cli.StatInput(file, "")
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// ReadProperties reads a property file.
func ReadProperties(name string) (*propset.Registry, error) {
	data, err := cli.ReadInput(name, "", cli.MaxText)
	if err != nil {
		return nil, err
	}
	return propset.Parse(name, data)
}

// Copy writes content to a new file.
func Copy(name string, content io.Reader) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, content)
	return errors.Join(err, f.Close())
}
