package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/compilespec"
	"github.com/rules-sycl/rules_sycl/internal/outfile"
)

// stdin is the file name that stands for standard input. Only the host compiler reads it.
const stdin = "-"

// stdout is the name of an output that stands for standard output.
const stdout = "-"

// plainObject compiles a source that does not appear to include SYCL headers as C++. If the compiler
// read SYCL headers, plainObject compiles the source again as SYCL.
func (c *compiler) plainObject(ctx context.Context, in lineInput, output artifact, depfile depfileOptions) error {
	if err := c.checkMark(in); err != nil {
		return err
	}
	options := slices.Concat(c.dumpOptions(output), c.plainOptions(in))
	object := output.object
	if c.makesFiles() {
		object = c.besideFiles(output)
	}
	sycl, err := c.runPlain(ctx, in, options, depfile, output.object, []string{"-c", "-o", object})
	if err != nil {
		return err
	}
	if !sycl {
		if object == output.object || c.line.DryRun {
			return nil
		}
		return c.moveObject(output, object, output.object)
	}
	if isRegular(object) { // otherwise, an object would remain if a later step fails
		if err := os.Remove(object); err != nil {
			return err
		}
	}
	if in.Path == stdin {
		return cli.BadInput(errors.New("cannot compile SYCL from standard input, because the source is read twice (for devices and for the host); use a file"))
	}
	return c.syclObject(ctx, in, output, depfile)
}

// runPlain runs the host compiler on a source in which no SYCL headers were found, and reports
// whether the compiler read any. It passes options, options for the dependency file of target, and
// action.
func (c *compiler) runPlain(ctx context.Context, in lineInput, options []string, depfile depfileOptions, target string, action []string) (sycl bool, err error) {
	run := func(input io.Reader, log io.Writer, more ...string) error {
		return c.runHostWith(ctx, input, c.env.Stdout, log, slices.Concat(options, more, []string{"-x", in.Language, in.Path}))
	}
	if !c.mayBeSYCL(in) {
		return false, run(c.env.Stdin, c.env.Stderr, append(c.depfileOptions(depfile, target), action...)...)
	}
	dir, remove, err := outfile.TempDir()
	if err != nil {
		return false, err
	}
	defer remove()
	list := filepath.Join(dir, "host.d")
	listing := []string{"-MD", "-MF", list}
	var text []byte
	if depfile.Write {
		listing = c.depfileOptions(depfile, target)
		if in.Path == stdin { // it may be read twice
			if text, err = io.ReadAll(c.env.Stdin); err != nil {
				return false, err
			}
		}
	}
	input := func() io.Reader {
		if text != nil {
			return bytes.NewReader(text)
		}
		return c.env.Stdin
	}
	if err := run(input(), c.env.Stderr, append(listing, action...)...); err != nil || c.line.DryRun {
		return false, err
	}
	if depfile.Write {
		if name := depfileName(depfile, target); name != "-" && depfile.System && !depfile.Append && isRegular(name) {
			list = name
		} else { // its own file lacks system headers
			var log bytes.Buffer // the first run printed the same
			if err := run(input(), &log, "-M", "-MF", list); err != nil {
				c.env.Stderr.Write(log.Bytes())
				return false, err
			}
		}
	}
	read, err := os.ReadFile(list)
	return strings.Contains(string(read), "/sycl/detail/"), err
}

// mayBeSYCL reports whether a source may include SYCL headers in a way that readsSYCL does not find.
func (c *compiler) mayBeSYCL(in lineInput) bool {
	if !c.line.SYCL || !isCPlusPlus(in) {
		return false
	}
	_, err := c.installed()
	return err == nil
}

func isRegular(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.Mode().IsRegular()
}

