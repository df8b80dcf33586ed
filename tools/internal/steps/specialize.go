package steps

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
)

// SpecializeOptions holds the options of [Specialize].
type SpecializeOptions struct {
	Settings []specialize.Setting
	Tables   []SpecializedTable
}

// A SpecializedTable is an input table and its outputs with new values.
type SpecializedTable struct {
	In            string
	CodeDir       string // for SPIR-V
	PropertiesDir string // for property files and symbol files
	Out           string
}

// Specialize sets specialization constants in the SPIR-V of tables. Each constant must be in at
// least one table. Copies of images that were built with default values are removed.
func Specialize(o SpecializeOptions) error {
	var images []specialize.Image
	read := make([]*filetable.Table, len(o.Tables))
	for i, t := range o.Tables {
		table, err := cli.ReadTable(t.In)
		if err != nil {
			return err
		}
		read[i] = table
		rows, err := rowsOf(t.In, table)
		if err != nil {
			return err
		}
		for _, r := range rows {
			img, err := r.image()
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

// image returns the code and metadata of a row whose constants can be set.
func (r row) image() (specialize.Image, error) {
	img := specialize.Image{Place: r.code, Metadata: new(propset.Registry)}
	n, err := r.size()
	if err != nil {
		return img, err
	}
	if r.properties != "" {
		if img.Metadata, err = propertyFile(r.properties); err != nil {
			return img, err
		}
	}
	switch {
	case specialize.HasDefaultsOnly(img.Metadata):
		img.Fixed = []string{"the copy with default values"}
	case n > 0:
		img.Code = []offload.Source{codeFile{r.code, n}}
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

// write writes a table and the files of its images to outputs. It omits changed images that
// contain old values.
func (t *SpecializedTable) write(g *outfile.Group, in *filetable.Table, images []specialize.Image, fixed []bool) error {
	out, err := newOutputs(g, t.CodeDir, t.PropertiesDir)
	if err != nil {
		return err
	}
	rows, err := rowsOf(t.In, in)
	if err != nil {
		return err
	}
	table := tableOf(nil)
	for i, r := range rows {
		if fixed[i] && images[i].Fixed == nil {
			continue
		}
		files := out.image(r.stem())
		n, err := r.size()
		if err != nil {
			return err
		}
		code := offload.Source(codeFile{r.code, n})
		if len(images[i].Code) > 0 {
			code = images[i].Code[0]
		}
		if err := copyTo(files.code.scratch, io.NewSectionReader(code, 0, code.Size())); err != nil {
			return err
		}
		text, err := images[i].Metadata.MarshalText()
		if err == nil {
			err = os.WriteFile(files.properties.scratch, text, 0o666)
		}
		if err == nil {
			err = copySymbols(files.symbols.scratch, t.In, in, i)
		}
		if err != nil {
			return err
		}
		table.Rows = append(table.Rows, files.row())
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
