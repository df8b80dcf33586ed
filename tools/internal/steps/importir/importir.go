// Package importir implements the build step that converts the IR in a SYCLBIN to linkable bitcode.
package importir

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/inputs"
	"github.com/rules-sycl/rules_sycl/internal/outfile"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/offload"
	"github.com/rules-sycl/rules_sycl/sycl/postlink"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/spirv"
	"github.com/rules-sycl/rules_sycl/sycl/syclbin"
	"github.com/rules-sycl/rules_sycl/tools/internal/buildstep"
	"github.com/rules-sycl/rules_sycl/tools/internal/steps/modulefiles"
)

// Options holds the options of [Run].
type Options struct {
	Input                        string // SYCLBIN to read
	Reading                      inputs.Reading
	Target                       string // triple or name of the target
	LLVMSPIRV, LLVMDis, LLVMLink string // paths of programs
	Module                       string // module id of the code, or "" for the file name
	AllowExecutable              bool   // whether to accept files in executable state
	Output                       string // bitcode file to write
}

// triple returns the triple of the target.
func (o *Options) triple() (string, error) {
	triple := o.Target
	if known, ok := deviceconfig.Triple(o.Target); ok {
		triple = known
	}
	if architecture(triple) != "spir64" {
		return "", cli.Usagef("--target: unsupported target '%s'; only IR for spir64 targets can be linked", o.Target)
	}
	return triple, nil
}

// Run converts the IR in a SYCLBIN to linkable bitcode. It writes warnings and compiler output to
// log.
func Run(ctx context.Context, log io.Writer, o Options) error {
	triple, err := o.triple()
	if err != nil {
		return err
	}
	f, err := o.Reading.Open(&cli.Env{Stderr: log}, o.Input)
	if err != nil {
		return err
	}
	defer f.Close()
	list, err := o.irModules(f, triple)
	if err != nil {
		return cli.BadInput(err)
	}
	scratch, remove, err := outfile.TempDir()
	if err != nil {
		return err
	}
	defer remove()
	files := make([]string, len(list))
	if err := o.modules(ctx, log, list, files, scratch); err != nil {
		return err
	}
	var outputs outfile.Group
	defer outputs.Close()
	out, err := outputs.Main(o.Output)
	if err != nil {
		return err
	}
	var names []string
	for i, file := range files {
		names = append(names, file, o.place(list[i]))
	}
	if err := buildstep.Run(ctx, nil, nil, buildstep.RenameOutput(log, names...), o.LLVMLink, append(files, "-o", out)...); err != nil {
		return outputs.Relabel(buildstep.RenameError(err, names...))
	}
	return outputs.Commit()
}

// modules concurrently writes the IR of abstract modules to files, and warns about metadata that is
// lost.
func (o *Options) modules(ctx context.Context, log io.Writer, list []irModule, files []string, scratch string) error {
	lost := make([][]string, len(list))
	err := buildstep.Each(ctx, log, len(list), runtime.GOMAXPROCS(0), func(ctx context.Context, log io.Writer, i int) (err error) {
		files[i] = filepath.Join(scratch, strconv.Itoa(i)+".ll")
		lost[i], err = o.module(ctx, log, list[i], files[i])
		return err
	})
	if err != nil {
		return err
	}
	o.warn(log, list, lost)
	return nil
}

// maxWarnings is the maximum number of warnings that an import prints.
const maxWarnings = 10

// warn warns about lost metadata. Modules that lose the same metadata share a warning.
func (o *Options) warn(log io.Writer, list []irModule, lost [][]string) {
	modules := map[string]int{}
	for _, texts := range lost {
		for _, text := range texts {
			modules[text]++
		}
	}
	printed, all := 0, len(modules)
	for i, texts := range lost {
		for _, text := range texts {
			n := modules[text]
			if n == 0 {
				continue // an earlier warning covers it
			}
			modules[text] = 0
			if printed++; printed > maxWarnings {
				cli.Warnf(log, o.Input, "%d more warnings like these", all-maxWarnings)
				return
			}
			others := ""
			switch {
			case n == 2:
				others = " (and in 1 more module)"
			case n > 2:
				others = fmt.Sprintf(" (and in %d more modules)", n-1)
			}
			cli.Warnf(log, o.place(list[i]), "%s%s", text, others)
		}
	}
}

// place returns the location of an abstract module for messages.
func (o *Options) place(m irModule) string {
	return fmt.Sprintf("%s: abstract module %d", o.Input, m.number)
}

// architecture returns the architecture of a triple. Targets with the same architecture use the
// same code.
func architecture(triple string) string {
	arch, _, _ := strings.Cut(triple, "-")
	for _, base := range []string{"spir64", "spir"} {
		if arch == base || strings.HasPrefix(arch, base+"_") {
			return base
		}
	}
	return arch
}

// An irModule holds the IR of an abstract module.
type irModule struct {
	number int // number of the abstract module
	module *syclbin.Module
	image  *syclbin.Image
	format offload.Format
}

