package snippets

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
)

// programs maps the project's programs to the directories of their sources.
var programs = map[string]string{
	"aot": "tools/aot", "aspectfilter": "tools/aspectfilter", "compat": "tools/compat", "devicec": "tools/devicec", "generate": "tools/generate",
	"packager": "tools/packager", "postlink": "tools/postlink", "syclc++": "tools/syclcxx", "action": "action",
}

// built returns the path of each program. Under Bazel, PROGRAMS lists the paths.
var built = sync.OnceValues(func() (map[string]string, error) {
	found := map[string]string{}
	if list := strings.Fields(os.Getenv("PROGRAMS")); len(list) > 0 {
		for _, path := range list {
			for name, dir := range programs {
				if filepath.Base(path) == filepath.Base(dir) {
					found[name] = filepath.Join(os.Getenv("TEST_SRCDIR"), path)
				}
			}
		}
		return found, nil
	}
	args := []string{"build", "-o", scratch + "/"}
	for name, dir := range programs {
		args = append(args, "./"+dir)
		found[name] = filepath.Join(scratch, filepath.Base(dir))
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = root
	cmd.Stderr = os.Stderr
	return found, cmd.Run()
})

// scratch is a temporary directory that all tests share.
var scratch string

func TestMain(m *testing.M) {
	var err error
	if scratch, err = os.MkdirTemp("", "snippets"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(scratch)
	os.Exit(code)
}

func program(t *testing.T, name string) string {
	t.Helper()
	found, err := built()
	if err != nil || found[name] == "" {
		t.Fatalf("the program %s is not built: %v", name, err)
	}
	return found[name]
}

var helps sync.Map

// help returns the --help output of a program or one of its subcommands.
func help(t *testing.T, command ...string) string {
	t.Helper()
	key := strings.Join(command, " ")
	if text, ok := helps.Load(key); ok {
		return text.(string)
	}
	out, err := exec.Command(program(t, command[0]), append(command[1:], "--help")...).Output()
	if err != nil {
		t.Fatalf("%s --help: %v", key, err)
	}
	helps.Store(key, string(out))
	return string(out)
}

var (
	listed   = regexp.MustCompile(`(?m)^  ([a-z][a-z-]*)  +\S`)
	flagLine = regexp.MustCompile(`(?m)^  --([A-Za-z0-9-]+)( .*)?$`)
)

// subcommands returns the subcommands of a program.
func subcommands(t *testing.T, name string) (list []string) {
	t.Helper()
	_, text, found := strings.Cut(help(t, name), "\nSubcommands:\n")
	if !found && strings.Contains(help(t, name), " SUBCOMMAND [FLAGS]") {
		text = help(t, name)
	}
	for _, m := range listed.FindAllStringSubmatch(text, -1) {
		list = append(list, m[1])
	}
	return list
}

// TestHelp checks that the help of each program and subcommand fits in 100 columns and has an
// example that uses existing flags.
func TestHelp(t *testing.T) {
	for name := range programs {
		commands := [][]string{{name}}
		subs := subcommands(t, name)
		for _, sub := range subs {
			commands = append(commands, []string{name, sub})
		}
		for _, command := range commands {
			text := help(t, command...)
			for line := range strings.Lines(text) {
				if utf8.RuneCountInString(line) > 101 {
					t.Errorf("%s --help has a line of %d columns:\n%s", strings.Join(command, " "), utf8.RuneCountInString(line)-1, line)
				}
			}
			if len(command) == 1 && strings.Contains(text, " SUBCOMMAND [FLAGS]") {
				continue
			}
			_, example, found := strings.Cut(text, "\nExample")
			_, example, _ = strings.Cut(example, "\n")
			example, _, _ = strings.Cut(example, "\n\n")
			if !found || checkShell(t, strings.Join(command, " ")+" --help", strings.ReplaceAll(example, "\n  ", "\n")) == 0 {
				t.Errorf("%s --help has no example", strings.Join(command, " "))
			}
		}
	}
}

// words splits lines of shell into simple commands. It removes quotation marks, and keeps
// expansions.
func words(script string) (commands [][]string) {
	script = strings.ReplaceAll(script, "\\\n", " ")
	var command []string
	var word strings.Builder
	open := false
	end := func() {
		if open {
			command = append(command, word.String())
		}
		open = false
		word.Reset()
	}
	var quote rune
	runes := []rune(script)
	for i := 0; i < len(runes); i++ {
		c := runes[i]
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			} else {
				word.WriteRune(c)
			}
		case c == '\'' || c == '"':
			quote, open = c, true
		case c == '#' && !open:
			for i+1 < len(runes) && runes[i+1] != '\n' {
				i++
			}
		case strings.ContainsRune("\n;|&()", c):
			end()
			if command != nil {
				commands = append(commands, command)
			}
			command = nil
		case c == ' ' || c == '\t':
			end()
		default:
			open = true
			word.WriteRune(c)
		}
	}
	end()
	if command != nil {
		commands = append(commands, command)
	}
	return commands
}

var (
	assignment = regexp.MustCompile(`^[A-Z_]+=`)
	ownLabel   = regexp.MustCompile(`(?:tools/|rules:)([a-z]+)$`)
)

