// Package inspect makes reports on files with device code: programs, libraries, objects and static
// libraries, offload binaries, SYCLBINs, SPIR-V modules and file tables; wheels and other zip and
// tar archives; and directories and patterns of all these.
//
// The content of a file determines its type. Files are read concurrently and processed in order,
// and only the data for the report is kept.
//
// Any file may be written by an attacker. Nothing is written to paths from archives, and the
// unpacked size is limited by the size of the archive.
package inspect

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/inputs"
	"github.com/rules-sycl/rules_sycl/internal/workspace"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/hostbin"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// Options select what to report on.
type Options struct {
	Files    []string // files, directories and patterns; a leading ! excludes files or directories
	Embedded []string // the same, for files with images that are part of the program

	// Label is the subject of the report. With a label or embedded files, all files form one
	// program. Otherwise, each file is a separate program, labeled by its name, unless all files
	// are named explicitly and are SYCLBINs, SPIR-V modules or file tables: these form one program
	// without a label.
	Label string

	Devices      []string             // targets; by default, those that the files are for
	Targets      []string             // build targets: without devices, the report covers them, too
	DeviceConfig []string             // device configuration files
	Config       *deviceconfig.Config // replaces DeviceConfig if not nil
	Reading      inputs.Reading
	LLVMDis      string // path of llvm-dis, which reads bitcode; default: the newest in PATH

	// Workspace is the source directory, by default the current directory. Absolute paths in debug
	// information become relative to it in a report.
	Workspace string

	// Confined is set if Files are patterns, and nothing outside of the current directory may be
	// read.
	Confined bool
	// Glob finds the files of patterns if Confined is set. By default it is [workspace.Glob] in the
	// current directory.
	Glob func(patterns []string) ([]string, error)

	// Strict is set for a gate. Each file is then a separate program unless there is a label, and
	// an unreadable file found by a directory, a pattern or an archive is an error instead of a
	// warning.
	Strict bool
}

// glob returns the function that finds confined files, or nil if files may be anywhere.
func (o *Options) glob() func([]string) ([]string, error) {
	switch {
	case !o.Confined:
		return nil
	case o.Glob != nil:
		return o.Glob
	}
	return func(patterns []string) ([]string, error) { return workspace.Glob(".", patterns) }
}

// MemoryLimit is the size in bytes above which programs that read or make reports collect garbage
// more often, so that half a million kernels need at most 256 MiB.
const MemoryLimit = 230 << 20

// nextIfEmpty describes what to do about files without device code.
const nextIfEmpty = "name the programs, libraries or wheels that are built with SYCL device code"

// lookedFor lists the contents that files are searched for, for messages about files without any.
const lookedFor = hostbin.LookedFor + "; SYCLBIN files, SPIR-V modules and file tables; in directories, and in zip and tar archives"

// Reports returns one report per program; [report.Merge] joins them. It writes warnings and
// notes to the standard error of env.
func Reports(ctx context.Context, env *cli.Env, o Options) ([]*report.Report, error) {
	config := o.Config
	if config == nil {
		var err error
		if config, err = inputs.LoadDevices(env.Stderr, o.DeviceConfig); err != nil {
			return nil, err
		}
	}
	chosen, err := inputs.ChooseDevices(config, o.Devices)
	if err != nil {
		return nil, err
	}
	built, err := inputs.FindDevices(config, o.Targets)
	if err != nil {
		return nil, err
	}
	dir, err := o.workspace()
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	workspaces, err := o.workspaces()
	if err != nil {
		return nil, err
	}
	c := collector{has: map[*file]bool{}, none: map[*file]absence{}, Options: &o, log: &log{env: env, lines: map[string]int{}, line: env.Progress()}, generator: report.Generator{Name: env.Tool, Version: cli.Version}}
	var named []*file
	disassembler := sync.OnceValue(func() *disassembler { return findDisassembler(o.LLVMDis) })
	for _, list := range []struct {
		names    []string
		embedded bool
	}{{o.Files, false}, {o.Embedded, true}} {
		files, links, err := find(dir, list.names, o.glob(), c.log)
		if err != nil {
			return nil, err
		}
		c.links += links
		r := reader{dir: dir, options: o.Reading, workspaces: workspaces, disassembler: disassembler}
		if err := r.forEach(ctx, files, func(found outcome) error { return c.add(found, list.embedded) }); err != nil {
			return nil, err
		}
		named = append(named, slices.DeleteFunc(files, func(f *file) bool { return f.match != byName })...)
	}
	c.log.done()
	if err := c.check(); err != nil {
		return nil, err
	}
	c.summarize(named)
	return c.reports(chosen, built, config)
}

