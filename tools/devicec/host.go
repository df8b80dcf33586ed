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
	"github.com/rules-sycl/rules_sycl/sycl/intheader"
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

func (c *hostCheck) run(_ context.Context, env *cli.Env, sources []string) error {
	if len(sources) == 0 || len(c.headers.Values) != len(sources) || len(c.objects.Values) != len(sources) {
		return cli.Usagef("give --header and --object once for each source, in their order")
	}
	failed := false
	layouts := map[string]hostkernels.Layout{}
	for i, source := range sources {
		same, err := compare(env, source, c.headers.Values[i], c.objects.Values[i])
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
func writeLayouts(w io.Writer, symbol string, layouts map[string]hostkernels.Layout) error {
	var b strings.Builder
	names := slices.Sorted(maps.Keys(layouts))
	for i, name := range names {
		fmt.Fprintf(&b, "static const int offsets_%d[] = {", i)
		for _, offset := range layouts[name].Offsets {
			fmt.Fprintf(&b, "%d, ", offset)
		}
		b.WriteString("0};\n")
	}
	fmt.Fprintf(&b, "const struct {\n  const char *kernel;\n  long size;\n  const int *offsets;\n} %s[] = {\n", symbol)
	for i, name := range names {
		fmt.Fprintf(&b, "  {\"%s\", %d, offsets_%d},\n", name, layouts[name].Size, i)
	}
	b.WriteString("  {0, 0, 0},\n};\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// compare prints how the compiles of a source differ, and reports whether the program is right.
func compare(env *cli.Env, source, header, object string) (bool, error) {
	text, err := os.ReadFile(source)
	if err != nil {
		return false, err
	}
	described, err := os.ReadFile(header)
	if err != nil {
		return false, err
	}
	compiled, err := os.Open(object)
	if err != nil {
		return false, err
	}
	defer compiled.Close()
	host, err := hostkernels.ReadObject(compiled)
	if err != nil {
		return false, cli.BadInput(fmt.Errorf("%s: %w", object, err))
	}

	found := map[string]int{}
	for _, f := range hostkernels.Compare(hostkernels.Device(intheader.Parse(string(described))), host) {
		severity := "error"
		if f.Warning {
			severity = "warning"
		}
		if found[severity]++; found[severity] <= mostFindings {
			fmt.Fprintf(env.Stderr, "%s: %s: %s\n", f.Kernel.Place(source, text), severity, f.Text)
		}
	}
	for _, severity := range []string{"error", "warning"} {
		if more := found[severity] - mostFindings; more > 0 {
			fmt.Fprintf(env.Stderr, "%s: %s: the same for %d more kernels\n", source, severity, more)
		}
	}
	return found["error"] == 0, nil
}
