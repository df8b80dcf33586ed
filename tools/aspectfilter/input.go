package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/rules-sycl/rules_sycl/sycl/filetable"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
	"github.com/rules-sycl/rules_sycl/tools/internal/tables"
)

// input is a file table with what its rows need.
type input struct {
	name  string
	raw   []byte
	table *filetable.Table
	rows  []module // one for each row
}

// module is what a property file says of a row.
type module struct {
	needs   *requirement.Requirements // nil when the table has no property files
	kernels []string
}

// read reads a table and the property files that it names. Files that several
// rows name, also of several tables, are read once.
func read(ctx context.Context, name string, known map[string]module) (*input, error) {
	raw, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("file table: %w", err)
	}
	table, err := filetable.Read(name, bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	in := &input{name: name, raw: raw, table: table, rows: make([]module, len(table.Rows))}
	column := table.Column(filetable.Properties)
	if column < 0 {
		return in, nil
	}
	for i, row := range table.Rows {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		path := row[column]
		key := filepath.Dir(name) + "\x00" + path
		m, ok := known[key]
		if !ok {
			if m, err = readProperties(name, path); err != nil {
				return nil, fmt.Errorf("%s: row %d: %w", name, i+1, err)
			}
			known[key] = m
		}
		in.rows[i] = m
	}
	return in, nil
}

func readProperties(table, path string) (module, error) {
	data, found, err := tables.Read(table, path)
	if err != nil {
		return module{}, fmt.Errorf("property file: %w", err)
	}
	properties, err := propset.Parse(found, data)
	if err != nil {
		return module{}, err
	}
	needs, err := requirement.FromProperties(properties)
	if err != nil {
		return module{}, fmt.Errorf("%s: %w", found, err)
	}
	m := module{needs: needs}
	for _, p := range properties.Set(propset.KernelNames).Properties() {
		m.kernels = append(m.kernels, p.Key)
	}
	return m, nil
}

// code returns the code file of a row, "" when the table names none.
func (in *input) code(row int) string {
	if c := in.table.Column(filetable.Code); c >= 0 {
		return in.table.Rows[row][c]
	}
	return ""
}

// needs returns what each row needs.
func needs(rows []module) []*requirement.Requirements {
	list := make([]*requirement.Requirements, len(rows))
	for i, m := range rows {
		list[i] = m.needs
	}
	return list
}
