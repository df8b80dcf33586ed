"""The sycl_compat_test rule."""

load("//rules/private:compat.bzl", "launcher", "near_runfile")
load("//rules/private:compat_baseline.bzl", "declare_update", "existing", "policy_arguments", "update_hint")
load(":providers.bzl", "SyclCompatInfo")
load(":sycl_compat_report.bzl", "REPORT_ATTRS", "make_report")

def _sycl_compat_test_impl(ctx):
    report = make_report(ctx)
    policy, files = policy_arguments(ctx, near_runfile)

    # Runfiles are links to elsewhere, and the sources are not among them.
    arguments = ["check", "--workspace="] + policy
    if ctx.attr.undetermined:
        arguments += ["--undetermined", ctx.attr.undetermined]
    if ctx.file.baseline:
        arguments += ["--baseline", near_runfile(ctx.file.baseline)]
        files = files + [ctx.file.baseline]
    check = launcher(
        ctx,
        ctx.label.name + ".sh",
        ctx.attr._compat_target,
        arguments + [near_runfile(report)],
        [report] + files,
        folder = "$runfiles",
        hint = update_hint(ctx.label) if ctx.file.baseline else "",
    )
    return [
        DefaultInfo(executable = check.executable, files = depset([check.executable]), runfiles = check.runfiles),
        SyclCompatInfo(report = report),
    ]

_sycl_compat_test = rule(
    implementation = _sycl_compat_test_impl,
    doc = """Fails when a kernel does not run on a device that it has to run on.

```starlark
sycl_compat_test(
    name = "compat_test",
    devices = ["intel_gpu_pvc", "intel_gpu_bmg_g21"],
    deps = [":kernels"],
)
```

`policy` is a policy of the gate, which says what is required of which device.
`baseline`, the path of a file in the package, has the problems that are known and
do not fail. `bazel run //:compat_test.update` writes it; it need not exist before the
first time, and while it does not, nothing is known.
""",
    attrs = REPORT_ATTRS | {
        "baseline": attr.label(
            allow_single_file = [".json"],
            doc = "The problems that are known, a file of the package.",
        ),
        "policy": attr.label(
            allow_single_file = [".yaml", ".yml"],
            doc = "A policy of the gate. Without one, each kernel has to run on each device.",
        ),
        "undetermined": attr.string(
            doc = "What it is when nobody can tell whether a kernel runs, such as on a device whose configuration is not complete: `error` fails the test, `warning` and `note` say so, `ignore` does not. Empty: what the policy says, else `warning`.",
            values = ["", "ignore", "note", "warning", "error"],
        ),
    },
    test = True,
    provides = [SyclCompatInfo],
)

def sycl_compat_test(name, baseline = None, policy = None, **kwargs):
    """Declares the test and, with a baseline, the program that writes that.

    Args:
        name: of the test.
        baseline: path of a file in the package with the problems that are known.
        policy: label of the policy.
        **kwargs: other attributes of the test.
    """
    _sycl_compat_test(
        name = name,
        baseline = existing(baseline) if baseline else None,
        policy = policy,
        **kwargs
    )
    if baseline:
        declare_update(name, baseline, policy, kwargs | {"testonly": True})
