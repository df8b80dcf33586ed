package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bazelbuild/buildtools/build"

	"github.com/rules-sycl/rules_sycl/sycl/gate"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/tools/internal/cli"
)

// gateFlags are the flags of subcommands that hold reports against a policy.
type gateFlags struct {
	policy, basePolicy, baseBaseline string
	undetermined, today, workspace   string
	baseReports, required            cli.Strings
}

func (g *gateFlags) setup(fs *flag.FlagSet) {
	g.required.Split = true
	fs.StringVar(&g.policy, "policy", "", "`file` that says what is required; without it, each device of the reports is")
	fs.Var(&g.required, "required", "`devices` that are required, in place of those of the policy; without a policy, problems of others are notes")
	fs.StringVar(&g.undetermined, "undetermined", "", "`ignore|note|warning|error`: what verdicts amount to that are known only when the program runs")
	fs.StringVar(&g.today, "today", "", "`day` that exceptions are held against, as 2027-03-31; the current one in UTC when it is missing")
}

func (g *gateFlags) setupBase(fs *flag.FlagSet) {
	fs.Var(&g.baseReports, "base-reports", "reports of the base branch, as a `pattern` such as 'base/*.json': what they have is not new; may be repeated")
	fs.StringVar(&g.basePolicy, "base-policy", "", "policy of the base branch, a `file`: tells when the policy asks for less")
	fs.StringVar(&g.baseBaseline, "base-baseline", "", "baseline of the base branch, a `file`: tells when the baseline has more")
	fs.StringVar(&g.workspace, "workspace", ".", "`folder` with the sources that findings point at; when it is empty, paths are not looked up")
}

// input reads everything that the decision depends on, except for the baseline.
func (g *gateFlags) input(ctx context.Context, args []string) (in gate.Input, err error) {
	if len(args) == 0 {
		return in, cli.Usagef("a report is needed")
	}
	in.Generator = report.Generator{Name: "compat", Version: cli.Version}
	if in.Policy, err = g.readPolicy(); err != nil {
		return in, err
	}
	if g.basePolicy != "" {
		if in.BasePolicy, err = readFile(g.basePolicy, gate.ReadPolicy); err != nil {
			return in, syntaxIsUsage(err)
		}
	}
	if g.baseBaseline != "" {
		if in.BaseBaseline, err = readFile(g.baseBaseline, gate.ReadBaseline); err != nil {
			return in, syntaxIsUsage(err)
		}
	}
	in.Today = time.Now()
	if g.today != "" {
		if in.Today, err = gate.ParseDate(g.today); err != nil {
			return in, cli.Usagef("--today: %v", err)
		}
	}
	if in.Reports, err = readFacts(ctx, args); err != nil {
		return in, err
	}
	if len(g.baseReports.Values) > 0 {
		var names []string
		for _, pattern := range g.baseReports.Values {
			found, err := filepath.Glob(pattern)
			if err != nil {
				return in, cli.Usagef("--base-reports %q: %v", pattern, err)
			}
			if len(found) == 0 {
				return in, cli.BadInput(fmt.Errorf("--base-reports %q: there is no such file", pattern))
			}
			names = append(names, found...)
		}
		slices.Sort(names)
		if in.Base, err = readFacts(ctx, slices.Compact(names)); err != nil {
			return in, err
		}
	}
	if g.workspace != "" {
		w, err := newSources(g.workspace)
		if err != nil {
			return in, err
		}
		in.Workspace = w
	}
	return in, nil
}

func (g *gateFlags) readPolicy() (*gate.Policy, error) {
	p := gate.DefaultPolicy()
	if g.policy != "" {
		var err error
		if p, err = readFile(g.policy, gate.ReadPolicy); err != nil {
			return nil, syntaxIsUsage(err)
		}
	}
	if len(g.required.Values) > 0 {
		p.Required = g.required.Values
	}
	if g.undetermined != "" {
		s, err := gate.ParseSeverity(g.undetermined)
		if err != nil {
			return nil, cli.Usagef("--undetermined: %v", err)
		}
		p.Undetermined = s
	}
	return p, nil
}

// readBaseline reads a baseline that is not larger than the policy allows.
func readBaseline(name string, p *gate.Policy) (*gate.Baseline, error) {
	b, err := readFile(name, gate.ReadBaseline)
	if err != nil {
		return nil, syntaxIsUsage(err)
	}
	if err := checkSize(b, p); err != nil {
		return nil, cli.Usagef("%s: %v", name, err)
	}
	return b, nil
}

