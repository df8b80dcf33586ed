package steps

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

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/llvmir"
	"github.com/rules-sycl/rules_sycl/sycl/postlink"
	"github.com/rules-sycl/rules_sycl/tools/internal/command"
)

// Link links the device code of several sources into one module.
type Link struct {
	LLVMDis, LLVMLink string // paths
	Output            string // the linked bitcode
}

// Setup declares the flags.
func (s *Link) Setup(fs *flag.FlagSet) cli.Run {
	fs.StringVar(&s.LLVMDis, "llvm-dis", "", "`path` of llvm-dis (required)")
	fs.StringVar(&s.LLVMLink, "llvm-link", "", "`path` of llvm-link (required)")
	fs.StringVar(&s.Output, "output", "", "the linked bitcode `file` (required)")
	return s.Run
}

// Run links its arguments, SOURCE=FILE.bc each.
func (s *Link) Run(ctx context.Context, env *cli.Env, args []string) error {
	if err := required("llvm-dis", s.LLVMDis, "llvm-link", s.LLVMLink, "output", s.Output); err != nil {
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
	defined := make([]definitions, len(args))
	err = command.ForEach(runtime.GOMAXPROCS(0), len(args), func(i int) error {
		marked[i] = filepath.Join(scratch, strconv.Itoa(i)+".ll")
		var err error
		defined[i], err = s.mark(ctx, env, sources[i], files[i], marked[i])
		return err
	})
	if err != nil {
		return err
	}
	if err := unrepeat(sources, marked, defined); err != nil {
		return err
	}
	out, done, err := scratchFile(s.Output)
	if err != nil {
		return err
	}
	defer done()
	if err := command.Run(ctx, nil, nil, env.Stderr, s.LLVMLink, append(marked, "-o", out)...); err != nil {
		// llvm-link knows the files only by the names that they have for a moment.
		for i, f := range marked {
			blame(err, f, sources[i])
		}
		return err
	}
	return os.Rename(out, s.Output)
}

// definitions are the names of what a source defines and others may not.
type definitions struct{ kernels, functions []string }

// mark writes a source's module as text, with its kernels marked, and returns what
// it defines.
func (s *Link) mark(ctx context.Context, env *cli.Env, source, file, out string) (definitions, error) {
	var defined definitions
	if _, err := size(file); err != nil {
		return defined, err
	}
	var text bytes.Buffer
	if err := command.Run(ctx, nil, &text, env.Stderr, s.LLVMDis, file, "-o", "-"); err != nil {
		return defined, err
	}
	m, err := llvmir.Parse(file, text.Bytes())
	if err != nil {
		return defined, err
	}
	if err := postlink.MarkSource(m, source); err != nil {
		return defined, fmt.Errorf("%s: %w", source, err)
	}
	for _, f := range m.Functions() {
		switch {
		case f.Kernel() && f.Defined():
			defined.kernels = append(defined.kernels, f.Name())
		case f.Defined() && f.Linkage() == llvmir.External:
			defined.functions = append(defined.functions, f.Name())
		}
	}
	return defined, cli.WriteFile(out, func(w io.Writer) error { _, err := m.WriteTo(w); return err })
}

// unrepeat leaves one of each kernel that several sources define, which is what a
// header with a kernel does to those that include it. Kernels of one name that are
// not alike are an error, and so are other functions that are defined twice. A kernel
// that comes from a SYCLBIN has the prefix that the kernel of a source will have.
func unrepeat(sources, files []string, defined []definitions) error {
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
	functions := map[string]int{}
	for i, d := range defined {
		for _, name := range d.functions {
			if other, again := functions[name]; again {
				errs = append(errs, cli.BadInput(fmt.Errorf("%s: function '%s' is defined in %s too", sources[i], kernelname.Display(name), sources[other])))
			}
			functions[name] = i
		}
		for _, name := range d.kernels {
			bare := kernelname.Base(name)
			other, again := first[bare]
			if !again {
				first[bare] = i
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
					sources[i], kernelname.Display(bare), sources[other])))
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
