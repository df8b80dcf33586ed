"""The attributes of rules with SYCL code.

sycl_cc_binary, sycl_cc_library and sycl_cc_test have PROGRAM_ATTRS, which consists of
SOURCE_ATTRS, IMAGE_ATTRS and CODE_ATTRS, which other rules share, and more. A library also has
PROGRAM_LIBRARY_ATTRS. Attributes that start with `_` are programs and files that the actions use.
"""

load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")
load("//rules:providers.bzl", "SyclbinInfo")
load("//rules/private/actions:tools.bzl", "COMPILE_TOOL_ATTRS", "TOOL_ATTRS")
load("//rules/private/compat:compat.bzl", "COMPAT_ATTRS")
load("//rules/private/options:flags.bzl", "SPLITS")
load("//rules/private/toolchain:device_compiler.bzl", "device_compiler_transition")
load("//rules/private/toolchain:enabled.bzl", "REQUIRES_SYCL_ATTRS", "requires_ocloc")
load(":headers.bzl", "HEADERS", "SOURCES")
load(":linked_code.bzl", "linked_code")
load(":precompiled.bzl", "LINKER_SCRIPTS")

# Attributes of every rule with device code.
DEVICE_COMPILER_ATTRS = {
    "device_compiler": attr.string(
        doc = "The device compiler of this target and of its `deps`: `clang`, or the name of a `sycl.dpcpp`, `sycl.local` or `sycl.toolchain` tag in MODULE.bazel, such as `sycl_dpcpp`. Defaults to the flag `--@rules_sycl//rules/settings:device_compiler`, whose default is the first `sycl.dpcpp` tag, or `clang` if there is none.",
    ),
}

# Attributes of every rule with sources: sycl_cc_*, sycl_binary and sycl_library. Attributes that
# cc_library also has have the same meaning.
SOURCE_ATTRS = {
    # The sources.
    "srcs": attr.label_list(
        allow_files = SOURCES + HEADERS,
        # For --compile_one_dependency.
        flags = ["DIRECT_COMPILE_TIME_INPUT"],
        doc = "SYCL sources, and headers that only they include.",
    ),
    "hdrs": attr.label_list(
        allow_files = True,
        doc = "Headers that the sources of this target and of its dependents may include.",
    ),
    "textual_hdrs": attr.label_list(
        allow_files = True,
        doc = "Headers that cannot be compiled on their own, such as lists for macros.",
    ),
    "additional_compiler_inputs": attr.label_list(
        allow_files = True,
        doc = "Files that the compilation reads in addition to sources and headers, such as an options file or a sanitizer list that `copts` refers to with `$(execpath)`, and files that these refer to. Compilers do not report the options files that they read. A file that is not in any attribute is not an input, and changing it does not trigger a rebuild.",
    ),
    "data": attr.label_list(
        allow_files = True,
        doc = "Files that programs with this code need at run time.",
    ),

    # How the sources are compiled.
    "defines": attr.string_list(
        doc = "Preprocessor definitions (`NAME` or `NAME=VALUE`) for this target and its dependents. Make variables and `$(execpath)` are expanded.",
    ),
    "local_defines": attr.string_list(
        doc = "Like `defines`, but for this target's sources only.",
    ),
    "includes": attr.string_list(
        doc = "Directories to search for headers, relative to this package, for this target and its dependents. Compilers treat these headers as system headers and print no warnings about them.",
    ),
    "_device_copts": attr.label(default = "//rules/settings:device_copts"),
} | DEVICE_COMPILER_ATTRS | COMPILE_TOOL_ATTRS | REQUIRES_SYCL_ATTRS

# Attributes of libraries, besides SOURCE_ATTRS: sycl_cc_library and sycl_library.
LIBRARY_ATTRS = {
    "implementation_deps": attr.label_list(
        cfg = device_compiler_transition,
        doc = "Dependencies that only this target's sources may include. Dependents link their code but do not get their headers and `defines`.",
        providers = [[CcInfo]],
    ),
    "include_prefix": attr.string(
        doc = "A directory to prepend to the include paths of `hdrs`.",
    ),
    "strip_include_prefix": attr.string(
        doc = "The prefix to strip from the include paths of `hdrs`: a directory in this package or, with a leading `/`, in the repository.",
    ),
}

