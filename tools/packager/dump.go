package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/rules-sycl/rules_sycl/docs/schema"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/syclbin"
	"github.com/rules-sycl/rules_sycl/tools/internal/cli"
)

func dumpCommand() *cli.Command {
	return &cli.Command{
		Name:  "dump",
		Args:  "FILE...",
		Short: "show what is inside",
		Long: `
Shows each file in the shape of syclbin-dump. Byte arrays are shown as text where
they can be printed and in hexadecimal otherwise; characters that a terminal would
obey are shown as escapes. With --json, everything is shown.`,
		Example: "packager dump --verbose k.syclbin",
		Setup:   func(fs *flag.FlagSet) cli.Run { return new(dump).setup(fs) },
	}
}

type dump struct {
	json, schema, verbose, lenient bool
}

func (d *dump) setup(fs *flag.FlagSet) cli.Run {
	fs.BoolVar(&d.json, "json", false, "print JSON: every set, key, typed value, offset and size")
	fs.BoolVar(&d.schema, "schema", false, "print the JSON Schema of --json and exit")
	fs.BoolVar(&d.verbose, "verbose", false, "print offsets, sizes, formats and the meaning of values as well")
	lenientFlag(fs, &d.lenient)
	return d.run
}

func (d *dump) run(ctx context.Context, env *cli.Env, args []string) error {
	if d.schema {
		_, err := env.Stdout.Write(schema.SYCLBINDump)
		return err
	}
	if len(args) == 0 {
		return cli.Usagef("a file is needed")
	}
	out := bufio.NewWriter(env.Stdout)
	defer out.Flush() // what was shown before an error stays
	all := jsonDump{Files: []jsonFile{}}
	for i, name := range args {
		if err := ctx.Err(); err != nil {
			return err
		}
		f, err := open(env, name, d.lenient)
		if err != nil {
			return err
		}
		if d.json {
			all.Files = append(all.Files, newJSONFile(name, f))
		} else {
			if len(args) > 1 {
				if i > 0 {
					fmt.Fprintln(out)
				}
				fmt.Fprintf(out, "%s:\n", printable(name))
			}
			p := printer{out: out, verbose: d.verbose}
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

// A printer prints lines in the shape of syclbin-dump.
type printer struct {
	out     io.Writer
	verbose bool
	depth   int
}

func (p *printer) line(format string, args ...any) {
	fmt.Fprintf(p.out, "%s%s\n", strings.Repeat("  ", p.depth), strings.TrimRight(fmt.Sprintf(format, args...), " "))
}

// within prints a line and what belongs to it.
func (p *printer) within(body func(), format string, args ...any) {
	p.line(format, args...)
	p.depth++
	body()
	p.depth--
}

func (p *printer) file(f *syclbin.File) {
	p.line("Version: %d", f.Version)
	if p.verbose {
		p.line("Size: %d bytes", f.Size)
		if f.Container == 0 {
			p.line("Container: none")
		} else {
			p.line("Container: OffloadBinary version %d, image kind %d", f.Container, f.ImageKind)
		}
		p.line("State: %s", f.State)
	}
	p.within(func() { p.sets(f.Global) }, "Global metadata:%s", p.at(f.GlobalAt))
	p.line("Number of Abstract Modules: %d", len(f.Modules))
	for i, m := range f.Modules {
		p.within(func() {
			p.within(func() { p.sets(m.Metadata) }, "Metadata:%s", p.at(m.MetadataAt))
			p.line("Number of IR Modules: %d", len(m.IR))
			for j, img := range m.IR {
				p.image(img, fmt.Sprintf("IR module %d", j), "Raw IR bytes")
			}
			p.line("Number of Native Device Code Images: %d", len(m.Native))
			for j, img := range m.Native {
				p.image(img, fmt.Sprintf("Native device code image %d", j), "Raw native device code image bytes")
			}
		}, "Abstract Module %d:", i)
	}
}

func (p *printer) image(img *syclbin.Image, title, bytes string) {
	p.within(func() {
		p.within(func() { p.sets(img.Metadata) }, "Metadata:%s", p.at(img.MetadataAt))
		more := ""
		if p.verbose {
			more = fmt.Sprintf(" at %#x: %s", img.At.Offset, img.Format())
		}
		p.line("%s: <Binary blob of %d bytes>%s", bytes, img.Size(), more)
	}, "%s:", title)
}

func (p *printer) sets(r *propset.Registry) {
	for _, s := range r.Sets() {
		p.within(func() {
			for _, prop := range s.Properties() {
				more := ""
				if p.verbose {
					more = meaning(s.Name, prop)
				}
				p.line("%s: %s%s", printable(prop.Key), valueText(prop.Value), more)
			}
		}, "%s:", printable(s.Name))
	}
}

// meaning returns what a value means, in brackets.
func meaning(set string, prop propset.Property) string {
	t, err := describer.Describe(set, prop.Key, prop.Value)
	switch {
	case err != nil:
		return " (wrong: " + printable(strings.TrimSpace(err.Error())) + ")"
	case !t.Known || t.Text == valueText(prop.Value):
		return " (" + t.Layout + ")"
	}
	return " (" + t.Layout + ": " + printable(t.Text) + ")"
}

func (p *printer) at(r syclbin.Range) string {
	if !p.verbose {
		return ""
	}
	return fmt.Sprintf(" <%d bytes at %#x>", r.Size, r.Offset)
}
