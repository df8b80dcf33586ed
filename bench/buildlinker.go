package main

import "strings"

// linker is LLVM's program that links SYCL device code. Debian's LLVM 22 does not include it. If it
// is missing, it is not measured.
const linker = "clang-sycl-linker"

// linkerArch is the only GPU for which this program calls ocloc. For other GPUs it silently writes
// SPIR-V.
const linkerArch = "bmg_g21"

// buildByLinker runs clang-sycl-linker to link all sources into one image for each device. It
// accepts one device per call, and each call links and generates the SPIR-V. The last "-device" of
// ocloc's command line takes effect, so its options name the device; the images equal ocloc's own,
// but all of them are labeled with linkerArch.
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
			// The SPIR-V and the native code are written next to the image.
			outputs: []string{stem + ".img"},
		})
		if err != nil {
			return err
		}
	}
	return nil
}
