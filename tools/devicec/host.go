package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/outfile"
	"github.com/rules-sycl/rules_sycl/sycl/hostwrap"
	"github.com/rules-sycl/rules_sycl/tools/internal/hostkernels"
)

// A hostCheck compares the two compiles of sources.
type hostCheck struct {
	headers, objects cli.Strings // one per source
	compiles         cli.Strings // none, or one per source
	layouts, symbol  string
}

func hostCommand() *cli.Command {
	return &cli.Command{
		Name:  "host",
		Args:  "SOURCE...",
		Short: "compare the kernels in the host code and device code of sources",
		Long: `
Reads DPC++'s integration header, and the object file of a host compilation with the
headers of rules/dpcpp/host before DPC++'s own. It is an error if only the host code has
a kernel, if its captures differ, or if g++ may confuse it with another kernel. A kernel
that is only in device code is a warning.

If g++ may lay out a kernel differently from DPC++, the source is compiled again with
debug information, by the command of the host compilation (--compile), and assembler
code that describes the layouts is written to --layouts. A source whose object file has
no symbols, for example because of -flto, is also compiled again; without --compile, it
is not compared.

Exit code 1 means that the compilations differ.`,
		Example: "devicec host --header axpy.integration.h --object axpy.o axpy.cpp",
		Setup:   setupHost,
	}
}

// setupHost declares the flags of the subcommand host.
func setupHost(fs *flag.FlagSet) cli.Run {
	c := new(hostCheck)
	fs.Var(&c.headers, "header", "integration `header` of a source's device compilation")
	fs.Var(&c.objects, "object", "object `file` of a source's host compilation")
	fs.Var(&c.compiles, "compile", "`file` with the command of a source's host compilation, one argument per line, whose object file is "+hostkernels.ObjectName)
	fs.StringVar(&c.layouts, "layouts", "", "assembler `file` to write, with the layouts of kernels that the host compiler lays out differently from DPC++")
	fs.StringVar(&c.symbol, "symbol", "", "`name` of the table in that file")
	return c.run
}

func (c *hostCheck) run(ctx context.Context, env *cli.Env, sources []string) error {
	if len(sources) == 0 || len(c.headers.Values) != len(sources) || len(c.objects.Values) != len(sources) {
		return cli.Usagef("--header and --object are required once for each source, in the same order")
	}
	if n := len(c.compiles.Values); n != 0 && n != len(sources) {
		return cli.Usagef("--compile must be given for all sources, in the same order, or for none")
	}
	if (c.layouts == "") != (c.symbol == "") {
		return cli.Usagef("--layouts requires --symbol and vice versa")
	}
	failed := false
	layouts := map[string]*hostkernels.Layout{}
	for i, name := range sources {
		source := hostkernels.Source{Name: name, Clang: "--repo_env=CC=clang-21", Header: c.headers.Values[i], Object: c.objects.Values[i]}
		if len(c.compiles.Values) > 0 {
			command, err := os.ReadFile(c.compiles.Values[i])
			if err != nil {
				return err
			}
			source.Compile = strings.Split(strings.TrimSuffix(string(command), "\n"), "\n")
		}
		same, err := source.Compare(ctx, env.Stderr)
		if err != nil {
			return err
		}
		maps.Copy(layouts, same.Layouts)
		source.Print(env.Stderr, same.Findings)
		failed = failed || same.Failed()
	}
	switch {
	case failed:
		return cli.No(nil)
	case c.layouts == "":
		return nil
	}
	return outfile.Write(c.layouts, func(w io.Writer) error { return writeLayouts(w, c.symbol, layouts) })
}

// writeLayouts writes a table with the layout that rules/dpcpp/host/sycl/detail/kernel_desc.hpp
// declares. It is assembler code, because C++ compiler options could change the layout of a C++
// table.
func writeLayouts(w io.Writer, symbol string, layouts map[string]*hostkernels.Layout) error {
	var b, texts strings.Builder
	names := slices.Sorted(maps.Keys(layouts))
	fmt.Fprintf(&b, "\t.section .data.rel.ro,\"aw\",@progbits\n\t.balign 8\n\t.globl %[1]s\n\t.type %[1]s,@object\n%[1]s:\n", symbol)
	for i, name := range names {
		l := layouts[name]
		fmt.Fprintf(&b, "\t.quad .Lname_%d\n\t.long %d, %d\n\t.quad .Lmoves_%d\n\t.long %d, 0\n", i, l.Host, l.Device, i, len(l.Moves))
		fmt.Fprintf(&texts, ".Lname_%d:\n\t.asciz %s\n\t.balign 4\n.Lmoves_%d:\n", i, hostwrap.Quote(name), i)
		for _, m := range l.Moves {
			fmt.Fprintf(&texts, "\t.long %d, %d, %d\n", m.Host, m.Device, m.Size)
		}
	}
	fmt.Fprintf(&b, "\t.quad 0, 0, 0, 0\n\t.size %[1]s, .-%[1]s\n\t.section .rodata\n%s\t.section .note.GNU-stack,\"\",@progbits\n", symbol, &texts)
	_, err := io.WriteString(w, b.String())
	return err
}
