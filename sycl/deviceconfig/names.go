package deviceconfig

import "strings"

// Canonical returns the canonical name of an aliased target, and other names unchanged.
func Canonical(target string) string {
	if name, ok := names().canonical[target]; ok {
		return name
	}
	return target
}

// Triple returns the LLVM target triple for the code of a target, and whether
// there is one. Triples are targets themselves.
func Triple(target string) (string, bool) {
	const (
		jit    = "spir64-unknown-unknown"
		gen    = "spir64_gen-unknown-unknown"
		x86    = "spir64_x86_64-unknown-unknown"
		spirv  = "spirv64-unknown-unknown"
		nvidia = "nvptx64-nvidia-cuda"
		amd    = "amdgcn-amd-amdhsa"
	)
	triples := map[string]string{
		"spir64": jit, "spirv64": spirv, "spir64_gen": gen, "spir64_x86_64": x86, "x86_64": x86, "ptx64": nvidia,
		jit: jit, spirv: spirv, gen: gen, x86: x86, nvidia: nvidia, amd: amd,
	}
	if triple, ok := triples[target]; ok {
		return triple, true
	}
	for _, p := range []struct{ prefix, triple string }{
		{"intel_gpu_", gen}, {"intel_cpu_", x86}, {"nvidia_gpu_", nvidia}, {"amd_gpu_", amd},
	} {
		if strings.HasPrefix(target, p.prefix) && len(target) > len(p.prefix) {
			return p.triple, true
		}
	}
	return "", false
}

// inferOcloc returns ocloc's name for an intel_gpu_ target: its hardware version with dots for
// intel_gpu_12_60_7, otherwise the rest of the name with hyphens.
func inferOcloc(target string) (device string, ok bool) {
	suffix, ok := strings.CutPrefix(target, "intel_gpu_")
	if !ok || suffix == "" {
		return "", false
	}
	if strings.Count(suffix, "_") == 2 && strings.Trim(suffix, "0123456789_") == "" {
		return strings.ReplaceAll(suffix, "_", "."), true
	}
	return strings.ReplaceAll(suffix, "_", "-"), true
}
