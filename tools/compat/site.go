package main

import (
	"context"
	"flag"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/sycl/report"
)

// A siter is the subcommand site.
type siter struct{ output string }

const siteLong = `
Makes a folder of static pages of reports: which versions of libraries run on which
devices, a page for each library with what changed between its versions, one for each
device and one for each problem, badges, and data.json with all numbers. It needs no
server, and nothing is loaded from elsewhere.

Each report is about one version of a library: that in the name of the wheel that it was
made from. Another one is about its label and its commit.

The folder is made, or replaced as a whole when it is such a site.`

func (s *siter) setup(fs *flag.FlagSet) cli.Run {
	fs.StringVar(&s.output, "output", "", "`folder` of the site")
	return s.run
}

func (s *siter) run(_ context.Context, _ *cli.Env, args []string) error {
	switch {
	case s.output == "":
		return cli.Usagef("--output is needed, the folder of the site")
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
	made, err := newSite(args, reports)
	if err != nil {
		return cli.BadInput(err)
	}
	return made.Write(s.output)
}
