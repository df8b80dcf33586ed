package gatefiles

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"sync"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/workspace"
	"github.com/rules-sycl/rules_sycl/sycl/gate"
	"github.com/rules-sycl/rules_sycl/sycl/report"
)

// maxReports is the maximum number of reports in a check.
const maxReports = 10_000

// readIndexes reads reports concurrently, and returns the index of each. It reads a file with
// several names once.
func readIndexes(ctx context.Context, dir *workspace.Directory, names []string) ([]*gate.Index, error) {
	if len(names) > maxReports {
		return nil, cli.BadInput(fmt.Errorf("too many reports: %d (limit %d)", len(names), maxReports))
	}
	names, err := unique(dir, names)
	if err != nil {
		return nil, err
	}
	// Only the index of a report is kept, and the process ends soon.
	debug.SetGCPercent(400)
	indexes := make([]*gate.Index, len(names))
	errs := make([]error, len(names))
	var mu sync.Mutex
	next, size, failed := 0, 0, false
	// Reports are taken in order, so that all reports before the first invalid one are read.
	take := func() int {
		mu.Lock()
		defer mu.Unlock()
		if next == len(names) || ctx.Err() != nil || failed || size > report.MaxSize {
			return -1
		}
		next++
		return next - 1
	}
	var wg sync.WaitGroup
	for range min(len(names), runtime.GOMAXPROCS(0), 16) {
		wg.Go(func() {
			for i := take(); i >= 0; i = take() {
				n := 0
				indexes[i], n, errs[i] = readIndex(dir, names[i])
				mu.Lock()
				size += n
				failed = failed || errs[i] != nil
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := cmp.Or(errs...); err != nil {
		return nil, err
	}
	if size > report.MaxSize {
		return nil, cli.BadInput(fmt.Errorf("the reports are too large: kernels × devices exceeds the limit of %d", report.MaxSize))
	}
	return indexes, nil
}

// unique returns the first name of each file.
func unique(dir *workspace.Directory, names []string) ([]string, error) {
	var list []string
	seen := map[string]bool{}
	for _, name := range names {
		path, err := dir.Path(name)
		if err != nil {
			return nil, err
		}
		if !seen[path] {
			seen[path] = true
			list = append(list, name)
		}
	}
	return list, nil
}

func readIndex(dir *workspace.Directory, name string) (index *gate.Index, size int, err error) {
	defer cli.Recover(&err)
	r, err := read(dir, GateFile{Name: name}, report.Decode)
	if err != nil {
		return nil, 0, err
	}
	return gate.NewIndex(filepath.ToSlash(name), r), len(r.Kernels) * len(r.Devices), nil
}
