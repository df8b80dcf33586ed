package main

// This file runs programs like GitHub's runner, and records what GitHub would show. It follows the
// behavior of the runner (version 2.336): lines of both streams may be commands in two notations,
// commands can be stopped and resumed, messages are unescaped, annotations are counted and
// truncated, and output and summary files are read when the step ends. If the runner's behavior
// depends on its host, the fake runner is as lenient as possible: .NET comparisons may ignore
// invisible characters, so each line is also read without these.

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf16"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

// A fakeStep is a program to run.
type fakeStep struct {
	Program  string
	Args     []string
	Dir      string
	Env      map[string]string // in addition to the runner's files
	Without  []string          // runner variables that are not set
	Debug    bool              // RUNNER_DEBUG
	Matchers []*regexp.Regexp  // problem matchers that earlier steps have set
	Summary  string            // initial content of the summary
}

// A seenStep holds what GitHub shows of a step.
type seenStep struct {
	ExitCode    int
	Log         []string // lines
	Annotations []seenAnnotation
	Dropped     int // number of dropped annotations
	Outputs     map[string]string
	Summary     string
	Masks       []string
	Commands    []seenCommand // all executed commands
	Faults      []string      // errors that the runner reports
	Stdout      string        // as written
	Stderr      string

	matchers []*regexp.Regexp
	stopped  string
	counts   map[string]int
}

// A seenCommand is a command that the runner executes.
type seenCommand struct {
	Name       string
	Properties map[string]string
	Data       string
}

// A seenAnnotation is a message at a location.
type seenAnnotation struct {
	Level, File, Line, Column, Title, Message string
	Matched                                   bool // by a problem matcher
}

// runStep runs a step and returns its visible effects.
func runStep(t testing.TB, s fakeStep) *seenStep {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), s.Program, s.Args...)
	cmd.Dir = s.Dir
	cmd.Env = []string{}
	for name, value := range s.environment(t, dir) {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	seen := readStreams(stdout.String(), stderr.String(), s.Matchers...)
	seen.ExitCode = cmd.ProcessState.ExitCode()
	seen.readFiles(t, dir)
	return seen
}

// environment creates the files of a step in a directory, and returns its variables.
func (s *fakeStep) environment(t testing.TB, dir string) map[string]string {
	t.Helper()
	env := map[string]string{"GITHUB_ACTIONS": "true", "CI": "true", "RUNNER_TEMP": dir}
	for variable, name := range map[string]string{"GITHUB_OUTPUT": "output", "GITHUB_STEP_SUMMARY": "summary", "GITHUB_ENV": "env", "GITHUB_STATE": "state", "GITHUB_PATH": "path"} {
		content := ""
		if name == "summary" {
			content = s.Summary
		}
		env[variable] = testkit.WriteFile(t, filepath.Join(dir, name), content)
	}
	if s.Debug {
		env["RUNNER_DEBUG"] = "1"
	}
	maps.Copy(env, s.Env)
	for _, name := range s.Without {
		delete(env, name)
	}
	return env
}

// readFiles reads the files of a step: the outputs, the summary, and files that the step must not
// write.
func (s *seenStep) readFiles(t testing.TB, dir string) {
	t.Helper()
	read := func(name string) string { return testkit.ReadFile(t, filepath.Join(dir, name)) }
	s.Outputs = s.fileCommands("output", read("output"))
	for _, name := range []string{"env", "state"} {
		for key := range s.fileCommands(name, read(name)) {
			s.Faults = append(s.Faults, name+" sets "+key)
		}
	}
	if path := read("path"); path != "" {
		s.Faults = append(s.Faults, "path has "+path)
	}
	s.readSummary(read("summary"))
}

// log returns the log as text.
func (s *seenStep) log() string { return strings.Join(s.Log, "\n") }

// readStreams returns the visible effects of a program's streams.
func readStreams(stdout, stderr string, matchers ...*regexp.Regexp) *seenStep {
	s := &seenStep{Stdout: stdout, Stderr: stderr, matchers: matchers, counts: map[string]int{}}
	for _, stream := range []string{stdout, stderr} {
		for _, line := range lines(stream) {
			s.line(line)
		}
	}
	return s
}

// lines splits text like the .NET reader: a carriage return also ends a line.
func lines(text string) []string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	text = strings.ReplaceAll(text, "\r", "\n")
	text = strings.TrimSuffix(text, "\n")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// registered lists the names of commands.
