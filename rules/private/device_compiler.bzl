"""The attribute device_compiler, which chooses a target's device compiler.

The outputs of a target with the attribute are where those of others are: it stays in the
configuration of the command line, and gets the toolchain of its compiler by a dependency. Only
its deps are in a configuration of that compiler.
"""

load("@rules_cc//cc:find_cc_toolchain.bzl", "use_cc_toolchain")
load("//rules:find_sycl_toolchain.bzl", "SYCL_TOOLCHAIN_TYPE", "use_sycl_toolchain")

_FLAG = "//rules/settings:device_compiler"

_CC_TOOLCHAIN = "//rules/settings:cc_toolchain"

# The value of the command line, below a target whose attribute has changed the flag.
_ORIGINAL = "//rules/settings:original_device_compiler"

def _original(settings):
    return {_FLAG: settings[_ORIGINAL] or settings[_FLAG], _ORIGINAL: ""}

def _chosen_impl(settings, attr):
    original = _original(settings)[_FLAG]

    # Without the attribute, and with what holds anyway, there is no second configuration.
    value = attr.device_compiler or settings[_FLAG]
    return {_FLAG: value, _ORIGINAL: "" if value == original else original}

# The cfg of what is of the target's device compiler: its deps, and what its toolchain lacks.
device_compiler_transition = transition(
    implementation = _chosen_impl,
    inputs = [_FLAG, _ORIGINAL],
    outputs = [_FLAG, _ORIGINAL],
)

# The cfg of a target with the attribute, so that it has one configuration, also below others.
_of_command_line = transition(
    implementation = lambda settings, _attr: _original(settings),
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
    implementation = lambda settings, _attr: _original(settings) | {_CC_TOOLCHAIN: False},
    inputs = [_FLAG, _ORIGINAL],
    outputs = [_CC_TOOLCHAIN, _FLAG, _ORIGINAL],
)

def _sycl_toolchain_of_flag_impl(ctx):
    return [ctx.toolchains[SYCL_TOOLCHAIN_TYPE]]

# A toolchain of the rule itself would be resolved by the flag, and the compiler that the flag
# chooses would be fetched as well.
sycl_toolchain_of_flag = rule(
    implementation = _sycl_toolchain_of_flag_impl,
    doc = "The SYCL toolchain as a dependency.",
    # So that it is one for the same machine as the actions of those who depend on it.
    toolchains = use_sycl_toolchain() + use_cc_toolchain(mandatory = False),
)

def device_rules(attrs, toolchains = [], **kwargs):
    """Makes a rule whose targets may choose a device compiler.

    Args:
        attrs: attributes, with DEVICE_COMPILER_ATTRS.
        toolchains: toolchains besides that of SYCL.
        **kwargs: other arguments of `rule`.
    Returns:
        the rule for targets without the attribute, and the one for those with it.
    """
    chosen = {
        "_sycl_toolchain": attr.label(
            cfg = device_compiler_transition,
            default = "//rules/private:sycl_toolchain_of_flag",
            providers = [platform_common.ToolchainInfo],
        ),
    }
    return (
        rule(attrs = attrs, toolchains = use_sycl_toolchain() + toolchains, **kwargs),
        rule(attrs = attrs | chosen, cfg = _of_command_line, toolchains = toolchains, **kwargs),
    )

def declare_device_target(rules, attributes):
    """Declares a target.

    Args:
        rules: what device_rules returned.
        attributes: dict of its attributes.
    """
    rules[1 if attributes.get("device_compiler") else 0](**attributes)
