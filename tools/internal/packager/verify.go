package packager

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
Prints what is wrong, where, and what to do about it; nothing when all is well.
Exits with 1 when anything is wrong, with 3 when a file cannot be read at all. The
rules are in docs/reference/packager-rules.md; --rules lists them.`,
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
	fs.BoolVar(&v.json, "json", false, "print JSON: for each file its findings, with id, place, message and remedy")
	inputs.ReleaseFlag(fs, &v.runtime, "runtime", "`release` of the runtime that is to load the files: whether it reads them at all is checked as well; "+release.Names())
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
		Remedy  string `json:"remedy"`
	}
)

func (v *verify) run(ctx context.Context, env *cli.Env, args []string) error {
	if v.rules && (v.json || len(args) > 0) {
		return cli.Usagef("--rules lists the rules alone: leave out --json and files")
	}
	out := bufio.NewWriter(env.Stdout)
	defer out.Flush() // what was found before an error stays
	if v.rules {
		for _, r := range sycllink.Rules() {
			fmt.Fprintf(out, "%-24s %s\n", r.ID, r.Short)
		}
		return out.Flush()
	}
	if len(args) == 0 {
		return cli.Usagef("a file is needed")
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

// verifyAll writes what is wrong with files, and reports whether anything is.
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

// verify returns what is wrong with a file.
func (v *verify) verify(env *cli.Env, name string) ([]syclbin.Finding, error) {
	if _, err := cli.StatInput(name, "a SYCLBIN"); err != nil {
		return nil, err
	}
	f, err := syclbin.OpenLenient(name)
	if err != nil {
		return nil, err
	}
	v.reading.Settle(env, name, f)
	list := sycllink.Verify(f)
	if v.runtime != nil {
		list = slices.Concat(syclbin.VerifyForm(f, v.runtime), syclbin.VerifyFor(f, v.runtime), list)
	}
	return list, f.Close()
}
