"""The flags with targets, and what rules with the attribute sycl_targets make of them."""

load("@bazel_skylib//rules:common_settings.bzl", "BuildSettingInfo")
load(":resolve.bzl", "known_targets")

def _targets_flag_impl(ctx):
    names = ctx.build_setting_value
    if not names and not ctx.attr.may_be_empty:
        fail("--@rules_sycl%s: the flag has no target; name at least one, such as spir64" % _local(ctx.label))
    known_targets("--@rules_sycl" + _local(ctx.label), "the flag", names)
    return [BuildSettingInfo(value = names)]

def _local(label):
    return "//%s:%s" % (label.package, label.name)

sycl_targets_flag = rule(
    implementation = _targets_flag_impl,
    doc = "A flag whose value is a list of the names of targets, which are checked.",
    attrs = {
        "may_be_empty": attr.bool(),
        "scope": attr.string(doc = "Where the flag reaches, as flags of bazel_skylib have it. Bazel reads it."),
    },
    build_setting = config.string_list(flag = True),
)

SYCL_TARGETS_ATTRS = {
    "sycl_targets": attr.string_list(
        doc = "What to build device code for, as `-fsycl-targets=` takes it: `spir64` (SPIR-V, compiled when the program runs), `intel_gpu_*` and, for a `sycl_binary` in executable state that clang compiles, `nvidia_gpu_sm_*` and `amd_gpu_gfx*` ([gpus.md](gpus.md)). Without it, the flag `--@rules_sycl//rules/settings:sycl_targets` decides. Its default is `spir64`.",
    ),
    "_override_sycl_targets": attr.label(default = "//rules/settings:override_sycl_targets"),
    "_sycl_targets": attr.label(default = "//rules/settings:sycl_targets"),
}

def chosen_targets(ctx):
    """The names of the targets to build for.

    Args:
        ctx: the context of a rule with SYCL_TARGETS_ATTRS.
    Returns:
        list of string, which the rule has to check.
    """
    return (
        ctx.attr._override_sycl_targets[BuildSettingInfo].value or
        ctx.attr.sycl_targets or
        ctx.attr._sycl_targets[BuildSettingInfo].value
    )
