package syclbin_test

import (
	"bytes"
	"fmt"
	"log"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/syclbin"
)

func Example() {
	properties := new(propset.Registry)
	properties.Add(propset.KernelNames).Put("__sycl_kernel__ZTS6kernel", propset.Uint(1))
	const spirv = "\x03\x02\x23\x07\x00\x00\x01\x00" // the start of a module

	// The runtime distinguishes native images if each is in a separate module.
	var b syclbin.Builder
	for _, image := range []*syclbin.Image{
		syclbin.NewIR(syclbin.SPIRV, "spir64-unknown-unknown", strings.NewReader(spirv)),
		syclbin.NewNative("intel_gpu_pvc", "spir64_gen-unknown-unknown", strings.NewReader("binary")),
	} {
		if err := b.Add("", properties, image); err != nil {
			log.Fatal(err)
		}
	}
	var file bytes.Buffer
	if err := syclbin.Write(&file, b.File(syclbin.Executable), syclbin.Options{}); err != nil {
		log.Fatal(err)
	}

	f, err := syclbin.NewFile(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(f.State, len(syclbin.Verify(f)), "findings")
	for _, m := range f.Modules {
		fmt.Println(m.Kernels())
		for _, i := range m.Images() {
			fmt.Println(i.Kind, i.Target(), i.Size(), "bytes of", i.Format())
		}
	}
	// Output:
	// executable 0 findings
	// [__sycl_kernel__ZTS6kernel]
	// native device code image spir64_gen-unknown-unknown=intel_gpu_pvc 6 bytes of unknown
	// [__sycl_kernel__ZTS6kernel]
	// IR module spir64-unknown-unknown 8 bytes of SPIR-V
}
