package link_test

import (
	"fmt"
	"os"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/link"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/syclbin"
)

// input returns a file with one module that has one symbol in a set.
func input(name, set, symbol string) link.Input {
	m := &syclbin.Module{Metadata: new(propset.Registry)}
	m.Metadata.Add(set).Put(symbol, propset.Uint(1))
	m.IR = []*syclbin.Image{syclbin.NewIR(syclbin.SPIRV, "spir64-unknown-unknown", strings.NewReader("code"))}
	return link.Input{Name: name, File: &syclbin.File{
		State: syclbin.Object, Global: new(propset.Registry), Modules: []*syclbin.Module{m},
	}}
}

func ExampleCombine() {
	main := input("main.syclbin", propset.ImportedSymbols, "_Z6squared")
	library := input("library.syclbin", propset.ExportedSymbols, "_Z6squaref")
	result, err := link.Combine([]link.Input{main, library}, link.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range result.Problems {
		fmt.Println(strings.Join(p.Lines(), "\n  "))
	}

	library = input("library.syclbin", propset.ExportedSymbols, "_Z6squared")
	result, err = link.Combine([]link.Input{main, library}, link.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.File.State, len(result.File.Modules))
	result.WriteText(os.Stdout)
	// Output:
	// No exported symbol "_Z6squared" found in linked images.
	//   in main.syclbin: abstract module 0
	//   for spir64
	//   that is square(double)
	//   library.syclbin: abstract module 0 exports square(float) (_Z6squaref) instead
	//   fix: declare the function as it is defined, with the same name, parameters and extern "C"; instantiate templates where they are defined
	// object 2
	// modules:
	//   0: spir64
	//      kernels: 0, exported symbols: 1
	//      library.syclbin: abstract module 0
	//   1: spir64
	//      kernels: 0, exported symbols: 0
	//      main.syclbin: abstract module 0
	// imports:
	//   1 needs _Z6squared (square(double)) from 0
}
