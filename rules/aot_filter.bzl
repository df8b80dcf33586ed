"""The aot_filter rule."""

load("//rules/private/actions:aot.bzl", "filter_action")
load("//rules/private/actions:tools.bzl", "TOOL_ATTRS")

def _aot_filter_impl(ctx):
    out = ctx.actions.declare_file(ctx.label.name + ".table")
    filter_action(
        ctx,
        ctx.file.table,
        ctx.files.data,
        {ctx.attr.target: out},
        ctx.files.device_config,
        sycl_targets = ctx.attr.sycl_targets,
        fixed_targets = ctx.attr.fixed_targets,
    )
    return [DefaultInfo(files = depset([out]))]

aot_filter = rule(
    implementation = _aot_filter_impl,
    doc = """Copies the rows of a file table that a target can run.

The table has the columns of DPC++'s post-link step: `Code`, `Properties` and `Symbols`.
A row is kept if the device has every aspect that the row's properties require,
supports its required sub-group sizes, and is among its fixed targets. A table without
the column `Properties` is copied unchanged.

```starlark
aot_filter(
    name = "kernels_pvc",
    data = glob(["kernels_*.prop"]),
    table = "kernels.table",
    target = "intel_gpu_pvc",
)
```
""",
    attrs = {
        "data": attr.label_list(
            allow_files = True,
            doc = "The property files that the table names, by paths relative to the table or to the workspace.",
        ),
        "device_config": attr.label(
            allow_files = [".yaml", ".yml"],
            doc = "A device configuration file or a `sycl_device_config` that describes what targets support. It is merged over the built-in configuration.",
        ),
        "fixed_targets": attr.string_list(
            doc = "The targets of `-fsycl-fixed-targets=`. If `target` is not among them, no rows are kept.",
        ),
        "sycl_targets": attr.string_list(
            doc = "The targets of `-fsycl-targets=`, which are checked against `fixed_targets`.",
        ),
        "table": attr.label(
            allow_single_file = True,
            doc = "The file table.",
            mandatory = True,
        ),
        "target": attr.string(
            doc = "The target, such as `intel_gpu_pvc`.",
            mandatory = True,
        ),
        "_aspectfilter": TOOL_ATTRS["_aspectfilter"],
    },
)
