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

// A Taker is the destination of an option.
type Taker string

const (
	Nothing   Taker = "nothing"   // always enabled
	Device    Taker = "device"    // the device compile
	Both      Taker = "both"      // the device compile and the host compile, which gets different options
	Host      Taker = "host"      // the host compile, and its link
	Intel     Taker = "intel"     // the same, if the host compiler is Intel's; otherwise it is an error
	Attribute Taker = "attribute" // set by an attribute
	Backend   Taker = "backend"   // the compilers that compile SPIR-V to native code
	Emulation Taker = "emulation" // a second device compile, and the compiler of native images
	Error     Taker = "error"
)

// A Flag is the translation of options with the same meaning.
type Flag struct {
	// Names are the options. A name that ends in "=" is followed by a value, or by a target for
	// the value in the next argument.
	Names []string
	Next  bool // whether the value is in the next argument
	Taker Taker

	// Attribute is the name of the equivalent attribute, and Means its value if the option has no
	// value.
	Attribute, Means string

	// Device and Host are the replacements for the two compiles, in which "{}" stands for the
	// words of the value. Without Device, the device compile gets the option unchanged; so does
	// the host compile if it is the only destination.
	Device, Host []string

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
	SYCL         Setting = "whether sources are SYCL"
	Targets      Setting = "what the targets are"
	FixedTargets Setting = "which are the only targets that the program runs on"
	DeviceConfig Setting = "which file has more devices"
	Split        Setting = "how device code is divided into images"
	RDC          Setting = "whether device code is linked when the program is"
	SYCLBIN      Setting = "that a SYCLBIN is made, and its state"
	LinkDevice   Setting = "that the device code of objects is linked"
	HostCompiler Setting = "what the host compiler is"
	HostOptions  Setting = "with which options the host compile is done"
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
	stateOfKernels  = "the rules sycl_binary and syclbin_link make SYCLBINs"
	ofHost          = "the host compiler is the C++ toolchain's: choose it by --extra_toolchains or CC, and write its options in host_copts"
	asDeps          = "give the library as a cc_library in deps"
	fpgas           = "there are no targets for FPGAs"
)

