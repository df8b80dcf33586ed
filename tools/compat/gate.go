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

// gateFlags holds the flags of the subcommands that check reports against a policy.
type gateFlags struct {
	gatefiles.CheckOptions
	baseReports, required, baseDeviceConfig cli.Strings

	binaries, devices, deviceConfig cli.Strings
	commit, llvmDis                 string
}

func (g *gateFlags) setup(fs *flag.FlagSet) {
	g.required.Split = true
	fs.StringVar(&g.Policy.Name, "policy", "", "policy `file`; without it, every device in the reports is required")
	fs.Var(&g.required, "required", "required `devices`; overrides the policy; without a policy, problems on other devices are notes")
	fs.StringVar(&g.Undetermined, "undetermined", "", "`ignore|note|warning|error`: the severity of statuses that are known only at run time")
	fs.StringVar(&g.Today, "today", "", "`date` on which exceptions are checked for expiry, such as 2027-03-31 (default today in UTC)")
}

func (g *gateFlags) setupBase(fs *flag.FlagSet) {
	fs.Var(&g.baseReports, "base-reports", "`pattern` of reports on the base branch, such as 'base/**/*.json', whose problems are not new; may be repeated; a pattern that starts with ! excludes files")
	fs.StringVar(&g.BasePolicy.Name, "base-policy", "", "policy `file` of the base branch, or 'none' if it has no policy; reports where the new policy is weaker")
	fs.StringVar(&g.BaseBaseline.Name, "base-baseline", "", "baseline `file` of the base branch, or 'none' if it has no baseline; reports where the new baseline is weaker")
	fs.StringVar(&g.commit, "commit", "", "full `SHA` of the commit to check; reports on a different commit fail")
	fs.Var(&g.baseDeviceConfig, "base-device-config", "device configuration `file` of the base branch, or 'none' if it has none; reports where a required device gains features; may be repeated")
	fs.StringVar(&g.CompareWithBase, "compare-with-base", "", "`required|optional`: whether the check fails without --base-policy or --base-baseline; overrides the policy")
	fs.StringVar(&g.Workspace, "workspace", ".", "`directory` with the sources that problems point to; if empty, paths are not looked up and links are not checked")
}

// llvmDisUsage is the help text of --llvm-dis.
const llvmDisUsage = "`path` of the llvm-dis that reads LLVM bitcode in objects and static libraries (default the newest one in PATH)"

// setupBinaries declares the flags for checking binaries without an existing report.
func (g *gateFlags) setupBinaries(fs *flag.FlagSet) {
	g.devices.Split = true
	fs.Var(&g.binaries, "binary", "`pattern` of programs, libraries, wheels and directories to check, as for 'compat report'; may be repeated; a pattern that starts with ! excludes files")
	fs.Var(&g.devices, "devices", "`targets` to check binaries for, separated by commas (default the targets in the policy or --required, else the targets that the binaries are built for)")
	fs.StringVar(&g.llvmDis, "llvm-dis", "", llvmDisUsage)
	fs.Var(&g.deviceConfig, "device-config", "device configuration `file`, which overrides built-in devices with the same names; may be repeated")
}

// build creates reports on binaries.
func (g *gateFlags) build(ctx context.Context, env *cli.Env, o *gatefiles.CheckOptions) error {
	if len(g.binaries.Values) == 0 {
		if len(g.devices.Values)+len(g.deviceConfig.Values) > 0 {
			return cli.Usagef("--devices and --device-config require --binary; a report already has its devices")
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

// options returns the options that the flags set. The arguments are reports.
func (g *gateFlags) options(args []string) (gatefiles.CheckOptions, error) {
	o := g.CheckOptions
	o.Reports = args
	var err error
	if len(g.required.Values)+len(g.deviceConfig.Values) > 0 { // otherwise, nothing needs the devices
		config, err := inputs.LoadDevices(io.Discard, g.deviceConfig.Values)
		if err != nil {
			return o, err
		}
		if o.Required, err = inputs.DevicePatterns(config, g.required.Values); err != nil {
			return o, err
		}
	}
	for _, f := range []*gatefiles.GateFile{&o.BasePolicy, &o.BaseBaseline} {
		if f.Name == "none" {
			*f = gatefiles.GateFile{Absent: true}
		}
	}
	if g.commit != "" {
		if !commitName.MatchString(g.commit) {
			return o, cli.Usagef("--commit: %q is not a full commit SHA", g.commit)
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
		err = cli.BadInput(fmt.Errorf("--base-reports %q: no file matches", strings.Join(g.baseReports.Values, ",")))
	}
	return o, err
}
