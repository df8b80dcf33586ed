"""The rule of the macro sycl_binary, in its own file so that it can have the same name as the macro."""

load("@rules_cc//cc:find_cc_toolchain.bzl", "use_cc_toolchain")
load("//rules:find_sycl_toolchain.bzl", "find_sycl_toolchain")
load("//rules:providers.bzl", "SyclbinInfo")
load("//rules/private/actions:compile.bzl", "wants_debug_info")
load("//rules/private/compile:attributes.bzl", "CODE_ATTRS", "COMPILE_ATTRS", "IMAGE_ATTRS", "RUNTIME_ATTRS", "SOURCE_ATTRS")
load("//rules/private/compile:compile.bzl", "compile_line", "compile_sources", "dependencies_code", "runfiles_of")
load("//rules/private/compile:coverage.bzl", "instrumented_files")
load("//rules/private/compile:images.bzl", "build_syclbin", "device_build", "post_link_options")
load("//rules/private/options:device_options.bzl", "all_options")
load("//rules/private/options:flags.bzl", "SPLITS", "attribute_value", "read_options", "split_of")
load("//rules/private/options:settings.bzl", "chosen_targets")
load("//rules/private/targets:names.bzl", "user_label")
load("//rules/private/targets:resolve.bzl", "families_of", "resolve_targets")
load("//rules/private/toolchain:device_compiler.bzl", "device_rule")

def _sycl_binary_impl(ctx):
    toolchain = find_sycl_toolchain(ctx)
    options = read_options(ctx)
    sycl_targets = chosen_targets(ctx, attribute_value(ctx, options, "sycl_targets", []))
    rdc = attribute_value(ctx, options, "rdc", False)
    split = split_of(ctx, options)

    line = compile_line(ctx, toolchain)

    # Later links can resolve calls between files.
    dependencies = ctx.attr.state != "executable"
    compiled = compile_sources(
        ctx,
        toolchain,
        options,
        line,
        families = families_of(resolve_targets(user_label(ctx), sycl_targets)),
        post_link = None if rdc else post_link_options(ctx, toolchain, split, dependencies),
    )
    sources = depset(compiled.own, transitive = dependencies_code(ctx, toolchain)).to_list()
    if not sources:
        fail("%s: no sources: set srcs, or add a sycl_library with srcs to deps" % user_label(ctx))
    build = device_build(
        separate = [] if rdc else sources,
        linked = sources if rdc else [],
        sycl_targets = sycl_targets,
        split = split,
        kernels_only = ctx.attr.state == "executable",
        dependencies = dependencies,
        keep_debug_info = wants_debug_info(ctx, toolchain.copts + all_options(line) + options.device),
        syclbin = True,
        specialize = ctx.attr.specialize,
        backend = options.backend,
    )
    return build_syclbin(ctx, toolchain, build, ctx.attr.state, ir = ctx.attr.ir, runfiles = runfiles_of(ctx)) + [instrumented_files(ctx)]

# Arguments that both rules of the macro share.
SYCL_BINARY_RULE = dict(
    implementation = _sycl_binary_impl,
    doc = "The rule behind the macro sycl_binary.",
    attrs = SOURCE_ATTRS | COMPILE_ATTRS | IMAGE_ATTRS | CODE_ATTRS | RUNTIME_ATTRS | {
        "device_code_split": attr.string(
            default = "auto",
            doc = "How device code is split into modules, as in `-fsycl-device-code-split=`: `per_source` writes one module per source, `per_kernel` one per kernel, and `off` one for all linked code; `auto` is `per_source`. Kernels that need different optional features are always in different modules.",
            values = SPLITS,
        ),
        "ir": attr.string(
            default = "any",
            doc = "What to do with SPIR-V if GPUs have native images. If a file has both for a GPU, the 2026 runtimes build both and use either. `any` includes both. `cpu` marks the SPIR-V as code for CPUs: GPUs use their native images, and other GPUs find no kernels. `separate` writes the SPIR-V to `NAME.ir.syclbin`, which programs load if `NAME.syclbin` lacks the kernel. `none` omits the SPIR-V.",
            values = ["any", "cpu", "separate", "none"],
        ),
        "state": attr.string(
            default = "executable",
            doc = "The SYCLBIN's bundle state, as in `-fsyclbin=`: `input`, `object` or `executable`. In `input` and `object`, `SYCL_EXTERNAL` functions are exported, kernels can call exported functions of other SYCLBINs, and `sycl_binary`, `sycl_library` and `syclbin_link` can have the target in `deps`.",
            values = ["input", "object", "executable"],
        ),
    },
    fragments = ["cpp"],
    provides = [SyclbinInfo],
    toolchains = use_cc_toolchain(mandatory = False),
)

sycl_binary = device_rule(**SYCL_BINARY_RULE)
