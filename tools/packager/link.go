package main

import (
	"context"
	"flag"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/inputs"
	sycllink "github.com/rules-sycl/rules_sycl/sycl/link"
	"github.com/rules-sycl/rules_sycl/sycl/syclbin"
	"github.com/rules-sycl/rules_sycl/tools/internal/bundle"
)

func linkCommand() *cli.Command {
	return &cli.Command{
		Name:  "link",
		Args:  "FILE...",
		Short: "link several SYCLBINs into one",
		Long: `
With --mode combine, the result contains the abstract modules of all files. Each symbol
that a module imports must be exported by another module for the same devices. Code is not
changed: the program resolves the symbols with sycl::link, and the result is in object
state. Without imports, the result is in executable state. Identical modules are written once. The
result does not depend on the order of the files. If the files cannot be combined, the
problems are printed, nothing is written and the exit code is 1.
docs/reference/packager-rules.md explains each problem.

With --mode ir, the code itself is linked: the SPIR-V and LLVM bitcode of all files
becomes one module, which is split again and compiled for --targets. Calls between files
become ordinary calls. Native images are ignored.

--output may name one of the input files; it is replaced after the result is complete.`,
		Example: "packager link --output app.syclbin --graph app.txt main.syclbin library.syclbin",
		Setup:   func(fs *flag.FlagSet) cli.Run { return new(link).setup(fs) },
	}
}

type link struct {
	form
	linkIR
	mode               string
	state              string
	allowUnresolved    bool
	graph, graphFormat string
	json               bool
	reading            inputs.Reading
}

// The values of --graph-format.
const (
	graphText = "text"
	graphDOT  = "dot"
)

func (l *link) setup(fs *flag.FlagSet) cli.Run {
	l.form.flags(fs)
	l.linkIR.flags(fs)
	fs.StringVar(&l.mode, "mode", "combine", "link `mode`: combine keeps the modules and resolves their symbols, ir links their code")
	fs.StringVar(&l.state, "state", "", "bundle `state` of the result: input, object or executable (default object if a module imports a symbol, otherwise executable)")
	fs.BoolVar(&l.allowUnresolved, "allow-unresolved", false, "accept imports that no file exports; a later link must resolve them")
	fs.StringVar(&l.graph, "graph", "", "write the dependencies between modules to this `file`; - is standard output")
	fs.StringVar(&l.graphFormat, "graph-format", "", "`format` of the graph: text, or dot for Graphviz (default text)")
	fs.BoolVar(&l.json, "json", false, "print the problems and the graph as JSON")
	l.reading.Flags(fs)
	return l.run
}

func (l *link) run(ctx context.Context, env *cli.Env, args []string) error {
	switch l.mode {
	case "combine":
		if err := l.linkIR.checkUnused(); err != nil {
			return err
		}
		return l.combine(ctx, env, args)
	case "ir":
		return l.ir(ctx, env, args)
	}
	return cli.Usagef("--mode: unknown mode '%s'; expected combine or ir", l.mode)
}

// combine implements --mode combine.
func (l *link) combine(ctx context.Context, env *cli.Env, args []string) error {
	o, err := l.form.options()
	if err != nil {
		return err
	}
	options, err := l.options(args)
	if err != nil {
		return err
	}
	result, err := bundle.Link(ctx, env, args, bundle.LinkOptions{
		Output: l.output, Format: o, Link: options, Reading: l.reading, Graph: l.graph, DOT: l.graphFormat == graphDOT,
	})
	if err != nil {
		return err
	}
	if l.json {
		j := jsonLink{Result: result}
		if result.File != nil {
			j.Output, j.State = l.output, result.File.State.String()
		}
		if err := writeJSON(env.Stdout, j); err != nil {
			return err
		}
	}
	return bundle.Problems(env, result, l.output, "use --graph FILE or --json")
}

// jsonLink is the output of --json, documented in docs/build/linking.md.
type jsonLink struct {
	Output string `json:"output,omitempty"` // omitted if there are problems
	State  string `json:"state,omitempty"`
	*sycllink.Result
}

// options returns the link options for --mode combine, or a usage error.
func (l *link) options(args []string) (sycllink.Options, error) {
	o := sycllink.Options{AllowUnresolved: l.allowUnresolved}
	if l.state != "" {
		state, err := parseState(l.state)
		if err != nil {
			return o, err
		}
		o.State = &state
	}
	switch {
	case len(args) == 0:
		return o, cli.Usagef("no input files")
	case o.State != nil && *o.State == syclbin.Executable && l.allowUnresolved:
		return o, cli.Usagef("--allow-unresolved cannot be combined with --state executable")
	case l.graph == "" && l.graphFormat != "":
		return o, cli.Usagef("--graph-format requires --graph")
	case l.graph == "-" && l.json:
		return o, cli.Usagef("--graph - and --json both write to standard output; write the graph to a file")
	}
	switch l.graphFormat {
	case "", graphText, graphDOT:
		return o, nil
	}
	return o, cli.Usagef("--graph-format: unknown format '%s'; expected text or dot", l.graphFormat)
}
