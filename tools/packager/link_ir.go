package main

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/inputs"
	"github.com/rules-sycl/rules_sycl/internal/outfile"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	sycllink "github.com/rules-sycl/rules_sycl/sycl/link"
	"github.com/rules-sycl/rules_sycl/sycl/postlink"
	"github.com/rules-sycl/rules_sycl/sycl/syclbin"
	"github.com/rules-sycl/rules_sycl/tools/internal/aot"
	"github.com/rules-sycl/rules_sycl/tools/internal/buildstep"
	"github.com/rules-sycl/rules_sycl/tools/internal/bundle"
	"github.com/rules-sycl/rules_sycl/tools/internal/steps/importir"
	"github.com/rules-sycl/rules_sycl/tools/internal/steps/linkir"
	"github.com/rules-sycl/rules_sycl/tools/internal/steps/splitir"
	"github.com/rules-sycl/rules_sycl/tools/internal/steps/translate"
	"github.com/rules-sycl/rules_sycl/tools/internal/targetfilter"
)

// linkIR holds the flags of --mode ir.
type linkIR struct {
	targets, fixedTargets, configs cli.Strings
	split                          string

	llvmSPIRV, llvmDis, llvmLink, opt, spirvVal, ocloc string // paths of tools

	all *flag.FlagSet
}

func (l *linkIR) flags(fs *flag.FlagSet) {
	l.all = fs
	l.targets.Split, l.fixedTargets.Split = true, true
	fs.Var(&l.targets, "targets", "ir: targets `A,B` to build for: spir64 and intel_gpu_* (default spir64)")
	fs.Var(&l.fixedTargets, "fixed-targets", "ir: the only targets `A,B` that the kernels are written for")
	fs.Var(&l.configs, "device-config-file", "ir: device configuration `file`, which overrides built-in devices with the same names; may be repeated")
	fs.StringVar(&l.split, "split", "", "ir: how to split kernels into modules: `"+splitModes("|")+"`; each file counts as one source (default auto)")
	for _, p := range l.programs() {
		fs.StringVar(p.path, p.name, "", "ir: `path` of "+p.name+" (default: search PATH)")
	}
}

func splitModes(separator string) string {
	names := make([]string, len(postlink.SplitModes))
	for i, m := range postlink.SplitModes {
		names[i] = string(m)
	}
	return strings.Join(names, separator)
}

// A program is a tool that --mode ir runs, and the flag that sets its path.
type program struct {
	name   string
	path   *string
	ofLLVM bool   // whether it is part of LLVM; these tools must have the same version
	debian string // Debian package, for tools that are not part of LLVM
}

func (l *linkIR) programs() []program {
	return []program{
		{"llvm-spirv", &l.llvmSPIRV, true, ""},
		{"llvm-dis", &l.llvmDis, true, ""},
		{"llvm-link", &l.llvmLink, true, ""},
		{"opt", &l.opt, true, ""},
		{"spirv-val", &l.spirvVal, false, "spirv-tools"},
		{"ocloc", &l.ocloc, false, "intel-ocloc"},
	}
}

// checkUnused returns a usage error if a flag for --mode ir is set.
func (l *linkIR) checkUnused() error {
	names := []string{"targets", "fixed-targets", "device-config-file", "split"}
	for _, p := range l.programs() {
		names = append(names, p.name)
	}
	var err error
	l.all.Visit(func(f *flag.Flag) {
		if err == nil && slices.Contains(names, f.Name) {
			err = cli.Usagef("--%s requires --mode ir", f.Name)
		}
	})
	return err
}

// findPrograms searches PATH for the tools without a path flag.
func (l *linkIR) findPrograms(ahead bool) error {
	var names []string
	var unset []*string
	for _, p := range l.programs() {
		if p.ofLLVM && *p.path == "" {
			names, unset = append(names, p.name), append(unset, p.path)
		}
	}
	found, err := buildstep.FindLLVM(buildstep.OldestLLVM, names...)
	if err != nil {
		return fmt.Errorf("%w, or set --%s", err, names[0])
	}
	for i, path := range found {
		*unset[i] = path
	}
	for _, p := range l.programs() {
		if p.ofLLVM || *p.path != "" || p.name == "ocloc" && !ahead {
			continue
		}
		path, err := exec.LookPath(p.name)
		if err != nil {
			return fmt.Errorf("%s not found in PATH; install it (Debian: %s) or set --%s", p.name, p.debian, p.name)
		}
		*p.path = path
	}
	return nil
}

