// Package hostwrap joins the host code of a program with its device code. It reads DPC++'s
// integration headers, which describe the kernels of a source's device compile to its host compile.
// It also writes device images for host programs, as the assembler source of an object that
// registers them with DPC++'s runtime when the program starts, and unregisters them when it ends.
//
// The assembler source is for x86-64 ELF, and for the GNU and LLVM assemblers. A program can have
// several such objects. Each calls two functions of libsycl:
//
//	__sycl_register_lib(descriptor)    by .init_array, before ordinary
//	                                   constructors, which may submit kernels
//	__sycl_unregister_lib(descriptor)  by .fini_array, after their destructors
//
// The descriptor is a table of the images in the format that package hostbin reads: version 2 for
// releases before 2026, version 3 for others, with entries in the older of their two layouts. It
// was tested with libsycl 2025.3.1 and 2026.2.0.
//
// If several kernels have the same name, the runtime uses any of them. So does the host: a program
// has one instance of libsycl's templates for each class that names a kernel, and this instance
// defines the kernel's name in device code. That name may differ between sources: a class that is
// first named in parallel_for<class K> belongs to the function in device code, and to the namespace
// on the host. Therefore an object has up to two symbols for each kernel: one with the name of its
// class, if an integration header states it, and one with the kernel's name in device code, by
// which the host code of other sources may look it up. Each symbol is in a section group that is
// named for a hash of the kernel's parameters and code. Linkers keep one of several groups with the
// same name. For different kernels, they report that sycl_kernel_is_defined_twice_NAME has two
// definitions.
//
// Compilers optimize the code of a kernel in a header along with other code, so it may differ
// between sources. The group of such a kernel is therefore named for its location and parameters.
// So is the group of a kernel whose digest is unknown or partial. A location is a file name with
// line and column. It has no directories, because the directories of a header depend on how it is
// included. For kernels that libsycl's headers generate, and for kernels without an integration
// header, the location comes from the device code. It is unknown if the device code does not state
// it.
//
// Linkers do not compare the kernels of different shared libraries. Therefore, an object also has a
// record of each kernel, and a note that points to the records. When a program or library that was
// compiled with the headers in rules/dpcpp/host is loaded, their code looks for such notes in all
// loaded files.
//
// The runtime links all images of a set of virtual functions. This fails if two images have the
// same function, regardless of its origin. Each object therefore defines a symbol
// sycl_virtual_function_is_defined_twice_NAME for each virtual function.
//
// The source does not contain the bytes of images. It names their files in .incbin directives, as
// given by the caller, and the assembler opens them. A relative name is searched for in the
// assembler's current directory, then in the directories of its -I flags.
package hostwrap

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/offload"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/release"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// formatNumbers maps the formats that the runtime supports to their numbers in descriptors.
var formatNumbers = map[offload.Format]uint64{offload.Native: 1, offload.SPIRV: 2, offload.Bitcode: 3}

// An Image is a device image and the program's metadata about it.
type Image struct {
	// File is the path that the assembler opens to read the bytes. It must not be empty.
	File string

	// Target is the target that the image is compiled for, such as spir64 or spir64_gen. [Target]
	// returns it for a triple.
	Target string

	// Format is a format that the runtime supports: offload.SPIRV, offload.Bitcode or, for all
	// others, offload.Native.
	Format offload.Format

	// Large puts the bytes into a section that code does not address directly, so a program can
	// have more than 2 GiB of images. Assemblers of LLVM before 18 do not support it.
	Large bool

	// Entries are the symbols of the kernels in the image.
	Entries []string

	// Properties has the aspects of package aspect.
	Properties *propset.Registry

	// Options are options for the runtime's compiler.
	Options propset.JITOptions
}

// Target returns the runtime's name for the target of a triple: the part before the first "-".
func Target(triple string) string {
	system, _, _ := strings.Cut(triple, "-")
	return system
}

// maxImages is the maximum number of images in a descriptor.
const maxImages = 1<<16 - 1

// An ImageError is returned for an image that cannot be written.
type ImageError struct {
	File string // of the image
	Err  error
}

func (e *ImageError) Error() string { return fmt.Sprintf("image %q: %v", e.File, e.Err) }
func (e *ImageError) Unwrap() error { return e.Err }

// BadInput marks errors caused by an input file.
func (*ImageError) BadInput() {}

