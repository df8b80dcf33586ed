package packager

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/inputs"
	"github.com/rules-sycl/rules_sycl/internal/outfile"
	sycllink "github.com/rules-sycl/rules_sycl/sycl/link"
	"github.com/rules-sycl/rules_sycl/sycl/release"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	"github.com/rules-sycl/rules_sycl/sycl/syclbin"
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
state. Without imports it is in executable state. Identical modules are written once. The
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

// combine links files with --mode combine.
func (l *link) combine(ctx context.Context, env *cli.Env, args []string) error {
	o, err := l.form.options()
	if err != nil {
		return err
	}
	o.KeepOrder = true
	options, err := l.options(args)
	if err != nil {
		return err
	}
	if err := l.checkUnused(); err != nil {
		return err
	}
	files := &linkFiles{ctx: ctx}
	var inputs []sycllink.Input
	for _, name := range args {
		f, err := files.read(env, name, &l.reading)
		if err != nil {
			return err
		}
		inputs = append(inputs, sycllink.Input{Name: name, File: f})
	}
	if err := l.checkGraph(files); err != nil {
		return err
	}
	if o.Release == nil {
		o.Release = commonRelease(inputs)
	}
	result, err := sycllink.Combine(inputs, options)
	if err != nil {
		return err
	}
	if err := l.writeAll(env, files, result, o); err != nil {
		return err
	}
	if l.json {
		if err := writeJSON(env.Stdout, newJSONLink(l.output, result)); err != nil {
			return err
		}
	}
	return l.report(env, result)
}

// commonRelease returns the release that all files are for, or nil if they differ.
func commonRelease(inputs []sycllink.Input) *release.Release {
	for _, in := range inputs {
		if !in.File.StatesRelease() || in.File.Release != inputs[0].File.Release {
			return nil
		}
	}
	return inputs[0].File.Release
}

// jsonLink is the output of --json, documented in docs/build/linking.md.
type jsonLink struct {
	Output string `json:"output,omitempty"` // empty if there are problems
	State  string `json:"state,omitempty"`
	*sycllink.Result
}

func newJSONLink(output string, r *sycllink.Result) jsonLink {
	j := jsonLink{Result: r}
	if r.File != nil {
		j.Output, j.State = output, r.File.State.String()
	}
	return j
}

// options checks the flags of --mode combine.
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

// checkGraph returns an error if the graph would overwrite an input or the output.
func (l *link) checkGraph(files *linkFiles) error {
	if l.graph == "" || l.graph == "-" {
		return nil
	}
	if filepath.Clean(l.graph) == filepath.Clean(l.output) {
		return cli.Usagef("--graph and --output name the same file")
	}
	info, err := os.Stat(l.graph)
	if err != nil {
		return nil // does not exist yet
	}
	if output, err := os.Stat(l.output); err == nil && os.SameFile(info, output) {
		return cli.Usagef("--graph and --output name the same file")
	}
	for _, f := range files.list {
		if os.SameFile(info, f.info) {
			return cli.Usagef("--graph would overwrite the input %s", safetext.Printable(f.name))
		}
	}
	return nil
}

// writeAll writes the output and the graph together, or neither, and then prints the first
// problems of the output as warnings.
func (l *link) writeAll(env *cli.Env, files *linkFiles, result *sycllink.Result, o syclbin.Options) error {
	var out outfile.Group
	defer out.Close()
	if err := l.writeGraph(env, result, &out); err != nil {
		return err
	}
	var findings []syclbin.Finding
	if result.File != nil {
		var err error
		if findings, err = l.write(env, files, result.File, o, &out); err != nil {
			return err
		}
	}
	if err := out.Commit(); err != nil {
		return err
	}
	inputs.Warn(env, l.output, findings)
	return nil
}

func (l *link) writeGraph(env *cli.Env, r *sycllink.Result, out *outfile.Group) error {
	write := r.WriteText
	if l.graphFormat == graphDOT {
		write = r.WriteDOT
	}
	switch l.graph {
	case "":
		return nil
	case "-":
		return write(env.Stdout)
	}
	return out.Write(l.graph, write)
}

