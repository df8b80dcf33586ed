"""The attributes of rules with SYCL code.

Those of sycl_cc_binary, sycl_cc_library and sycl_cc_test are PROGRAM_ATTRS: SOURCE_ATTRS,
IMAGE_ATTRS and CODE_ATTRS, which other rules have as well, and their own. A library also has
PROGRAM_LIBRARY_ATTRS. Those that begin with `_` are what the actions run and read.
"""

load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")
load("//rules:providers.bzl", "SyclbinInfo")
load("//rules/private/actions:tools.bzl", "COMPILE_TOOL_ATTRS", "TOOL_ATTRS")
load(":compat.bzl", "COMPAT_ATTRS")
load(":device_compiler.bzl", "device_compiler_transition")
load(":enabled.bzl", "REQUIRES_SYCL_ATTRS", "requires_ocloc")
load(":flags.bzl", "SPLITS")
load(":headers.bzl", "HEADERS", "HOST_SOURCES", "SOURCES")
load(":linked_code.bzl", "linked_code")

# Attributes of every rule with device code.
DEVICE_COMPILER_ATTRS = {
    "device_compiler": attr.string(
        doc = "The device compiler of this target and of its `deps`: `clang`, or the name of a tag in MODULE.bazel of `sycl.dpcpp`, such as `sycl_dpcpp`, of `sycl.local` or of `sycl.toolchain`. Without it, the flag `--@rules_sycl//rules/settings:device_compiler` decides. Its default is the first `sycl.dpcpp` tag, or `clang` when there is none.",
    ),
}

# Attributes of every rule with sources: sycl_cc_*, sycl_binary and sycl_library. Those that
# cc_library has mean what they mean there.
SOURCE_ATTRS = {
    # What is compiled.
    "srcs": attr.label_list(
        allow_files = SOURCES + HEADERS,
        doc = "SYCL sources, and headers that only they include.",
    ),
    "hdrs": attr.label_list(
        allow_files = True,
        doc = "Headers that the sources include, and those of dependents may include.",
    ),
    "textual_hdrs": attr.label_list(
        allow_files = True,
        doc = "Headers that cannot be compiled by themselves, such as lists for macros.",
    ),
    "additional_compiler_inputs": attr.label_list(
        allow_files = True,
        doc = "Files that the compile reads besides sources and headers, such as a file of options or a list for a sanitizer that `copts` names by `$(execpath)`, and files that such a file names. Compilers do not list files of options among those that they read. A file that is in no attribute is no input, and a change in it compiles nothing.",
    ),
    "data": attr.label_list(
        allow_files = True,
        doc = "Files that programs with this code need when they run.",
    ),

    # How.
    "defines": attr.string_list(
        doc = "Preprocessor definitions (`NAME` or `NAME=VALUE`) for this target and for all that depend on it. Make variables and `$(execpath)` are expanded.",
    ),
    "local_defines": attr.string_list(
        doc = "As `defines`, for this target's sources only.",
    ),
    "includes": attr.string_list(
        doc = "Folders to search for headers, relative to this package, for this target and for all that depend on it. Compilers do not warn of headers there, as of those of the system.",
    ),
} | DEVICE_COMPILER_ATTRS | COMPILE_TOOL_ATTRS | REQUIRES_SYCL_ATTRS

# Attributes of libraries, besides SOURCE_ATTRS: sycl_cc_library and sycl_library.
LIBRARY_ATTRS = {
    "implementation_deps": attr.label_list(
        cfg = device_compiler_transition,
        doc = "Dependencies whose headers and `defines` are for this target's sources only. Dependents link their code, and do not see their headers.",
        providers = [[CcInfo]],
    ),
    "include_prefix": attr.string(
        doc = "A folder before the paths by which `hdrs` are included.",
    ),
    "strip_include_prefix": attr.string(
        doc = "What to leave out at the beginning of the paths of `hdrs`: a folder of this package or, with a leading `/`, of the repository.",
    ),
}

