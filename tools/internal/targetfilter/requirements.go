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

// requirementTable is a file table with the requirements of its rows.
type requirementTable struct {
	name  string
	raw   []byte
	table *filetable.Table
	rows  []rowRequirements // requirements of each row
}

// rowRequirements holds the requirements in a row's property file.
type rowRequirements struct {
	needs   *requirement.Requirements // nil if the table has no property files
	kernels []string
}

// readNeeds reads a table and its property files. It reads a file only once, even if several rows
// or tables refer to it; known holds the files that were read before.
func readNeeds(ctx context.Context, name string, assume *release.Release, known map[string]rowRequirements) (*requirementTable, error) {
	f, err := cli.OpenTable(name)
	if err != nil {
		return nil, fmt.Errorf("file table: %w", err)
	}
	defer f.Close()
	if f.Size > cli.MaxText {
		return nil, cli.BadInput(fmt.Errorf("%s: file too large: %d bytes (limit %d)", name, f.Size, cli.MaxText))
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
	var missing []int // for each file that is not in known, the first row with it
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

// readModules concurrently reads the property files of rows. If there are several errors, it
// returns the error of the first row.
func readModules(ctx context.Context, name string, assume *release.Release, table *filetable.Table, rows []int) ([]rowRequirements, error) {
	modules := make([]rowRequirements, len(rows))
	column := table.Column(filetable.Properties)
	// Each call opens one file.
	err := buildstep.Each(ctx, io.Discard, len(rows), min(runtime.GOMAXPROCS(0), 16), func(ctx context.Context, _ io.Writer, i int) (err error) {
		if modules[i], err = readProperties(name, table.Rows[rows[i]][column], assume); err != nil {
			return fmt.Errorf("%s: row %d: %w", name, rows[i]+1, err)
		}
		return ctx.Err()
	})
	return modules, err
}

// readProperties reads a property file. If a row names none, it has no requirements.
func readProperties(table, path string, assume *release.Release) (rowRequirements, error) {
	if path == "" {
		return rowRequirements{needs: new(requirement.Requirements)}, nil
	}
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

// code returns the code file of a row, or "" if the table has none.
func (in *requirementTable) code(row int) string {
	if c := in.table.Column(filetable.Code); c >= 0 {
		return in.table.Rows[row][c]
	}
	return ""
}
