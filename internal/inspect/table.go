package inspect

import (
	"fmt"
	"io"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/sycl/filetable"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/report"
)

// readTable returns one module per row of a file table.
func (r *reader) readTable(name string, in io.Reader) ([]report.Module, error) {
	table, err := filetable.Read(name, in)
	if err != nil {
		return nil, err
	}
	if len(table.Rows) > 0 && table.Column(filetable.Code) < 0 {
		return nil, cli.BadInput(fmt.Errorf("%s: the table has no column %s", name, filetable.Code))
	}
	var list []report.Module
	for i, row := range table.Rows {
		m, err := r.readRow(name, table, row)
		if err != nil {
			return nil, fmt.Errorf("%s: row %d: %w", name, i+1, err)
		}
		for n, w := range m.Warnings {
			m.Warnings[n] = fmt.Sprintf("row %d: %s", i+1, w)
		}
		list = append(list, m)
	}
	return list, nil
}

func (r *reader) readRow(name string, table *filetable.Table, row []string) (report.Module, error) {
	var properties *propset.Registry
	if c := table.Column(filetable.Properties); c >= 0 && row[c] != "" {
		data, found, err := cli.ReadListed(name, row[c])
		if err != nil {
			return report.Module{}, fmt.Errorf("property file: %w", err)
		}
		if properties, err = propset.Parse(found, data); err != nil {
			return report.Module{}, err
		}
		properties = r.options.Sets(properties)
	}
	var symbols []string
	if c := table.Column(filetable.Symbols); c >= 0 && row[c] != "" {
		data, _, err := cli.ReadListed(name, row[c])
		if err != nil {
			return report.Module{}, fmt.Errorf("symbol file: %w", err)
		}
		symbols = strings.Fields(string(data))
	}
	code, err := cli.OpenListed(name, row[table.Column(filetable.Code)])
	if err != nil {
		return report.Module{}, fmt.Errorf("code file: %w", err)
	}
	defer code.Close()
	info, err := code.Stat()
	if err != nil {
		return report.Module{}, err
	}
	m, err := report.FromRow(io.NewSectionReader(code, 0, info.Size()), properties, symbols, r.workspaces...)
	if err != nil {
		return m, fmt.Errorf("%s: %w", code.Name(), err)
	}
	return m, nil
}