// irOptions returns the link options for --mode ir, or a usage error.
func (l *link) irOptions(args []string) (o sycllink.Options, err error) {
	if _, err := l.form.options(); err != nil {
		return o, err
	}
	o, err = l.options(args)
	switch {
	case err != nil:
		return o, err
	case l.graph != "" || l.json:
		return o, cli.Usagef("--graph and --json require --mode combine")
	}
	for i, name := range args {
		if slices.Contains(args[:i], name) {
			return o, cli.Usagef("duplicate input file %s", name)
		}
	}
	l.split = cmp.Or(l.split, string(postlink.SplitAuto))
	if !slices.Contains(postlink.SplitModes, postlink.SplitMode(l.split)) {
		return o, cli.Usagef("--split: unknown mode '%s'; expected one of %s", l.split, splitModes(", "))
	}
	return o, nil
}

// ir implements --mode ir. It links the code of the files, then splits and compiles the result like
// the code of a source.
func (l *link) ir(ctx context.Context, env *cli.Env, args []string) error {
	options, err := l.irOptions(args)
	if err != nil {
		return err
	}
	config, err := inputs.LoadDevices(env.Stderr, l.configs.Values)
	if err != nil {
		return err
	}
	targets, err := l.findTargets(config)
	if err != nil {
		return err
	}
	if err := l.findPrograms(slices.ContainsFunc(targets, func(d *deviceconfig.Device) bool { return d.AOTToolchain != "" })); err != nil {
		return err
	}
	dir, remove, err := outfile.TempDir()
	if err != nil {
		return err
	}
	defer remove()
	b := &irBuild{link: l, ctx: ctx, dir: dir, state: options.ResultState(), explicit: options.State != nil, config: config, targets: targets}
	b.env = &cli.Env{Tool: env.Tool, Stdin: env.Stdin, Stdout: env.Stdout, Stderr: &relabel{env.Stderr, dir + "/"}}
	b.stages = &stages{line: env.Progress(), total: len(args) + 4 + 2*len(targets)}
	defer b.stages.line.Clear()
	if err := b.run(args); err != nil {
		return &relabeled{err, dir + "/"}
	}
	return nil
}

// findTargets returns the devices of --targets without duplicates.
func (l *linkIR) findTargets(config *deviceconfig.Config) ([]*deviceconfig.Device, error) {
	names := l.targets.Values
	if len(names) == 0 {
		names = []string{"spir64"}
	}
	found, err := inputs.FindDevices(config, names)
	if err != nil {
		return nil, err
	}
	var list []*deviceconfig.Device
	for _, d := range found {
		switch {
		case slices.Contains(list, d):
			continue
		case d.Name != "spir64" && (d.AOTToolchain != "ocloc" || d.OclocDevice == ""):
			return nil, cli.Usagef("--targets: cannot compile for '%s'; use spir64 (compiled at run time) or intel_gpu_* targets", d.Name)
		}
		list = append(list, d)
	}
	return list, nil
}

// An irBuild is a run of --mode ir.
type irBuild struct {
	*link
	ctx      context.Context
	env      *cli.Env
	dir      string // directory of intermediate files
	state    syclbin.State
	explicit bool // whether --state is set
	config   *deviceconfig.Config
	targets  []*deviceconfig.Device
	stages   *stages
}

// linkedFile is the file of the linked code. Messages name the source instead of this file.
const linkedFile = "linked.bc"

func (b *irBuild) file(name string) string { return filepath.Join(b.dir, name) }

func (b *irBuild) run(args []string) error {
	sources, err := b.sources(args)
	if err != nil {
		return err
	}
	b.stages.next("linking")
	linked := b.file(linkedFile)
	if err := linkir.Run(b.ctx, b.env.Stderr, linkir.Options{LLVMDis: b.llvmDis, LLVMLink: b.llvmLink, Sources: sources, Output: linked}); err != nil {
		return err
	}

	b.stages.next("splitting")
	split := b.file("linked.table")
	err = splitir.Run(b.ctx, b.env.Stderr, splitir.Options{
		Input: linked, Opt: b.opt, LLVMDis: b.llvmDis, Output: split, Devices: b.config,
		Run: postlink.Options{
			Split: postlink.SplitOptions{
				Mode: postlink.SplitMode(b.split), KernelsOnly: b.state == syclbin.Executable, Dependencies: b.allowUnresolved,
			},
			FixedTargets: b.fixedTargets.Values, SYCLBINKernelNames: true,
		},
	})
	if err != nil {
		return err
	}

	b.stages.next("translating to SPIR-V")
	modules := b.file("modules.table")
	// The inputs only have debug information if they were built with it.
	if err := translate.Run(b.ctx, b.env.Stderr, translate.Options{
		In: split, LLVMSPIRV: b.llvmSPIRV, SPIRVVal: b.spirvVal, KeepDebugInfo: true,
		CodeDir: b.file("spv"), PropertiesDir: b.file("properties"), Table: modules,
	}); err != nil {
		return err
	}

	var names []string
	for _, d := range b.targets {
		names = append(names, d.Name)
	}
	if err := targetfilter.Plan(b.ctx, b.env.Stderr, targetfilter.PlanOptions{
		ProgramTargets: targetfilter.ProgramTargets{Targets: names, Configs: b.configs.Values},
		Tables:         []string{modules}, Output: b.file("plan.json"), FailOnUnusedRow: true,
	}); err != nil {
		return err
	}
	return b.pack(modules)
}

