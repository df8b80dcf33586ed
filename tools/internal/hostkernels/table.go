package hostkernels

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/hostwrap"
)

// tableSection is the name of the section with the table.
const tableSection = "rules_sycl_kernels"

// kinds maps parameter kinds to the values of kernel_param_kind_t in libsycl's kernel_desc.hpp.
var kinds = map[string]int{
	"accessor":                        0,
	"std_layout":                      1,
	"sampler":                         2,
	"pointer":                         3,
	"specialization_constants_buffer": 4,
	"stream":                          5,
	"work_group_memory":               6,
	"dynamic_work_group_memory":       7,
	"dynamic_accessor":                8,
	"struct_with_special_type":        9,
}

// A kernelError is the error for a kernel that the table cannot describe.
type kernelError struct {
	Kernel string
	Err    error
}

func (e *kernelError) Error() string { return fmt.Sprintf("kernel %q: %v", e.Kernel, e.Err) }
func (e *kernelError) Unwrap() error { return e.Err }

// BadInput marks the error as caused by an input file.
func (*kernelError) BadInput() {}

// WriteTable writes a table that describes the kernels of a source and the result of comparing them
// with the host code. The headers in rules/dpcpp/host read it if the source is compiled with the
// macro RULES_SYCL_TABLE. The source name is for messages.
//
// The output is assembler source for x86-64 ELF, to be appended to the source that package hostwrap
// writes. Both the host object and the table's object have a section rules_sycl_kernels. In the
// host object, it is a pointer. 'ld -r HOST.o TABLE.o' places the table directly after the pointer.
// The structs are declared in rules/dpcpp/host/sycl/detail/kernel_desc.hpp.
func WriteTable(w io.Writer, kernels []hostwrap.Kernel, same *Comparison, source string) error {
	for _, k := range kernels {
		if err := check(k); err != nil {
			return &kernelError{k.Name, err}
		}
	}
	if strings.ContainsRune(source, 0) {
		return fmt.Errorf("the source name %q contains a NUL", source)
	}
	t := &table{w: bufio.NewWriter(w)}
	names := slices.Sorted(maps.Keys(same.Layouts))
	t.rows(kernels, names, same, source)
	t.lists(kernels, names, same)
	t.line("\t.section .rodata.str1.1,\"aMS\",@progbits,1")
	for i, text := range t.texts {
		t.label(label(i))
		t.line("\t.asciz %s", hostwrap.Quote(text))
	}
	return t.w.Flush()
}

// rows writes the rows of kernels, and the rows of the named layouts.
func (t *table) rows(kernels []hostwrap.Kernel, names []string, same *Comparison, source string) {
	t.line("# The kernels of a source, for the headers of rules/dpcpp/host.")
	t.line("\t.section %s,\"aw\",@progbits", tableSection)
	t.line("\t.balign 8")
	t.quads(".Lrules_sycl_first", ".Lrules_sycl_end", ".Lrules_sycl_layouts", t.text(source))
	t.label(".Lrules_sycl_first")
	for i, k := range kernels {
		t.quads(t.text(k.Name), t.text(typeOf(k, same.Types)))
		esimd := 0
		if k.ESIMD {
			esimd = 1
		}
		t.longs(len(k.Parameters), esimd)
		t.quads(t.text(k.Location.Path), t.text(k.Function))
		t.longs(int(k.Location.Line), int(k.Location.Column))
		t.quads(fmt.Sprint(k.Size), parameters(i))
	}
	t.label(".Lrules_sycl_end")
	t.label(".Lrules_sycl_layouts")
	for i, name := range names {
		l := same.Layouts[name]
		t.quads(t.text(name))
		t.longs(int(l.Host), int(l.Device))
		t.quads(tableMoves(i))
		t.longs(len(l.Moves), 0)
	}
	t.quads("0", "0", "0", "0")
}

// lists writes the parameters of kernels and the moves of layouts.
func (t *table) lists(kernels []hostwrap.Kernel, names []string, same *Comparison) {
	t.line("\t.section .rodata,\"a\",@progbits")
	t.line("\t.balign 4")
	for i, k := range kernels {
		t.label(parameters(i))
		for _, p := range k.Parameters {
			t.longs(kinds[p.Kind], int(p.Info), int(p.Offset))
		}
	}
	for i, name := range names {
		t.label(tableMoves(i))
		for _, m := range same.Layouts[name].Moves {
			t.longs(int(m.Host), int(m.Device), int(m.Size))
		}
	}
}

// check returns an error if the table cannot describe a kernel.
func check(k hostwrap.Kernel) error {
	if strings.ContainsRune(k.Name+k.Function+k.Location.Path, 0) {
		return errors.New("the description contains a NUL")
	}
	if n := len(k.Parameters); n != k.NumParameters {
		return fmt.Errorf("the integration header declares %d parameters, but lists %d", k.NumParameters, n)
	}
	for _, p := range k.Parameters {
		if _, ok := kinds[p.Kind]; !ok {
			return fmt.Errorf("this release of rules_sycl does not support parameters of kind %q", p.Kind)
		}
	}
	return nil
}

// typeOf returns the typeid name of a kernel's type, or "" if another kernel has the same one.
func typeOf(k hostwrap.Kernel, types map[string]string) string {
	if name, ok := types[k.Name]; ok {
		return name
	}
	name := strings.TrimPrefix(k.Name, "_ZTS")
	for _, other := range types {
		if other == name {
			return ""
		}
	}
	return name
}

func parameters(kernel int) string { return fmt.Sprintf(".Lrules_sycl_parameters_%d", kernel) }
func tableMoves(layout int) string { return fmt.Sprintf(".Lrules_sycl_moves_%d", layout) }
func label(text int) string        { return fmt.Sprintf(".Lrules_sycl_text_%d", text) }

// A table is a table that is being written. Flush returns the first error.
type table struct {
	w     *bufio.Writer
	texts []string
}

func (t *table) line(format string, args ...any) {
	fmt.Fprintf(t.w, format, args...)
	t.w.WriteByte('\n')
}

func (t *table) label(name string) { t.line("%s:", name) }

func (t *table) quads(words ...string) { t.line("\t.quad %s", strings.Join(words, ", ")) }

func (t *table) longs(numbers ...int) {
	t.line("\t.long %s", strings.ReplaceAll(strings.Trim(fmt.Sprint(numbers), "[]"), " ", ", "))
}

// text returns a label for a string, which is written later.
func (t *table) text(text string) string {
	t.texts = append(t.texts, text)
	return label(len(t.texts) - 1)
}
