package hostkernels

import (
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
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

// A Source is a source file with the outputs of its compiles.
type Source struct {
	Name, Header, Object string

	// Clang is how to select clang as the host compiler, for messages about limitations of g++.
	Clang string

	// Compile is the command of the host compile, or nil if the source cannot be compiled again.
	// Stdin is the file to use as its standard input, if any.
	Compile []string
	Stdin   string
}

// A Comparison is the result of comparing the host code and the device code of a source.
type Comparison struct {
	Findings []Finding
	Layouts  map[string]*Layout // layouts of kernels that need one
	Types    map[string]string  // typeid names of kernels that differ from the device compile's
}

// Failed reports whether a finding is an error, which means that the program would not work.
func (c *Comparison) Failed() bool {
	return slices.ContainsFunc(c.Findings, func(f Finding) bool { return !f.Warning })
}

// Compare compares the host code and the device code. A second host compile writes its output to
// log.
func (s *Source) Compare(ctx context.Context, log io.Writer) (*Comparison, error) {
	described, err := os.ReadFile(s.Header)
	if err != nil {
		return nil, err
	}
	device := kernelsOf(hostwrap.ParseHeader(string(described)))
	host, err := read(s.Object, func(r io.ReaderAt) (*hostObject, error) { return readObject(r) })
	if err != nil {
		return nil, err
	}
	c := &Comparison{Layouts: map[string]*Layout{}}
	if len(s.Compile) > 0 && !host.Readable {
		if host, err = compiledAgain(ctx, log, s, readObject); err != nil {
			return nil, err
		}
	}
	if len(s.Compile) > 0 && host.GCC != 0 {
		sources := s.sources(hostwrap.ParseFiles(string(described)))
		if needLayouts(device, host, sources) {
			host.Layouts, err = compiledAgain(ctx, log, s, func(r io.ReaderAt) (map[string]*Layout, error) { return layoutsOf(r, device, sources) })
			if err != nil {
				return nil, err
			}
		}
	}
	for symbol, layout := range host.Layouts {
		if layout != nil {
			c.Layouts[symbol] = layout
		}
	}
	c.Types = types(device, host)
	c.Findings = compare(device, host)
	return c, nil
}

// sources maps names to the source, other files with kernels, and headers that are relevant. The names have no directories, as in integration headers, unless several files have the same
// name. Unreadable files are omitted.
func (s *Source) sources(files []string) map[string]*source {
	sources, paths := make(map[string]*source), make(map[string]string)
	queue := append(files, s.Name)
	own, dirs, seen := len(queue), s.includeDirs(), make(map[string]bool)
	for i := 0; i < len(queue); i++ {
		name := filepath.Clean(queue[i])
		text, err := os.ReadFile(name)
		for _, m := range inclusion.FindAllSubmatch(text, -1) {
			if first, _, _ := strings.Cut(string(m[1]), "/"); slices.Contains([]string{"sycl", "CL", "syclcompat"}, first) {
				continue // DPC++'s
			}
			for _, dir := range append([]string{filepath.Dir(name)}, dirs...) {
				header := filepath.Join(dir, string(m[1]))
				if info, err := os.Stat(header); err == nil && info.Mode().IsRegular() {
					if !seen[header] {
						seen[header] = true
						queue = append(queue, header)
					}
					break
				}
			}
		}
		if err != nil || i >= own && !isRelevant(string(text)) {
			continue
		}
		base := path.Base(filepath.ToSlash(name))
		switch before, ok := paths[base]; {
		case !ok:
			paths[base], sources[base] = name, sourceOf(string(text))
		case before != name:
			sources["./"+name] = sourceOf(string(text))
			if first := sources[base]; first != nil {
				sources["./"+before] = first
				delete(sources, base)
			}
		}
	}
	return sources
}

// isRelevant reports whether a header has lambdas whose captures g++ and DPC++ may order differently,
// or capture lists with parameter packs, whose order is the same.
func isRelevant(text string) bool {
	return listedPack.MatchString(text) || defaultCapture.MatchString(text) && hazard.MatchString(text) && reorders(bare(text))
}

var listedPack = regexp.MustCompile(`\[[^\[\]\n]*\.\.\.`)

// inclusion matches the inclusion of a header.
var inclusion = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)[">]`)

// includeDirs returns the include directories on the command line of the host compile.
func (s *Source) includeDirs() (dirs []string) {
	for i, option := range s.Compile {
		for _, flag := range []string{"-I", "-iquote", "-isystem", "-idirafter"} {
			dir, ok := strings.CutPrefix(option, flag)
			if ok && dir == "" && i+1 < len(s.Compile) {
				dir = s.Compile[i+1]
			}
			if ok && dir != "" {
				dirs = append(dirs, dir)
			}
		}
	}
	return dirs
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

// compiledAgain compiles a source again, with debugging information and without link-time
// optimization, and calls from with the object file.
func compiledAgain[T any](ctx context.Context, log io.Writer, s *Source, from func(io.ReaderAt) (T, error)) (T, error) {
	var none T
	dir, err := os.MkdirTemp("", "hostkernels")
	if err != nil {
		return none, err
	}
	defer os.RemoveAll(dir)
	object := filepath.Join(dir, "layouts.o")
	argv := slices.Clone(s.Compile)
	for i, a := range argv {
		if a == ObjectName {
			argv[i] = object
		}
	}
	argv = append(argv, "-g", "-O0", "-fno-data-sections", "-fno-lto", "-w")
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
	return read(object, from)
}

// read calls from with an object file.
func read[T any](name string, from func(io.ReaderAt) (T, error)) (T, error) {
	var none T
	file, err := os.Open(name)
	if err != nil {
		return none, err
	}
	defer file.Close()
	out, err := from(file)
	if err != nil {
		return none, cli.BadInput(fmt.Errorf("%s: not a complete host object file: %w; recompile the source", name, err))
	}
	return out, nil
}
