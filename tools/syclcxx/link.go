package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/outfile"
	"github.com/rules-sycl/rules_sycl/sycl/syclbin"
	"github.com/rules-sycl/rules_sycl/tools/internal/buildstep"
	"github.com/rules-sycl/rules_sycl/tools/internal/bundle"
	"github.com/rules-sycl/rules_sycl/tools/internal/steps/linkir"
)

// program compiles the sources of a command line and links them with the rest.
func (c *compiler) program(ctx context.Context) error {
	if len(c.line.Words) == 0 {
		return cli.Usagef("no input files")
	}
	if first := c.line.Words[0].Input; first != nil && isHeader(*first) {
		return c.sources(ctx) // there is nothing to link
	}
	dir, remove, err := outfile.TempDir()
	if err != nil {
		return err
	}
	defer remove()
	if files := c.syclbins(); c.line.LinkDevice && len(files) > 0 {
		return c.linkSYCLBINs(ctx, files)
	}
	if c.line.Syclbin != "" {
		return c.syclbin(ctx, dir)
	}
	words, err := c.objects(ctx, dir)
	if err != nil {
		return err
	}
	device, output := "", c.line.Output
	var deviceErr error
	var missing []string
	if c.line.SYCL && !c.line.DryRun {
		for _, w := range words {
			if w.Input != nil && !exists(w.Input.Path) { // otherwise, functions of the file would be undefined
				return cli.BadInput(fmt.Errorf("%s: file not found", w.Input.Path))
			}
		}
		var files []linkedFile
		files, missing = c.linkedFiles(words)
		if device, deviceErr = c.linkDevice(ctx, files, dir); deviceErr != nil && len(missing) == 0 {
			return deviceErr
		}
	}
	if deviceErr != nil {
		output = filepath.Join(dir, "out")
	} else if c.line.LinkDevice {
		return c.deviceObject(ctx, device)
	}
	args := slices.Concat(c.standardLibrary(), c.forHost(c.line.Link))
	if c.host.clang {
		args = append([]string{"-rtlib=libgcc", "-unwindlib=libgcc"}, c.openMP(args)...)
	}
	for _, w := range words {
		if w.Input == nil {
			args = append(args, w.Option...)
		} else {
			args = append(args, w.Input.Path)
		}
	}
	if device != "" { // -g would add the name of the assembler source
		object := filepath.Join(dir, "linked.o")
		if err := c.assemble(ctx, device, object); err != nil {
			return err
		}
		args = append(args, object)
	}
	if output != "" {
		args = append(args, "-o", output)
	}
	mkl, err := c.oneMKLOptions()
	if err != nil {
		return err
	}
	libraries, err := c.libraryOptions()
	if err != nil {
		return err
	}
	args = slices.Concat(args, mkl, libraries)
	if deviceErr != nil {
		return c.explainMissing(ctx, args, missing, deviceErr)
	}
	return c.link(ctx, args)
}

// explainMissing returns the error of a device link. If the host linker does not find one of the
// libraries, which may define the device functions, explainMissing prints what the linker says.
func (c *compiler) explainMissing(ctx context.Context, args, libraries []string, deviceErr error) error {
	var log bytes.Buffer
	if c.runHost(ctx, io.Discard, &log, args) == nil {
		return deviceErr
	}
	for line := range strings.Lines(log.String()) {
		if slices.ContainsFunc(libraries, func(l string) bool { return strings.Contains(line+" ", l) }) {
			io.WriteString(c.env.Stderr, line)
			deviceErr = errPrinted
		}
	}
	return deviceErr
}

// objects compiles the sources on the command line to objects in dir, and returns the words of the
// command line with each source replaced by its object.
func (c *compiler) objects(ctx context.Context, dir string) ([]lineWord, error) {
	words := slices.Clone(c.line.Words)
	for i, w := range words {
		if w.Input == nil || w.Input.Language == "" {
			continue
		}
		name := stem(w.Input.Path)
		object := cmp.Or(c.savedObject(name), filepath.Join(dir, strconv.Itoa(i)+"-"+name+".o"))
		depfile := c.line.Depfile
		if depfile.Write {
			depfile = c.linkDepfile(depfile, name)
		}
		if err := c.recordCompile(*w.Input, cmp.Or(c.line.Output, "a.out")); err != nil {
			return nil, err
		}
		made := artifact{object, c.linkDumpDir(), filepath.Base(w.Input.Path)}
		if err := c.object(ctx, *w.Input, made, depfile); err != nil {
			return nil, err
		}
		words[i] = lineWord{Input: &lineInput{Path: object}}
	}
	return words, nil
}