// hostOnly runs the host compiler for all outputs other than objects: -E, -S, -fsyntax-only, -M and
// precompiled headers.
func (c *compiler) hostOnly(ctx context.Context, in lineInput, output string) error {
	sycl, err := c.readsSYCL(in)
	if err != nil {
		return err
	}
	lists := slices.Contains(c.line.Host, "-M") || slices.Contains(c.line.Host, "-MM")
	// clangd and CMake query the include directories with '-E -v' and an empty file.
	asked := c.line.SYCL && isCPlusPlus(in) && c.line.Mode == modePreprocess && c.line.Verbose
	var args []string
	prepare := func() error {
		if err := c.prepare(ctx); err != nil {
			return err
		}
		_, err := c.targets()
		return err
	}
	if sycl || asked {
		if err := prepare(); err != nil {
			return err
		}
		u := &compilation{compiler: c, source: in.Path}
		args = u.hostArguments("")
		args = args[:slices.Index(args, "-MD")]
	} else {
		args = c.plainOptions(in)
	}
	var action []string
	target := output
	switch c.line.Mode {
	case modePreprocess:
		if lists {
			action = listOptions(c.line.Depfile)
		} else {
			action = []string{"-E"}
		}
	case modeAssembly:
		action = []string{"-S"}
		if output == "" {
			output, target = stem(in.Path)+c.extension(".s", ".ll"), stem(in.Path)+".o"
		}
	case modeSyntax:
		action = []string{"-fsyntax-only"}
	}
	if c.line.Mode == modePreprocess && !c.host.clang {
		target = "" // g++ names the object
	}
	if target == "" && in.Path != stdin {
		target = stem(in.Path) + ".o"
	}
	if err := c.recordCompile(in, output); err != nil {
		return err
	}
	if output != "" {
		action = append(action, "-o", output)
	}
	if !sycl && !asked && (c.line.Mode == modeAssembly || c.line.Mode == modePreprocess && !lists) {
		if sycl, err = c.runPlain(ctx, in, args, c.line.Depfile, target, action); err != nil || !sycl {
			return err
		}
		if err := prepare(); err != nil {
			return err
		}
		return c.mark(in, output)
	}
	if !lists {
		args = append(args, c.depfileOptions(c.line.Depfile, target)...)
	}
	args = slices.Concat(args, action, []string{"-x", in.Language, in.Path})
	if err := c.runHost(ctx, c.env.Stdout, c.env.Stderr, args); err != nil || !sycl || c.line.DryRun {
		return err
	}
	return c.mark(in, output)
}

// plainOptions returns the options of the command line for a source without SYCL.
func (c *compiler) plainOptions(in lineInput) []string {
	options := slices.Concat(c.standardLibrary(), c.hostOptions())
	if c.line.SYCL && isCPlusPlus(in) {
		options = append(options, languageVersion)
	}
	if c.mayBeSYCL(in) {
		d, _ := c.installed()
		if headers, err := c.headers(); err == nil {
			options = append(options, "-DRULES_SYCL_TABLE", "-idirafter", headers)
		}
		options = append(options, "-idirafter", filepath.Join(d.dir, "include"))
	}
	return options
}

// standardLibrary returns the options that make clang use the same standard library as libsycl, even
// without SYCL: such objects can be in one program with SYCL objects.
func (c *compiler) standardLibrary() []string {
	if !c.host.clang {
		return nil
	}
	return []string{"-stdlib=libstdc++", "-Wno-unused-command-line-argument"}
}

// stem returns the name of a file without directories and extension.
func stem(path string) string { return strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)) }

// extension returns the extension of an output file: llvm with clang's -emit-llvm, else native.
func (c *compiler) extension(native, llvm string) string {
	if !c.line.SYCL && slices.Contains(c.line.Host, "-emit-llvm") {
		return llvm
	}
	return native
}

func isCPlusPlus(in lineInput) bool { return in.Language == "c++" || isHeader(in) }

// isHeader reports whether the input is a header to precompile. Only the host compile uses
// precompiled headers: the device compile cannot read g++'s and reads the header itself.
func isHeader(in lineInput) bool { return in.Language == "c++-header" }

// include matches a line that includes a file or the value of a macro, even if comments precede the
// name.
var include = regexp.MustCompile(`^(?:.*\*/)?\s*(?:#|%:)` + blank + `*(?:include_next|include|import)(?:` + blank + `*<([^>]*)>|` + blank + `*"([^"]*)"|` + blank + `+([A-Za-z_]))`)

const blank = `(?:\s|/\*.*?\*/)`

// readsSYCL reports whether a source may include SYCL headers. It follows the #include lines of the
// source and of headers, regardless of #if. A macro as the name of a header may be a SYCL header,
// except in system headers.
func (c *compiler) readsSYCL(in lineInput) (bool, error) {
	if !c.line.SYCL || !isCPlusPlus(in) || in.Path == stdin {
		return false, nil
	}
	if !exists(in.Path) {
		return false, cli.BadInput(fmt.Errorf("%s: file not found", in.Path))
	}
	found := false
	err := c.visit(in, func(_ visited, sycl bool) bool {
		found = found || sycl
		return !found
	})
	return found, err
}

