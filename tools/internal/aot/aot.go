// Package aot is the step of a device build that compiles SPIR-V for Intel GPUs. It depends
// on next to nothing, so that a change of other steps does not compile anything again.
package aot

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/rules-sycl/rules_sycl/internal/infile"
	"github.com/rules-sycl/rules_sycl/internal/outfile"
	"github.com/rules-sycl/rules_sycl/internal/tables"
	"github.com/rules-sycl/rules_sycl/sycl/filetable"
	"github.com/rules-sycl/rules_sycl/tools/internal/command"
)

// Options say what to compile ahead of time.
type Options struct {
	Table   string
	Ocloc   string // path
	Device  string // as ocloc calls it
	CodeDir string // for native images
	Output  string // the table with them
	Library bool   // images of other modules are linked to these
}

// Run compiles the SPIR-V of a table's rows for an Intel GPU.
func Run(ctx context.Context, log io.Writer, o Options) error {
	t, err := tables.ReadTable(o.Table)
	if err != nil {
		return err
	}
	stems, err := tables.Stems(o.Table, t)
	if err != nil {
		return err
	}
	var out outfile.Group
	defer out.Close()
	scratch, err := out.Folder(o.CodeDir)
	if err != nil {
		return err
	}
	column := t.Column(filetable.Code)
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, stem := range stems {
		g.Go(func() error {
			spirv, image := t.Rows[i][column], stem+".bin"
			t.Rows[i][column] = filepath.Join(o.CodeDir, image)
			return o.compile(ctx, log, spirv, filepath.Join(scratch, image))
		})
	}
	if err := g.Wait(); err != nil {
		return out.Relabel(err)
	}
	if err := out.WriteMain(o.Output, t.Write); err != nil {
		return err
	}
	return out.Commit()
}

// compile compiles one module.
func (o *Options) compile(ctx context.Context, log io.Writer, spirv, image string) error {
	if _, err := infile.Stat(spirv, ""); err != nil {
		return fmt.Errorf("%s: %w", o.Table, err)
	}
	if err := command.Run(ctx, nil, nil, log, o.Ocloc, o.arguments(spirv, image)...); err != nil {
		return err
	}
	if info, err := infile.Stat(image, ""); err != nil || info.Size() == 0 {
		return fmt.Errorf("%s said that it succeeded but wrote no image for %s (%s)", o.Ocloc, o.Device, spirv)
	}
	return nil
}

// arguments are those of ocloc for a module.
func (o *Options) arguments(spirv, image string) []string {
	args := []string{"compile", "-q", "-spirv_input", "-file", spirv, "-device", o.Device, "-o", image}
	if o.Library {
		args = slices.Insert(args, 2, "-options", "-library-compilation")
	}
	return args
}
