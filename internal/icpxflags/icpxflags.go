// Package icpxflags describes how each option of DPC++'s compiler drivers (icpx -fsycl, clang++
// -fsycl) is translated if another compiler is the host compiler: which build step gets it, and
// what to write instead if none does. It is one table ([Table]) for programs, for the rules, which
// load it as rules/private/generated/icpx_flags.bzl, and for the documentation in
// docs/reference/icpx-options.md. tools/generate writes the two files.
//
// The meaning of the options follows sycl/doc/UsersManual.md in intel/llvm. Options that are not
// in the table are passed to both the device compile and the host compile, except for unknown
// options that start with -fsycl or -fno-sycl, which are errors.
package icpxflags

// A Destination is the destination of an option.
type Destination string

const (
	Nothing   Destination = "nothing"   // always enabled
	Device    Destination = "device"    // the device compile
	Both      Destination = "both"      // the device compile and the host compile, which gets different options
	Host      Destination = "host"      // the host compile, and its link
	Intel     Destination = "intel"     // the same, if the host compiler is Intel's; otherwise it is an error, or syclc++ has an equivalent
	Attribute Destination = "attribute" // set by an attribute
	Backend   Destination = "backend"   // the compilers that compile SPIR-V to native code
	Emulation Destination = "emulation" // a second device compile, and the compiler of native images
	Error     Destination = "error"
)

// A Flag is the translation of options with the same meaning.
type Flag struct {
	// Names are the options. A name that ends in "=" is followed by a value, or by a target for
	// the value in the next argument.
	Names       []string
	Next        bool // whether the value is in the next argument
	Destination Destination

	// Attribute is the name of the equivalent attribute, and Means its value if the option has no
	// value.
	Attribute, Means string

	// Device and Host are the replacements for the two compiles, in which "{}" stands for the
	// words of the value. Without Device, the device compile gets the option unchanged; so does
	// the host compile if it is the only destination.
	Device, Host []string

	// Equivalent are the options of g++ and clang++ that mean the same. syclc++ passes them to the
	// host compile and its link, and libraries to the end of the link.
	Equivalent []string

	// Native is the replacement for the compiler of native images, and JIT for the runtime's
	// SPIR-V compiler. An option with a value has neither: they get the words of the value.
	Native, JIT []string

	// Why states what is always enabled, what to write instead, or the alternative spelling. In
	// it, "{}" is the value.
	Why string

	// Sets is the setting on the command line of syclc++ if the rules reject the option or have an
	// attribute. Command is the replacement for a syclc++ command if it differs from Why.
	Sets    Setting
	Command string
}

// A Setting is a setting of a syclc++ option.
type Setting string

const (
	SYCL         Setting = "enables or disables SYCL"
	Targets      Setting = "sets the targets"
	FixedTargets Setting = "restricts the program to these targets"
	DeviceConfig Setting = "names a file with additional devices"
	Split        Setting = "sets how device code is split into images"
	RDC          Setting = "sets whether device code is linked across sources"
	SYCLBIN      Setting = "writes a SYCLBIN; the value is its state"
	LinkDevice   Setting = "links the device code of objects"
	Preview      Setting = "links the program to libsycl-preview"
	HostCompiler Setting = "sets the host compiler"
	HostOptions  Setting = "sets options of the host compilation"
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
	stateOfKernels  = "the rules sycl_binary and syclbin_link build SYCLBINs"
	ofHost          = "the C++ toolchain selects the host compiler: set --extra_toolchains or CC, and write host options in host_copts"
	asDeps          = "add the library as a cc_library to deps"
	fpgas           = "FPGA targets are not supported"
)

