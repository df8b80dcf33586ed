// Package icpxflags defines how the options of DPC++'s compiler drivers (icpx -fsycl and clang++
// -fsycl) are translated for a separate host compiler: which build step gets an option, and what
// replaces an option that no step accepts. syclc++ uses the table directly ([Table]). The rules
// load it as rules/private/generated/icpx_flags.bzl, and docs/reference/icpx-options.md documents
// it; tools/generate writes both files.
//
// The options have the meaning that sycl/doc/UsersManual.md in intel/llvm defines. Options that
// are not in the table are passed to both the device compile and the host compile, except that
// unknown options that start with -fsycl or -fno-sycl are errors.
package icpxflags

// A Destination is the build step or the attribute that an option applies to.
type Destination string

const (
	Nothing   Destination = "nothing"   // no effect, because it is the default or does not apply
	Device    Destination = "device"    // the device compile
	Both      Destination = "both"      // the device compile, and a translation for the host compile
	Host      Destination = "host"      // the host compile and the link
	Intel     Destination = "intel"     // as Host with Intel's host compiler; with others an error, unless syclc++ has an equivalent
	Attribute Destination = "attribute" // set by an attribute
	Backend   Destination = "backend"   // the native compilers, which compile SPIR-V
	Emulation Destination = "emulation" // a second device compile, and the native compiler
	Error     Destination = "error"     // none: the option is rejected
)

// A Flag is the translation of one or more options with the same meaning.
type Flag struct {
	// Names are the options. A name that ends in "=" is followed by a value, or, if Next is true,
	// by the target that the value applies to.
	Names       []string
	Next        bool // whether the value is in the next argument
	Destination Destination

	// Attribute is the equivalent attribute. Means is its value if the option itself has none.
	Attribute, Means string

	// Device and Host are the options for the two compiles; "{}" stands for the words of the
	// value. If Device is nil, the device compile gets the option unchanged. If Host is nil, the
	// host compile gets it unchanged if the destination is Host or Intel, and does not get it
	// otherwise.
	Device, Host []string

	// Equivalent are the options of g++ and clang++ with the same meaning. syclc++ passes them to
	// the host compile and the link, and libraries to the end of the link.
	Equivalent []string

	// Native are the options for the compiler of native images, and JIT for the runtime's SPIR-V
	// compiler. If the option has a value, both are nil and the compilers get the value's words.
	Native, JIT []string

	// Why states why the option has no effect, what to use instead, or how it can be spelled.
	// "{}" stands for the value.
	Why string

	// Sets is the syclc++ setting that the option changes, for options that the rules reject, have
	// an attribute for, or link a different library for. Command replaces Why in syclc++'s messages
	// if it is not empty.
	Sets    Setting
	Command string
}

// A Setting describes the effect of an option on the command line of syclc++.
type Setting string

const (
	SYCL         Setting = "enables or disables SYCL"
	Targets      Setting = "selects the targets"
	FixedTargets Setting = "restricts the program to these targets"
	DeviceConfig Setting = "adds devices from a device configuration file"
	Split        Setting = "selects how device code is split into images"
	RDC          Setting = "enables or disables linking device code across sources"
	SYCLBIN      Setting = "writes a SYCLBIN in the given state"
	LinkDevice   Setting = "links the device code of object files"
	Preview      Setting = "links the program to libsycl-preview"
	NoPreview    Setting = "links the program to libsycl, not libsycl-preview"
	HostCompiler Setting = "selects the host compiler"
	HostOptions  Setting = "passes options to the host compiler"
	OneMKL       Setting = "links oneMKL, which pip installs (mkl-devel-dpcpp) or MKLROOT names"
)

// A Section groups related options.
type Section struct {
	Title string
	Flags []Flag
}

