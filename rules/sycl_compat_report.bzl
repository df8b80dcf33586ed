"""The sycl_compat_report rule."""

load("//rules/private:compat.bzl", "COMPAT_ATTRS", "launcher", "quoted", "report_action", "runfile")
load("//rules/private:compat_baseline.bzl", "declare_baseline_test", "declare_update")
load("//rules/private:names.bzl", "shown")
load("//rules/private:resolve.bzl", "known_targets")
load(":providers.bzl", "SyclCompatInfo", "SyclCompatSetInfo")
load(":sycl_compat_aspect.bzl", "sycl_compat_aspect")

def _unique(files):
    return {f: None for f in files}.keys()

def make_report(ctx):
    """Declares the report of a rule with REPORT_ATTRS.

    Args:
        ctx: the rule context.
    Returns:
        The report's File.
    """
    binaries = depset(transitive = [dep[SyclCompatSetInfo].binaries for dep in ctx.attr.deps]).to_list()
    if not binaries:
        fail("%s: deps have no device code: none of them is or depends on a sycl_binary, a sycl_cc_* target or a C++ target with the feature sycl" % ctx.label)
    device_config = _unique([f for b in binaries for f in b.device_config] + ctx.files.device_config)
    if not device_config:
        # The names of a device configuration are known only when it is read.
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
        doc = "What to report on: `sycl_cc_*` and `sycl_binary` targets, C++ targets with the feature `sycl`, or anything that depends on one, such as a `cc_binary` with a SYCLBIN in `data`.",
        mandatory = True,
        allow_empty = False,
    ),
    "device_config": attr.label(
        allow_files = [".yaml", ".yml"],
        doc = "A device configuration file or a `sycl_device_config`, merged over the built-in configuration and over those that `deps` are built with.",
    ),
    "devices": attr.string_list(
        doc = "The devices to report on, by the names of `sycl_targets`. Without it, the `sycl_targets` of `deps`, also those that no image is for, and other devices that `deps` have images for. With `fixed_targets`, only these of the GPUs among `sycl_targets`.",
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
    doc = "The report of the macro sycl_compat_report.",
    attrs = REPORT_ATTRS,
    executable = True,
    provides = [SyclCompatInfo],
)

# For the reference page: the attributes that the macro passes on.
sycl_compat_report_rule = _sycl_compat_report

def sycl_compat_report(name, baseline = None, policy = None, **kwargs):
    """Reports which kernel runs on which device, and why not.

    ```starlark
    sycl_compat_report(
        name = "compat",
        deps = [":kernels"],
    )
    ```

    Building it writes `NAME.compat.json`. The build does not fail because of what the
    report says. `bazel run` prints the report as a table. Arguments after `--` go to
    `compat show`: `bazel run //:compat -- --open` shows the report in a browser,
    `bazel run //:compat -- --format markdown --output report.md` writes it to a file in
    the current folder.

    All of `deps` count as parts of one program. A kernel that is in two of them runs on a
    device when it runs in one of them.

    With `baseline` there are two more targets:

    - `bazel run //:compat.update` writes the baseline: the problems that are known and
      accepted. It writes no other file, and none at all where the variable `CI` is set.
    - The test `compat.baseline_test` fails when the baseline is not what
      `compat.update` would write now.

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
        baseline: Path of a JSON file in the package with the known problems. It need not
            exist before the first `NAME.update`.
        policy: Label of the policy that the baseline is made with, a YAML file. The policy
            says which problems count and which exceptions it grants itself. It needs
            `baseline`.
        **kwargs: Attributes of every Bazel rule, such as `visibility`, `tags` and `testonly`.
            `NAME.update` and `NAME.baseline_test` have them as well.
    """
    if policy and not baseline:
        fail("//%s:%s: policy needs a baseline, and there is none: give the attribute baseline, or use sycl_compat_test to check a report by a policy alone" % (native.package_name(), name))
    _sycl_compat_report(name = name, **kwargs)
    if baseline:
        declare_update(name, baseline, policy, kwargs)
        declare_baseline_test(name, baseline, policy, kwargs)
