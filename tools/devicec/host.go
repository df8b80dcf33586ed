package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/outfile"
	"github.com/rules-sycl/rules_sycl/sycl/intheader"
	"github.com/rules-sycl/rules_sycl/tools/internal/command"
	"github.com/rules-sycl/rules_sycl/tools/internal/hostkernels"
)

// mostFindings is how many errors and warnings of a source 'devicec host' prints.
const mostFindings = 10

// A hostCheck compares the two compiles of sources.
type hostCheck struct {
	headers, objects cli.Strings // one of each for each source
	compiles         cli.Strings // none, or one for each source
	layouts, symbol  string
}

// again is the name of the object file in the command of a second compile.
const again = "rules_sycl_object"

// setupHost declares the flags of 'devicec host'.
func setupHost(fs *flag.FlagSet) cli.Run {
	c := new(hostCheck)
	fs.Var(&c.headers, "header", "the integration `header` of a source's device compile")
	fs.Var(&c.objects, "object", "the object `file` of a source's host compile")
	fs.Var(&c.compiles, "compile", "a `file` with the command of a source's host compile, an argument a line, whose object file is "+again)
	fs.StringVar(&c.layouts, "layouts", "", "the C `file` to write, with the layouts of kernels that the host's compiler lays out in another way than DPC++")
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
	for i, source := range sources {
		s := compiledSource{name: source, header: c.headers.Values[i], object: c.objects.Values[i]}
		if len(c.compiles.Values) > 0 {
			s.compile = c.compiles.Values[i]
		}
		same, err := s.compare(ctx, env, layouts)
		if err != nil {
			return err
		}
		failed = failed || !same
	}
	switch {
	case failed:
		return cli.No(nil)
	case c.layouts == "":
		return nil
	}
	return outfile.Write(c.layouts, func(w io.Writer) error { return writeLayouts(w, c.symbol, layouts) })
}

// writeLayouts writes a table as rules/dpcpp/host/sycl/detail/kernel_desc.hpp declares it.
func writeLayouts(w io.Writer, symbol string, layouts map[string]*hostkernels.Layout) error {
	var b strings.Builder
	names := slices.Sorted(maps.Keys(layouts))
	b.WriteString("struct move {\n  int host, device, size;\n};\n")
	for i, name := range names {
		fmt.Fprintf(&b, "static const struct move moves_%d[] = {", i)
		for _, m := range layouts[name].Moves {
			fmt.Fprintf(&b, "{%d, %d, %d}, ", m.Host, m.Device, m.Size)
		}
		b.WriteString("{0, 0, 0}};\n")
	}
	fmt.Fprintf(&b, "const struct {\n  const char *kernel;\n  int host, device;\n  const struct move *moves;\n  int count;\n} %s[] = {\n", symbol)
	for i, name := range names {
		l := layouts[name]
		fmt.Fprintf(&b, "  {\"%s\", %d, %d, moves_%d, %d},\n", name, l.Host, l.Device, i, len(l.Moves))
	}
	b.WriteString("  {0, 0, 0, 0, 0},\n};\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// A compiledSource is a source with what its compiles made. With the command of the host compile,
// it can be compiled again.
type compiledSource struct {
	name, header, object, compile string
}

// compare prints how the compiles differ, and reports whether the program is right. It adds the
// layouts of kernels that need one.
func (s *compiledSource) compare(ctx context.Context, env *cli.Env, layouts map[string]*hostkernels.Layout) (bool, error) {
	text, err := os.ReadFile(s.name)
	if err != nil {
		return false, err
	}
	described, err := os.ReadFile(s.header)
	if err != nil {
		return false, err
	}
	device := hostkernels.Device(intheader.Parse(string(described)))
	host, err := read(s.object, func(r io.ReaderAt) (*hostkernels.Object, error) { return hostkernels.ReadObject(r) })
	if err != nil {
		return false, err
	}
	if s.compile != "" && !host.Readable {
		if host, err = compiledAgain(ctx, env, s, hostkernels.ReadObject); err != nil {
			return false, err
		}
	}
	if s.compile != "" && hostkernels.NeedLayouts(device, host) {
		host.Layouts, err = compiledAgain(ctx, env, s, func(r io.ReaderAt) (map[string]*hostkernels.Layout, error) {
			return hostkernels.Layouts(r, device)
		})
		if err != nil {
			return false, err
		}
		for symbol, layout := range host.Layouts {
			if layout != nil {
				layouts[symbol] = layout
			}
		}
	}

	found := map[string]int{}
	for _, f := range hostkernels.Compare(device, host) {
		severity := "error"
		if f.Warning {
			severity = "warning"
		}
		if found[severity]++; found[severity] <= mostFindings {
			fmt.Fprintf(env.Stderr, "%s: %s: %s\n", f.Kernel.Place(s.name, text), severity, f.Text)
		}
	}
	for _, severity := range []string{"error", "warning"} {
		if more := found[severity] - mostFindings; more > 0 {
			fmt.Fprintf(env.Stderr, "%s: %s: the same for %d more kernels\n", s.name, severity, more)
		}
	}
	return found["error"] == 0, nil
}

// compiledAgain compiles a source again, with debugging information and not for the linker to
// compile, and reads the object file.
func compiledAgain[T any](ctx context.Context, env *cli.Env, s *compiledSource, from func(io.ReaderAt) (T, error)) (T, error) {
	var none T
	text, err := os.ReadFile(s.compile)
	if err != nil {
		return none, err
	}
	folder, err := os.MkdirTemp("", "devicec")
	if err != nil {
		return none, err
	}
	defer os.RemoveAll(folder)
	object := filepath.Join(folder, "layouts.o")
	argv := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	for i, a := range argv {
		if a == again {
			argv[i] = object
		}
	}
	argv = append(argv, "-g", "-O0", "-fno-data-sections", "-fno-lto", "-w")
	if err := command.Run(ctx, nil, nil, env.Stderr, argv[0], argv[1:]...); err != nil {
		return none, err
	}
	return read(object, from)
}

// read reads an object file.
func read[T any](name string, from func(io.ReaderAt) (T, error)) (T, error) {
	var none T
	file, err := os.Open(name)
	if err != nil {
		return none, err
	}
	defer file.Close()
	out, err := from(file)
	if err != nil {
		return none, cli.BadInput(fmt.Errorf("%s: it is no complete object file of a host compile: %w; compile the source again", name, err))
	}
	return out, nil
}
