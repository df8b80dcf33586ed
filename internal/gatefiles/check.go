// Package gatefiles reads the files that the gate decides on: reports, policies and baselines, as named by
// flags of compat and inputs of the action. [Writers] write its results.
//
// Any file may be written by an attacker. Package workspace opens them, and errors quote them only if they
// have the expected type.
package gatefiles

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/workspace"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/gate"
	"github.com/rules-sycl/rules_sycl/sycl/gate/render"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	"github.com/rules-sycl/rules_sycl/sycl/show"
)

// CheckOptions select what to check, like flags and inputs. Empty options are not given.
type CheckOptions struct {
	Program     string   // the program name in the result
	Reports     []string // files
	BaseReports []string // files of the base branch
	MayBeEmpty  bool     // let the policy decide if there are no reports

	Built   []*report.Report // reports not read from files, named by their labels
	builtBy []string         // the compat check flags that create them; see SetBuiltBy

	Policy       GateFile
	Baseline     GateFile
	BasePolicy   GateFile
	BaseBaseline GateFile
	// NextPolicy and NextBaseline come from the change, if Policy and Baseline come from the base
	// branch.
	NextPolicy   GateFile
	NextBaseline GateFile
	Commits      []string // the checked commits: see [gate.Input]
	// baseDevices and nextDevices are the device data of the base branch and of the change: see
	// [gate.Input].
	baseDevices []report.Device
	nextDevices []report.Device
	BaseDecides bool // Policy and Baseline come from the base branch
	// NotCompared explains why some of these files are missing, and how to fix it.
	NotCompared []string

	// The following options override the policy.
	Required        []string // device patterns
	CompareWithBase string   // required|optional
	Undetermined    string   // ignore|note|warning|error
	FailOn          string   // new|any|none
	FailOnSeverity  string   // error|warning|note
	FailOnEmpty     string   // true|false
	FailOnStale     string   // true|false

	Today    string // as 2027-03-31; empty for the current day in UTC
	Category string

	// Workspace is the source directory. If it is empty, sources are not read, and links are
	// followed regardless of their target.
	Workspace string
}

// A GateFile is a file to read, or its known content, for example from another revision. It is not
// given if its name is empty.
type GateFile struct {
	Name   string
	Data   []byte // nil to read the named file
	Absent bool   // the file is known not to exist; Name, if set, is its would-be path
}

// Check reads the inputs that the options name and evaluates the gate.
func Check(ctx context.Context, o CheckOptions) (r *gate.Result, err error) {
	in, err := Load(ctx, o)
	if err != nil {
		return nil, err
	}
	return gate.Evaluate(in), nil
}

// Load reads the inputs that the options name. Errors are ready to print and can be returned from a
// [cli.Run]: invalid values, invalid policies and baselines, and unreadable policies are usage
// errors; unreadable reports and baselines are bad input.
func Load(ctx context.Context, o CheckOptions) (in gate.Input, err error) {
	defer func() { err = safetext.Error(err) }()
	if len(o.Reports)+len(o.Built) == 0 && !o.MayBeEmpty {
		return in, cli.Usagef("no input; pass reports, or files with --binary")
	}
	in.Generator = report.Generator{Name: cmp.Or(o.Program, "compat"), Version: cli.Version}
	in.Category = o.Category
	in.Update = o.UpdateCommand("sycl-compat-baseline.json")
	in.Today = time.Now()
	if o.Today != "" {
		if in.Today, err = gate.ParseDate(o.Today); err != nil {
			return in, cli.Usagef("%s: %v", o.setting("today"), err)
		}
	}
	dir, err := workspace.Open(o.Workspace)
	if err != nil {
		return in, err
	}
	if err := o.loadPolicies(dir, &in); err != nil {
		return in, err
	}
	if err := in.Policy.CheckEnds(in.Today); err != nil {
		return in, cli.Usagef("%w", err)
	}
	if err := o.loadBaselines(dir, &in); err != nil {
		return in, err
	}
	in.Commits = o.Commits
	in.BaseDevices, in.NextDevices, in.BaseDecides = o.baseDevices, o.nextDevices, o.BaseDecides
	in.NotCompared = slices.Concat(o.NotCompared, o.missingComparisons(&in))
	if err := o.checkBaseReports(dir); err != nil {
		return in, err
	}
	if in.Reports, err = readIndexes(ctx, dir, o.Reports); err != nil {
		return in, err
	}
	for _, r := range o.Built {
		in.Reports = append(in.Reports, gate.NewIndex(builtFrom(r), r))
	}
	if len(o.BaseReports) > 0 {
		if in.Base, err = readIndexes(ctx, dir, o.BaseReports); err != nil {
			return in, err
		}
	}
	labels := newRelabeler(in.Reports)
	labels.reports(in.Base)
	for _, b := range []*gate.Baseline{in.Baseline, in.BaseBaseline, in.NextBaseline} {
		labels.baseline(b)
	}
	for _, p := range []*gate.Policy{in.Policy, in.BasePolicy, in.NextPolicy, in.Written} {
		labels.policy(p)
	}
	if sources := dir.Sources(); sources != nil {
		in.Workspace = sources
		if in.Root, err = filepath.Abs(o.Workspace); err != nil {
			return in, err
		}
	}
	return in, nil
}

