package main

// This file communicates with the GitHub Actions runner: it writes the outputs, annotations, log
// and summary of a job. It is the only file that uses go-githubactions, and it works around the
// library's limitations:
//
//   - The runner reads commands from any line of standard output and standard error: "::name::" at
//     its beginning and "##[name]" anywhere in it. A bare carriage return also starts a line. This
//     file escapes all text. It encloses the log in a command that stops the parser and a command
//     with a random name that restarts it. Lines of the log begin with a prefix and do not match
//     compilers' problem matchers.
//   - Values of outputs are between delimiters in a file. This file uses random delimiters that the
//     value does not contain. Names have a fixed form, and values are only numbers, words, paths
//     and URLs.
//   - The library interprets format strings, panics and exits. This file does not let it.
//   - The runner silently drops the eleventh annotation of a level, and a summary above 1 MiB as a
//     whole. This file limits both.
//
// The runner's sources define this behavior: ActionCommand, OutputManager, FileCommandManager and
// ExecutionContext.

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/sethvargo/go-githubactions"

	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// A runner represents the runner of the step.
type runner struct {
	out     *failing
	getenv  func(string) string
	random  io.Reader
	library *githubactions.Action   // used only in this file
	left    map[annotationLevel]int // remaining annotations
}

// newRunner returns the runner for an environment.
func newRunner(stdout io.Writer, getenv func(string) string) *runner {
	out := &failing{w: stdout}
	return &runner{out: out, getenv: getenv, random: rand.Reader, left: map[annotationLevel]int{levelError: maxAnnotations, levelWarning: maxAnnotations, levelNotice: maxAnnotations},
		library: githubactions.New(githubactions.WithWriter(out), githubactions.WithGetenv(getenv))}
}

// failing keeps the first error of a writer instead of returning it, because the library panics on
// errors.
type failing struct {
	w   io.Writer
	err error
}

func (f *failing) Write(p []byte) (int, error) {
	if f.err == nil {
		_, f.err = f.w.Write(p)
	}
	return len(p), nil
}

// mask makes the runner replace a secret in the log with "***".
func (r *runner) mask(secret string) {
	if strings.TrimSpace(secret) != "" {
		r.library.AddMask(secret)
	}
}

// An outputValue is a valid value of an output. It is never text from a report.
type outputValue struct {
	text string
	err  error // why the value is invalid, or nil
}

// numberValue returns a count as a value.
func numberValue(n int) outputValue { return outputValue{text: strconv.Itoa(n)} }

var word = regexp.MustCompile(`^[a-z0-9][a-z0-9:-]{0,99}$`)

// wordValue returns one of a fixed set of words, or a digest, as a value.
func wordValue(s string) outputValue {
	if !word.MatchString(s) {
		return outputValue{err: fmt.Errorf("invalid word %q", s)}
	}
	return outputValue{text: s}
}

// pathValue returns the path of a file, or an empty value.
func pathValue(s string) outputValue {
	if !safetext.IsFileName(s) || len(s) > 4096 {
		return outputValue{err: fmt.Errorf("%q is not a valid path for an output", s)}
	}
	return outputValue{text: s}
}

// urlValue returns a URL, or an empty value.
func urlValue(s string) outputValue {
	if s == "" {
		return outputValue{}
	}
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil || safetext.Escape(s) != s || strings.ContainsAny(s, " <>\"`|\\") || len(s) > 2000 {
		return outputValue{err: fmt.Errorf("%q is not a valid URL for an output", s)}
	}
	return outputValue{text: s}
}

// A stepOutput is a name and its value.
type stepOutput struct {
	Name  string
	Value outputValue
}

