package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/sycl/gate"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	"github.com/rules-sycl/rules_sycl/sycl/show"
)

// An environment holds everything that the program uses from its process.
type environment struct {
	args           []string
	getenv         func(string) string
	stdout, stderr io.Writer
}

// A job describes the run, as reported by the runner.
type job struct {
	event                   *event
	sha                     string // the commit that the workflow runs for
	repository, server, api string
	runID, attempt          string
}

func readJob(getenv func(string) string) (*job, error) {
	e, err := readEvent(getenv)
	if err != nil {
		return nil, err
	}
	return &job{event: e, sha: getenv("GITHUB_SHA"), repository: getenv("GITHUB_REPOSITORY"), server: getenv("GITHUB_SERVER_URL"), api: getenv("GITHUB_API_URL"),
		runID: getenv("GITHUB_RUN_ID"), attempt: getenv("GITHUB_RUN_ATTEMPT")}, nil
}

// A check holds the state of a run. Each step of [environment.check] sets one more of its fields.
type check struct {
	settings *settings    // nil if the inputs are invalid
	job      *job         // nil if the event cannot be read
	place    place        // the directories
	paths    inputPaths   // files that inputs name
	evidence *evidence    // input of the gate's decision
	notices  []string     // about the evidence
	result   *gate.Result // nil if there is no conclusion
}

// run reads the inputs and the event, finds the rules and reports, evaluates the gate and delivers
// the result. It returns the exit code.
func run(ctx context.Context, env environment) int {
	out := &console{environment: env}
	if env.getenv("GITHUB_ACTIONS") == "true" {
		out.github = newRunner(env.stdout, env.getenv)
		out.mask(env.getenv("INPUT_TOKEN"))
	}
	var c check
	var isShown bool
	err := recoverPanic(func() (err error) {
		if c, err = env.check(ctx, out); err == nil {
			isShown, err = deliver(ctx, out, c)
		}
		return err
	})
	switch {
	case errors.Is(err, flag.ErrHelp):
		if err := printUsage(env.stdout); err != nil {
			return cli.ExitFailure
		}
		return cli.ExitOK
	case err == nil:
		return exitCode(c.result)
	case out.github == nil && cli.IsStopped(ctx):
		return cli.ExitFailure
	}
	return deliverError(ctx, out, c, err, isShown)
}

// recoverPanic calls a function and turns a panic into an error, because a bug must not look like a
// conclusion.
func recoverPanic(f func() error) (err error) {
	defer cli.Recover(&err)
	return f()
}

// check determines the conclusion. If it returns an error, the check holds the partial results.
func (env environment) check(ctx context.Context, out *console) (c check, err error) {
	var sources []source
	if c.settings, sources, err = readInputs(env.args, env.getenv); err != nil {
		return c, err
	}
	s := c.settings
	out.mask(s.token)
	out.explain(s.debug, sources)
	// The bazel run command starts programs in a different directory.
	dir := cmp.Or(env.getenv("BUILD_WORKING_DIRECTORY"), ".")
	if out.github != nil {
		dir = cmp.Or(env.getenv("GITHUB_WORKSPACE"), ".")
	}
	if c.place, err = findPlace(dir, s.workingDirectory, out.github != nil); err != nil {
		return c, err
	}
	if err := os.Chdir(c.place.dir); err != nil {
		return c, cli.Usagef("input working-directory: %v", err)
	}
	if c.job, err = readJob(env.getenv); err != nil {
		return c, err
	}
	if c.paths, err = resolvePaths(s, c.place); err != nil {
		return c, err
	}
	repo := openRepository(ctx, c.place.repo)
	defer repo.close()
	if c.place.repo == "" {
		repo.broken = c.place.noRepository()
	}
	r, err := chooseRules(s, c.paths, c.job, findBase(c.job, c.place, repo))
	if err != nil {
		return c, err
	}
	if c.evidence, err = load(ctx, c, r); err != nil {
		out.logLines(c.evidence.log)
		return c, err
	}
	out.logLines(slices.Concat(r.log, c.evidence.log))
	c.notices = slices.Concat(r.notices, c.evidence.notices)
	result := gate.Evaluate(c.evidence.input)
	if r.noBaseline {
		return c, proposeBaseline(c, result)
	}
	c.result = result
	return c, nil
}

// exitCode returns the exit code of a run without errors.
func exitCode(r *gate.Result) int {
	if r.Conclusion == gate.Failure {
		return cli.ExitNo
	}
	return cli.ExitOK
}

// conclusion returns the value of the output "conclusion".
func (c *check) conclusion() string {
	switch {
	case c.result.Conclusion == gate.Failure:
		return string(gate.Failure)
	case isDry(c.result), c.evidence.isEmpty():
		return "neutral"
	}
	return string(gate.Success)
}