var registered = []string{"set-env", "set-output", "save-state", "add-mask", "add-path", "add-matcher", "remove-matcher",
	"debug", "notice", "warning", "error", "group", "endgroup", "echo", "stop-commands"}

func (s *seenStep) isCommand(name string) bool {
	if s.stopped != "" && strings.EqualFold(name, s.stopped) {
		return true
	}
	for _, r := range registered {
		if strings.EqualFold(name, r) {
			return true
		}
	}
	return false
}

func (s *seenStep) line(line string) {
	c, ok := s.command(line)
	if !ok {
		c, ok = s.command(strings.Map(func(r rune) rune {
			if unicode.In(r, unicode.Cf, unicode.Mn, unicode.Cc) {
				return -1
			}
			return r
		}, line))
	}
	if ok && s.execute(c, line) {
		return
	}
	for _, m := range s.matchers {
		if m.MatchString(line) {
			s.annotate(seenAnnotation{Level: "error", Message: line, Matched: true})
			return
		}
	}
	for _, secret := range s.Masks {
		line = strings.ReplaceAll(line, secret, "***")
	}
	s.Log = append(s.Log, line)
}

// command reads both notations.
func (s *seenStep) command(line string) (seenCommand, bool) {
	if rest, ok := strings.CutPrefix(strings.TrimLeftFunc(line, unicode.IsSpace), "::"); ok {
		if info, data, ok := strings.Cut(rest, "::"); ok {
			if c, ok := s.info(info, ",", unescapeProperty); ok {
				c.Data = unescapeData(data)
				return c, true
			}
		}
	}
	if _, rest, ok := strings.Cut(line, "##["); ok {
		if info, data, ok := strings.Cut(rest, "]"); ok {
			if c, ok := s.info(info, ";", unescapeOld); ok {
				c.Data = unescapeOld(data)
				return c, true
			}
		}
	}
	return seenCommand{}, false
}

// info parses the part before the data: a name and properties.
func (s *seenStep) info(info, separator string, unescape func(string) string) (seenCommand, bool) {
	name, properties, _ := strings.Cut(info, " ")
	if !s.isCommand(name) {
		return seenCommand{}, false
	}
	c := seenCommand{Name: strings.ToLower(name), Properties: map[string]string{}}
	for property := range strings.SplitSeq(strings.TrimSpace(properties), separator) {
		if key, value, ok := strings.Cut(property, "="); ok && key != "" && value != "" {
			c.Properties[strings.ToLower(key)] = unescape(value)
		}
	}
	return c, true
}

// Like the runner, the three functions unescape the percent sign last.
func unescapeData(s string) string {
	return unescape(s, "%0D", "\r", "%0A", "\n", "%25", "%")
}

