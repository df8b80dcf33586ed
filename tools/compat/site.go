package main

import (
	"context"
	"flag"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/sycl/report"
)

// A siteCommand implements the subcommand site.
type siteCommand struct{ output string }

const siteLong = `
Writes a directory of static pages from reports: which versions of libraries run on
which devices, a page for each library with the changes between its versions, a page
for each device and each problem, badges, and data.json with all numbers. The pages
are self-contained and do not need a server.

Each report covers one version of a library. Its name and version come from the wheel; for
other reports, they are the label and the commit.

The directory is created, or replaced as a whole if it is a site.`

func (s *siteCommand) setup(fs *flag.FlagSet) cli.Run {
	fs.StringVar(&s.output, "output", "", "`directory` to write the site to")
	return s.run
}

func (s *siteCommand) run(_ context.Context, _ *cli.Env, args []string) error {
	switch {
	case s.output == "":
		return cli.Usagef("--output is required: the directory to write the site to")
	case len(args) == 0:
		return cli.Usagef("no input reports")
	}
	var reports []*report.Report
	for _, name := range args {
		r, err := readReport(name)
		if err != nil {
			return err
		}
		reports = append(reports, r)
	}
	made, err := newSite(args, reports)
	if err != nil {
		return cli.BadInput(err)
	}
	return made.Write(s.output)
}
