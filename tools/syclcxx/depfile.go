package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/outfile"
	"github.com/rules-sycl/rules_sycl/tools/internal/buildstep"
)

// environmentDepfile returns the dependency file that environment variables of g++ request, as FILE
// or "FILE TARGET".
func environmentDepfile(source string) depfileOptions {
	for _, variable := range []string{"DEPENDENCIES_OUTPUT", "SUNPRO_DEPENDENCIES"} {
		value := os.Getenv(variable)
		if value == "" {
			continue
		}
		file, target, found := strings.Cut(value, " ")
		if !found {
			target = buildstep.EscapedDepfile(stem(source) + ".o")
		}
		return depfileOptions{Write: true, Append: true, System: variable == "SUNPRO_DEPENDENCIES", File: file, Targets: []string{target}}
	}
	return depfileOptions{}
}

// depfileOptions returns the options that make the host compiler write the dependency file itself.
func (c *compiler) depfileOptions(d depfileOptions, output string) []string {
	if !d.Write || d.Append { // g++ reads the environment variables
		return nil
	}
	args := []string{"-MD"}
	if !d.System {
		args = []string{"-MMD"}
	}
	args = append(args, "-MF", depfileName(d, output))
	for _, target := range depfileTargets(d, output) {
		args = append(args, "-MT", target)
	}
	if d.Phony {
		args = append(args, "-MP")
	}
	return args
}

// listOptions returns the options that modify -M and -MM.
func listOptions(d depfileOptions) (args []string) {
	if d.File != "" {
		args = append(args, "-MF", d.File)
	}
	for _, target := range d.Targets {
		args = append(args, "-MT", target)
	}
	if d.Phony {
		args = append(args, "-MP")
	}
	if d.Missing {
		args = append(args, "-MG")
	}
	return args
}

// depfileName returns the name of the dependency file of an object.
func depfileName(d depfileOptions, output string) string {
	if d.File != "" {
		return d.File
	}
	return strings.TrimSuffix(output, filepath.Ext(output)) + ".d"
}

// depfileTargets returns the targets of the rule in the dependency file, in make syntax.
func depfileTargets(d depfileOptions, output string) []string {
	if len(d.Targets) > 0 {
		return d.Targets
	}
	return []string{buildstep.EscapedDepfile(output)}
}

// writeDepfile writes a dependency file with the files that the two compiles read and the device
// configuration files. Headers of DPC++ and syclc++ count as system headers.
func (u *compilation) writeDepfile(out *outfile.Group) error {
	isSystem, err := u.systemFiles()
	if err != nil {
		return err
	}
	files, seen := []string{u.source}, map[string]bool{filepath.Clean(u.source): true}
	slashed := map[string]bool{strings.ReplaceAll(u.source, `\`, "/"): true}
	for _, name := range []string{"host.d", "device.d"} {
		text, err := os.ReadFile(u.file(name))
		if err != nil {
			return err
		}
		_, text2, found := strings.Cut(string(text), ":")
		if !found {
			return fmt.Errorf("%s: the compiler wrote no dependency file", u.source)
		}
		for _, file := range buildstep.Dependencies(text2, true) {
			// Clang replaces a backslash in a name with a slash.
			if seen[filepath.Clean(file)] || slashed[file] || under(file, u.dir) || !u.depfile.System && isSystem(file) {
				continue
			}
			seen[filepath.Clean(file)] = true
			slashed[strings.ReplaceAll(file, `\`, "/")] = strings.Contains(file, `\`)
			files = append(files, file)
		}
	}
	files = append(files, u.line.DeviceConfigs...)
	write := func(w io.Writer) error {
		return buildstep.WriteDepfile(w, depfileTargets(u.depfile, u.output.object), files, u.depfile.Phony)
	}
	switch name := depfileName(u.depfile, u.output.object); {
	case name == "-":
		return write(u.env.Stdout)
	case u.depfile.Append:
		return appendTo(name, write)
	default:
		return out.Write(name, write)
	}
}

// appendTo appends the output of write to a file.
func appendTo(name string, write func(io.Writer) error) error {
	file, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	return errors.Join(write(file), file.Close())
}

// systemFiles returns a function that reports whether a file is a system header. As for gcc's -MMD,
// this depends on whether the innermost search directory that contains it is for system headers.
func (c *compiler) systemFiles() (func(file string) bool, error) {
	headers, err := c.headers()
	if err != nil {
		return nil, err
	}
	system := []string{"/usr/include", "/usr/local/include", "/usr/lib", "/usr/lib64", filepath.Join(c.dpcpp.dir, "include"), headers}
	if c.ownHeaders != "" {
		system = append(system, c.ownHeaders)
	}
	if c.gccDir != "" { // PREFIX/lib/gcc/TRIPLE/VERSION
		system = append(system, c.gccDir, filepath.Join(c.gccDir, "../../../../include"))
	}
	system = append(system, c.valuesOf("-isystem", "-cxx-isystem", "-isystem-after", "-idirafter")...)
	system = append(system, environmentDirs("CPLUS_INCLUDE_PATH")...)
	own := append(c.valuesOf("-I", "-iquote"), environmentDirs("CPATH")...)
	innermost := func(file string, dirs []string) (depth int) {
		for _, dir := range dirs {
			if under(file, dir) {
				depth = max(depth, len(filepath.Clean(dir)))
			}
		}
		return depth
	}
	return func(file string) bool {
		in := innermost(file, system)
		return in > 0 && in >= innermost(file, own)
	}, nil
}

// under reports whether a file is below a directory.
func under(file, dir string) bool {
	relative, err := filepath.Rel(dir, file)
	return err == nil && filepath.IsLocal(relative)
}
