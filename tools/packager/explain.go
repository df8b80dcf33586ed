package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/syclbin"
	"github.com/rules-sycl/rules_sycl/tools/internal/devices"
	"github.com/rules-sycl/rules_sycl/tools/internal/lenient"
)

func explainCommand() *cli.Command {
	return &cli.Command{
		Name:  "explain",
		Args:  "FILE",
		Short: "what the SYCL runtime does with it on a device",
		Long: `
Says for each kernel which image the runtime picks on a device: native code for
it, else IR that is compiled when the program runs. For a kernel that does not
run, it prints the exception that the runtime throws when the kernel is submitted,
and what else would keep it from running. A module that imports keeps all of an
executable file from being loaded.

The exit code is 0 when every kernel that was asked for runs, and 1 when one does
not, or when only the device itself can tell.`,
		Example: "packager explain --device intel_gpu_dg2 --kernel VectorAdd k.syclbin",
		Setup:   func(fs *flag.FlagSet) cli.Run { return new(explain).setup(fs) },
	}
}

type explain struct {
	device, kernel string
	configs        cli.Strings
	json, lenient  bool
}

func (e *explain) setup(fs *flag.FlagSet) cli.Run {
	fs.StringVar(&e.device, "device", "", "`name` of the device, as a target of -fsycl-targets (required)")
	fs.StringVar(&e.kernel, "kernel", "", "only the kernel of this `name`, mangled or as people write it")
	fs.Var(&e.configs, "device-config", "`file` with devices, in place of those of the same name that are known; may be repeated")
	fs.Var(&e.configs, "device-config-file", "the same as --device-config `file`")
	fs.BoolVar(&e.json, "json", false, "print JSON")
	lenient.Flag(fs, &e.lenient)
	return e.run
}

