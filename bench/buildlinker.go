package main

import "strings"

// linker is LLVM's program that links SYCL device code. LLVM 22 of Debian has none, and then
// it does not take part.
const linker = "clang-sycl-linker"

// linkerArch is the only GPU for which this program calls ocloc. For another one it makes
// SPIR-V silently.
const linkerArch = "bmg_g21"

// buildByLinker lets clang-sycl-linker make one image of all sources for each device. It
// takes one device a call, and each call links and makes the SPIR-V. The last "-device" of
// ocloc's command line counts, so that its options name the device; the images are those
// that ocloc makes alone, but all of them are labelled with linkerArch.
func buildByLinker(b *builder, p programs, sources, devices []string, _ buildWay) error {
	all, err := compileAll(b, p, sources, false)
	if err != nil {
		return err
	}
	for _, device := range devices {
		stem := "out/all." + strings.ReplaceAll(device, "-", "_")
		err := b.run(step{
			args:   append([]string{p[linker], "--triple=spirv64-unknown-unknown", "--arch=" + linkerArch, "--ocloc-options=-q -device " + device, "-o", stem + ".img"}, all...),
			inputs: all,
			// The SPIR-V and the native code stay beside the image.
			outputs: []string{stem + ".img"},
		})
		if err != nil {
			return err
		}
	}
	return nil
}