# Attributes of every rule that makes device images: sycl_cc_*, sycl_binary and syclbin_link.
IMAGE_ATTRS = {
    # What they are for.
    "sycl_targets": attr.string_list(
        doc = "What to build device code for, as `-fsycl-targets=` takes it: `spir64` (SPIR-V, compiled when the program runs), `intel_gpu_*` and, for a `sycl_binary` in executable state that clang compiles, `nvidia_gpu_sm_*` and `amd_gpu_gfx*` ([stock-clang.md](../build/stock-clang.md#nvidia-and-amd-gpus)). Without it, the flag `--@rules_sycl//rules/settings:sycl_targets` decides. Its default is `spir64`.",
    ),
    # Without it, Bazel asks who writes it whether tags is meant.
    "targets": attr.string_list(
        doc = "Refused: the attribute is `sycl_targets`.",
    ),
    "fixed_targets": attr.string_list(
        doc = "The only targets that the kernels are for, as `-fsycl-fixed-targets=` takes it. A kernel that one of them cannot run is a warning of the build. With DPC++ it needs `post_link = \"rules_sycl\"`.",
    ),
    "device_config": attr.label(
        allow_files = [".yaml", ".yml"],
        doc = "A device configuration file or a `sycl_device_config`, with what targets support. It is merged over the built-in configuration.",
    ),

    # How they are made.
    "post_link": attr.string(
        doc = "What divides device code into modules and finds what they need: `rules_sycl`, or `dpcpp` for DPC++'s own post-link. The default is `dpcpp` for sources that DPC++ compiles, else `rules_sycl`. For sources that DPC++ compiles, `rules_sycl` needs `llvm-dis` and `opt` of LLVM 22 or newer.",
        values = ["", "dpcpp", "rules_sycl"],
    ),

    # What sycl_targets comes to.
    "_override_sycl_targets": attr.label(default = "//rules/settings:override_sycl_targets"),
    "_requires_ocloc": attr.label(cfg = device_compiler_transition, default = requires_ocloc),
    "_sycl_targets": attr.label(default = "//rules/settings:sycl_targets"),
} | DEVICE_COMPILER_ATTRS | TOOL_ATTRS | COMPAT_ATTRS

# Attributes of the rules that make device images of sources: sycl_cc_* and sycl_binary.
CODE_ATTRS = {
    "rdc": attr.bool(
        doc = "Link device code across sources, as `-fsycl-rdc` does: kernels can call `SYCL_EXTERNAL` functions of other sources and of `deps`. Without it, the device code of each source stands alone.",
    ),
    "specialize": attr.string_dict(
        doc = "Specialization constants and the values that they get, such as `{\"app::scale\": \"0.5\", \"app::tile\": \"[32, 4]\"}`. They are set in the SPIR-V before native images are compiled, so that all images have the values; a program can still set them in SPIR-V. A name or a value that is wrong is an error of the build. [specialization-constants.md](../build/specialization-constants.md) has the form of values.",
    ),
    "backend_options": attr.string_list_dict(
        doc = "Options of the compilers that make native code of SPIR-V, for each target, such as `{\"intel_gpu_pvc\": [\"-ze-opt-large-register-file\"]}`. The key `*` is for all targets, `intel_gpu_*` for all Intel GPUs. Those of `intel_gpu_*` go to `ocloc -options`, which ignores options that it does not know. Those of `spir64` are for the run: the runtime compiles the SPIR-V of a program with them, and a device's compiler can refuse them; a SYCLBIN has no place for them. Each entry is text as these compilers read it. Make variables and `$(execpath)` are expanded.",
    ),
}

