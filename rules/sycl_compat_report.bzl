"""The sycl_compat_report rule."""

load("//rules/private/compat:compat.bzl", "COMPAT_ATTRS", "launcher", "quoted", "report_action", "runfile")
load("//rules/private/compat:compat_baseline.bzl", "declare_baseline_test", "declare_update")
load("//rules/private/targets:names.bzl", "shown")
load("//rules/private/targets:resolve.bzl", "known_targets")
load(":providers.bzl", "SyclCompatInfo", "SyclCompatSetInfo")
load(":sycl_compat_aspect.bzl", "sycl_compat_aspect")

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
        fail("%s: deps have no device code: none of them is, or depends on, a sycl_binary, a sycl_cc_* target or a C++ target with the feature sycl" % ctx.label)
    device_config = _unique([f for b in binaries for f in b.device_config] + ctx.files.device_config)
    if not device_config:
        # The names in a device configuration are not known before the action reads it.
        known_targets(ctx.label, "devices", ctx.attr.devices)
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

_sycl_compat_report = rule(
    implementation = _sycl_compat_report_impl,
    doc = "The rule behind the macro sycl_compat_report.",
    attrs = REPORT_ATTRS,
    executable = True,
    provides = [SyclCompatInfo],
)

# Only for the reference page: the attributes that the macro passes on.
sycl_compat_report_rule = _sycl_compat_report

def sycl_compat_report(name, baseline = None, policy = None, **kwargs):
    """Reports which kernel runs on which device, and why others do not.

    ```starlark
    sycl_compat_report(
        name = "compat",
        deps = [":kernels"],
    )
    ```

    Building the target writes `NAME.compat.json`. The content of the report never fails the
    build. `bazel run` prints the report as a table. Arguments after `--` are passed to
    `compat show`: `bazel run //:compat -- --open` shows the report in a browser,
    `bazel run //:compat -- --format markdown --output report.md` writes it to a file in
    the current directory.

    All `deps` count as parts of one program. A kernel that is in two of them runs on a
    device if it runs in one of them.

    With `baseline`, there are two more targets:

    - `bazel run //:compat.update` writes the baseline, which lists known and accepted
      problems. It writes no other file, and refuses to run if the variable `CI` is set.
    - The test `compat.baseline_test` fails if `compat.update` would write a different
      baseline.

    ```starlark
    sycl_compat_report(
        name = "compat",
        baseline = "sycl-compat-baseline.json",
        policy = "sycl-compat.yaml",
        deps = [":kernels"],
    )
    ```

    Args:
        name: A unique name for this target.
        baseline: Path of a JSON file in the package with the known problems. The first
            `NAME.update` creates it.
        policy: Label of a YAML file, the policy for the baseline. It determines which problems
            count, and has its own exceptions. Requires `baseline`.
        **kwargs: Attributes of every Bazel rule, such as `visibility`, `tags` and `testonly`.
            They also apply to `NAME.update` and `NAME.baseline_test`.
    """
    if policy and not baseline:
        fail("//%s:%s: policy requires baseline; set it, or use sycl_compat_test to check a report against a policy without a baseline" % (native.package_name(), name))
    _sycl_compat_report(name = name, **kwargs)
    if baseline:
        declare_update(name, baseline, policy, kwargs)
        declare_baseline_test(name, baseline, policy, kwargs)
