"""Rules that report whether the SYCL toolchain provides what targets need, for select."""

load("@bazel_skylib//rules:common_settings.bzl", "BuildSettingInfo")
load("@rules_cc//cc:find_cc_toolchain.bzl", "find_cc_toolchain", "use_cc_toolchain")
load("@rules_cc//cc/common:cc_common.bzl", "cc_common")
load("//rules:find_sycl_toolchain.bzl", "SYCL_TOOLCHAIN_TYPE", "use_sycl_toolchain")
load("//rules/private/targets:resolve.bzl", "needs_ocloc")
load(":device_compiler.bzl", "device_compiler_transition")

def _toolchain(ctx):
    """Returns the SyclToolchainInfo or None. A target with an unknown compiler fails and is not skipped."""
    resolved = ctx.toolchains[SYCL_TOOLCHAIN_TYPE]
    return resolved.sycl if resolved else None

def _device_compiler_state_impl(ctx):
    toolchain = _toolchain(ctx)
    enabled = toolchain and not toolchain.missing
    return [config_common.FeatureFlagInfo(value = "present" if enabled else "missing")]

device_compiler_state = rule(
    implementation = _device_compiler_state_impl,
    doc = "Has the value `present` or `missing`, which config_settings match.",
    toolchains = use_sycl_toolchain(mandatory = False),
)

def _cc_toolchain_state_impl(ctx):
    cc_toolchain = find_cc_toolchain(ctx, mandatory = False)
    knows = cc_toolchain and cc_common.is_enabled(
        feature_configuration = cc_common.configure_features(
            ctx = ctx,
            cc_toolchain = cc_toolchain,
            requested_features = ["sycl"],
        ),
        feature_name = "sycl",
    )
    return [config_common.FeatureFlagInfo(value = "present" if knows else "missing")]

cc_toolchain_state = rule(
    implementation = _cc_toolchain_state_impl,
    doc = "Has the value `present` if the C++ toolchain has a feature `sycl`, else `missing`. config_settings match it.",
    fragments = ["cpp"],
    toolchains = use_cc_toolchain(mandatory = False),
)

def _ocloc_state_impl(ctx):
    toolchain = _toolchain(ctx)
    names = ctx.attr._override_sycl_targets[BuildSettingInfo].value
    if not names:
        names = ctx.attr.sycl_targets or (ctx.attr._sycl_targets[BuildSettingInfo].value if ctx.attr.by_flag else [])

    # Without a device compiler, targets are skipped for that reason.
    lacks = toolchain and not toolchain.missing and toolchain.ocloc.missing
    return [config_common.FeatureFlagInfo(value = "missing" if lacks and needs_ocloc(names) else "present")]

ocloc_state = rule(
    implementation = _ocloc_state_impl,
    doc = "Has the value `missing` if targets need ocloc and the toolchain does not have it, else `present`.",
    attrs = {
        "by_flag": attr.bool(doc = "Whether the flag determines what the targets build for."),
        "sycl_targets": attr.string_list(doc = "What the targets build for."),
        "_override_sycl_targets": attr.label(default = "//rules/settings:override_sycl_targets"),
        "_sycl_targets": attr.label(default = "//rules/settings:sycl_targets"),
    },
    toolchains = use_sycl_toolchain(mandatory = False),
)

def requires_ocloc(sycl_targets):
    """Returns the label that makes Bazel skip a target if it needs ocloc and ocloc is missing.

    Args:
        sycl_targets: the attribute of the target.
    Returns:
        Label.
    """
    if not sycl_targets:
        return Label("//rules/private:requires_ocloc_for_the_flag")
    if needs_ocloc(sycl_targets):
        return Label("//rules/private:requires_ocloc_for_intel_gpus")
    return Label("//rules/private:requires_ocloc_for_others")

# For rules that compile SYCL. Bazel also skips the dependents of a skipped target.
REQUIRES_SYCL_ATTRS = {
    "_requires_sycl": attr.label(cfg = device_compiler_transition, default = "//rules/private:requires_sycl"),
}
