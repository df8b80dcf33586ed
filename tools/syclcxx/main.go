// Command syclc++ is a compiler driver for SYCL that accepts the options of icpx. It compiles
// device code with DPC++'s compiler library from pip, and host code with any C++ compiler. The
// objects contain both, and register their device images with libsycl.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

const name = "syclc++"

func main() {
	cli.Main(name, func(ctx context.Context) int {
		return run(ctx, &cli.Env{Tool: name, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}, os.Args[1:])
	})
}

// run runs the tool and returns its exit code. All tools have the same codes, see package cli.
func run(ctx context.Context, env *cli.Env, args []string) int {
	err := func() (err error) {
		defer cli.Recover(&err)
		return do(ctx, env, args)
	}()
	if cli.IsStopped(ctx) {
		return cli.ExitFailure
	}
	if err != nil && !errors.Is(err, errPrinted) {
		fmt.Fprintf(env.Stderr, "%s: error: %s\n", name, strings.TrimRight(safetext.EscapeLines(err.Error()), "\n"))
	}
	if errors.Is(err, errPrinted) {
		return cli.ExitNo
	}
	return cli.ExitCode(err)
}

// errPrinted is returned after a compiler has failed and printed why.
var errPrinted = errors.New("a compiler failed")

func do(ctx context.Context, env *cli.Env, args []string) error {
	parsed := parseLine
	if cli.IsCalledAs("icx") {
		parsed = parseC
	}
	line, err := parsed(args)
	if err != nil {
		return err
	}
	if line.Mode == modeHelp {
		_, err := io.WriteString(env.Stdout, usage)
		return err
	}
	useTempDir()
	c := &compiler{line: line, env: env}
	if line.Mode == modeCheck {
		return c.check(ctx)
	}
	if c.host, err = findHost(line.HostCompiler); err != nil {
		return err
	}
	switch line.Mode {
	case modeHostOnly:
		return c.exec(ctx, line.Host)
	case modeVersion:
		return c.printVersion(ctx)
	}
	if err = c.build(ctx); errors.Is(err, errPrinted) && !c.host.clang {
		c.noteOptions(ctx)
	}
	return err
}

// useTempDir removes TMPDIR from the environment if the user cannot create files in it, so that all
// programs use the default directory, as g++ does.
func useTempDir() {
	const variable = "TMPDIR"
	if os.Getenv(variable) == "" {
		return
	}
	file, err := os.CreateTemp("", "syclcxx")
	if err != nil {
		os.Unsetenv(variable)
		return
	}
	file.Close()
	os.Remove(file.Name())
}

// build compiles the sources and links. It checks the targets even if no source is SYCL, because
// CMake compiles an empty program to find out whether an option is supported.
func (c *compiler) build(ctx context.Context) error {
	if c.line.SYCL && len(c.line.Targets) > 0 {
		if _, err := c.targets(); err != nil {
			return err
		}
	}
	if _, err := c.findOneMKL(); err != nil {
		return err // instead of errors about its headers
	}
	if err := c.checkOutput(); err != nil {
		return err
	}
	if c.line.Mode == modeLink || c.line.Mode == modeObject && c.line.Syclbin != "" { // one file, even with -c
		return c.program(ctx)
	}
	if c.line.LinkDevice {
		return cli.Usagef("-fsycl-link cannot be combined with an option that stops before linking, such as -c")
	}
	return c.sources(ctx)
}

// checkOutput returns an error if an input is also the output, which would be lost.
func (c *compiler) checkOutput() error {
	output, err := os.Stat(c.line.Output)
	if err != nil || !output.Mode().IsRegular() {
		return nil
	}
	for _, w := range c.line.Words {
		if w.Input == nil || filepath.Ext(w.Input.Path) == ".syclbin" { // 'packager link' also accepts it
			continue
		}
		if input, err := os.Stat(w.Input.Path); err == nil && os.SameFile(input, output) {
			return cli.Usagef("-o %s: the input file %s is the same as the output file", c.line.Output, w.Input.Path)
		}
	}
	return nil
}

// exec runs the host compiler with args unchanged.
func (c *compiler) exec(ctx context.Context, args []string) error {
	return c.runHost(ctx, c.env.Stdout, c.env.Stderr, args)
}
