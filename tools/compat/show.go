package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/term"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/gatefiles"
	"github.com/rules-sycl/rules_sycl/internal/inputs"
	"github.com/rules-sycl/rules_sycl/internal/outfile"
	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/report/render"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	"github.com/rules-sycl/rules_sycl/sycl/show"
)

// A showCommand implements the subcommand show.
type showCommand struct {
	format, output   string
	width, maxBytes  int
	groupBy          string
	command          string
	reports          []string
	whole            *report.Report // the report before the selection
	open, all, forms bool

	devices, kernels, sources, files, statuses, rules, needs cli.Strings
}

const showLong = `
Merges reports and prints a table of kernels and devices with the reasons. Reports with
the same label are parts of one report; kernels with different labels are kept apart. A
report without a label is labeled with its file name.

text is for a terminal, with colors unless NO_COLOR is set; markdown is for a job
summary or a comment; html is a self-contained page; csv has a row for each kernel and
device; json is the merged report.

The text of a report with many kernels has about 200 lines: how many kernels each
device runs, and groups of kernels with problems. If something is omitted, it shows the
command that prints it; --all prints everything. Markdown fits in a GitHub comment: if
there are too many kernels, it contains only kernels with problems, only groups, or only
totals, and a line about what is omitted.

In names of devices, kernels, sources, rules and requirements, * matches any text. To select a
kernel, use the name that a table shows, in quotes:

  compat show --group-by source kernels.compat.json
  compat show --all --status incompatible kernels.compat.json
  compat show --kernels 'sim::Reduce<*' --devices 'intel_gpu_*' kernels.compat.json
  compat show --needs fp64 --group-by name kernels.compat.json`

// maxComment is the maximum number of characters in a GitHub comment. Text has at least as many
// bytes.
const maxComment = 65_536

// writers maps the output formats of show and report to functions that write them.
var writers = map[string]func(s *showCommand, w io.Writer, r *report.Report) error{
	"text": func(s *showCommand, w io.Writer, r *report.Report) error {
		return render.Text(w, r, s.textOptions(w))
	},
	"json": func(_ *showCommand, w io.Writer, r *report.Report) error { return r.Encode(w) },
	"markdown": func(s *showCommand, w io.Writer, r *report.Report) error {
		return render.Markdown(w, r, render.MarkdownOptions{MaxBytes: s.maxBytes, Command: s.showCommandLine()})
	},
	"html": func(_ *showCommand, w io.Writer, r *report.Report) error {
		return render.HTML(w, r, render.HTMLOptions{})
	},
	"csv": func(_ *showCommand, w io.Writer, r *report.Report) error { return render.CSV(w, r) },
}

// formatsOf returns the names of the formats in writers, joined with separator.
func formatsOf[W any](writers map[string]W, separator string) string {
	return strings.Join(slices.Sorted(maps.Keys(writers)), separator)
}

func (s *showCommand) setup(fs *flag.FlagSet) cli.Run {
	s.devices.Split = true
	s.formatFlag(fs)
	fs.StringVar(&s.output, "output", "", "write to this `file` (default standard output)")
	fs.Var(&s.devices, "devices", "show only these `devices`, separated by commas")
	fs.StringVar(&s.command, "command", "", "`command` to suggest for omitted parts of the text")
	s.setupView(fs)
	return s.run
}

// setupView declares the flags that select the part of a report to show.
func (s *showCommand) setupView(fs *flag.FlagSet) {
	s.statuses.Split, s.rules.Split = true, true
	fs.BoolVar(&s.open, "open", false, "open the page in a browser")
	fs.Var(&s.kernels, "kernels", "show only this `kernel`, by its name in the source or its symbol; may be repeated")
	fs.Var(&s.statuses, "status", "show only kernels with one of these `statuses`: compatible, incompatible, undetermined, not-applicable")
	fs.Var(&s.sources, "sources", "show only kernels of this source `file`; may be repeated")
	fs.Var(&s.files, "files", "show only kernels of device images in this `file`; may be repeated")
	fs.Var(&s.rules, "rules", "show only kernels with a problem of one of these `rules`, such as missing-aspect")
	fs.Var(&s.needs, "needs", "show only kernels with a problem because of this `requirement`, such as fp64; may be repeated")
	fs.BoolVar(&s.all, "all", false, "show every kernel in the text, including kernels that every device runs")
	fs.BoolVar(&s.forms, "forms", false, "in text tables, list the kernels that the compiler generated for each kernel, as --all does")
	fs.StringVar(&s.groupBy, "group-by", "", "`"+joinGroupings("|")+"`: how to group the kernels in the text (default by the size of the report)")
	fs.IntVar(&s.width, "width", 0, "width of the text in `columns` (default the terminal's width, or 80)")
	fs.IntVar(&s.maxBytes, "max-bytes", maxComment, "limit Markdown output to this many `bytes`; 0 means no limit; GitHub accepts 65536 in a comment and 1048576 in a job summary")
}

