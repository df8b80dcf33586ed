"""Functions that give a rule access to the SYCL toolchain."""

load("//rules/private/targets:names.bzl", "user_label")

# The type of SYCL toolchains. Also the argument `toolchain` of actions.
SYCL_TOOLCHAIN_TYPE = Label("//rules/toolchain:toolchain_type")

def use_sycl_toolchain(mandatory = True):
    """Returns the argument `toolchains` of a rule that uses the SYCL toolchain.

    ```starlark
    load("@rules_sycl//rules:find_sycl_toolchain.bzl", "find_sycl_toolchain", "use_sycl_toolchain")

    def _my_rule_impl(ctx):
        sycl = find_sycl_toolchain(ctx)
        ...

    my_rule = rule(
        implementation = _my_rule_impl,
        toolchains = use_sycl_toolchain(),
    )
    ```

    Args:
        mandatory: Whether a target fails if no toolchain matches its platforms.

    Returns:
        A list, to which other toolchain types can be added.
    """
    return [config_common.toolchain_type(SYCL_TOOLCHAIN_TYPE, mandatory = mandatory)]

def find_sycl_toolchain(ctx):
    """Returns the SYCL toolchain of a rule that uses [use_sycl_toolchain](#use_sycl_toolchain).

    Load it from `@rules_sycl//rules:find_sycl_toolchain.bzl`. Each program of the toolchain
    may be missing. Its field `missing` is then the reason. Pass it to `fail`.

    Args:
        ctx: The rule context.

    Returns:
        [SyclToolchainInfo](#sycltoolchaininfo). None if no toolchain matches and `mandatory` is False.
    """
    chosen = getattr(ctx.attr, "_sycl_toolchain", None)  # set for targets with the attribute device_compiler
    resolved = chosen[0][platform_common.ToolchainInfo] if chosen else ctx.toolchains[SYCL_TOOLCHAIN_TYPE]
    if hasattr(resolved, "unknown"):
        fail("%s: %s" % (user_label(ctx), resolved.unknown))
    return resolved.sycl if resolved else None
