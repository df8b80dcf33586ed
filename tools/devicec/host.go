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
	headers, objects cli.Strings // one of each per source
	compiles         cli.Strings // none, or one per source
	layouts, symbol  string
}

func hostCommand() *cli.Command {
	return &cli.Command{
		Name:  "host",
		Args:  "SOURCE...",
		Short: "compare the kernels of sources' host code with those of their device code",
		Long: `
Reads DPC++'s integration header and the object file of a host compile that had the
headers of rules/dpcpp/host in front of DPC++'s own. An error is a kernel that only the
host code has, one whose captures differ, and one that g++ may take for another one. A
kernel that only the device code has is a warning.

g++ copies constants of a function into kernels, DPC++ does not. With the command of the
host compile (--compile), a source that may have such a kernel is compiled again, with
debug information, and --layouts gets assembler code that says where the captures are. So is one
whose object file has no symbols, as -flto makes it, which is not compared otherwise.

Exit code 1 says that the compiles differ.`,
		Example: "devicec host --header axpy.integration.h --object axpy.o axpy.cpp",
		Setup:   setupHost,
	}
}

// setupHost declares the flags of 'devicec host'.
func setupHost(fs *flag.FlagSet) cli.Run {
	c := new(hostCheck)
	fs.Var(&c.headers, "header", "the integration `header` of a source's device compile")
	fs.Var(&c.objects, "object", "the object `file` of a source's host compile")
	fs.Var(&c.compiles, "compile", "a `file` with the command of a source's host compile, an argument a line, whose object file is "+hostkernels.ObjectName)
	fs.StringVar(&c.layouts, "layouts", "", "the assembler `file` to write, with the layouts of kernels that the host's compiler lays out in another way than DPC++")
	fs.StringVar(&c.symbol, "symbol", "", "`name` of the table in that file")
	return c.run
}

func (c *hostCheck) run(ctx context.Context, env *cli.Env, sources []string) error {
	if len(sources) == 0 || len(c.headers.Values) != len(sources) || len(c.objects.Values) != len(sources) {
		return cli.Usagef("give --header and --object once for each source, in their order")
	}
	if n := len(c.compiles.Values); n != 0 && n != len(sources) {
		return cli.Usagef("give --compile for no source, or once for each, in their order")
	}
	if (c.layouts == "") != (c.symbol == "") {
		return cli.Usagef("--layouts and --symbol go together")
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

// writeLayouts writes a table as declared in rules/dpcpp/host/sycl/detail/kernel_desc.hpp. It is
// assembler code because no C++ compiler option affects that.
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
