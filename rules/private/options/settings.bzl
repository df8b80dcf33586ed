"""Determines the targets from the flags and the attribute sycl_targets."""

load("@bazel_skylib//rules:common_settings.bzl", "BuildSettingInfo")
load("//rules/private/targets:names.bzl", "user_label")
load("//rules/private/targets:resolve.bzl", "known_targets")

def chosen_targets(ctx, own = None):
    """Returns the names of the targets to build for.

    Args:
        ctx: the context of a rule with IMAGE_ATTRS.
        own: the targets that the rule itself requests; None to use the attribute.
    Returns:
        list of known names.
    """
    if getattr(ctx.attr, "targets", []):
        fail("%s: targets: not supported; use sycl_targets = %s" % (user_label(ctx), ctx.attr.targets))
    override = ctx.attr._override_sycl_targets
    if override[BuildSettingInfo].value:
        return _of_flag(override)
    own = ctx.attr.sycl_targets if own == None else own
    known_targets(user_label(ctx), "sycl_targets", own)
    return own or _of_flag(ctx.attr._sycl_targets)

def _of_flag(target):
    names = target[BuildSettingInfo].value
    flag = "--@rules_sycl//%s:%s" % (target.label.package, target.label.name)
    if not names:
        fail("%s: the flag is empty; set at least one target, such as spir64" % flag)
    known_targets(flag, "", names)
    return names