func (o *Options) workspace() (*workspace.Directory, error) {
	if o.Confined {
		return workspace.Open(".")
	}
	return workspace.Open("")
}

// workspaces returns the names of the workspace: as it was given, and without links.
func (o *Options) workspaces() ([]string, error) {
	given, err := filepath.Abs(o.Workspace)
	if err != nil {
		return nil, err
	}
	list := []string{filepath.ToSlash(given)}
	if real, err := filepath.EvalSymlinks(given); err == nil && real != given {
		list = append(list, filepath.ToSlash(real))
	}
	return list, nil
}

// A part is the content of a file: the modules of a program or of a part of one.
type part struct {
	name    string // of the file, as given; for a member, after the name of its archive
	file    report.File
	label   label
	bare    bool // an explicitly named SYCLBIN, SPIR-V module or file table
	modules []report.Module
}

// kernels returns the number of kernels in the modules, where a kernel counts once per module.
func (p *part) kernels() (n int) {
	for i := range p.modules {
		n += len(p.modules[i].Kernels)
	}
	return n
}

// A collector collects the parts of a report.
type collector struct {
	*Options
	log       *log
	generator report.Generator
	parts     []*part

	has            map[*file]bool    // files with device code, directly or in members
	none           map[*file]absence // why other named files have no device code
	files, skipped int
	links          int    // that are not followed
	images         int    // in host files
	repeated       int    // number of these that duplicate others in their file
	omitted        string // the first reason for omitting images
	elsewhere      string // a source in debug information outside of the workspace
	firstError     error  // from the first file that cannot be read
}

// add adds the content of a file.
func (c *collector) add(found outcome, embedded bool) error {
	c.files++
	c.log.progress(c.files, len(c.parts), found.name)
	c.log.write(found.warnings)
	c.images += found.images
	c.repeated += found.repeated
	for _, l := range found.omitted {
		c.log.omitted(found.name, l)
		c.omitted = cmp.Or(c.omitted, l.reason)
	}
	if found.err == nil && found.unread != nil {
		if found.named() || c.Strict || found.unread == context.Canceled {
			return found.unread
		}
		c.firstError = cmp.Or(c.firstError, found.unread)
		c.log.unread(found.unread)
	}
	switch {
	case found.err != nil:
		return c.addUnreadable(found)
	case found.part == nil && found.named():
		c.none[found.file] = found.none
	case found.part == nil:
		c.skipped++
	default:
		c.has[found.top] = true
		for i := range found.part.modules {
			m := &found.part.modules[i]
			m.Embedded = m.Embedded || embedded
			c.elsewhere = cmp.Or(c.elsewhere, m.OutsidePath)
		}
		c.parts = append(c.parts, found.part)
	}
	return nil
}

// addUnreadable handles a file that cannot be read. This is an error if the file was named or if
// the system caused it.
func (c *collector) addUnreadable(found outcome) error {
	if found.named() || c.Strict || cli.ExitCode(found.err) != cli.ExitBadInput {
		return found.err
	}
	c.firstError = cmp.Or(c.firstError, found.err)
	c.log.unreadable(found.err)
	return nil
}

