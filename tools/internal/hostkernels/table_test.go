package hostkernels

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/hostwrap"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

var kernels = []hostwrap.Kernel{
	{
		Name: "_ZTSZ4mainEUlvE_", Location: srcloc.Location{Path: "a\"\\ä.cpp", Line: 3, Column: 5}, Size: 24,
		Function: "class (lambda)", NumParameters: 2,
		Parameters: []hostwrap.Parameter{{Kind: "accessor", Info: 4062, Offset: 0}, {Kind: "struct_with_special_type", Info: 8, Offset: 16}},
	},
	{Name: "_ZTS3Add", Type: "Add", Size: 1, ESIMD: true},
	{Name: "_ZTSZ4mainEUlvE3_", Size: 1},
}

var same = &Comparison{
	Layouts: map[string]*Layout{
		"_ZTSZ4mainEUlvE_": {Host: 32, Device: 24, Moves: []move{{Host: 8, Device: 0, Size: 16}, {Host: 28, Device: 20, Size: 4}}},
	},
	Types: map[string]string{"_ZTSZ4mainEUlvE_": "Z4mainEUlvE3_"},
}

// tableReader contains the relevant parts of rules/dpcpp/host, and the parts of libsycl's headers
// that they need.
const tableReader = `
#include <stdio.h>
struct Param { int kind, info, offset; };
struct Kernel {
  const char *name, *type;
  unsigned parameters;
  bool esimd;
  const char *file, *function;
  unsigned line, column;
  long size;
  const Param *parameter;
};
struct Move { int host, device, size; };
struct Layout { const char *kernel; int host, device; const Move *moves; int count; };
struct Kernels { const Kernel *first, *end; const Layout *layouts; const char *source; };
__attribute__((section("rules_sycl_kernels"), aligned(8))) static void *volatile before_kernels = nullptr;
static inline Kernels kernels() {
  void *volatile *at = &before_kernels;
  __asm__("" : "+r"(at));
  return *reinterpret_cast<const Kernels *>(const_cast<void **>(at) + 1);
}
void NAME() {
  const Kernels all = kernels();
  printf("%s\n", all.source);
  for (const Kernel *k = all.first; k != all.end; k++) {
    printf("%s '%s' %s %s:%u:%u %d %ld", k->name, k->type, k->function, k->file, k->line, k->column, k->esimd, k->size);
    for (unsigned i = 0; i < k->parameters; i++) printf(" (%d %d %d)", k->parameter[i].kind, k->parameter[i].info, k->parameter[i].offset);
    printf("\n");
  }
  for (const Layout *l = all.layouts; l->kernel; l++) {
    printf("%s %d %d", l->kernel, l->host, l->device);
    for (int i = 0; i < l->count; i++) printf(" (%d %d %d)", l->moves[i].host, l->moves[i].device, l->moves[i].size);
    printf("\n");
  }
}
`

// TestRead checks that a program with two sources reads both tables.
func TestRead(t *testing.T) {
	cxx := testkit.Program(t, "c++")
	dir := t.TempDir()
	run := func(argv ...string) string {
		t.Helper()
		c := exec.Command(argv[0], argv[1:]...)
		c.Dir = dir
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", argv, err, out)
		}
		return string(out)
	}
	write := func(name, text string) {
		t.Helper()
		testkit.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	write("main.cpp", "void a();\nvoid b();\nint main() { a(); b(); }\n")
	for _, options := range [][]string{{"-O0"}, {"-O3", "-fPIC", "-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections"}} {
		objects := []string{}
		for _, name := range []string{"a", "b"} {
			write(name+".cpp", strings.ReplaceAll(tableReader, "NAME", name))
			var b bytes.Buffer
			var err error
			if name == "a" {
				err = WriteTable(&b, kernels, same, "src/a.cpp")
			} else {
				err = WriteTable(&b, nil, new(Comparison), "src/b.cpp")
			}
			testkit.NoError(t, err)
			write(name+".s", b.String())
			run(append([]string{cxx, "-c", name + ".cpp"}, options...)...)
			run(cxx, "-c", name+".s", "-o", name+".table.o")
			run(cxx, "-r", "-nostdlib", name+".o", name+".table.o", "-o", name+".all.o")
			objects = append(objects, name+".all.o")
		}
		run(append(append([]string{cxx, "main.cpp", "-o", "main"}, objects...), options...)...)
		want := `src/a.cpp
_ZTSZ4mainEUlvE_ 'Z4mainEUlvE3_' class (lambda) a"\ä.cpp:3:5 0 24 (0 4062 0) (9 8 16)
_ZTS3Add '3Add'  :0:0 1 1
_ZTSZ4mainEUlvE3_ ''  :0:0 0 1
_ZTSZ4mainEUlvE_ 32 24 (8 0 16) (28 20 4)
src/b.cpp
`
		if got := run("./main"); got != want {
			t.Errorf("%v: got\n%s\nwant\n%s", options, got, want)
		}
	}
}

// TestSection checks that the section is not in read-only memory in shared libraries.
func TestSection(t *testing.T) {
	cxx := testkit.Program(t, "c++")
	dir := t.TempDir()
	var b bytes.Buffer
	testkit.NoError(t, WriteTable(&b, kernels, same, "a.cpp"))
	c := exec.Command(cxx, "-x", "assembler", "-c", "-", "-o", filepath.Join(dir, "a.o"))
	c.Stdin = &b
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	file := testkit.Must(elf.Open(filepath.Join(dir, "a.o")))(t)
	defer file.Close()
	s := file.Section(tableSection)
	if s == nil {
		t.Fatal("there is no section")
	}
	if s.Flags != elf.SHF_ALLOC|elf.SHF_WRITE || s.Addralign != 8 || s.Type != elf.SHT_PROGBITS {
		t.Errorf("got %v of %v, aligned to %d", s.Flags, s.Type, s.Addralign)
	}
	if symbols, _ := file.Symbols(); len(symbols) > 0 {
		for _, s := range symbols {
			if s.Name != "" {
				t.Errorf("there is a symbol %q", s.Name)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	for _, test := range []struct {
		kernel hostwrap.Kernel
		want   string
	}{
		{hostwrap.Kernel{Name: "_ZTS3Add", NumParameters: 2}, `kernel "_ZTS3Add": the integration header declares 2 parameters, but lists 0`},
		{
			hostwrap.Kernel{Name: "_ZTS3Add", NumParameters: 1, Parameters: []hostwrap.Parameter{{Kind: "new_thing"}}},
			`kernel "_ZTS3Add": this release of rules_sycl does not support parameters of kind "new_thing"`,
		},
		{hostwrap.Kernel{Name: "_ZTS3Add", Function: "a\x00"}, `kernel "_ZTS3Add": the description contains a NUL`},
	} {
		err := WriteTable(io.Discard, []hostwrap.Kernel{test.kernel}, new(Comparison), "a.cpp")
		var kernel *kernelError
		if !errors.As(err, &kernel) || fmt.Sprint(err) != test.want {
			t.Errorf("got %v, want %s", err, test.want)
		}
	}
	if err := WriteTable(io.Discard, nil, new(Comparison), "a\x00.cpp"); err == nil {
		t.Error("the name of the source may have a NUL")
	}
}