func (e *explain) run(ctx context.Context, env *cli.Env, args []string) error {
	switch {
	case len(args) != 1:
		return cli.Usagef("one file is needed, %d are given", len(args))
	case e.device == "":
		return cli.Usagef("--device is missing: the device to explain it for")
	}
	config, err := devices.Load(env, e.configs.Values)
	if err != nil {
		return err
	}
	device, err := devices.Find(config, e.device)
	if err != nil {
		return err
	}
	f, err := lenient.Open(env, args[0], e.lenient)
	if err != nil {
		return err
	}
	defer f.Close()
	modules, err := report.FromSYCLBIN(f)
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	r, err := report.Build(modules, []*deviceconfig.Device{device}, config, report.Generator{Name: "packager", Version: cli.Version}, "")
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	list, err := e.outcomes(f, r)
	if err != nil {
		return err
	}
	if e.json {
		if err := writeJSON(env.Stdout, jsonExplanation{device.Name, list}); err != nil {
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

// What becomes of a kernel.
const (
	runs    = "runs"
	mayRun  = "may-run" // what is known of the device does not tell
	isThrow = "throws"
)

type (
	jsonExplanation struct {
		Device  string    `json:"device"`
		Kernels []outcome `json:"kernels"`
	}
	outcome struct {
		Kernel      string         `json:"kernel"` // mangled
		DisplayName string         `json:"display_name"`
		Outcome     string         `json:"outcome"`
		Image       *pickedImage   `json:"image,omitempty"` // what the runtime picks
		Exception   *jsonException `json:"exception,omitempty"`
		Reasons     []jsonReason   `json:"reasons"` // all, in the order of the runtime's checks
	}
	pickedImage struct {
		Kind   string `json:"kind"` // native or ir
		Triple string `json:"triple"`
		Arch   string `json:"arch,omitempty"`
		Size   int64  `json:"size"`
		SHA256 string `json:"sha256"`
	}
	jsonException struct {
		Code string `json:"errc"`
		What string `json:"what"`
	}
	jsonReason struct {
		Rule string `json:"rule"`
		Sure bool   `json:"sure"` // false when only the device can tell
		Text string `json:"text"`
	}
)

// outcomes returns what becomes of the kernels that were asked for.
func (e *explain) outcomes(f *syclbin.File, r *report.Report) ([]outcome, error) {
	images := make(map[string]report.Image)
	for _, img := range r.Images {
		images[img.ID] = img
	}
	list := []outcome{}
	for i, k := range r.Kernels {
		list = append(list, newOutcome(k, r.Cells[i], images)) // a cell for each kernel, on one device
	}
	explainImports(f, list) // of all kernels, as one can keep the others from being loaded
	if e.kernel != "" {
		list = slices.DeleteFunc(list, func(o outcome) bool { return e.kernel != o.Kernel && e.kernel != o.DisplayName })
	}
	if e.kernel != "" && len(list) == 0 {
		msg := fmt.Sprintf("there is no kernel '%s' in the file", printable(e.kernel))
		if near := r.Nearest(e.kernel); len(near) > 0 {
			msg += ": did you mean " + printable(strings.Join(near, " or ")) + "?"
		}
		return nil, cli.Usagef("%s", msg)
	}
	return list, nil
}

func newOutcome(k report.Kernel, c report.Cell, images map[string]report.Image) outcome {
	o := outcome{Kernel: k.Name, DisplayName: k.DisplayName, Outcome: runs, Reasons: []jsonReason{}}
	if img, ok := images[c.Image]; ok && c.Holds != report.Nothing {
		o.Image = &pickedImage{Kind: string(c.Holds), Triple: img.Triple, Arch: img.Architecture, Size: img.Size, SHA256: img.Digest}
	}
	for _, reason := range c.Reasons {
		own := jsonReason{reason.Rule, reason.Status != report.Undetermined, reason.Text}
		// Without an image there is nothing to check, so the runtime says that first.
		if reason.Rule == string(compat.NoImage) {
			o.Reasons = append([]jsonReason{own}, o.Reasons...)
		} else {
			o.Reasons = append(o.Reasons, own)
		}
	}
	for _, reason := range o.Reasons {
		if reason.Sure {
			o.Outcome, o.Exception = isThrow, &jsonException{errorCode(reason.Rule), reason.Text}
			return o
		}
		o.Outcome = mayRun
	}
	return o
}

// errorCode returns the sycl::errc of the exception for a rule.
func errorCode(rule string) string {
	switch compat.Rule(rule) {
	case compat.NoImage:
		return "runtime"
	case compat.UnsupportedWorkGroupDims:
		return "nd_range"
	}
	return "kernel_not_supported"
}

func printOutcomes(env *cli.Env, device string, list []outcome) error {
	w := bufio.NewWriter(env.Stdout)
	if len(list) == 0 {
		fmt.Fprintln(w, "the file has no kernels")
	}
	for _, o := range list {
		fmt.Fprintf(w, "%s on %s ", printable(o.DisplayName), printable(device))
		switch o.Outcome {
		case runs:
			fmt.Fprintf(w, "runs: %s\n", o.Image)
		case mayRun:
			fmt.Fprintf(w, "may run: %s\n", o.Image)
		case isThrow:
			fmt.Fprintf(w, "throws sycl::exception with errc::%s\n  what(): %s\n", o.Exception.Code, printable(o.Exception.What))
		}
		for _, reason := range o.Reasons {
			switch {
			case o.Exception != nil && reason.Text == o.Exception.What:
			case reason.Sure && reason.Rule == importRule:
				fmt.Fprintf(w, "  because: %s\n", printable(reason.Text))
			case reason.Sure:
				fmt.Fprintf(w, "  also: %s\n", printable(reason.Text))
			default:
				fmt.Fprintf(w, "  not known: %s\n", printable(reason.Text))
			}
		}
		if o.DisplayName != o.Kernel {
			fmt.Fprintf(w, "  symbol: %s\n", printable(o.Kernel))
		}
	}
	return w.Flush()
}

func (i *pickedImage) String() string {
	target := i.Triple
	if i.Arch != "" {
		target += "=" + i.Arch
	}
	size := strconv.FormatInt(i.Size, 10)
	if i.Kind == string(report.Native) {
		return fmt.Sprintf("takes the native image %s of %s bytes", printable(target), size)
	}
	return fmt.Sprintf("compiles the IR module %s of %s bytes for the device", printable(target), size)
}
