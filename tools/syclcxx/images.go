package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/inputs"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/filetable"
	"github.com/rules-sycl/rules_sycl/sycl/hostwrap"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/postlink"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/release"
	"github.com/rules-sycl/rules_sycl/sycl/spirv"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
	"github.com/rules-sycl/rules_sycl/tools/internal/aot"
	"github.com/rules-sycl/rules_sycl/tools/internal/bundle"
	"github.com/rules-sycl/rules_sycl/tools/internal/hostkernels"
	"github.com/rules-sycl/rules_sycl/tools/internal/steps/dpcppimages"
	"github.com/rules-sycl/rules_sycl/tools/internal/steps/modulefiles"
	"github.com/rules-sycl/rules_sycl/tools/internal/steps/splitir"
	"github.com/rules-sycl/rules_sycl/tools/internal/steps/translate"
	"github.com/rules-sycl/rules_sycl/tools/internal/targetfilter"
)

// syclbinRelease is the release that SYCLBINs are written for. Every libsycl of 2026 reads them.
var syclbinRelease = release.Default()

// release returns the release that the images of programs are registered for. Programs use the
// libsycl that they are compiled for, or a newer one.
func (d *installation) release() *release.Release {
	r, err := release.Parse(d.version)
	if err != nil || r.Descriptor != release.Default().Descriptor {
		return release.Default()
	}
	return r
}

// A target is a target that images are built for.
type target struct {
	name, triple string
	ocloc        string // ocloc's name of the device, or "" for SPIR-V
}

// targets returns the targets of -fsycl-targets=. Only the first call reads device configurations,
// which may print warnings.
func (c *compiler) targets() ([]target, error) {
	if len(c.imageTargets) > 0 {
		return c.imageTargets, nil
	}
	config, err := inputs.LoadDevices(c.env.Stderr, c.line.DeviceConfigs)
	if err != nil {
		return nil, err
	}
	names := c.line.Targets
	if len(names) == 0 {
		names = []string{"spir64"}
	}
	for _, name := range names {
		if strings.HasPrefix(name, "nvptx64") || strings.HasPrefix(name, "amdgcn") {
			return nil, unsupportedTarget(name)
		}
	}
	list, err := inputs.FindDevices(config, names)
	if err != nil {
		return nil, fmt.Errorf("-fsycl-targets=: %w", err)
	}
	c.traits = traitMacros(list)
	var targets []target
	for _, d := range list {
		triple, _ := deviceconfig.Triple(d.Name)
		t := target{name: d.Name, triple: triple, ocloc: d.OclocDevice}
		if t.ocloc == "" && hostwrap.Target(triple) != "spir64" {
			return nil, unsupportedTarget(d.Name)
		}
		if !slices.Contains(targets, t) {
			targets = append(targets, t)
		}
	}
	if err := c.checkBackend(config, targets); err != nil {
		return nil, err
	}
	c.imageTargets = targets
	return targets, nil
}

func unsupportedTarget(name string) error {
	return cli.Usagef("-fsycl-targets=%s: unsupported target; use spir64, which is compiled at run time, or intel_gpu_* targets", name)
}

// checkBackend rejects options for native compilers whose target is unknown, or is missing although
// there are several targets.
func (c *compiler) checkBackend(config *deviceconfig.Config, targets []target) error {
	for i, b := range c.line.Backend {
		switch b.Target {
		case "*", "intel_gpu_*":
		case "":
			if len(targets) > 1 {
				return cli.Usagef("%s: ambiguous with several targets; specify one, as in -Xsycl-target-backend=%s", b.Option, targets[0].name)
			}
		default:
			d, err := inputs.FindDevice(config, b.Target)
			if err != nil {
				return fmt.Errorf("%s: %w", b.Option, err)
			}
			c.line.Backend[i].Target = d.Name // replaces an alias
		}
	}
	return nil
}

// An imageSet holds the images of a source or of linked device code, before the targets select
// some.
type imageSet struct {
	*compiler
	name    string // for messages
	source  string // module id of the code, or "" for linked code
	dir     string // directory for files
	built   string // the directory where 'driver build' wrote the images, "" to compile the bitcode
	bitcode string
	emulate bool
	imports bool // whether images may import functions and variables
}

func (s *imageSet) file(name string) string { return filepath.Join(s.dir, name) }