// Write writes the source for a runtime release. Except for errors of w, the errors are of type
// *[ImageError] or *[DuplicateKernelError]. The output depends only on the images, the kernels and
// the release. kernels are the kernels of the sources of the images. A kernel without an image is
// registered without code, so submitting it throws an exception. Without images and kernels, the
// object registers nothing and does not need libsycl.
func Write(w io.Writer, images []Image, kernels []Kernel, r *release.Release) error {
	if n := len(images); n > maxImages {
		return &ImageError{Err: fmt.Errorf("cannot register %[2]d images at once (limit %[1]d); wrap them in several objects", maxImages, n)}
	}
	s := &source{w: bufio.NewWriter(w), release: r}
	s.line("# Registers device images with libsycl, for release %s.", r)
	var table []word
	for i := range images {
		words, err := s.image(&images[i])
		if err != nil {
			return &ImageError{File: images[i].File, Err: err}
		}
		table = append(table, words...)
	}
	n := len(images)
	if names := WithoutImage(images, kernels); len(names) > 0 && n < maxImages {
		words, err := s.placeholder(names)
		if err != nil {
			return err
		}
		table = append(table, words...)
		n++
	}
	if n > 0 {
		s.register(table, n)
	}
	if err := s.places(images, kernels); err != nil {
		return err
	}
	if err := s.virtualFunctions(images); err != nil {
		return err
	}
	s.line("\t.section .note.GNU-stack,\"\",@progbits")
	return s.w.Flush()
}

// WithoutImage returns the symbols of the kernels without an image, in order.
func WithoutImage(images []Image, kernels []Kernel) (names []string) {
	has := map[string]bool{}
	for i := range images {
		for _, name := range images[i].Entries {
			has[name] = true
		}
	}
	for _, k := range kernels {
		if !has[k.Name] && k.Name != "" && !strings.ContainsRune(k.Name, 0) {
			has[k.Name] = true
			names = append(names, k.Name)
		}
	}
	slices.Sort(names)
	return names
}

// placeholder writes an image that no device runs, for kernels without an image. libsycl 2026
// dereferences a null pointer when a program submits a kernel that is not in any image. For a
// kernel in this image it throws an exception with the code errc::kernel_not_supported, because no
// device has the aspect host. The content is a SPIR-V module without instructions.
func (s *source) placeholder(names []string) ([]word, error) {
	properties := new(propset.Registry)
	properties.Add(propset.DeviceRequirements).Put("aspects", propset.Uint32s(uint32(aspect.Host)))
	properties, err := s.release.Write(properties)
	if err != nil {
		return nil, err
	}
	s.line("# Kernels without a device image.")
	const sycl = 4 // the kind of offloading
	first := uint64(s.release.Descriptor) | sycl<<16 | formatNumbers[offload.SPIRV]<<24
	empty := s.text("")
	words := []word{number(first), s.text("spir64"), empty, empty}
	if s.release.Descriptor == 2 {
		words = append(words, null, null) // the manifest
	}
	s.line("\t.section .rodata,\"a\",@progbits")
	s.line("\t.balign 16")
	begin := s.label()
	s.line("\t.long 0x07230203, 0x10000, 0, 1, 0")
	words = append(words, begin, s.label())
	begin, end := s.entries(names)
	words = append(words, begin, end)
	begin, end = s.sets(properties)
	return append(words, begin, end), nil
}

// register registers the table of n images.
func (s *source) register(table []word, n int) {
	begin, _ := s.table(table)
	descriptor, _ := s.table([]word{number(1 | uint64(n)<<16), begin, null, null})
	s.call("init", "__sycl_register_lib", descriptor)
	s.call("fini", "__sycl_unregister_lib", descriptor)
}

// A DuplicateKernelError is returned if a program has two different kernels with the same name.
type DuplicateKernelError struct {
	Kernel     string // demangled
	At, Before srcloc.Location
}

func (e *DuplicateKernelError) Error() string {
	if withoutDir(e.At) == withoutDir(e.Before) {
		return fmt.Sprintf("the kernel %q of %v is defined twice with different code, and the runtime would run only one; give them different names", e.Kernel, e.At)
	}
	return fmt.Sprintf("the kernel %q of %v is also defined at %v: the runtime would confuse them; give them different names", e.Kernel, e.At, e.Before)
}