func unescapeProperty(s string) string {
	return unescape(s, "%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",", "%25", "%")
}

func unescapeOld(s string) string {
	return unescape(s, "%3B", ";", "%0D", "\r", "%0A", "\n", "%5D", "]", "%25", "%")
}

func unescape(s string, pairs ...string) string {
	for i := 0; i < len(pairs); i += 2 {
		s = strings.ReplaceAll(s, pairs[i], pairs[i+1])
	}
	return s
}

// execute executes a command. It returns false for a line that is not a command.
func (s *seenStep) execute(c seenCommand, line string) bool {
	if s.stopped != "" {
		if !strings.EqualFold(c.Name, s.stopped) {
			return false
		}
		s.stopped = ""
		s.Commands = append(s.Commands, c)
		return true
	}
	s.Commands = append(s.Commands, c)
	switch c.Name {
	case "stop-commands":
		s.stopped = c.Data
	case "add-mask":
		s.Masks = append(s.Masks, c.Data)
	case "error", "warning", "notice":
		s.annotate(seenAnnotation{Level: c.Name, File: c.Properties["file"], Line: c.Properties["line"], Column: c.Properties["col"], Title: c.Properties["title"], Message: c.Data})
	case "group":
		s.Log = append(s.Log, c.Data)
	case "debug", "endgroup", "echo":
	case "set-output":
		s.Faults = append(s.Faults, "an output from the log: "+line)
	default:
		s.Faults = append(s.Faults, "a command from the log: "+line)
	}
	return true
}

const (
	mostAnnotations = 10 // per level
	longestMessage  = 4096
	longestSummary  = 1 << 20
)

func (s *seenStep) annotate(a seenAnnotation) {
	if s.counts[a.Level]++; s.counts[a.Level] > mostAnnotations {
		s.Dropped++
		return
	}
	if units := utf16.Encode([]rune(a.Message)); len(units) > longestMessage {
		s.Faults = append(s.Faults, "a message was cut")
		a.Message = string(utf16.Decode(units[:longestMessage]))
	}
	for _, secret := range s.Masks {
		a.Message = strings.ReplaceAll(a.Message, secret, "***")
	}
	s.Annotations = append(s.Annotations, a)
}

// fileCommands parses a file of names and values.
func (s *seenStep) fileCommands(file, text string) map[string]string {
	values := map[string]string{}
	list := strings.Split(text, "\n")
	for i := 0; i < len(list); i++ {
		line := list[i]
		equal, here := strings.Index(line, "="), strings.Index(line, "<<")
		switch {
		case line == "":
		case equal >= 0 && (here < 0 || equal < here):
			values[line[:equal]] = line[equal+1:]
		case here > 0 && line[here+2:] != "":
			end := i + 1
			for end < len(list) && list[end] != line[here+2:] {
				end++
			}
			if end == len(list) {
				s.Faults = append(s.Faults, fmt.Sprintf("%s: no delimiter %q", file, line[here+2:]))
				return values
			}
			values[line[:here]] = strings.Join(list[i+1:end], "\n")
			i = end
		default:
			s.Faults = append(s.Faults, fmt.Sprintf("%s: invalid line %q", file, line))
			return values
		}
	}
	return values
}

func (s *seenStep) readSummary(text string) {
	if len(text) > longestSummary {
		s.Faults = append(s.Faults, fmt.Sprintf("the summary has %d bytes and is dropped", len(text)))
		return
	}
	for _, secret := range s.Masks {
		text = strings.ReplaceAll(text, secret, "***")
	}
	s.Summary = text
}

// problemMatchers are widely used problem matchers of compilers, linkers and linters. A matcher set
// by a step applies to all following steps.
var problemMatchers = []*regexp.Regexp{
	regexp.MustCompile(`^(.*):(\d+):(\d+):\s+(?:fatal\s+)?(warning|error):\s+(.*)$`),  // gcc, clang
	regexp.MustCompile(`^(.*?):(\d+):(\d*):?\s+(?:fatal\s+)?(warning|error):\s+(.*)`), // the same without a column
	regexp.MustCompile(`^(.+):(\d+): (error|warning|note): (.+)$`),
	regexp.MustCompile(`^\s*(\.{0,2}[\/\\].+\.go):(?:(\d+):(\d+):)? (.*)`),
	regexp.MustCompile(`^([^\s].*)[\(:](\d+)[,:](\d+)(?:\):\s+|\s+-\s+)(error|warning|info)\s+(TS\d+)\s*:\s*(.*)$`),
	regexp.MustCompile(`^(?:\s+\d+\>)?([^\s].*)\((\d+),?(\d+)?(?:,\d+,\d+)?\)\s*:\s+(error|warning|info)\s+(\w{1,2}\d+)\s*:\s*(.*)$`), // msbuild
	regexp.MustCompile(`^\s*(\d+):(\d+)\s+(error|warning|info)\s+(.*)\s\s+(.*)$`),                                                     // eslint
	regexp.MustCompile(`^\s*File "(.+)", line (\d+)`),                                                                                 // Python
	regexp.MustCompile(`^(warning|warn|error)(\[(.*)\])?: (.*)$`),                                                                     // Rust
	regexp.MustCompile(`^(.*): (error|warning): (.*)$`),
	regexp.MustCompile(`^(.+):(\d+):(\d+): ([A-Z]\d+):? (.*)$`), // flake8, pylint
	regexp.MustCompile(`^.*\b(?:error|ERROR): (.*)$`),
}

// seenOutputs parses an output file. It returns nil if the runner would reject the file.
func seenOutputs(text string) map[string]string {
	var s seenStep
	values := s.fileCommands("output", text)
	if len(s.Faults) > 0 {
		return nil
	}
	return values
}

func TestSeenCommands(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       []seenCommand
		log        int // lines
	}{
		{"text", "hello\nworld\n", nil, 2},
		{"a command", "::error file=a.cpp,line=3::m%0An%25", []seenCommand{{"error", map[string]string{"file": "a.cpp", "line": "3"}, "m\nn%"}}, 0},
		{"after spaces", " \t\u00a0::warning::m", []seenCommand{{"warning", map[string]string{}, "m"}}, 0},
		{"not at the beginning", "a ::warning::m", nil, 1},
		{"the old notation", "a ##[warning title=x%3By]m", []seenCommand{{"warning", map[string]string{"title": "x;y"}, "m"}}, 0},
		{"in a different case", "::ERROR::m", []seenCommand{{"error", map[string]string{}, "m"}}, 0},
		{"not a command", "::nothing::m\n##[nothing]m", nil, 2},
		{"without an end", "::error m\n##[error m", nil, 2},
		{"a bare carriage return", "a\r::error::m\rb\r\nc", []seenCommand{{"error", map[string]string{}, "m"}}, 3},
		{"invisible characters", "\u200b:\u00ad:error::m", []seenCommand{{"error", map[string]string{}, "m"}}, 0},
		{"properties", "::error file=a%2Cb%3Ac%0Ad,,title=,x::m", []seenCommand{{"error", map[string]string{"file": "a,b:c\nd"}, "m"}}, 0},
		{"the percent sign is unescaped last", "::error::%250A", []seenCommand{{"error", map[string]string{}, "%0A"}}, 0},
		{"stopped and resumed", "::stop-commands::tok\n::error::m\n##[error]m\n##[TOK]\n::error::n", []seenCommand{
			{"stop-commands", map[string]string{}, "tok"}, {"tok", map[string]string{}, ""}, {"error", map[string]string{}, "n"}}, 2},
		{"a group", "::group::g\n::endgroup::", []seenCommand{{"group", map[string]string{}, "g"}, {"endgroup", map[string]string{}, ""}}, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := readStreams(test.text, "")
			if !reflect.DeepEqual(s.Commands, test.want) || len(s.Log) != test.log {
				t.Errorf("commands %+v, log %q", s.Commands, s.Log)
			}
			if other := readStreams("", test.text); !reflect.DeepEqual(other.Commands, test.want) {
				t.Errorf("commands on standard error %+v", other.Commands)
			}
		})
	}
}

