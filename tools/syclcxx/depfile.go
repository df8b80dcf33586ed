package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/outfile"
	"github.com/rules-sycl/rules_sycl/tools/internal/buildstep"
)

// depfileOptions are those by which the host compiler writes the dependency file itself.
func (c *compiler) depfileOptions(d depfileOptions, output string) []string {
	if !d.Write {
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

// depfileName returns the name of the dependency file of an object.
func depfileName(d depfileOptions, output string) string {
	if d.File != "" {
		return d.File
	}
	return strings.TrimSuffix(output, filepath.Ext(output)) + ".d"
}

// depfileTargets returns the targets of its rule, as they stand there.
func depfileTargets(d depfileOptions, output string) []string {
	if len(d.Targets) > 0 {
		return d.Targets
	}
	return []string{buildstep.EscapedDepfile(output)}
}

// writeDepfile writes the files that the two compiles have read: the headers of DPC++ and of this
// tool, which every object depends on, belong to it as those of the system do.
func (u *compilation) writeDepfile(out *outfile.Group) error {
	headers, err := u.headers()
	if err != nil {
		return err
	}
	files, seen := []string{u.source}, map[string]bool{filepath.Clean(u.source): true}
	for _, name := range []string{"host.d", "device.d"} {
		text, err := os.ReadFile(u.file(name))
		if err != nil {
			return err
		}
		_, text2, found := strings.Cut(string(text), ":")
		if !found {
			return fmt.Errorf("%s: the compiler wrote no list of the files that it read", u.source)
		}
		for _, file := range buildstep.Dependencies(text2) {
			system := under(file, "/usr") || under(file, u.dpcpp.folder) || under(file, headers) || u.gccFolder != "" && under(file, u.gccFolder)
			if seen[filepath.Clean(file)] || under(file, u.folder) || system && !u.depfile.System {
				continue
			}
			seen[filepath.Clean(file)] = true
			files = append(files, file)
		}
	}
	return out.Write(depfileName(u.depfile, u.output.object), func(w io.Writer) error {
		return buildstep.WriteDepfile(w, depfileTargets(u.depfile, u.output.object), files, u.depfile.Phony)
	})
}

// under reports whether a file is below a folder.
func under(file, folder string) bool {
	relative, err := filepath.Rel(folder, file)
	return err == nil && filepath.IsLocal(relative)
}