// linkDepfile returns the options for the dependency file of a source that is compiled and linked in
// one command. As with g++ and clang++, with -o its target is the program, so that make links it
// again, and it is next to the program if there is only one source.
func (c *compiler) linkDepfile(depfile depfileOptions, stem string) depfileOptions {
	output, sources := c.line.Output, 0
	for _, w := range c.line.Words {
		if w.Input != nil && w.Input.Language != "" {
			sources++
		}
	}
	if depfile.File == "" {
		depfile.File = stem + ".d"
		if output != "" && sources == 1 {
			depfile.File = depfileName(depfileOptions{}, output)
		}
	}
	if len(depfile.Targets) == 0 {
		depfile.Targets = []string{buildstep.EscapedDepfile(cmp.Or(output, stem+".o"))}
	}
	return depfile
}

// linkDumpDir returns the prefix for auxiliary files of sources that are compiled and linked in one
// command. As with the host compiler, it is the program's name.
func (c *compiler) linkDumpDir() string {
	output := cmp.Or(c.line.Output, "a.out")
	if extension := filepath.Ext(output); c.line.Output == "" || extension == ".exe" && !c.host.clang {
		output = strings.TrimSuffix(output, extension)
	}
	return output + "-"
}

// savedObject returns the name under which -save-temps keeps the object of a source that is compiled
// and linked in one command, or "" without the option.
func (c *compiler) savedObject(stem string) string {
	i := slices.IndexFunc(c.line.Host, func(option string) bool { return strings.HasPrefix(option, "-save-temps") })
	switch {
	case i < 0:
		return ""
	case !c.host.clang:
		return c.linkDumpDir() + stem + ".o"
	case c.line.Host[i] == "-save-temps=obj":
		return filepath.Join(filepath.Dir(c.line.Output), stem+".o")
	}
	return stem + ".o"
}

// openMP returns link options for clang. If clang has no OpenMP library of its own, -fopenmp links
// Intel's, which dpcpp-cpp-rt depends on. Both libraries have the same interface.
func (c *compiler) openMP(options []string) []string {
	if !slices.Contains(options, "-fopenmp") {
		return options
	}
	d, err := c.installed()
	if err != nil {
		return options
	}
	library := filepath.Join(d.dir, "lib")
	own, err := exec.Command(c.host.path, "-print-file-name=libomp.so").Output()
	if err != nil || strings.Contains(string(own), "/") || !exists(filepath.Join(library, "libiomp5.so")) {
		return options
	}
	var replaced []string
	for _, option := range options {
		if option == "-fopenmp" {
			option = "-fopenmp=libiomp5"
		}
		replaced = append(replaced, option)
	}
	return append(replaced, "-L"+library, "-Wl,-rpath,"+library)
}

var noOpenMP = regexp.MustCompile(`unable to find library -lomp\b|cannot find -lomp\b`)

// libraryOptions returns the options that link a program against libsycl, if it is needed, and add
// a run path for it. With -nostdlib, the command line must name the library, as libtool does.
func (c *compiler) libraryOptions() ([]string, error) {
	omitsLibsycl := func(option string) bool { return isStatic(option) || option == "-r" }
	if !c.line.SYCL || slices.ContainsFunc(c.line.Link, omitsLibsycl) {
		return nil, nil
	}
	d, err := c.installed()
	if err != nil {
		return nil, nil // no SYCL code; if this is wrong, the linker reports undefined symbols
	}
	library := filepath.Join(d.dir, "lib")
	runPath := []string{"-Wl,-rpath," + library}
	if !filepath.IsAbs(library) { // programs can be started from any directory
		runPath = nil
	}
	if slices.Contains(c.line.Link, "-nostdlib") {
		return runPath, nil
	}
	if c.line.Preview && !exists(filepath.Join(library, c.libsycl())) {
		return nil, cli.BadInput(fmt.Errorf("-fpreview-breaking-changes: no %s; install DPC++ with this library, or compile and link without the option", filepath.Join(library, c.libsycl())))
	}
	options := []string{"-L" + library, "-Wl,--push-state,--as-needed", "-l:" + c.libsycl(), "-Wl,--pop-state"}
	return append(options, runPath...), nil
}

// isStatic reports whether an option links libraries statically.
func isStatic(option string) bool { return option == "-static" || option == "-static-pie" }

var (
	twice        = regexp.MustCompile(`sycl_kernel_is_defined_twice_\w+`)
	twiceVirtual = regexp.MustCompile(`sycl_virtual_function_is_defined_twice_\w+`)
	noLibsycl    = regexp.MustCompile(`undefined (reference|symbol).*\bsycl::_V1::`)
)

