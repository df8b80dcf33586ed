"""Finds the device code that a program links, including through C++ libraries."""

load("//rules:providers.bzl", "SyclDeviceInfo")

LinkedCodeInfo = provider(
    doc = "The device code of dependencies that the program must link.",
    fields = {"sources": "depset of the structs of SyclDeviceInfo."},
)

def _linked_code_impl(target, ctx):
    if SyclDeviceInfo in target:
        return [LinkedCodeInfo(sources = target[SyclDeviceInfo].sources)]
    return [LinkedCodeInfo(sources = depset(transitive = [
        dep[LinkedCodeInfo].sources
        for attribute in ["deps", "implementation_deps"]
        for dep in getattr(ctx.rule.attr, attribute, None) or []
        if type(dep) == "Target" and LinkedCodeInfo in dep
    ]))]

linked_code = aspect(
    implementation = _linked_code_impl,
    doc = "Finds libraries with rdc = True, including through C++ libraries.",
    attr_aspects = ["deps", "implementation_deps"],
    provides = [LinkedCodeInfo],
)
