package postlink

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/rules-sycl/rules_sycl/sycl/internal/llvmir"
	"github.com/rules-sycl/rules_sycl/sycl/postlink/internal/constants"
	"github.com/rules-sycl/rules_sycl/sycl/postlink/internal/devicecode"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// An Image is the part of a module that becomes one device image. The images of a module are safe
// for concurrent use by multiple goroutines.
type Image struct {
	Number int    // the two images of an explicit SIMD split have the same number
	Source string // the module id of the entry points; "" if the split ignored sources
	ESIMD  bool   // explicit SIMD code

	module      *imageModule
	entryPoints []*llvmir.Function
	define      []llvmir.Symbol
	registered  []registration  // of the entry points
	constants   *imageConstants // nil if it does not read specialization constants
}

// imageModule holds the data that the images of a module share.
type imageModule struct {
	ir        *llvmir.Module
	split     SplitOptions
	used      map[string]bool                 // device globals that all images keep
	all       bool                            // the image includes unused functions, unchanged
	asDPCPP   bool                            // keep copies of functions that other modules define
	libraries bool                            // the module is from DPC++'s compiler, which links device libraries when it translates
	writer    func() (*propertyWriter, error) // computed once
}

func newImageModule(m *llvmir.Module, o Options, used map[string]bool, libraries bool) *imageModule {
	return &imageModule{m, o.Split, used, o.AsDPCPP && o.Split.Whole, o.AsDPCPP, libraries, sync.OnceValues(func() (*propertyWriter, error) { return newPropertyWriter(m) })}
}

// EntryPoints returns the symbols of the image's kernels and SYCL_EXTERNAL functions, in module
// order.
func (image *Image) EntryPoints() []string {
	names := make([]string, len(image.entryPoints))
	for i, f := range image.entryPoints {
		names[i] = f.Name()
	}
	return names
}

// ExplicitSIMD returns the symbol of an entry point that is explicit SIMD code, or "" if there is
// none.
func (image *Image) ExplicitSIMD() string {
	for _, f := range image.entryPoints {
		if explicitSIMD(f) {
			return f.Name()
		}
	}
	return ""
}

// SIMDBuiltin returns a built-in function or variable of the image that only DPC++'s post-link step
// lowers: an explicit SIMD or invoke_simd built-in, or any built-in in an image with explicit SIMD
// code. It returns "" if there is none.
func (image *Image) SIMDBuiltin() string {
	simd := image.ExplicitSIMD() != ""
	for _, s := range image.define {
		name := s.Name()
		if s.Defined() {
			continue
		}
		if esimdBuiltin(name) || mangledPrefix(name, "__builtin_invoke_simd") ||
			simd && (mangledPrefix(name, "__spirv_") || strings.HasPrefix(name, "__spirv_")) {
			return name
		}
	}
	return ""
}

// BFloat16Function returns a function of DPC++'s bfloat16 libraries that the image calls, or "" if
// there is none.
func (image *Image) BFloat16Function() (string, error) {
	sets, err := image.Properties(PropertyOptions{ImportedSymbols: true})
	if err != nil {
		return "", err
	}
	if imports := sets.Set(propset.ImportedSymbols); imports != nil {
		for _, p := range imports.Properties() {
			if bfloat16Library.MatchString(p.Key) {
				return p.Key, nil
			}
		}
	}
	return "", nil
}

// WriteCode writes the image as a separate module. Its entry points and variables are visible,
// other functions are internal, and undefined symbols are declared.
func (image *Image) WriteCode(w io.Writer) error {
	if image.constants != nil && !image.constants.before {
		return image.writeLowered(w)
	}
	return image.writeUnlowered(w)
}

// WriteOwnCode is like WriteCode, but its output does not depend on other kernels or, if several
// sources were linked, on other sources, unless the image uses their code. Therefore an image is
// recompiled only if its code changes.
func (image *Image) WriteOwnCode(w io.Writer) error {
	var text strings.Builder
	if err := image.WriteCode(&text); err != nil {
		return err
	}
	m, err := llvmir.Parse(image.Source, text.String())
	if err != nil {
		return err
	}
	return m.WriteCanonical(w)
}

