package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"

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
	output           string
}

// setupHost declares the flags of 'devicec host'.
func setupHost(fs *flag.FlagSet) cli.Run {
	c := new(hostCheck)
	fs.Var(&c.headers, "header", "the integration `header` of a source's device compile")
	fs.Var(&c.objects, "object", "the object `file` of a source's host compile")
	fs.StringVar(&c.output, "output", "", "a `file` to write, without contents, when all agree")
	return c.run
}

func (c *hostCheck) run(_ context.Context, env *cli.Env, sources []string) error {
	if len(sources) == 0 || len(c.headers.Values) != len(sources) || len(c.objects.Values) != len(sources) {
		return cli.Usagef("give --header and --object once for each source, in their order")
	}
	failed := false
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
	case c.output == "":
		return nil
	}
	return outfile.Write(c.output, func(io.Writer) error { return nil })
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