// checkBaseReports returns an error for a report that is also a report of the base branch, because
// none of its problems would be new.
func (o *CheckOptions) checkBaseReports(dir *workspace.Directory) error {
	checked := map[string]bool{}
	for _, name := range o.Reports {
		if path, err := dir.Path(name); err == nil { // reading the report returns other errors
			checked[path] = true
		}
	}
	for _, name := range o.BaseReports {
		if path, err := dir.Path(name); err == nil && checked[path] {
			return cli.Usagef("%s: %s is also a report of the change, so none of its problems would be new; pass a report of the base branch, or exclude the file from the other reports", o.setting("base-reports"), show.ShellQuote(name))
		}
	}
	return nil
}

// setting returns how the user names an option: as a flag, or as an input of the action.
func (o *CheckOptions) setting(name string) string {
	if o.Program == "action" {
		return "input " + name
	}
	return "--" + name
}

// builtFrom returns the file from which a report was made: the binary, or the archive that contains
// it. For a report on several files, it returns the first.
func builtFrom(r *report.Report) string {
	if len(r.Files) == 0 {
		return r.Label()
	}
	name := r.Files[0].Name
	for i := range len(name) {
		if name[i] == '/' && i > 0 {
			if info, err := os.Stat(name[:i]); err == nil && info.Mode().IsRegular() {
				return name[:i]
			}
		}
	}
	return name
}

// ReadBaseline reads a baseline from any path.
func ReadBaseline(name string) (*gate.Baseline, error) {
	b, err := readBaseline(&workspace.Directory{}, GateFile{Name: name})
	return b, safetext.Error(err)
}

// PolicyDevices returns the devices that the policy and the options require or support by name,
// which reports must cover. It ignores patterns. It returns an error for a device of the policy
// that a configuration lacks.
func PolicyDevices(o CheckOptions, config *deviceconfig.Config) (names []string, err error) {
	defer func() { err = safetext.Error(err) }()
	dir, err := workspace.Open(o.Workspace)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	var in gate.Input
	if err := o.loadPolicies(dir, &in); err != nil {
		return nil, err
	}
	if err := in.Policy.CheckDevices(config); err != nil {
		return nil, cli.Usagef("%w", err)
	}
	for _, name := range slices.Concat(in.Policy.Required, in.Policy.Supported) {
		if !strings.Contains(name, "*") {
			names = append(names, name)
		}
	}
	return names, nil
}

// loadPolicies reads the policies.
func (o *CheckOptions) loadPolicies(dir *workspace.Directory, in *gate.Input) (err error) {
	written, err := readPolicy(dir, o.Policy)
	if err != nil {
		return err
	}
	if in.BasePolicy, err = readPolicy(dir, o.BasePolicy); err != nil {
		return err
	}
	if in.NextPolicy, err = readPolicy(dir, o.NextPolicy); err != nil {
		return err
	}
	if written == nil {
		written = gate.DefaultPolicy()
	}
	if in.Policy, err = o.policy(*written); err != nil {
		return err
	}
	// Without a policy, flags and inputs define the policy.
	if o.Policy.Name != "" {
		in.Written = written
	}
	return nil
}

// loadBaselines reads the baselines. It uses the policies of the input.
func (o *CheckOptions) loadBaselines(dir *workspace.Directory, in *gate.Input) (err error) {
	if in.Baseline, err = readBaseline(dir, o.Baseline); err != nil {
		return o.noBaseline(err)
	}
	if in.Baseline != nil {
		if err := CheckSize(in.Baseline, in.Policy); err != nil {
			return cli.Usagef("%s: %v", o.Baseline.Name, err)
		}
	}
	if in.BaseBaseline, err = readBaseline(dir, o.BaseBaseline); err != nil {
		return err
	}
	in.NextBaseline, err = readBaseline(dir, o.NextBaseline)
	return err
}

// noBaseline adds to an error about a missing baseline the setting that names it, and the command
// that creates it.
func (o *CheckOptions) noBaseline(err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	from := "--baseline"
	if o.Program == "action" {
		from = "input baseline-file"
	}
	return cli.BadInput(fmt.Errorf("%s: %w; run this command locally and commit the file: %s", from, err, o.UpdateCommand(o.Baseline.Name)))
}

