package testkit

import (
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rules-sycl/rules_sycl/internal/cli"
)

// Input stands for the bad file in a command line.
const Input = "INPUT"

// A kind is a kind of file that no program accepts.
type kind struct {
	about, name string
	shown       string // in the message
	make        func(name string) error
}

func kinds() []kind {
	return []kind{
		{"a directory", "folder", "folder", func(name string) error { return os.MkdirAll(name, 0o777) }},
		{"an empty file", "empty", "empty", func(name string) error { return os.WriteFile(name, nil, 0o666) }},
		{"a device that never ends", "/dev/zero", "/dev/zero", nil},
		{"a device", "/dev/null", "/dev/null", nil},
		{"a pipe without a writer", "pipe", "pipe", makePipe},
		{"a missing file", "gone", "gone", nil},
		{"a name with a line break", "gone\n::error::x", "gone\\u{a}::error::x", nil},
		{"a name with an escape", "gone\x1b[2J", "gone", nil},
		{"a name with a NUL", "gone\x00", "gone", nil},
	}
}

// BadInputs runs each command line with each kind of bad file; [Input] stands for the file. empty
// lists the commands that accept an empty file, as a text without lines.
func BadInputs(t *testing.T, tool func() *cli.Tool, commands []string, empty ...string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not have these files and names")
	}
	for _, command := range commands {
		for _, k := range kinds() {
			if k.name == "empty" && slices.Contains(empty, command) {
				continue
			}
			t.Run(command+": "+k.about, func(t *testing.T) {
				if k.make != nil {
					if err := k.make(k.name); err != nil {
						t.Fatal(err)
					}
				}
				args := strings.Fields(command)
				for i := range args {
					args[i] = strings.ReplaceAll(args[i], Input, k.name)
				}
				check(t, tool(), args, k)
			})
		}
	}
}

func check(t *testing.T, tool *cli.Tool, args []string, k kind) {
	t.Helper()
	var stdout, stderr strings.Builder
	code := make(chan int, 1)
	go func() {
		code <- tool.Run(t.Context(), &cli.Env{Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr}, args)
	}()
	select {
	case got := <-code:
		text := stderr.String()
		if got != cli.ExitBadInput || !strings.Contains(text, k.shown) || strings.ContainsAny(text, "\x00\x1b") || strings.Contains(text, "\n::") {
			t.Errorf("%q: exit %d, %q", args, got, text)
		}
	case <-time.After(30 * time.Second):
		t.Fatalf("%q does not end", args)
	}
}
