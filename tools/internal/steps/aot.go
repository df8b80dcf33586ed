package steps

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/rules-sycl/rules_sycl/sycl/filetable"
	"github.com/rules-sycl/rules_sycl/tools/internal/command"
)

// AotOptions say what to compile ahead of time.
type AotOptions struct {
	Table   string
	Ocloc   string // path
	Device  string // as ocloc calls it
	CodeDir string // for native images
	Output  string // the table with them
	Library bool   // images of other modules are linked to these
}

// Aot compiles the SPIR-V of a table's rows for an Intel GPU.
func Aot(ctx context.Context, log io.Writer, o AotOptions) error {
	t, err := readTable(o.Table)
	if err != nil {
		return err
	}
	rows, err := rowsOf(o.Table, t)
	if err != nil {
		return err
	}
	out, err := newOutputs(o.CodeDir, "")
	if err != nil {
		return err
	}
	defer out.Close()
	column := t.Column(filetable.Code)
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range rows {
		g.Go(func() error {
			code := out.code.file(rows[i].stem() + ".bin")
			t.Rows[i][column] = code.path
			return o.compile(ctx, log, rows[i].code, code.scratch)
		})
	}
	if err := g.Wait(); err != nil {
		return out.Relabel(err)
	}
	return out.commit(o.Output, t)
}

// compile compiles one module.
func (o *AotOptions) compile(ctx context.Context, log io.Writer, spirv, image string) error {
	if _, err := size(spirv); err != nil {
		return fmt.Errorf("%s: %w", o.Table, err)
	}
	args := []string{"compile", "-q", "-spirv_input", "-file", spirv, "-device", o.Device, "-o", image}
	if o.Library {
		args = slices.Insert(args, 2, "-options", "-library-compilation")
	}
	if err := command.Run(ctx, nil, nil, log, o.Ocloc, args...); err != nil {
		return err
	}
	if n, err := size(image); err != nil || n == 0 {
		return fmt.Errorf("%s said that it succeeded but wrote no image for %s (%s)", o.Ocloc, o.Device, spirv)
	}
	return nil
}