# Attributes of every rule that builds device images: sycl_cc_*, sycl_binary and syclbin_link.
IMAGE_ATTRS = {
    # Targets of the images.
    "sycl_targets": attr.string_list(
        doc = "Targets to build device code for, as in `-fsycl-targets=`: `spir64` (SPIR-V, compiled at run time), `intel_gpu_*` and, for a `sycl_binary` in executable state that clang compiles, `nvidia_gpu_sm_*` and `amd_gpu_gfx*` ([stock-clang.md](../build/stock-clang.md#nvidia-and-amd-gpus)). Defaults to the flag `--@rules_sycl//rules/settings:sycl_targets`, whose default is `spir64`.",
    ),
    # Without this attribute, Bazel's error for targets = ... suggests tags.
    "targets": attr.string_list(
        doc = "Not supported. Use `sycl_targets`.",
    ),
    "fixed_targets": attr.string_list(
        doc = "The only targets that the kernels are for, as in `-fsycl-fixed-targets=`. If one of them cannot run a kernel, the build prints a warning. With DPC++, requires `post_link = \"rules_sycl\"`.",
    ),
    "device_config": attr.label(
        allow_files = [".yaml", ".yml"],
        doc = "A device configuration file or a `sycl_device_config` that describes what targets support. It is merged over the built-in configuration.",
    ),

    # How the images are built.
    "post_link": attr.string(
        doc = "The post-link step, which splits device code into modules and determines their requirements: `rules_sycl`, or `dpcpp` for DPC++'s own. Defaults to `dpcpp` for sources that DPC++ compiles, else `rules_sycl`. For sources that DPC++ compiles, `rules_sycl` needs `llvm-dis` and `opt` of LLVM 22 or newer.",
        values = ["", "dpcpp", "rules_sycl"],
    ),

    # The flags that determine the targets.
    "_override_sycl_targets": attr.label(default = "//rules/settings:override_sycl_targets"),
    "_requires_ocloc": attr.label(cfg = device_compiler_transition, default = requires_ocloc),
    "_sycl_targets": attr.label(default = "//rules/settings:sycl_targets"),
} | DEVICE_COMPILER_ATTRS | TOOL_ATTRS | COMPAT_ATTRS

# Attributes of the rules that build device images from sources: sycl_cc_* and sycl_binary.
CODE_ATTRS = {
    "rdc": attr.bool(
        doc = "If True, device code is linked across sources, as with `-fsycl-rdc`: kernels can call `SYCL_EXTERNAL` functions of other sources and of `deps`. Otherwise, the device code of each source is independent.",
    ),
    "specialize": attr.string_dict(
        doc = "Specialization constants and their values, such as `{\"app::scale\": \"0.5\", \"app::tile\": \"[32, 4]\"}`. They are set in the SPIR-V before native images are compiled, so that all images have the values; a program can still set them in SPIR-V. An invalid name or value is a build error. [specialization-constants.md](../build/specialization-constants.md) describes the syntax of values.",
    ),
    "skip_rejected_images": attr.bool(
        doc = "If True, an image that `ocloc` rejects is omitted with a warning, and the kernel does not run on that GPU, unless the program has SPIR-V. By default, this is a build error: the build already omits what the [device data](../check/device-config.md) says that a GPU cannot run, so please report it. `--@rules_sycl//rules/settings:skip_rejected_images` sets it for all targets.",
    ),
    "backend_options": attr.string_list_dict(
        doc = "Options for the compilers that translate SPIR-V to native code, by target, such as `{\"intel_gpu_pvc\": [\"-ze-opt-large-register-file\"]}`. The key `*` is for all targets, `intel_gpu_*` for all Intel GPUs. Options for `intel_gpu_*` are passed to `ocloc -options`, which ignores unknown options. The runtime uses options for `spir64` when it compiles the SPIR-V of a program; a device's compiler may reject them, and a SYCLBIN cannot store them. Each entry is passed unchanged. Make variables and `$(execpath)` are expanded.",
    ),
}

