"""A flag with options of a compiler."""

load("@bazel_skylib//rules:common_settings.bzl", "BuildSettingInfo")

def _options_flag_impl(ctx):
    return [BuildSettingInfo(value = ctx.build_setting_value)]

options_flag = rule(
    implementation = _options_flag_impl,
    doc = "A flag that may be repeated, and whose values can have commas, such as Bazel's `--copt`.",
    attrs = {
        "scope": attr.string(default = "universal"),
    },
    build_setting = config.string_list(flag = True, repeatable = True),
)
