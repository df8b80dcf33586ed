package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/workspace"
)

// An input is one of the action. It is a variable, and outside of GitHub Actions
// also a flag.
type input struct {
	name   string
	values string // what it takes, for people
	preset string // when the input is empty
	usage  string
	set    func(s *settings, value string) error
}

// variable is the name that action.yml gives the value. Shells drop variables
// with dashes in their names.
func (in *input) variable() string {
	return "INPUT_" + strings.ToUpper(strings.ReplaceAll(in.name, "-", "_"))
}

// settings are the values of the inputs.
type settings struct {
	reports, baseReports         []string // patterns
	binaries                     []string // patterns
	devices, deviceConfig        []string
	policyFile, policyRef        string
	compareWithBase              string
	baselineFile                 string
	failOn, failOnSeverity       string
	failOnEmpty, failOnStale     string
	annotations                  bool
	maxAnnotations               int
	summary                      string
	comment                      string
	commentSolved                solvedMode
	pullRequest                  int // 0 for the one of the event
	commentKey, commentAuthor    string
	files                        map[string]string // by format
	category, artifactURL, token string
	workingDirectory             string
	debug, strictDelivery        bool
}

// inputs are those that this program reads. Inputs about policies have no preset,
// as it would be over what the policy says. Run.sh has those that say where this
// program is from.
var inputs = []input{
	{"reports", "patterns", "", "the reports: patterns, one a line or separated by commas; a pattern that begins with ! removes files", patterns(func(s *settings) *[]string { return &s.reports })},
	{"binaries", "patterns", "", "programs, libraries, wheels and folders to make the reports of: patterns as in reports", patterns(func(s *settings) *[]string { return &s.binaries })},
	{"devices", "names", "", "the devices that binaries are checked for, one a line or separated by commas; without them those that the policy names, else those that the binaries are for", patterns(func(s *settings) *[]string { return &s.devices })},
	{"device-config", "paths", "", "files that describe devices, one a line or separated by commas: those that binaries are checked for, or that the reports were made with", patterns(func(s *settings) *[]string { return &s.deviceConfig })},
	{"policy-file", "path", "", "the policy; without it, .github/sycl-compat.yml when that file exists", text(func(s *settings) *string { return &s.policyFile })},
	{"policy-ref", "head, base", "head", "which policy and baseline apply: those of the change, or those of the commit that it is based on", text(func(s *settings) *string { return &s.policyRef })},
	{"compare-with-base", "required, optional", "", "whether the check fails when the policy and the baseline cannot be compared with those of the base commit, such as in a checkout with one commit", text(func(s *settings) *string { return &s.compareWithBase })},
	{"baseline-file", "path", "", "the baseline, a file with the known problems", text(func(s *settings) *string { return &s.baselineFile })},
	{"base-reports", "patterns", "", "reports of the base branch; problems in them are not new", patterns(func(s *settings) *[]string { return &s.baseReports })},
	{"fail-on", "new, any, none", "", "which problems fail the check; none is a dry run", text(func(s *settings) *string { return &s.failOn })},
	{"fail-on-severity", "error, warning, note", "", "the lowest severity that fails the check", text(func(s *settings) *string { return &s.failOnSeverity })},
	{"fail-on-empty", "true, false", "", "whether the check fails when there is no report or no status", text(func(s *settings) *string { return &s.failOnEmpty })},
	{"fail-on-stale", "true, false", "", "whether the check fails for exceptions that match nothing or have expired", text(func(s *settings) *string { return &s.failOnStale })},
	{"annotations", "true, false", "true", "whether problems are shown at lines of files", boolean(func(s *settings) *bool { return &s.annotations })},
	{"max-annotations", "0 to 10", "10", "the largest number of annotations of each kind", func(s *settings, v string) error {
		n, err := strconv.Atoi(v)
		if err != nil || n < 0 || n > maxAnnotations {
			return fmt.Errorf("%q is not a number from 0 to %d", v, maxAnnotations)
		}
		s.maxAnnotations = n
		return nil
	}},
	{"summary", "full, problems, none", "full", "what the job summary shows; full is the problems and the table of kernels and devices", text(func(s *settings) *string { return &s.summary })},
	{"comment", "never, on-problem, always", "never", "when to comment on the pull request", text(func(s *settings) *string { return &s.comment })},
	{"comment-when-solved", "update, delete, minimize", "update", "what becomes of the comment once everything is solved", func(s *settings, v string) error {
		s.commentSolved = solvedMode(v)
		return nil
	}},
	{"pull-request", "number", "", "the pull request to comment on, for events that are not about one, such as issue_comment and workflow_dispatch", func(s *settings, v string) error {
		n, err := strconv.Atoi(strings.TrimPrefix(v, "#"))
		if err != nil || n < 1 {
			return fmt.Errorf("%q is not the number of a pull request", v)
		}
		s.pullRequest = n
		return nil
	}},
	{"comment-key", "text", "", "distinguishes the comments of several uses of the action in one pull request", text(func(s *settings) *string { return &s.commentKey })},
	{"comment-author", "login", "", "the author of the comment to update, when the token is not that of github-actions[bot]", text(func(s *settings) *string { return &s.commentAuthor })},
	{"sarif-file", "path", "", "the file to write SARIF to, for code scanning", file("sarif")},
	{"junit-file", "path", "", "the file to write JUnit XML to", file("junit")},
	{"gitlab-file", "path", "", "the file to write a GitLab Code Quality report to", file("gitlab")},
	{"html-file", "path", "", "the file to write an HTML page of the reports to", file("html")},
	{"json-file", "path", "", "the file to write the result to, as JSON", file("json")},
	{"markdown-file", "path", "", "the file to write the result to, as Markdown", file("markdown")},
	{"report-file", "path", "", "the file to write the report of binaries to, as JSON", file("report")},
	{"proposed-baseline-file", "path", "", "the file to write a baseline to with which no problem is new", file("baseline")},
	{"category", "text", "", "distinguishes several results of one change, such as those of several configurations", text(func(s *settings) *string { return &s.category })},
	{"artifact-url", "address", "", "the address of the uploaded files; the summary and the comment link to it", func(s *settings, v string) error {
		s.artifactURL = v
		return urlValue(v).err
	}},
	{"token", "secret", "", "the token that the comment is written with; the default is the token of the job", text(func(s *settings) *string { return &s.token })},
	{"working-directory", "path", "", "the folder that all paths are relative to, itself relative to the workspace", func(s *settings, v string) error {
		if !filepath.IsLocal(filepath.FromSlash(v)) {
			return fmt.Errorf("%q leads out of the workspace", v)
		}
		s.workingDirectory = filepath.ToSlash(filepath.Clean(v))
		return nil
	}},
	{"debug", "true, false", "false", "print in the log where each value is from", boolean(func(s *settings) *bool { return &s.debug })},
	{"strict-delivery", "true, false", "false", "whether the check fails when the summary or the comment cannot be written", boolean(func(s *settings) *bool { return &s.strictDelivery })},
}