// write writes the output, unless an input changed in the meantime, and returns the problems
// that verification finds in it.
func (l *link) write(env *cli.Env, files *linkFiles, file *syclbin.File, o syclbin.Options, out *outfile.Group) ([]syclbin.Finding, error) {
	total := imageBytes(file)
	found := make(chan []syclbin.Finding, 1)
	go func() { found <- verifyWritten(file, o) }() // in parallel with writing to disk
	err := out.WriteMain(l.output, func(w io.Writer) error {
		p := newProgress(env, w, "writing "+l.output, total)
		defer p.done()
		if err := syclbin.Write(p, file, o); err != nil {
			return err
		}
		return files.unchanged()
	})
	return <-found, err
}

// maxShown limits the number of problems, and of kinds of warnings, that are printed.
const maxShown = 10

// report prints the first problems.
func (l *link) report(env *cli.Env, r *sycllink.Result) error {
	n := len(r.Problems)
	if n == 0 {
		return nil
	}
	var b strings.Builder
	for _, p := range r.Problems[:min(maxShown, n)] {
		lines := p.Lines()
		fmt.Fprintf(&b, "%s: error: %s\n", safetext.Printable(p.Files[0]), shortened(lines[0]))
		for _, line := range lines[1:] {
			fmt.Fprintf(&b, "  %s\n", shortened(line))
		}
	}
	if _, err := io.WriteString(env.Stderr, safetext.EscapeLines(b.String())); err != nil {
		return err
	}
	if n > maxShown {
		return cli.No(fmt.Errorf("%s, the first %d shown; use --graph FILE or --json to see all; nothing was written to %s", plural(n, "problem"), maxShown, safetext.Printable(l.output)))
	}
	return cli.No(fmt.Errorf("%s; nothing was written to %s", plural(n, "problem"), safetext.Printable(l.output)))
}

// shortened truncates a line with very long names.
func shortened(line string) string {
	const most = 2000
	if len(line) <= most {
		return line
	}
	return fmt.Sprintf("%s... and %d more bytes", strings.ToValidUTF8(line[:most], ""), len(line)-most)
}

// linkFiles are the input files of a link. They are opened on demand, because there may be more
// files than a process can have open.
type linkFiles struct {
	ctx  context.Context // cancels reads
	list []*linkFile
}

// A linkFile is an input file that must not change during the link.
type linkFile struct {
	ctx  context.Context
	name string
	info os.FileInfo // at the first read
}

// read reads the metadata of a SYCLBIN. Images are read on demand.
func (l *linkFiles) read(env *cli.Env, name string, o *inputs.Reading) (*syclbin.File, error) {
	info, err := cli.StatInput(name, "a SYCLBIN")
	if err != nil {
		return nil, err
	}
	f := &linkFile{l.ctx, name, info}
	l.list = append(l.list, f)
	return o.Read(env, safetext.Printable(name), f, info.Size())
}

// ReadAt implements [io.ReaderAt].
func (f *linkFile) ReadAt(b []byte, offset int64) (int, error) {
	if err := f.ctx.Err(); err != nil {
		return 0, err
	}
	file, err := cli.OpenInput(f.name, "")
	if err != nil {
		return 0, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err == nil {
		err = f.unchanged(info)
	}
	if err != nil {
		return 0, err
	}
	return file.ReadAt(b, offset)
}

// unchanged returns an error if the file was replaced or modified.
func (f *linkFile) unchanged(now os.FileInfo) error {
	if os.SameFile(now, f.info) && now.Size() == f.info.Size() && now.ModTime().Equal(f.info.ModTime()) {
		return nil
	}
	return cli.BadInput(fmt.Errorf("%s changed while it was being read; run the link again once it is complete", safetext.Printable(f.name)))
}

// unchanged returns an error if any file was replaced or modified.
func (l *linkFiles) unchanged() error {
	for _, f := range l.list {
		info, err := os.Stat(f.name)
		if err == nil {
			err = f.unchanged(info)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
