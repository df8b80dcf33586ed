"""The flags with targets, and what rules with the attribute sycl_targets make of them."""

load("@bazel_skylib//rules:common_settings.bzl", "BuildSettingInfo")
load(":device_compiler.bzl", "device_compiler_transition")
load(":enabled.bzl", "requires_ocloc")
load(":resolve.bzl", "known_targets")

SYCL_TARGETS_ATTRS = {
    "sycl_targets": attr.string_list(
        doc = "What to build device code for, as `-fsycl-targets=` takes it: `spir64` (SPIR-V, compiled when the program runs), `intel_gpu_*` and, for a `sycl_binary` in executable state that clang compiles, `nvidia_gpu_sm_*` and `amd_gpu_gfx*` ([gpus.md](gpus.md)). Without it, the flag `--@rules_sycl//rules/settings:sycl_targets` decides. Its default is `spir64`.",
    ),
    # Without it, Bazel asks who writes it whether tags is meant.
    "targets": attr.string_list(
        doc = "Refused: the attribute is `sycl_targets`.",
    ),
    "_override_sycl_targets": attr.label(default = "//rules/settings:override_sycl_targets"),
    "_requires_ocloc": attr.label(cfg = device_compiler_transition, default = requires_ocloc),
    "_sycl_targets": attr.label(default = "//rules/settings:sycl_targets"),
}

def chosen_targets(ctx, own = None):
    """The names of the targets to build for.

    Args:
        ctx: the context of a rule with SYCL_TARGETS_ATTRS.
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