// formatFlag declares the flag that selects the format.
func (s *showCommand) formatFlag(fs *flag.FlagSet) {
	fs.StringVar(&s.format, "format", "", "`"+formatsOf(writers, "|")+"`: output format (default by the extension of --output, html with --open, else text)")
}

// endings maps file name endings to formats.
var endings = map[string]string{".csv": "csv", ".html": "html", ".json": "json", ".md": "markdown", ".txt": "text"}

// chooseFormat sets the format if no flag does. The choice does not depend on whether standard
// output is a terminal.
func (s *showCommand) chooseFormat() error {
	ending := strings.ToLower(filepath.Ext(s.output))
	switch {
	case s.format != "":
	case s.open:
		s.format = "html"
	case endings[ending] != "":
		s.format = endings[ending]
	case slices.Contains(otherEndings, ending):
		return cli.Usagef("--output %s: no format has the extension %s; use one of %s, or set --format", s.output, ending, strings.Join(slices.Sorted(maps.Keys(endings)), ", "))
	default:
		s.format = "text"
	}
	return nil
}

// otherEndings are file name endings of formats that the program does not write, or that only
// subcommand check writes.
var otherEndings = []string{".docx", ".pdf", ".png", ".sarif", ".svg", ".toml", ".xlsx", ".xml", ".yaml", ".yml"}

func (s *showCommand) run(ctx context.Context, env *cli.Env, args []string) error {
	if err := s.chooseFormat(); err != nil {
		return err
	}
	if err := s.check(args); err != nil {
		return err
	}
	s.reports = args
	r, err := readReports(args)
	if err != nil {
		return err
	}
	return s.show(ctx, env, r, s.path())
}

// show writes a report as requested by the flags.
func (s *showCommand) show(ctx context.Context, env *cli.Env, r *report.Report, path string) error {
	s.whole = r
	r, err := s.choose(r)
	if err != nil {
		return err
	}
	write := func(w io.Writer) error { return writers[s.format](s, w, r) }
	if s.open {
		return s.openPage(ctx, env, write)
	}
	return env.Output(path, write)
}

func (s *showCommand) check(args []string) error {
	switch {
	case writers[s.format] == nil:
		return cli.Usagef("unknown format %q; expected one of %s", s.format, formatsOf(writers, ", "))
	case s.width < 0:
		return cli.Usagef("--width %d is negative", s.width)
	case s.width > 0 && s.format != "text":
		return cli.Usagef("--width requires --format text")
	case s.groupBy != "" && !slices.Contains(render.Groupings, render.GroupBy(s.groupBy)):
		return cli.Usagef("--group-by: unknown value %q; expected one of %s", s.groupBy, joinGroupings(", "))
	case (s.groupBy != "" || s.all || s.forms) && s.format != "text":
		return cli.Usagef("--group-by, --all and --forms require --format text")
	case s.maxBytes < 0:
		return cli.Usagef("--max-bytes %d is negative", s.maxBytes)
	case s.maxBytes != maxComment && s.format != "markdown":
		return cli.Usagef("--max-bytes requires --format markdown")
	case s.open && s.format != "html":
		return cli.Usagef("--open requires --format html")
	case len(args) == 0:
		return cli.Usagef("no input reports")
	}
	for _, name := range s.statuses.Values {
		if _, err := compat.ParseStatus(name); err != nil {
			return cli.Usagef("%v", err)
		}
	}
	return gatefiles.CheckOutputs([]string{s.output}, args)
}

// fileArguments formats files as arguments of a displayed command. If there are many, for example
// from a shell pattern, it shows only the first.
func fileArguments(names []string) (s string) {
	const most = 3
	for _, name := range names[:min(len(names), most)] {
		s += " " + show.ShellQuote(name)
	}
	if len(names) > most {
		s += " ..."
	}
	return s
}

// flagArguments formats a flag with each of its values, for a displayed command.
func flagArguments(name string, values ...string) (s string) {
	for _, v := range values {
		separator := " "
		if strings.HasPrefix(v, "@") {
			separator = "=" // a separate argument that starts with @ is a parameter file
		}
		s += " --" + name + separator + show.ShellQuote(v)
	}
	return s
}

// showCommandLine returns a shell command that shows the same part of the same reports.
func (s *showCommand) showCommandLine() string {
	command := s.command
	if command == "" {
		command = "compat show" + fileArguments(s.reports)
	}
	for _, f := range []struct {
		name   string
		values cli.Strings
	}{{"devices", s.devices}, {"kernels", s.kernels}, {"sources", s.sources}, {"files", s.files}, {"status", s.statuses}, {"rules", s.rules}, {"needs", s.needs}} {
		values := f.values.Values
		if f.values.Split && len(values) > 0 {
			values = []string{strings.Join(values, ",")}
		}
		command += flagArguments(f.name, values...)
	}
	return command
}

func joinGroupings(sep string) string {
	var list []string
	for _, g := range render.Groupings {
		list = append(list, string(g))
	}
	return strings.Join(list, sep)
}

