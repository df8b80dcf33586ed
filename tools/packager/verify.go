package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"slices"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/inputs"
	sycllink "github.com/rules-sycl/rules_sycl/sycl/link"
	"github.com/rules-sycl/rules_sycl/sycl/release"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	"github.com/rules-sycl/rules_sycl/sycl/syclbin"
)

func verifyCommand() *cli.Command {
	return &cli.Command{
		Name:  "verify",
		Args:  "FILE...",
		Short: "check every rule of the format and of the property sets",
		Long: `
Prints each problem with its location and fix, or nothing if there are none. Exits with 1
if there are problems and with 3 if a file cannot be read. The rules are documented in
docs/reference/packager-rules.md; --rules lists them.`,
		Example: "packager verify k.syclbin",
		Setup:   func(fs *flag.FlagSet) cli.Run { return new(verify).setup(fs) },
	}
}

type verify struct {
	reading     inputs.Reading
	runtime     *release.Release
	json, rules bool
}

func (v *verify) setup(fs *flag.FlagSet) cli.Run {
	fs.BoolVar(&v.json, "json", false, "print the problems of each file as JSON, with id, place, message and fix")
	inputs.ReleaseFlag(fs, &v.runtime, "runtime", "also check whether this `release` of the runtime can load the files: "+release.Names())
	v.reading.AssumeFlag(fs)
	fs.BoolVar(&v.rules, "rules", false, "print the rules and exit")
	return v.run
}

type (
	jsonVerify struct {
		Files []jsonVerified `json:"files"`
	}
	jsonVerified struct {
		File     string        `json:"file"`
		Findings []jsonFinding `json:"findings"`
	}
	jsonFinding struct {
		ID      string `json:"id"`
		Place   string `json:"place"`
		Message string `json:"message"`
		Fix     string `json:"remedy"`
	}
)

func (v *verify) run(ctx context.Context, env *cli.Env, args []string) error {
	if v.rules && (v.json || len(args) > 0) {
		return cli.Usagef("--rules cannot be combined with --json or files")
	}
	out := bufio.NewWriter(env.Stdout)
	defer out.Flush() // print problems even after an error
	if v.rules {
		for _, r := range sycllink.Rules() {
			fmt.Fprintf(out, "%-24s %s\n", r.ID, r.Short)
		}
		return out.Flush()
	}
	if len(args) == 0 {
		return cli.Usagef("no input files")
	}
	bad, err := v.verifyAll(ctx, env, out, args)
	if err != nil {
		return err
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if bad {
		return cli.No(nil)
	}
	return nil
}

// verifyAll prints the problems in files and reports whether there are any.
func (v *verify) verifyAll(ctx context.Context, env *cli.Env, out io.Writer, files []string) (bad bool, err error) {
	all := jsonVerify{Files: []jsonVerified{}}
	for _, name := range files {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		list, err := v.verify(env, name)
		if err != nil {
			return false, err
		}
		bad = bad || len(list) > 0
		j := jsonVerified{File: name, Findings: []jsonFinding{}}
		for _, found := range list {
			if v.json {
				j.Findings = append(j.Findings, jsonFinding(found))
			} else {
				fmt.Fprintln(out, safetext.Escape(safetext.Printable(name+": "+found.String())))
			}
		}
		all.Files = append(all.Files, j)
	}
	if v.json {
		return bad, writeJSON(out, all)
	}
	return bad, nil
}

// verify returns the problems in a file.
func (v *verify) verify(env *cli.Env, name string) ([]syclbin.Finding, error) {
	if _, err := cli.StatInput(name, "a SYCLBIN"); err != nil {
		return nil, err
	}
	f, err := syclbin.OpenLenient(name)
	if err != nil {
		return nil, err
	}
	v.reading.ResolveRelease(env, name, f)
	list := sycllink.Verify(f)
	if v.runtime != nil {
		list = slices.Concat(syclbin.VerifyForm(f, v.runtime), syclbin.VerifyFor(f, v.runtime), list)
	}
	return list, f.Close()
}
