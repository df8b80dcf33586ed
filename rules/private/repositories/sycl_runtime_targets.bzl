"""The targets of a repository that `sycl.runtime` or `sycl.dpcpp` creates."""

load("@rules_cc//cc:cc_binary.bzl", "cc_binary")
load("@rules_cc//cc:cc_library.bzl", "cc_library")
load("@rules_cc//cc:find_cc_toolchain.bzl", "find_cc_toolchain", "use_cc_toolchain")
load("@rules_cc//cc/common:cc_common.bzl", "cc_common")
load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")
load("//rules:providers.bzl", "SyclRuntimeInfo")
load("//rules:toolchain.bzl", "sycl_toolchain")
load("//rules/private/toolchain:dpcpp_compiler.bzl", "dpcpp_compiler")
load("//rules/private/toolchain:reason.bzl", "NOTHING", "reason")
load(":sycl_runtime_versions.bzl", "RELEASES")
load(":syclcxx.bzl", "syclcxx")

# Intel's OpenCL CPU device. It finds its other files next to the library.
_CPU_DEVICE = [
    "lib/cl.cfg",
    "lib/cllibrary*.o",
    "lib/*.rtl",
    "lib/libcommon_clang.so.*",
    "lib/libocl_svml_*.so",
    "lib/libtbb.so.12",
]

# Libraries that libsycl loads by name, and their dependencies. Not every release has all of them.
_LOADED = [
    "lib/libOpenCL.so.1",
    "lib/libhwloc.so.15",
    "lib/libimf.so",
    "lib/libintlc.so.5",
    "lib/libirng.so",
    "lib/libsvml.so",
    "lib/libumf.so.1",
    "lib/libur_adapter_*.so.0",
]

# Files that the compiler library needs.
_LOADED_BY_COMPILER = [
    "lib/libimf.so",
    "lib/libintlc.so.5",
    "lib/libirng.so",
    "lib/libsvml.so",
]

# The libraries in _LOADED that the CPU device needs.
_NEEDED_BY_CPU_DEVICE = [path.removeprefix("lib/") for path in _LOADED_BY_COMPILER]

# In 2025.3, the library contains neither device libraries nor headers. It finds the headers
# relative to the directory bin.
_READ_BY_2025_3 = [
    "bin/*",
    "include/**",
    "lib/clang/**",
    "lib/libsycl-*.bc",
]

# The loader is linked first: libOpenCL.so.1 does not record where its libraries are, and uses
# libraries that are already loaded. libimf.so uses libm without a DT_NEEDED entry for it: if
# libsycl came first, libm would be loaded before libimf.so and relocated after it, and glibc would
# end the program if functions are resolved at once (LD_BIND_NOW, or dlopen with RTLD_NOW). The
# options force the link, because some toolchains link only what is needed.
_FIRST = "libur_loader.so.0"
_LINK_FIRST = ["-Wl,--push-state,--no-as-needed,-l:%s,--pop-state" % _FIRST]

def _library_impl(ctx):
    cc_toolchain = find_cc_toolchain(ctx)
    features = cc_common.configure_features(
        ctx = ctx,
        cc_toolchain = cc_toolchain,
        requested_features = ctx.features,
        unsupported_features = ctx.disabled_features,
    )

    # A program finds libsycl in Bazel's directory of links to shared libraries, and libsycl
    # finds the others next to itself. Some releases look in '../lib'.
    libraries = [
        cc_common.create_library_to_link(
            actions = ctx.actions,
            cc_toolchain = cc_toolchain,
            dynamic_library = file,
            dynamic_library_symlink_path = "/".join([
                part
                for part in [ctx.label.repo_name or "_main", ctx.label.package, "lib", file.basename]
                if part
            ]),
            feature_configuration = features,
        )
        for file in ctx.files.linked + ctx.files.loaded
    ]
    beside = [library.dynamic_library for library in libraries]
    _, objects = cc_common.compile(
        actions = ctx.actions,
        cc_toolchain = cc_toolchain,
        feature_configuration = features,
        name = ctx.label.name,
        srcs = [ctx.file._find_cpu_device],
        # Options for the user's C++ code, such as --copt=-std=c++17, must not cause a warning.
        user_compile_flags = ["-w"],
    )
    _, find_cpu_device = cc_common.create_linking_context_from_compilation_outputs(
        actions = ctx.actions,
        alwayslink = True,
        cc_toolchain = cc_toolchain,
        compilation_outputs = objects,
        disallow_dynamic_library = True,
        feature_configuration = features,
        name = ctx.label.name,
    )
    linking = cc_common.create_linking_context(linker_inputs = depset([cc_common.create_linker_input(
        additional_inputs = depset(beside),
        libraries = depset([find_cpu_device.library_to_link] + libraries[:len(ctx.files.linked)]),
        owner = ctx.label,
        user_link_flags = depset(_LINK_FIRST),
    )]))
    return [
        DefaultInfo(
            files = depset(ctx.files.linked),
            # The CPU device needs some libraries in its own directory. All others exist only once.
            runfiles = ctx.runfiles(beside + ctx.files.cpu_device + (
                [f for f in ctx.files.loaded if f.basename in _NEEDED_BY_CPU_DEVICE] if ctx.files.cpu_device else []
            )),
        ),
        CcInfo(
            compilation_context = cc_common.merge_compilation_contexts(compilation_contexts = [
                cc_common.create_compilation_context(defines = depset(ctx.attr.defines)),
                ctx.attr._plain[CcInfo].compilation_context,
                ctx.attr.headers[CcInfo].compilation_context,
            ]),
            linking_context = linking,
        ),
    ]