// closure returns a source and the project headers that it may include, regardless of #if.
func (c *compiler) closure(in lineInput) (files []string, err error) {
	err = c.visit(in, func(v visited, _ bool) bool {
		if !v.system {
			files = append(files, v.path)
		}
		return true
	})
	return files, err
}

// visited is a file that visit found. It is a system header if the command line does not name its
// directory.
type visited struct {
	path   string
	system bool
}

// visit calls next for a source and each header that it may include until next returns false; sycl
// is true if the file includes SYCL headers.
func (c *compiler) visit(in lineInput, next func(file visited, sycl bool) bool) error {
	dirs, systemDirs := c.includeDirs(), c.systemDirs()
	queue, seen := []visited{{path: in.Path}}, map[string]bool{in.Path: true}
	add := func(from visited, name string) {
		for i, dir := range slices.Concat([]string{filepath.Dir(from.path)}, dirs, systemDirs) {
			path := filepath.Join(dir, name)
			if filepath.IsAbs(name) {
				path = name
			}
			if info, err := os.Stat(path); err == nil && !info.IsDir() {
				if !seen[path] {
					seen[path] = true
					queue = append(queue, visited{path, i > len(dirs) || i == 0 && from.system})
				}
				return
			}
		}
	}
	for _, name := range c.valuesOf("-include", "-imacros") {
		if !isSYCLHeader(name) {
			add(visited{}, name)
		} else if !next(visited{path: name}, true) {
			return nil
		}
	}
	for i := 0; i < len(queue); i++ {
		file := queue[i]
		sycl, macro, err := scan(file.path, func(name string) { add(file, name) })
		if err != nil && !file.system {
			return err
		}
		if !next(file, sycl || macro && !file.system) {
			break
		}
	}
	return nil
}

// scan calls included for each file that the file includes, except SYCL headers. It reports whether
// the file includes a SYCL header, and whether it includes a header whose name is a macro.
func scan(file string, included func(name string)) (sycl, macro bool, err error) {
	f, err := os.Open(file)
	if err != nil {
		return false, false, err
	}
	defer f.Close()
	lines := bufio.NewReader(f)
	for {
		line, err := lines.ReadString('\n')
		if m := include.FindStringSubmatch(line); m != nil {
			switch name := m[1] + m[2]; {
			case m[3] != "":
				macro = true
			case isSYCLHeader(name):
				sycl = true
			default:
				included(name)
			}
		}
		if err != nil {
			return sycl, macro, nil
		}
	}
}

// isSYCLHeader reports whether a header belongs to libsycl or to a library that includes libsycl's
// headers.
func isSYCLHeader(name string) bool {
	return strings.HasPrefix(name, "sycl/") || name == "CL/sycl.hpp" || strings.HasSuffix(name, "sycl.hpp") || strings.HasPrefix(name, "oneapi/")
}

// includeDirs returns the include directories on the command line and in the environment.
func (c *compiler) includeDirs() []string {
	dirs := c.valuesOf("-I", "-iquote", "-isystem", "-cxx-isystem", "-idirafter")
	for _, variable := range []string{"CPATH", "CPLUS_INCLUDE_PATH"} {
		dirs = append(dirs, environmentDirs(variable)...)
	}
	return dirs
}

// systemDirs returns the include directories of the system, for which CMake omits -isystem, and of
// DPC++.
func (c *compiler) systemDirs() []string {
	dirs := []string{c.inSysroot("usr/local/include"), c.inSysroot("usr/include")}
	if d, err := c.installed(); err == nil {
		dirs = append(dirs, filepath.Join(d.dir, "include"))
	}
	return dirs
}

// inSysroot returns the path of a directory in the directory of --sysroot.
func (c *compiler) inSysroot(dir string) string {
	sysroot := "/"
	for _, option := range c.line.Host {
		if root, ok := strings.CutPrefix(option, "--sysroot="); ok && root != "" {
			sysroot = root
		}
	}
	return filepath.Join(sysroot, dir)
}

// valuesOf returns the values of the given options.
func (c *compiler) valuesOf(flags ...string) []string {
	var values []string
	for i, option := range c.line.Host {
		for _, flag := range flags {
			if option == flag && i+1 < len(c.line.Host) {
				values = append(values, c.line.Host[i+1])
			} else if rest, ok := strings.CutPrefix(option, flag); ok && rest != "" && compilespec.Find(option).Name == flag {
				values = append(values, rest)
			}
		}
	}
	return values
}
