package main

import (
	"bufio"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/hostwrap"
)

// hostMath returns the functions of sycl::ext::intel::math that an object file refers to. DPC++'s
// packages lack the library with their host code, but the host code of kernels refers to them even
// though the host never calls it.
func hostMath(object string) ([]string, error) {
	file, err := elf.Open(object)
	if err != nil {
		return nil, nil // bitcode
	}
	defer file.Close()
	symbols, err := file.Symbols()
	if err != nil && !errors.Is(err, elf.ErrNoSymbols) {
		return nil, err
	}
	var names []string
	for _, s := range symbols {
		if s.Section == elf.SHN_UNDEF && strings.HasPrefix(s.Name, "__imf_") {
			names = append(names, s.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// addHostMath appends weak definitions of functions to assembler source. They print a message and
// abort, unless the program is linked against real definitions.
func addHostMath(source string, names []string) error {
	if len(names) == 0 {
		return nil
	}
	file, err := os.OpenFile(source, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(file)
	fmt.Fprint(w, "\n.section .text.unlikely.sycl_imf,\"ax\",@progbits\n")
	for i, name := range names {
		text := fmt.Sprintf("rules_sycl: the host calls %s of sycl::ext::intel::math, which only kernels can call; use a function of <cmath>\n", name)
		fmt.Fprintf(w, ".weak %[1]s\n.hidden %[1]s\n.type %[1]s,@function\n%[1]s:\n\tandq $-16, %%rsp\n\tmovl $2, %%edi\n\tleaq .Lsycl_imf_%[2]d(%%rip), %%rsi\n\tmovl $%[3]d, %%edx\n\tcall write@PLT\n\tcall abort@PLT\n", name, i, len(text))
		fmt.Fprintf(w, ".pushsection .rodata.sycl_imf,\"a\",@progbits\n.Lsycl_imf_%d: .ascii %s\n.popsection\n", i, hostwrap.Quote(text))
	}
	return errors.Join(w.Flush(), file.Close())
}