// BadInput marks errors caused by an input file.
func (*DuplicateKernelError) BadInput() {}

// A definition distinguishes kernels with the same name.
type definition struct {
	name, shown string
	symbol      string // in device code
	at          srcloc.Location
	signature   string // the parameters, "" if they are not known
	digest      uint32 // of the code, 0 if it is not known
	byCode      bool   // the place is the code, if it is known
}

// code returns a number that identifies the code and the parameters of a kernel, or 0 if the digest
// of the code is unknown or partial.
func (d *definition) code() uint64 {
	if d.digest == 0 || propset.IsPartialDigest(d.digest) {
		return 0
	}
	return Hash(fmt.Sprintf("%s %08x", d.signature, d.digest))
}

// place returns a text that all definitions of a kernel in a program must share. It identifies the
// code of a kernel in a source, and the location and parameters of other kernels. The code of a
// kernel in a header may differ between sources, because compilers optimize it along with other
// code.
func (d *definition) place() string {
	if code := d.code(); code != 0 && (d.byCode || isSource(d.at.Path)) {
		return fmt.Sprintf("%016x", code)
	}
	place := withoutDir(d.at).String()
	if d.signature != "" {
		place += " " + d.signature
	}
	if d.digest != 0 && isSource(d.at.Path) {
		place += fmt.Sprintf(" %08x", d.digest)
	}
	return place
}

// conflicts reports whether the runtime would confuse two kernels with the same name.
func (d *definition) conflicts(with *definition) bool {
	comparable := withoutDir(d.at) != withoutDir(with.at) || d.signature != "" && with.signature != ""
	return comparable && d.place() != with.place()
}

// internal matches the symbols of kernels in static functions and in unnamed namespaces. Each source
// that includes a header has its own such kernels.
var internal = regexp.MustCompile(`_GLOBAL__N_|Z(?:N[^EI]*)?L\d`)

// isSource reports whether a file name is the name of a source, and not of a header.
func isSource(file string) bool {
	return slices.Contains([]string{".C", ".c", ".cc", ".cp", ".cpp", ".CPP", ".cxx", ".c++", ".cu", ".sycl", ".ii"}, path.Ext(file))
}

// signature returns the size and the parameters of a kernel as text.
func signature(k Kernel) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d", k.Size)
	for _, p := range k.Parameters {
		fmt.Fprintf(&b, " %s %d %d", p.Kind, p.Info, p.Offset)
	}
	return b.String()
}

// digests returns the digests of the kernels in images, except for kernels with several different
// digests.
func digests(images []Image) map[string]uint32 {
	digests, several := map[string]uint32{}, map[string]bool{}
	for i := range images {
		for _, p := range images[i].Properties.Set(propset.KernelDigests).Properties() {
			digest, ok := p.Value.Uint()
			if before := digests[p.Key]; before != 0 && before != digest || !ok {
				several[p.Key] = true
			}
			digests[p.Key] = digest
		}
	}
	for kernel := range several {
		delete(digests, kernel)
	}
	return digests
}

// optimizationLevels returns the optimization levels of the kernels in images, 0 if they are not
// known.
func optimizationLevels(images []Image) map[string]uint32 {
	levels := map[string]uint32{}
	for i := range images {
		value, _ := images[i].Properties.Set(propset.MiscProperties).Get("optLevel")
		level, _ := value.Uint()
		for _, symbol := range images[i].Entries {
			levels[symbol] = level
		}
	}
	return levels
}