// Table returns the table.
func Table() []Section {
	return []Section{
		{"Inputs and outputs", []Flag{
			{Names: []string{"-fsycl"}, Destination: Nothing, Why: "the rule compiles and links SYCL", Sets: SYCL},
			{Names: []string{"-fno-sycl"}, Destination: Error, Why: "a cc_library compiles code without SYCL", Sets: SYCL},
			{Names: []string{"-fsycl-targets="}, Destination: Attribute, Attribute: "sycl_targets", Sets: Targets},
			{Names: []string{"-fsycl-rdc", "-fgpu-rdc", "--offload-rdc"}, Destination: Attribute, Attribute: "rdc", Means: "True", Sets: RDC},
			{Names: []string{"-fno-sycl-rdc", "-fno-gpu-rdc", "--no-offload-rdc"}, Destination: Attribute, Attribute: "rdc", Means: "False", Sets: RDC},
			{Names: []string{"-fsycl-device-code-split="}, Destination: Attribute, Attribute: "device_code_split", Sets: Split},
			{Names: []string{"-fsycl-device-code-split"}, Destination: Attribute, Attribute: "device_code_split", Means: "auto", Sets: Split},
			{Names: []string{"-fsycl-fixed-targets="}, Destination: Error, Why: `write the attribute fixed_targets = ["{}"]`, Sets: FixedTargets},
			{Names: []string{"-fsycl-device-config-file="}, Destination: Error, Why: "write the attribute device_config, a label of the file", Sets: DeviceConfig},
			{Names: []string{"-fsycl-add-default-spec-consts-image"}, Destination: Nothing, Why: "native images always use the default values of specialization constants, or the values in the attribute specialize"},
			{Names: []string{"-fsycl-max-parallel-link-jobs="}, Destination: Nothing, Why: "Bazel runs actions in parallel, limited by --jobs"},
			{Names: []string{"-fsycl-device-code-split-esimd"}, Destination: Nothing, Why: "explicit SIMD kernels are always in separate images"},
			{Names: []string{"-fno-sycl-device-code-split-esimd"}, Destination: Error, Why: "explicit SIMD kernels are always in separate images; remove it"},
			{Names: []string{"-fsycl-remove-unused-external-funcs"}, Destination: Nothing, Why: "functions that no kernel calls are always removed from a program's images"},
			{Names: []string{"-fsycl-device-only"}, Destination: Error, Why: "build the output group device_ir", Command: "-fsyclbin writes device code to a separate file"},
			{Names: []string{"-fsycl-device-obj=spirv", "-fno-sycl-use-bitcode"}, Destination: Nothing, Why: "objects always contain device code as SPIR-V, unless rdc = True (syclc++: -fsycl-rdc)"},
			{Names: []string{"-fsycl-device-obj=", "-fsycl-use-bitcode"}, Destination: Error, Why: "build the output group device_ir for bitcode, or spirv for SPIR-V", Command: "device code is SPIR-V; remove it, or use -fsyclbin to write a file"},
			{Names: []string{"-fsycl-dump-device-code="}, Destination: Error, Why: "build the output group spirv", Command: "-fsyclbin writes device code to a file"},
			{Names: []string{"-fsyclbin", "-fsyclbin="}, Destination: Error, Why: stateOfKernels + "; their attribute state is the value", Sets: SYCLBIN},
			{Names: []string{"-fsycl-link"}, Destination: Error, Why: `a library does not link device code: write rdc = True, and the program that depends on it links it; ` + stateOfKernels, Sets: LinkDevice},
			{Names: []string{"-fsycl-link="}, Destination: Error, Why: `a library does not link device code: write rdc = True, and the program that depends on it links it; ` + stateOfKernels, Command: "its values are for FPGAs; use -fsycl-link"},
			{Names: []string{"-fsycl-force-target="}, Destination: Error, Why: "deps pass device code between targets, not objects; remove it", Command: "the compilation sets the targets of device code; remove it"},
			{Names: []string{"-foffload-static-lib=", "-foffload-whole-static-lib=", "-fsycl-link-targets=", "-fsycl-add-targets="}, Destination: Error, Why: "name the library in deps", Command: "name the library as a file, as in libx.a"},
			{Names: []string{"-fsycl-help", "-fsycl-help="}, Destination: Error, Why: "run ocloc compile --help for the options of the native compiler"},
			{Names: []string{"-fintelfpga", "-reuse-exe="}, Destination: Error, Why: fpgas},
			{Names: []string{"--no-offload-compress"}, Destination: Nothing, Why: "device images are never compressed"},
			{Names: []string{"--offload-compress", "--offload-compression-level="}, Destination: Error, Why: "compressed device images are not supported; remove it"},
			{Names: []string{"--offload-new-driver", "--no-offload-new-driver"}, Destination: Nothing, Why: "it only affects clang's packing of device code, which is not used"},
			{Names: []string{"-flink-huge-device-code", "-fsycl-link-huge-device-code", "-fno-link-huge-device-code", "-fno-sycl-link-huge-device-code"}, Destination: Nothing, Why: "images of 256 MiB or more are always in a section without the 2 GiB limit"},
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
			{Names: []string{"-Xsycl-target-frontend", "-Xarch_device"}, Next: true, Destination: Device, Device: []string{"{}"}},
			{Names: []string{"-Xsycl-target-frontend=spir64"}, Next: true, Destination: Device, Device: []string{"{}"}},
			{Names: []string{"-Xsycl-target-frontend="}, Next: true, Destination: Error, Why: "device code is compiled once for all targets: write the options in device_copts", Command: "device code is compiled once for all targets: write the options as -Xsycl-target-frontend X"},
			{Names: []string{"-fsycl-allow-device-image-dependencies", "-fsycl-allow-device-dependencies"}, Destination: Nothing, Why: "images do not depend on each other; a kernel that calls functions in other sources needs rdc = True (syclc++: -fsycl-rdc)"},
			{Names: []string{"-fno-sycl-allow-device-image-dependencies", "-fno-sycl-allow-device-dependencies"}, Destination: Nothing, Why: "images do not depend on each other"},
			{Names: []string{"-fsycl-device-lib="}, Destination: Nothing, Why: "the device libraries that kernels use are always linked"},
			{Names: []string{"-fno-sycl-device-lib="}, Destination: Error, Why: "the device libraries that kernels use are always linked; remove it"},
			{Names: []string{"-fsycl-explicit-simd", "-fno-sycl-explicit-simd"}, Destination: Nothing, Why: "explicit SIMD is always enabled"},
			{Names: []string{"-fno-sycl-esimd-build-host-code"}, Destination: Nothing, Why: "explicit SIMD code is compiled for devices only"},
			{Names: []string{"-fsycl-esimd-build-host-code"}, Destination: Error, Why: "explicit SIMD code is compiled for devices only; remove it"},
			{Names: []string{"-sycl-std="}, Destination: Device},
			{Names: []string{"-fno-sycl-libspirv", "-fno-sycl-device-lib-jit-link"}, Destination: Nothing, Why: "the library is not available for SPIR-V"},
			{Names: []string{"-fsycl-fp64-conv-emu"}, Destination: Emulation, Device: []string{"-Xclang", "-fsycl-fp64-conv-emu"}, Native: []string{"-ze-fp64-gen-conv-emu"}},
			{Names: []string{"-fpreview-breaking-changes"}, Destination: Error, Why: "linking to libsycl-preview is not supported; remove it", Sets: Preview},
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
			{Names: []string{"-fp-model=fast", "-ffp-model=fast"}, Destination: Both, Host: []string{"-ffast-math"}},
			{Names: []string{"-fp-model=strict", "-ffp-model=strict"}, Destination: Both, Host: []string{"-frounding-math", "-ffp-contract=off"}},
		}},
		{"Native compilers", []Flag{
			{Names: []string{"-Xs"}, Next: true, Destination: Backend, Why: "-XsX stands for -Xs -X"},
			{Names: []string{"-Xsycl-target-backend"}, Next: true, Destination: Backend},
			{Names: []string{"-Xsycl-target-backend="}, Next: true, Destination: Backend},
			{Names: []string{"-Xsycl-target-linker"}, Next: true, Destination: Error, Why: "device code is linked before the program: write rdc = True, and options of native compilers in backend_options", Command: "write -fsycl-rdc, and options of native compilers after -Xsycl-target-backend"},
			{Names: []string{"-Xsycl-target-linker="}, Next: true, Destination: Error, Why: "device code is linked before the program: write rdc = True, and options of native compilers in backend_options", Command: "write -fsycl-rdc, and options of native compilers after -Xsycl-target-backend"},
			{Names: []string{"-ftarget-compile-fast"}, Destination: Backend, Native: []string{"-igc_opts", "'PartitionUnit=1,SubroutineThreshold=50000'"}, JIT: []string{"-ftarget-compile-fast"}},
			{Names: []string{"-foffload-fp32-prec-div"}, Destination: Backend, Native: []string{"-ze-fp32-correctly-rounded-divide-sqrt"}, JIT: []string{"-foffload-fp32-prec-div"}},
			{Names: []string{"-foffload-fp32-prec-sqrt"}, Destination: Backend, Native: []string{"-ze-fp32-correctly-rounded-divide-sqrt"}, JIT: []string{"-foffload-fp32-prec-sqrt"}},
			{Names: []string{"-fno-offload-fp32-prec-div", "-fno-offload-fp32-prec-sqrt"}, Destination: Nothing, Why: "it is the default of native compilers"},
			{Names: []string{"-ftarget-register-alloc-mode="}, Destination: Error, Why: `write backend_options, such as {"intel_gpu_pvc": ["-ze-opt-large-register-file"]} for the mode large`, Command: "write -Xsycl-target-backend=TARGET -ze-opt-large-register-file for the mode large"},
			{Names: []string{"-ftarget-export-symbols"}, Destination: Error, Why: `write state = "object" in a sycl_binary, whose images export functions`, Command: "write -fsyclbin=object, whose images export functions"},
			{Names: []string{"-fno-target-export-symbols"}, Destination: Nothing, Why: "images of a program never export functions"},
			{Names: []string{"-fsycl-fp32-prec-sqrt"}, Destination: Error, Why: "it is only for NVIDIA and AMD GPUs; for other GPUs write -foffload-fp32-prec-sqrt"},
		}},
		{"Host compilation and link", []Flag{
			{Names: []string{"-fsycl-host-compiler="}, Destination: Error, Why: ofHost, Sets: HostCompiler},
			{Names: []string{"-fsycl-host-compiler-options="}, Destination: Error, Why: `write them in host_copts`, Sets: HostOptions},
			{Names: []string{"-Xarch_host"}, Next: true, Destination: Host, Host: []string{"{}"}},
			{Names: []string{"-fopenmp", "-fopenmp-simd", "-fno-openmp"}, Destination: Host},
			{Names: []string{"-qopenmp", "-fiopenmp"}, Destination: Intel, Why: "write -fopenmp in host_copts and linkopts", Equivalent: []string{"-fopenmp"}},
			{Names: []string{"-qopenmp-simd", "-fiopenmp-simd"}, Destination: Intel, Why: "write -fopenmp-simd in host_copts", Equivalent: []string{"-fopenmp-simd"}},
			{Names: []string{"-qopenmp-link="}, Destination: Intel, Why: "name the OpenMP library in linkopts", Command: "name the OpenMP library, as in -lgomp"},
			{Names: []string{"-fp-model=", "-ffp-model="}, Destination: Intel, Why: "write it in device_copts, and the host compiler's equivalent, such as -ffast-math, in host_copts", Command: "write -Xarch_device -fp-model={}, and after -Xarch_host the host compiler's equivalent, such as -ffast-math"},
			{Names: []string{"-ipo"}, Destination: Intel, Why: "write -flto in host_copts and linkopts", Equivalent: []string{"-flto"}},
			{Names: []string{"-xHost", "-xhost"}, Destination: Intel, Why: "write -march=native in copts", Equivalent: []string{"-march=native"}},
			{Names: []string{"-qmkl", "-qmkl=", "-qmkl-ilp64", "-qmkl-ilp64=", "-qmkl-sycl-impl="}, Destination: Intel, Why: "oneMKL is not part of the rules: " + asDeps, Command: "oneMKL is not part of DPC++ from pip: write its own options, such as -lmkl_sycl_blas"},
			{Names: []string{"-qtbb", "-tbb"}, Destination: Intel, Why: "oneTBB is not part of the rules: " + asDeps, Equivalent: []string{"-ltbb"}},
			{Names: []string{"-qdaal", "-qdaal=", "-daal"}, Destination: Intel, Why: "oneDAL is not part of the rules: " + asDeps, Command: "write the options of oneDAL, such as -lonedal"},
			{Names: []string{"-qipp", "-qipp="}, Destination: Intel, Why: "IPP is not part of the rules: " + asDeps, Command: "write the libraries of IPP, such as -lipps"},
			{Names: []string{"-static-intel", "-shared-intel"}, Destination: Nothing, Why: "host code does not need the libraries of Intel's compiler"},
		}},
	}
}
