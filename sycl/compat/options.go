package compat

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
)

// cpuOptions are the options that Intel's CPU compiler accepts when it builds SPIR-V, and
// cpuLinkOptions are the options that it accepts when it links. They were determined by building a
// program from SPIR-V with each option, with intel-opencl-rt 2026.2.
var (
	cpuOptions = []string{
		"-Wall", "-Werror", "-cl-denorms-are-zero", "-cl-fast-relaxed-math", "-cl-finite-math-only",
		"-cl-fp32-correctly-rounded-divide-sqrt", "-cl-kernel-arg-info", "-cl-mad-enable", "-cl-no-signed-zeros",
		"-cl-no-subgroup-ifp", "-cl-opt-disable", "-cl-single-precision-constant", "-cl-std=CL1.0", "-cl-std=CL1.1",
		"-cl-std=CL1.2", "-cl-std=CL2.0", "-cl-std=CL3.0", "-cl-std=CLC++", "-cl-uniform-work-group-size",
		"-cl-unsafe-math-optimizations", "-g", "-gline-tables-only", "-profiling", "-spir-std=1.2", "-w",
	}
	cpuLinkOptions = []string{"-cl-no-signed-zeroes", "-create-library", "-enable-link-options"}

	// Options with a value in the next word.
	cpuOptionsWithValue = []string{"-D", "-I", "-s", "-triple", "-x"}
)

// oclocOptions are options of ocloc itself, which the runtime's compiler for GPUs ignores.
var oclocOptions = []string{"-device", "-options", "-internal_options", "-device_options", "-revision_id"}

// checkOptions adds a reason for each option that Intel's CPU compiler rejects. Compilers for
// other devices ignore unknown options.
func checkOptions(r *Result, q *requirement.Requirements, d *deviceconfig.Device) {
	if !isAnyCPU(d.Name) && !strings.HasPrefix(d.Name, "intel_cpu_") {
		return
	}
	for _, list := range []struct {
		name, options string
		accepted      []string
	}{
		{"compile-options", q.BuildOptions.Compile, cpuOptions},
		// These are used for linking or for building, depending on the libraries that the image needs.
		{"link-options", q.BuildOptions.Link, slices.Concat(cpuOptions, cpuLinkOptions)},
	} {
		if option := firstRejected(list.options, list.accepted); option != "" {
			r.Add(Reason{Rule: UnsupportedOption, Status: Incompatible, Required: option,
				Text: fmt.Sprintf("Option %s in the %s of the image is not supported by the compiler for the device; %s", option, list.name, optionAdvice(option))})
		}
	}
	if q.RegisterOption != "" {
		r.Add(Reason{Rule: UnsupportedOption, Status: Incompatible, Required: q.RegisterOption,
			Text: fmt.Sprintf("Option %s, which the runtime adds for the property grf_size, is not supported by the compiler for the device; write a kernel without the property for it", q.RegisterOption)})
	}
}

// optionAdvice returns how to build without an option.
func optionAdvice(option string) string {
	if slices.Contains(oclocOptions, option) {
		return "pass it to the native target only, as in -Xsycl-target-backend=spir64_gen, or build the SPIR-V image separately"
	}
	return "build the SPIR-V image without it"
}

// firstRejected returns the first option that is not accepted, or "".
func firstRejected(options string, accepted []string) string {
	words := optionWords(options)
	for i := 0; i < len(words); i++ {
		word := words[i]
		switch {
		case slices.Contains(accepted, word):
		case slices.Contains(cpuOptionsWithValue, word) && i+1 < len(words):
			i++
		case strings.HasPrefix(word, "-D"), strings.HasPrefix(word, "-I"):
			if len(word) == 2 {
				return word
			}
		// The runtime removes these for devices that are not Intel GPUs.
		case word == "-ftarget-compile-fast", strings.HasPrefix(word, "-ftarget-register-alloc-mode="):
		default:
			return word
		}
	}
	return ""
}

// optionWords splits options at spaces outside of quotes, and removes the quotes.
func optionWords(options string) (words []string) {
	var word strings.Builder
	quote, inWord := rune(0), false
	for _, c := range options {
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote, inWord = c, true
		case quote == 0 && (c == ' ' || c == '\t' || c == '\n'):
			if inWord {
				words = append(words, word.String())
			}
			word.Reset()
			inWord = false
		default:
			word.WriteRune(c)
			inWord = true
		}
	}
	if inWord {
		words = append(words, word.String())
	}
	return words
}
