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

// An input is an input of the action: an environment variable and, outside of GitHub Actions, a
// flag.
type input struct {
	name   string
	values string // the accepted values, for --help
	preset string // the default
	usage  string
	set    func(s *settings, value string) error
}

// variable returns the name of the environment variable that action.yml sets. Shells drop variables
// with hyphens in their names.
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
	pullRequest                  int // 0 for the pull request of the event
	commentKey, commentAuthor    string
	files                        map[string]string // by format
	category, artifactURL, token string
	workingDirectory             string
	debug, strictDelivery        bool
}

// inputs are the inputs that this program reads. Inputs about policies have no preset, because it
// would override the policy. The script run.sh reads the inputs about the program itself.
var inputs = []input{
	{"reports", "patterns", "", "patterns of reports, one per line or separated by commas; a pattern that starts with ! excludes files", patterns(func(s *settings) *[]string { return &s.reports })},
	{"binaries", "patterns", "", "patterns of programs, libraries, wheels and directories to report on", patterns(func(s *settings) *[]string { return &s.binaries })},
	{"devices", "names", "", "devices to check binaries for, one per line or separated by commas; default: the devices that the policy names, otherwise the devices that the binaries are built for", patterns(func(s *settings) *[]string { return &s.devices })},
	{"device-config", "paths", "", "device configuration files, one per line or separated by commas: for binaries, the files to check with; for reports, the files that they were created with", patterns(func(s *settings) *[]string { return &s.deviceConfig })},
	{"policy-file", "path", "", "the policy file; default: the nearest .github/sycl-compat.yml or .yaml, searched from working-directory up to the root of the repository", text(func(s *settings) *string { return &s.policyFile })},
	{"policy-ref", "head, base", "head", "where to read the policy and the baseline from: head is the change, base is its base commit", text(func(s *settings) *string { return &s.policyRef })},
	{"compare-with-base", "required, optional", "", "whether the check fails if the policy and the baseline cannot be compared with the base commit", text(func(s *settings) *string { return &s.compareWithBase })},
	{"baseline-file", "path", "", "the baseline, a file of known problems", text(func(s *settings) *string { return &s.baselineFile })},
	{"base-reports", "patterns", "", "patterns of reports on the base branch; their problems are not new", patterns(func(s *settings) *[]string { return &s.baseReports })},
	{"fail-on", "new, any, none", "", "which problems fail the check; none is a dry run", text(func(s *settings) *string { return &s.failOn })},
	{"fail-on-severity", "error, warning, note", "", "the lowest severity that fails the check", text(func(s *settings) *string { return &s.failOnSeverity })},
	{"fail-on-empty", "true, false", "", "whether the check fails if there is no report or no status", text(func(s *settings) *string { return &s.failOnEmpty })},
	{"fail-on-stale", "true, false", "", "whether the check fails for exceptions that match nothing or have expired", text(func(s *settings) *string { return &s.failOnStale })},
	{"annotations", "true, false", "true", "whether to annotate lines of files with problems", boolean(func(s *settings) *bool { return &s.annotations })},
	{"max-annotations", "0 to 10", "10", "maximum number of annotations of each level", func(s *settings, v string) error {
		n, err := strconv.Atoi(v)
		if err != nil || n < 0 || n > maxAnnotations {
			return fmt.Errorf("expected a number from 0 to %d, got %q", maxAnnotations, v)
		}
		s.maxAnnotations = n
		return nil
	}},
	{"summary", "full, problems, none", "full", "content of the job summary; full adds the table of kernels and devices to the problems", text(func(s *settings) *string { return &s.summary })},
	{"comment", "never, on-problem, always", "never", "when to comment on the pull request", text(func(s *settings) *string { return &s.comment })},
	{"comment-when-solved", "update, delete, minimize", "update", "what to do with the comment once all problems are solved", func(s *settings, v string) error {
		s.commentSolved = solvedMode(v)
		return nil
	}},
	{"pull-request", "number", "", "the pull request to comment on, for events that are not about a pull request, such as issue_comment and workflow_dispatch", func(s *settings, v string) error {
		n, err := strconv.Atoi(strings.TrimPrefix(v, "#"))
		if err != nil || n < 1 {
			return fmt.Errorf("invalid pull request number %q", v)
		}
		s.pullRequest = n
		return nil
	}},
	{"comment-key", "text", "", "text that distinguishes the comments of several uses of the action in one pull request", text(func(s *settings) *string { return &s.commentKey })},
	{"comment-author", "login", "", "login of the author of the comment to update; default: the owner of the token", text(func(s *settings) *string { return &s.commentAuthor })},
	{"sarif-file", "path", "", "the file to write SARIF to, for code scanning", file("sarif")},
	{"junit-file", "path", "", "the file to write JUnit XML to", file("junit")},
	{"gitlab-file", "path", "", "the file to write a GitLab Code Quality report to", file("gitlab")},
	{"html-file", "path", "", "the file to write an HTML page of the reports to", file("html")},
	{"json-file", "path", "", "the file to write the result to, as JSON", file("json")},
	{"markdown-file", "path", "", "the file to write the result to, as Markdown", file("markdown")},
	{"report-file", "path", "", "the file to write the report of binaries to, as JSON", file("report")},
	{"proposed-baseline-file", "path", "", "file for a baseline with all current problems", file("proposed-baseline")},
	{"category", "text", "", "text that distinguishes several results of one change, such as results for several configurations", text(func(s *settings) *string { return &s.category })},
	{"artifact-url", "address", "", "URL of the uploaded files, which the summary and the comment link to", func(s *settings, v string) error {
		if s.artifactURL = v; urlValue(v).err != nil {
			s.artifactURL = ""
			return fmt.Errorf("expected a URL such as https://example.com/files, got %q", v)
		}
		return nil
	}},
	{"token", "secret", "", "the token to write the comment with; default: the token of the job", text(func(s *settings) *string { return &s.token })},
	{"working-directory", "path", "", "the directory that all paths are relative to, itself relative to the workspace or absolute", func(s *settings, v string) error {
		if full := filepath.FromSlash(v); !filepath.IsLocal(full) && !filepath.IsAbs(full) {
			return fmt.Errorf("%q leads out of the workspace", v)
		}
		s.workingDirectory = filepath.ToSlash(filepath.Clean(v))
		return nil
	}},
	{"debug", "true, false", "false", "print in the log where each value comes from", boolean(func(s *settings) *bool { return &s.debug })},
	{"strict-delivery", "true, false", "false", "whether the check fails if the summary or the comment cannot be written", boolean(func(s *settings) *bool { return &s.strictDelivery })},
}

