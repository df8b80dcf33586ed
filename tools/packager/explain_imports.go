package main

import (
	"fmt"

	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	sycllink "github.com/rules-sycl/rules_sycl/sycl/link"
	"github.com/rules-sycl/rules_sycl/sycl/syclbin"
)

// importRule is the rule in the reason that explainImports adds.
const importRule = string(sycllink.ImportInExecutable)

// explainImports updates the outcomes of all kernels if the runtime cannot load the file because of
// imported symbols. The runtime compiles each image of a file in executable state separately, so
// imports remain undefined. It only compiles images that the device supports, so only a kernel that
// could run otherwise makes the load fail.
func explainImports(f *syclbin.File, list []outcome) {
	if f.State != syclbin.Executable {
		return
	}
	first, names := firstImporter(f, list)
	if first == nil {
		return
	}
	text := fmt.Sprintf("the file cannot be loaded because the module of %s imports %s", first.DisplayName, names[0])
	if n := len(names) - 1; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	text += ", and only sycl::link resolves imports; link the code with packager link --mode ir"
	reason := jsonReason{importRule, first.Outcome != mayRun, text}
	for i := range list {
		o := &list[i]
		o.Reasons = append([]jsonReason{reason}, o.Reasons...)
		if reason.Sure {
			o.Outcome, o.Exception = isThrow, &jsonException{"build", "The program was built for 1 devices"}
		} else if o.Outcome == runs {
			o.Outcome = mayRun
		}
	}
}

// firstImporter returns a kernel whose module imports symbols, and the symbols. It prefers kernels
// that run on the device to kernels that may run, and returns nil if there is neither.
func firstImporter(f *syclbin.File, list []outcome) (first *outcome, names []string) {
	imports := make(map[string][]string) // by kernel
	for _, m := range f.Modules {
		if names := sycllink.Imports(m); len(names) > 0 {
			for _, kernel := range m.Kernels() {
				imports[kernelname.Base(kernel)] = names
			}
		}
	}
	for i := range list {
		o := &list[i]
		if len(imports[o.Kernel]) > 0 && o.compatible && (first == nil || first.Outcome == mayRun && o.Outcome != mayRun) {
			first, names = o, imports[o.Kernel]
		}
	}
	return first, names
}