// checkShell checks the project's commands in lines of a shell, and returns their number.
func checkShell(t *testing.T, at, script string) (n int) {
	t.Helper()
	for _, command := range words(script) {
		for len(command) > 0 && (assignment.MatchString(command[0]) || slices.Contains([]string{"$", "do", "if", "then", "!", "time", "sudo", "exec"}, command[0])) {
			command = command[1:]
		}
		if len(command) > 0 && checkCommand(t, at, command) {
			n++
		}
	}
	return n
}

// isInTree reports whether a command is a file in the source tree.
func isInTree(command string) bool {
	dir, _, _ := strings.Cut(command, "/")
	return slices.Contains([]string{".ci", "examples", "tools"}, dir) && dir != command
}

// checkCommand checks a command of the project, and returns false for other commands.
func checkCommand(t *testing.T, at string, command []string) bool {
	t.Helper()
	name := strings.TrimPrefix(command[0], "./")
	if name == "sycl-compat-action" { // its name in a release
		name = "action"
	}
	if tool := map[string]string{"sycl-post-link": "postlink", "sycl-aspect-filter": "aspectfilter"}[name]; tool != "" {
		return checkCommand(t, at, append([]string{tool, name}, command[1:]...))
	}
	switch {
	case isInTree(name):
		if _, err := os.Stat(filepath.Join(root, name)); err != nil {
			t.Errorf("%s: there is no %s", at, name)
		}
		return true
	case name == "bazel" || strings.HasSuffix(name, "bazelw"):
		i := slices.Index(command, "--")
		if !slices.Contains(command, "run") || i < 1 {
			if name != "bazel" {
				checkLabels(t, at, command)
			}
			return name != "bazel"
		}
		m := ownLabel.FindStringSubmatch(command[i-1])
		if m == nil || programs[m[1]] == "" {
			return false
		}
		return checkCommand(t, at, append([]string{m[1]}, command[i+1:]...))
	case name == "go" && len(command) > 1:
		for _, arg := range command[1:] {
			if strings.HasPrefix(arg, "./") && arg != "./..." && arg != "./PACKAGE" {
				if _, err := os.Stat(filepath.Join(root, arg)); err != nil {
					t.Errorf("%s: go: there is no %s", at, arg)
				}
			}
		}
		return true
	case name == "syclc++":
		checkOptions(t, at, command[1:])
		return true
	case programs[name] == "":
		return false
	}
	called := []string{name}
	args := command[1:]
	if subs := subcommands(t, name); len(args) > 0 && slices.Contains(subs, args[0]) {
		called, args = append(called, args[0]), args[1:]
	} else if strings.Contains(help(t, name), " SUBCOMMAND [FLAGS]") && !slices.Contains([]string{"help", "--help", "--version"}, strings.Join(args[:min(1, len(args))], "")) {
		if len(args) > 0 && args[0] != "..." {
			t.Errorf("%s: %s has no subcommand %q", at, name, args[0])
		}
		return true
	}
	known := map[string]bool{"help": true, "version": true}
	for _, m := range flagLine.FindAllStringSubmatch(help(t, called...), -1) {
		known[m[1]] = true
	}
	for _, arg := range args {
		if arg == "--" {
			break
		}
		flag, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if strings.HasPrefix(arg, "-") && flag != "" && !known[flag] {
			t.Errorf("%s: %s has no flag --%s", at, strings.Join(called, " "), flag)
		}
	}
	return true
}

// workspaces are the directories in which the ./bazelw commands of the pages run.
var workspaces = []string{".", "examples/workspace", "examples/plain_cc", "e2e/smoke", "e2e/programs", "rules/tests/runtime"}

// checkLabels checks that the targets of a Bazel command exist.
func checkLabels(t *testing.T, at string, command []string) {
	t.Helper()
	for _, arg := range command[1:] {
		label, isLabel := strings.CutPrefix(arg, "//")
		if !isLabel || strings.Contains(label, "...") || strings.ContainsAny(label, "$<") {
			continue
		}
		dir, name, ok := strings.Cut(label, ":")
		if !ok {
			name = filepath.Base(dir)
		}
		found := slices.ContainsFunc(workspaces, func(workspace string) bool {
			data, err := os.ReadFile(filepath.Join(root, workspace, dir, "BUILD.bazel"))
			return err == nil && (bytes.Contains(data, []byte(`"`+name+`"`)) || name == "all")
		})
		if !found {
			t.Errorf("%s: there is no target //%s", at, label)
		}
	}
}

// common matches options that every compiler supports.
var common = regexp.MustCompile(`^-(c|o|g|O[0-3sg]?|std=.*|[ILDl].*|M[MDP]*|W.*|fPIC|shared|flto|x)$`)

// checkOptions checks the options of syclc++.
func checkOptions(t *testing.T, at string, args []string) {
	t.Helper()
	text := help(t, "syclc++")
	for _, arg := range args {
		option, _, _ := strings.Cut(arg, "=")
		if strings.HasPrefix(option, "-") && !common.MatchString(arg) && !strings.Contains(text, option) {
			t.Errorf("%s: the help of syclc++ does not have %s", at, option)
		}
	}
}
