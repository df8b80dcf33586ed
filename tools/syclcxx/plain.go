package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/outfile"
)

// stdin stands for standard input, which the host compiler alone reads.
const stdin = "-"

// plainObject compiles a source that reads none of libsycl's headers. When it turns out that it
// does, it is compiled as SYCL.
func (c *compiler) plainObject(ctx context.Context, in lineInput, output artifact, depfile depfileOptions) error {
	args := slices.Concat(c.dumpOptions(output), c.hostOptions(), c.depfileOptions(depfile, output.object))
	var list string
	if c.line.SYCL && isCPlusPlus(in) {
		d, err := findDPCPP(c.line.DPCPP)
		if err == nil {
			args = append(args, "-idirafter", filepath.Join(d.folder, "include"))
			if !depfile.Write {
				folder, remove, err := outfile.TempDir()
				if err != nil {
					return err
				}
				defer remove()
				list = filepath.Join(folder, "host.d")
				args = append(args, "-MD", "-MF", list)
			} else {
				list = depfile.File
			}
		}
	}
	args = append(args, "-c", "-o", output.object, "-x", in.Language, in.Path)
	if err := c.runHost(ctx, c.env.Stdout, c.env.Stderr, args); err != nil || list == "" || c.line.DryRun {
		return err
	}
	read, err := os.ReadFile(list)
	if err != nil {
		return err
	}
	if strings.Contains(string(read), "/sycl/detail/") {
		if err := os.Remove(output.object); err != nil { // else it would count as made when what follows fails
			return err
		}
		if in.Path == stdin {
			return cli.BadInput(errors.New("a source of SYCL is read twice, for the devices and for the host: put it into a file"))
		}
		return c.syclObject(ctx, in, output, depfile)
	}
	return nil
}

// hostOnly lets the host compiler do what is not the compile of an object: -E, -S, -fsyntax-only,
// -M and precompiled headers.
func (c *compiler) hostOnly(ctx context.Context, in lineInput, output string) error {
	sycl, err := c.readsSYCL(in)
	if err != nil {
		return err
	}
	var args []string
	if sycl {
		if err := c.prepare(ctx); err != nil {
			return err
		}
		u := &compilation{compiler: c, source: in.Path}
		args = u.hostArguments("")
		args = args[:slices.Index(args, "-MD")]
	} else {
		args = c.hostOptions()
	}
	switch c.line.Mode {
	case modePreprocess:
		if !slices.Contains(args, "-M") && !slices.Contains(args, "-MM") {
			args = append(args, "-E")
		}
	case modeAssembly:
		args = append(args, "-S")
	case modeSyntax:
		args = append(args, "-fsyntax-only")
	}
	args = append(args, c.depfileOptions(c.line.Depfile, output)...)
	if output != "" {
		args = append(args, "-o", output)
	}
	return c.runHost(ctx, c.env.Stdout, c.env.Stderr, append(args, "-x", in.Language, in.Path))
}

func isCPlusPlus(in lineInput) bool { return in.Language == "c++" || isHeader(in) }

// isHeader reports whether a header is to be precompiled. That is for the host compile, with all its
// macros: clang does not read the precompiled headers of g++, and reads the header itself.
func isHeader(in lineInput) bool { return in.Language == "c++-header" }

var include = regexp.MustCompile(`^\s*#\s*(?:include|include_next|import)\s*(?:<([^>]*)>|"([^"]*)"|(\S))`)

// readsSYCL reports whether a source may read libsycl's headers: by its #include lines and those of
// headers in the folders that options name, whatever conditions they are under.
func (c *compiler) readsSYCL(in lineInput) (bool, error) {
	if !c.line.SYCL || !isCPlusPlus(in) || in.Path == stdin {
		return false, nil
	}
	if !exists(in.Path) {
		return false, cli.BadInput(fmt.Errorf("%s: there is no such file", in.Path))
	}
	folders := c.includeFolders()
	queue, seen := []string{in.Path}, map[string]bool{in.Path: true}
	add := func(from, name string) {
		for _, folder := range append([]string{filepath.Dir(from)}, folders...) {
			path := filepath.Join(folder, name)
			if filepath.IsAbs(name) {
				path = name
			}
			if info, err := os.Stat(path); err == nil && !info.IsDir() {
				if !seen[path] {
					seen[path] = true
					queue = append(queue, path)
				}
				return
			}
		}
	}
	for i, option := range c.line.Host {
		if (option == "-include" || option == "-imacros") && i+1 < len(c.line.Host) {
			if isSYCLHeader(c.line.Host[i+1]) {
				return true, nil
			}
			add("", c.line.Host[i+1])
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		found, err := scan(queue[0], func(name string) { add(queue[0], name) })
		if found || err != nil {
			return found, err
		}
	}
	return false, nil
}

// scan calls include for each #include of a file. It reports whether one is of libsycl, or cannot
// be told.
func scan(file string, included func(name string)) (bool, error) {
	f, err := os.Open(file)
	if err != nil {
		return false, err
	}
	defer f.Close()
	lines := bufio.NewReader(f)
	for {
		line, err := lines.ReadString('\n')
		if m := include.FindStringSubmatch(line); m != nil {
			name := m[1] + m[2]
			if m[3] != "" || isSYCLHeader(name) {
				return true, nil
			}
			included(name)
		}
		if err != nil {
			return false, nil
		}
	}
}

// isSYCLHeader reports whether a header is one of libsycl, or of a library that reads these.
func isSYCLHeader(name string) bool {
	return strings.HasPrefix(name, "sycl/") || name == "CL/sycl.hpp" || strings.HasSuffix(name, "sycl.hpp") || strings.HasPrefix(name, "oneapi/")
}

// includeFolders returns the folders that options and the environment name for headers.
func (c *compiler) includeFolders() []string {
	var folders []string
	for i, option := range c.line.Host {
		for _, flag := range []string{"-I", "-iquote", "-isystem", "-idirafter"} {
			if option == flag && i+1 < len(c.line.Host) {
				folders = append(folders, c.line.Host[i+1])
			} else if rest, ok := strings.CutPrefix(option, flag); ok && rest != "" {
				folders = append(folders, rest)
			}
		}
	}
	for _, variable := range []string{"CPATH", "CPLUS_INCLUDE_PATH"} {
		folders = append(folders, environmentFolders(variable)...)
	}
	return folders
}
