"""The go_sources rule."""

load("@rules_go//go:def.bzl", "GoInfo")

def _go_sources_impl(ctx):
    return [DefaultInfo(files = depset(ctx.attr.library[GoInfo].srcs))]

go_sources = rule(
    implementation = _go_sources_impl,
    doc = "The source files of a library, for tests that read them.",
    attrs = {"library": attr.label(mandatory = True, providers = [GoInfo])},
)
