"""The aot_filter rule."""

load("//rules/private:actions.bzl", "TOOL_ATTRS", "filter_action")

def _aot_filter_impl(ctx):
    out = ctx.actions.declare_file(ctx.label.name + ".table")
    filter_action(
        ctx,
        ctx.file.table,
        ctx.files.data,
        ctx.attr.target,
        ctx.files.device_config,
        out,
        sycl_targets = ctx.attr.sycl_targets,
        fixed_targets = ctx.attr.fixed_targets,
    )
    return [DefaultInfo(files = depset([out]))]

aot_filter = rule(
    implementation = _aot_filter_impl,
    doc = """Copies the rows of a file table that a target can take.

The table is one as DPC++'s post-link step writes it, with the columns `Code`,
`Properties` and `Symbols`. A row is kept when the device has every aspect that its
properties require, supports its required sub-group sizes, and is among its fixed
targets. Without a column `Properties` the table is copied.

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
            doc = "A device configuration file or a `sycl_device_config`, merged over the built-in configuration: what targets support.",
        ),
        "fixed_targets": attr.string_list(
            doc = "What `-fsycl-fixed-targets=` named: only `target`s among these keep rows.",
        ),
        "sycl_targets": attr.string_list(
            doc = "What `-fsycl-targets=` named, when that is to be checked against `fixed_targets`.",
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