func TestSeenLimits(t *testing.T) {
	s := readStreams(strings.Repeat("::error::m\n::notice::m\n", 12)+"::warning::"+strings.Repeat("x", 4097), "")
	if len(s.Annotations) != 21 || s.Dropped != 4 || len(s.Faults) != 1 || len(s.Annotations[20].Message) != 4096 {
		t.Errorf("%d annotations, %d dropped, runner errors %q", len(s.Annotations), s.Dropped, s.Faults)
	}
	for n, faults := range map[int]int{1 << 20: 0, 1<<20 + 1: 1} {
		s := new(seenStep)
		s.readSummary(strings.Repeat("x", n))
		if len(s.Faults) != faults || (s.Summary == "") != (faults == 1) {
			t.Errorf("%d bytes: %q", n, s.Faults)
		}
	}
}

func TestSeenFaults(t *testing.T) {
	for _, text := range []string{"::set-output name=a::b", "::set-env name=a::b", "##[add-path]/x", "::save-state name=a::b", "::add-matcher::x"} {
		if s := readStreams(text, ""); len(s.Faults) != 1 {
			t.Errorf("%q: runner errors %q", text, s.Faults)
		}
	}
	s := readStreams("::add-mask::secret\na secret\n::error::a secret", "")
	if fmt.Sprint(s.Log) != "[a ***]" || s.Annotations[0].Message != "a ***" {
		t.Errorf("log %q, %+v", s.Log, s.Annotations)
	}
}

func TestSeenOutputs(t *testing.T) {
	for text, want := range map[string]map[string]string{
		"":                                    {},
		"\n\na=b\n":                           {"a": "b"},
		"a=b<<c\n":                            {"a": "b<<c"},
		"a<<E\nx\ny=z\n\nE\nb=c":              {"a": "x\ny=z\n", "b": "c"},
		"a<<E=F\nx\nE=F\n":                    {"a": "x"},
		"a<<E\nE\n":                           {"a": ""},
		"a=1\na=2\n":                          {"a": "2"},
		"a<<E\nx\n":                           nil,
		"a\n":                                 nil,
		"<<E\nx\nE\n":                         nil,
		"a<<\nx\n":                            nil,
		"k<<D\nx\nD\nconclusion=success\nD\n": nil,
	} {
		if got := seenOutputs(text); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %q", text, got)
		}
	}
}