const (
	disableRounding = "-D__SYCL_DISABLE_PARALLEL_FOR_RANGE_ROUNDING__=1"
	intQueries      = "__SYCL_ID_QUERIES_FIT_IN_INT__"
	uintQueries     = "__SYCL_ID_QUERIES_FIT_IN_UINT__"
	useSYCLBINRules = "use sycl_binary or syclbin_link to build a SYCLBIN"
	linkInProgram   = "libraries do not link device code; set rdc = True to link it in the program, or " + useSYCLBINRules
	addDep          = "add it to deps as a cc_library"
	noTranslator    = "DPC++'s compiler library does not pass options to its SPIR-V translator; remove it"
	fpgas           = "FPGA targets are not supported"
)

// Table returns the translation of all known options.
func Table() []Section {
	return []Section{
		{"Inputs and outputs", []Flag{
			{Names: []string{"-fsycl"}, Destination: Nothing, Why: "the rule compiles and links SYCL", Sets: SYCL},
			{Names: []string{"-fno-sycl"}, Destination: Error, Why: "use cc_library for code without SYCL", Sets: SYCL},
			{Names: []string{"-fsycl-targets="}, Destination: Attribute, Attribute: "sycl_targets", Sets: Targets},
			{Names: []string{"--offload-arch=", "--offload-targets=", "--cuda-gpu-arch="}, Destination: Error, Why: `set sycl_targets, as in ["intel_gpu_pvc"]`, Command: "use -fsycl-targets=, as in -fsycl-targets=intel_gpu_pvc"},
			{Names: []string{"-fsycl-rdc", "-fgpu-rdc", "--offload-rdc"}, Destination: Attribute, Attribute: "rdc", Means: "True", Sets: RDC},
			{Names: []string{"-fno-sycl-rdc", "-fno-gpu-rdc", "--no-offload-rdc"}, Destination: Attribute, Attribute: "rdc", Means: "False", Sets: RDC},
			{Names: []string{"-fsycl-device-code-split="}, Destination: Attribute, Attribute: "device_code_split", Sets: Split},
			{Names: []string{"-fsycl-device-code-split"}, Destination: Attribute, Attribute: "device_code_split", Means: "auto", Sets: Split},
			{Names: []string{"-fsycl-fixed-targets="}, Destination: Error, Why: `set fixed_targets = ["{}"]`, Sets: FixedTargets},
			{Names: []string{"-fsycl-device-config-file="}, Destination: Error, Why: "set device_config to the label of the file", Sets: DeviceConfig},
			{Names: []string{"-fsycl-add-default-spec-consts-image"}, Destination: Nothing, Why: "native images always use the defaults of specialization constants, or the values set in specialize"},
			{Names: []string{"-fsycl-max-parallel-link-jobs="}, Destination: Nothing, Why: "Bazel runs actions in parallel; set the limit with --jobs"},
			{Names: []string{"-fsycl-device-code-split-esimd"}, Destination: Nothing, Why: "explicit SIMD kernels are always in separate images"},
			{Names: []string{"-fno-sycl-device-code-split-esimd"}, Destination: Error, Why: "explicit SIMD kernels cannot share images with other kernels; remove it"},
			{Names: []string{"-fsycl-remove-unused-external-funcs"}, Destination: Nothing, Why: "functions that no kernel calls are always removed from a program's images"},
			{Names: []string{"-fsycl-device-only"}, Destination: Error, Why: "use --output_groups=device_ir", Command: "use -fsyclbin to write device code to a separate file"},
			{Names: []string{"-fsycl-device-obj=spirv", "-fno-sycl-use-bitcode"}, Destination: Nothing, Why: "objects always contain device code as SPIR-V, unless rdc = True (syclc++: -fsycl-rdc)"},
			{Names: []string{"-fsycl-device-obj=", "-fsycl-use-bitcode"}, Destination: Error, Why: "use --output_groups=device_ir for bitcode, or --output_groups=spirv for SPIR-V", Command: "device code is always SPIR-V; remove it, or use -fsyclbin to write device code to a file"},
			{Names: []string{"-fsycl-dump-device-code="}, Destination: Error, Why: "use --output_groups=spirv", Command: "use -fsyclbin to write device code to a file"},
			{Names: []string{"-fsyclbin", "-fsyclbin="}, Destination: Error, Why: useSYCLBINRules + "; set its state attribute for the state", Sets: SYCLBIN},
			{Names: []string{"-fsycl-link"}, Destination: Error, Why: linkInProgram, Sets: LinkDevice},
			{Names: []string{"-fsycl-link="}, Destination: Error, Why: linkInProgram, Command: "its values only apply to FPGAs; use -fsycl-link"},
			{Names: []string{"-fsycl-force-target="}, Destination: Error, Why: "targets pass device code through deps, not through object files; remove it", Command: "the targets are set when compiling; remove it"},
			{Names: []string{"-foffload-static-lib=", "-foffload-whole-static-lib=", "-fsycl-link-targets=", "-fsycl-add-targets="}, Destination: Error, Why: "add the library to deps", Command: "pass the library as a file, such as libx.a"},
			{Names: []string{"-fsycl-help", "-fsycl-help="}, Destination: Error, Why: "run ocloc compile --help for the options of the native compiler"},
			{Names: []string{"-fintelfpga", "-reuse-exe="}, Destination: Error, Why: fpgas},
			{Names: []string{"--no-offload-compress"}, Destination: Nothing, Why: "device images are never compressed"},
			{Names: []string{"--offload-compress", "--offload-compression-level="}, Destination: Error, Why: "compressed device images are not supported; remove it"},
			{Names: []string{"--offload-new-driver", "--no-offload-new-driver"}, Destination: Nothing, Why: "clang's offload driver is not used"},
			{Names: []string{"-flink-huge-device-code", "-fsycl-link-huge-device-code", "-fno-link-huge-device-code", "-fno-sycl-link-huge-device-code"}, Destination: Nothing, Why: "images of 256 MiB or more are always placed in a section without the 2 GiB limit"},
			{Names: []string{"-fsycl-embed-ir"}, Destination: Error, Why: "kernel fusion at run time is not supported; remove it"},
		}},
		{"Device compilation", []Flag{
			{Names: []string{"-fsycl-unnamed-lambda"}, Destination: Nothing, Why: "unnamed kernels are always allowed if the host compiler supports them"},
			{Names: []string{"-fno-sycl-unnamed-lambda"}, Destination: Device},
			{Names: []string{"-fsycl-early-optimizations", "-fno-sycl-early-optimizations"}, Destination: Device},
			{Names: []string{"-fsycl-optimize-non-user-code"}, Destination: Device},
			{Names: []string{"-fsycl-dead-args-optimization", "-fno-sycl-dead-args-optimization"}, Destination: Device},
			{Names: []string{"-fsycl-force-inline-kernel-lambda", "-fno-sycl-force-inline-kernel-lambda"}, Destination: Device},
			{Names: []string{"-fsycl-instrument-device-code", "-fno-sycl-instrument-device-code"}, Destination: Device},
			{Names: []string{"-fsycl-enable-function-pointers"}, Destination: Device},
			{Names: []string{"-fsycl-allow-func-ptr"}, Destination: Device, Device: []string{"-Xclang", "-fsycl-allow-func-ptr"}},
			{Names: []string{"-fsycl-default-sub-group-size="}, Destination: Device},
			{Names: []string{"-fsycl-decompose-functor", "-fno-sycl-decompose-functor"}, Destination: Device},
			{Names: []string{"-fgpu-inline-threshold="}, Destination: Device},
			{Names: []string{"-fsycl-esimd-force-stateless-mem", "-fno-sycl-esimd-force-stateless-mem"}, Destination: Device},
			{Names: []string{"-Xsycl-target-frontend", "-Xarch_device", "-Xarch_spir64"}, Next: true, Destination: Device, Device: []string{"{}"}},
			{Names: []string{"-Xsycl-target-frontend=spir64"}, Next: true, Destination: Device, Device: []string{"{}"}},
			{Names: []string{"-Xsycl-target-frontend="}, Next: true, Destination: Error, Why: "device code is compiled once for all targets; move the options to device_copts", Command: "device code is compiled once for all targets; use -Xsycl-target-frontend without a target"},
			{Names: []string{"-fsycl-allow-device-image-dependencies", "-fsycl-allow-device-dependencies"}, Destination: Nothing, Why: "images do not depend on each other; to call functions in other sources from kernels, set rdc = True (syclc++: -fsycl-rdc)"},
			{Names: []string{"-fno-sycl-allow-device-image-dependencies", "-fno-sycl-allow-device-dependencies"}, Destination: Nothing, Why: "images do not depend on each other"},
			{Names: []string{"-fsycl-device-lib=", "-device-math-lib="}, Destination: Nothing, Why: "the device libraries that kernels use are always linked"},
			{Names: []string{"-fno-sycl-device-lib=", "-no-device-math-lib="}, Destination: Error, Why: "the device libraries that kernels use are always linked; remove it"},
			{Names: []string{"-fsycl-explicit-simd", "-fno-sycl-explicit-simd"}, Destination: Nothing, Why: "explicit SIMD is always enabled"},
			{Names: []string{"-fno-sycl-esimd-build-host-code"}, Destination: Nothing, Why: "explicit SIMD code is compiled for devices only"},
			{Names: []string{"-fsycl-esimd-build-host-code"}, Destination: Error, Why: "explicit SIMD code is only compiled for devices; remove it"},
			{Names: []string{"-sycl-std="}, Destination: Device},
			{Names: []string{"-fno-sycl-libspirv", "-fno-sycl-device-lib-jit-link"}, Destination: Nothing, Why: "not available for SPIR-V targets"},
			{Names: []string{"-fsycl-fp64-conv-emu"}, Destination: Emulation, Device: []string{"-Xclang", "-fsycl-fp64-conv-emu"}, Native: []string{"-ze-fp64-gen-conv-emu"}},
		}},
		{"Device and host compilation", []Flag{
			{Names: []string{"-fsycl-id-queries-fit-in-int", "-fsycl-id-queries-range=int"}, Destination: Both, Host: []string{"-U" + uintQueries, "-D" + intQueries + "=1"}},
			{Names: []string{"-fsycl-id-queries-range=uint"}, Destination: Both, Host: []string{"-U" + intQueries, "-D" + uintQueries + "=1"}},
			{Names: []string{"-fno-sycl-id-queries-fit-in-int", "-fsycl-id-queries-range=size_t"}, Destination: Both, Host: []string{"-U" + intQueries, "-U" + uintQueries}},
			{Names: []string{"-fsycl-range-rounding=on"}, Destination: Both},
			{Names: []string{"-fsycl-range-rounding=disable", "-fsycl-disable-range-rounding"}, Destination: Both, Host: []string{disableRounding}},
			{Names: []string{"-fsycl-range-rounding=force"}, Destination: Both, Host: []string{"-D__SYCL_FORCE_PARALLEL_FOR_RANGE_ROUNDING__=1"}},
			{Names: []string{"-fsycl-exp-range-rounding"}, Destination: Both, Host: []string{"-D__SYCL_EXP_PARALLEL_FOR_RANGE_ROUNDING__=1"}},
			{Names: []string{"-fp-model=precise", "-ffp-model=precise"}, Destination: Both},
			{Names: []string{"-fp-model=fast", "-ffp-model=fast", "-fp-model=aggressive", "-ffp-model=aggressive"}, Destination: Both, Host: []string{"-ffast-math"}},
			{Names: []string{"-fp-model=fast=1", "-fp-model=fast=2"}, Destination: Both, Device: []string{"-fp-model=fast"}, Host: []string{"-ffast-math"}},
			{Names: []string{"-fp-model=consistent"}, Destination: Both, Host: []string{"-ffp-contract=off"}},
			{Names: []string{"-fp-model=strict", "-ffp-model=strict"}, Destination: Both, Host: []string{"-frounding-math", "-ffp-contract=off"}},
			{Names: []string{"-fpreview-breaking-changes"}, Destination: Both, Host: []string{"-D__INTEL_PREVIEW_BREAKING_CHANGES=1"}, Sets: Preview},
			{Names: []string{"-fno-preview-breaking-changes"}, Destination: Nothing, Why: "this is the default", Sets: NoPreview},
			{Names: []string{"-fma"}, Destination: Both, Host: []string{"-ffp-contract=fast"}},
			{Names: []string{"-no-fma"}, Destination: Both, Host: []string{"-ffp-contract=off"}},
			{Names: []string{"-no-ftz"}, Destination: Both},
		}},
		{"Native compilers", []Flag{
			{Names: []string{"-Xs"}, Next: true, Destination: Backend, Why: "-XsX means -Xs -X"},
			{Names: []string{"-Xsycl-target-backend"}, Next: true, Destination: Backend},
			{Names: []string{"-Xsycl-target-backend="}, Next: true, Destination: Backend},
			{Names: []string{"-Xsycl-target-linker"}, Next: true, Destination: Error, Why: "device code is linked before host code; set rdc = True, and pass options to native compilers in backend_options", Command: "use -fsycl-rdc, and pass options to native compilers with -Xsycl-target-backend"},
			{Names: []string{"-Xsycl-target-linker="}, Next: true, Destination: Error, Why: "device code is linked before host code; set rdc = True, and pass options to native compilers in backend_options", Command: "use -fsycl-rdc, and pass options to native compilers with -Xsycl-target-backend"},
			{Names: []string{"-Xspirv-translator"}, Next: true, Destination: Error, Why: noTranslator},
			{Names: []string{"-Xspirv-translator="}, Next: true, Destination: Error, Why: noTranslator},
			{Names: []string{"-ftarget-compile-fast"}, Destination: Backend, Native: []string{"-igc_opts", "'PartitionUnit=1,SubroutineThreshold=50000'"}, JIT: []string{"-ftarget-compile-fast"}},
			{Names: []string{"-foffload-fp32-prec-div"}, Destination: Backend, Native: []string{"-ze-fp32-correctly-rounded-divide-sqrt"}, JIT: []string{"-foffload-fp32-prec-div"}},
			{Names: []string{"-foffload-fp32-prec-sqrt"}, Destination: Backend, Native: []string{"-ze-fp32-correctly-rounded-divide-sqrt"}, JIT: []string{"-foffload-fp32-prec-sqrt"}},
			{Names: []string{"-fno-offload-fp32-prec-div", "-fno-offload-fp32-prec-sqrt"}, Destination: Nothing, Why: "this is the default of the native compilers"},
			{Names: []string{"-ftarget-register-alloc-mode="}, Destination: Error, Why: `set backend_options; for example, {"intel_gpu_pvc": ["-ze-opt-large-register-file"]} is the mode large`, Command: "use -Xsycl-target-backend=TARGET; for example, -ze-opt-large-register-file is the mode large"},
			{Names: []string{"-ftarget-export-symbols"}, Destination: Error, Why: `use a sycl_binary with state = "object", whose images export functions`, Command: "use -fsyclbin=object, which exports functions"},
			{Names: []string{"-fno-target-export-symbols"}, Destination: Nothing, Why: "the images of programs never export functions"},
			{Names: []string{"-fsycl-fp32-prec-sqrt"}, Destination: Error, Why: "only supported for NVIDIA and AMD GPUs; use -foffload-fp32-prec-sqrt for other GPUs"},
		}},
		{"Host compilation and link", []Flag{
			{Names: []string{"-fsycl-host-compiler="}, Destination: Error, Why: "the C++ toolchain selects the host compiler; set --extra_toolchains or CC, and pass options in host_copts", Sets: HostCompiler},
			{Names: []string{"-fsycl-host-compiler-options="}, Destination: Error, Why: "move the options to host_copts", Sets: HostOptions},
			{Names: []string{"-Xarch_host"}, Next: true, Destination: Host, Host: []string{"{}"}},
			{Names: []string{"-fopenmp", "-fopenmp-simd", "-fno-openmp"}, Destination: Host},
			{Names: []string{"-qopenmp", "-fiopenmp"}, Destination: Intel, Equivalent: []string{"-fopenmp"}, Why: "use -fopenmp in host_copts and linkopts"},
			{Names: []string{"-qopenmp-simd", "-fiopenmp-simd"}, Destination: Intel, Equivalent: []string{"-fopenmp-simd"}, Why: "use -fopenmp-simd in host_copts"},
			{Names: []string{"-qopenmp-link="}, Destination: Intel, Why: "add the OpenMP library to linkopts, for example -lgomp", Command: "link the OpenMP library, for example with -lgomp"},
			{Names: []string{"-fp-model="}, Destination: Intel, Why: "unknown model; expected precise, fast, fast=1, fast=2, aggressive, consistent or strict"},
			{Names: []string{"-ffp-model="}, Destination: Intel, Why: "unknown model; expected precise, fast, aggressive or strict"},
			{Names: []string{"-fp-model"}, Next: true, Destination: Error, Why: "write it as one option, -fp-model=X", Command: "as -fp-model=X"},
			{Names: []string{"-qno-openmp"}, Destination: Intel, Equivalent: []string{"-fno-openmp"}, Why: "use -fno-openmp in host_copts and linkopts"},
			{Names: []string{"-prec-div"}, Destination: Intel, Equivalent: []string{"-fno-reciprocal-math"}, Why: "use -fno-reciprocal-math in host_copts"},
			{Names: []string{"-no-prec-div"}, Destination: Intel, Equivalent: []string{"-freciprocal-math"}, Why: "use -freciprocal-math in host_copts"},
			{Names: []string{"-ftz"}, Destination: Intel, Why: "an icpx option; g++ and clang flush denormals to zero if linkopts contain -ffast-math", Command: "an icpx option; g++ and clang flush denormals to zero if the program is linked with -ffast-math"},
			{Names: []string{"-fast"}, Destination: Intel, Why: "an icpx option; use -O3 and -march=native in copts, and -flto in host_copts and linkopts", Command: "an icpx option; use -O3 -march=native -flto"},
			{Names: []string{"-qopt-report", "-qopt-report="}, Destination: Intel, Why: "an icpx option; use -fopt-info (g++) or -fsave-optimization-record (clang) in host_copts", Command: "an icpx option; use -fopt-info with g++, or -fsave-optimization-record with clang"},
			{Names: []string{"-w0", "-w1", "-w2", "-w3", "-w4", "-w5"}, Destination: Intel, Why: "an option of Intel's compilers; use -w for no warnings, or -Wall for more"},
			{Names: []string{"-ip"}, Destination: Nothing, Why: "g++ and clang optimize across the functions of a source at -O2"},
			{Names: []string{"-diag-disable=", "-diag-enable=", "-diag-error=", "-diag-warning="}, Destination: Nothing, Why: "the numbers identify diagnostics that only Intel's compilers have"},
			{Names: []string{"-ipo"}, Destination: Intel, Equivalent: []string{"-flto"}, Why: "use -flto in host_copts and linkopts"},
			{Names: []string{"-xHost", "-xhost"}, Destination: Intel, Equivalent: []string{"-march=native"}, Why: "use -march=native in copts"},
			{Names: []string{"-qmkl", "-qmkl=", "-qmkl-ilp64", "-qmkl-ilp64=", "-qmkl-sycl-impl="}, Destination: Intel, Why: "oneMKL is not part of the rules; " + addDep, Sets: OneMKL},
			{Names: []string{"-qtbb", "-tbb"}, Destination: Intel, Equivalent: []string{"-ltbb"}, Why: "oneTBB is not part of the rules; " + addDep},
			{Names: []string{"-qdaal", "-qdaal=", "-daal"}, Destination: Intel, Why: "oneDAL is not part of the rules; " + addDep, Command: "use oneDAL's own options, such as -lonedal"},
			{Names: []string{"-qipp", "-qipp="}, Destination: Intel, Why: "IPP is not part of the rules; " + addDep, Command: "link the IPP libraries, for example with -lipps"},
			{Names: []string{"-static-intel", "-shared-intel", "-no-intel-lib", "-no-intel-lib="}, Destination: Nothing, Why: "host code does not need the runtime libraries of Intel's compiler"},
		}},
	}
}