// patterns returns the setter of a list of patterns.
func patterns(field func(*settings) *[]string) func(*settings, string) error {
	return func(s *settings, v string) error {
		*field(s) = workspace.SplitPatterns(v)
		return nil
	}
}

// text returns the setter of a text. Of an input that lists words, readInputs has checked it.
func text(field func(*settings) *string) func(*settings, string) error {
	return func(s *settings, v string) error {
		*field(s) = v
		return nil
	}
}

func boolean(field func(*settings) *bool) func(*settings, string) error {
	return func(s *settings, v string) error {
		*field(s) = v == "true"
		return nil
	}
}

func file(format string) func(*settings, string) error {
	return func(s *settings, v string) error {
		s.files[format] = v
		return nil
	}
}

// words returns the values of an input that takes one of a few, nil for others.
func (in *input) words() []string {
	if !strings.Contains(in.values, ", ") {
		return nil
	}
	return strings.Split(in.values, ", ")
}

// A source says where the value of an input is from.
type source struct{ name, value, from string }

// readInputs reads the inputs from arguments and variables, in this order. With an error
// there are settings as well when only some inputs are wrong, to report it by.
func readInputs(args []string, getenv func(string) string) (*settings, []source, error) {
	flags := flag.NewFlagSet("action", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	given := map[string]*string{}
	for i := range inputs {
		given[inputs[i].name] = flags.String(inputs[i].name, "", inputs[i].usage)
	}
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return nil, nil, err
	case err != nil:
		return nil, nil, cli.FlagMistake(flags, err)
	}
	if flags.NArg() > 0 {
		return nil, nil, cli.Usagef("%q is not a flag; reports are given as --reports, other files as --binaries", flags.Arg(0))
	}
	s := &settings{files: map[string]string{}}
	var sources []source
	var wrong error // the first
	for i := range inputs {
		in := &inputs[i]
		value, from := strings.TrimSpace(*given[in.name]), "flag"
		if value == "" {
			value, from = strings.TrimSpace(getenv(in.variable())), "input"
		}
		if value == "" {
			value, from = in.preset, "default"
		}
		sources = append(sources, source{in.name, value, from})
		if value == "" {
			continue
		}
		if words := in.words(); words != nil && !slices.Contains(words, value) {
			wrong = cmp.Or(wrong, cli.Usagef("input %s: %q is none of %s", in.name, value, in.values))
		} else if err := in.set(s, value); err != nil {
			wrong = cmp.Or(wrong, cli.Usagef("input %s: %v", in.name, err))
		}
	}
	switch {
	case wrong != nil:
		return s, nil, wrong
	case len(s.reports)+len(s.binaries) == 0:
		return s, nil, cli.Usagef("input reports or binaries is needed: patterns of compatibility reports, such as bazel-bin/**/*.compat.json, or of files with device code, such as build/**/*.so")
	case s.comment == "always" && s.commentSolved == solvedDelete:
		return s, nil, cli.Usagef("input comment-when-solved: delete requires comment: on-problem")
	case len(s.binaries) == 0 && len(s.devices) > 0:
		return s, nil, cli.Usagef("input devices is for binaries: reports have their devices already")
	case len(s.binaries) == 0 && s.files["report"] != "":
		return s, nil, cli.Usagef("input report-file is for binaries: reports are files already")
	}
	return s, sources, nil
}

// printUsage prints the inputs as flags.
func printUsage(w io.Writer) error {
	_, err := fmt.Fprint(w, `action: check which SYCL kernels run on which devices against a policy

Usage: action --reports PATTERNS [FLAGS]
       action --binaries PATTERNS [FLAGS]

Each flag is an input of the GitHub Action, and a variable as well: --fail-on is
INPUT_FAIL_ON.

Flags:
`)
	for _, in := range inputs {
		preset := ""
		if in.preset != "" {
			preset = ", " + in.preset + " when it is missing"
		}
		cli.HelpFlag(w, fmt.Sprintf("--%s (%s%s)", in.name, in.values, preset), in.usage)
	}
	if err == nil {
		_, err = fmt.Fprint(w, `
Example:
  action --reports 'bazel-bin/**/*.compat.json' --policy-file .github/sycl-compat.yml
  action --binaries 'build/**/*.so' --devices intel_gpu_pvc,intel_gpu_acm_g10

Exit codes: 0 it passes, 1 it does not, 2 wrong usage or a fault in the policy or
the baseline, 3 a report that cannot be read or trusted, 4 the machine failed.
`)
	}
	return err
}
