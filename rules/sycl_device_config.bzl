"""The sycl_device_config rule."""

load("//rules/private/actions:tools.bzl", "run_tool")

def _sycl_device_config_impl(ctx):
    files = {f: None for f in ctx.files.deps + ctx.files.srcs}.keys()
    table = ctx.actions.declare_file(ctx.label.name + ".devices.json")
    args = ctx.actions.args()
    args.add("devices")
    args.add("--json")
    args.add("--output", table)
    args.add_all(files, before_each = "--device-config-file")
    run_tool(
        ctx,
        ctx.executable._aspectfilter,
        args,
        inputs = files,
        outputs = [table],
        mnemonic = "SyclDeviceConfig",
        progress_message = "Checking the device configuration %{label}",
        toolchain = None,
    )
    return [
        DefaultInfo(files = depset(files, order = "preorder")),
        OutputGroupInfo(devices = depset([table]), _validation = depset([table])),
    ]

sycl_device_config = rule(
    implementation = _sycl_device_config_impl,
    doc = """Provides device configuration files for the `device_config` of other rules.

The files are merged over the built-in configuration: first the files of `deps`, then
`srcs`. A later file overrides the entries of earlier files for a device. The files are checked
when a target that uses them is built. The output group `devices` contains the merged table as
JSON.

```starlark
sycl_device_config(
    name = "devices",
    srcs = ["our_accelerator.yaml"],
)
```
""",
    attrs = {
        "deps": attr.label_list(
            allow_files = [".yaml", ".yml"],
            doc = "Other `sycl_device_config` targets. Their files are merged before `srcs`.",
        ),
        "srcs": attr.label_list(
            allow_files = [".yaml", ".yml"],
            doc = "Device configuration files.",
            mandatory = True,
            allow_empty = False,
        ),
        "_aspectfilter": attr.label(default = "//rules/private:aspectfilter", executable = True, cfg = "exec"),
    },
)