# All attributes of sycl_cc_binary and of the program of a sycl_cc_test.
PROGRAM_ATTRS = SOURCE_ATTRS | IMAGE_ATTRS | CODE_ATTRS | {
    # The sources.
    "srcs": attr.label_list(
        # Versioned shared libraries have no common extension, so the rule checks the files itself.
        allow_files = True,
        flags = ["DIRECT_COMPILE_TIME_INPUT"],
        doc = "SYCL sources, headers that only they include, and C and assembler sources (`.c`, `.s`, `.S`), which are compiled for the host only. As in `cc_library`, objects and libraries (`.o`, `.a`, `.lo`, `.so`, `.so.N`) are linked. [Their device code](../build/libraries.md#link-precompiled-code) is used as it is.",
    ),
    "deps": attr.label_list(
        allow_files = LINKER_SCRIPTS,
        aspects = [linked_code],
        # As in cc_library: libraries produce no linker scripts.
        flags = ["SKIP_ANALYSIS_TIME_FILETYPE_CHECK"],
        cfg = device_compiler_transition,
        doc = "SYCL libraries (`sycl_cc_library`) and C++ libraries, and linker scripts that `linkopts` refer to.",
        providers = [[CcInfo]],
    ),

    # Options, for devices and for the host.
    "copts": attr.string_list(
        doc = "Options for the device and host compilations, after the toolchain's own. icpx options are passed to the step that they apply to ([icpx-options.md](icpx-options.md)). Make variables and `$(execpath)` are expanded, and quotes and spaces are interpreted as in a shell. With `-g` or a similar option, device code keeps its debug information.",
    ),
    "cxxopts": attr.string_list(
        doc = "Like `copts`, but not for C and assembler sources.",
    ),
    "conlyopts": attr.string_list(
        doc = "Options for C sources only.",
    ),
    "device_copts": attr.string_list(
        doc = "Like `copts`, but for the device compilation only.",
    ),
    "host_copts": attr.string_list(
        doc = "Like `copts`, but for the host compilation only.",
    ),

    # How kernels are split into device images.
    "device_code_split": attr.string(
        default = "auto",
        doc = "How device code is split into images, as in `-fsycl-device-code-split=`: `per_source` builds one image per source, `per_kernel` one per kernel, and `off` one for all linked code; `auto` is `per_source`. Kernels that need different optional features are always in different images.",
        values = SPLITS,
    ),
    "require_images": attr.bool(
        doc = "If True, a kernel that none of the targets can run is a build error. Otherwise, the build prints a warning, and the program throws `errc::kernel_not_supported` when it submits the kernel. For device code that programs link (`rdc`), set it on the program. `--@rules_sycl//rules/settings:require_images` sets it for all targets.",
    ),
    "_require_images": attr.label(default = "//rules/settings:require_images"),

    # The link of host code.
    "linkopts": attr.string_list(
        doc = "Options for the host link. The options of a library apply to all programs that link it. Make variables and `$(execpath)` are expanded, and quotes and spaces are interpreted as in a shell.",
    ),
    "additional_linker_inputs": attr.label_list(
        allow_files = True,
        doc = "Files that the link of programs reads, such as a file that `linkopts` refers to with `$(execpath)`.",
    ),

    # Headers that precede libsycl's, and libsycl.
    "_host_headers": attr.label(default = "//rules/dpcpp:host", providers = [CcInfo]),
    "_libsycl": attr.label(cfg = device_compiler_transition, default = "//rules/private:libsycl", providers = [CcInfo]),
}

# Attributes of sycl_cc_library in addition to PROGRAM_ATTRS.
PROGRAM_LIBRARY_ATTRS = LIBRARY_ATTRS | {
    "alwayslink": attr.bool(
        doc = "If True, all host code of the library is linked into programs, even unused code. Device images are always linked.",
    ),
    "linkstatic": attr.bool(
        doc = "As in `cc_library`. Programs always link the library statically.",
    ),
    "implementation_deps": attr.label_list(
        aspects = [linked_code],
        cfg = device_compiler_transition,
        doc = "Libraries that only this target's sources may include. Dependents link them but do not get their headers and `defines`.",
        providers = [[CcInfo]],
    ),
}

# Attributes of sycl_binary and sycl_library in addition to SOURCE_ATTRS.
COMPILE_ATTRS = {
    "copts": attr.string_list(
        doc = "Options for the device compilation, after the toolchain's own. Make variables and `$(execpath)` are expanded, and quotes and spaces are interpreted as in a shell. With `-g` or a similar option, device code keeps its debug information.",
    ),
    "deps": attr.label_list(
        cfg = device_compiler_transition,
        doc = "`sycl_library` targets and SYCLBINs in input or object state (`sycl_binary`, `syclbin_import` and `syclbin_link` targets), whose device code is linked in, and C++ libraries whose headers the sources include. Only the headers of C++ libraries are used.",
        providers = [[CcInfo], [SyclbinInfo]],
    ),
}

# Releases of the runtime, as in package sycl/release.
_RUNTIMES = ["2025.3", "2026.0", "2026.2"]

# Attributes of the rules that write SYCLBINs: sycl_binary and syclbin_link.
RUNTIME_ATTRS = {
    "runtime": attr.string(
        doc = "Release of DPC++'s runtime that loads the file: `2025.3`, `2026.0` or `2026.2`. It determines the container format and the numbers of aspects. Defaults to the toolchain's release, whose default is `2026.0`: every 2026 runtime loads such a file.",
        values = [""] + _RUNTIMES,
    ),
}
