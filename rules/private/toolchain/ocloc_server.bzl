"""The library that turns ocloc into a server."""

load("@rules_cc//cc:find_cc_toolchain.bzl", "find_cc_toolchain", "use_cc_toolchain")
load("@rules_cc//cc/common:cc_common.bzl", "cc_common")
load(":device_compiler.bzl", "without_device_compiler")

def _library(ctx, cc_toolchain):
    """Returns the library, or None if the toolchain cannot build it."""
    features = cc_common.configure_features(
        ctx = ctx,
        cc_toolchain = cc_toolchain,
        requested_features = ctx.features,
        unsupported_features = ctx.disabled_features,
    )
    if not cc_common.is_enabled(feature_configuration = features, feature_name = "supports_dynamic_linker"):
        return None
    _, objects = cc_common.compile(
        actions = ctx.actions,
        cc_toolchain = cc_toolchain,
        disallow_nopic_outputs = True,
        feature_configuration = features,
        name = ctx.label.name,
        srcs = [ctx.file.src],
        user_compile_flags = ["-std=gnu11", "-O1"],
    )
    linked = cc_common.link(
        actions = ctx.actions,
        cc_toolchain = cc_toolchain,
        compilation_outputs = objects,
        feature_configuration = features,
        name = ctx.label.name,
        output_type = "dynamic_library",
        user_link_flags = ["-ldl"],
    ).library_to_link
    return linked.resolved_symlink_dynamic_library or linked.dynamic_library

def _ocloc_server_impl(ctx):
    cc_toolchain = find_cc_toolchain(ctx, mandatory = False)
    library = None
    if cc_toolchain and ctx.target_platform_has_constraint(ctx.attr._linux[platform_common.ConstraintValueInfo]):
        library = _library(ctx, cc_toolchain)
    return [DefaultInfo(files = depset([library] if library else []))]

ocloc_server = rule(
    implementation = _ocloc_server_impl,
    doc = "Builds a library for LD_PRELOAD on Linux. Without a C++ toolchain, and on other systems, there is no file.",
    attrs = {
        "src": attr.label(allow_single_file = [".c"], mandatory = True),
        "_linux": attr.label(default = "@platforms//os:linux"),
    },
    cfg = without_device_compiler,
    fragments = ["cpp"],
    toolchains = use_cc_toolchain(mandatory = False),
)