// places writes the symbols and the records of the kernels with a known location.
func (s *source) places(images []Image, kernels []Kernel) error {
	known := map[string]definition{}
	var list []definition
	add := func(d definition) error {
		before, ok := known[d.name]
		switch {
		case !ok:
			known[d.name] = d
			list = append(list, d)
		case d.conflicts(&before):
			return &DuplicateKernelError{d.shown, d.at, before.at}
		}
		return nil
	}
	type place struct{ symbol, file string }
	paths := map[place]string{} // headers have none
	for i := range images {
		for _, symbol := range images[i].Entries {
			k, _ := srcloc.ReadKernel(images[i].Properties, symbol)
			paths[place{symbol, path.Base(k.Location.Path)}] = k.Location.Path
		}
	}
	digests := digests(images)
	names := map[string]string{} // by symbol
	for _, k := range kernels {
		name, shown := hostName(k)
		names[k.Name] = name
		if strings.HasPrefix(k.Name, syclNamespace) || k.Location.Line == 0 {
			continue
		}
		at := k.Location
		at.Path = cmp.Or(paths[place{k.Name, at.Path}], at.Path)
		if err := add(definition{name: name, shown: shown, symbol: k.Name, at: at, signature: signature(k), digest: digests[k.Name]}); err != nil {
			return err
		}
	}
	for i := range images {
		for _, symbol := range images[i].Entries {
			k, _ := srcloc.ReadKernel(images[i].Properties, symbol)
			name, ok := names[symbol]
			if k.Location.IsZero() || ok && !strings.HasPrefix(symbol, syclNamespace) {
				continue
			}
			d := definition{name: cmp.Or(name, symbol), shown: kernelname.Display(symbol), symbol: symbol, at: k.Location, digest: digests[symbol]}
			if err := add(d); err != nil {
				return &ImageError{File: images[i].File, Err: err}
			}
		}
	}
	for _, d := range list {
		// The host code of a different source may look up the same kernel by its symbol.
		if _, ok := known[d.symbol]; !ok {
			d.name = d.symbol
			list = append(list, d)
		}
	}
	levels := optimizationLevels(images)
	for _, d := range list {
		// Code is comparable at one optimization level. A Debug and a Release build share headers.
		if d.name == d.symbol && d.code() != 0 && !isSource(d.at.Path) && internal.MatchString(d.symbol) {
			d.name, d.byCode = fmt.Sprintf("%s_O%d", d.symbol, levels[d.symbol]), true
			list = append(list, d)
		}
	}
	for i := range list {
		s.place(&list[i])
	}
	s.records(list)
	return nil
}

// syclNamespace starts the symbols of kernels that libsycl's headers derive from others. Their
// location is in a libsycl header.
const syclNamespace = "_ZTSN4sycl"

// hostName returns the kernel name that sources share, and its display name. It is the class name.
// For an unnamed kernel, and for a class in an unnamed namespace, which is different in each
// source, it is the symbol.
func hostName(k Kernel) (name, shown string) {
	if k.Type == "" || strings.Contains(k.Name, "_GLOBAL__N_") {
		return k.Name, kernelname.Display(k.Name)
	}
	return k.Type, k.Type
}

// withoutDir returns a location without the directory, because the directory of a header depends on
// how it is included.
func withoutDir(at srcloc.Location) srcloc.Location {
	at.Path = path.Base(at.Path)
	return at
}

// place writes the symbol of a kernel, in a group named for its place. The group's own symbol is not
// local, because llvm-strip and llvm-objcopy make groups with local names ordinary sections, which
// linkers do not compare.
func (s *source) place(d *definition) {
	name := symbolName(d.name)
	symbol := "sycl_kernel_is_defined_twice_" + name
	group := fmt.Sprintf("sycl_kernel_%016x_%s", Hash(d.place()), name)
	s.symbol(symbol, fmt.Sprintf(".sycl_kernels,\"G\",@progbits,%s,comdat", group))
	s.line("\t.weak %s", group)
	s.line("\t.hidden %s", group)
	s.line("\t.set %s, %s", group, symbol)
}

// records writes the records of kernels, and the note by which rules/dpcpp/host finds them in the
// programs and libraries of a process. A record has the hashes of the name, of the symbol in device
// code, of the place and of the code, which is 0 if it is unknown, and the offset of a text for
// messages.
func (s *source) records(list []definition) {
	if len(list) == 0 {
		return
	}
	s.line("# The kernels, to be compared with the kernels of other libraries.")
	var texts []word
	for i := range list {
		texts = append(texts, s.text(fmt.Sprintf("%s (%s)", list[i].shown, withoutDir(list[i].at))))
	}
	s.line("\t.section .rodata,\"a\",@progbits")
	s.line("\t.balign 8")
	begin := s.label()
	for i := range list {
		d := &list[i]
		s.line("\t.quad %#x, %#x, %#x, %#x, %s - .", Hash(d.name), Hash(d.symbol), Hash(d.place()), d.code(), texts[i])
	}
	end := s.label()
	s.line("\t.section .note.rules_sycl,\"a\",@note")
	s.line("\t.balign 4")
	s.line("\t.long 11, 16, 1")
	s.line("\t.asciz \"rules_sycl\"")
	s.line("\t.balign 4")
	s.line("\t.quad %s - ., %s - %s", begin, end, begin)
}

