package hostkernels

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/sycl/hostwrap"
	"github.com/rules-sycl/rules_sycl/tools/internal/buildstep"
)

// maxFindings is the maximum number of errors and warnings printed per source.
const maxFindings = 10

// ObjectName is the placeholder for the object file in Source.Compile.
const ObjectName = "rules_sycl_object"

// A Source is a source file with the outputs of its host and device compilations.
type Source struct {
	Name, Header, Object string

	// Files are the source and its headers. With clang, they show the order of lambdas.
	Files []string

	// Clang describes how to select clang as the host compiler, for messages about limitations of
	// g++.
	Clang string

	// Compile is the command of the host compilation, or nil if the source cannot be recompiled.
	// Stdin is the file to use as its standard input, if any.
	Compile []string
	Stdin   string
}

// A Comparison is the result of comparing the host code and the device code of a source.
type Comparison struct {
	Findings []Finding
	Layouts  map[string]*Layout // layouts of kernels that need one
	Types    map[string]string  // typeid names of kernels that differ from the device compilation's
}

// Failed reports whether a finding is an error, which means that the program would not work.
func (c *Comparison) Failed() bool {
	return slices.ContainsFunc(c.Findings, func(f Finding) bool { return !f.Warning })
}

// Compare compares the host code and the device code. A second host compilation writes its output
// to log.
func (s *Source) Compare(ctx context.Context, log io.Writer) (*Comparison, error) {
	described, err := os.ReadFile(s.Header)
	if err != nil {
		return nil, err
	}
	device := kernelsOf(hostwrap.ParseHeader(string(described)))
	host, err := parseObject(s.Object, readObject)
	if err != nil {
		return nil, err
	}
	c := new(Comparison)
	if len(s.Compile) > 0 && !host.Readable {
		if host, err = recompile(ctx, log, s, readObject); err != nil {
			return nil, err
		}
	}
	switch {
	case !host.table:
	case host.GCC == 0:
		renameLambdas(device, host, s.Files)
	case host.GCC < 13:
		renameSubstituted(device, host)
	}
	if len(s.Compile) > 0 && host.GCC != 0 {
		sources := sourcesOf(append(hostwrap.ParseFiles(string(described)), s.Name))
		if needLayouts(device, host, sources) {
			find := func(r io.ReaderAt) (*layouts, error) { return layoutsOf(r, device, sources) }
			// The object has debugging information if the user compiles with -g.
			host.Layouts, err = parseObject(s.Object, find)
			if err != nil || !host.Layouts.complete || len(host.Layouts.unknown) > 0 {
				host.Layouts, err = recompile(ctx, log, s, find)
			}
			if err != nil {
				return nil, err
			}
		}
	}
	if host.Layouts != nil {
		c.Layouts = host.Layouts.known
	}
	c.Types = types(device, host)
	c.Findings = compare(device, host)
	return c, nil
}

// sourcesOf returns the readable files among the named ones.
func sourcesOf(files []string) (sources []*source) {
	for i, name := range files {
		if text, err := os.ReadFile(name); err == nil && !slices.Contains(files[:i], name) {
			sources = append(sources, sourceOf(string(text)))
		}
	}
	return sources
}

// Print prints findings in the format of compilers.
func (s *Source) Print(w io.Writer, findings []Finding) {
	text, _ := os.ReadFile(s.Name) // if this fails, some messages have no line number
	found := map[string]int{}
	for _, f := range findings {
		severity := "error"
		if f.Warning {
			severity = "warning"
		}
		if found[severity]++; found[severity] <= maxFindings {
			clang := ""
			if s.Clang != "" {
				clang = " (" + s.Clang + ")"
			}
			fmt.Fprintf(w, "%s: %s: %s\n", f.Kernel.Place(s.Name, text), severity, strings.ReplaceAll(f.Text, "{clang}", clang))
		}
	}
	for _, severity := range []string{"error", "warning"} {
		if more := found[severity] - maxFindings; more > 0 {
			fmt.Fprintf(w, "%s: %s: too many messages; %d more not shown\n", s.Name, severity, more)
		}
	}
}

// recompile compiles a source again, with debugging information and without link-time optimization.
// It returns what parse returns for the object file.
func recompile[T any](ctx context.Context, log io.Writer, s *Source, parse func(io.ReaderAt) (T, error)) (T, error) {
	var none T
	dir, err := os.MkdirTemp("", "hostkernels")
	if err != nil {
		return none, err
	}
	defer os.RemoveAll(dir)
	object := filepath.Join(dir, "layouts.o")
	argv := debugCommand(s.Compile, object)
	var stdin io.Reader
	if s.Stdin != "" {
		file, err := os.Open(s.Stdin)
		if err != nil {
			return none, err
		}
		defer file.Close()
		stdin = file
	}
	if err := buildstep.Run(ctx, stdin, nil, log, argv[0], argv[1:]...); err != nil {
		return none, err
	}
	return parseObject(object, parse)
}

// debugCommand returns the command that compiles a source with debugging information into an object
// file. -gsplit-dwarf would write the information to a different file.
func debugCommand(compile []string, object string) (argv []string) {
	for _, a := range compile {
		if a == ObjectName {
			a = object
		}
		if !strings.HasPrefix(a, "-gsplit-dwarf") {
			argv = append(argv, a)
		}
	}
	return append(argv, "-g", "-O0", "-fno-data-sections", "-fno-lto", "-w")
}

// parseObject returns what parse returns for an object file.
func parseObject[T any](name string, parse func(io.ReaderAt) (T, error)) (T, error) {
	var none T
	file, err := os.Open(name)
	if err != nil {
		return none, err
	}
	defer file.Close()
	out, err := parse(file)
	if err != nil {
		return none, cli.BadInput(fmt.Errorf("%s: not a complete host object file: %w; recompile the source", name, err))
	}
	return out, nil
}
