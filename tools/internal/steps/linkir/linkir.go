// Package linkir implements the build step that links the device code of several sources into one
// module.
package linkir

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/outfile"
	"github.com/rules-sycl/rules_sycl/sycl/postlink"
	"github.com/rules-sycl/rules_sycl/tools/internal/buildstep"
)

// Options holds the options of [Run].
type Options struct {
	LLVMDis, LLVMLink string // paths of programs
	Sources           []Source
	Output            string // bitcode file to write

	// EmulateFP64Conversions is documented in [postlink.Options].
	EmulateFP64Conversions bool
}

// A Source is a source and the file with its device code.
type Source struct {
	Source, File string

	// Member marks a member of an archive. It is linked only if it has kernels, which its host code
	// may submit, or if it defines a symbol that the code linked so far uses and does not define.
	Member bool
}

// Run links the device code of several sources into one module. It writes compiler output to log.
func Run(ctx context.Context, log io.Writer, o Options) error {
	scratch, remove, err := outfile.TempDir()
	if err != nil {
		return err
	}
	defer remove()
	marked, err := o.mark(ctx, log, scratch)
	if err != nil {
		return err
	}
	marked = o.needed(marked)
	if err := deduplicate(marked); err != nil {
		return err
	}
	var outputs outfile.Group
	defer outputs.Close()
	out, err := outputs.Main(o.Output)
	if err != nil {
		return err
	}
	// names replaces the names of scratch files in llvm-link's messages.
	var args, names []string
	for _, m := range marked {
		args, names = append(args, m.file), append(names, m.file, m.Name)
	}
	if err := buildstep.Run(ctx, nil, nil, buildstep.RenameOutput(log, names...), o.LLVMLink, append(args, "-o", out)...); err != nil {
		return outputs.Relabel(buildstep.RenameError(err, names...))
	}
	return outputs.Commit()
}

// A markedSource is the module of a source, as text in which kernels are marked.
type markedSource struct {
	postlink.Source
	file string
}

// mark concurrently marks the kernels of all sources.
func (o *Options) mark(ctx context.Context, log io.Writer, scratch string) ([]markedSource, error) {
	marked := make([]markedSource, len(o.Sources))
	return marked, buildstep.Each(ctx, log, len(marked), runtime.GOMAXPROCS(0), func(ctx context.Context, log io.Writer, i int) error {
		s, file := o.Sources[i], filepath.Join(scratch, strconv.Itoa(i)+".ll")
		defined, err := o.markSource(ctx, log, s, file)
		if err != nil {
			return err
		}
		read := func() (*postlink.Module, error) {
			text, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			return postlink.Parse(file, text)
		}
		marked[i] = markedSource{postlink.Source{Name: s.Source, Definitions: defined, Read: read}, file}
		return nil
	})
}

// markSource writes the module of a source as text in which kernels are marked. It returns the
// symbols that the module defines.
func (o *Options) markSource(ctx context.Context, log io.Writer, s Source, out string) (postlink.Definitions, error) {
	var none postlink.Definitions
	if _, err := cli.StatInput(s.File, "LLVM bitcode"); err != nil {
		return none, err
	}
	var text bytes.Buffer
	if err := buildstep.Run(ctx, nil, &text, log, o.LLVMDis, s.File, "-o", "-"); err != nil {
		return none, err
	}
	m, err := postlink.Parse(s.File, text.Bytes())
	if err != nil {
		return none, err
	}
	if err := m.Mark(s.Source, o.EmulateFP64Conversions); err != nil {
		return none, err
	}
	return m.Definitions(), writeIR(out, m)
}

// needed returns the modules to link: all objects, and the members of archives that are needed. As
// in a host link, the first definition of a symbol is used.
func (o *Options) needed(marked []markedSource) []markedSource {
	linked := make([]bool, len(marked))
	defined, undefined := map[string]bool{}, map[string]bool{}
	link := func(i int) {
		linked[i] = true
		for _, name := range marked[i].Definitions.Exported {
			defined[name] = true
		}
		for _, name := range marked[i].Definitions.Undefined {
			undefined[name] = true
		}
	}
	isNeeded := func(d postlink.Definitions) bool {
		return len(d.Kernels) > 0 || slices.ContainsFunc(d.Exported, func(name string) bool { return undefined[name] && !defined[name] })
	}
	for i, s := range o.Sources {
		if !s.Member {
			link(i)
		}
	}
	for changed := true; changed; {
		changed = false
		for i, m := range marked {
			if !linked[i] && isNeeded(m.Definitions) {
				link(i)
				changed = true
			}
		}
	}
	if !slices.Contains(linked, true) {
		linked[0] = true // llvm-link needs a module; this one has no kernels
	}
	var list []markedSource
	for i, m := range marked {
		if linked[i] {
			list = append(list, m)
		}
	}
	return list
}

// deduplicate keeps one copy of each kernel that several sources define.
func deduplicate(marked []markedSource) error {
	sources := make([]postlink.Source, len(marked))
	for i, m := range marked {
		sources[i] = m.Source
	}
	changed, err := postlink.DeduplicateKernels(sources)
	if err != nil {
		return err
	}
	for i, m := range changed {
		if err := writeIR(marked[i].file, m); err != nil {
			return err
		}
	}
	return nil
}

func writeIR(file string, m *postlink.Module) error {
	return outfile.Write(file, func(w io.Writer) error { _, err := m.WriteTo(w); return err })
}
