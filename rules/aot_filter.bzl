"""The aot_filter rule."""

load("//rules/private:actions.bzl", "TOOL_ATTRS")

def _aot_filter_impl(ctx):
    out = ctx.actions.declare_file(ctx.label.name + ".table")
    args = ctx.actions.args()
    args.add("--target", ctx.attr.target)
    args.add_all(ctx.files.device_config, before_each = "--device-config-file")
    args.add_joined("--targets", ctx.attr.sycl_targets, join_with = ",")
    args.add_joined("--fixed-targets", ctx.attr.fixed_targets, join_with = ",")
    args.add("--output", out)
    args.add(ctx.file.table)
    ctx.actions.run(
        executable = ctx.executable._aspectfilter,
        arguments = [args],
        inputs = depset([ctx.file.table] + ctx.files.device_config, transitive = [depset(ctx.files.data)]),
        outputs = [out],
        mnemonic = "SyclAotFilter",
        progress_message = "Filtering %s for %s" % (ctx.file.table.short_path, ctx.attr.target),
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
            allow_single_file = [".yaml", ".yml"],
            doc = "A device configuration file, merged over the built-in one: what targets support.",
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
