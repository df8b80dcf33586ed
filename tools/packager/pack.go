package main

import (
	"context"
	"flag"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/inputs"
	"github.com/rules-sycl/rules_sycl/sycl/syclbin"
	"github.com/rules-sycl/rules_sycl/tools/internal/bundle"
)

func packCommand() *cli.Command {
	return &cli.Command{
		Name:  "pack",
		Short: "pack file tables and images into a SYCLBIN",
		Long: `
A table belongs to one target: a triple, and an architecture if its images are compiled
for one. It has the column Code and may have the columns Properties and Symbols. Relative
file names are looked up in the current directory, then next to the table.

An image for an architecture gets its own abstract module, whose property compile_target
names the architecture. Kernel names come from the property file. Without kernel names
there, they are the names in the symbol file that are neither exported symbols nor virtual
functions. If an image has no property file, its requirements and kernel names are read
from the image: SPIR-V, PTX, and ELF for Intel, NVIDIA and AMD GPUs. An empty image
without kernel names and symbols is skipped, because its source contains no device code.

The first ten problems that 'packager verify' would report are printed as warnings.`,
		Example: "packager pack --output k.syclbin --table spir64-unknown-unknown=k.table --table spir64_gen-unknown-unknown=intel_gpu_pvc=pvc.table",
		Setup:   func(fs *flag.FlagSet) cli.Run { return new(pack).setup(fs) },
	}
}

type pack struct {
	form
	reading        inputs.Reading
	ir             string
	state          string
	tables, images cli.Strings
	embedded       bool // whether the file describes images inside a program and is not loaded
	beside         bool // whether relative file names are only looked up next to the table
}

// The values of --ir.
const (
	irAny = "any"
	irCPU = "cpu"
)

func (p *pack) setup(fs *flag.FlagSet) cli.Run {
	p.form.flags(fs)
	p.reading.AssumeFlag(fs)
	fs.StringVar(&p.ir, "ir", irAny, "`devices` that may use IR: any, or cpu to make sure that GPUs use native code")
	fs.StringVar(&p.state, "state", syclbin.Executable.String(), "bundle `state` of the file: input, object or executable")
	fs.Var(&p.tables, "table", "`TRIPLE[=ARCH]=FILE`: file table and its target; if FILE contains =, write ARCH even if it is empty; may be repeated")
	fs.BoolVar(&p.embedded, "embedded", false, "describe the images inside a program instead of a file to load: allows zero images and any kernel name")
	fs.BoolVar(&p.beside, "beside-tables", false, "look up relative file names in tables only next to the table, not in the current directory")
	fs.Var(&p.images, "image", "`file=F,triple=T,arch=A,props=P,syms=S`: one image; only file is required; may be repeated")
	return p.run
}

func (p *pack) run(ctx context.Context, env *cli.Env, args []string) error {
	o, err := p.form.options()
	if err != nil {
		return err
	}
	state, err := parseState(p.state)
	switch {
	case err != nil:
		return err
	case p.ir != "" && p.ir != irAny && p.ir != irCPU:
		return cli.Usagef("--ir: unknown value '%s'; expected any or cpu", p.ir)
	case len(args) > 0:
		return cli.Usagef("unexpected argument '%s'; pass tables with --table and images with --image", args[0])
	case len(p.tables.Values)+len(p.images.Values) == 0:
		return cli.Usagef("nothing to pack; --table or --image is required")
	}
	b := bundle.PackOptions{
		Output: p.output, Format: o, State: state, Reading: p.reading,
		BesideTables: p.beside, CPUOnly: p.ir == irCPU, Embedded: p.embedded,
	}
	if b.Tables, err = parseTables(p.tables.Values); err != nil {
		return err
	}
	for _, v := range p.images.Values {
		image, err := parseImage(v)
		if err != nil {
			return err
		}
		b.Images = append(b.Images, image)
	}
	return bundle.Pack(ctx, env, b)
}

// parseTables parses the values of --table.
func parseTables(values []string) ([]bundle.Table, error) {
	var tables []bundle.Table
	for _, v := range values {
		// The file name can contain =, but cannot start with it.
		part := strings.SplitN(v, "=", 3)
		t := bundle.Table{Triple: part[0], File: part[len(part)-1]}
		if len(part) < 2 || t.File == "" {
			return nil, cli.Usagef("--table: invalid value '%s'; expected TRIPLE[=ARCH]=FILE", v)
		}
		if len(part) == 3 {
			t.Arch = part[1]
		}
		tables = append(tables, t)
	}
	return tables, nil
}

// parseImage parses one value of --image.
func parseImage(value string) (bundle.Image, error) {
	in := bundle.Image{Place: "--image " + value}
	seen := make(map[string]bool)
	for part := range strings.SplitSeq(value, ",") {
		key, v, ok := strings.Cut(part, "=")
		field, known := map[string]*string{"file": &in.Code, "triple": &in.Triple, "arch": &in.Arch, "props": &in.Properties, "syms": &in.Symbols}[key]
		switch {
		case !ok || !known:
			return in, cli.Usagef("--image: unknown field '%s'; expected file=, triple=, arch=, props= or syms=", part)
		case seen[key]:
			return in, cli.Usagef("--image: duplicate field '%s'", key)
		}
		seen[key] = true
		*field = v
	}
	if in.Code == "" {
		return in, cli.Usagef("--image: missing file= in '%s'", value)
	}
	return in, nil
}
