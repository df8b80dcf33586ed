// Package aot implements the build step that compiles SPIR-V for Intel GPUs. It has few
// dependencies, so that changes to other steps do not trigger recompilation.
package aot

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/outfile"
	"github.com/rules-sycl/rules_sycl/sycl/filetable"
	"github.com/rules-sycl/rules_sycl/tools/internal/buildstep"
)

// Options configure the ahead-of-time compilation.
type Options struct {
	Ocloc   string // path of ocloc
	Server  string // path of the library that turns ocloc into a server; empty to run it for each image
	Targets []Target
	CodeDir string           // directory for native images
	Options []string         // options for ocloc's compiler
	Library bool             // whether images of other modules may call functions in the images
	Share   Sharing          // how devices of a family share a compilation; empty for ShareFamilies
	Skip    bool             // whether to omit an image that ocloc rejects
	Skipped func(Rejection)  // reports an omitted image; nil to write a warning to the log
	Servers *Servers         // servers to use, or nil to start servers that exit when Run returns
	Cache   *buildstep.Cache // cache of images
}

// A Target is a device with its input and output tables. Equal SPIR-V is compiled once for devices
// that ocloc does not distinguish.
type Target struct {
	Device string // ocloc's name of the device
	Table  string
	Output string // the table with native images
}

// A Rejection is a module that ocloc rejects for a device.
type Rejection struct {
	Device, Table, SPIRV string
	Message              string // first error in ocloc's output
}

// Issues is the address for reports about modules that ocloc rejects unexpectedly.
const Issues = "https://github.com/rules-sycl/rules_sycl/issues"

// An image is an image to compile, or to copy from the image for another device of its family.
type image struct {
	device, table, spirv string
	name                 string // file name in CodeDir
	original             *image // the image to copy, or nil to compile
	rejection            string // ocloc's error if it rejected the module, so that there is no image
}

// Run compiles the SPIR-V of tables' rows for Intel GPUs.
func Run(ctx context.Context, log io.Writer, o Options) error {
	if o.Servers == nil {
		// An ocloc process uses up to 170 MiB, and Bazel runs one action per processor.
		o.Servers = NewServers(ctx, min(runtime.GOMAXPROCS(0), 4))
		defer o.Servers.Close()
	}
	versions, err := o.versions(ctx)
	if err != nil {
		return err
	}
	p := plan{o: &o, versions: versions, names: map[[2]string]string{}, taken: map[string]bool{}, originals: map[[2]string]*image{}}
	if err := p.chooseSharing(ctx, log); err != nil {
		return err
	}
	for _, target := range o.Targets {
		if err := p.add(target); err != nil {
			return err
		}
	}
	var out outfile.Group
	defer out.Close()
	if err := o.compileAll(ctx, log, p.images, &out); err != nil {
		return out.Relabel(err)
	}
	p.dropRejected(log)
	for i, t := range p.results {
		if err := out.WriteMain(o.Targets[i].Output, t.Write); err != nil {
			return err
		}
	}
	return out.Commit()
}

// A plan lists the images to compile and copy.
type plan struct {
	o        *Options
	versions map[string]string    // result of Options.versions
	names    map[[2]string]string // names of images, by device version and path of the SPIR-V
	taken    map[string]bool      // set of these names
	images   []*image
	results  []*filetable.Table // the path of a row's image is in CodeDir

	shared    bool                 // whether devices of a family share a compilation
	originals map[[2]string]*image // compiled images, by family and path of the SPIR-V
}

