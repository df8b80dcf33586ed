package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/compatinputs"
	"github.com/rules-sycl/rules_sycl/internal/workspace"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/gate"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// environment is all that the program has of its process.
type environment struct {
	args           []string
	getenv         func(string) string
	stdout, stderr io.Writer
}

// action is one run of the program.
type action struct {
	environment
	*settings
	github        *runner // nil outside of GitHub Actions
	event         *event
	repository    repository
	options       compatinputs.CheckOptions
	devicesOfBase *deviceconfig.Config // that binaries are checked for, nil when it is those of the change
	result        *gate.Result
	shown         bool    // whether the result is in the summary and the comment, as far as these can be written
	unshown       []error // why something is not shown to people
}

// defaultPolicy is the policy that is used without being named.
const defaultPolicy = ".github/sycl-compat.yml"

// run does all and returns the exit code.
func run(ctx context.Context, env environment) int {
	a := &action{environment: env}
	if env.getenv("GITHUB_ACTIONS") == "true" {
		a.github = newRunner(env.stdout, env.getenv)
		a.github.mask(env.getenv("INPUT_TOKEN"))
	}
	err := a.try(ctx)
	switch {
	case errors.Is(err, flag.ErrHelp):
		if err := printUsage(env.stdout); err != nil {
			return cli.ExitFailure
		}
		return cli.ExitOK
	case err == nil:
		return a.exitCode()
	case a.github == nil && cli.Stopped(ctx):
		return cli.ExitFailure
	}
	return a.failed(ctx, err)
}

// try does all, and makes an error of a panic: no fault may look like a conclusion.
func (a *action) try(ctx context.Context) (err error) {
	defer cli.Recover(&err)
	var sources []source
	if a.settings, sources, err = readInputs(a.args, a.getenv); err != nil {
		return err
	}
	if a.token != "" && a.github != nil {
		a.github.mask(a.token)
	}
	a.explain(sources)
	if err := a.enter(); err != nil {
		return err
	}
	if a.event, err = readEvent(a.getenv); err != nil {
		return err
	}
	if err := a.decide(ctx); err != nil {
		return err
	}
	// The conclusion comes first, whatever happens to what follows.
	if err := a.writeOutputs(ctx); err != nil {
		return err
	}
	if err := a.writeFiles(ctx); err != nil {
		return err
	}
	return a.show(ctx)
}

// exitCode returns the exit code of a run in which nothing failed.
func (a *action) exitCode() int {
	if a.result.Conclusion == gate.Failure {
		return cli.ExitNo
	}
	return cli.ExitOK
}

// log writes to the log, or to standard output outside of GitHub Actions.
func (a *action) log(write func(w io.Writer) error) {
	var err error
	if a.github != nil {
		err = a.github.log(write)
	} else {
		err = write(a.stdout)
	}
	if err != nil {
		a.unshown = append(a.unshown, err)
	}
}

// logf writes a line to the log.
func (a *action) logf(format string, args ...any) {
	a.log(func(w io.Writer) error { _, err := fmt.Fprintf(w, format+"\n", args...); return err })
}

// explain says where the values of inputs are from, when that was asked for.
func (a *action) explain(sources []source) {
	write := func(w io.Writer) error {
		for _, s := range sources {
			switch {
			case s.value == "":
				s.value, s.from = "nothing", "as the policy says, or the preset of the gate"
			case s.name == "token":
				s.value = "***"
			}
			if _, err := fmt.Fprintf(w, "%s = %s (%s)\n", s.name, safetext.Escape(s.value), s.from); err != nil {
				return err
			}
		}
		return nil
	}
	if a.debug {
		a.log(write)
	} else if a.github != nil && a.github.debugging() {
		var b strings.Builder
		if write(&b) == nil {
			for line := range strings.Lines(b.String()) {
				a.github.debug(strings.TrimSuffix(line, "\n"))
			}
		}
	}
}

// enter goes to the folder that paths are relative to.
func (a *action) enter() error {
	variable := "BUILD_WORKING_DIRECTORY" // set by bazel run, which starts programs elsewhere
	if a.github != nil {
		variable = "GITHUB_WORKSPACE"
	}
	dir, err := filepath.EvalSymlinks(cmp.Or(a.getenv(variable), "."))
	if err != nil {
		return err
	}
	if a.workingDirectory == "" {
		a.repository = findRepository(dir, "")
		return os.Chdir(dir)
	}
	// A change may have brought a link: all below would be of another place.
	real, err := filepath.EvalSymlinks(filepath.Join(dir, filepath.FromSlash(a.workingDirectory)))
	if err != nil {
		return cli.Usagef("input working-directory: %v", err)
	}
	below, err := filepath.Rel(dir, real)
	if err != nil || !filepath.IsLocal(below) {
		return cli.Usagef("input working-directory: %q leads out of the workspace through a link", a.workingDirectory)
	}
	a.workingDirectory = filepath.ToSlash(below)
	a.repository = findRepository(dir, a.workingDirectory)
	if err := os.Chdir(real); err != nil {
		return cli.Usagef("input working-directory: %v", err)
	}
	return nil
}

