"""The attribute device_compiler, which chooses a target's device compiler."""

_FLAG = "//rules/settings:device_compiler"

def _device_compiler_impl(_settings, attr):
    # Without the attribute there is no second configuration.
    return {_FLAG: attr.device_compiler} if attr.device_compiler else {}

# The cfg of rules with DEVICE_COMPILER_ATTRS.
device_compiler_transition = transition(
    implementation = _device_compiler_impl,
    inputs = [],
    outputs = [_FLAG],
)

# The cfg of targets that do not depend on the flag. The flag is part of the configuration
# of tools as well: without this, they would be built once for each value.
without_device_compiler = transition(
    implementation = lambda _settings, _attr: {_FLAG: "auto"},
    inputs = [],
    outputs = [_FLAG],
)

DEVICE_COMPILER_ATTRS = {
    "device_compiler": attr.string(
        doc = "The device compiler of this target and of all that it depends on: `clang`, or the name of a tag in MODULE.bazel of `sycl.dpcpp`, such as `sycl_dpcpp`, of `sycl.local` or of `sycl.toolchain`. Without it, the flag `--@rules_sycl//rules/settings:device_compiler` decides. Its default is the first `sycl.dpcpp` tag, or `clang` when there is none.",
    ),
}

def _tool_impl(ctx):
    out = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.symlink(output = out, target_file = ctx.executable.program, is_executable = True)
    return [DefaultInfo(
        executable = out,
        runfiles = ctx.attr.program[DefaultInfo].default_runfiles,
    )]

sycl_tool = rule(
    implementation = _tool_impl,
    doc = "A program that is built once for all device compilers.",
    attrs = {
        "program": attr.label(cfg = "target", executable = True, mandatory = True),
    },
    cfg = without_device_compiler,
    executable = True,
)
