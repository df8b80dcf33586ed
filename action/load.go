package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/gatefiles"
	"github.com/rules-sycl/rules_sycl/internal/inspect"
	"github.com/rules-sycl/rules_sycl/internal/workspace"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/gate"
	"github.com/rules-sycl/rules_sycl/sycl/report"
)

// inputPaths are the files that inputs name, relative to the input directory.
type inputPaths struct {
	policy, baseline string // "" if no input names one
	deviceConfig     []string
	outputs          map[string]string // by format
}

// resolvePaths returns the files that inputs name, as inputPaths.
func resolvePaths(s *settings, p place) (paths inputPaths, err error) {
	resolve := func(input, name string, local func(string) (string, error)) string {
		if name == "" || err != nil {
			return ""
		}
		found, wrong := local(name)
		if wrong != nil {
			err = fmt.Errorf("input %s: %w", input, wrong)
		}
		return found
	}
	paths.policy = resolve("policy-file", s.policyFile, p.localInput)
	paths.baseline = resolve("baseline-file", s.baselineFile, p.localInput)
	for _, name := range s.deviceConfig {
		paths.deviceConfig = append(paths.deviceConfig, resolve("device-config", name, p.localInput))
	}
	paths.outputs = map[string]string{}
	for _, format := range slices.Sorted(maps.Keys(s.files)) {
		paths.outputs[format] = resolve(format+"-file", s.files[format], p.localOutput)
		if name := paths.outputs[format]; err == nil && pathValue(p.inWorkspace(name)).err != nil {
			err = cli.Usagef("input %s-file: the path %q contains invisible characters; use a different path", format, name)
		}
	}
	return paths, err
}

// evidence is the input of the gate's decision.
type evidence struct {
	options gatefiles.CheckOptions
	input   gate.Input
	log     []string
	notices []string
}

// isEmpty reports whether there is nothing to check.
func (e *evidence) isEmpty() bool { return len(e.options.Reports)+len(e.options.Built) == 0 }

// load finds and reads reports, or creates them. The returned evidence contains the log even if
// there is an error.
func load(ctx context.Context, c check, r rules) (*evidence, error) {
	s := c.settings
	e := &evidence{options: gatefiles.CheckOptions{Program: "action", MayBeEmpty: true, Workspace: ".", Category: s.category,
		Commits: c.job.event.checkedCommits(c.job.sha),
		Policy:  r.policy, Baseline: r.baseline, BasePolicy: r.basePolicy, BaseBaseline: r.baseBaseline, NextPolicy: r.nextPolicy, NextBaseline: r.nextBaseline,
		BaseDecides: r.baseDecides, NotCompared: r.notCompared,
		CompareWithBase: s.compareWithBase, FailOn: s.failOn, FailOnSeverity: s.failOnSeverity, FailOnEmpty: s.failOnEmpty, FailOnStale: s.failOnStale}}
	if r.baseDevices != nil {
		e.options.SetBaseDevices(r.baseDevices)
	}
	if r.nextDevices != nil {
		e.options.SetNextDevices(r.nextDevices)
	}
	if err := e.findReports(s, c.place); err != nil {
		return e, err
	}
	if err := checkOutputs(c, e.options); err != nil {
		return e, err
	}
	// The policy decides whether missing device code is a failure.
	nothing, err := e.build(ctx, c, r)
	if err != nil {
		return e, err
	}
	if e.input, err = gatefiles.Load(ctx, e.options); err != nil {
		if _, ok := errors.AsType[*workspace.OpenError](err); !ok && cli.ExitCode(err) == cli.ExitBadInput {
			err = &fixedError{err, "Next: build the report again with this version of rules_sycl, or exclude the file from the input `reports`.\n"}
		}
		return e, err
	}
	e.input.Prefix = c.place.inRepo
	missing := e.findMissing(s, c.place)
	if !e.input.Policy.FailOnEmpty {
		return e, nil
	}
	return e, cmp.Or(nothing, missing)
}