// prefix is what is in front of paths to make them relative to the workspace.
func (a *action) prefix(name string) string {
	if name == "" || path.IsAbs(filepath.ToSlash(name)) || filepath.IsAbs(name) {
		return name
	}
	return path.Join(a.workingDirectory, filepath.ToSlash(name))
}

// folder is a workspace below the one of the repository. The gate finds places in
// it; those of the result are then from the repository on, and the sources there
// are opened again for fingerprints of lines.
type folder struct {
	gate.Workspace
	prefix string
}

func (f folder) Open(name string) (io.ReadCloser, error) {
	return f.Workspace.Open(strings.TrimPrefix(name, f.prefix+"/"))
}

// decide finds and reads the files and comes to a result.
func (a *action) decide(ctx context.Context) error {
	a.options = compatinputs.CheckOptions{Program: "action", MayBeEmpty: true, Workspace: ".", Category: a.category,
		CompareWithBase: a.compareWithBase, FailOn: a.failOn, FailOnSeverity: a.failOnSeverity, FailOnEmpty: a.failOnEmpty, FailOnStale: a.failOnStale}
	if err := a.findReports(); err != nil {
		return err
	}
	// A pull request is checked as its merge, and its reports may be of its own commit.
	for _, commit := range []string{a.event.headCommit(a.getenv("GITHUB_SHA")), a.getenv("GITHUB_SHA")} {
		if commitName.MatchString(commit) && !slices.Contains(a.options.Commits, commit) && (a.event.WorkflowRun == nil || commit == a.event.WorkflowRun.HeadSHA) {
			a.options.Commits = append(a.options.Commits, commit)
		}
	}
	if err := a.choosePolicy(ctx); err != nil {
		return err
	}
	if err := a.checkOutputs(); err != nil {
		return err
	}
	nothing, err := a.build(ctx)
	if err != nil {
		return err
	}
	in, err := compatinputs.Load(ctx, a.options)
	if err != nil {
		return err
	}
	if nothing != nil && in.Policy.FailOnEmpty {
		return nothing
	}
	if len(a.reports) > 0 && len(a.options.Reports) == 0 && in.Policy.FailOnEmpty {
		return cli.BadInput(fmt.Errorf("input reports: no file matches %s; a build has to write the reports before this step", strings.Join(a.reports, ", ")))
	}
	if in.Workspace != nil {
		in.Workspace = folder{in.Workspace, a.workingDirectory}
	}
	a.result = gate.Evaluate(in)
	for i := range a.result.Findings {
		f := &a.result.Findings[i]
		f.Path = a.prefix(f.Path)
	}
	for i := range a.result.Notices {
		n := &a.result.Notices[i]
		n.File = a.prefix(n.File)
	}
	return nil
}

// findReports sets the reports of the options.
func (a *action) findReports() (err error) {
	if a.options.Reports, err = workspace.Glob(".", a.reports); err != nil {
		return fmt.Errorf("input reports: %w", err)
	}
	if len(a.baseReports) == 0 {
		return nil
	}
	if a.options.BaseReports, err = workspace.Glob(".", a.baseReports); err != nil {
		return fmt.Errorf("input base-reports: %w", err)
	}
	if len(a.options.BaseReports) == 0 {
		return cli.BadInput(fmt.Errorf("input base-reports: no file matches %s", strings.Join(a.baseReports, ", ")))
	}
	return nil
}

// checkOutputs refuses outputs that are read as well.
func (a *action) checkOutputs() error {
	more := slices.Clone(a.deviceConfig)
	if len(a.binaries) > 0 {
		// A pattern that is wrong is for build to report.
		found, _ := workspace.Glob(".", a.binaries)
		more = append(more, found...)
	}
	policy := a.policyFile
	if policy == "" {
		policy = defaultPolicy
	}
	return a.options.CheckOutputs(slices.Sorted(maps.Values(a.files)), append(more, policy, a.baselineFile))
}

