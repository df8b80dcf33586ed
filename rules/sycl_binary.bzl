"""The sycl_binary rule."""

load("@rules_cc//cc:find_cc_toolchain.bzl", "use_cc_toolchain")
load("//rules/private:actions.bzl", "TOOL_ATTRS", "wants_debug_info")
load("//rules/private:compat.bzl", "COMPAT_ATTRS")
load("//rules/private:compile.bzl", "COMPILE_ATTRS", "IMAGE_ATTRS", "RDC_ATTRS", "RUNTIME_ATTRS", "compile_sources", "dependencies_code")
load("//rules/private:device_compiler.bzl", "DEVICE_COMPILER_ATTRS", "device_compiler_transition")
load("//rules/private:images.bzl", "build_syclbin")
load(":providers.bzl", "SyclbinInfo")
load(":toolchain.bzl", "TOOLCHAIN_TYPE")

def _sycl_binary_impl(ctx):
    toolchain = ctx.toolchains[TOOLCHAIN_TYPE].sycl
    own = compile_sources(ctx, toolchain).own
    sources = depset(own, transitive = dependencies_code(ctx, toolchain)).to_list()
    if not sources:
        fail("%s: there is no source: give srcs, or a sycl_library with some in deps" % ctx.label)
    return build_syclbin(
        ctx,
        toolchain,
        separate = [] if ctx.attr.rdc else sources,
        linked = sources if ctx.attr.rdc else [],
        sycl_targets = ctx.attr.sycl_targets,
        device_code_split = ctx.attr.device_code_split,
        state = ctx.attr.state,
        # What is linked later may call what others define.
        dependencies = ctx.attr.state != "executable",
        keep_debug_info = wants_debug_info(toolchain.copts + ctx.attr.copts),
        ir = ctx.attr.ir,
    )

sycl_binary = rule(
    implementation = _sycl_binary_impl,
    doc = """Compiles SYCL kernels for several devices and packs them as one SYCLBIN.

The output is `NAME.syclbin`. Every source is compiled once and stands alone, so that a
changed one is all that is built again; with `rdc = True` device code is linked, and a
kernel may call a device function of another source. Then kernels
become modules as `device_code_split` says, and never two that need different optional
features one. A target gets an image only of the modules that it can take: a kernel
that uses `double` costs a GPU without fp64 nothing, and does not stop its build. When
no target can take a module, the build fails and says why.

Output groups: `device_ir`, `device_link`, `device_modules`, `spirv`,
`properties`, `file_tables`, `aot_plan`, `aot_images`, `syclbin`, `compat_report`.

A kernel that does not run on one of the targets is a warning of the build, which
`--@rules_sycl//rules/settings:compat=error` makes an error and `off` silences.

```starlark
sycl_binary(
    name = "kernels",
    srcs = ["axpy.cpp"],
    sycl_targets = ["spir64", "intel_gpu_pvc", "intel_gpu_acm_g10"],
    deps = ["@rules_sycl//rules/device:sycl_lite"],
)
```
""",
    attrs = {
        "device_code_split": attr.string(
            default = "auto",
            doc = "Which kernels become one module, as `-fsycl-device-code-split=` takes it: `per_source` those of a source, `per_kernel` each alone, `off` all that are linked; `auto` is `per_source`. In all of them kernels that need different optional features are apart.",
            values = ["auto", "per_source", "per_kernel", "off"],
        ),
        "ir": attr.string(
            default = "any",
            doc = "What becomes of SPIR-V where GPUs have native images: when a file has both for a GPU, the runtime of 2026 builds both and takes either. `any` ships both; `cpu` makes the SPIR-V one for CPUs, so that GPUs certainly take their native images and other GPUs find nothing; `separate` writes it to a file of its own, `NAME.ir.syclbin`, for programs to load when `NAME.syclbin` lacks the kernel; `none` leaves it out.",
            values = ["any", "cpu", "separate", "none"],
        ),
        "state": attr.string(
            default = "executable",
            doc = "The SYCLBIN's bundle state, as `-fsyclbin=` takes it: `input`, `object` or `executable`. In the first two, `SYCL_EXTERNAL` functions are exported, kernels may call those of other SYCLBINs, and targets like this one and `syclbin_link` can have it in `deps`.",
            values = ["input", "object", "executable"],
        ),
        "sycl_targets": attr.string_list(
            default = ["spir64"],
            doc = "What to build for, as `-fsycl-targets=` takes it: `spir64` (SPIR-V, compiled when the program runs) and `intel_gpu_*`.",
        ),
    } | COMPILE_ATTRS | DEVICE_COMPILER_ATTRS | IMAGE_ATTRS | RDC_ATTRS | RUNTIME_ATTRS | TOOL_ATTRS | COMPAT_ATTRS,
    cfg = device_compiler_transition,
    provides = [SyclbinInfo],
    toolchains = [TOOLCHAIN_TYPE] + use_cc_toolchain(mandatory = False),
)
