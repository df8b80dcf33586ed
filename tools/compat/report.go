package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/devices"
	"github.com/rules-sycl/rules_sycl/internal/reading"
	"github.com/rules-sycl/rules_sycl/internal/tables"
	"github.com/rules-sycl/rules_sycl/sycl/filetable"
	"github.com/rules-sycl/rules_sycl/sycl/imageformat"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/report"
)

// reporter is the subcommand report.
type reporter struct {
	output, name   string
	devices, files cli.Strings
	targets        cli.Strings
	embedded       cli.Strings
	reading        reading.Options
}

func (r *reporter) setup(fs *flag.FlagSet) cli.Run {
	r.devices.Split, r.targets.Split = true, true
	fs.StringVar(&r.output, "output", "", "write the report to this `file`; standard output when it is missing")
	fs.Var(&r.devices, "devices", "`targets` to report on, separated by commas")
	fs.Var(&r.targets, "targets", "`targets` that the files are built for, separated by commas; without --devices, the report is on them, also when no image is for them, and on those that the files have images for")
	fs.Var(&r.files, "device-config", "`file` with devices, which replace known ones of the same name; may be repeated")
	fs.Var(&r.files, "device-config-file", "the same as --device-config `file`")
	fs.Var(&r.embedded, "embedded", "SYCLBIN `file` with the images that the program itself holds: for a device that some are compiled for, the runtime takes these; may be repeated")
	r.reading.AssumeFlag(fs)
	fs.StringVar(&r.name, "name", "", "`label` of what the report is about")
	return r.run
}

func (r *reporter) run(ctx context.Context, env *cli.Env, args []string) error {
	if len(args)+len(r.embedded.Values) == 0 {
		return cli.Usagef("a file to report on is needed")
	}
	config, err := devices.Load(env.Stderr, r.files.Values)
	if err != nil {
		return err
	}
	chosen, err := devices.FindAll(config, r.devices.Values)
	if err != nil {
		return err
	}
	built, err := devices.FindAll(config, r.targets.Values)
	if err != nil {
		return err
	}
	var modules []report.Module
	for i, name := range slices.Concat(args, r.embedded.Values) {
		if err := ctx.Err(); err != nil {
			return err
		}
		list, err := r.readModules(env, name)
		if err != nil {
			return err
		}
		for m := range list {
			list[m].Embedded = i >= len(args)
		}
		modules = append(modules, list...)
	}
	if len(chosen) == 0 && len(built) > 0 {
		chosen = append(built, report.Targets(modules, config)...)
	}
	report.JoinForms(modules)
	out, err := report.Build(modules, chosen, config, report.Generator{Name: "compat", Version: cli.Version}, r.name)
	if err != nil {
		return err
	}
	return env.Output(r.output, out.Encode)
}

// readModules reads a file of any kind that has device code.
func (r *reporter) readModules(env *cli.Env, name string) ([]report.Module, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, cli.BadInput(fmt.Errorf("%s is not a regular file", name))
	}
	whole := io.NewSectionReader(f, 0, info.Size())
	start := make([]byte, 1)
	f.ReadAt(start, 0) // an empty file is a table
	switch format := imageformat.Detect(f, info.Size()); {
	case format == imageformat.SYCLBIN, format == imageformat.Offload:
		file, err := r.reading.Read(env, name, f, info.Size())
		if err != nil {
			return nil, err
		}
		list, err := report.FromSYCLBIN(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for i := range list {
			list[i].File = name
		}
		return list, nil
	case format == imageformat.SPIRV:
		m, err := report.FromSPIRV(whole)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return []report.Module{m}, nil
	case format == imageformat.Unknown && (start[0] == '[' || info.Size() == 0):
		return r.readTable(name, whole)
	case format == imageformat.Unknown:
		return nil, cli.BadInput(fmt.Errorf("%s is neither a SYCLBIN nor a SPIR-V module nor a file table", name))
	default:
		return nil, cli.BadInput(fmt.Errorf("%s is neither a SYCLBIN nor a SPIR-V module nor a file table, but of the format %v; 'packager import' makes a SYCLBIN of programs and objects", name, format))
	}
}

func (r *reporter) readTable(name string, in io.Reader) ([]report.Module, error) {
	table, err := filetable.Read(name, in)
	if err != nil {
		return nil, err
	}
	if len(table.Rows) > 0 && table.Column(filetable.Code) < 0 {
		return nil, cli.BadInput(fmt.Errorf("%s: the table has no column %s", name, filetable.Code))
	}
	var list []report.Module
	for i, row := range table.Rows {
		m, err := r.readRow(name, table, row)
		if err != nil {
			return nil, fmt.Errorf("%s: row %d: %w", name, i+1, err)
		}
		list = append(list, m)
	}
	return list, nil
}

func (r *reporter) readRow(name string, table *filetable.Table, row []string) (report.Module, error) {
	var properties *propset.Registry
	if c := table.Column(filetable.Properties); c >= 0 {
		data, found, err := tables.Read(name, row[c])
		if err != nil {
			return report.Module{}, fmt.Errorf("property file: %w", err)
		}
		if properties, err = propset.Parse(found, data); err != nil {
			return report.Module{}, err
		}
		properties = r.reading.Sets(properties)
	}
	var symbols []string
	if c := table.Column(filetable.Symbols); c >= 0 && row[c] != "" {
		data, _, err := tables.Read(name, row[c])
		if err != nil {
			return report.Module{}, fmt.Errorf("symbol file: %w", err)
		}
		symbols = strings.Fields(string(data))
	}
	code, err := tables.Open(name, row[table.Column(filetable.Code)])
	if err != nil {
		return report.Module{}, fmt.Errorf("code file: %w", err)
	}
	defer code.Close()
	info, err := code.Stat()
	if err != nil {
		return report.Module{}, err
	}
	m, err := report.FromRow(io.NewSectionReader(code, 0, info.Size()), properties, symbols)
	if err != nil {
		return m, fmt.Errorf("%s: %w", code.Name(), err)
	}
	return m, nil
}