var outputName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,49}$`)

// setOutputs sets outputs of the step, either all of them or none.
func (r *runner) setOutputs(outputs ...stepOutput) error {
	var body strings.Builder
	for _, o := range outputs {
		if !outputName.MatchString(o.Name) {
			return fmt.Errorf("invalid output name %q", o.Name)
		}
		if o.Value.err != nil {
			return fmt.Errorf("output %s: %w", o.Name, o.Value.err)
		}
		delimiter, err := r.token()
		if err != nil {
			return err
		}
		if strings.Contains(o.Value.text, delimiter) {
			return fmt.Errorf("output %s: the value contains the delimiter", o.Name)
		}
		fmt.Fprintf(&body, "%s<<%s\n%s\n%s\n", o.Name, delimiter, o.Value.text, delimiter)
	}
	return r.fileCommand("output", strings.TrimSuffix(body.String(), "\n"))
}

// token returns an unpredictable name.
func (r *runner) token() (string, error) {
	var b [16]byte
	if _, err := io.ReadFull(r.random, b[:]); err != nil {
		return "", fmt.Errorf("cannot read random data: %w", err)
	}
	return "sycl-" + hex.EncodeToString(b[:]), nil
}

// fileCommand appends to the file from which the runner reads a command.
func (r *runner) fileCommand(name, body string) (err error) {
	variable := "GITHUB_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
	path := r.getenv(variable)
	if path == "" {
		return fmt.Errorf("cannot write the outputs: the variable %s is not set", variable)
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("the file in %s is not a regular file", variable)
	}
	// Avoid empty lines: the runner ignores them, but act does not.
	if endsWithinLine(path) {
		body = "\n" + body
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("cannot write the file in %s: %v", variable, p)
		}
	}()
	r.library.IssueFileCommand(&githubactions.Command{Name: name, Message: body})
	return nil
}

// endsWithinLine reports whether the last line of a file lacks a line break.
func endsWithinLine(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var last [1]byte
	if _, err := f.Seek(-1, io.SeekEnd); err != nil {
		return false
	}
	_, err = f.Read(last[:])
	return err == nil && last[0] != '\n'
}

// An annotationLevel is the level of an annotation.
type annotationLevel string

const (
	levelError   annotationLevel = "error"
	levelWarning annotationLevel = "warning"
	levelNotice  annotationLevel = "notice"
)

// maxAnnotations is the number of annotations per level that the runner keeps for a step. The total
// for all three levels is below the limit of 50 per job.
const maxAnnotations = 10

// maxMessage is below the limit of 4096 UTF-16 units, at which the runner truncates messages.
const maxMessage = 4000

// An annotation is a message that GitHub shows at a line of a file.
type annotation struct {
	Level   annotationLevel
	File    string // relative to the workspace, with "/"; may be ""
	Line    int    // 0 if unknown
	Column  int    // 0 if unknown
	Title   string
	Message string
}

// annotate writes an annotation. It returns false without writing anything if the runner would drop
// the annotation.
func (r *runner) annotate(a annotation) bool {
	if r.left[a.Level] <= 0 {
		return false
	}
	r.left[a.Level]--
	properties := githubactions.CommandProperties{}
	if a.File != "" {
		if properties["file"] = a.File; !safetext.IsFileName(a.File) {
			properties["file"] = safetext.Escape(a.File)
		}
		if a.Line > 0 {
			properties["line"] = strconv.Itoa(a.Line)
			if a.Column > 0 {
				properties["col"] = strconv.Itoa(a.Column)
			}
		}
	}
	if a.Title != "" {
		properties["title"] = safetext.Escape(truncate(a.Title, 200))
	}
	r.library.IssueCommand(&githubactions.Command{Name: string(a.Level), Message: truncate(safetext.Escape(a.Message), maxMessage), Properties: properties})
	return true
}

// truncate returns at most n UTF-16 units of a text, with a note if it is truncated.
func truncate(s string, n int) string {
	if len(s) <= n {
		return s
	}
	units := 0
	for i, c := range s {
		units += utf16.RuneLen(c)
		if units >= n {
			return s[:i] + "…"
		}
	}
	return s
}

// debug writes a message that is shown if debugging is enabled.
func (r *runner) debug(text string) {
	r.library.IssueCommand(&githubactions.Command{Name: "debug", Message: safetext.Escape(truncate(text, maxMessage))})
}

// debugging reports whether the user has enabled debug messages.
func (r *runner) debugging() bool { return r.getenv("RUNNER_DEBUG") == "1" }

// log writes text to the log without any commands. The text is everything that write wrote before
// it failed.
func (r *runner) log(write func(w io.Writer) error) error {
	var text bytes.Buffer
	err := write(&text)
	if text.Len() > 0 {
		token, noToken := r.token()
		if noToken != nil {
			return errors.Join(err, noToken)
		}
		r.library.IssueCommand(&githubactions.Command{Name: "stop-commands", Message: token})
		for line := range strings.Lines(text.String()) {
			fmt.Fprintln(r.out, logLine(strings.TrimSuffix(line, "\n")))
		}
		r.library.IssueCommand(&githubactions.Command{Name: token})
	}
	return errors.Join(err, r.out.err)
}

// maxLine is the maximum length of a line in the log.
const maxLine = 8000

// linePrefix is the prefix of lines in the log.
const linePrefix = "| "

var (
	position = regexp.MustCompile(`:(\d)`)
	brackets = regexp.MustCompile(`(\d)\)(\s*):`)
	severity = regexp.MustCompile(`(?i)\b(errors?|warnings?|notes?|notices?|info|fatal|critical|failure|panic|traceback)((?:\[[^\]]*\]|\s+[A-Za-z]{0,4}\d+)?)(\s*):`)
	quoted   = regexp.MustCompile(`(?i)\b(File|line)(\s+)"`)
)

// logLine turns text into a line of the log that contains no command and does not look like a
// compiler message, for which other steps may have set up problem matchers.
func logLine(s string) string {
	s = safetext.Escape(truncate(s, maxLine))
	s = position.ReplaceAllString(s, ": $1")
	s = brackets.ReplaceAllString(s, "$1)$2 -")
	s = severity.ReplaceAllString(s, "$1$2$3 -")
	s = quoted.ReplaceAllString(s, "$1$2'")
	return linePrefix + s
}

// comment writes a comment on a pull request. body returns its text for a pull request number.
func (r *runner) comment(ctx context.Context, api, token string, target commentTarget, want wantedComment, body func(number int) (text, short string)) (kept keptComment, err error) {
	client, err := newClient(api, token)
	if err != nil {
		return kept, err
	}
	if want.Number = target.number; target.head != nil {
		numbers, err := client.findPulls(ctx, want.Repository, *target.head)
		if err != nil {
			return kept, err
		}
		if len(numbers) != 1 {
			return keptComment{WhyNot: fmt.Sprintf("%d open pull requests have this commit as their head", len(numbers))}, nil
		}
		want.Number = numbers[0]
	}
	want.Body, want.Short = body(want.Number)
	return client.keep(ctx, want)
}