// sources converts the code of each file to bitcode.
func (b *irBuild) sources(args []string) ([]linkir.Source, error) {
	sources := make([]linkir.Source, len(args))
	for i, name := range args {
		b.stages.next("reading %s", name)
		bitcode := b.file(fmt.Sprintf("%d.bc", i))
		err := importir.Run(b.ctx, b.env.Stderr, importir.Options{
			Input: name, Target: "spir64", Module: name, Output: bitcode, Reading: b.reading,
			LLVMSPIRV: b.llvmSPIRV, LLVMDis: b.llvmDis, LLVMLink: b.linkIR.llvmLink,
			AllowExecutable: b.explicit && b.state == syclbin.Executable,
		})
		if err != nil {
			return nil, err
		}
		sources[i] = linkir.Source{Source: name, File: bitcode}
	}
	return sources, nil
}

// pack builds the images for all targets and writes the SYCLBIN.
func (b *irBuild) pack(modules string) error {
	format, err := b.form.options()
	if err != nil {
		return err
	}
	o := bundle.PackOptions{Output: b.output, Format: format, State: b.state}
	for _, d := range b.targets {
		table, err := b.images(d, modules)
		if err != nil {
			return err
		}
		triple, _ := deviceconfig.Triple(d.Name)
		arch := ""
		if d.AOTToolchain != "" {
			arch = d.Arch()
		}
		o.Tables = append(o.Tables, bundle.Table{Triple: triple, Arch: arch, File: table})
	}
	b.stages.next("writing %s", b.output)
	b.stages.line.Clear()
	return bundle.Pack(b.ctx, b.env, o)
}

// images builds the images for a target and returns their file table.
func (b *irBuild) images(d *deviceconfig.Device, modules string) (table string, err error) {
	b.stages.next("filtering for %s", d.Name)
	filtered := b.file(d.Name + ".filtered.table")
	if err := targetfilter.Filter(b.ctx, b.env.Stderr, targetfilter.FilterOptions{
		ProgramTargets: targetfilter.ProgramTargets{Configs: b.configs.Values},
		Table:          modules, Filters: []targetfilter.TargetFilter{{Target: d.Name, Output: filtered}},
	}); err != nil {
		return "", err
	}
	if d.AOTToolchain == "" {
		return filtered, nil
	}
	b.stages.next("compiling for %s", d.Name)
	table = b.file(d.Name + ".table")
	return table, aot.Run(b.ctx, b.env.Stderr, aot.Options{
		Ocloc: b.ocloc, Targets: []aot.Target{{Device: d.OclocDevice, Table: filtered, Output: table}}, CodeDir: b.file(d.Name), Library: b.state != syclbin.Executable,
	})
}

// A relabeled error is an error whose message omits the name of the temporary directory, which is
// removed before the message is printed.
type relabeled struct {
	error
	dir string
}

func (e *relabeled) Error() string {
	text := strings.ReplaceAll(e.error.Error(), e.dir+linkedFile+": ", "")
	return strings.ReplaceAll(text, e.dir, "")
}
func (e *relabeled) Unwrap() error { return e.error }

// relabel is a writer that removes the name of the temporary directory from messages.
type relabel struct {
	w   io.Writer
	dir string
}

func (r *relabel) Write(b []byte) (int, error) {
	if _, err := r.w.Write(bytes.ReplaceAll(b, []byte(r.dir), nil)); err != nil {
		return 0, err
	}
	return len(b), nil
}

// stages shows the progress of a build on a terminal: the current step and the number of steps.
type stages struct {
	line      *cli.Progress
	at, total int
}

// next starts the next step.
func (s *stages) next(format string, args ...any) {
	s.at = min(s.at+1, s.total)
	s.line.Show("[%d of %d] %s", s.at, s.total, fmt.Sprintf(format, args...))
}
