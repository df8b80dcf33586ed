package main

import (
	"context"
	"encoding/json"
	"flag"
	"io"
	"os"

	"golang.org/x/term"

	"github.com/rules-sycl/rules_sycl/docs/schema"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/tools/internal/cli"
)

// shower is the subcommand show.
type shower struct {
	format string
	width  int
}

func (s *shower) setup(fs *flag.FlagSet) cli.Run {
	fs.StringVar(&s.format, "format", "text", "`text|json`; the JSON of several reports is a list")
	fs.IntVar(&s.width, "width", 0, "`columns` of the text; that of the terminal, or 80, when it is missing")
	return s.run
}

func (s *shower) run(_ context.Context, env *cli.Env, args []string) error {
	switch {
	case s.format != "text" && s.format != "json":
		return cli.Usagef("format %q is neither text nor json", s.format)
	case s.width < 0:
		return cli.Usagef("--width %d is negative", s.width)
	case len(args) == 0:
		return cli.Usagef("a report is needed")
	}
	var reports []*report.Report
	for _, name := range args {
		r, err := readReport(name)
		if err != nil {
			return err
		}
		reports = append(reports, r)
	}
	if s.format == "json" {
		return writeJSON(env.Stdout, reports)
	}
	options := report.TextOptions{Width: s.width}
	if f, ok := env.Stdout.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		options.Color = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && options.Width == 0 {
			options.Width = width
		}
	}
	return report.WriteText(env.Stdout, reports, options)
}

func readReport(name string) (*report.Report, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return report.Decode(name, f)
}

func writeJSON(w io.Writer, reports []*report.Report) error {
	if len(reports) == 1 {
		return reports[0].Encode(w)
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(reports)
}

func printSchema(_ context.Context, env *cli.Env, args []string) error {
	if len(args) != 1 || args[0] != "report" {
		return cli.Usagef("which schema? there is: report")
	}
	_, err := env.Stdout.Write(schema.CompatReport)
	return err
}
