"""Launchers for `bazel run`."""

load("//rules/private/compat:compat.bzl", "launcher")

def _called_tool_impl(ctx):
    name = ctx.label.name
    script = launcher(ctx, name + ".sh", ctx.attr.tool, ["\"$@\""], [], command = "bazel run @rules_sycl//rules:%s --" % name)
    return [DefaultInfo(executable = script.executable, runfiles = script.runfiles)]

called_tool = rule(
    implementation = _called_tool_impl,
    doc = "Runs a program in the user's current directory. It uses the exec configuration, as in builds, so the program is not built again for the target platform.",
    attrs = {
        "tool": attr.label(cfg = "exec", executable = True, mandatory = True),
    },
    executable = True,
)
