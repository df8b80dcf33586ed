package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/gatefiles"
	"github.com/rules-sycl/rules_sycl/internal/inputs"
	"github.com/rules-sycl/rules_sycl/internal/inspect"
	"github.com/rules-sycl/rules_sycl/internal/workspace"
)

// gateFlags are the flags of the subcommands that check reports against a policy.
type gateFlags struct {
	gatefiles.CheckOptions
	baseReports, required, baseDeviceConfig cli.Strings

	binaries, devices, deviceConfig cli.Strings
	commit, llvmDis                 string
}

func (g *gateFlags) setup(fs *flag.FlagSet) {
	g.required.Split = true
	fs.StringVar(&g.Policy.Name, "policy", "", "`file` that says what is required; without it, each device of the reports is")
	fs.Var(&g.required, "required", "`devices` that are required, instead of those of the policy; without a policy, problems of other devices are notes")
	fs.StringVar(&g.Undetermined, "undetermined", "", "`ignore|note|warning|error`: the severity of statuses that are known only when the program runs")
	fs.StringVar(&g.Today, "today", "", "`day` on which exceptions are checked, as 2027-03-31; today in UTC when it is missing")
}

func (g *gateFlags) setupBase(fs *flag.FlagSet) {
	fs.Var(&g.baseReports, "base-reports", "reports of the base branch, as a `pattern` such as 'base/**/*.json': what they have is not new; may be repeated, and with ! in front it takes files away")
	fs.StringVar(&g.BasePolicy.Name, "base-policy", "", "policy of the base branch, a `file`, or none when it has none: shows when the policy asks for less")
	fs.StringVar(&g.BaseBaseline.Name, "base-baseline", "", "baseline of the base branch, a `file`, or none when it has none: shows when the baseline asks for less")
	fs.StringVar(&g.commit, "commit", "", "`name` of the commit that is checked, all of it: a report that says it is of another one fails")
	fs.Var(&g.baseDeviceConfig, "base-device-config", "device configuration of the base branch, a `file`, or none when it has none: shows when more is said of a required device; may be repeated")
	fs.StringVar(&g.CompareWithBase, "compare-with-base", "", "`required|optional`: whether it is a failure that --base-policy or --base-baseline is missing, instead of what the policy says")
	fs.StringVar(&g.Workspace, "workspace", ".", "`folder` with the sources that findings point at; when it is empty, paths are not looked up and links may lead anywhere")
}

// llvmDisUsage is the help text of --llvm-dis.
const llvmDisUsage = "`path` of the llvm-dis that reads LLVM bitcode in objects and static libraries (default the newest one in PATH)"

// setupBinaries declares the flags for checking programs without a report.
func (g *gateFlags) setupBinaries(fs *flag.FlagSet) {
	g.devices.Split = true
	fs.Var(&g.binaries, "binary", "also check this program, library, wheel or folder, as a `pattern`: what 'compat report' reads; may be repeated, and with ! in front it takes files away")
	fs.Var(&g.devices, "devices", "`targets` that binaries are checked for, separated by commas; without them those that the policy or --required name, else those that the binaries are for")
	fs.StringVar(&g.llvmDis, "llvm-dis", "", llvmDisUsage)
	fs.Var(&g.deviceConfig, "device-config", "`file` with devices, which replace known ones of the same name; may be repeated")
}

// build makes reports on binaries.
func (g *gateFlags) build(ctx context.Context, env *cli.Env, o *gatefiles.CheckOptions) error {
	if len(g.binaries.Values) == 0 {
		if len(g.devices.Values)+len(g.deviceConfig.Values) > 0 {
			return cli.Usagef("--devices and --device-config are for --binary: a report has its devices already")
		}
		return nil
	}
	o.SetBuiltBy(g.binaries.Values, g.devices.Values, g.deviceConfig.Values)
	devices := g.devices.Values
	var err error
	if len(devices) == 0 {
		config, err := inputs.LoadDevices(io.Discard, g.deviceConfig.Values)
		if err != nil {
			return err
		}
		if devices, err = gatefiles.PolicyDevices(*o, config); err != nil {
			return err
		}
	}
	o.Built, err = inspect.Reports(ctx, env, inspect.Options{Files: g.binaries.Values, Devices: devices, DeviceConfig: g.deviceConfig.Values, Workspace: g.Workspace, LLVMDis: g.llvmDis, Strict: true})
	return err
}

var commitName = regexp.MustCompile(`^(?:[0-9a-f]{40}|[0-9a-f]{64})$`)

// options returns the options set by flags and arguments, where arguments are reports.
func (g *gateFlags) options(args []string) (gatefiles.CheckOptions, error) {
	o := g.CheckOptions
	o.Reports = args
	config, err := inputs.LoadDevices(io.Discard, g.deviceConfig.Values)
	if err != nil {
		return o, err
	}
	if o.Required, err = inputs.DevicePatterns(config, g.required.Values); err != nil {
		return o, err
	}
	for _, f := range []*gatefiles.GateFile{&o.BasePolicy, &o.BaseBaseline} {
		if f.Name == "none" {
			*f = gatefiles.GateFile{Absent: true}
		}
	}
	if g.commit != "" {
		if !commitName.MatchString(g.commit) {
			return o, cli.Usagef("--commit: %q is not the whole name of a commit", g.commit)
		}
		o.Commits = []string{g.commit}
	}
	if files := slices.DeleteFunc(slices.Clone(g.baseDeviceConfig.Values), func(f string) bool { return f == "none" }); len(g.baseDeviceConfig.Values) > 0 {
		config, err := inputs.LoadDevices(io.Discard, files)
		if err != nil {
			return o, err
		}
		o.SetBaseDevices(config)
	}
	if o.BaseReports, err = workspace.Find(g.baseReports.Values); err == nil && len(g.baseReports.Values) > 0 && len(o.BaseReports) == 0 {
		err = cli.BadInput(fmt.Errorf("--base-reports %q: there is no such file", strings.Join(g.baseReports.Values, ",")))
	}
	return o, err
}
