package bundle

import (
	"context"
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

// LinkOptions are the options of [Link].
type LinkOptions struct {
	Output  string
	Format  syclbin.Options
	Link    sycllink.Options
	Reading inputs.Reading
	Graph   string // write the dependencies between modules to this file; "-" is standard output
	DOT     bool   // write the graph for Graphviz
}

// Link combines files into a SYCLBIN. If the result has problems, nothing is written; see
// [Problems].
func Link(ctx context.Context, env *cli.Env, names []string, o LinkOptions) (*sycllink.Result, error) {
	o.Format.KeepOrder = true
	files := &linkFiles{ctx: ctx}
	var inputs []sycllink.Input
	for _, name := range names {
		f, err := files.read(env, name, &o.Reading)
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, sycllink.Input{Name: name, File: f})
	}
	if err := o.checkGraph(files); err != nil {
		return nil, err
	}
	if o.Format.Release == nil {
		o.Format.Release = commonRelease(inputs)
	}
	result, err := sycllink.Combine(inputs, o.Link)
	if err != nil {
		return nil, err
	}
	return result, o.writeAll(env, files, result)
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

// checkGraph returns an error if the graph would overwrite an input or the output.
func (o *LinkOptions) checkGraph(files *linkFiles) error {
	if o.Graph == "" || o.Graph == "-" {
		return nil
	}
	if filepath.Clean(o.Graph) == filepath.Clean(o.Output) {
		return cli.Usagef("--graph and --output are the same file")
	}
	info, err := os.Stat(o.Graph)
	if err != nil {
		return nil // does not exist yet
	}
	if output, err := os.Stat(o.Output); err == nil && os.SameFile(info, output) {
		return cli.Usagef("--graph and --output are the same file")
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
func (o *LinkOptions) writeAll(env *cli.Env, files *linkFiles, result *sycllink.Result) error {
	var out outfile.Group
	defer out.Close()
	if err := o.writeGraph(env, result, &out); err != nil {
		return err
	}
	var findings []syclbin.Finding
	if result.File != nil {
		var err error
		if findings, err = o.write(env, files, result.File, &out); err != nil {
			return err
		}
	}
	if err := out.Commit(); err != nil {
		return err
	}
	inputs.Warn(env, o.Output, findings)
	return nil
}

func (o *LinkOptions) writeGraph(env *cli.Env, r *sycllink.Result, out *outfile.Group) error {
	write := r.WriteText
	if o.DOT {
		write = r.WriteDOT
	}
	switch o.Graph {
	case "":
		return nil
	case "-":
		return write(env.Stdout)
	}
	return out.Write(o.Graph, write)
}

// write writes the output, unless an input changed in the meantime, and returns the problems
// that verification finds in it.
func (o *LinkOptions) write(env *cli.Env, files *linkFiles, file *syclbin.File, out *outfile.Group) ([]syclbin.Finding, error) {
	total := imageBytes(file)
	found := make(chan []syclbin.Finding, 1)
	go func() { found <- verifyWritten(file, o.Format) }() // in parallel with writing to disk
	err := out.WriteMain(o.Output, func(w io.Writer) error {
		p := env.ProgressWriter(w, "writing "+o.Output, total)
		defer p.Done()
		if err := syclbin.Write(p, file, o.Format); err != nil {
			return err
		}
		return files.unchanged()
	})
	return <-found, err
}

// maxShown limits the number of problems that are printed.
const maxShown = 10

// Problems prints the first problems of a result and returns an error if there are any. If it does
// not print all of them, the error contains seeAll, which says how to see them.
func Problems(env *cli.Env, r *sycllink.Result, output, seeAll string) error {
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
	output = safetext.Printable(output)
	if n > maxShown {
		return cli.No(fmt.Errorf("%d problems, the first %d shown; %s to see all; nothing was written to %s", n, maxShown, seeAll, output))
	}
	return cli.No(fmt.Errorf("%d %s; nothing was written to %s", n, safetext.Plural(n, "problem", "problems"), output))
}

// shortened truncates a very long line.
func shortened(line string) string {
	const most = 2000
	if len(line) <= most {
		return line
	}
	return fmt.Sprintf("%s... and %d more bytes", strings.ToValidUTF8(line[:most], ""), len(line)-most)
}

// linkFiles holds the input files of a link. They are opened on demand, because there may be more
// files than a process can have open.
type linkFiles struct {
	ctx  context.Context // cancels reads
	list []*linkFile
}

// A linkFile is an input file. It must not change during the link.
type linkFile struct {
	ctx  context.Context
	name string
	info os.FileInfo // file information at the first read
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
	return cli.BadInput(fmt.Errorf("%s: the file changed while it was being read; link again once it is complete", safetext.Printable(f.name)))
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