// patterns returns the setter of a list of patterns.
func patterns(field func(*settings) *[]string) func(*settings, string) error {
	return func(s *settings, v string) error {
		*field(s) = workspace.SplitPatterns(v)
		return nil
	}
}

// text returns the setter of a text. If the input accepts only certain words, readInputs checks the
// value first.
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

// words returns the accepted values of an input, or nil if any value is accepted.
func (in *input) words() []string {
	if !strings.Contains(in.values, ", ") {
		return nil
	}
	return strings.Split(in.values, ", ")
}

// mayHaveLines reports whether the value of an input may have several lines.
func (in *input) mayHaveLines() bool {
	return slices.Contains([]string{"names", "paths", "patterns", "text"}, in.values)
}

// A source is the origin of the value of an input.
type source struct{ name, value, from string }

// readInputs reads the inputs from arguments, then from variables. If only some inputs are wrong,
// it also returns settings, which determine how to report the error.
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
		return nil, nil, cli.Usagef("unexpected argument %q; pass reports with --reports and other files with --binaries", flags.Arg(0))
	}
	s := &settings{files: map[string]string{}}
	var sources []source
	var wrong error // the first error
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
		if lines := strings.Count(value, "\n") + 1; lines > 1 && !in.mayHaveLines() {
			wrong = cmp.Or(wrong, cli.Usagef("input %s: expected one line, got %d; remove the line break", in.name, lines))
		} else if words := in.words(); words != nil && !slices.Contains(words, value) {
			wrong = cmp.Or(wrong, cli.Usagef("input %s: unknown value %q; expected one of %s", in.name, value, in.values))
		} else if err := in.set(s, value); err != nil {
			wrong = cmp.Or(wrong, cli.Usagef("input %s: %v", in.name, err))
		}
	}
	switch {
	case wrong != nil:
		return s, nil, wrong
	case len(s.reports)+len(s.binaries) == 0:
		return s, nil, cli.Usagef("input reports or binaries is required: patterns of compatibility reports, such as bazel-bin/**/*.compat.json, or of files with device code, such as build/**/*.so")
	case s.comment == "always" && s.commentSolved == solvedDelete:
		return s, nil, cli.Usagef("input comment-when-solved: delete requires comment: on-problem")
	case len(s.binaries) == 0 && len(s.devices) > 0:
		return s, nil, cli.Usagef("input devices requires binaries; reports already have their devices")
	case len(s.binaries) == 0 && s.files["report"] != "":
		return s, nil, cli.Usagef("input report-file requires binaries; reports are files already")
	}
	return s, sources, nil
}

// printUsage prints the inputs as flags.
func printUsage(w io.Writer) error {
	_, err := fmt.Fprint(w, `action: check which SYCL kernels run on which devices against a policy

Usage: action --reports PATTERNS [FLAGS]
       action --binaries PATTERNS [FLAGS]

Each flag is an input of the GitHub Action, and an environment variable: --fail-on
is INPUT_FAIL_ON.

Flags:
`)
	for _, in := range inputs {
		preset := ""
		if in.preset != "" {
			preset = "; default " + in.preset
		}
		cli.HelpFlag(w, fmt.Sprintf("--%s (%s%s)", in.name, in.values, preset), in.usage)
	}
	if err == nil {
		_, err = fmt.Fprint(w, `
Example:
  action --reports 'bazel-bin/**/*.compat.json' --policy-file .github/sycl-compat.yml
  action --binaries 'build/**/*.so' --devices intel_gpu_pvc,intel_gpu_acm_g10

Exit codes: 0 success, 1 the check fails, 2 usage error or an error in the policy or
the baseline, 3 invalid report, 4 system error.
`)
	}
	return err
}
