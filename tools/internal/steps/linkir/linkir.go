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
type Source struct{ Source, File string }

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
		marked[i] = markedSource{postlink.Source{Name: s.Source, Definitions: defined, Read: func() (*postlink.Module, error) { return readIR(file) }}, file}
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

func readIR(file string) (*postlink.Module, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return postlink.Parse(file, text)
}

func writeIR(file string, m *postlink.Module) error {
	return outfile.Write(file, func(w io.Writer) error { _, err := m.WriteTo(w); return err })
}
