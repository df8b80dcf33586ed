"""The attribute device_compiler, which selects a target's device compiler.

A target with the attribute has its outputs at the usual path: it stays in the configuration
of the command line, and gets the toolchain of its compiler through a dependency. Only
its deps are in a configuration for that compiler.
"""

load("@rules_cc//cc:find_cc_toolchain.bzl", "use_cc_toolchain")
load("//rules:find_sycl_toolchain.bzl", "SYCL_TOOLCHAIN_TYPE", "use_sycl_toolchain")

_FLAG = "//rules/settings:device_compiler"

_CC_TOOLCHAIN = "//rules/settings:cc_toolchain"

# The value on the command line, below a target whose attribute has changed the flag.
_ORIGINAL = "//rules/settings:original_device_compiler"

def _original(settings):
    return {_FLAG: settings[_ORIGINAL] or settings[_FLAG], _ORIGINAL: ""}

def _chosen_impl(settings, attr):
    original = _original(settings)[_FLAG]

    # Without the attribute, or if it equals the current value, there is no second configuration.
    value = attr.device_compiler or settings[_FLAG]
    return {_FLAG: value, _ORIGINAL: "" if value == original else original}

# The cfg of attributes that depend on the target's device compiler: its deps, and the reasons why
# its toolchain is incomplete.
device_compiler_transition = transition(
    implementation = _chosen_impl,
    inputs = [_FLAG, _ORIGINAL],
    outputs = [_FLAG, _ORIGINAL],
)

# The cfg of a target with the attribute: it has one configuration, even below other targets.
_of_command_line = transition(
    implementation = lambda settings, _attr: _original(settings),
    inputs = [_FLAG, _ORIGINAL],
    outputs = [_FLAG, _ORIGINAL],
)

# The cfg of targets that do not depend on the flag. The flag is also part of the exec
# configuration: without this, tools would be built once for each value of the attribute.
# They get the value on the command line, not the default: Bazel names output directories by what
# differs from the command line, so the default would be an additional directory.
#
# A C++ toolchain that runs these targets cannot build them, so cc_toolchain is off for them.
without_device_compiler = transition(
    implementation = lambda settings, _attr: _original(settings) | {_CC_TOOLCHAIN: False},
    inputs = [_FLAG, _ORIGINAL],
    outputs = [_CC_TOOLCHAIN, _FLAG, _ORIGINAL],
)

def _sycl_toolchain_of_flag_impl(ctx):
    return [ctx.toolchains[SYCL_TOOLCHAIN_TYPE]]

# A toolchain of the rule itself would be resolved with the flag, and the compiler that the flag
# selects would be fetched, too.
sycl_toolchain_of_flag = rule(
    implementation = _sycl_toolchain_of_flag_impl,
    doc = "The SYCL toolchain as a dependency.",
    # The toolchain must be for the same execution platform as the actions of its dependents.
    toolchains = use_sycl_toolchain() + use_cc_toolchain(mandatory = False),
)

def device_rule(toolchains = [], **kwargs):
    """Returns a rule whose targets use the device compiler of the command line.

    Args:
        toolchains: toolchains other than SYCL's.
        **kwargs: other arguments of `rule`, with DEVICE_COMPILER_ATTRS among its attributes.
    Returns:
        the rule.
    """
    return rule(toolchains = use_sycl_toolchain() + toolchains, **kwargs)

def compiler_rule(attrs, toolchains = [], **kwargs):
    """Returns a rule whose targets have the attribute device_compiler.

    Args:
        attrs: attributes, with DEVICE_COMPILER_ATTRS.
        toolchains: toolchains other than SYCL's.
        **kwargs: other arguments of `rule`.
    Returns:
        the rule.
    """
    chosen = {
        "_sycl_toolchain": attr.label(
            cfg = device_compiler_transition,
            default = "//rules/private:sycl_toolchain_of_flag",
            providers = [platform_common.ToolchainInfo],
        ),
    }
    return rule(attrs = attrs | chosen, cfg = _of_command_line, toolchains = toolchains, **kwargs)

def declare_device_target(rules, attributes):
    """Declares a target.

    Args:
        rules: the results of device_rule and compiler_rule.
        attributes: dict of its attributes.
    """
    rules[1 if attributes.get("device_compiler") else 0](**attributes)