// symbolName converts a name to a part of a symbol. Assemblers differ in which characters they
// allow besides letters, digits and _$., so a checksum replaces all others.
func symbolName(name string) string {
	symbol := strings.Map(func(c rune) rune {
		if strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$.", c) {
			return c
		}
		return '_'
	}, name)
	if symbol != name {
		symbol += fmt.Sprintf("_%016x", Hash(name))
	}
	return symbol
}

// virtualFunctions writes the symbols of virtual functions.
func (s *source) virtualFunctions(images []Image) error {
	defined, written := map[string]bool{}, map[string]bool{}
	for _, image := range images {
		if _, ok := image.Properties.Set(propset.VirtualFunctions).Get(propset.VirtualFunctionsSet); !ok {
			continue
		}
		device, _ := image.Properties.Set(propset.DeviceRequirements).Get("compile_target")
		for _, name := range image.Entries {
			key := strings.Join([]string{image.Target, device.String(), name}, "\n")
			if defined[key] {
				return &ImageError{File: image.File, Err: fmt.Errorf("the virtual function %q is also in an image of a different source, and the runtime links both; link the device code of the sources with rdc = True (syclc++: -fsycl-rdc)", kernelname.Display(name))}
			}
			defined[key] = true
			if !written[name] {
				s.symbol("sycl_virtual_function_is_defined_twice_"+symbolName(name), ".sycl_kernels,\"\",@progbits")
			}
			written[name] = true
		}
	}
	return nil
}

// symbol writes the definition of a symbol that a program may define only once.
func (s *source) symbol(symbol, section string) {
	s.line("\t.section %s", section)
	s.line("\t.globl %s", symbol)
	s.line("\t.hidden %s", symbol)
	s.line("%s:", symbol)
	s.line("\t.byte 0")
}

// Hash returns the hash of a name that the headers in rules/dpcpp/host also compute: FNV-1a, 64 bits.
func Hash(text string) uint64 {
	h := fnv.New64a()
	io.WriteString(h, text)
	return h.Sum64()
}

// source is the assembler source being written. The final Flush returns its errors.
type source struct {
	w       *bufio.Writer
	release *release.Release
	labels  int
}

// A word is 8 bytes of a table: a number, or a label.
type word string

const null word = "0"

func number(n uint64) word { return word(fmt.Sprintf("%#x", n)) }

func (s *source) line(format string, args ...any) {
	fmt.Fprintf(s.w, format, args...)
	s.w.WriteByte('\n')
}

// label starts the next lines with a label, and returns it.
func (s *source) label() word {
	s.labels++
	label := word(fmt.Sprintf(".L%d", s.labels))
	s.line("%s:", label)
	return label
}

// text writes a NUL-terminated string.
func (s *source) text(text string) word {
	s.line("\t.section .rodata.str1.1,\"aMS\",@progbits,1")
	label := s.label()
	s.line("\t.asciz %s", Quote(text))
	return label
}

// table writes words, and returns their start and end. The words do not change after relocation.
func (s *source) table(words []word) (begin, end word) {
	if len(words) == 0 {
		return null, null
	}
	s.line("\t.section .data.rel.ro,\"aw\",@progbits")
	s.line("\t.balign 8")
	begin = s.label()
	for _, w := range words {
		s.line("\t.quad %s", w)
	}
	return begin, s.label()
}

// file writes the directives that include the bytes of a file.
func (s *source) file(name string, large bool) (begin, end word) {
	if large {
		s.line("\t.section .lrodata,\"al\",@progbits")
	} else {
		s.line("\t.section .rodata,\"a\",@progbits")
	}
	s.line("\t.balign 16")
	begin = s.label()
	s.line("\t.incbin %s", Quote(name))
	return begin, s.label()
}

// call writes code that calls a function with the descriptor when the program starts or ends.
// Functions with a priority are called before ordinary constructors, and after ordinary
// destructors; 101 is the first priority that is not reserved for the compiler.
func (s *source) call(when, function string, descriptor word) {
	s.line("\t.text")
	label := s.label()
	s.line("\tendbr64")
	s.line("\tleaq %s(%%rip), %%rdi", descriptor)
	s.line("\tjmp %s@PLT", function)
	s.line("\t.section .%s_array.00101,\"aw\",@%s_array", when, when)
	s.line("\t.balign 8")
	s.line("\t.quad %s", label)
}

