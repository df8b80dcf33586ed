package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/inputs"
	"github.com/rules-sycl/rules_sycl/internal/outfile"
	"github.com/rules-sycl/rules_sycl/sycl/filetable"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/syclbin"
)

func extractCommand() *cli.Command {
	return &cli.Command{
		Name:  "extract",
		Args:  "FILE",
		Short: "extract images and properties into files and file tables",
		Long: `
Writes the images, a property file and a symbol file for each abstract module, a file
table for each target, and pack.args with the flags that pack everything again:

  packager pack @DIR/pack.args --output same.syclbin

This works in any directory, even after DIR was moved. The result has the same bytes if
'packager pack' wrote the file, and the same content if another tool did.`,
		Example: "packager extract --output-dir parts k.syclbin",
		Setup:   func(fs *flag.FlagSet) cli.Run { return new(extract).setup(fs) },
	}
}

type extract struct {
	dir, kind string
	module    int
	reading   inputs.Reading

	out      outfile.Group
	env      *cli.Env
	name     string // name of the file
	tables   map[target]*filetable.Table
	order    []target
	written  map[string]bool // table names in lower case
	warnings cli.Tally       // warnings about modules, images and properties
}

const allModules = -1 // value of --module

// A target identifies a file table.
type target struct{ triple, arch string }

func (e *extract) setup(fs *flag.FlagSet) cli.Run {
	fs.StringVar(&e.dir, "output-dir", "", "write the files into this `directory` (required)")
	fs.StringVar(&e.kind, "kind", "", "only extract images of this `kind`: ir or native")
	fs.IntVar(&e.module, "module", allModules, "only extract abstract module `N`, counted from 0; -1 is all")
	e.reading.Flags(fs)
	return e.run
}

