package main

import (
	"context"
	"flag"
	"regexp"
	"slices"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/inputs"
	"github.com/rules-sycl/rules_sycl/internal/inspect"
	"github.com/rules-sycl/rules_sycl/sycl/gate"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// A reportCommand implements the subcommand report.
type reportCommand struct {
	showCommand          // how to show the report
	name                 string
	source               report.Source
	wanted, deviceConfig cli.Strings
	targets              cli.Strings
	embedded             cli.Strings
	workspace            string
	reading              inputs.Reading
	llvmDis              string
}

const reportLong = `
Reads device code and reports, for each kernel and device, whether the kernel runs on
the device, all reasons if it does not, and which code exists for the device: native
code, code that is compiled at run time, or none.

A FILE is a program, a library, an object, an archive of objects, an offload binary, a
SYCLBIN, a SPIR-V module or a file table; a wheel or another zip or tar archive of
such files, which may itself be in a zip archive; a directory; or a pattern, in which *
matches any text in a name, ? one character and ** any directories. A pattern that
starts with ! excludes files or directories. File types are detected by content.

Each file is a separate program, labeled with its path; a file in a wheel is labeled
with the distribution and its path there, without versions. With --name or --embedded,
all files form one program. SYCLBINs, SPIR-V modules and file tables do, too, if no other
files are given.

For a file without device code, a note is printed. A file that cannot be read is an
error if you named it, and a warning in a directory, a pattern or an archive. If there
is no device code at all, the exit code is 3.

Without --devices, the report covers the devices with native code and the targets of
the other code. The other commands read the report as JSON: use --format json, or a
name that ends with .json for --output. Flags such as --status and --group-by select
what is shown, as in 'compat show'.`

const reportExample = `compat report libkernels.so
  compat report --devices intel_gpu_pvc,intel_gpu_acm_g10 dist/*.whl
  compat report --format html --output report.html build 'out/**/*.so' '!out/test/**'
  compat report --name //demo:kernels --output kernels.compat.json kernels.syclbin`

func (r *reportCommand) setup(fs *flag.FlagSet) cli.Run {
	r.wanted.Split, r.targets.Split = true, true
	fs.StringVar(&r.output, "output", "", "write the report to this `file` (default standard output)")
	r.formatFlag(fs)
	fs.Var(&r.wanted, "devices", "`targets` to report on, separated by commas")
	fs.Var(&r.targets, "targets", "`targets` that the files are built for, separated by commas; without --devices, the report covers them, even if they have no image, and all targets with images")
	fs.Var(&r.deviceConfig, "device-config", "device configuration `file`, which overrides built-in devices with the same names; may be repeated")
	fs.Var(&r.deviceConfig, "device-config-file", "alias of --device-config `file`")
	fs.Var(&r.embedded, "embedded", "`file` with images that are part of the program, such as a SYCLBIN; on a device that some of them are compiled for, the runtime uses these images; may be repeated")
	r.reading.AssumeFlag(fs)
	fs.StringVar(&r.llvmDis, "llvm-dis", "", llvmDisUsage)
	fs.StringVar(&r.workspace, "workspace", ".", "`directory` of the sources; absolute paths in debug information are reported relative to it")
	fs.StringVar(&r.name, "name", "", "`label` of the program that all files form together")
	fs.StringVar(&r.source.Commit, "commit", "", "`id` of the commit that the files were built from, to record in the report")
	fs.StringVar(&r.source.Date, "date", "", "`date` of that commit, such as 2027-03-31, to record in the report")
	r.setupView(fs)
	return r.run
}

func (r *reportCommand) run(ctx context.Context, env *cli.Env, args []string) error {
	if len(args)+len(r.embedded.Values) == 0 {
		return cli.Usagef("no input files; pass programs, libraries, wheels or directories")
	}
	if id := r.source.Commit; id != "" && !isCommit.MatchString(id) {
		return cli.Usagef("--commit %s: invalid commit id; expected 7 to 64 hexadecimal digits", safetext.Printable(id))
	}
	if r.source.Date != "" {
		if _, err := gate.ParseDate(r.source.Date); err != nil {
			return cli.Usagef("--date: %v", err)
		}
	}
	if err := r.chooseFormat(); err != nil {
		return err
	}
	if err := r.check(slices.Concat(args, r.embedded.Values, r.deviceConfig.Values)); err != nil {
		return err
	}
	programs, err := inspect.Reports(ctx, env, inspect.Options{
		Files: args, Embedded: r.embedded.Values, Label: r.name,
		Devices: r.wanted.Values, Targets: r.targets.Values, DeviceConfig: r.deviceConfig.Values, Workspace: r.workspace, Reading: r.reading, LLVMDis: r.llvmDis,
	})
	if err != nil {
		return err
	}
	out, err := report.Merge(programs...)
	if err != nil {
		return cli.BadInput(err)
	}
	out.Source = r.source
	r.command = r.commandLine(args)
	return r.show(ctx, env, out, r.output)
}

var isCommit = regexp.MustCompile(`^[0-9a-f]{7,64}$`)

// commandLine returns a shell command that creates the same report.
func (r *reportCommand) commandLine(args []string) string {
	command := "compat report" + fileArguments(args) + flagArguments("embedded", r.embedded.Values...) + flagArguments("device-config", r.deviceConfig.Values...)
	for _, f := range []struct{ name, value string }{{"name", r.name}, {"commit", r.source.Commit}, {"date", r.source.Date}, {"devices", r.wanted.String()}, {"targets", r.targets.String()}, {"workspace", r.workspace}} {
		if f.value != "" && (f.name != "workspace" || f.value != ".") {
			command += flagArguments(f.name, f.value)
		}
	}
	if r.reading.Assume != nil {
		command += flagArguments("assume-runtime", r.reading.Assume.Name)
	}
	return command
}