// findMissing returns an error if a file that the input reports or binaries names does not exist, or
// if no report matches. It adds a notice for each pattern that matches no file, because a misspelled
// pattern would otherwise check less.
func (e *evidence) findMissing(s *settings, p place) (missing error) {
	for _, in := range []struct {
		name     string
		patterns []string
	}{{"reports", s.reports}, {"binaries", s.binaries}} {
		for _, text := range in.patterns {
			if strings.HasPrefix(text, "!") {
				continue
			}
			found, err := p.glob([]string{text})
			local, _ := p.localPattern(text)
			info, noFile := os.Stat(filepath.FromSlash(local))
			isDirectory := noFile == nil && info.IsDir()
			switch {
			case err != nil: // a different pattern excludes the files that cause the error
			case len(found) > 0, isDirectory && in.name == "binaries":
			case isDirectory:
				missing = cmp.Or(missing, cli.BadInput(fmt.Errorf("input reports: %s is a directory; name its reports, for example %s", text, path.Join(text, "**/*.compat.json"))))
			case !strings.ContainsAny(text, "*?"):
				missing = cmp.Or(missing, cli.BadInput(fmt.Errorf("input %s: no file matches %s; build the file before this step, or correct the path", in.name, text)))
			default:
				e.notices = append(e.notices, fmt.Sprintf("input %s: no file matches %s", in.name, text))
			}
		}
	}
	if missing == nil && len(s.reports) > 0 && len(e.options.Reports) == 0 {
		missing = cli.BadInput(fmt.Errorf("input reports: no file matches %s; build the reports before this step", strings.Join(s.reports, ", ")))
	}
	return missing
}

// findReports sets the reports of the options.
func (e *evidence) findReports(s *settings, p place) (err error) {
	if e.options.Reports, err = p.glob(s.reports); err != nil {
		return fmt.Errorf("input reports: %w", err)
	}
	if len(s.baseReports) == 0 {
		return nil
	}
	if e.options.BaseReports, err = p.glob(s.baseReports); err != nil {
		return fmt.Errorf("input base-reports: %w", err)
	}
	if len(e.options.BaseReports) == 0 {
		return cli.BadInput(fmt.Errorf("input base-reports: no file matches %s; build the reports of the base commit before this step, or leave the input empty", strings.Join(s.baseReports, ", ")))
	}
	return nil
}

// checkOutputs rejects outputs that are also inputs.
func checkOutputs(c check, o gatefiles.CheckOptions) error {
	read := slices.Concat(slices.Concat(c.place.candidates()...), c.paths.deviceConfig, []string{c.paths.policy, c.paths.baseline})
	if len(c.settings.binaries) > 0 {
		found, _ := c.place.glob(c.settings.binaries) // build reports an invalid pattern
		read = append(read, found...)
	}
	return o.CheckOutputs(slices.Sorted(maps.Values(c.paths.outputs)), read)
}

// build creates reports on binaries. If they contain no device code, it returns the reason as
// nothing.
func (e *evidence) build(ctx context.Context, c check, r rules) (nothing, err error) {
	s := c.settings
	if len(s.binaries) == 0 {
		return nil, nil
	}
	devices := s.devices
	if len(devices) == 0 {
		if devices, err = gatefiles.PolicyDevices(e.options, r.devices); err != nil {
			return nil, err
		}
	}
	for _, name := range s.devices {
		if targets, _ := deviceconfig.TargetsNamed(name); targets == nil { // not a product or a family
			if err := gate.CheckDevice(r.devices, name); err != nil {
				return nil, cli.Usagef("input devices: %v", err)
			}
		}
	}
	files, err := c.place.localPatterns(s.binaries)
	if err != nil {
		return nil, fmt.Errorf("input binaries: %w", err)
	}
	var log bytes.Buffer
	o := inspect.Options{Files: files, Devices: devices, Config: r.devices, Confined: true, Glob: c.place.glob, Strict: true}
	e.options.SetBuiltBy(s.binaries, s.devices, c.paths.deviceConfig)
	e.options.Built, err = inspect.Reports(ctx, &cli.Env{Tool: "action", Stderr: &log}, o)
	if text := strings.TrimSuffix(log.String(), "\n"); text != "" {
		e.log = strings.Split(text, "\n")
	}
	if err != nil {
		err = fmt.Errorf("input binaries: %w", err)
	}
	if _, ok := errors.AsType[*inspect.EmptyError](err); ok {
		return &fixedError{err, "If these files are not supposed to contain device code, set `fail-on-empty: false`.\n"}, nil
	}
	return nil, err
}

// merged returns all reports as one report.
func (e *evidence) merged(ctx context.Context) (*report.Report, error) {
	parts, err := gatefiles.ReadReports(ctx, e.options)
	if err != nil {
		return nil, err
	}
	if len(parts) == 0 {
		return nil, errors.New("no reports")
	}
	return report.Merge(parts...)
}
