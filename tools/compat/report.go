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

// A reporter is the subcommand report.
type reporter struct {
	shower               // how to show the report
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
Reads device code and says, for each kernel and device, whether the one runs on the
other, all reasons why not, and what there is for the device: native code, code that
is compiled when the program runs, or nothing.

A FILE is a program, a library, an object, an archive of objects, an offload binary, a
SYCLBIN, a SPIR-V module or a file table; a wheel or another zip or tar archive of
such files, which may be in a zip archive itself; a folder; or a pattern, in which *
stands for any text in a name, ? for a character and ** for any folders. A pattern
that begins with ! takes files away, or folders. What a file is follows from its content.

Each file is a program of its own, called by its path; a file of a wheel by the
distribution and its path there, without versions. With --name or --embedded, all
files are together one program, and so are SYCLBINs, SPIR-V modules and file tables
when nothing else is given.

A file without device code is a note. In a folder, a pattern or an archive, a file
that cannot be read is a warning; when it was named, it is an error. If there is no
device code at all, the exit code is 3.

Without --devices the report is about the devices that there is native code for
and about the targets of the other code. The other commands read the report as JSON:
--format json, or a name that ends with .json for --output. Flags such as --status and
--group-by choose what is shown, as those of 'compat show'.`

const reportExample = `compat report libkernels.so
  compat report --devices intel_gpu_pvc,intel_gpu_acm_g10 dist/*.whl
  compat report --format html --output report.html build 'out/**/*.so' '!out/test/**'
  compat report --name //demo:kernels --output kernels.compat.json kernels.syclbin`

func (r *reporter) setup(fs *flag.FlagSet) cli.Run {
	r.wanted.Split, r.targets.Split = true, true
	fs.StringVar(&r.output, "output", "", "write the report to this `file`; standard output when it is missing")
	r.formatFlag(fs)
	fs.Var(&r.wanted, "devices", "`targets` to report on, separated by commas")
	fs.Var(&r.targets, "targets", "`targets` that the files are built for, separated by commas; without --devices, the report is on them, also when no image is for them, and on those that the files have images for")
	fs.Var(&r.deviceConfig, "device-config", "`file` with devices, which replace known ones of the same name; may be repeated")
	fs.Var(&r.deviceConfig, "device-config-file", "the same as --device-config `file`")
	fs.Var(&r.embedded, "embedded", "`file` with the images that the program itself holds, such as a SYCLBIN: for a device that some are compiled for, the runtime takes these; may be repeated")
	r.reading.AssumeFlag(fs)
	fs.StringVar(&r.llvmDis, "llvm-dis", "", llvmDisUsage)
	fs.StringVar(&r.workspace, "workspace", ".", "`folder` of the sources: of absolute paths in debug information, the report has the part below it")
	fs.StringVar(&r.name, "name", "", "`label` of what the report is about: all files are together one program")
	fs.StringVar(&r.source.Commit, "commit", "", "`id` of the commit that the files were built from, for the report")
	fs.StringVar(&r.source.Date, "date", "", "`day` of that commit, as 2027-03-31, for the report")
	r.setupView(fs)
	return r.run
}

func (r *reporter) run(ctx context.Context, env *cli.Env, args []string) error {
	if len(args)+len(r.embedded.Values) == 0 {
		return cli.Usagef("a file to report on is needed")
	}
	if id := r.source.Commit; id != "" && !isCommit.MatchString(id) {
		return cli.Usagef("--commit %s: the id of a commit has 7 to 64 hexadecimal digits", safetext.Printable(id))
	}
	if r.source.Date != "" {
		if _, err := gate.ParseDate(r.source.Date); err != nil {
			return cli.Usagef("--date: %v", err)
		}
	}
	r.chooseFormat()
	if err := r.check(slices.Concat(args, r.embedded.Values)); err != nil {
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
	r.command = r.calledBy(args)
	return r.show(ctx, env, out, r.output)
}

var isCommit = regexp.MustCompile(`^[0-9a-f]{7,64}$`)

// calledBy returns the shell command that makes the same report.
func (r *reporter) calledBy(args []string) string {
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
