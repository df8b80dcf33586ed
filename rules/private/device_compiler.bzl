"""The attribute device_compiler, which chooses a target's device compiler."""

_FLAG = "//rules/settings:device_compiler"

# The value of the command line, where the attribute has changed the flag.
_ORIGINAL = "//rules/settings:original_device_compiler"

def _device_compiler_impl(settings, attr):
    original = settings[_ORIGINAL] or settings[_FLAG]

    # Without the attribute, and with what holds anyway, there is no second configuration.
    value = attr.device_compiler or settings[_FLAG]
    return {_FLAG: value, _ORIGINAL: "" if value == original else original}

# The cfg of rules with DEVICE_COMPILER_ATTRS.
device_compiler_transition = transition(
    implementation = _device_compiler_impl,
    inputs = [_FLAG, _ORIGINAL],
    outputs = [_FLAG, _ORIGINAL],
)

# The cfg of targets that do not depend on the flag. The flag is part of the configuration
# of tools as well: without this, they would be built once for each value of the attribute.
# They get the value of the command line and not the default: Bazel names the folder of
# outputs by what differs from the command line, so that the default would be one more folder.
without_device_compiler = transition(
    implementation = lambda settings, _attr: {_FLAG: settings[_ORIGINAL] or settings[_FLAG], _ORIGINAL: ""},
    inputs = [_FLAG, _ORIGINAL],
    outputs = [_FLAG, _ORIGINAL],
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
