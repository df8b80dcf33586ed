"""The attribute device_compiler, which chooses a target's device compiler."""

_FLAG = "//rules/settings:device_compiler"

_CC_TOOLCHAIN = "//rules/settings:cc_toolchain"

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
#
# A C++ toolchain that runs these targets cannot build them: they have the other one.
without_device_compiler = transition(
    implementation = lambda settings, _attr: {
        _CC_TOOLCHAIN: False,
        _FLAG: settings[_ORIGINAL] or settings[_FLAG],
        _ORIGINAL: "",
    },
    inputs = [_FLAG, _ORIGINAL],
    outputs = [_CC_TOOLCHAIN, _FLAG, _ORIGINAL],
)

DEVICE_COMPILER_ATTRS = {
    "device_compiler": attr.string(
        doc = "The device compiler of this target and of all that it depends on: `clang`, or the name of a tag in MODULE.bazel of `sycl.dpcpp`, such as `sycl_dpcpp`, of `sycl.local` or of `sycl.toolchain`. Without it, the flag `--@rules_sycl//rules/settings:device_compiler` decides. Its default is the first `sycl.dpcpp` tag, or `clang` when there is none.",
    ),
}