// path returns the output path, relative to the user's working directory even under 'bazel run'.
func (s *showCommand) path() string {
	dir := os.Getenv("BUILD_WORKING_DIRECTORY")
	if s.output == "" || s.output == "-" || dir == "" || filepath.IsAbs(s.output) {
		return s.output
	}
	return filepath.Join(dir, s.output)
}

// choose returns the part of a report that the flags select.
func (s *showCommand) choose(r *report.Report) (*report.Report, error) {
	selection := report.Selection{Kernels: s.kernels.Values, Sources: s.sources.Values, Files: s.files.Values, Rules: s.rules.Values, Needs: s.needs.Values}
	for _, name := range s.statuses.Values {
		v, _ := compat.ParseStatus(name) // validated with the other flags
		selection.Statuses = append(selection.Statuses, v)
	}
	if len(s.devices.Values) > 0 { // otherwise, nothing needs the built-in devices
		var err error
		if selection.Devices, err = inputs.DevicePatterns(deviceconfig.Default(), s.devices.Values); err != nil {
			return nil, err
		}
	}
	part, unmatched := r.Select(selection)
	if len(unmatched) == 0 {
		return part, nil
	}
	name := unmatched[0]
	if slices.Contains(s.devices.Values, name) {
		var names []string
		for _, d := range r.Devices {
			names = append(names, safetext.Escape(d.Name))
		}
		return nil, cli.Usagef("no device %q in the report; its devices are %s", name, strings.Join(names, ", "))
	}
	if !slices.Contains(s.kernels.Values, name) {
		return nil, cli.Usagef("no kernel in the report has a source, file, rule or requirement %q", name)
	}
	if near := r.Nearest(name); len(near) > 0 {
		return nil, cli.Usagef("no kernel %q in the report; did you mean %s?", name, safetext.Escape(strings.Join(near, " or ")))
	}
	return nil, cli.Usagef("no kernel %q in the report", name)
}

// openPage writes the page, by default to a temporary directory, and opens it in a browser.
func (s *showCommand) openPage(ctx context.Context, env *cli.Env, write func(io.Writer) error) error {
	path := s.path()
	if path == "-" {
		return cli.Usagef("--open requires an output file")
	}
	if path == "" {
		dir, err := os.MkdirTemp("", "compat")
		if err != nil {
			return err
		}
		path = filepath.Join(dir, "compat.html")
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	if err := outfile.Write(path, write); err != nil {
		return err
	}
	opener := "xdg-open"
	if runtime.GOOS == "darwin" {
		opener = "open"
	}
	fmt.Fprintln(env.Stdout, path)
	if out, err := exec.CommandContext(ctx, opener, path).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: the page was written, but %s cannot open it: %w\n%s", path, opener, err, out)
	}
	return nil
}

// textOptions returns the options for text output. Colors and width depend on the terminal.
func (s *showCommand) textOptions(w io.Writer) render.TextOptions {
	o := render.TextOptions{Width: s.width, All: s.all, Forms: s.forms, Whole: s.whole, GroupBy: render.GroupBy(s.groupBy), Command: s.showCommandLine()}
	f := cli.Terminal(w)
	if f == nil {
		return o
	}
	o.Color = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	if o.Width > 0 {
		return o
	}
	if width, _, err := term.GetSize(int(f.Fd())); err == nil {
		o.Width = width
	}
	if o.Width <= 0 {
		o.Width, _ = strconv.Atoi(os.Getenv("COLUMNS"))
	}
	return o
}

// readReports reads the named reports and merges them.
func readReports(names []string) (*report.Report, error) {
	var parts []*report.Report
	for _, name := range names {
		r, err := readReport(name)
		if err != nil {
			return nil, err
		}
		if len(names) > 1 {
			r.SetLabel(filepath.ToSlash(name))
		}
		parts = append(parts, r)
	}
	if err := oneVersion(names, parts); err != nil {
		return nil, err
	}
	r, err := report.Merge(parts...)
	if err != nil {
		return nil, cli.BadInput(fmt.Errorf("cannot combine these reports: %w", err))
	}
	return r, nil
}

// oneVersion returns an error for reports on two versions of a library, because their combined
// counts would be meaningless.
func oneVersion(names []string, parts []*report.Report) error {
	known := map[string]int{}
	for i, r := range parts {
		for _, d := range r.Distributions() {
			first, ok := known[d.Name]
			if !ok {
				known[d.Name], first = i, i
			}
			for _, other := range parts[first].Distributions() {
				if first != i && other.Name == d.Name && other.Version != d.Version {
					return cli.Usagef("%s covers %v, but %s covers %v; use 'compat diff%s' to compare two versions, or 'compat show' with one of them", names[first], other, names[i], d, fileArguments([]string{names[first], names[i]}))
				}
			}
		}
	}
	return nil
}

func readReport(name string) (*report.Report, error) {
	f, err := cli.OpenInput(name, "a report")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return report.Decode(name, f)
}
