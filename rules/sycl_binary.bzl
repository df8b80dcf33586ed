"""The sycl_binary rule."""

load("//rules/private:actions.bzl", "TOOL_ATTRS", "aot_action", "filter_action", "link_action", "pack_action", "plan_action", "postlink_action", "translate_action", "wants_debug_info")
load("//rules/private:compat.bzl", "COMPAT_ATTRS", "check_action", "report_action")
load("//rules/private:compile.bzl", "COMPILE_ATTRS", "compile_sources", "output_stem")
load("//rules/private:resolve.bzl", "known_targets", "resolve_targets")
load(":providers.bzl", "SyclbinInfo")
load(":toolchain.bzl", "TOOLCHAIN_TYPE")

def _sycl_binary_impl(ctx):
    toolchain = ctx.toolchains[TOOLCHAIN_TYPE].sycl
    targets = resolve_targets(ctx.label, ctx.attr.sycl_targets)
    device_config = ctx.files.device_config
    sources = compile_sources(ctx, toolchain).sources.to_list()
    if not sources:
        fail("%s: there is no source: give srcs, or a sycl_library with some in deps" % ctx.label)
    stems = {}
    for source in sources:
        if source.module in stems:
            fail("%s: %s is compiled by two of the targets that it is linked of; move it to a sycl_library of its own" % (ctx.label, source.module))
        stems[source.module] = output_stem(ctx, source.module)
    stem = "%s.device/%s" % (ctx.label.name, ctx.label.name)
    linked = link_action(ctx, toolchain, [(s.module, s.bitcode) for s in sources], stem)
    if ctx.attr.device_code_split == "off":
        stems = {"": stem}
    fixed_targets = known_targets(ctx.label, "fixed_targets", ctx.attr.fixed_targets)
    modules = postlink_action(ctx, toolchain, linked, stems, ctx.attr.device_code_split, fixed_targets, device_config)
    keep_debug_info = wants_debug_info(toolchain.copts + ctx.attr.copts)
    forms = {
        module: translate_action(ctx, toolchain, modules[module], stems[module], keep_debug_info)
        for module in stems
    }

    images = []
    native = []
    filtered = []
    for target in targets:
        for module, form in forms.items():
            name = "%s.%s" % (stems[module], target.name)
            table = ctx.actions.declare_file(name + ".filtered.table")
            filter_action(ctx, form.table, [form.properties], target.name, device_config, table)
            filtered.append(table)
            files = [form.properties]
            if target.compiler:
                image = aot_action(ctx, toolchain, form, table, target, name)
                native.append(image.code)
                images.append(struct(target = target, table = image.table, files = files + [image.code]))
            else:
                images.append(struct(target = target, table = table, files = files + [form.code]))

    plan = plan_action(ctx, forms.values(), targets, device_config, stem)
    out = ctx.actions.declare_file(ctx.label.name + ".syclbin")
    pack_action(ctx, images, plan, ctx.attr.state, out)
    report = ctx.actions.declare_file(ctx.label.name + ".binary.compat.json")
    report_action(ctx, [out], [], device_config, report)
    return [
        DefaultInfo(files = depset([out]), runfiles = ctx.runfiles([out])),
        SyclbinInfo(
            device_config = device_config,
            file = out,
            report = report,
            state = ctx.attr.state,
            targets = [t.name for t in targets],
        ),
        OutputGroupInfo(
            device_ir = depset([s.bitcode for s in sources]),
            device_link = depset([linked]),
            device_modules = depset([m.code for m in modules.values()]),
            spirv = depset([f.code for f in forms.values()]),
            properties = depset([f.properties for f in forms.values()]),
            file_tables = depset([f.table for f in forms.values()] + filtered),
            aot_plan = depset([plan]),
            aot_images = depset(native),
            syclbin = depset([out]),
            compat_report = depset([report]),
            _validation = depset(check_action(ctx, report, stem)),
        ),
    ]

sycl_binary = rule(
    implementation = _sycl_binary_impl,
    doc = """Compiles SYCL kernels for several devices and packs them as one SYCLBIN.

The output is `NAME.syclbin`. Every source is compiled once; the device code is
linked, so that a kernel may call a device function of another source; then kernels
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
            doc = "Which kernels become one module, as `-fsycl-device-code-split=` takes it: `per_source` those of a source, `per_kernel` each alone, `off` all; `auto` is `per_source`. In all of them kernels that need different optional features are apart.",
            values = ["auto", "per_source", "per_kernel", "off"],
        ),
        "device_config": attr.label(
            allow_files = [".yaml", ".yml"],
            doc = "A device configuration file or a `sycl_device_config`, merged over the built-in configuration: what targets support.",
        ),
        "fixed_targets": attr.string_list(
            doc = "The only targets that the kernels are for, as `-fsycl-fixed-targets=` takes it. A kernel that one of them cannot run is a warning of the build.",
        ),
        "state": attr.string(
            default = "executable",
            doc = "The SYCLBIN's bundle state, as `-fsyclbin=` takes it: `input`, `object` or `executable`.",
            values = ["input", "object", "executable"],
        ),
        "sycl_targets": attr.string_list(
            default = ["spir64"],
            doc = "What to build for, as `-fsycl-targets=` takes it: `spir64` (SPIR-V, compiled when the program runs) and `intel_gpu_*`.",
        ),
    } | COMPILE_ATTRS | TOOL_ATTRS | COMPAT_ATTRS,
    provides = [SyclbinInfo],
    toolchains = [TOOLCHAIN_TYPE],
)