// UpdateCommand returns a shell command that creates a baseline with the problems in the checked
// inputs.
func (o *CheckOptions) UpdateCommand(baseline string) string {
	command := "compat baseline update"
	if o.Policy.Name != "" {
		command += " --policy " + show.ShellQuote(o.Policy.Name)
	}
	if len(o.Required) > 0 {
		command += " --required " + show.ShellQuote(strings.Join(o.Required, ","))
	}
	command += " --baseline " + show.ShellQuote(baseline)
	for _, a := range o.builtBy {
		command += " " + show.ShellQuote(a)
	}
	const most = 5
	for _, name := range o.Reports[:min(len(o.Reports), most)] {
		command += " " + show.ShellQuote(name)
	}
	if len(o.Reports) > most {
		command += " ..."
	}
	return command
}

// SetBuiltBy sets the flags with which compat check makes reports on these binaries.
func (o *CheckOptions) SetBuiltBy(binaries, devices, deviceConfig []string) {
	flags := func(name string, values []string) {
		for _, v := range values {
			o.builtBy = append(o.builtBy, name, v)
		}
	}
	flags("--binary", binaries)
	if len(devices) > 0 {
		flags("--devices", []string{strings.Join(devices, ",")})
	}
	flags("--device-config", deviceConfig)
}

// CheckOutputs returns an error for an output that is also an input, which the check would
// overwrite for later readers, and for two outputs with the same path. more are further input
// files.
func (o *CheckOptions) CheckOutputs(outputs, more []string) error {
	inputs := slices.Concat(o.Reports, o.BaseReports, more)
	for _, f := range []GateFile{o.Policy, o.Baseline, o.BasePolicy, o.BaseBaseline, o.NextPolicy, o.NextBaseline} {
		inputs = append(inputs, f.Name)
	}
	return CheckOutputs(outputs, inputs)
}

// CheckOutputs returns an error for an output that is also an input, and for two outputs with the
// same path.
func CheckOutputs(outputs, inputs []string) error {
	known := map[string]string{}
	for _, name := range inputs {
		if info, err := os.Stat(name); name != "" && err == nil && info.Mode().IsRegular() {
			known[cli.RealPath(name)] = name
		}
	}
	written := map[string]bool{}
	for _, name := range slices.Sorted(slices.Values(outputs)) {
		if name == "" || cli.IsStdout(name) {
			continue
		}
		place := cli.RealPath(name)
		if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
			continue // such as /dev/null
		}
		if written[place] {
			return cli.Usagef("%s is used for two outputs; choose a different path for one of them", show.ShellQuote(name))
		}
		written[place] = true
		if input, ok := known[place]; ok {
			return cli.Usagef("%s cannot be an output, because it is also an input, %s", show.ShellQuote(name), show.ShellQuote(input))
		}
	}
	return nil
}

// SetBaseDevices sets the device data of the base branch.
func (o *CheckOptions) SetBaseDevices(config *deviceconfig.Config) { o.baseDevices = describe(config) }

// SetNextDevices sets the device data of the change, if the base branch decides.
func (o *CheckOptions) SetNextDevices(config *deviceconfig.Config) { o.nextDevices = describe(config) }

func describe(config *deviceconfig.Config) (list []report.Device) {
	for _, d := range config.Devices() {
		list = append(list, report.DescribeDevice(d))
	}
	return list
}

// missingComparisons describes the missing inputs of a required comparison. A policy requires a
// comparison only if something is known about the base branch, because builds use the same policy
// and have no base branch.
func (o *CheckOptions) missingComparisons(in *gate.Input) (list []string) {
	known := o.BasePolicy.isSet() || o.BaseBaseline.isSet() || len(o.BaseReports) > 0
	if len(o.NotCompared) > 0 || o.NextPolicy.isSet() || !in.Policy.CompareWithBase || !known && o.CompareWithBase == "" {
		return nil
	}
	if !o.BasePolicy.isSet() {
		list = append(list, "the base branch's policy is missing; use --base-policy FILE, or --base-policy none if there is none")
	}
	if o.Baseline.isSet() && !o.BaseBaseline.isSet() {
		list = append(list, "the base branch's baseline is missing; use --base-baseline FILE, or --base-baseline none if there is none")
	}
	return list
}

func (f *GateFile) isSet() bool { return f.Name != "" || f.Absent }

