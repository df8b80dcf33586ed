package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/docs"
	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/inputs"
	"github.com/rules-sycl/rules_sycl/sycl/offload"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	sycl "github.com/rules-sycl/rules_sycl/sycl/specialize"
	"github.com/rules-sycl/rules_sycl/sycl/syclbin"
)

func dumpCommand() *cli.Command {
	return &cli.Command{
		Name:  "dump",
		Args:  "FILE...",
		Short: "print the content of SYCLBINs",
		Long: `
Prints each file in the format of syclbin-dump. Byte arrays are printed as text if they
are printable, otherwise in hexadecimal; control characters are escaped. --json prints
everything.`,
		Example: "packager dump --verbose k.syclbin",
		Setup:   func(fs *flag.FlagSet) cli.Run { return new(dump).setup(fs) },
	}
}

type dump struct {
	json, schema, verbose bool
	reading               inputs.Reading
}

func (d *dump) setup(fs *flag.FlagSet) cli.Run {
	fs.BoolVar(&d.json, "json", false, "print every set, key, typed value, offset and size as JSON")
	fs.BoolVar(&d.schema, "schema", false, "print the JSON Schema of --json and exit")
	fs.BoolVar(&d.verbose, "verbose", false, "also print offsets, sizes, formats, the meaning of values, specialization constants, and the kernels in native code for Intel GPUs")
	d.reading.Flags(fs)
	return d.run
}