_library = rule(
    implementation = _library_impl,
    doc = "Links libsycl, and adds what it loads to the runfiles.",
    attrs = {
        "cpu_device": attr.label(allow_files = True),
        "defines": attr.string_list(),
        "headers": attr.label(providers = [CcInfo]),
        "linked": attr.label_list(allow_files = True),
        "loaded": attr.label_list(allow_files = True),
        "_find_cpu_device": attr.label(allow_single_file = True, default = ":find_cpu_device.c"),
        "_plain": attr.label(default = "//rules/dpcpp:plain", providers = [CcInfo]),
    },
    fragments = ["cpp"],
    provides = [CcInfo],
    toolchains = use_cc_toolchain(),
)

def _runtime_impl(ctx):
    return [
        ctx.attr.library[CcInfo],
        DefaultInfo(runfiles = ctx.attr.library[DefaultInfo].default_runfiles),
        SyclRuntimeInfo(
            cpu_device = ctx.files.cpu_device,
            cpu_driver = ctx.file.cpu_driver,
            devices = ctx.attr.devices[DefaultInfo].files_to_run.executable,
            devices_runfiles = ctx.attr.devices[DefaultInfo].default_runfiles,
            preview = ctx.attr.preview,
        ),
    ]

_runtime = rule(
    implementation = _runtime_impl,
    doc = "The runtime that programs are linked to, with the files that sycl_test needs.",
    attrs = {
        "cpu_device": attr.label(allow_files = True),
        "cpu_driver": attr.label(allow_single_file = True),
        "devices": attr.label(cfg = "target", executable = True),
        "library": attr.label(providers = [CcInfo]),
        "preview": attr.label(providers = [CcInfo]),
    },
    provides = [CcInfo, SyclRuntimeInfo],
)

def _compiler_targets(libsycl, programs, runtime = None, missing = "", version = "", copts = ["-std=c++17"], headers = []):
    """Declares `:toolchain` and the targets that it needs.

    Args:
        libsycl: label of the runtime.
        programs: label of the sycl_toolchain that provides the other programs.
        runtime: the release that SYCLBINs are for.
        missing: why the compiler is missing, or an empty string.
        version: the version of DPC++, for messages.
        copts: options for every device compilation.
        headers: labels of the headers that the compiler finds on its own. Defaults to the headers
            of programs.
    """
    dpcpp_compiler(
        name = "compiler",
        copts = copts,
        data = native.glob(_LOADED_BY_COMPILER + (_READ_BY_2025_3 if runtime == "2025.3" else []), allow_empty = True),
        headers = headers,
        library = None if missing else native.glob(["lib/libsycl-jit.so*"])[0],
        missing = missing,
        version = version,
        visibility = ["//visibility:public"],
    )
    reason(
        name = "missing",
        text = missing or NOTHING,
    )
    sycl_toolchain(
        name = "toolchain",
        base = programs,
        copts = copts,
        dpcpp = ":compiler",
        headers = headers,
        libsycl = None if missing else libsycl,
        runtime = runtime,
        visibility = ["//visibility:public"],
    )
    syclcxx(
        name = "syclc++",
        directory = native.glob(["include/**", "licenses/intel_sycl_rt-*.txt"], allow_empty = True) + libsycl_files() + _preview_files(),
        tags = ["manual"],
        toolchain = ":toolchain",
        visibility = ["//visibility:public"],
    )

