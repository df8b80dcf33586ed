package splitir

import (
	"bytes"
	"context"
	_ "embed"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/rules-sycl/rules_sycl/tools/internal/buildstep"
)

// cleaner is an LLVM IR program that cleans up many modules in one process, because starting opt
// takes longer than cleaning up most modules.
//
//go:embed clean.ll
var cleaner []byte

// passes are the opt options to clean up modules. cleaner runs the same passes, and writes the same
// bytes because the use-list order is not preserved.
var passes = []string{"-passes=always-inline,globaldce,strip-dead-prototypes", "--preserve-bc-uselistorder=false"}

const (
	fewModules  = 4   // opt is faster for fewer modules
	mostModules = 500 // per process, because the length of command lines is limited
)

// findLLI returns the lli of the same LLVM release as opt, or "" if there is none.
func findLLI(opt string) string {
	dir, name := filepath.Split(opt)
	release, ok := strings.CutPrefix(name, "opt")
	if !ok {
		return ""
	}
	path, err := exec.LookPath(dir + "lli" + release)
	if err != nil {
		return ""
	}
	return path
}

// prepare writes the text of an image to the location of its code, unless the code is cached.
func (o *Options) prepare(log io.Writer, r *imageFiles) error {
	var text bytes.Buffer
	if err := o.writeText(r.image, &text); err != nil {
		return err
	}
	var err error
	r.kept, r.made, err = o.Cache.Take(o.recipe(text.Bytes()), r.scratch, log)
	if err != nil || r.made {
		return err
	}
	return os.WriteFile(r.scratch, text.Bytes(), 0o666)
}

// clean cleans up prepared images.
func (o *Options) clean(ctx context.Context, log io.Writer, lli string, rows []*imageFiles) error {
	var todo []*imageFiles
	for _, r := range rows {
		if !r.made {
			todo = append(todo, r)
		}
	}
	atOnce := runtime.GOMAXPROCS(0)
	processes := max(min(atOnce, (len(todo)+15)/16), (len(todo)+mostModules-1)/mostModules)
	return buildstep.Each(ctx, log, processes, atOnce, func(ctx context.Context, log io.Writer, i int) error {
		return o.cleanTogether(ctx, log, lli, todo[len(todo)*i/processes:len(todo)*(i+1)/processes])
	})
}

// cleanTogether cleans up images in one process. If that fails, it runs opt, which reports the
// error.
func (o *Options) cleanTogether(ctx context.Context, log io.Writer, lli string, rows []*imageFiles) error {
	args := []string{"-"}
	for _, r := range rows {
		args = append(args, r.scratch)
	}
	var stderr bytes.Buffer
	if len(rows) >= fewModules && buildstep.Run(ctx, bytes.NewReader(cleaner), nil, &stderr, lli, args...) == nil && stderr.Len() == 0 {
		for _, r := range rows {
			if err := o.Cache.Add(r.kept, r.scratch); err != nil {
				return err
			}
		}
		return nil
	}
	for _, r := range rows {
		if err := o.writeCode(ctx, log, r.image, r.scratch); err != nil {
			return err
		}
	}
	return nil
}
