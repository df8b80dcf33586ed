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
		Short: "several SYCLBINs to one",
		Long: `
With --mode combine, the abstract modules of all files become those of one, and
each symbol that a module imports has to be exported by another one that the same
devices take. Code is not changed: a program puts it together by sycl::link, for
which the file is in object state. Without such symbols it is executable.
Modules that are the same are kept once. The result does not depend on the order
of the files. What keeps files from being combined is printed, and the exit code
is 1: nothing is written then. docs/reference/linking-problems.md explains each problem.

With --mode ir, the code itself is linked: the SPIR-V and LLVM bitcode of all files
becomes one module, which is split again and compiled for --targets. Calls from one
file to another are ordinary calls then. Native images are not taken over.

--output may be one of the files: it is replaced when all of it has been written.`,
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

// Forms of --graph.
const (
	graphText = "text"
	graphDOT  = "dot"
)

func (l *link) setup(fs *flag.FlagSet) cli.Run {
	l.form.flags(fs)
	l.linkIR.flags(fs)
	fs.StringVar(&l.mode, "mode", "combine", "`how`: combine keeps the modules and resolves their symbols, ir links their code")
	fs.StringVar(&l.state, "state", "", "bundle `state` of the result: input, object or executable (default object when a module needs a symbol of another, executable otherwise)")
	fs.BoolVar(&l.allowUnresolved, "allow-unresolved", false, "leave imports that no file exports to a later link")
	fs.StringVar(&l.graph, "graph", "", "write which modules need which to this `file`, - for standard output")
	fs.StringVar(&l.graphFormat, "graph-format", "", "`form` of the graph: text, or dot for Graphviz (default text)")
	fs.BoolVar(&l.json, "json", false, "print JSON: the problems and the graph")
	l.reading.Flags(fs)
	return l.run
}

func (l *link) run(ctx context.Context, env *cli.Env, args []string) error {
	switch l.mode {
	case "combine":
		if err := l.linkIR.unused(); err != nil {
			return err
		}
		return l.combine(ctx, env, args)
	case "ir":
		return l.ir(ctx, env, args)
	}
	return cli.Usagef("--mode: '%s' is neither combine nor ir", l.mode)
}

// combine joins the modules of files.
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
	if err := l.unused(); err != nil {
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

// commonRelease returns the release that all files are for, nil when they do not.
func commonRelease(inputs []sycllink.Input) *release.Release {
	for _, in := range inputs {
		if !in.File.StatesRelease() || in.File.Release != inputs[0].File.Release {
			return nil
		}
	}
	return inputs[0].File.Release
}

// jsonLink is what --json prints. docs/build/linking.md says what it means.
type jsonLink struct {
	Output string `json:"output,omitempty"` // none when there are problems
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
		return o, cli.Usagef("no file is given to link")
	case o.State != nil && *o.State == syclbin.Executable && l.allowUnresolved:
		return o, cli.Usagef("--allow-unresolved: nothing may be unresolved in executable state: leave out one of both")
	case l.graph == "" && l.graphFormat != "":
		return o, cli.Usagef("--graph-format: there is no --graph")
	case l.graph == "-" && l.json:
		return o, cli.Usagef("--graph - and --json both want standard output: write the graph to a file")
	}
	switch l.graphFormat {
	case "", graphText, graphDOT:
		return o, nil
	}
	return o, cli.Usagef("--graph-format: '%s' is neither text nor dot", l.graphFormat)
}

// checkGraph refuses to write the graph over an input or the output.
func (l *link) checkGraph(files *linkFiles) error {
	if l.graph == "" || l.graph == "-" {
		return nil
	}
	if filepath.Clean(l.graph) == filepath.Clean(l.output) {
		return cli.Usagef("--graph and --output are the same file")
	}
	info, err := os.Stat(l.graph)
	if err != nil {
		return nil // it is not there yet
	}
	if output, err := os.Stat(l.output); err == nil && os.SameFile(info, output) {
		return cli.Usagef("--graph and --output are the same file")
	}
	for _, f := range files.list {
		if os.SameFile(info, f.info) {
			return cli.Usagef("--graph is the input %s", safetext.Printable(f.name))
		}
	}
	return nil
}

// writeAll writes the output and the graph, which appear together, and then the first of
// what is wrong with the output as warnings.
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

// write writes the output, unless an input is not what it was any more, and returns what is
// wrong with it.
func (l *link) write(env *cli.Env, files *linkFiles, file *syclbin.File, o syclbin.Options, out *outfile.Group) ([]syclbin.Finding, error) {
	total := imageBytes(file)
	found := make(chan []syclbin.Finding, 1)
	go func() { found <- verifyWritten(file, o) }() // while the disk is busy
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

// maxShown is how many problems, and how many kinds of warnings, are printed.
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
		return cli.No(fmt.Errorf("%s, of which the first %d are shown: --graph FILE or --json has all; nothing was written to %s", plural(n, "problem"), maxShown, safetext.Printable(l.output)))
	}
	return cli.No(fmt.Errorf("%s: nothing was written to %s", plural(n, "problem"), safetext.Printable(l.output)))
}

// shortened returns a line that does not fill a terminal, whatever names are in it.
func shortened(line string) string {
	const most = 2000
	if len(line) <= most {
		return line
	}
	return fmt.Sprintf("%s... and %d more bytes", strings.ToValidUTF8(line[:most], ""), len(line)-most)
}

// linkFiles are the files of a link. There may be more of them than a process can
// have open files.
type linkFiles struct {
	ctx  context.Context // ends reading
	list []*linkFile
}

// A linkFile is a file that must not change while it is read.
type linkFile struct {
	ctx  context.Context
	name string
	info os.FileInfo // when it was read first
}

// read reads the metadata of a SYCLBIN. Its images are read when they are needed.
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

// unchanged returns an error when the file is not as it was.
func (f *linkFile) unchanged(now os.FileInfo) error {
	if os.SameFile(now, f.info) && now.Size() == f.info.Size() && now.ModTime().Equal(f.info.ModTime()) {
		return nil
	}
	return cli.BadInput(fmt.Errorf("%s changed while it was read: link again when it is complete", safetext.Printable(f.name)))
}

// unchanged returns an error when a file is not what it was.
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
