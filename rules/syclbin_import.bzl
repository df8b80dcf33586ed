"""The syclbin_import rule."""

load("//rules/private/actions:tools.bzl", "TOOL_ATTRS")
load("//rules/private/compat:compat.bzl", "COMPAT_ATTRS")
load("//rules/private/compile:images.bzl", "syclbin_providers")
load("//rules/private/targets:names.bzl", "user_label")
load("//rules/private/targets:resolve.bzl", "known_targets")
load(":find_sycl_toolchain.bzl", "find_sycl_toolchain", "use_sycl_toolchain")
load(":providers.bzl", "SyclbinInfo")

def _syclbin_import_impl(ctx):
    targets = known_targets(user_label(ctx), "sycl_targets", ctx.attr.sycl_targets)
    return syclbin_providers(
        ctx,
        find_sycl_toolchain(ctx),
        [ctx.file.src],
        ctx.attr.state,
        targets = targets,
        reported = targets,
        device_config = ctx.files.device_config,
        # The file's own build printed warnings, and so do the targets that use it.
        checked = False,
    )

syclbin_import = rule(
    implementation = _syclbin_import_impl,
    doc = """Imports a prebuilt SYCLBIN.

Use it like a `sycl_binary` in `deps` of `syclbin_link`, `sycl_binary`,
`sycl_library` and `sycl_compat_report`.

```starlark
syclbin_import(
    name = "math",
    src = "prebuilt/math.syclbin",
)

sycl_binary(
    name = "kernels",
    srcs = ["solve.cpp"],
    deps = [":math"],
)
```
""",
    attrs = {
        "device_config": attr.label(
            allow_files = [".yaml", ".yml"],
            doc = "A device configuration file or a `sycl_device_config`, merged over the built-in configuration, for reports on the file.",
        ),
        "src": attr.label(
            allow_single_file = [".syclbin"],
            doc = "The SYCLBIN.",
            mandatory = True,
        ),
        "state": attr.string(
            default = "object",
            doc = "The bundle state of the file, as `packager dump` shows it. Linking fails if the file is in a different state.",
            values = ["input", "object", "executable"],
        ),
        "sycl_targets": attr.string_list(
            doc = "The targets that the file was built for. Reports cover them even if the file has no image for them, and other rules read them ([SyclbinInfo](#syclbininfo)).",
        ),
        "_devicec": TOOL_ATTRS["_devicec"],
    } | COMPAT_ATTRS,
    provides = [SyclbinInfo],
    toolchains = use_sycl_toolchain(),
)
