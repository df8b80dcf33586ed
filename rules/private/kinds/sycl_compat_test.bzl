"""The rule of the macro sycl_compat_test, in its own file so that it can have the same name as the macro."""

load("//rules:providers.bzl", "SyclCompatInfo")
load("//rules/private/compat:compat.bzl", "COMPAT_COMMAND", "launcher", "near_runfile", "quoted")
load("//rules/private/compat:compat_baseline.bzl", "policy_arguments", "update_hint")
load(":sycl_compat_report.bzl", "REPORT_ATTRS", "make_report")

def _fix_command(report):
    """Returns the command that proposes edits, for a shell in the workspace, not in the runfiles."""
    path = "$PWD/" + report.path
    if not all([c.isalnum() or c in "/-+_.=@" for c in report.path.elems()]):
        path = "REPORT"
    return COMPAT_COMMAND + " fix --workspace $PWD " + path

def _sycl_compat_test_impl(ctx):
    report = make_report(ctx)
    policy, files = policy_arguments(ctx, near_runfile)

    # Runfiles are symbolic links, and do not include the sources.
    arguments = ["check", "--program", quoted(COMPAT_COMMAND), "--fix-command", quoted(_fix_command(report)), "--workspace="] + policy
    if ctx.attr.undetermined:
        arguments += ["--undetermined", ctx.attr.undetermined]
    if ctx.file.baseline:
        arguments += ["--baseline", near_runfile(ctx.file.baseline)]
        files = files + [ctx.file.baseline]
    check = launcher(
        ctx,
        ctx.label.name + ".sh",
        ctx.attr._compat,
        arguments + [near_runfile(report)],
        [report] + files,
        directory = "$runfiles",
        hint = update_hint(ctx.label) if ctx.file.baseline else "",
    )
    return [
        DefaultInfo(executable = check.executable, files = depset([check.executable]), runfiles = check.runfiles),
        SyclCompatInfo(report = report),
    ]

sycl_compat_test = rule(
    implementation = _sycl_compat_test_impl,
    doc = "The rule behind the macro sycl_compat_test.",
    attrs = REPORT_ATTRS | {
        "baseline": attr.label(allow_single_file = [".json"]),
        "policy": attr.label(allow_single_file = [".yaml", ".yml"]),
        "undetermined": attr.string(
            doc = "What to do if it is unknown whether a kernel runs on a device, for example because the device's configuration is incomplete: `error` fails the test, `warning` and `note` print a message, `ignore` prints nothing. Defaults to the policy's value, or else `warning`.",
            values = ["", "ignore", "note", "warning", "error"],
        ),
    },
    test = True,
    provides = [SyclCompatInfo],
)