// build makes the reports of binaries. That there is no device code in them is for the
// policy to judge.
func (a *action) build(ctx context.Context) (nothing, err error) {
	if len(a.binaries) == 0 {
		return nil, nil
	}
	devices := a.devices
	if len(devices) == 0 {
		if devices, err = compatinputs.PolicyDevices(a.options); err != nil {
			return nil, err
		}
	}
	var log bytes.Buffer
	env := &cli.Env{Tool: "action", Stderr: &log}
	a.options.SetBuiltBy(a.binaries, a.devices, a.deviceConfig)
	a.options.Built, err = compatinputs.MakeReports(ctx, env, compatinputs.ReportOptions{Files: a.binaries, Devices: devices, DeviceConfig: a.deviceConfig, Config: a.devicesOfBase, Confined: true, Strict: true})
	for line := range strings.Lines(log.String()) {
		a.logf("%s", safetext.Escape(strings.TrimSuffix(line, "\n")))
	}
	if err != nil {
		err = fmt.Errorf("input binaries: %w", err)
	}
	var empty *compatinputs.EmptyError
	if errors.As(err, &empty) {
		return err, nil
	}
	return nil, err
}

// choosePolicy decides whose policy and baseline count, and finds those of the
// base to compare with.
func (a *action) choosePolicy(ctx context.Context) error {
	name := a.policyFile
	if name == "" {
		name = defaultPolicy
	}
	here := compatinputs.GateFile{Name: name}
	if _, err := os.Lstat(name); err != nil {
		if a.policyFile != "" && a.policyRef == "head" {
			return cli.Usagef("input policy-file: %s cannot be read: %v", name, workspace.Reason(err))
		}
		here = compatinputs.GateFile{}
	}
	if a.event.forkRun() != nil {
		a.policyRef = "base"
	}
	commit := a.baseCommit(ctx)
	if err := a.chooseDevices(ctx, commit); err != nil {
		return err
	}
	if a.policyRef == "base" {
		a.options.BaseDecides = true
		return a.useBase(ctx, commit, name, here)
	}
	a.options.Policy = here
	a.options.Baseline = compatinputs.GateFile{Name: a.baselineFile}
	if commit == "" {
		if a.compareWithBase == "required" || a.compareWithBase == "" && a.event.isChange() {
			a.notCompared("the event %q does not say which commit the change is based on", a.event.name)
		}
		return nil
	}
	a.options.BasePolicy = a.oldFile(ctx, commit, "policy", name)
	if a.baselineFile != "" {
		a.options.BaseBaseline = a.oldFile(ctx, commit, "baseline", a.baselineFile)
	}
	return nil
}

// checks report what is wrong with files, by what these are.
var checks = map[string]func(name string, r io.Reader) error{
	"policy":   func(name string, r io.Reader) error { _, err := gate.ReadPolicy(name, r); return err },
	"baseline": func(name string, r io.Reader) error { _, err := gate.ReadBaseline(name, r); return err },
}

// notCompared says why the change is not compared with its base.
func (a *action) notCompared(format string, args ...any) {
	text := "the policy and the baseline are not compared with those of the base commit: " + fmt.Sprintf(format, args...)
	if !slices.Contains(a.options.NotCompared, text) {
		a.options.NotCompared = append(a.options.NotCompared, text)
	}
}

// noCommit says what to do when the checkout does not have a commit.
func noCommit(commit string) string {
	return fmt.Sprintf("the checkout does not have the base commit %.12s; give actions/checkout fetch-depth: 0", commit)
}

// oldFile returns a file of the base commit, one that is absent when the commit has none,
// and none when it is not known or not what it should be.
func (a *action) oldFile(ctx context.Context, commit, noun, name string) compatinputs.GateFile {
	data, err := a.repository.file(ctx, commit, name)
	switch {
	case errors.Is(err, errNoFile):
		return compatinputs.GateFile{Name: name, Absent: true}
	case errors.Is(err, errNoCommit):
		a.notCompared("%s", noCommit(commit))
		return compatinputs.GateFile{}
	case err != nil:
		a.notCompared("%v", err)
		return compatinputs.GateFile{}
	}
	if err := checks[noun](name, bytes.NewReader(data)); err != nil {
		a.notCompared("the %s of the base commit %.12s is faulty: %v", noun, commit, err)
		return compatinputs.GateFile{}
	}
	return compatinputs.GateFile{Name: name, Data: data}
}