func (d *dump) run(ctx context.Context, env *cli.Env, args []string) error {
	if d.schema {
		_, err := env.Stdout.Write(docs.DumpSchema)
		return err
	}
	if len(args) == 0 {
		return cli.Usagef("no input files")
	}
	out := bufio.NewWriterSize(env.Stdout, 64<<10)
	defer out.Flush() // print output even after an error
	all := jsonDump{Files: []jsonFile{}}
	for i, name := range args {
		if err := ctx.Err(); err != nil {
			return err
		}
		f, err := d.reading.Open(env, name)
		if err != nil {
			return err
		}
		if d.json {
			all.Files = append(all.Files, newJSONFile(name, f))
		} else {
			p := printer{out: out, verbose: d.verbose, values: describer(f.Release)}
			if len(args) > 1 {
				p.title(name, i == 0)
			}
			p.file(f)
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	if d.json {
		if err := writeJSON(out, all); err != nil {
			return err
		}
	}
	return out.Flush()
}

// inFile returns property sets as stored in the file, with the aspect numbers of its release.
func inFile(f *syclbin.File, r *propset.Registry) *propset.Registry {
	if raw, err := f.Release.Write(r); err == nil { // always, for a file that was read
		return raw
	}
	return r
}

// recorded returns the global metadata as stored in the file, including the release.
func recorded(f *syclbin.File) *propset.Registry {
	if !f.Recorded {
		return f.Global
	}
	global := f.Global.Clone()
	f.Release.Record(global)
	return global
}

// A printer prints lines in the format of syclbin-dump.
type printer struct {
	out     io.Writer
	verbose bool
	values  propset.Describer
	depth   int
	buf     []byte // reused for every line
}

// line prints the parts as one indented line.
func (p *printer) line(parts ...string) {
	p.buf = p.buf[:0]
	for range p.depth {
		p.buf = append(p.buf, "  "...)
	}
	for _, part := range parts {
		p.buf = append(p.buf, part...)
	}
	p.out.Write(append(bytes.TrimRight(p.buf, " "), '\n'))
}

// indent prints a line, then calls body with the indentation increased.
func (p *printer) indent(body func(), parts ...string) {
	p.line(parts...)
	p.depth++
	body()
	p.depth--
}

// title prints the file name if there are several files.
func (p *printer) title(name string, isFirst bool) {
	if !isFirst {
		fmt.Fprintln(p.out)
	}
	fmt.Fprintf(p.out, "%s:\n", safetext.Printable(name))
}

func (p *printer) file(f *syclbin.File) {
	p.line("Version: ", strconv.Itoa(f.Version))
	if p.verbose {
		p.line(fmt.Sprintf("Size: %d bytes", f.Size))
		if f.Container == 0 {
			p.line("Container: none")
		} else {
			p.line(fmt.Sprintf("Container: OffloadBinary version %d, image kind %d", f.Container, f.ImageKind))
		}
		p.line("State: ", f.State.String())
		if f.Recorded {
			p.line("Runtime: ", f.Release.String())
		}
	}
	p.metadata("Global metadata:", recorded(f), f.GlobalRange)
	constants := make([][]sycl.Constant, len(f.Modules))
	if p.verbose {
		if list, err := constantsOf(f); err == nil {
			constants = list
		} else {
			p.line("Specialization constants: invalid: ", safetext.Printable(err.Error()))
		}
	}
	p.line("Number of Abstract Modules: ", strconv.Itoa(len(f.Modules)))
	for i, m := range f.Modules {
		p.indent(func() {
			p.metadata("Metadata:", inFile(f, m.Metadata), m.MetadataRange)
			p.constants(constants[i])
			p.line("Number of IR Modules: ", strconv.Itoa(len(m.IR)))
			for j, img := range m.IR {
				p.image(img, "IR module ", j, "Raw IR bytes")
			}
			p.line("Number of Native Device Code Images: ", strconv.Itoa(len(m.Native)))
			for j, img := range m.Native {
				p.image(img, "Native device code image ", j, "Raw native device code image bytes")
			}
		}, "Abstract Module ", strconv.Itoa(i), ":")
	}
}

// constants prints the specialization constants of an abstract module.
func (p *printer) constants(list []sycl.Constant) {
	if len(list) == 0 {
		return
	}
	p.indent(func() {
		for _, c := range list {
			p.indent(func() {
				for _, part := range c.Parts {
					typ := cmp.Or(part.Type, safetext.Count(int(part.Size), "byte")+", not a SPIR-V type")
					p.line(fmt.Sprintf("%s: default %s, number %d, offset %d", typ, part.Default, part.Number, part.Offset))
				}
			}, safetext.Printable(c.DisplayName), ":")
		}
	}, "Specialization constants:")
}

// constantsOf returns the specialization constants of each abstract module.
func constantsOf(f *syclbin.File) ([][]sycl.Constant, error) {
	images := make([]sycl.Image, len(f.Modules))
	for i, m := range f.Modules {
		images[i] = specializable(m, i)
	}
	return sycl.Describe(images...)
}

func (p *printer) image(img *syclbin.Image, title string, i int, what string) {
	p.indent(func() {
		p.metadata("Metadata:", img.Metadata, img.MetadataRange)
		more := ""
		if p.verbose {
			more = fmt.Sprintf(" at %#x: %s", img.Range.Offset, img.Format())
		}
		p.line(what, ": <Binary blob of ", strconv.FormatInt(img.Size(), 10), " bytes>", more)
		if p.verbose {
			p.kernels(img)
		}
	}, title, strconv.Itoa(i), ":")
}

// kernels prints the compiler's information on the kernels in native code for Intel GPUs.
func (p *printer) kernels(img *syclbin.Image) {
	if img.Format() != offload.Zebin {
		return
	}
	list, err := offload.GPUKernels(img, img.Size())
	if err != nil {
		p.line("Kernels: invalid: ", safetext.Printable(err.Error()))
		return
	}
	for i := range list {
		p.line("Kernel ", safetext.Printable(list[i].Name), ": ", list[i].String())
	}
}

// metadata prints a title and property sets.
func (p *printer) metadata(title string, r *propset.Registry, at syclbin.Range) {
	place := ""
	if p.verbose {
		place = fmt.Sprintf(" <%d bytes at %#x>", at.Size, at.Offset)
	}
	p.indent(func() {
		for _, s := range r.Sets() {
			p.indent(func() {
				for _, prop := range s.Properties() {
					more := ""
					if p.verbose {
						more = p.meaning(s.Name, prop)
					}
					p.line(safetext.Printable(prop.Key), ": ", valueText(prop.Value), more)
				}
			}, safetext.Printable(s.Name), ":")
		}
	}, title, place)
}

// meaning describes a property value, in parentheses.
func (p *printer) meaning(set string, prop propset.Property) string {
	t, err := p.values.Describe(set, prop.Key, prop.Value)
	switch {
	case err != nil:
		return " (wrong: " + safetext.Printable(strings.TrimSpace(err.Error())) + ")"
	case !t.Known || t.Text == valueText(prop.Value):
		return " (" + t.Layout + ")"
	}
	return " (" + t.Layout + ": " + safetext.Printable(t.Text) + ")"
}