func checkSize(b *gate.Baseline, p *gate.Policy) error {
	if n := len(b.Findings); n > p.MaxBaseline {
		return fmt.Errorf("the baseline has %d entries, and limits.max-baseline of the policy is %d", n, p.MaxBaseline)
	}
	return nil
}

// syntaxIsUsage makes faults of policies and baselines wrong usage: they are part
// of what the user asks for.
func syntaxIsUsage(err error) error {
	var syntax *gate.SyntaxError
	if errors.As(err, &syntax) {
		return cli.Usagef("%s", report.Escape(err.Error()))
	}
	return err
}

func readFile[T any](name string, read func(name string, r io.Reader) (T, error)) (v T, err error) {
	f, err := openRegular(name)
	if err != nil {
		return v, err
	}
	defer f.Close()
	return read(name, f)
}

// openRegular opens a file that is one, and no pipe or device that would never
// end.
func openRegular(name string) (*os.File, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, cli.BadInput(fmt.Errorf("%s is not a regular file", name))
	}
	return os.Open(name)
}

// Limits of what is checked at once.
const (
	maxReports = 10_000
	maxCells   = 20_000_000
)

// readFacts reads reports, several at once.
func readFacts(ctx context.Context, names []string) ([]*gate.Facts, error) {
	if len(names) > maxReports {
		return nil, cli.BadInput(fmt.Errorf("there are %d reports, and %d can be checked at once", len(names), maxReports))
	}
	// What is read is garbage at once, and the process ends soon.
	debug.SetGCPercent(400)
	facts := make([]*gate.Facts, len(names))
	errs := make([]error, len(names))
	var mu sync.Mutex
	next, cells := 0, 0
	take := func() int {
		mu.Lock()
		defer mu.Unlock()
		if next == len(names) || ctx.Err() != nil || cells > maxCells {
			return -1
		}
		next++
		return next - 1
	}
	var wg sync.WaitGroup
	for range min(len(names), runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for i := take(); i >= 0; i = take() {
				n := 0
				facts[i], n, errs[i] = readFact(names[i])
				mu.Lock()
				cells += n
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	// The first fault in the order of the files, whichever was found first.
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	if cells > maxCells {
		return nil, cli.BadInput(fmt.Errorf("the reports have more than %d verdicts", maxCells))
	}
	return facts, nil
}

func readFact(name string) (facts *gate.Facts, cells int, err error) {
	defer internalError(&err)
	r, err := readFile(name, report.Decode)
	if err != nil {
		return nil, 0, err
	}
	return gate.NewFacts(filepath.ToSlash(name), r), len(r.Cells), nil
}

// internalError makes an error of a panic: the exit code of one that nobody
// catches means wrong usage here.
func internalError(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("internal error: %v", p)
	}
}

// sources is a folder with sources. What is outside of it is not looked at.
type sources struct {
	root  *os.Root
	files map[string]*build.File // by path, nil for those that are none
}

func newSources(dir string) (*sources, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, cli.Usagef("--workspace: %v", err)
	}
	return &sources{root, map[string]*build.File{}}, nil
}

func (w *sources) HasFile(path string) bool {
	info, err := w.root.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// maxBuildFile is the size up to which BUILD files are read.
const maxBuildFile = 4 << 20

func (w *sources) Target(label string) (path string, line int, ok bool) {
	pkg, name, ok := gate.SplitLabel(label)
	if !ok {
		return "", 0, false
	}
	for _, base := range []string{"BUILD.bazel", "BUILD"} {
		path := strings.TrimPrefix(pkg+"/"+base, "/")
		if !w.HasFile(path) {
			continue
		}
		return path, w.line(path, name), true
	}
	return "", 0, false
}

// line returns where a target begins in a BUILD file, 1 when that is not known.
func (w *sources) line(path, name string) int {
	f, known := w.files[path]
	if !known {
		f = w.parse(path)
		w.files[path] = f
	}
	if f == nil {
		return 1
	}
	for _, r := range f.Rules("") {
		if r.Name() == name {
			start, _ := r.Call.Span()
			return cmp.Or(start.Line, 1)
		}
	}
	return 1
}

func (w *sources) parse(path string) *build.File {
	f, err := w.root.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxBuildFile+1))
	if err != nil || len(data) > maxBuildFile {
		return nil
	}
	parsed, err := build.ParseBuild(path, data)
	if err != nil {
		return nil
	}
	return parsed
}
