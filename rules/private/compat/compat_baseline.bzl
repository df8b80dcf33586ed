"""The targets of a baseline: a program that writes it, and a test."""

load("//rules:providers.bzl", "SyclCompatInfo")
load("//rules/private/compile:common_attributes.bzl", "common_attributes")
load("//rules/private/targets:names.bzl", "shown")
load(":compat.bzl", "COMPAT_ATTRS", "launcher", "near_runfile", "quoted", "runfile")

_ATTRS = {
    "path": attr.string(
        doc = "The baseline's path in the workspace.",
        mandatory = True,
    ),
    "policy": attr.label(allow_single_file = [".yaml", ".yml"]),
    "report": attr.label(mandatory = True, providers = [SyclCompatInfo]),
    "_compat": COMPAT_ATTRS["_compat"],
}

def policy_arguments(ctx, name):
    """Returns the arguments and the Files of the attribute `policy`.

    Args:
        ctx: the rule context.
        name: function that returns the argument for a File.
    Returns:
        A list of string, for the launcher, and a list of File.
    """
    if not ctx.file.policy:
        return [], []
    return ["--policy", name(ctx.file.policy)], [ctx.file.policy]

def _update_impl(ctx):
    report = ctx.attr.report[SyclCompatInfo].report
    arguments, files = policy_arguments(ctx, runfile)
    update = launcher(
        ctx,
        ctx.label.name + ".sh",
        ctx.attr._compat,
        ["baseline", "update", "--baseline", quoted(ctx.attr.path)] + arguments + [runfile(report)],
        [report] + files,
        directory = "${BUILD_WORKSPACE_DIRECTORY:?bazel run sets it}",
    )
    return [DefaultInfo(executable = update.executable, runfiles = update.runfiles)]

_sycl_compat_update = rule(
    implementation = _update_impl,
    attrs = _ATTRS,
    executable = True,
)

def _baseline_test_impl(ctx):
    report = ctx.attr.report[SyclCompatInfo].report
    arguments, files = policy_arguments(ctx, near_runfile)
    if ctx.file.baseline:
        arguments = arguments + ["--baseline", near_runfile(ctx.file.baseline)]
        files = files + [ctx.file.baseline]
    else:
        arguments = arguments + ["--baseline", quoted(ctx.attr.path)]
    test = launcher(
        ctx,
        ctx.label.name + ".sh",
        ctx.attr._compat,
        ["baseline", "verify"] + arguments + [near_runfile(report)],
        [report] + files,
        directory = "$runfiles",
        hint = update_hint(ctx.attr.report.label),
    )
    return [DefaultInfo(executable = test.executable, runfiles = test.runfiles)]

_sycl_compat_baseline_test = rule(
    implementation = _baseline_test_impl,
    attrs = _ATTRS | {"baseline": attr.label(allow_single_file = [".json"])},
    test = True,
)

def update_hint(label):
    """Returns the hint that the test prints if the baseline is out of date."""
    return "To accept the current problems: bazel run %s.update" % shown(label)

def existing(name, baseline):
    """Returns the label of a file in the package, or None if it does not exist yet.

    Args:
        name: of the target with the report, for errors.
        baseline: its path in the package.
    Returns:
        The label of the file, or None.
    """
    problem = baseline_problem(baseline)
    if problem:
        fail("//%s:%s: baseline: %s" % (native.package_name(), name, problem))
    return baseline if native.glob([baseline], allow_empty = True) else None

def baseline_problem(baseline):
    """Returns why the attribute `baseline` is invalid, or an empty string.

    Args:
        baseline: its value.
    Returns:
        string.
    """
    if type(baseline) != "string":
        return "expected a string, got %s; use the path of one file, such as compat.baseline.json" % type(baseline)
    parts = baseline.split("/")
    if ":" in baseline or "" in parts or "." in parts or ".." in parts:
        return "%r is not a path in the package; use a path such as compat.baseline.json" % baseline
    if not baseline.endswith(".json"):
        return "%r does not end with .json; use a name such as compat.baseline.json" % baseline
    if "*" in baseline or "?" in baseline:
        return "%r is a pattern; use the path of one file, such as compat.baseline.json" % baseline
    return ""

def declare_update(name, baseline, policy, kwargs):
    """Declares NAME.update, which writes the baseline in the source tree.

    Args:
        name: of the target with the report.
        baseline: the baseline's path in the package.
        policy: label of the policy, or None.
        kwargs: the attributes of the report. The program gets the attributes that all rules have.
    """
    _sycl_compat_update(
        name = name + ".update",
        path = _path(baseline),
        policy = policy,
        report = ":" + name,
        **_common(kwargs, groups = [])
    )

def declare_baseline_test(name, baseline, policy, kwargs):
    """Declares NAME.baseline_test, which fails if the baseline is out of date.

    Args:
        name: of the target with the report.
        baseline: the baseline's path in the package.
        policy: label of the policy, or None.
        kwargs: the attributes of the report. The test gets the attributes that all rules have.
    """
    _sycl_compat_baseline_test(
        name = name + ".baseline_test",
        size = "small",
        baseline = existing(name, baseline),
        path = _path(baseline),
        policy = policy,
        report = ":" + name,
        **_common(kwargs, groups = ["test"])
    )

def _common(kwargs, groups):
    visibility = {"visibility": kwargs["visibility"]} if "visibility" in kwargs else {}
    return common_attributes(kwargs, groups) | visibility

def _path(baseline):
    package = native.package_name()
    return package + "/" + baseline if package else baseline