// Table returns the table.
func Table() []Section {
	return []Section{
		{"What is built, and where it goes", []Flag{
			{Names: []string{"-fsycl"}, Taker: Nothing, Why: "the rule compiles and links SYCL", Sets: SYCL},
			{Names: []string{"-fno-sycl"}, Taker: Error, Why: "a cc_library compiles code without SYCL", Sets: SYCL},
			{Names: []string{"-fsycl-targets="}, Taker: Attribute, Attribute: "sycl_targets", Sets: Targets},
			{Names: []string{"-fsycl-rdc", "-fgpu-rdc", "--offload-rdc"}, Taker: Attribute, Attribute: "rdc", Means: "True", Sets: RDC},
			{Names: []string{"-fno-sycl-rdc", "-fno-gpu-rdc", "--no-offload-rdc"}, Taker: Attribute, Attribute: "rdc", Means: "False", Sets: RDC},
			{Names: []string{"-fsycl-device-code-split="}, Taker: Attribute, Attribute: "device_code_split", Sets: Split},
			{Names: []string{"-fsycl-device-code-split"}, Taker: Attribute, Attribute: "device_code_split", Means: "auto", Sets: Split},
			{Names: []string{"-fsycl-fixed-targets="}, Taker: Error, Why: `write the attribute fixed_targets = ["{}"]`, Sets: FixedTargets},
			{Names: []string{"-fsycl-device-config-file="}, Taker: Error, Why: "write the attribute device_config, a label of the file", Sets: DeviceConfig},
			{Names: []string{"-fsycl-add-default-spec-consts-image"}, Taker: Nothing, Why: "native images have the default values of specialization constants, or those of the attribute specialize"},
			{Names: []string{"-fsycl-max-parallel-link-jobs="}, Taker: Nothing, Why: "Bazel runs actions side by side, as many as --jobs says"},
			{Names: []string{"-fsycl-device-code-split-esimd"}, Taker: Nothing, Why: "explicit SIMD kernels are always in images of their own"},
			{Names: []string{"-fno-sycl-device-code-split-esimd"}, Taker: Error, Why: "explicit SIMD kernels are always in separate images; remove it"},
			{Names: []string{"-fsycl-remove-unused-external-funcs"}, Taker: Nothing, Why: "functions that no kernel calls are not in the images of a program"},
			{Names: []string{"-fsycl-device-only"}, Taker: Error, Why: "build the output group device_ir", Command: "-fsyclbin writes device code into a file of its own"},
			{Names: []string{"-fsycl-device-obj=", "-fsycl-use-bitcode", "-fno-sycl-use-bitcode"}, Taker: Error, Why: "build the output group device_ir for bitcode, or spirv for SPIR-V", Command: "device code is SPIR-V; remove it, or use -fsyclbin to write a file"},
			{Names: []string{"-fsycl-dump-device-code="}, Taker: Error, Why: "build the output group spirv", Command: "-fsyclbin writes device code into a file"},
			{Names: []string{"-fsyclbin", "-fsyclbin="}, Taker: Error, Why: stateOfKernels + "; their attribute state is the value", Sets: SYCLBIN},
			{Names: []string{"-fsycl-link"}, Taker: Error, Why: `a library links no device code: write rdc = True, and the program that depends on it links; ` + stateOfKernels, Sets: LinkDevice},
			{Names: []string{"-fsycl-link="}, Taker: Error, Why: `a library links no device code: write rdc = True, and the program that depends on it links; ` + stateOfKernels, Command: "its values are for FPGAs; use -fsycl-link"},
			{Names: []string{"-fsycl-force-target="}, Taker: Error, Why: "deps pass device code between targets, not objects; remove it", Command: "the compilation sets the targets of device code; remove it"},
			{Names: []string{"-foffload-static-lib=", "-foffload-whole-static-lib=", "-fsycl-link-targets=", "-fsycl-add-targets="}, Taker: Error, Why: "name the library in deps", Command: "name the library as a file, as in libx.a"},
			{Names: []string{"-fsycl-help", "-fsycl-help="}, Taker: Error, Why: "ocloc compile --help lists the options of the compiler of native images"},
			{Names: []string{"-fintelfpga", "-reuse-exe="}, Taker: Error, Why: fpgas},
			{Names: []string{"--offload-compress", "--no-offload-compress", "--offload-compression-level="}, Taker: Error, Why: "compressed device images are not supported; remove it"},
			{Names: []string{"--offload-new-driver", "--no-offload-new-driver"}, Taker: Nothing, Why: "it is about how clang packs device code, which is packed without clang"},
			{Names: []string{"-flink-huge-device-code", "-fsycl-link-huge-device-code", "-fno-link-huge-device-code", "-fno-sycl-link-huge-device-code"}, Taker: Nothing, Why: "images of 256 MiB or more are in a section that is not limited to 2 GiB"},
			{Names: []string{"-fsycl-embed-ir"}, Taker: Error, Why: "kernel fusion at run time is not supported; remove it"},
		}},
		{"The compile for devices", []Flag{
			{Names: []string{"-fsycl-unnamed-lambda"}, Taker: Nothing, Why: "kernels need no name where the host compiler permits it"},
			{Names: []string{"-fno-sycl-unnamed-lambda"}, Taker: Device},
			{Names: []string{"-fsycl-early-optimizations", "-fno-sycl-early-optimizations"}, Taker: Device},
			{Names: []string{"-fsycl-optimize-non-user-code"}, Taker: Device},
			{Names: []string{"-fsycl-dead-args-optimization", "-fno-sycl-dead-args-optimization"}, Taker: Device},
			{Names: []string{"-fsycl-force-inline-kernel-lambda", "-fno-sycl-force-inline-kernel-lambda"}, Taker: Device},
			{Names: []string{"-fsycl-instrument-device-code", "-fno-sycl-instrument-device-code"}, Taker: Device},
			{Names: []string{"-fsycl-enable-function-pointers"}, Taker: Device},
			{Names: []string{"-fsycl-allow-func-ptr"}, Taker: Device, Device: []string{"-Xclang", "-fsycl-allow-func-ptr"}},
			{Names: []string{"-fsycl-default-sub-group-size="}, Taker: Device},
			{Names: []string{"-fsycl-decompose-functor", "-fno-sycl-decompose-functor"}, Taker: Device},
			{Names: []string{"-fgpu-inline-threshold="}, Taker: Device},
			{Names: []string{"-fsycl-esimd-force-stateless-mem", "-fno-sycl-esimd-force-stateless-mem"}, Taker: Device},
			{Names: []string{"-Xsycl-target-frontend", "-Xarch_device"}, Next: true, Taker: Device, Device: []string{"{}"}},
			{Names: []string{"-Xsycl-target-frontend=spir64"}, Next: true, Taker: Device, Device: []string{"{}"}},
			{Names: []string{"-Xsycl-target-frontend="}, Next: true, Taker: Error, Why: "one compile is for all targets: write its options in device_copts", Command: "one compile is for all targets: write its options as -Xsycl-target-frontend X"},
			{Names: []string{"-fsycl-allow-device-image-dependencies", "-fsycl-allow-device-dependencies"}, Taker: Nothing, Why: "the images of a program stand alone; a kernel that calls functions of other sources needs rdc = True, which is -fsycl-rdc of syclc++"},
			{Names: []string{"-fno-sycl-allow-device-image-dependencies", "-fno-sycl-allow-device-dependencies"}, Taker: Nothing, Why: "the images of a program stand alone"},
			{Names: []string{"-fsycl-device-lib=", "-fno-sycl-device-lib="}, Taker: Error, Why: "the device libraries that kernels use are always linked; remove it"},
			{Names: []string{"-fsycl-explicit-simd", "-fno-sycl-explicit-simd"}, Taker: Nothing, Why: "explicit SIMD is always possible"},
			{Names: []string{"-fsycl-esimd-build-host-code", "-fno-sycl-esimd-build-host-code"}, Taker: Error, Why: "explicit SIMD code is compiled for devices only; remove it"},
			{Names: []string{"-sycl-std="}, Taker: Device},
			{Names: []string{"-fno-sycl-libspirv", "-fno-sycl-device-lib-jit-link"}, Taker: Nothing, Why: "the library is not available for SPIR-V"},
			{Names: []string{"-fsycl-fp64-conv-emu"}, Taker: Emulation, Device: []string{"-Xclang", "-fsycl-fp64-conv-emu"}, Native: []string{"-ze-fp64-gen-conv-emu"}},
			{Names: []string{"-fpreview-breaking-changes"}, Taker: Error, Why: "linking to libsycl-preview is not supported; remove it"},
		}},
		{"What both compiles must agree on", []Flag{
			{Names: []string{"-fsycl-id-queries-fit-in-int", "-fsycl-id-queries-range=int"}, Taker: Both, Host: []string{"-U" + uintQueries, "-D" + intQueries + "=1"}},
			{Names: []string{"-fsycl-id-queries-range=uint"}, Taker: Both, Host: []string{"-U" + intQueries, "-D" + uintQueries + "=1"}},
			{Names: []string{"-fno-sycl-id-queries-fit-in-int", "-fsycl-id-queries-range=size_t"}, Taker: Both, Host: []string{"-U" + intQueries, "-U" + uintQueries}},
			{Names: []string{"-fsycl-range-rounding=on"}, Taker: Both},
			{Names: []string{"-fsycl-range-rounding=disable", "-fsycl-disable-range-rounding"}, Taker: Both, Host: []string{disableRounding}},
			{Names: []string{"-fsycl-range-rounding=force"}, Taker: Both, Host: []string{"-D__SYCL_FORCE_PARALLEL_FOR_RANGE_ROUNDING__=1"}},
			{Names: []string{"-fsycl-exp-range-rounding"}, Taker: Both, Host: []string{"-D__SYCL_EXP_PARALLEL_FOR_RANGE_ROUNDING__=1"}},
			{Names: []string{"-fp-model=precise", "-ffp-model=precise"}, Taker: Both},
			{Names: []string{"-fp-model=fast", "-ffp-model=fast"}, Taker: Both, Host: []string{"-ffast-math"}},
			{Names: []string{"-fp-model=strict", "-ffp-model=strict"}, Taker: Both, Host: []string{"-frounding-math", "-ffp-contract=off"}},
		}},
		{"The compilers of native code", []Flag{
			{Names: []string{"-Xs"}, Next: true, Taker: Backend, Why: "-XsX stands for -Xs -X"},
			{Names: []string{"-Xsycl-target-backend"}, Next: true, Taker: Backend},
			{Names: []string{"-Xsycl-target-backend="}, Next: true, Taker: Backend},
			{Names: []string{"-Xsycl-target-linker"}, Next: true, Taker: Error, Why: "images are linked before the program is: write rdc = True, and options of the compilers in backend_options", Command: "write -fsycl-rdc, and options of the compilers behind -Xsycl-target-backend"},
			{Names: []string{"-Xsycl-target-linker="}, Next: true, Taker: Error, Why: "images are linked before the program is: write rdc = True, and options of the compilers in backend_options", Command: "write -fsycl-rdc, and options of the compilers behind -Xsycl-target-backend"},
			{Names: []string{"-ftarget-compile-fast"}, Taker: Backend, Native: []string{"-igc_opts", "'PartitionUnit=1,SubroutineThreshold=50000'"}, JIT: []string{"-ftarget-compile-fast"}},
			{Names: []string{"-foffload-fp32-prec-div"}, Taker: Backend, Native: []string{"-ze-fp32-correctly-rounded-divide-sqrt"}, JIT: []string{"-foffload-fp32-prec-div"}},
			{Names: []string{"-foffload-fp32-prec-sqrt"}, Taker: Backend, Native: []string{"-ze-fp32-correctly-rounded-divide-sqrt"}, JIT: []string{"-foffload-fp32-prec-sqrt"}},
			{Names: []string{"-fno-offload-fp32-prec-div", "-fno-offload-fp32-prec-sqrt"}, Taker: Nothing, Why: "it is the default of the compilers of native code"},
			{Names: []string{"-ftarget-register-alloc-mode="}, Taker: Error, Why: `write backend_options, such as {"intel_gpu_pvc": ["-ze-opt-large-register-file"]} for the mode large`, Command: "write -Xsycl-target-backend=TARGET -ze-opt-large-register-file for the mode large"},
			{Names: []string{"-ftarget-export-symbols"}, Taker: Error, Why: `write state = "object" in a sycl_binary, whose images export functions`, Command: "write -fsyclbin=object, whose images export functions"},
			{Names: []string{"-fno-target-export-symbols"}, Taker: Nothing, Why: "the images of a program export nothing"},
			{Names: []string{"-fsycl-fp32-prec-sqrt"}, Taker: Error, Why: "it is for NVIDIA and AMD GPUs only; for others write -foffload-fp32-prec-sqrt"},
		}},
		{"The compile and the link for the host", []Flag{
			{Names: []string{"-fsycl-host-compiler="}, Taker: Error, Why: ofHost, Sets: HostCompiler},
			{Names: []string{"-fsycl-host-compiler-options="}, Taker: Error, Why: `write them in host_copts`, Sets: HostOptions},
			{Names: []string{"-Xarch_host"}, Next: true, Taker: Host, Host: []string{"{}"}},
			{Names: []string{"-fopenmp", "-fopenmp-simd", "-fno-openmp"}, Taker: Host},
			{Names: []string{"-qopenmp", "-fiopenmp"}, Taker: Intel, Why: "write -fopenmp in host_copts and linkopts", Command: "write -fopenmp"},
			{Names: []string{"-qopenmp-simd", "-fiopenmp-simd"}, Taker: Intel, Why: "write -fopenmp-simd in host_copts", Command: "write -fopenmp-simd"},
			{Names: []string{"-qopenmp-link="}, Taker: Intel, Why: "name the library of OpenMP in linkopts", Command: "name the library of OpenMP, as in -lgomp"},
			{Names: []string{"-fp-model=", "-ffp-model="}, Taker: Intel, Why: "write it in device_copts, and what the host compiler calls it, such as -ffast-math, in host_copts", Command: "write -Xarch_device -fp-model={}, and behind -Xarch_host what the host compiler calls it, such as -ffast-math"},
			{Names: []string{"-ipo"}, Taker: Intel, Why: "write -flto in host_copts and linkopts", Command: "write -flto"},
			{Names: []string{"-xHost", "-xhost"}, Taker: Intel, Why: "write -march=native in copts", Command: "write -march=native"},
			{Names: []string{"-qmkl", "-qmkl=", "-qmkl-ilp64", "-qmkl-ilp64=", "-qmkl-sycl-impl="}, Taker: Intel, Why: "oneMKL is no part of the rules: " + asDeps, Command: "oneMKL is no part of DPC++ from pip: write its own options, such as -lmkl_sycl_blas"},
			{Names: []string{"-qtbb", "-tbb"}, Taker: Intel, Why: "oneTBB is no part of the rules: " + asDeps, Command: "write -ltbb"},
			{Names: []string{"-qdaal", "-qdaal=", "-daal"}, Taker: Intel, Why: "oneDAL is no part of the rules: " + asDeps, Command: "write the options of oneDAL, such as -lonedal"},
			{Names: []string{"-qipp", "-qipp="}, Taker: Intel, Why: "IPP is no part of the rules: " + asDeps, Command: "write the libraries of IPP, such as -lipps"},
			{Names: []string{"-static-intel", "-shared-intel"}, Taker: Nothing, Why: "the host code needs no library of Intel's compiler"},
		}},
	}
}