// isDry reports whether there are problems and the policy lets all of them pass.
func isDry(r *gate.Result) bool {
	return r.Policy.FailOn == gate.FailOnNone && slices.ContainsFunc(r.Findings, func(f gate.Finding) bool {
		return !f.IsCovered() && f.Severity >= r.Policy.FailOnSeverity
	})
}

// needsAttention reports whether something fails, passes only in a dry run, or is a new problem or
// warning that no exception covers.
func needsAttention(r *gate.Result) bool {
	return r.Conclusion == gate.Failure || isDry(r) ||
		slices.ContainsFunc(r.Findings, func(f gate.Finding) bool {
			return !f.IsCovered() && f.State == gate.StateNew && f.Severity >= gate.Warning
		})
}

// A console is the log of the job or, outside of GitHub Actions, standard output.
type console struct {
	environment
	github *runner // nil outside of GitHub Actions
	lost   []error // why parts of the log are missing
}

// mask hides a secret in the log.
func (out *console) mask(secret string) {
	if out.github != nil && secret != "" {
		out.github.mask(secret)
	}
}

// log writes to the log.
func (out *console) log(write func(w io.Writer) error) {
	var err error
	if out.github != nil {
		err = out.github.log(write)
	} else {
		err = write(out.stdout)
	}
	if err != nil {
		out.lost = append(out.lost, err)
	}
}

// logLines writes lines to the log.
func (out *console) logLines(lines []string) {
	if len(lines) > 0 {
		out.log(func(w io.Writer) error {
			_, err := io.WriteString(w, safetext.EscapeLines(strings.Join(lines, "\n"))+"\n")
			return err
		})
	}
}

// logf writes a line to the log.
func (out *console) logf(format string, args ...any) {
	out.logLines([]string{fmt.Sprintf(format, args...)})
}

// explain logs the origin of the input values, or writes them as debug messages.
func (out *console) explain(inLog bool, sources []source) {
	var lines []string
	for _, s := range sources {
		switch {
		case s.value == "":
			s.value, s.from = "unset", "the policy's value, or the default"
		case s.name == "token":
			s.value = "***"
		}
		lines = append(lines, fmt.Sprintf("%s = %s (%s)", s.name, safetext.Escape(s.value), s.from))
	}
	if inLog {
		out.logLines(lines)
	} else if out.github != nil && out.github.debugging() {
		for _, line := range lines {
			out.github.debug(line)
		}
	}
}

// proposeBaseline writes the proposed baseline of a first run if an input requests it. It always
// returns an error, because a check without the requested baseline has no conclusion.
func proposeBaseline(c check, r *gate.Result) error {
	name := c.paths.baseline
	e := &firstBaselineError{name: name, entries: r.Counts.New, command: c.evidence.options.UpdateCommand(name)}
	if proposed := c.paths.outputs["proposed-baseline"]; proposed != "" {
		if err := writeFile(c.place, proposed, gate.NewBaseline(r).Encode); err != nil {
			return err
		}
		e.proposed = c.place.inWorkspace(proposed)
	}
	return e
}

const installURL = "https://github.com/rules-sycl/rules_sycl/blob/main/docs/tutorials/without-bazel.md#1-install-the-tool"

// A firstBaselineError is returned if the baseline that an input names does not exist.
type firstBaselineError struct {
	name, proposed, command string
	entries                 int
}

// BadInput marks the error as caused by an input file.
func (*firstBaselineError) BadInput() {}

func (e *firstBaselineError) Error() string {
	if e.proposed != "" {
		return fmt.Sprintf("input baseline-file: %s does not exist; commit the proposed baseline %s under this name", e.name, e.proposed)
	}
	return fmt.Sprintf("input baseline-file: %s does not exist; set proposed-baseline-file, or run this command locally and commit the file: %s", e.name, e.command)
}

// Fix returns what to do, as Markdown.
func (e *firstBaselineError) Fix() string {
	if e.proposed == "" {
		return fmt.Sprintf("Write the baseline with [compat](%s) and commit it:\n\n```\n%s\ngit add %s\n```\n\nIf you cannot do this locally, set the input `proposed-baseline-file`: the action then writes the baseline to this file, for you to upload, download and commit.\n",
			installURL, e.command, show.ShellQuote(e.name))
	}
	return fmt.Sprintf("The proposed baseline contains %d %s. Download it from the artifacts of this run, if the workflow uploads it, and commit it:\n\n```\ncp %s %s\ngit add %s\n```\n", e.entries,
		safetext.Plural(e.entries, "problem", "problems"), show.ShellQuote(e.proposed), show.ShellQuote(e.name), show.ShellQuote(e.name))
}
