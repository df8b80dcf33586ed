"""The rule of the macro sycl_library, in its own file so that it can have the same name as the macro."""

load("@rules_cc//cc:find_cc_toolchain.bzl", "use_cc_toolchain")
load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")
load("//rules:find_sycl_toolchain.bzl", "find_sycl_toolchain")
load("//rules:providers.bzl", "SyclDeviceInfo")
load("//rules/private/compile:attributes.bzl", "COMPILE_ATTRS", "LIBRARY_ATTRS", "SOURCE_ATTRS")
load("//rules/private/compile:compile.bzl", "compile_line", "compile_sources", "dependencies_code", "runfiles_of")
load("//rules/private/compile:coverage.bzl", "instrumented_files")
load("//rules/private/options:flags.bzl", "read_options")
load("//rules/private/targets:gpus.bzl", "FAMILIES")
load("//rules/private/targets:names.bzl", "user_label")
load("//rules/private/toolchain:device_compiler.bzl", "device_rule")

# Without this attribute, Bazel's error for targets = ... suggests tags.
_REFUSED_ATTRS = {
    "targets": attr.string_list(doc = "Not supported. Set `sycl_targets` on the `sycl_binary` that depends on the library."),
}

def _sycl_library_impl(ctx):
    if ctx.attr.targets:
        fail("%s: targets: a library is compiled once for all targets; set sycl_targets on the sycl_binary that depends on it" % user_label(ctx))
    toolchain = find_sycl_toolchain(ctx)
    line = compile_line(ctx, toolchain)
    compiled = compile_sources(ctx, toolchain, read_options(ctx), line, families = FAMILIES)
    own = [s.bitcode for s in compiled.own]
    return [
        DefaultInfo(files = depset(own), runfiles = runfiles_of(ctx)),
        CcInfo(compilation_context = compiled.context),
        instrumented_files(ctx),
        SyclDeviceInfo(sources = depset(compiled.own, transitive = dependencies_code(ctx, toolchain))),
        OutputGroupInfo(compilation_outputs = depset(own), device_ir = depset(own)),
    ]

# Arguments that both rules of the macro share.
SYCL_LIBRARY_RULE = dict(
    implementation = _sycl_library_impl,
    doc = "The rule behind the macro sycl_library.",
    attrs = SOURCE_ATTRS | COMPILE_ATTRS | LIBRARY_ATTRS | _REFUSED_ATTRS,
    fragments = ["cpp"],
    provides = [CcInfo, SyclDeviceInfo],
    toolchains = use_cc_toolchain(mandatory = False),
)

sycl_library = device_rule(**SYCL_LIBRARY_RULE)