// image writes the data that an image refers to, and returns its words in the table of images.
func (s *source) image(img *Image) ([]word, error) {
	if err := img.check(); err != nil {
		return nil, err
	}
	properties := img.Properties
	if properties == nil {
		properties = new(propset.Registry)
	}
	if err := properties.Validate(); err != nil {
		return nil, err
	}
	properties, err := s.release.Write(properties)
	if err != nil {
		return nil, err
	}
	const sycl = 4 // the kind of offloading
	first := uint64(s.release.Descriptor) | sycl<<16 | formatNumbers[img.Format]<<24
	empty := s.text("")
	words := []word{number(first), s.text(img.Target)}
	for _, options := range []string{img.Options.Compile, img.Options.Link} {
		if options == "" {
			words = append(words, empty)
		} else {
			words = append(words, s.text(options))
		}
	}
	if s.release.Descriptor == 2 {
		words = append(words, null, null) // the manifest
	}
	for _, part := range []func() (begin, end word){
		func() (begin, end word) { return s.file(img.File, img.Large) },
		func() (begin, end word) { return s.entries(img.Entries) },
		func() (begin, end word) { return s.sets(properties) },
	} {
		begin, end := part()
		words = append(words, begin, end)
	}
	return words, nil
}

// check rejects values that a descriptor cannot hold.
func (img *Image) check() error {
	switch {
	case img.File == "":
		return fmt.Errorf("missing file name")
	case strings.ContainsRune(img.File, 0):
		return fmt.Errorf("the file name contains a NUL")
	case img.Target == "" || strings.ContainsRune(img.Target, 0):
		return fmt.Errorf("the target %q is empty or contains a NUL", img.Target)
	case strings.ContainsRune(img.Options.Compile+img.Options.Link, 0):
		return fmt.Errorf("the options contain a NUL")
	case formatNumbers[img.Format] == 0:
		return fmt.Errorf("the runtime does not support the format %v", img.Format)
	}
	seen := make(map[string]bool)
	for _, name := range img.Entries {
		switch {
		case name == "" || strings.ContainsRune(name, 0):
			return fmt.Errorf("the kernel name %q is empty or contains a NUL", name)
		case seen[name]:
			return fmt.Errorf("duplicate kernel %q", name)
		}
		seen[name] = true
	}
	return nil
}

func (s *source) entries(names []string) (begin, end word) {
	var words []word
	for _, name := range names {
		// Address, name, size, flags and a reserved number.
		words = append(words, null, s.text(name), null, null)
	}
	return s.table(words)
}

func (s *source) sets(r *propset.Registry) (begin, end word) {
	var words []word
	for _, set := range r.Sets() {
		var properties []word
		for _, p := range set.Properties() {
			properties = append(properties, s.text(p.Key))
			properties = append(properties, s.value(p.Value)...)
		}
		begin, end := s.table(properties)
		words = append(words, s.text(set.Name), begin, end)
	}
	return s.table(words)
}

// value returns the pointer to a value, its type and its size. A number is stored in the size
// field itself, and a byte array starts with its number of bits. It is followed by a NUL for
// libsycl, which reads names of sets of virtual functions as C strings.
func (s *source) value(v propset.Value) []word {
	typ := number(uint64(v.Type()))
	if n, ok := v.Uint(); ok {
		return []word{null, typ, number(uint64(n))}
	}
	raw := append(binary.LittleEndian.AppendUint64(nil, v.BitLen()), v.Bytes()...)
	s.line("\t.section .rodata,\"a\",@progbits")
	s.line("\t.balign 8")
	label := s.label()
	for part := range slices.Chunk(raw, 64) {
		s.line("\t.ascii %s", Quote(string(part)))
	}
	s.line("\t.byte 0")
	return []word{label, typ, number(uint64(len(raw)))}
}

// Quote returns a string in assembler syntax. Bytes other than printable ASCII are escaped as three
// octal digits.
func Quote(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c > '~':
			fmt.Fprintf(&b, "\\%03o", c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