// policy returns a policy with the options that override it.
func (o *CheckOptions) policy(written gate.Policy) (p *gate.Policy, err error) {
	p = &written
	if len(o.Required) > 0 {
		p.Required = o.Required
	}
	for _, f := range []struct {
		name, value string
		set         func(value string) error
	}{
		{"undetermined", o.Undetermined, func(v string) (err error) { p.Undetermined, err = gate.ParseSeverity(v); return err }},
		{"compare-with-base", o.CompareWithBase, func(v string) (err error) { p.CompareWithBase, err = gate.ParseCompareWithBase(v); return err }},
		{"fail-on", o.FailOn, func(v string) (err error) { p.FailOn, err = gate.ParseFailOn(v); return err }},
		{"fail-on-severity", o.FailOnSeverity, func(v string) (err error) {
			if p.FailOnSeverity, err = gate.ParseSeverity(v); err != nil || p.FailOnSeverity == gate.Off {
				return fmt.Errorf("unknown value %q; expected error, warning or note", v)
			}
			return nil
		}},
		{"fail-on-empty", o.FailOnEmpty, boolean(&p.FailOnEmpty)},
		{"fail-on-stale", o.FailOnStale, boolean(&p.FailOnStale)},
	} {
		if f.value == "" {
			continue
		}
		if err := f.set(f.value); err != nil {
			return nil, cli.Usagef("%s: %v", o.setting(f.name), err)
		}
	}
	return p, nil
}

func boolean(to *bool) func(value string) error {
	return func(value string) error {
		if value != "true" && value != "false" {
			return fmt.Errorf("expected true or false, got %q", value)
		}
		*to = value == "true"
		return nil
	}
}

// readPolicy returns nil if there is no file. An unreadable policy is a usage error, because it was
// requested.
func readPolicy(dir *workspace.Directory, f GateFile) (*gate.Policy, error) {
	switch {
	case f.Absent:
		return gate.DefaultPolicy(), nil
	case f.Name == "":
		return nil, nil
	}
	p, err := read(dir, f, gate.ReadPolicy)
	var cannot *workspace.OpenError
	var syntax *gate.SyntaxError
	if errors.As(err, &cannot) || errors.As(err, &syntax) {
		return nil, cli.Usagef("%w", err)
	}
	return p, err
}

// readBaseline returns nil if there is no file.
func readBaseline(dir *workspace.Directory, f GateFile) (*gate.Baseline, error) {
	switch {
	case f.Absent:
		return &gate.Baseline{File: f.Name}, nil
	case f.Name == "":
		return nil, nil
	}
	b, err := read(dir, f, gate.ReadBaseline)
	var syntax *gate.SyntaxError
	if errors.As(err, &syntax) {
		return nil, cli.Usagef("%w", err)
	}
	return b, err
}

// CheckSize returns an error if a baseline is larger than a policy allows.
func CheckSize(b *gate.Baseline, p *gate.Policy) error {
	if n := len(b.Findings); n > p.MaxBaseline {
		return fmt.Errorf("the baseline has %d %s (limits.max-baseline of the policy is %d); to accept it, set \"limits: {max-baseline: %d}\" in the policy",
			n, safetext.Plural(n, "entry", "entries"), p.MaxBaseline, n)
	}
	return nil
}

// read reads a file, or its known content.
func read[T any](dir *workspace.Directory, f GateFile, decode func(name string, r io.Reader) (T, error)) (v T, err error) {
	if f.Data != nil {
		return decode(f.Name, bytes.NewReader(f.Data))
	}
	file, err := dir.Open(f.Name)
	if err != nil {
		return v, err
	}
	defer file.Close()
	return decode(f.Name, file)
}

// WriteOptions configure how a result is written.
type WriteOptions struct {
	All     bool   // text, sarif, gitlab: include known and covered problems; text: also notes
	Program string // text: the command that runs compat, as in render.TextOptions
	Fix     string // text: the command that proposes edits, as in render.TextOptions
}

// Writers are the formats of results.
var Writers = map[string]func(w io.Writer, r *gate.Result, o WriteOptions) error{
	"text": func(w io.Writer, r *gate.Result, o WriteOptions) error {
		return render.Text(w, r, render.TextOptions{All: o.All, Program: o.Program, Fix: o.Fix})
	},
	"json": func(w io.Writer, r *gate.Result, _ WriteOptions) error { return r.Encode(w) },
	"markdown": func(w io.Writer, r *gate.Result, _ WriteOptions) error {
		return render.Markdown(w, r, render.MarkdownOptions{})
	},
	"sarif": func(w io.Writer, r *gate.Result, o WriteOptions) error {
		return render.SARIF(w, r, render.ScanOptions{All: o.All})
	},
	"junit": func(w io.Writer, r *gate.Result, _ WriteOptions) error { return render.JUnit(w, r) },
	"gitlab": func(w io.Writer, r *gate.Result, o WriteOptions) error {
		return render.GitLab(w, r, render.ScanOptions{All: o.All})
	},
}