// chooseSharing decides whether the targets share compilations. If not, it logs the reason once.
func (p *plan) chooseSharing(ctx context.Context, log io.Writer) error {
	o := p.o
	o.Share = cmp.Or(o.Share, ShareFamilies)
	switch o.Share {
	case ShareFamilies, VerifyFamilies:
	case ShareNothing:
		return nil
	default:
		return cli.Usagef("--share: unknown value %q; expected %s, %s or %s", o.Share, ShareFamilies, ShareNothing, VerifyFamilies)
	}
	used := map[string]bool{}
	for _, target := range o.Targets {
		family := measured.familyOf(target.Device)
		p.shared = p.shared || family != "" && used[family]
		used[family] = true
	}
	if !p.shared {
		return nil
	}
	ok, why := measured.apply(ctx, o)
	if !ok && o.Share == VerifyFamilies {
		return cli.BadInput(fmt.Errorf("cannot verify the families: %s", why))
	}
	if p.shared = ok; !ok {
		noteOnce.Do(func() { fmt.Fprintf(log, "note: compiling for each device separately: %s\n", why) })
	}
	return nil
}

// noteOnce limits the note about separate compilations to one per process.
var noteOnce sync.Once

// add adds the images of a target to the plan.
func (p *plan) add(target Target) error {
	t, err := cli.ReadTable(target.Table)
	if err != nil {
		return err
	}
	stems, err := cli.Stems(target.Table, t)
	if err != nil {
		return err
	}
	column := t.Column(filetable.Code)
	for i, stem := range stems {
		spirv, version := cli.CurrentPath(target.Table, t.Rows[i][column]), p.versions[target.Device]
		name, known := p.names[[2]string{version, spirv}]
		if !known {
			name = stem + ".bin"
			if version != p.versions[p.o.Targets[0].Device] {
				name = stem + "." + target.Device + ".bin"
			}
			if p.taken[name] {
				return cli.BadInput(fmt.Errorf("%s: two images would be written to %[3]s; rename module %[2]s", target.Table, stem, filepath.Join(p.o.CodeDir, name)))
			}
			p.taken[name] = true
			p.names[[2]string{version, spirv}] = name
			im := &image{device: target.Device, table: target.Table, spirv: spirv, name: name}
			if family := measured.familyOf(target.Device); p.shared && family != "" {
				key := [2]string{family, spirv}
				if im.original = p.originals[key]; im.original == nil {
					p.originals[key] = im
				}
			}
			p.images = append(p.images, im)
		}
		t.Rows[i][column] = filepath.Join(p.o.CodeDir, name)
	}
	p.results = append(p.results, t)
	return nil
}

// dropRejected reports rejected images, and removes their rows from the results.
func (p *plan) dropRejected(log io.Writer) {
	report := p.o.Skipped
	if report == nil {
		report = func(r Rejection) {
			fmt.Fprintf(log, "warning: %s: omitting %s for %s, because ocloc rejects it: %s; please report this, with the module, at %s\n",
				r.Table, r.SPIRV, r.Device, r.Message, Issues)
		}
	}
	rejected := map[string]bool{}
	for _, im := range p.images {
		if im.rejection != "" {
			rejected[filepath.Join(p.o.CodeDir, im.name)] = true
			report(Rejection{im.device, im.table, im.spirv, im.rejection})
		}
	}
	for _, t := range p.results {
		column := t.Column(filetable.Code)
		t.Rows = slices.DeleteFunc(t.Rows, func(row []string) bool { return rejected[row[column]] })
	}
}

// versions maps each device to a string that is the same for devices that ocloc does not
// distinguish.
func (o *Options) versions(ctx context.Context) (map[string]string, error) {
	versions := map[string]string{}
	for _, target := range o.Targets {
		versions[target.Device] = target.Device
	}
	unknown := false // whether two names may be the same device
	for device := range versions {
		unknown = unknown || measured.familyOf(device) == ""
	}
	if len(versions) == 1 || !unknown {
		return versions, nil
	}
	for _, device := range slices.Sorted(maps.Keys(versions)) {
		text, err := o.ocloc(ctx, false, "ids", device)
		if err != nil {
			return nil, err
		}
		// If ocloc fails, the name counts as a separate device.
		versions[device] = cmp.Or(strings.TrimSpace(string(text)), device)
	}
	return versions, nil
}

