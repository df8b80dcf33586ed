"""What the flags with targets and the attribute sycl_targets come to."""

load("@bazel_skylib//rules:common_settings.bzl", "BuildSettingInfo")
load(":resolve.bzl", "known_targets")

def chosen_targets(ctx, own = None):
    """The names of the targets to build for.

    Args:
        ctx: the context of a rule with IMAGE_ATTRS.
        own: those that the rule itself asks for; None for those of the attribute.
    Returns:
        list of string, all of them known.
    """
    if getattr(ctx.attr, "targets", []):
        fail("%s: targets: the attribute is sycl_targets: write sycl_targets = %s" % (ctx.label, ctx.attr.targets))
    override = ctx.attr._override_sycl_targets
    if override[BuildSettingInfo].value:
        return _of_flag(override)
    own = ctx.attr.sycl_targets if own == None else own
    known_targets(ctx.label, "sycl_targets", own)
    return own or _of_flag(ctx.attr._sycl_targets)

def _of_flag(target):
    names = target[BuildSettingInfo].value
    flag = "--@rules_sycl//%s:%s" % (target.label.package, target.label.name)
    if not names:
        fail("%s: the flag has no target; name at least one, such as spir64" % flag)
    known_targets(flag, "the flag", names)
    return names
