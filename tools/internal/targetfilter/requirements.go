package targetfilter

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"runtime"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/sycl/filetable"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/release"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
	"github.com/rules-sycl/rules_sycl/tools/internal/buildstep"
)

// requirementTable is a file table with what its rows need.
type requirementTable struct {
	name  string
	raw   []byte
	table *filetable.Table
	rows  []rowRequirements // one for each row
}

// rowRequirements holds the requirements in a row's property file.
type rowRequirements struct {
	needs   *requirement.Requirements // nil when the table has no property files
	kernels []string
}

// readNeeds reads a table and the property files that it names. Files that several
// rows name, also of several tables, are read once.
func readNeeds(ctx context.Context, name string, assume *release.Release, known map[string]rowRequirements) (*requirementTable, error) {
	f, err := cli.OpenTable(name)
	if err != nil {
		return nil, fmt.Errorf("file table: %w", err)
	}
	defer f.Close()
	if f.Size > cli.MaxText {
		return nil, cli.BadInput(fmt.Errorf("%s has %d bytes (limit %d)", name, f.Size, cli.MaxText))
	}
	raw, err := io.ReadAll(f)
	if err != nil {
		return nil, err
	}
	table, err := filetable.Read(name, bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	in := &requirementTable{name: name, raw: raw, table: table, rows: make([]rowRequirements, len(table.Rows))}
	column := table.Column(filetable.Properties)
	if column < 0 {
		return in, nil
	}
	key := func(row int) string { return filepath.Dir(name) + "\x00" + table.Rows[row][column] }
	var missing []int // the first row with each file that is not known
	found := make(map[string]bool)
	for i := range table.Rows {
		if _, ok := known[key(i)]; !ok && !found[key(i)] {
			found[key(i)] = true
			missing = append(missing, i)
		}
	}
	modules, err := readModules(ctx, name, assume, table, missing)
	if err != nil {
		return nil, err
	}
	for i, row := range missing {
		known[key(row)] = modules[i]
	}
	for i := range in.rows {
		in.rows[i] = known[key(i)]
	}
	return in, nil
}

// readModules reads the property files of rows, several at once. Of many errors
// it returns that of the first row.
func readModules(ctx context.Context, name string, assume *release.Release, table *filetable.Table, rows []int) ([]rowRequirements, error) {
	modules := make([]rowRequirements, len(rows))
	column := table.Column(filetable.Properties)
	// Each has an open file.
	err := buildstep.Each(ctx, io.Discard, len(rows), min(runtime.GOMAXPROCS(0), 16), func(ctx context.Context, _ io.Writer, i int) (err error) {
		if modules[i], err = readProperties(name, table.Rows[rows[i]][column], assume); err != nil {
			return fmt.Errorf("%s: row %d: %w", name, rows[i]+1, err)
		}
		return ctx.Err()
	})
	return modules, err
}

func readProperties(table, path string, assume *release.Release) (rowRequirements, error) {
	data, found, err := cli.ReadListed(table, path)
	if err != nil {
		return rowRequirements{}, fmt.Errorf("property file: %w", err)
	}
	properties, err := propset.Parse(found, data)
	if err != nil {
		return rowRequirements{}, err
	}
	if assume != nil {
		properties = assume.Read(properties)
	}
	needs, err := requirement.FromProperties(properties)
	if err != nil {
		return rowRequirements{}, fmt.Errorf("%s: %w", found, err)
	}
	return rowRequirements{needs, properties.Set(propset.KernelNames).Keys()}, nil
}

// code returns the code file of a row, "" when the table names none.
func (in *requirementTable) code(row int) string {
	if c := in.table.Column(filetable.Code); c >= 0 {
		return in.table.Rows[row][c]
	}
	return ""
}