# All attributes of sycl_cc_binary and of the program of a sycl_cc_test.
PROGRAM_ATTRS = SOURCE_ATTRS | IMAGE_ATTRS | CODE_ATTRS | {
    # What is compiled.
    "srcs": attr.label_list(
        allow_files = SOURCES + HEADERS + HOST_SOURCES,
        doc = "SYCL sources, headers that only they include, and sources in C and in assembler (`.c`, `.s`, `.S`), which are for the host alone.",
    ),
    "deps": attr.label_list(
        aspects = [linked_code],
        cfg = device_compiler_transition,
        doc = "Libraries of SYCL code (`sycl_cc_library`) and of C++ code.",
        providers = [[CcInfo]],
    ),

    # How, for devices and for the host.
    "copts": attr.string_list(
        doc = "Options of the compiles for devices and for the host, after the toolchain's own. Those of icpx go to the step that they are for ([icpx-options.md](icpx-options.md)). Make variables and `$(execpath)` are expanded, and quotes and spaces mean what they mean to a shell. With `-g` or the like, the device code keeps its debug information.",
    ),
    "cxxopts": attr.string_list(
        doc = "As `copts`, but not for sources in C and in assembler.",
    ),
    "conlyopts": attr.string_list(
        doc = "Options for sources in C only.",
    ),
    "device_copts": attr.string_list(
        doc = "As `copts`, for the compile for devices only.",
    ),
    "host_copts": attr.string_list(
        doc = "As `copts`, for the compile for the host only.",
    ),

    # What becomes one device image.
    "device_code_split": attr.string(
        default = "auto",
        doc = "Which kernels become one image, as `-fsycl-device-code-split=` takes it: `per_source` one for each source, `per_kernel` one for each kernel, `off` one for all that is linked; `auto` is `per_source`. In each case, kernels that need different optional features are in different images.",
        values = SPLITS,
    ),

    # The link of host code.
    "linkopts": attr.string_list(
        doc = "Options of the host link, for a library of all programs with it. Make variables and `$(execpath)` are expanded, and quotes and spaces mean what they mean to a shell.",
    ),
    "additional_linker_inputs": attr.label_list(
        allow_files = True,
        doc = "Files that the link of programs reads, such as one that `linkopts` names by `$(execpath)`.",
    ),

    # Headers in front of libsycl's, and libsycl.
    "_host_headers": attr.label(default = "//rules/dpcpp:host", providers = [CcInfo]),
    "_libsycl": attr.label(cfg = device_compiler_transition, default = "//rules/private:libsycl", providers = [CcInfo]),
}

# Attributes of sycl_cc_library besides PROGRAM_ATTRS.
PROGRAM_LIBRARY_ATTRS = LIBRARY_ATTRS | {
    "alwayslink": attr.bool(
        doc = "Link all host code of the library into programs, even code that nothing calls. Device images are always linked.",
    ),
    "linkstatic": attr.bool(
        doc = "As in `cc_library`. Programs link the library statically in any case.",
    ),
    "implementation_deps": attr.label_list(
        aspects = [linked_code],
        cfg = device_compiler_transition,
        doc = "Libraries whose headers and `defines` are for this target's sources only. Dependents link them, and do not see their headers.",
        providers = [[CcInfo]],
    ),
}

# Attributes of sycl_binary and sycl_library besides SOURCE_ATTRS.
COMPILE_ATTRS = {
    "copts": attr.string_list(
        doc = "Options of the device compile, after the toolchain's own. Make variables and `$(execpath)` are expanded, and quotes and spaces mean what they mean to a shell. With `-g` or the like, the device code keeps its debug information.",
    ),
    "deps": attr.label_list(
        cfg = device_compiler_transition,
        doc = "`sycl_library` targets and SYCLBINs in input or object state (`sycl_binary`, `syclbin_import` and `syclbin_link` targets), whose device code is linked in, and C++ libraries whose headers the sources include. Only the headers of C++ libraries are used.",
        providers = [[CcInfo], [SyclbinInfo]],
    ),
}

# Releases of the runtime, as package sycl/release knows them.
_RUNTIMES = ["2025.3", "2026.0", "2026.2"]

# Attributes of the rules that make SYCLBINs: sycl_binary and syclbin_link.
RUNTIME_ATTRS = {
    "runtime": attr.string(
        doc = "Release of DPC++'s runtime that loads the file, `2025.3`, `2026.0` or `2026.2`. The container format and the numbers of aspects depend on it. Without it, that of the toolchain, whose default is `2026.0`: every runtime of 2026 loads such a file.",
        values = [""] + _RUNTIMES,
    ),
}
