"""The rule of the macro sycl_compat_report, in its own file so that it can have the same name as the macro."""

load("//rules:providers.bzl", "SyclCompatInfo", "SyclCompatSetInfo")
load("//rules:sycl_compat_aspect.bzl", "sycl_compat_aspect")
load("//rules/private/compat:compat.bzl", "COMPAT_ATTRS", "launcher", "quoted", "report_action", "runfile")
load("//rules/private/targets:names.bzl", "shown", "user_label")
load("//rules/private/targets:resolve.bzl", "known_targets")

def _unique(files):
    return {f: None for f in files}.keys()

def make_report(ctx):
    """Declares the action that writes the report of a rule with REPORT_ATTRS.

    Args:
        ctx: the rule context.
    Returns:
        The report's File.
    """
    binaries = depset(transitive = [dep[SyclCompatSetInfo].binaries for dep in ctx.attr.deps]).to_list()
    if not binaries:
        fail("%s: deps have no device code: none of them is, or depends on, a sycl_binary, a sycl_cc_* target or a C++ target with the feature sycl" % user_label(ctx))
    device_config = _unique([f for b in binaries for f in b.device_config] + ctx.files.device_config)
    if not device_config:
        # The names in a device configuration are not known before the action reads it.
        known_targets(user_label(ctx), "devices", ctx.attr.devices)
    report = ctx.actions.declare_file(ctx.label.name + ".compat.json")
    report_action(
        ctx,
        files = [b.file for b in binaries if not b.embedded],
        embedded = [b.file for b in binaries if b.embedded],
        devices = ctx.attr.devices,
        device_config = device_config,
        out = report,
        targets = sorted(_unique([t for b in binaries for t in b.reported])),
    )
    return report

REPORT_ATTRS = {
    "deps": attr.label_list(
        aspects = [sycl_compat_aspect],
        doc = "Targets to report on: `sycl_cc_*` and `sycl_binary` targets, C++ targets with the feature `sycl`, or any target that depends on one, such as a `cc_binary` with a SYCLBIN in `data`.",
        mandatory = True,
        allow_empty = False,
    ),
    "device_config": attr.label(
        allow_files = [".yaml", ".yml"],
        doc = "A device configuration file or a `sycl_device_config`, merged over the built-in configuration and over the configurations that `deps` are built with.",
    ),
    "devices": attr.string_list(
        doc = "Devices to report on, named as in `sycl_targets`. Defaults to the `sycl_targets` of `deps`, including targets without an image, and other devices that `deps` have images for. With `fixed_targets`, only the GPUs in `fixed_targets` are included.",
    ),
} | COMPAT_ATTRS

def _sycl_compat_report_impl(ctx):
    report = make_report(ctx)
    show = launcher(ctx, ctx.label.name + ".sh", ctx.attr._compat, ["show", "--command", quoted("bazel run %s --" % shown(ctx.label)), "\"$@\"", runfile(report)], [report])
    return [
        DefaultInfo(executable = show.executable, files = depset([report]), runfiles = show.runfiles),
        SyclCompatInfo(report = report),
    ]

sycl_compat_report = rule(
    implementation = _sycl_compat_report_impl,
    doc = "The rule behind the macro sycl_compat_report.",
    attrs = REPORT_ATTRS,
    executable = True,
    provides = [SyclCompatInfo],
)
