"""Programs of this system as targets, like programs in a repository with a compiler."""

load("//rules:find_sycl_toolchain.bzl", "find_sycl_toolchain", "use_sycl_toolchain")
load("//rules/private/toolchain:device_compiler.bzl", "without_device_compiler")

def _machine_program_impl(ctx):
    tool = getattr(find_sycl_toolchain(ctx), ctx.attr.tool)
    script = ctx.actions.declare_file(ctx.label.name + ".sh")

    # The program works only with its runfiles, which an action has if the program is one of its
    # tools.
    ctx.actions.write(
        script,
        "#!/bin/sh\ntest -e \"$0.runfiles/%s/%s\" || exit 3\nexec %s \"$@\"\n" % (
            ctx.workspace_name,
            ctx.file.data.short_path,
            tool.executable if not tool.missing else "false",
        ),
        is_executable = True,
    )
    return [DefaultInfo(executable = script, runfiles = ctx.runfiles([ctx.file.data]))]

machine_program = rule(
    implementation = _machine_program_impl,
    doc = "A script that runs a program of the machine.",
    attrs = {
        "data": attr.label(allow_single_file = True, mandatory = True),
        "tool": attr.string(mandatory = True),
    },
    # A program must not depend on the toolchain that it belongs to.
    cfg = without_device_compiler,
    executable = True,
    toolchains = use_sycl_toolchain(),
)