// writeUnlowered writes the code as it was read, including the calls that read specialization constants.
func (image *Image) writeUnlowered(w io.Writer) error {
	entry := make(map[*llvmir.Function]bool, len(image.entryPoints))
	for _, f := range image.entryPoints {
		entry[f] = true
	}
	visible := func(s llvmir.Symbol) bool {
		f, ok := s.(*llvmir.Function)
		if !ok { // hosts find some variables by name, and linked images may share others
			return true
		}
		return entry[f] || image.module.all || image.module.asDPCPP && f.Linkage() == llvmir.AvailableExternally || f.HasAttribute(devicecode.AttrIndirectlyCallable) || f.HasAttribute(attrReferencedIndirectly) ||
			image.module.split.Dependencies && importable(f) && f.HasAttribute(devicecode.AttrModuleID)
	}
	idle := image.idleDeviceGlobals()
	err := image.module.ir.WriteSubset(w, llvmir.Subset{
		Define:   image.define,
		Internal: func(s llvmir.Symbol) bool { return !visible(s) },
		External: func(s llvmir.Symbol) bool {
			f, ok := s.(*llvmir.Function)
			return idle[s] || ok && f.HasAttribute(devicecode.AttrIndirectlyCallable)
		},
		Named: func(name string, _ *llvmir.Node) bool { return name != registeredNamesMD },
	})
	if err != nil {
		return err
	}
	return image.writeRegistered(w)
}

// idleDeviceGlobals returns the static device globals that the image's properties list, but that no
// kernel of the image uses and llvm.compiler.used does not keep. A cleanup pass would remove them,
// and the runtime, which initializes all listed globals, would not find them.
func (image *Image) idleDeviceGlobals() map[llvmir.Symbol]bool {
	var local []*llvmir.Global
	defined := make(map[llvmir.Entity]bool, len(image.define))
	for _, s := range image.define {
		defined[s] = true
		if g, ok := s.(*llvmir.Global); ok && g.Linkage().Local() && g.HasAttribute(attrDeviceGlobalSize) {
			local = append(local, g)
		}
	}
	idle := map[llvmir.Symbol]bool{}
	for _, g := range local {
		users := image.module.ir.SymbolUsers(g.Name())
		used := slices.ContainsFunc(users, func(e llvmir.Entity) bool { return defined[e] })
		if list := image.module.ir.Global(compilerUsed); list == nil || !slices.Contains(users, llvmir.Entity(list)) {
			idle[g] = !used || len(image.entryPoints) == 0
		}
	}
	return idle
}

// Properties returns the property sets of the image. For NVPTX and AMDGCN, they always include the
// program metadata.
func (image *Image) Properties(o PropertyOptions) (*propset.Registry, error) {
	m := image.module
	w, err := m.writer()
	if err != nil {
		return nil, err
	}
	triple := m.ir.Triple()
	o.ProgramMetadata = o.ProgramMetadata || strings.HasPrefix(triple, "nvptx") || strings.HasPrefix(triple, "amdgcn")
	list, err := image.specConstants()
	if err != nil {
		return nil, err
	}
	replaced := image.constants != nil && image.constants.Mode == constants.Defaults
	sets, err := w.properties(image.define, image.entryPoints, imageOptions{o, m.split.Dependencies, m.split.AllowUndefined, m.libraries, m.split.Whole, list, replaced})
	if err != nil {
		return nil, err
	}
	for _, f := range image.entryPoints {
		if places, ok := placesOf(m.ir, f); ok {
			sets.Add(srcloc.Set).Put(f.Name(), places)
		}
	}
	return sets, nil
}

// Symbols returns the text of the image's symbol file: the names of its entry points, one per line.
func (image *Image) Symbols() (string, error) { return symbols(image.entryPoints) }

func symbols(entryPoints []*llvmir.Function) (string, error) {
	var b strings.Builder
	for _, f := range entryPoints {
		if strings.ContainsAny(f.Name(), "\x00\r\n") {
			return "", &devicecode.MetadataError{Function: f.Name(), Msg: "a symbol file cannot hold the line break or NUL in the name"}
		}
		b.WriteString(f.Name() + "\n")
	}
	return b.String(), nil
}

// writeRegistered writes the list of registered kernels, restricted to kernels of the image.
func (image *Image) writeRegistered(w io.Writer) error {
	if len(image.registered) == 0 {
		return nil
	}
	pairs := make([]string, len(image.registered))
	for i, r := range image.registered {
		pairs[i] = r.text
	}
	id := image.module.ir.FreeNode()
	_, err := fmt.Fprintf(w, "!%s = !{!%d}\n!%d = !{%s}\n", registeredNamesMD, id, id, strings.Join(pairs, ", "))
	return err
}
