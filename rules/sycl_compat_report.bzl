"""The sycl_compat_report rule."""

load("//rules/private:compat.bzl", "COMPAT_ATTRS", "launcher", "report_action", "runfile")
load("//rules/private:compat_baseline.bzl", "declare_baseline_test", "declare_update")
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
        fail("%s: deps have no device code: none is a sycl_binary or made by a sycl_cc_* rule, and nothing that they depend on is" % ctx.label)
    report = ctx.actions.declare_file(ctx.label.name + ".compat.json")
    report_action(
        ctx,
        files = [b.file for b in binaries if not b.embedded],
        embedded = [b.file for b in binaries if b.embedded],
        devices = ctx.attr.devices,
        device_config = _unique([f for b in binaries for f in b.device_config] + ctx.files.device_config),
        out = report,
    )
    return report

REPORT_ATTRS = {
    "deps": attr.label_list(
        aspects = [sycl_compat_aspect],
        doc = "What to report on: `sycl_cc_*` and `sycl_binary` targets, or anything that depends on some, such as a `cc_binary` with a SYCLBIN in `data`.",
        mandatory = True,
        allow_empty = False,
    ),
    "device_config": attr.label(
        allow_files = [".yaml", ".yml"],
        doc = "A device configuration file or a `sycl_device_config`, merged over the built-in configuration and over those that `deps` were built with.",
    ),
    "devices": attr.string_list(
        doc = "The devices to report on, as `sycl_targets` names them. Empty: the targets that `deps` were built for.",
    ),
    "_compat_target": attr.label(default = "//tools/compat", executable = True, cfg = "target"),
} | COMPAT_ATTRS

def _sycl_compat_report_impl(ctx):
    report = make_report(ctx)
    show = launcher(ctx, ctx.label.name + ".sh", ctx.attr._compat_target, ["show", "\"$@\"", runfile(report)], [report])
    return [
        DefaultInfo(executable = show.executable, files = depset([report]), runfiles = show.runfiles),
        SyclCompatInfo(report = report),
    ]

_sycl_compat_report = rule(
    implementation = _sycl_compat_report_impl,
    doc = """Reports which kernel runs on which device, and why not.

Building it writes `NAME.compat.json` and never fails because of what the report
says. `bazel run` prints the report as a table; arguments after `--` go to
`compat show`: `bazel run //:compat -- --open` shows the report in a browser,
`bazel run //:compat -- --format markdown --output report.md` writes it to a file in
the current folder.

Programs, libraries and SYCLBINs are taken for parts of one program: a kernel that two of
them have runs on a device when it does in one.

```starlark
sycl_compat_report(
    name = "compat",
    deps = [":kernels"],
)
```

With `baseline`, the path of a file in the package, there are two targets more:
`bazel run //:compat.update` writes that file, with the problems that are known and
accepted, and the test `compat.baseline_test` fails when it is not what would be
written now. The file need not exist before the first update. `policy`, the label of
a policy, says which problems count and which ones it covers itself. Nothing but
that file is written, and nothing at all where the variable `CI` is set.

```starlark
sycl_compat_report(
    name = "compat",
    baseline = "sycl-compat-baseline.json",
    policy = "sycl-compat.yaml",
    deps = [":kernels"],
)
```
""",
    attrs = REPORT_ATTRS,
    executable = True,
    provides = [SyclCompatInfo],
)

def sycl_compat_report(name, baseline = None, policy = None, **kwargs):
    """Declares a report and, with a baseline, what keeps that current.

    Args:
        name: of the report.
        baseline: path of a file in the package with the problems that are known.
        policy: label of the policy that the baseline is made with.
        **kwargs: attributes of the report.
    """
    if policy and not baseline:
        fail("sycl_compat_report %s: a policy is for the baseline, and there is none; sycl_compat_test takes one" % name)
    _sycl_compat_report(name = name, **kwargs)
    if baseline:
        declare_update(name, baseline, policy, kwargs)
        declare_baseline_test(name, baseline, policy, kwargs)
