package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/llvmir"
	"github.com/rules-sycl/rules_sycl/sycl/postlink"
	"github.com/rules-sycl/rules_sycl/tools/internal/cli"
	"github.com/rules-sycl/rules_sycl/tools/internal/command"
)

type linkStep struct {
	dis, link, output string
}

func linkCommand() *cli.Command {
	return &cli.Command{
		Name:  "link",
		Args:  "SOURCE=FILE.bc...",
		Short: "link the device code of several sources into one module",
		Long: `
Notes on every kernel which source it comes from, then runs llvm-link. Of a kernel
that several sources define alike, as those do that include a header with it, one
is left; when they differ, that is an error.`,
		Example: "devicec link --llvm-dis llvm-dis-21 --llvm-link llvm-link-21 --output all.bc a.cpp=a.bc b.cpp=b.bc",
		Setup: func(fs *flag.FlagSet) cli.Run {
			var s linkStep
			fs.StringVar(&s.dis, "llvm-dis", "", "`path` of llvm-dis (required)")
			fs.StringVar(&s.link, "llvm-link", "", "`path` of llvm-link (required)")
			fs.StringVar(&s.output, "output", "", "the linked bitcode `file` (required)")
			return s.run
		},
	}
}

func (s *linkStep) run(ctx context.Context, env *cli.Env, args []string) error {
	if err := required("llvm-dis", s.dis, "llvm-link", s.link, "output", s.output); err != nil {
		return err
	}
	if len(args) == 0 {
		return cli.Usagef("no input: give SOURCE=FILE.bc")
	}
	sources := make([]string, len(args))
	files := make([]string, len(args))
	for i, a := range args {
		at := strings.LastIndexByte(a, '=')
		if at < 1 || at == len(a)-1 {
			return cli.Usagef("'%s' is not SOURCE=FILE.bc", a)
		}
		sources[i], files[i] = a[:at], a[at+1:]
	}
	scratch, err := os.MkdirTemp("", "devicelink")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)

	marked := make([]string, len(args))
	kernels := make([][]string, len(args))
	err = command.ForEach(runtime.GOMAXPROCS(0), len(args), func(i int) error {
		marked[i] = filepath.Join(scratch, strconv.Itoa(i)+".ll")
		var err error
		kernels[i], err = s.mark(ctx, env, sources[i], files[i], marked[i])
		return err
	})
	if err != nil {
		return err
	}
	if err := unrepeat(sources, marked, kernels); err != nil {
		return err
	}
	out, done, err := scratchFile(s.output)
	if err != nil {
		return err
	}
	defer done()
	if err := command.Run(ctx, nil, nil, env.Stderr, s.link, append(marked, "-o", out)...); err != nil {
		// llvm-link knows the files only by the names that they have for a moment.
		var failed *command.Error
		if errors.As(err, &failed) {
			for i, f := range marked {
				failed.Output = strings.ReplaceAll(failed.Output, f, sources[i])
			}
		}
		return err
	}
	return os.Rename(out, s.output)
}

// mark writes a source's module as text, with its kernels marked, and returns them.
func (s *linkStep) mark(ctx context.Context, env *cli.Env, source, file, out string) ([]string, error) {
	if _, err := size(file); err != nil {
		return nil, err
	}
	var text bytes.Buffer
	if err := command.Run(ctx, nil, &text, env.Stderr, s.dis, file, "-o", "-"); err != nil {
		return nil, err
	}
	m, err := llvmir.Parse(file, text.Bytes())
	if err != nil {
		return nil, err
	}
	if err := postlink.MarkSource(m, source); err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	var names []string
	for _, k := range m.Kernels() {
		names = append(names, k.Name())
	}
	return names, cli.WriteFile(out, func(w io.Writer) error { _, err := m.WriteTo(w); return err })
}

// unrepeat leaves one of each kernel that several sources define, which is what a
// header with a kernel does to those that include it. Kernels of one name that are
// not alike are an error.
func unrepeat(sources, files []string, kernels [][]string) error {
	modules := map[int]*llvmir.Module{}
	read := func(i int) (*llvmir.Module, error) {
		if modules[i] == nil {
			text, err := os.ReadFile(files[i])
			if err != nil {
				return nil, err
			}
			if modules[i], err = llvmir.Parse(files[i], text); err != nil {
				return nil, err
			}
		}
		return modules[i], nil
	}
	first := map[string]int{}
	repeated := map[int][]llvmir.Symbol{}
	var errs []error
	for i, names := range kernels {
		for _, name := range names {
			other, again := first[name]
			if !again {
				first[name] = i
				continue
			}
			a, err := read(other)
			if err != nil {
				return err
			}
			b, err := read(i)
			if err != nil {
				return err
			}
			if postlink.SameFunction(a, b, name) {
				repeated[i] = append(repeated[i], b.Function(name))
			} else {
				errs = append(errs, cli.BadInput(fmt.Errorf(
					"%s: kernel '%s' is defined in %s too, and differently; give one of them another kernel name",
					sources[i], kernelname.Display(name), sources[other])))
			}
		}
	}
	for i, list := range repeated {
		modules[i].Delete(list...)
		if err := cli.WriteFile(files[i], func(w io.Writer) error { _, err := modules[i].WriteTo(w); return err }); err != nil {
			return err
		}
	}
	return errors.Join(errs...)
}