// link runs the host compiler to link.
func (c *compiler) link(ctx context.Context, args []string) error {
	var log bytes.Buffer
	err := c.runHost(ctx, c.env.Stdout, &log, args)
	c.env.Stderr.Write(log.Bytes())
	switch {
	case err == nil:
	case twice.Match(log.Bytes()):
		c.env.Notef("", "two sources define different kernels with the same name, which the runtime cannot distinguish; rename one of them")
	case twiceVirtual.Match(log.Bytes()):
		c.env.Notef("", "kernels of two sources construct objects of the same class with virtual functions; compile and link these sources with -fsycl-rdc")
	case slices.ContainsFunc(c.line.Link, isStatic) && noLibsycl.Match(log.Bytes()):
		c.env.Notef("", "libsycl is only available as a shared library; use -static-libstdc++ -static-libgcc instead of -static or -static-pie")
	case noOpenMP.Match(log.Bytes()):
		c.env.Notef("", "clang has no OpenMP library; run 'pip install intel-openmp', or compile and link with -fsycl-host-compiler=g++")
	}
	return err
}

// deviceObject builds an object from linked device code, for -fsycl-link.
func (c *compiler) deviceObject(ctx context.Context, source string) error {
	if source == "" {
		return cli.BadInput(fmt.Errorf("-fsycl-link: no object contains device code; compile them with -fsycl-rdc"))
	}
	return c.assemble(ctx, source, cmp.Or(c.line.Output, "a.o"))
}

// assemble assembles source code that syclc++ has written.
func (c *compiler) assemble(ctx context.Context, source, object string) error {
	return c.runHost(ctx, c.env.Stdout, c.env.Stderr, slices.Concat(c.machine(), c.standardLibrary(), []string{"-c", "-o", object, source}))
}

// syclbins returns the input files whose names end in .syclbin.
func (c *compiler) syclbins() []string {
	var files []string
	for _, w := range c.line.Words {
		if w.Input != nil && filepath.Ext(w.Input.Path) == ".syclbin" {
			files = append(files, w.Input.Path)
		}
	}
	return files
}

// linkSYCLBINs links several SYCLBINs into one, as 'packager link' does.
func (c *compiler) linkSYCLBINs(ctx context.Context, files []string) error {
	for _, w := range c.line.Words {
		if w.Input != nil && !slices.Contains(files, w.Input.Path) {
			return cli.Usagef("%s: -fsycl-link can link SYCLBINs only with SYCLBINs; compile it with -fsyclbin=object", w.Input.Path)
		}
	}
	if c.line.Output == "" {
		return cli.Usagef("-fsycl-link: -o is required to link SYCLBINs, as in -o all.syclbin")
	}
	o := bundle.LinkOptions{Output: c.line.Output, Format: syclbin.Options{Release: syclbinRelease, Version: 1}}
	if c.line.Syclbin != "" {
		state, err := syclbin.ParseState(c.line.Syclbin)
		if err != nil {
			return err
		}
		o.Link.State = &state
	}
	if c.line.DryRun {
		return nil
	}
	result, err := bundle.Link(ctx, c.env, files, o)
	if err != nil {
		return err
	}
	return bundle.Problems(c.env, result, c.line.Output, "use 'packager link --json'")
}

// syclbin compiles sources for devices only and packs the images into a SYCLBIN.
func (c *compiler) syclbin(ctx context.Context, dir string) error {
	targets, err := c.targets()
	if err != nil {
		return err
	}
	output := c.line.Output
	state, err := syclbin.ParseState(c.line.Syclbin)
	if err != nil {
		return err
	}
	imports := state != syclbin.Executable // linking SYCLBINs resolves imports
	var tables []bundle.Table
	var sources []linkir.Source
	var headers []string
	for i, w := range c.line.Words {
		if w.Input == nil {
			continue
		}
		if w.Input.Language != "c++" {
			return cli.Usagef("%s: -fsyclbin requires C++ sources; to link SYCLBINs, use -fsycl-link", w.Input.Path)
		}
		if err := c.prepare(ctx); err != nil {
			return err
		}
		if output == "" {
			output = strings.TrimSuffix(filepath.Base(w.Input.Path), filepath.Ext(w.Input.Path)) + ".syclbin"
		}
		own := filepath.Join(dir, strconv.Itoa(i))
		if err := os.Mkdir(own, 0o777); err != nil {
			return err
		}
		u := &compilation{compiler: c, source: w.Input.Path, dir: own, rdc: c.line.RDC || imports}
		if err := u.device(ctx, c.env.Stderr); err != nil || c.line.DryRun {
			return err
		}
		if c.line.RDC {
			sources = append(sources, linkir.Source{Source: u.source, File: u.file("device.bc")})
			headers = append(headers, u.file("header.h"))
			continue
		}
		of, err := u.tables(ctx, targets)
		if err != nil {
			return err
		}
		tables = append(tables, of...)
	}
	if len(sources) > 0 {
		if tables, err = c.linkedTables(ctx, sources, headers, dir, imports); err != nil {
			return err
		}
	}
	return bundle.Pack(ctx, c.env, bundle.PackOptions{
		Output: output, Format: syclbin.Options{Release: syclbinRelease, Version: 1}, State: state, Tables: tables,
	})
}
