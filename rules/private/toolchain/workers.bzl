"""Whether actions can run in persistent workers."""

load("@bazel_skylib//rules:common_settings.bzl", "BuildSettingInfo")

workers = rule(
    implementation = lambda ctx: [BuildSettingInfo(value = ctx.attr.value)],
    doc = "Whether the actions of tools that cache their compilers' outputs can run in persistent workers.",
    attrs = {"value": attr.bool(mandatory = True)},
)