// compileAll compiles images in parallel. It writes ocloc's output to log in the order of the
// images.
func (o *Options) compileAll(ctx context.Context, log io.Writer, images []*image, out *outfile.Group) error {
	scratch, err := out.Directory(o.CodeDir)
	if err != nil {
		return err
	}
	each := func(images []*image, do func(context.Context, io.Writer, string, *image) error) error {
		return buildstep.Each(ctx, log, len(images), cap(o.Servers.slots), func(ctx context.Context, log io.Writer, i int) error {
			return do(ctx, log, scratch, images[i])
		})
	}
	var originals, copies []*image
	for _, im := range images {
		if im.original == nil {
			originals = append(originals, im)
		} else {
			copies = append(copies, im)
		}
	}
	compile := func(ctx context.Context, log io.Writer, directory string, im *image) error {
		return o.compileOrSkip(ctx, log, im, filepath.Join(directory, im.name))
	}
	if err := each(originals, compile); err != nil {
		return err
	}
	return each(copies, o.copyImage)
}

// compileOrSkip compiles a module. With Skip, it marks the image as rejected if ocloc rejects the module.
func (o *Options) compileOrSkip(ctx context.Context, log io.Writer, im *image, file string) error {
	err := o.compile(ctx, log, im, file)
	var rejection *buildstep.Error
	if !o.Skip || !errors.As(err, &rejection) {
		return err
	}
	im.rejection = firstError(rejection.Output)
	if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// firstError returns the first line of ocloc's output that looks like an error, or the first line.
func firstError(output string) string {
	first := ""
	for line := range strings.Lines(output) {
		line = strings.TrimRight(strings.TrimSpace(line), ":.")
		if strings.Contains(line, "rror") || strings.HasPrefix(line, "InvalidModule: ") {
			return line
		}
		first = cmp.Or(first, line)
	}
	return cmp.Or(first, "no message")
}

// copyImage writes an image as a copy of the original for another device of the family. It compiles
// the image if copying is not possible.
func (o *Options) copyImage(ctx context.Context, log io.Writer, directory string, im *image) error {
	file := filepath.Join(directory, im.name)
	if im.original.rejection != "" {
		return o.compileOrSkip(ctx, log, im, file)
	}
	module, err := cli.ReadInput(im.spirv, "", maxModule)
	if err != nil {
		return fmt.Errorf("%s: %w", im.table, err)
	}
	// With debug information, the symbols of an image depend on addresses in the compiler process.
	if hasDebugInfo(module) {
		return o.compileOrSkip(ctx, log, im, file)
	}
	original, err := os.ReadFile(filepath.Join(directory, im.original.name))
	if err != nil {
		return err
	}
	patched, err := measured.forMember(original, im.original.device, im.device)
	if err != nil {
		fmt.Fprintf(log, "warning: %s: compiling %s for %s, because the image for %s cannot be copied: %v\n", im.table, im.spirv, im.device, im.original.device, err)
		return o.compileOrSkip(ctx, log, im, file)
	}
	if o.Share != VerifyFamilies {
		return os.WriteFile(file, patched, 0o666)
	}
	return o.verify(ctx, log, im, file, patched)
}

// attempts is the number of compilations after which an image counts as different from its copy:
// ocloc does not always write the same image for a module.
const attempts = 4

// verify compiles an image, and returns an error if it differs from the copy.
func (o *Options) verify(ctx context.Context, log io.Writer, im *image, file string, copied []byte) error {
	without := *o
	without.Cache = nil
	for range attempts {
		if err := without.compile(ctx, log, im, file); err != nil {
			return err
		}
		compiled, err := os.ReadFile(file)
		if err != nil || bytes.Equal(compiled, copied) {
			return err
		}
	}
	return fmt.Errorf("%s: the image for %s differs from the image for %s in more than the compatibility note; remove the family from families.tsv, or compile with --share=off", im.spirv, im.device, im.original.device)
}

// libraryOption makes ocloc keep functions that modules in other files call.
const libraryOption = "-library-compilation"

// maxModule is the maximum size of a SPIR-V module, in bytes.
const maxModule = 1 << 30

// compile compiles a module and writes ocloc's output to log.
func (o *Options) compile(ctx context.Context, log io.Writer, im *image, file string) error {
	module, err := cli.ReadInput(im.spirv, "", maxModule)
	if err != nil {
		return fmt.Errorf("%s: %w", im.table, err)
	}
	args := []string{"compile", "-q", "-spirv_input", "-device", im.device}
	options := o.Options
	if o.Library {
		options = append(slices.Clip(options), libraryOption)
	}
	if len(options) > 0 { // ocloc may ignore all but the last -options
		args = append(args, "-options", strings.Join(options, " "))
	}
	recipe := buildstep.Recipe{Programs: append([]string{o.Server, o.Ocloc}, libraries(o.Ocloc)...), Options: args, Input: module}
	return o.Cache.Make(recipe, file, log, func(log io.Writer) error {
		printed, err := o.oclocOn(ctx, hasDebugInfo(module), im.spirv, file, args)
		if err != nil {
			return err
		}
		if info, err := cli.StatInput(file, ""); err != nil || info.Size() == 0 {
			return fmt.Errorf("%s exited with 0 but wrote no image for %s (%s)", o.Ocloc, im.device, im.spirv)
		}
		_, err = log.Write(printed)
		return err
	})
}

// oclocOn runs ocloc on the file in, which writes the file out. For modules with debug information,
// it uses a new process and paths of a fixed length, and restores the original paths in the
// returned output.
func (o *Options) oclocOn(ctx context.Context, debug bool, in, out string, args []string) ([]byte, error) {
	if !debug {
		return o.ocloc(ctx, false, append(args, "-file", in, "-o", out)...)
	}
	long, longOut := padded(in), padded(out)
	printed, err := o.ocloc(ctx, true, append(args, "-file", long, "-o", longOut)...)
	plain := strings.NewReplacer(long, in, longOut, out)
	var refused *buildstep.Error
	if errors.As(err, &refused) {
		refused.Output = plain.Replace(refused.Output)
	}
	return []byte(plain.Replace(string(printed))), err
}

// hasDebugInfo reports whether a module may have debug information. If so, the symbols of its image
// depend on memory addresses in the compiler process, which differ between modules that one server
// compiles.
func hasDebugInfo(module []byte) bool {
	return bytes.Contains(module, []byte(".DebugInfo.")) || bytes.Contains(module, []byte("SPIRV.debug"))
}

// padded returns a path of a fixed length to the same file, because memory addresses in the
// compiler process depend on the lengths of its arguments.
func padded(path string) string {
	const length = 1024
	if !filepath.IsAbs(path) {
		path = "./" + path
	}
	dir, rest, _ := strings.Cut(path, "/")
	return dir + strings.Repeat("/", max(1, length-len(dir)-len(rest))) + rest
}

// ocloc runs ocloc and returns its output. It uses a server unless fresh is true. If the server
// fails, it runs the program and returns the program's output.
func (o *Options) ocloc(ctx context.Context, fresh bool, args ...string) ([]byte, error) {
	release, err := o.Servers.slot(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	k := kindOf(o.Server, o.Ocloc)
	serve := o.Server != "" && !fresh
	if serve {
		if printed, ok := o.Servers.run(ctx, k, args); ok {
			return printed, nil
		}
	}
	var printed bytes.Buffer
	err = atFixedAddresses(func() error { return buildstep.Run(ctx, nil, nil, &printed, o.Ocloc, args...) })
	if err != nil {
		return nil, err
	}
	if serve {
		o.Servers.giveUp(k)
	}
	return printed.Bytes(), nil
}
