"""The programs that the rules run, built from source or from a release."""

load(":device_compiler.bzl", "without_device_compiler")

TOOLS_TYPE = "//rules/toolchain:tools_type"

# The programs, each in the package //tools/NAME.
TOOLS = [
    "aot",
    "aspectfilter",
    "compat",
    "devicec",
    "packager",
    "postlink",
    "syclcxx",
]

def _sycl_tools_impl(ctx):
    return [platform_common.ToolchainInfo(
        programs = {name: getattr(ctx.attr, name)[DefaultInfo] for name in TOOLS},
    )]

sycl_tools = rule(
    implementation = _sycl_tools_impl,
    doc = "The programs as a toolchain of the type TOOLS_TYPE.",
    attrs = {
        "needs": attr.label(doc = "A target that fails if the programs cannot be built."),
    } | {
        # A tool is built for the platform that it runs on: sycl_tool is in that configuration.
        name: attr.label(allow_files = True, cfg = "target", executable = True, mandatory = True)
        for name in TOOLS
    },
)

def _sycl_tool_impl(ctx):
    program = ctx.toolchains[TOOLS_TYPE].programs[ctx.attr.tool]
    file = program.files_to_run.executable
    out = ctx.actions.declare_file(ctx.label.name + (".exe" if file.extension == "exe" else ""))
    ctx.actions.symlink(output = out, target_file = file, is_executable = True)
    return [DefaultInfo(
        executable = out,
        runfiles = ctx.runfiles([file]).merge(program.default_runfiles),
    )]

sycl_tool = rule(
    implementation = _sycl_tool_impl,
    doc = "A program of the toolchain, once for all device compilers.",
    attrs = {
        "tool": attr.string(mandatory = True, values = TOOLS),
    },
    cfg = without_device_compiler,
    executable = True,
    toolchains = [TOOLS_TYPE],
)