// useBase takes the policy and the baseline of the base commit. What it cannot
// read is an error: a change must not come to a weaker policy by hiding the other.
func (a *action) useBase(ctx context.Context, commit, name string, here compatinputs.GateFile) error {
	if commit == "" {
		return cli.Usagef("input policy-ref: the event %q does not say which commit the change is based on", a.event.name)
	}
	old := func(input, name string) (compatinputs.GateFile, error) {
		data, err := a.repository.file(ctx, commit, name)
		switch {
		case errors.Is(err, errNoCommit):
			return compatinputs.GateFile{}, cli.Usagef("input policy-ref: %s", noCommit(commit))
		case errors.Is(err, errNoFile) && input == "":
			return compatinputs.GateFile{}, nil
		case errors.Is(err, errNoFile):
			return compatinputs.GateFile{}, cli.Usagef("input %s: the base commit %.12s does not have %s; policy-ref: base holds from the change on that comes after the one that adds it", input, commit, name)
		case err != nil:
			return compatinputs.GateFile{}, err
		}
		return compatinputs.GateFile{Name: name, Data: data}, nil
	}
	input := ""
	if a.policyFile != "" {
		input = "policy-file"
	}
	var err error
	if a.options.Policy, err = old(input, name); err != nil {
		return err
	}
	a.options.NextPolicy = a.nextFile("policy", name, here.Name == "")
	if a.baselineFile == "" {
		return nil
	}
	if a.options.Baseline, err = old("baseline-file", a.baselineFile); err != nil {
		return err
	}
	_, err = os.Lstat(a.baselineFile)
	a.options.NextBaseline = a.nextFile("baseline", a.baselineFile, err != nil)
	return nil
}

// nextFile returns a file of the change, which need not be what it should be: it is read
// only to say how it differs.
func (a *action) nextFile(noun, name string, absent bool) compatinputs.GateFile {
	if absent {
		return compatinputs.GateFile{Name: name, Absent: true}
	}
	data, err := readHere(name)
	if err == nil {
		err = checks[noun](name, bytes.NewReader(data))
	}
	if err != nil {
		a.notCompared("the %s of the change cannot be read: %v", noun, err)
		return compatinputs.GateFile{}
	}
	return compatinputs.GateFile{Name: name, Data: data}
}

// readHere reads a file of the change, which may be anything.
func readHere(name string) ([]byte, error) {
	here, err := workspace.Open(".")
	if err != nil {
		return nil, err
	}
	defer here.Close()
	f, err := here.Sources().Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxBaseFile+1))
	if err == nil && len(data) > maxBaseFile {
		err = fmt.Errorf("%s is too large", name)
	}
	return append([]byte{}, data...), err // not nil when it is empty
}

// conclusion is the word of the output.
func (a *action) conclusion() string {
	if a.result.Conclusion == gate.Failure {
		return string(gate.Failure)
	}
	if a.isDry() || len(a.options.Reports)+len(a.options.Built) == 0 {
		return "neutral"
	}
	return string(gate.Success)
}

// isDry reports whether there are problems, and the policy lets all pass.
func (a *action) isDry() bool {
	p := a.result.Policy
	return p.FailOn == gate.FailOnNone && slices.ContainsFunc(a.result.Findings, func(f gate.Finding) bool {
		return !f.Covered() && f.Severity >= p.FailOnSeverity
	})
}

// outputs are those of the action that are known when the gate has decided; those
// of files and the comment come when these are written.
var outputs = []string{"conclusion", "exit-code", "total-cells", "incompatible", "undetermined", "new-problems", "fixed", "baselined", "allowed",
	"expired", "stale", "devices", "kernels", "report-digest", "result-file", "sarif-file", "html-file", "markdown-file", "report-file", "comment-url"}

// writeOutputs writes the conclusion.
func (a *action) writeOutputs(ctx context.Context) error {
	if a.github == nil {
		return nil
	}
	digest, err := compatinputs.Digest(ctx, a.options)
	if err != nil {
		return err
	}
	c := a.result.Counts
	list := []stepOutput{
		{Name: "conclusion", Value: wordValue(a.conclusion())},
		{Name: "exit-code", Value: numberValue(a.exitCode())},
		{Name: "report-digest", Value: wordValue("sha256:" + digest)},
	}
	for _, n := range []struct {
		name string
		n    int
	}{
		{"total-cells", c.Cells}, {"incompatible", c.Incompatible}, {"undetermined", c.Undetermined}, {"new-problems", c.New}, {"fixed", c.Absent},
		{"baselined", c.Unchanged + c.Updated}, {"allowed", c.Allowed}, {"expired", c.Expired}, {"stale", c.Stale}, {"devices", c.Devices}, {"kernels", c.Kernels},
	} {
		list = append(list, stepOutput{Name: n.name, Value: numberValue(n.n)})
	}
	return a.github.setOutputs(list...)
}
