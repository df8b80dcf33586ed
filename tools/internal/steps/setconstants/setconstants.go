// Package setconstants implements the build step that sets specialization constants in the SPIR-V
// of tables.
package setconstants

import (
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/outfile"
	"github.com/rules-sycl/rules_sycl/sycl/filetable"
	"github.com/rules-sycl/rules_sycl/sycl/offload"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/specialize"
	"github.com/rules-sycl/rules_sycl/tools/internal/steps/modulefiles"
)

// Options holds the options of [Run].
type Options struct {
	Settings []specialize.Setting
	Tables   []Table
}

// A Table is an input table and the locations of its outputs.
type Table struct {
	In            string
	CodeDir       string // directory for SPIR-V
	PropertiesDir string // directory for property files and symbol files
	Out           string
}

// Run sets specialization constants in the SPIR-V of tables. At least one table must contain each
// constant. Run omits copies of images in which the default values are compiled in.
func Run(o Options) error {
	var images []specialize.Image
	read := make([]*filetable.Table, len(o.Tables))
	for i, t := range o.Tables {
		table, err := cli.ReadTable(t.In)
		if err != nil {
			return err
		}
		read[i] = table
		rows, err := modulefiles.RowsOf(t.In, table)
		if err != nil {
			return err
		}
		for _, r := range rows {
			img, err := rowImage(r)
			if err != nil {
				return err
			}
			images = append(images, img)
		}
	}
	fixed := make([]bool, len(images))
	for i, img := range images {
		fixed[i] = len(img.Fixed) > 0
	}
	if _, err := specialize.Set(images, o.Settings, specialize.Options{DropFixed: true}); err != nil {
		return err
	}
	var group outfile.Group
	defer group.Close()
	for i, t := range o.Tables {
		n := len(read[i].Rows)
		if err := t.write(&group, read[i], images[:n], fixed[:n]); err != nil {
			return group.Relabel(err)
		}
		images, fixed = images[n:], fixed[n:]
	}
	return group.Commit()
}

// rowImage returns the code and metadata of a row, for setting its constants.
func rowImage(r modulefiles.Row) (specialize.Image, error) {
	img := specialize.Image{Place: r.Code, Metadata: new(propset.Registry)}
	n, err := r.Size()
	if err != nil {
		return img, err
	}
	if r.Properties != "" {
		if img.Metadata, err = modulefiles.ReadProperties(r.Properties); err != nil {
			return img, err
		}
	}
	switch {
	case specialize.HasDefaultsOnly(img.Metadata):
		img.Fixed = []string{"the copy with default values"}
	case n > 0:
		img.Code = []offload.Source{codeFile{r.Code, n}}
	}
	return img, nil
}

// A codeFile is a file that is opened only while it is read, because there may be many.
type codeFile struct {
	name string
	size int64
}

func (f codeFile) Size() int64 { return f.size }

// ReadAt implements [io.ReaderAt].
func (f codeFile) ReadAt(b []byte, at int64) (int, error) {
	file, err := os.Open(f.name)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	return file.ReadAt(b, at)
}

// write writes a table and the files of its images. It omits images in fixed, whose old values
// cannot be changed.
func (t *Table) write(g *outfile.Group, in *filetable.Table, images []specialize.Image, fixed []bool) error {
	out, err := modulefiles.NewOutputs(g, t.CodeDir, t.PropertiesDir)
	if err != nil {
		return err
	}
	rows, err := modulefiles.RowsOf(t.In, in)
	if err != nil {
		return err
	}
	table := modulefiles.TableOf(nil)
	for i, r := range rows {
		if fixed[i] && images[i].Fixed == nil {
			continue
		}
		files := out.Image(r.Stem())
		n, err := r.Size()
		if err != nil {
			return err
		}
		code := offload.Source(codeFile{r.Code, n})
		if len(images[i].Code) > 0 {
			code = images[i].Code[0]
		}
		if err := modulefiles.Copy(files.Code.Scratch, io.NewSectionReader(code, 0, code.Size())); err != nil {
			return err
		}
		text, err := images[i].Metadata.MarshalText()
		if err == nil {
			err = os.WriteFile(files.Properties.Scratch, text, 0o666)
		}
		if err == nil {
			err = copySymbols(files.Symbols.Scratch, t.In, in, i)
		}
		if err != nil {
			return err
		}
		table.Rows = append(table.Rows, files.Row())
	}
	return g.WriteMain(t.Out, table.Write)
}

// copySymbols copies the symbol file of a row, or writes an empty one.
func copySymbols(name, table string, in *filetable.Table, row int) error {
	var symbols []byte
	if column := slices.Index(in.Columns, filetable.Symbols); column >= 0 && in.Rows[row][column] != "" {
		var err error
		if symbols, _, err = cli.ReadListed(table, in.Rows[row][column]); err != nil {
			return fmt.Errorf("symbol file: %w", err)
		}
	}
	return os.WriteFile(name, symbols, 0o666)
}
