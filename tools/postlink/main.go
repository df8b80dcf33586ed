// Command postlink splits linked SYCL device code into modules.
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

	"github.com/rules-sycl/rules_sycl/sycl/filetable"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/llvmir"
	"github.com/rules-sycl/rules_sycl/sycl/postlink"
	"github.com/rules-sycl/rules_sycl/tools/internal/cli"
	"github.com/rules-sycl/rules_sycl/tools/internal/command"
)

func main() { tool().Main() }

func tool() *cli.Tool {
	return &cli.Tool{
		Name:  "postlink",
		Short: "split linked SYCL device code into modules",
		Commands: []*cli.Command{{
			Args:  "IN.ll|IN.bc",
			Short: "split linked SYCL device code into modules",
			Long: `
Writes each module's bitcode: its kernels and what they reach, nothing else. A
function that kernels reach and nobody defines is an error. Modules are named
OUT_0.bc, OUT_1.bc and so on beside the table OUT.table, or as --module says.`,
			Example: "postlink --opt opt-21 --llvm-dis llvm-dis-21 --output k.table linked.bc",
			Setup:   setup,
		}},
	}
}

type options struct {
	split, opt, dis, output string
	modules                 cli.Strings
}

func setup(fs *flag.FlagSet) cli.Run {
	var o options
	fs.StringVar(&o.split, "split", string(postlink.SplitPerSource), "which kernels become one module: `per_source|off`")
	fs.StringVar(&o.opt, "opt", "", "`path` of LLVM's opt (required)")
	fs.StringVar(&o.dis, "llvm-dis", "", "`path` of llvm-dis (required)")
	fs.StringVar(&o.output, "output", "", "write the file table of the modules to this `file`")
	fs.Var(&o.modules, "module", "`ID=FILE`: write the module of source ID to FILE; an empty file when the source has no kernel; may be repeated")
	return o.run
}

func (o *options) run(ctx context.Context, env *cli.Env, args []string) error {
	switch {
	case len(args) != 1:
		return cli.Usagef("one input file is needed, %d are given", len(args))
	case o.split != string(postlink.SplitPerSource) && o.split != string(postlink.SplitOff):
		return cli.Usagef("--split: '%s' is neither per_source nor off", o.split)
	case o.opt == "":
		return cli.Usagef("--opt is missing: the path of LLVM's opt")
	case o.dis == "":
		return cli.Usagef("--llvm-dis is missing: the path of llvm-dis")
	case o.output == "" && len(o.modules.Values) == 0:
		return cli.Usagef("nothing to write: give --output or --module")
	}
	outputs := map[string]string{}
	var order []string
	for _, v := range o.modules.Values {
		id, file, ok := strings.Cut(v, "=")
		if !ok || file == "" {
			return cli.Usagef("--module: '%s' is not ID=FILE", v)
		}
		if outputs[id] != "" {
			return cli.Usagef("--module: '%s' is given twice", id)
		}
		outputs[id] = file
		order = append(order, id)
	}

	m, err := o.read(ctx, env, args[0])
	if err != nil {
		return err
	}
	postlink.DropHostCode(m)
	if err := postlink.LowerKernelNames(m); err != nil {
		return cli.BadInput(fmt.Errorf("%s: %w", args[0], err))
	}
	groups, err := postlink.Split(m, postlink.SplitMode(o.split))
	if err != nil {
		return cli.BadInput(fmt.Errorf("%s: %w", args[0], err))
	}
	if len(groups) == 0 {
		return cli.BadInput(fmt.Errorf("%s: there is no kernel in any source", args[0]))
	}
	for i, g := range groups {
		switch {
		case len(order) == 0:
			outputs[g.ID] = strings.TrimSuffix(o.output, ".table") + "_" + strconv.Itoa(i) + ".bc"
		case outputs[g.ID] == "":
			return cli.BadInput(fmt.Errorf("%s: kernel '%s' comes from source '%s', which no --module names",
				args[0], kernelname.Display(g.Kernels[0]), g.ID))
		}
	}

	scratch, err := os.MkdirTemp("", "postlink")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	var whole bytes.Buffer
	if _, err := m.WriteTo(&whole); err != nil {
		return err
	}
	err = command.ForEach(runtime.GOMAXPROCS(0), len(groups), func(i int) error {
		return o.extract(ctx, env, groups[i], whole.Bytes(), filepath.Join(scratch, strconv.Itoa(i)))
	})
	if err != nil {
		return err
	}

	// Everything has succeeded: only now does anything appear at its place.
	table := &filetable.Table{Columns: []string{filetable.Code}}
	for i, g := range groups {
		if err := move(filepath.Join(scratch, strconv.Itoa(i)+".bc"), outputs[g.ID]); err != nil {
			return err
		}
		table.Rows = append(table.Rows, []string{outputs[g.ID]})
		delete(outputs, g.ID)
	}
	for _, id := range order {
		if file, left := outputs[id]; left {
			if err := cli.WriteFile(file, func(io.Writer) error { return nil }); err != nil {
				return err
			}
		}
	}
	if o.output == "" {
		return nil
	}
	return cli.WriteFile(o.output, table.Write)
}

// read parses a module, disassembling it when it is bitcode.
func (o *options) read(ctx context.Context, env *cli.Env, name string) (*llvmir.Module, error) {
	if strings.HasSuffix(name, ".ll") {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		return llvmir.Parse(name, text)
	}
	if _, err := os.Stat(name); err != nil {
		return nil, err
	}
	var text bytes.Buffer
	if err := command.Run(ctx, nil, &text, env.Stderr, o.dis, name, "-o", "-"); err != nil {
		return nil, err
	}
	return llvmir.Parse(name, text.Bytes())
}

// extract writes base.bc: the group's kernels and what they reach.
func (o *options) extract(ctx context.Context, env *cli.Env, g postlink.Group, whole []byte, base string) error {
	list := base + ".kernels"
	if err := os.WriteFile(list, []byte(strings.Join(g.Kernels, "\n")+"\n"), 0o644); err != nil {
		return err
	}
	// By standard input: a file's name would end up in the bitcode.
	err := command.Run(ctx, bytes.NewReader(whole), nil, env.Stderr, o.opt,
		"-passes=internalize,globaldce,always-inline,globaldce",
		"-internalize-public-api-file="+list, "-", "-o", base+".bc")
	if err != nil {
		return err
	}
	m, err := o.read(ctx, env, base+".bc")
	if err != nil {
		return err
	}
	var errs []error
	for _, u := range postlink.Undefined(m) {
		place := ""
		if g.ID != "" {
			place = g.ID + ": "
		}
		errs = append(errs, cli.BadInput(fmt.Errorf("%s%s. Add the source that defines it to srcs, or define it in a header", place, u)))
	}
	return errors.Join(errs...)
}

// move puts a finished file at its place, in one step.
func move(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	return cli.WriteFile(to, func(w io.Writer) error { _, err := io.Copy(w, in); return err })
}
