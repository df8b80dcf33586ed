"""The sycl_compat_report rule."""

load(":providers.bzl", "SyclCompatInfo", "SyclbinInfo")

_LAUNCHER = """#!/bin/sh
# Prints the compatibility report of {label}.
cd "${{RUNFILES_DIR:-$0.runfiles}}/{workspace}" || exit 4
{say}
exec ./{compat} show "$@" {report}
"""

def _sycl_compat_report_impl(ctx):
    files = [dep[SyclbinInfo].file for dep in ctx.attr.deps]
    report = ctx.actions.declare_file(ctx.label.name + ".compat.json")
    args = ctx.actions.args()
    args.add("report")
    args.add("--output", report)
    args.add("--name", str(ctx.label).lstrip("@"))
    args.add_joined("--devices", ctx.attr.devices, join_with = ",")
    args.add_all(ctx.files.device_config, before_each = "--device-config")
    args.add_all(files)
    ctx.actions.run(
        executable = ctx.executable._compat,
        arguments = [args],
        inputs = files + ctx.files.device_config,
        outputs = [report],
        mnemonic = "SyclCompatReport",
        progress_message = "Reporting the compatibility of %{label}",
    )

    launcher = ctx.actions.declare_file(ctx.label.name + ".sh")
    ctx.actions.write(
        launcher,
        _LAUNCHER.format(
            label = ctx.label,
            workspace = ctx.workspace_name,
            compat = ctx.executable._compat_target.short_path,
            report = report.short_path,
            say = "\n".join([
                "echo 'SYCLBIN: bazel-bin/%s'" % f.short_path
                for f in files
            ]),
        ),
        is_executable = True,
    )
    runfiles = ctx.runfiles(files + [report]).merge(ctx.attr._compat_target[DefaultInfo].default_runfiles)
    return [
        DefaultInfo(executable = launcher, files = depset([report]), runfiles = runfiles),
        SyclCompatInfo(report = report),
    ]

sycl_compat_report = rule(
    implementation = _sycl_compat_report_impl,
    doc = """Reports which kernel runs on which device, and why not.

Building it writes `NAME.compat.json` and never fails because of what the report
says; `bazel run` prints the report as a table. Arguments after `--` go to
`compat show`, such as `bazel run //:compat -- --format json`.

```starlark
sycl_compat_report(
    name = "compat",
    deps = [":kernels"],
)
```
""",
    attrs = {
        "deps": attr.label_list(
            doc = "What to report on: `sycl_binary` targets.",
            mandatory = True,
            providers = [SyclbinInfo],
        ),
        "device_config": attr.label(
            allow_single_file = [".yaml", ".yml"],
            doc = "A device configuration file, merged over the built-in one: what targets support.",
        ),
        "devices": attr.string_list(
            doc = "The devices to report on, as `sycl_targets` names them. Empty: the targets that `deps` were built for.",
        ),
        "_compat": attr.label(default = "//tools/compat", executable = True, cfg = "exec"),
        "_compat_target": attr.label(default = "//tools/compat", executable = True, cfg = "target"),
    },
    executable = True,
    provides = [SyclCompatInfo],
)
