package steps

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/imageformat"
	"github.com/rules-sycl/rules_sycl/sycl/llvmir"
	"github.com/rules-sycl/rules_sycl/sycl/postlink"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/spirv"
	"github.com/rules-sycl/rules_sycl/sycl/syclbin"
	"github.com/rules-sycl/rules_sycl/tools/internal/command"
	"github.com/rules-sycl/rules_sycl/tools/internal/reading"
)

// Import turns the IR of a SYCLBIN into device code that can be linked.
type Import struct {
	Target                       string // a triple, or a name of a target
	LLVMSPIRV, LLVMDis, LLVMLink string // paths
	Module                       string // the module id of the code, or ""
	AllowExecutable              bool   // take files in executable state, too
	Reading                      reading.Options
	Output                       string // the bitcode
}

// Setup declares the flags.
func (s *Import) Setup(fs *flag.FlagSet) cli.Run {
	fs.StringVar(&s.Target, "target", "spir64", "the `triple` or the name of the target that the code is for")
	fs.StringVar(&s.LLVMSPIRV, "llvm-spirv", "", "`path` of llvm-spirv (required)")
	fs.StringVar(&s.LLVMDis, "llvm-dis", "", "`path` of llvm-dis (required)")
	fs.StringVar(&s.LLVMLink, "llvm-link", "", "`path` of llvm-link (required)")
	fs.StringVar(&s.Module, "module", "", "the `id` of the code, as a source has one; the name of the file when it is missing")
	fs.BoolVar(&s.AllowExecutable, "allow-executable", false, "take a file in executable state, too: nothing of it can be called from outside")
	s.Reading.Flags(fs)
	fs.StringVar(&s.Output, "output", "", "the bitcode `file` (required)")
	return s.Run
}

// Run imports the SYCLBIN that is the only argument.
func (s *Import) Run(ctx context.Context, env *cli.Env, args []string) error {
	in, err := oneInput(args)
	if err != nil {
		return err
	}
	if err := required("target", s.Target, "llvm-spirv", s.LLVMSPIRV, "llvm-dis", s.LLVMDis, "llvm-link", s.LLVMLink, "output", s.Output); err != nil {
		return err
	}
	triple := s.Target
	if known, ok := deviceconfig.Triple(s.Target); ok {
		triple = known
	}
	if architecture(triple) != "spir64" {
		return cli.Usagef("--target: '%s' is not a target of the architecture spir64: only IR for that can be linked", s.Target)
	}
	f, err := s.Reading.Open(env, in)
	if err != nil {
		return err
	}
	defer f.Close()
	list, err := s.irModules(in, f, triple)
	if err != nil {
		return cli.BadInput(err)
	}
	scratch, err := os.MkdirTemp("", "syclbinimport")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	modules := make([]string, len(list))
	lost := make([][]string, len(list))
	if err := command.ForEach(runtime.GOMAXPROCS(0), len(list), func(i int) error {
		modules[i] = filepath.Join(scratch, strconv.Itoa(i)+".ll")
		var err error
		lost[i], err = s.module(ctx, env, in, list[i], modules[i])
		return err
	}); err != nil {
		return err
	}
	for i, texts := range lost {
		for _, text := range texts {
			env.Warnf(fmt.Sprintf("%s: abstract module %d", in, list[i].number), "%s", text)
		}
	}
	out, done, err := scratchFile(s.Output)
	if err != nil {
		return err
	}
	defer done()
	if err := command.Run(ctx, nil, nil, env.Stderr, s.LLVMLink, append(modules, "-o", out)...); err != nil {
		for i, m := range modules {
			blame(err, m, fmt.Sprintf("%s: abstract module %d", in, list[i].number))
		}
		return err
	}
	return os.Rename(out, s.Output)
}

// blame replaces the name of a scratch file in what a compiler wrote.
func blame(err error, file, name string) {
	var failed *command.Error
	if errors.As(err, &failed) {
		failed.Output = strings.ReplaceAll(failed.Output, file, name)
	}
}

// architecture returns what the first part of a triple stands for. The code of
// targets with one architecture is the same.
func architecture(triple string) string {
	arch, _, _ := strings.Cut(triple, "-")
	for _, base := range []string{"spir64", "spir"} {
		if arch == base || strings.HasPrefix(arch, base+"_") {
			return base
		}
	}
	return arch
}