// check returns an error if no file has device code.
func (c *collector) check() error {
	switch {
	case len(c.parts) > 0:
		return nil
	case c.firstError != nil:
		return c.firstError
	case c.omitted != "":
		return emptyf("no device image can be used: %s; %s", c.omitted, nextIfEmpty)
	case c.files == 0 && c.links > 0:
		return emptyf("%s: found only symbolic links that dangle or lead out of the directory: %d; copy the files into it", strings.Join(slices.Concat(c.Files, c.Embedded), ", "), c.links)
	case c.files == 0:
		return emptyf("no file matches %s; build the files first", strings.Join(slices.Concat(c.Files, c.Embedded), ", "))
	}
	for f, why := range c.none {
		switch {
		case c.files == 1 && why.fix != "":
			return emptyf("%s: %s", f.name, why)
		case c.files == 1:
			return emptyf("%s: %s: looked for %s; %s", f.name, why, lookedFor, nextIfEmpty)
		}
	}
	return emptyf("no device images in %s: looked for %s; %s", filesOf(c.files), lookedFor, nextIfEmpty)
}

// An EmptyError is returned if the files contain no device code. It is bad input.
type EmptyError struct{ msg string }

func emptyf(format string, args ...any) error {
	return &EmptyError{safetext.Printable(fmt.Sprintf(format, args...))}
}

func (e *EmptyError) Error() string { return e.msg }

// BadInput marks the error as caused by an input file.
func (*EmptyError) BadInput() {}

// summarize prints which files have no device code, and how many images are duplicates.
func (c *collector) summarize(named []*file) {
	for _, f := range named {
		if !c.has[f] {
			c.log.note(f.name, "%s", cmp.Or(c.none[f], absence{reason: "no device images"}))
		}
	}
	if c.skipped > 0 {
		c.log.note("", "skipped %s without device images", filesOf(c.skipped))
	}
	if c.repeated > 0 {
		c.log.note("", "%d of %d device images duplicate others in their file (same bytes, target and property sets); the report lists each once", c.repeated, c.images)
	}
	if !slices.ContainsFunc(c.parts, func(p *part) bool { return p.kernels() > 0 }) {
		c.log.note(c.parts[0].name, "no kernels in the device code of %s; this is normal for libraries of device functions and for programs that generate kernels at run time", filesOf(len(c.parts)))
	}
	if c.elsewhere != "" {
		c.log.note("", "debug information refers to sources outside the workspace, such as %s; to get lines in the report, run this in the directory of the sources or compile with -ffile-prefix-map=DIRECTORY=.", safetext.Printable(c.elsewhere))
	}
}

func filesOf(n int) string { return fmt.Sprintf("%d %s", n, safetext.Plural(n, "file", "files")) }

// reports makes the reports on the parts for the chosen devices or, if there are none, for the
// devices that the files are built for.
func (c *collector) reports(chosen, built []*deviceconfig.Device, config *deviceconfig.Config) ([]*report.Report, error) {
	programs := c.programs()
	if len(chosen) == 0 {
		var all []report.Module
		for _, p := range programs {
			all = append(all, p.modules...)
		}
		chosen = append(built, report.Targets(all, config)...)
	}
	var list []*report.Report
	for i, p := range programs {
		b := report.NewBuilder(config)
		for i := range p.modules {
			b.Add(&p.modules[i])
			p.modules[i] = report.Module{} // release the memory
		}
		programs[i] = nil
		b.JoinForms()
		r, err := b.Report(chosen, c.generator, p.label.stable)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", safetext.Printable(p.name), err)
		}
		list = append(list, r)
	}
	return list, nil
}

// programs returns one part per program.
func (c *collector) programs() []*part {
	bare := !slices.ContainsFunc(c.parts, func(p *part) bool { return !p.bare })
	if c.Label == "" && len(c.Embedded) == 0 && (c.Strict || !bare) {
		return distinct(c.parts)
	}
	whole := &part{name: c.parts[0].name, label: label{stable: c.Label}}
	for _, p := range c.parts {
		if p.bare { // the report does not depend on the location of build outputs
			for i := range p.modules {
				p.modules[i].Files = nil
			}
		}
		whole.modules = append(whole.modules, p.modules...)
	}
	return []*part{whole}
}