def libsycl_files():
    """Returns the files lib/libsycl.so.N of the package, without files that have longer versions."""
    return native.glob(["lib/libsycl.so.*"], allow_empty = True, exclude = ["lib/libsycl.so.*.*"])

def _preview_files():
    """Returns the files lib/libsycl-preview.so.N of the package. Not every release has one."""
    return native.glob(["lib/libsycl-preview.so.*"], allow_empty = True, exclude = ["lib/libsycl-preview.so.*.*"])

def problem_of_dpcpp(libsycl, library, header):
    """Returns why a directory cannot be used as DPC++.

    Args:
        libsycl: list of the paths of lib/libsycl.so.N.
        library: list of the paths of lib/libsycl-jit.so, with any version.
        header: list of include/sycl/sycl.hpp.
    Returns:
        string, which follows the directory's name; empty if the directory can be used.
    """
    if not libsycl or not library or not header:
        return "does not contain DPC++; expected lib/libsycl-jit.so (in oneAPI since 2025.3, and built by the target sycl-jit of intel/llvm), one lib/libsycl.so.N, and include/sycl"
    if len(libsycl) > 1:
        return "has the runtimes of several DPC++ releases, %s, but a toolchain is for one release; put each into its own directory with a BUILD file, or remove the files of the other releases from the repository" % " and ".join(sorted(libsycl))
    number = libsycl[0].removeprefix("lib/libsycl.so.")
    if number not in RELEASES:
        return "has %s, which belongs to a DPC++ release that this release of rules_sycl does not support; it supports libsycl.so.%s" % (libsycl[0], " and libsycl.so.".join(RELEASES.keys()))
    return ""

def sycl_runtime_targets(name, missing, compiler = None):
    """Declares the targets of the repository, whose names is_own_target recognizes.

    Args:
        name: the repository's name.
        missing: why the runtime cannot be used on this system, or an empty string.
        compiler: None without the device compiler, else the other arguments of _compiler_targets.
    """
    if compiler:
        _compiler_targets(libsycl = ":" + name, **compiler)
    common = {"visibility": ["//visibility:public"]}
    if missing:
        common["target_compatible_with"] = [":missing"]
        if not compiler:
            reason(name = "missing", text = missing)
    cc_library(
        name = "headers",
        hdrs = native.glob(["include/**"], allow_empty = True),
        # Some headers are fragments of others.
        features = ["-parse_headers"],
        includes = ["include"],
        **common
    )
    preview = _preview_files()
    for library, files, defines in [("sycl", libsycl_files(), [])] + (
        [("preview", preview, ["__INTEL_PREVIEW_BREAKING_CHANGES=1"])] if preview else []
    ):
        _library(
            name = library,
            cpu_device = ":cpu_device",
            defines = defines,
            headers = ":headers",
            linked = native.glob(["lib/" + _FIRST], allow_empty = True) + files,
            loaded = native.glob(_LOADED, allow_empty = True),
            # Each cc_shared_library contains the code that finds the CPU device.
            tags = ["LINKABLE_MORE_THAN_ONCE"],
            **common
        )
    driver = native.glob(["lib/libintelocl.so"], allow_empty = True)
    native.filegroup(name = "cpu_driver", srcs = driver, **common)
    native.filegroup(
        name = "cpu_device",
        srcs = driver + native.glob(_CPU_DEVICE, allow_empty = True),
        data = native.glob(_LOADED, allow_empty = True),
        **common
    )
    cc_binary(
        name = "devices",
        srcs = [Label(":sycl_devices.cpp")],
        copts = ["-std=c++17"],
        linkopts = ["-ldl"],
        deps = [":sycl"],
        **common
    )
    _runtime(
        name = name,
        cpu_device = ":cpu_device",
        cpu_driver = driver[0] if driver else None,
        devices = ":devices",
        library = ":sycl",
        preview = ":preview" if preview else None,
        **common
    )
