"""Whether actions can run in persistent workers."""

load("@bazel_skylib//rules:common_settings.bzl", "BuildSettingInfo")

workers = rule(
    implementation = lambda ctx: [BuildSettingInfo(value = ctx.attr.value)],
    doc = "Whether the actions of tools that keep what their compilers made can run in persistent workers.",
    attrs = {"value": attr.bool(mandatory = True)},
)