// An irModule is the IR of an abstract module.
type irModule struct {
	number int // of the abstract module
	module *syclbin.Module
	image  *syclbin.Image
	format imageformat.Format
}

// irModules returns the IR of each abstract module that serves a target. Of
// several forms that do, which are the same kernels, one for the target itself is
// better than others.
func (s *Import) irModules(name string, f *syclbin.File, triple string) ([]irModule, error) {
	refuse := func(format string, args ...any) error {
		return fmt.Errorf("SYCLBIN file '%s' %s", name, fmt.Sprintf(format, args...))
	}
	switch {
	case f.State > syclbin.Executable:
		return nil, refuse("does not specify its state")
	case f.State == syclbin.Executable && !s.AllowExecutable:
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
			case format != imageformat.SPIRV && format != imageformat.Bitcode:
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
		return nil, refuse("contains native device code images, which cannot be linked: abstract module %d is native code for %s alone. Build the file for %s, too",
			n, f.Modules[n].Native[0].Target(), triple)
	}
	if len(list) == 0 {
		return nil, refuse("contains no device code that can be linked for target '%s'", triple)
	}
	return oneBFloat16(list), nil
}

// oneBFloat16 leaves one image of the bfloat16 device library in a list. Its forms
// define the same functions, and the runtime of DPC++ links the one that a device can
// take: the fallback, which is taken here, runs on all of them.
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

// nativeAlone finds an abstract module that is native code of something which no IR
// of the list has. Native images stand apart from the IR of the same kernels.
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

// defined returns the kernels and the exported functions of an abstract module.
func defined(m *syclbin.Module) []string {
	names := m.Kernels()
	for _, p := range m.Metadata.Set(propset.ExportedSymbols).Properties() {
		names = append(names, p.Key)
	}
	return names
}

// deviceTarget is what stock clang says of its device code, and what all code is
// linked as: llvm-link wants it to be the same in all modules.
const deviceTarget = `target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64-unknown-unknown"
`

// module writes the IR of an abstract module as text in which all is that its
// metadata says, and returns what is lost.
func (s *Import) module(ctx context.Context, env *cli.Env, name string, in irModule, out string) (lost []string, err error) {
	place := fmt.Sprintf("%s: abstract module %d", name, in.number)
	file := out + in.format.Extension()
	if err := copyTo(file, in.image.Open()); err != nil {
		return nil, err
	}
	bitcode := file
	if in.format == imageformat.SPIRV {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		if _, err := spirv.Parse(data); err != nil {
			return nil, fmt.Errorf("%s: %w", place, err)
		}
		bitcode = out + ".bc"
		if err := command.Run(ctx, nil, nil, env.Stderr, s.LLVMSPIRV, "-r", "--spirv-target-env=SPV-IR", file, "-o", bitcode); err != nil {
			blame(err, file, place)
			return nil, err
		}
	}
	var text bytes.Buffer
	if err := command.Run(ctx, nil, &text, env.Stderr, s.LLVMDis, bitcode, "-o", "-"); err != nil {
		blame(err, bitcode, place)
		return nil, err
	}
	m, err := llvmir.Parse(place, retarget(text.Bytes()))
	if err != nil {
		return nil, err
	}
	id := s.Module
	if id == "" {
		id = name
	}
	lost, err = postlink.Restore(m, id, in.module.Metadata)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", place, err)
	}
	if in.module.Metadata.Set(propset.DeviceLibMetadata) != nil {
		mergeable(m)
	}
	return lost, cli.WriteFile(out, func(w io.Writer) error { _, err := m.WriteTo(w); return err })
}

// mergeable lets other files define the functions of a module too: each has a device
// library of its own, and one is enough.
func mergeable(m *llvmir.Module) {
	for _, f := range m.Functions() {
		if f.Defined() && f.Linkage() == llvmir.External {
			f.SetLinkage(llvmir.LinkOnceODR)
		}
	}
}

// retarget replaces the target of a module.
func retarget(text []byte) []byte {
	out := []byte(deviceTarget)
	for line := range bytes.Lines(text) {
		switch {
		case bytes.HasPrefix(line, []byte("target datalayout = ")), bytes.HasPrefix(line, []byte("target triple = ")), bytes.HasPrefix(line, []byte("source_filename = ")):
		default:
			out = append(out, line...)
		}
	}
	return out
}

func copyTo(name string, content io.Reader) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, content)
	return errors.Join(err, f.Close())
}