func (e *extract) run(ctx context.Context, env *cli.Env, args []string) error {
	switch {
	case len(args) != 1:
		return cli.Usagef("expected one file, got %d", len(args))
	case e.dir == "":
		return cli.Usagef("--output-dir is required")
	case e.kind != "" && e.kind != "ir" && e.kind != "native":
		return cli.Usagef("--kind: unknown kind '%s'; expected ir or native", e.kind)
	}
	f, err := e.reading.Open(env, args[0])
	if err != nil {
		return err
	}
	defer f.Close()
	if e.module != allModules && (e.module < 0 || e.module >= len(f.Modules)) {
		return cli.Usagef("--module: no abstract module %d in %s, which has %d, counted from 0", e.module, args[0], len(f.Modules))
	}
	defer e.out.Close()
	if _, err := e.out.Directory(e.dir); err != nil {
		return err
	}
	e.env, e.name = env, args[0]
	defer e.warnings.Warn(env)
	e.tables, e.written = make(map[target]*filetable.Table), make(map[string]bool)
	for i, m := range f.Modules {
		if e.module != allModules && e.module != i {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := e.extract(i, m); err != nil {
			return err
		}
	}
	for _, s := range f.Global.Sets() {
		for _, p := range s.Properties() {
			if s.Name != propset.SYCLBINGlobal || p.Key != "state" {
				e.warnLost("global metadata", s.Name, p.Key)
			}
		}
	}
	if err := e.args(f); err != nil {
		return err
	}
	return e.out.Commit()
}

// extract writes the files of one module and adds its rows to the tables.
func (e *extract) extract(i int, m *syclbin.Module) error {
	images := m.IR
	switch e.kind {
	case "":
		images = m.Images()
	case "native":
		images = m.Native
	}
	if len(images) == 0 {
		if e.kind == "" {
			e.warnf("no images", "abstract module %d has no images and is not in any table", i)
		}
		return nil
	}
	base := fmt.Sprintf("module%d", i)
	if err := e.writeModule(base, m); err != nil {
		return err
	}
	seen := make(map[target]bool)
	for j, img := range images {
		name := fmt.Sprintf("%s_%d%s", base, j, img.Format().Extension())
		if err := e.write(name, img.Open(), img.Size()); err != nil {
			return err
		}
		place := fmt.Sprintf("%s %s of abstract module %d", img.Kind, name, i)
		if t, ok := e.tableOf(img, place, seen); ok {
			if e.tables[t] == nil {
				e.tables[t] = &filetable.Table{Columns: []string{filetable.Code, filetable.Properties, filetable.Symbols}}
				e.order = append(e.order, t)
			}
			e.tables[t].Rows = append(e.tables[t].Rows, []string{name, base + ".prop", base + ".sym"})
			e.warnOfLost(img, place)
		}
	}
	return nil
}

// writeModule writes the files that the images of a module share.
func (e *extract) writeModule(base string, m *syclbin.Module) error {
	text, err := m.Metadata.MarshalText()
	if err != nil {
		return err
	}
	if err := e.write(base+".prop", bytes.NewReader(text), int64(len(text))); err != nil {
		return err
	}
	var symbols strings.Builder
	for _, k := range m.Kernels() {
		symbols.WriteString(k + "\n")
	}
	return e.write(base+".sym", strings.NewReader(symbols.String()), int64(symbols.Len()))
}

// tableOf returns the target whose table lists an image, or false if no table can. seen is the set
// of targets of previous images of the same module.
func (e *extract) tableOf(img *syclbin.Image, place string, seen map[target]bool) (t target, ok bool) {
	t = target{img.Triple(), img.Arch()}
	switch {
	case img.Kind == syclbin.NativeImage && t.arch == "":
		e.warnf("no architecture", "the %s has no architecture and is not in any table", place)
		return t, false
	case strings.ContainsAny(t.triple+t.arch, "=\r\n"), strings.Contains(t.triple+"\n"+t.arch, cli.ParamsDir):
		e.warnf("target", "the target of the %s cannot be written to a table, so the image is not in any: %s", place, img.Target())
		return t, false
	case seen[t]:
		e.warnf("second", "the %s is the second image for its target; 'packager pack' will create a separate abstract module for it", place)
	}
	seen[t] = true
	return t, true
}

// warnOfLost warns about metadata of an image that the extracted files do not contain.
func (e *extract) warnOfLost(img *syclbin.Image, place string) {
	for _, s := range img.Metadata.Sets() {
		for _, p := range s.Properties() {
			if s != img.Set() || p.Key != "type" && p.Key != "target" && p.Key != "arch" {
				e.warnLost(place, s.Name, p.Key)
			}
		}
	}
}

// warnLost warns about a property that the extracted files do not contain.
func (e *extract) warnLost(place, set, key string) {
	e.warnf(fmt.Sprintf("property %q of %q", key, set), "%s: the property %s of the set %s is not extracted", place, key, set)
}

// warnf records a warning about the file. Only the first warning of a kind is printed.
func (e *extract) warnf(kind, format string, args ...any) {
	e.warnings.Add(kind, e.name, fmt.Sprintf(format, args...))
}

// write writes a file. The name must not be derived from the content of the SYCLBIN.
func (e *extract) write(name string, content io.Reader, size int64) error {
	path := filepath.Join(e.dir, name)
	return e.out.Write(path, func(w io.Writer) error {
		p := e.env.ProgressWriter(w, "writing "+path, size)
		defer p.Done()
		_, err := io.Copy(p, content)
		return err
	})
}

// args writes the tables and a parameter file with the flags that pack them.
func (e *extract) args(f *syclbin.File) error {
	var args strings.Builder
	args.WriteString("--beside-tables\n")
	if f.State <= syclbin.Executable {
		fmt.Fprintf(&args, "--state=%s\n", f.State)
	} else {
		e.env.Warnf(e.name, "the state is invalid; 'packager pack' will use the state %s", syclbin.Executable)
	}
	switch {
	case f.Version == 2:
		args.WriteString("--syclbin-version=2\n")
	case f.Container == 0:
		args.WriteString("--bare\n")
	case f.Container == 3:
		e.env.Warnf(e.name, "the container has version 3; 'packager pack' will write version 2")
	default:
		fmt.Fprintf(&args, "--container-version=%d\n", f.Container)
	}
	if f.Version == 1 && f.Container != 0 {
		fmt.Fprintf(&args, "--image-kind=%d\n", f.ImageKind)
	}
	fmt.Fprintf(&args, "--runtime=%s\n", f.Release)
	if !f.Recorded {
		args.WriteString("--no-runtime-record\n")
	}
	for _, t := range e.order {
		name := e.tableName(t)
		if err := e.out.WriteMain(filepath.Join(e.dir, name), e.tables[t].Write); err != nil {
			return err
		}
		// ParamsDir stands for the directory, whose name may contain any character.
		fmt.Fprintf(&args, "--table=%s=%s=%s/%s\n", t.triple, t.arch, cli.ParamsDir, name)
	}
	return e.out.WriteMain(filepath.Join(e.dir, "pack.args"), func(w io.Writer) error {
		_, err := io.WriteString(w, args.String())
		return err
	})
}

// tableName returns a unique file name for the table of a target. It omits characters that some
// file systems do not support.
func (e *extract) tableName(t target) string {
	base := t.triple
	if t.arch != "" {
		base += "." + t.arch
	}
	if base == "" {
		base = "none"
	}
	base = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '.' {
			return r
		}
		return '_'
	}, base)
	base = strings.TrimLeft(base[:min(len(base), 100)], ".-")
	name := base + ".table"
	for n := 2; e.written[strings.ToLower(name)]; n++ {
		name = fmt.Sprintf("%s.%d.table", base, n)
	}
	e.written[strings.ToLower(name)] = true
	return name
}
