"""The sycl_compat_test rule."""

load("//rules/private:compat.bzl", "launcher", "runfile")
load(":providers.bzl", "SyclCompatInfo")
load(":sycl_compat_report.bzl", "REPORT_ATTRS", "make_report")

def _sycl_compat_test_impl(ctx):
    report = make_report(ctx)
    arguments = ["check", "--undetermined", ctx.attr.undetermined]
    check = launcher(ctx, ctx.label.name + ".sh", ctx.attr._compat_target, arguments + [runfile(report)], [report])
    return [
        DefaultInfo(executable = check.executable, files = depset([check.executable]), runfiles = check.runfiles),
        SyclCompatInfo(report = report),
    ]

sycl_compat_test = rule(
    implementation = _sycl_compat_test_impl,
    doc = """Fails when a kernel does not run on a device that it has to run on.

```starlark
sycl_compat_test(
    name = "compat_test",
    devices = ["intel_gpu_pvc", "intel_gpu_bmg_g21"],
    deps = [":kernels"],
)
```
""",
    attrs = REPORT_ATTRS | {
        "undetermined": attr.string(
            default = "warning",
            doc = "What it is when nobody can tell whether a kernel runs, such as on a device whose configuration is not complete: `error` fails the test, `warning` and `note` say so, `ignore` does not.",
            values = ["ignore", "note", "warning", "error"],
        ),
    },
    test = True,
    provides = [SyclCompatInfo],
)
