"""The sycl_library rule."""

load("@rules_cc//cc:find_cc_toolchain.bzl", "use_cc_toolchain")
load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")
load("//rules/private/compile:attributes.bzl", "COMPILE_ATTRS", "LIBRARY_ATTRS", "SOURCE_ATTRS")
load("//rules/private/compile:compile.bzl", "compile_line", "compile_sources", "dependencies_code", "runfiles_of")
load("//rules/private/compile:coverage.bzl", "instrumented_files")
load("//rules/private/options:flags.bzl", "read_options")
load("//rules/private/targets:gpus.bzl", "FAMILIES")
load("//rules/private/toolchain:device_compiler.bzl", "declare_device_target", "device_rules")
load(":find_sycl_toolchain.bzl", "find_sycl_toolchain")
load(":providers.bzl", "SyclDeviceInfo")

# Without this attribute, Bazel's error for targets = ... suggests tags.
_REFUSED_ATTRS = {
    "targets": attr.string_list(doc = "Not supported. Set `sycl_targets` on the `sycl_binary` that depends on the library."),
}

def _sycl_library_impl(ctx):
    if ctx.attr.targets:
        fail("%s: targets: a library is compiled once for all targets; set sycl_targets on the sycl_binary that depends on it" % ctx.label)
    toolchain = find_sycl_toolchain(ctx)
    line = compile_line(ctx, toolchain)
    compiled = compile_sources(ctx, toolchain, read_options(ctx), line, families = FAMILIES)
    own = [s.bitcode for s in compiled.own]
    return [
        DefaultInfo(files = depset(own), runfiles = runfiles_of(ctx)),
        CcInfo(compilation_context = compiled.context),
        instrumented_files(ctx),
        SyclDeviceInfo(sources = depset(compiled.own, transitive = dependencies_code(ctx, toolchain))),
        OutputGroupInfo(device_ir = depset(own)),
    ]

# Bazel's errors show the names of these rules, and the reference page the attributes of the first.
sycl_library_rule, _sycl_library_of_compiler = device_rules(
    implementation = _sycl_library_impl,
    doc = "The rule behind the macro sycl_library.",
    attrs = SOURCE_ATTRS | COMPILE_ATTRS | LIBRARY_ATTRS | _REFUSED_ATTRS,
    fragments = ["cpp"],
    provides = [CcInfo, SyclDeviceInfo],
    toolchains = use_cc_toolchain(mandatory = False),
)

def sycl_library(name, **kwargs):
    """Compiles device code that several `sycl_binary` targets share.

    The sources are compiled once for all binaries. Each `sycl_binary` that depends on the library,
    directly or indirectly, contains its kernels. With `rdc = True` on the `sycl_binary`, its
    kernels can call the library's `SYCL_EXTERNAL` functions.

    ```starlark
    sycl_library(
        name = "polynomials",
        srcs = ["horner.cpp"],
        hdrs = ["horner.hpp"],
        deps = ["@rules_sycl//rules/device:sycl_lite"],
    )

    sycl_binary(
        name = "kernels",
        srcs = ["evaluate.cpp"],
        rdc = True,
        sycl_targets = ["spir64", "intel_gpu_pvc"],
        deps = [":polynomials"],
    )
    ```

    Args:
        name: A unique name for this target.
        **kwargs: Attributes of every Bazel rule, such as `tags` and `visibility`.
    """
    declare_device_target((sycl_library_rule, _sycl_library_of_compiler), kwargs | {"name": name})