// irModules returns the IR of each abstract module for a target. If several images of a module
// match, it prefers the image for exactly this target.
func (o *Options) irModules(f *syclbin.File, triple string) ([]irModule, error) {
	refuse := func(format string, args ...any) error {
		return fmt.Errorf("SYCLBIN file '%s' %s", o.Input, fmt.Sprintf(format, args...))
	}
	switch {
	case f.State > syclbin.Executable:
		return nil, refuse("does not specify its state")
	case f.State == syclbin.Executable && !o.AllowExecutable:
		return nil, refuse("is in executable state; only SYCLBIN files in input or object state can be linked. Build it with -fsyclbin=object")
	}
	var list []irModule
	for n, m := range f.Modules {
		var found *irModule
		for _, image := range m.IR {
			format := image.Format()
			switch {
			case image.Triple() == "":
				return nil, refuse("contains an IR module without a target, in abstract module %d", n)
			case architecture(image.Triple()) != architecture(triple):
				continue
			case format != offload.SPIRV && format != offload.Bitcode:
				return nil, refuse("contains an IR module of unknown type, in abstract module %d: its bytes are neither SPIR-V nor LLVM bitcode", n)
			}
			if found == nil || image.Triple() == triple && found.image.Triple() != triple {
				found = &irModule{n, m, image, format}
			}
		}
		if found != nil {
			list = append(list, *found)
		}
	}
	if n, found := nativeAlone(f, list); found {
		return nil, refuse("contains native device code images, which cannot be linked: abstract module %d only has native code for %s. Also build the file for %s",
			n, f.Modules[n].Native[0].Target(), triple)
	}
	if len(list) == 0 {
		return nil, refuse("contains no device code that can be linked for target '%s'", triple)
	}
	return oneBFloat16(list), nil
}

// oneBFloat16 removes all variants of the bfloat16 device library except the fallback, which runs
// on all devices. The variants define the same functions, and DPC++'s runtime links the one that
// the device supports.
func oneBFloat16(list []irModule) []irModule {
	variant := func(ir irModule) (uint32, bool) {
		value, _ := ir.module.Metadata.Set(propset.DeviceLibMetadata).Get("bfloat16")
		return value.Uint()
	}
	taken := -1
	for i, ir := range list {
		if v, ok := variant(ir); ok && (taken < 0 || v == 0) {
			taken = i
			if v == 0 {
				break
			}
		}
	}
	var kept []irModule
	for i, ir := range list {
		if _, ok := variant(ir); !ok || i == taken {
			kept = append(kept, ir)
		}
	}
	return kept
}

// nativeAlone returns the number of an abstract module with native code for kernels that are not in
// the IR in list. Native images and IR of the same kernels are in different abstract modules.
func nativeAlone(f *syclbin.File, list []irModule) (number int, found bool) {
	linked := map[string]bool{}
	for _, ir := range list {
		for _, name := range defined(ir.module) {
			linked[name] = true
		}
	}
	for n, m := range f.Modules {
		if len(m.IR) > 0 || len(m.Native) == 0 {
			continue
		}
		names := defined(m)
		if len(names) == 0 || slices.ContainsFunc(names, func(name string) bool { return !linked[name] }) {
			return n, true
		}
	}
	return 0, false
}

// defined returns the kernels and exported functions of an abstract module.
func defined(m *syclbin.Module) []string {
	return append(m.Kernels(), m.Metadata.Set(propset.ExportedSymbols).Keys()...)
}

// module writes the IR of an abstract module, with its metadata, as text. It returns the metadata
// that is lost.
func (o *Options) module(ctx context.Context, log io.Writer, in irModule, out string) (lost []string, err error) {
	place := o.place(in)
	names := []string{out + offload.SPIRV.Extension(), place, out + ".bc", place}
	log = buildstep.RenameOutput(log, names...)
	bitcode, err := o.bitcode(ctx, log, in, out)
	if err != nil {
		return nil, buildstep.RenameError(err, names...)
	}
	var text bytes.Buffer
	if err := buildstep.Run(ctx, nil, &text, log, o.LLVMDis, bitcode, "-o", "-"); err != nil {
		return nil, buildstep.RenameError(err, names...)
	}
	m, lost, err := postlink.Restore(o.place(in), text.Bytes(), cmp.Or(o.Module, o.Input), in.module.Metadata)
	if err != nil {
		return nil, err
	}
	return lost, outfile.Write(out, func(w io.Writer) error { _, err := m.WriteTo(w); return err })
}

// bitcode writes the IR of an abstract module as LLVM bitcode to a file next to out.
func (o *Options) bitcode(ctx context.Context, log io.Writer, in irModule, out string) (file string, err error) {
	file = out + in.format.Extension()
	if err := modulefiles.Copy(file, in.image.Open()); err != nil || in.format != offload.SPIRV {
		return file, err
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	if _, err := spirv.Parse(data); err != nil {
		return "", fmt.Errorf("%s: %w", o.place(in), err)
	}
	bitcode := out + ".bc"
	if err := buildstep.Run(ctx, nil, nil, log, o.LLVMSPIRV, "-r", "--spirv-target-env=SPV-IR", file, "-o", bitcode); err != nil {
		return "", err
	}
	return bitcode, nil
}
