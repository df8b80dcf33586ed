package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/inputs"
	"github.com/rules-sycl/rules_sycl/sycl/release"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

func explainCommand() *cli.Command {
	return &cli.Command{
		Name:  "explain",
		Args:  "FILE",
		Short: "explain what the SYCL runtime does with a file on a device",
		Long: `
Prints, for each kernel, the image that the runtime selects on a device (native code for
the device, or IR that is compiled at run time), and the default values of the
specialization constants in that image. For a kernel that does not run, it prints the
exception that the runtime throws when the kernel is submitted, and all other reasons. If
a module has imports, the runtime cannot load a file in executable state.

The exit code is 0 if every selected kernel runs, and 1 if one does not, or if the outcome
depends on the individual device.`,
		Example: "packager explain --device intel_gpu_dg2 --kernel VectorAdd k.syclbin",
		Setup:   func(fs *flag.FlagSet) cli.Run { return new(explain).setup(fs) },
	}
}

type explain struct {
	device, kernel string
	configs        cli.Strings
	json           bool
	reading        inputs.Reading
	runtime        *release.Release // nil: use the release of the file
	embedded       bool
}

func (e *explain) setup(fs *flag.FlagSet) cli.Run {
	fs.StringVar(&e.device, "device", "", "`name` of the device, as in -fsycl-targets (required)")
	fs.StringVar(&e.kernel, "kernel", "", "only explain the kernel with this mangled or demangled `name`")
	fs.Var(&e.configs, "device-config", "device configuration `file`, which overrides built-in devices with the same names; may be repeated")
	fs.Var(&e.configs, "device-config-file", "alias of --device-config `file`")
	fs.BoolVar(&e.json, "json", false, "print JSON")
	fs.BoolVar(&e.embedded, "embedded", false, "treat the images as part of a program, not as a file that a program loads")
	inputs.ReleaseFlag(fs, &e.runtime, "runtime", "`release` of the runtime: "+release.Names()+" (default: the release that the file is for)")
	e.reading.Flags(fs)
	return e.run
}

func (e *explain) run(ctx context.Context, env *cli.Env, args []string) error {
	switch {
	case len(args) != 1:
		return cli.Usagef("expected one file, got %d", len(args))
	case e.device == "":
		return cli.Usagef("--device is required")
	}
	config, err := inputs.LoadDevices(env.Stderr, e.configs.Values)
	if err != nil {
		return err
	}
	device, err := inputs.ChooseDevice(config, e.device)
	if err != nil {
		return err
	}
	f, err := e.reading.Open(env, args[0])
	if err != nil {
		return err
	}
	defer f.Close()
	x, err := newExplainer(f, device, config, cmp.Or(e.runtime, f.Release), e.embedded)
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	for _, w := range x.warnings {
		env.Warnf(args[0], "%s", w)
	}
	list, err := x.kernels(e.kernel)
	if err != nil {
		return err
	}
	if e.json {
		if err := writeJSON(env.Stdout, jsonExplanation{device.Name, x.release.Name, list}); err != nil {
			return err
		}
	} else if err := printOutcomes(env, device.Name, list); err != nil {
		return err
	}
	for _, o := range list {
		if o.Outcome != runs {
			return cli.No(nil)
		}
	}
	return nil
}

func printOutcomes(env *cli.Env, device string, list []outcome) error {
	w := new(strings.Builder)
	if len(list) == 0 {
		fmt.Fprintln(w, "the file contains no kernels")
	}
	either := false
	for _, o := range list {
		fmt.Fprintf(w, "%s on %s ", safetext.Printable(o.DisplayName), safetext.Printable(device))
		switch o.Outcome {
		case runs:
			fmt.Fprintf(w, "runs: %s\n", o.Image)
			o.Image.printConstants(w)
			if o.Or != nil {
				either = true
				fmt.Fprintf(w, "  or: %s\n", o.Or)
				o.Or.printConstants(w)
			}
		case mayRun:
			fmt.Fprintf(w, "may run: %s\n", o.Image)
			o.Image.printConstants(w)
		case isThrow:
			fmt.Fprintf(w, "throws sycl::exception with errc::%s\n  what(): %s\n", o.Exception.Code, safetext.Printable(o.Exception.What))
		}
		because := false // the reason was already printed as the exception
		for _, reason := range o.Reasons {
			switch {
			case o.Exception != nil && reason.Text == o.Exception.What:
				because = true
			case reason.Sure && !because:
				because = true
				fmt.Fprintf(w, "  because: %s\n", safetext.Printable(reason.Text))
			case reason.Sure:
				fmt.Fprintf(w, "  also: %s\n", safetext.Printable(reason.Text))
			default:
				fmt.Fprintf(w, "  unknown: %s\n", safetext.Printable(reason.Text))
			}
		}
		if o.DisplayName != o.Kernel {
			fmt.Fprintf(w, "  symbol: %s\n", safetext.Printable(o.Kernel))
		}
	}
	if either {
		fmt.Fprintln(w, "If there are two images, the runtime builds both and uses either. To make sure that it uses native code, set")
		fmt.Fprintln(w, "ir of sycl_binary to cpu, separate or none, or run 'packager pack --ir cpu'.")
	}
	_, err := io.WriteString(env.Stdout, safetext.EscapeLines(w.String()))
	return err
}

// printConstants prints the default values of the specialization constants of an image.
func (i *pickedImage) printConstants(w io.Writer) {
	if i == nil {
		return
	}
	for _, c := range i.Constants {
		var parts []string
		for _, p := range c.Parts {
			parts = append(parts, strings.TrimSpace(p.Type+" "+p.Default))
		}
		fmt.Fprintf(w, "  constant %s: %s\n", safetext.Printable(c.DisplayName), safetext.Printable(strings.Join(parts, ", ")))
	}
}

func (i *pickedImage) String() string {
	target := i.Triple
	if i.Arch != "" {
		target += "=" + i.Arch
	}
	size := strconv.FormatInt(i.Size, 10)
	if i.Kind == string(report.Native) {
		return fmt.Sprintf("uses the native image %s (%s bytes)", safetext.Printable(target), size)
	}
	return fmt.Sprintf("compiles the IR module %s (%s bytes) for the device", safetext.Printable(target), size)
}