// advice returns what to do about an undefined name in device code.
func (s *imageSet) advice() string {
	if s.source == "" { // linked code
		return "link the object or static library that defines it, compiled with -fsycl-rdc; a kernel cannot use functions or variables of a shared library"
	}
	return "define it in the same source or in a header that it includes; to use definitions in other sources, compile and link these sources with -fsycl-rdc"
}

// table builds the images and returns the name of their file table.
func (s *imageSet) table(ctx context.Context, ownPostLink bool) (string, error) {
	table, err := s.build(ctx, ownPostLink)
	if err != nil || !s.line.DebugInfo || !s.hasPrefixMap() {
		return table, err
	}
	return table, s.mapCommandLines(table)
}

// mapCommandLines applies the prefix maps of the command line to the command lines of the device
// compile in debug information, which contain the directories in the maps themselves.
func (s *imageSet) mapCommandLines(table string) error {
	t, err := cli.ReadTable(table)
	if err != nil {
		return err
	}
	column := t.Column(filetable.Code)
	for _, row := range t.Rows {
		file := cli.CurrentPath(table, row[column])
		code, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		code, err = spirv.ReplaceStrings(code, func(text string) string {
			if strings.Contains(text, " -fsycl-device-only ") {
				return s.portable(text)
			}
			return text
		})
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		if err := os.WriteFile(file, code, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// build builds the table. It does not change the command lines in debug information.
func (s *imageSet) build(ctx context.Context, ownPostLink bool) (string, error) {
	driver, err := s.driver()
	if err != nil {
		return "", err
	}
	d := modulefiles.DPCPP{Driver: driver, Library: s.dpcpp.library}
	table := s.file("all.table")
	if !ownPostLink {
		code := s.bitcode
		if s.built != "" {
			code = s.name
		}
		return table, dpcppimages.Run(ctx, s.env.Stderr, dpcppimages.Options{
			Bitcode: code, Built: s.built, DPCPP: d, Split: s.line.Split, Dependencies: s.imports, Advice: s.advice(),
			CodeDir: s.file("spv"), PropertiesDir: s.file("prop"), Table: table, KeepDebugInfo: s.line.DebugInfo,
		})
	}
	llvm, err := findLLVM("llvm-dis", "opt")
	if err != nil {
		return "", fmt.Errorf("%s: specialization constants and -fsycl-fp64-conv-emu need LLVM's tools: %w", s.name, err)
	}
	err = splitir.Run(ctx, s.env.Stderr, splitir.Options{
		Input: s.bitcode, Name: s.name, LLVMDis: llvm[0], Opt: llvm[1], Output: s.file("split.table"), OutDir: s.file("split"), AllowNoKernels: true,
		Run: postlink.Options{
			Split:  postlink.SplitOptions{Mode: postlink.SplitMode(s.line.Split), KernelsOnly: true},
			Source: s.source, EmulateFP64Conversions: s.emulate, DPCPPTranslator: true,
			UndefinedAdvice: s.advice(),
		},
	})
	if err != nil {
		return "", err
	}
	return table, translate.Run(ctx, s.env.Stderr, translate.Options{
		In: s.file("split.table"), DPCPP: d, CodeDir: s.file("spv"), PropertiesDir: s.file("prop"), Table: table,
		KeepDebugInfo: s.line.DebugInfo, EmulateFP64Conversions: s.emulate,
	})
}

// forTargets returns one table per target. It warns about kernels that a device cannot run.
func (s *imageSet) forTargets(ctx context.Context, table string, targets []target) ([]bundle.Table, error) {
	var filters []targetfilter.TargetFilter
	var names []string
	for _, t := range targets {
		filters = append(filters, targetfilter.TargetFilter{Target: t.name, Output: s.file(t.name + ".table"), Options: s.backend(t)})
		names = append(names, t.name)
	}
	warned := map[string]bool{}
	err := targetfilter.Filter(ctx, s.env.Stderr, targetfilter.FilterOptions{
		ProgramTargets: targetfilter.ProgramTargets{Targets: names, Fixed: s.line.FixedTargets, Configs: s.line.DeviceConfigs},
		Table:          table, Filters: filters,
		Dropped: func(target string, kernels []string, properties string, reasons []string) {
			s.warnDropped(warned, target, kernels, properties, reasons)
		},
	})
	if err != nil {
		return nil, err
	}
	if err := s.compileAhead(ctx, targets); err != nil {
		return nil, err
	}
	var tables []bundle.Table
	for _, t := range targets {
		if t.ocloc == "" {
			tables = append(tables, bundle.Table{Triple: t.triple, File: s.file(t.name + ".table")})
		} else {
			tables = append(tables, bundle.Table{Triple: t.triple, Arch: t.name, File: s.file(t.name + ".native.table")})
		}
	}
	return tables, nil
}

// warnRejected warns about the kernels of a module that ocloc rejects for a target.
func (s *imageSet) warnRejected(r aot.Rejection, targets []target) {
	reason := fmt.Sprintf("ocloc rejects it: %s; please report this, with the source, at %s", r.Message, aot.Issues)
	table, err := cli.ReadTable(r.Table)
	if err != nil {
		return
	}
	code, properties, symbols := table.Column(filetable.Code), table.Column(filetable.Properties), table.Column(filetable.Symbols)
	for _, row := range table.Rows {
		if cli.CurrentPath(r.Table, row[code]) != r.SPIRV {
			continue
		}
		file := cli.CurrentPath(r.Table, row[properties])
		text, err := os.ReadFile(cli.CurrentPath(r.Table, row[symbols]))
		if err != nil {
			return
		}
		for _, t := range targets {
			if t.ocloc == r.Device {
				s.warnDropped(map[string]bool{}, t.name, strings.Fields(string(text)), file, []string{reason})
			}
		}
	}
}

// warnDropped warns about kernels without an image for a target, once per kernel and target.
func (s *imageSet) warnDropped(warned map[string]bool, target string, kernels []string, properties string, reasons []string) {
	text, err := os.ReadFile(properties)
	if err != nil {
		return
	}
	registry, err := propset.Parse(properties, text)
	if err != nil {
		return
	}
	for _, kernel := range kernels {
		name := kernelname.Display(kernel)
		if warned[target+"\x00"+name] {
			continue
		}
		warned[target+"\x00"+name] = true
		place := s.name
		if found, ok := srcloc.ReadKernel(registry, kernel); ok && found.Location.Line != 0 {
			place = found.Location.String()
		}
		s.env.Warnf(place, "kernel '%s' has no image for %s: %s", name, target, strings.Join(reasons, "; "))
	}
}

// compileAhead compiles native code for Intel GPUs. Targets with the same backend options are
// compiled together, so that GPUs of a family can share a compilation.
func (s *imageSet) compileAhead(ctx context.Context, targets []target) error {
	var runs []*aot.Options
	byOptions := map[string]*aot.Options{}
	for _, t := range targets {
		if t.ocloc == "" {
			continue
		}
		options := s.backend(t)
		key := strings.Join(options, "\x00")
		run := byOptions[key]
		if run == nil {
			ocloc, err := s.ocloc(t)
			if err != nil {
				return err
			}
			run = &aot.Options{Ocloc: ocloc, CodeDir: s.file(t.name), Options: options, Share: aot.Sharing(s.line.ShareFamilies), Skip: s.line.SkipRejected,
				Skipped: func(r aot.Rejection) { s.warnRejected(r, targets) }}
			byOptions[key] = run
			runs = append(runs, run)
		}
		run.Targets = append(run.Targets, aot.Target{Device: t.ocloc, Table: s.file(t.name + ".table"), Output: s.file(t.name + ".native.table")})
	}
	for _, run := range runs {
		if err := aot.Run(ctx, s.env.Stderr, *run); err != nil {
			return err
		}
	}
	return nil
}

// ocloc returns the path of the compiler for Intel GPUs, which compiles native code for t.
func (c *compiler) ocloc(t target) (string, error) {
	if c.line.Ocloc != "" {
		path, err := exec.LookPath(c.line.Ocloc)
		if err != nil {
			return "", cli.BadInput(fmt.Errorf("--ocloc=%s: program not found", c.line.Ocloc))
		}
		return path, nil
	}
	path, err := exec.LookPath("ocloc")
	if err != nil {
		return "", fmt.Errorf("-fsycl-targets=%s: cannot find ocloc, the compiler for Intel GPUs, in PATH; install it (package intel-ocloc, or %s) or set --ocloc=", t.name, oclocReleases)
	}
	return path, nil
}

// oclocReleases is the address of ocloc packages for distributions that do not package ocloc, such
// as Debian 12 and 13.
const oclocReleases = "https://github.com/intel/compute-runtime/releases"

// checkOcloc returns an error if a target needs ocloc and it is missing, before anything is compiled.
func (c *compiler) checkOcloc(targets []target) error {
	for _, t := range targets {
		if t.ocloc != "" {
			_, err := c.ocloc(t)
			return err
		}
	}
	return nil
}

// backend returns the options for the native compiler of a target or, for SPIR-V, the options for
// compilation at run time.
func (s *imageSet) backend(t target) []string {
	var options []string
	for _, b := range s.line.Backend {
		switch {
		case b.Target != "" && b.Target != "*" && b.Target != t.name && b.Target != hostwrap.Target(t.triple) && !(b.Target == "intel_gpu_*" && t.ocloc != ""):
		case t.ocloc != "":
			options = append(options, b.Native...)
		default:
			options = append(options, b.JIT...)
		}
	}
	if s.line.EmulateDouble && t.ocloc != "" {
		options = append(options, "-ze-fp64-gen-conv-emu")
	}
	return options
}

// tables builds the images of a compilation for all targets.
func (u *compilation) tables(ctx context.Context, targets []target) ([]bundle.Table, error) {
	footer, err := os.ReadFile(u.file("footer.h"))
	if err != nil {
		return nil, err
	}
	s := &imageSet{compiler: u.compiler, name: u.source, source: u.source, dir: u.dir, built: u.file("images"), bitcode: u.file("device.bc"), emulate: u.line.EmulateDouble, imports: u.rdc}
	// DPC++'s own post-link step in libsycl-jit does not lower specialization constants.
	own := bytes.Contains(footer, []byte("get_spec_constant_symbolic_ID"))
	table, err := s.table(ctx, own || u.line.EmulateDouble)
	if err != nil {
		return nil, err
	}
	return s.forTargets(ctx, table, targets)
}

// wrap writes assembler source that embeds the images in tables.
func (c *compiler) wrap(ctx context.Context, output string, tables []bundle.Table, headers []string) error {
	s := &imageSet{compiler: c}
	return bundle.Wrap(ctx, c.env, bundle.WrapOptions{
		Output: output, Runtime: c.dpcpp.release(), Tables: tables, Headers: headers, AllowEmpty: true, RequireImages: c.line.RequireImages,
		JITOptions: s.backend(target{name: "spir64", triple: "spir64-unknown-unknown"}),
	})
}

// join combines the host object, the device images and the kernel table into one object.
func (u *compilation) join(ctx context.Context, same *hostkernels.Comparison, targets []target, output string) error {
	source := u.file("images.s")
	if u.rdc {
		if err := u.writeBitcode(source); err != nil {
			return err
		}
	} else {
		tables, err := u.tables(ctx, targets)
		if err != nil {
			return err
		}
		if err := u.wrap(ctx, source, tables, []string{u.file("header.h")}); err != nil {
			return err
		}
	}
	if err := u.addTable(source, same); err != nil {
		return err
	}
	names, err := hostMath(u.file("host.o"))
	if err != nil {
		return err
	}
	if err := addHostMath(source, names); err != nil {
		return err
	}
	var log bytes.Buffer
	args := append(u.machine(), "-r", "-nostdlib", "-o", output, u.file("host.o"), source)
	err = u.runHost(ctx, &log, &log, args)
	if err != nil {
		u.env.Stderr.Write(log.Bytes())
	}
	return err
}

// machine returns the host compiler options that select the architecture and the programs that
// generate code.
func (c *compiler) machine() []string {
	var args []string
	add := func(options []string, prefixes ...string) {
		for _, option := range options {
			if option != "-mllvm" && slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(option, prefix) }) {
				args = append(args, option)
			}
		}
	}
	add(c.hostOptions(), "-m", "--target=", "--sysroot=", "--gcc-", "-B", "-fuse-ld=")
	add(c.line.Link, "-fuse-ld=", "-B")
	return args
}

// addTable adds the kernel table of the host code to assembler source.
func (u *compilation) addTable(source string, same *hostkernels.Comparison) error {
	header, err := os.ReadFile(u.file("header.h"))
	if err != nil {
		return err
	}
	file, err := os.OpenFile(source, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	// Without .file, the symbol table would contain the name of a temporary file.
	lines := []string{"", ".file " + hostwrap.Quote(filepath.Base(u.source)), ".section " + releaseSection + `,"e",@progbits`, ".string " + hostwrap.Quote(u.libsycl())}
	for _, b := range u.line.Backend {
		lines = append(lines, ".string "+hostwrap.Quote(optionPrefix+b.Option))
	}
	_, err = file.WriteString(strings.Join(lines, "\n") + "\n")
	if err == nil {
		err = hostkernels.WriteTable(file, hostwrap.ParseHeader(string(header)), same, u.portable(u.source))
	}
	return errors.Join(err, file.Close())
}
