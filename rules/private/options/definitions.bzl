"""Compares the definitions of a target with the definitions of its dependencies."""

load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")
load("//rules/private/targets:names.bzl", "shown", "user_label")
load(":device_options.bzl", "read_line")
load(":flags.bzl", "shared_options")
load(":options.bzl", "expanded_defines", "expanded_options")

def check_definitions(ctx):
    """Fails if a target and a dependency, or two dependencies, define a macro differently.

    Compilers would only warn, and use the last definition for all headers.

    Args:
        ctx: the context of a rule with SOURCE_ATTRS and copts.
    """
    found = {}  # macro -> (value, text, where)
    for dep in ctx.attr.deps + getattr(ctx.attr, "implementation_deps", []):
        if CcInfo in dep:
            _add(ctx, found, dep[CcInfo].compilation_context.defines.to_list(), "defines of " + shown(dep.label))
    for attribute in ["defines", "local_defines"]:
        _add(ctx, found, expanded_defines(ctx, attribute), attribute)
    for attribute in ["copts", "cxxopts"]:
        if hasattr(ctx.attr, attribute):
            for option in read_line(shared_options(expanded_options(ctx, attribute))):
                if option.name == "-U":
                    # A definition that follows is meant to replace this one.
                    found.pop(option.value, None)
                elif option.name == "-D":
                    _add(ctx, found, [option.value], attribute)

def _add(ctx, found, definitions, where):
    for text in definitions:
        name, equals, value = text.partition("=")
        value = value if equals else "1"
        other = found.setdefault(name, (value, text, where))
        if other[0] != value:
            fail("%s: %s: '%s' contradicts '%s' in %s; define %s once, or give both the same value" % (user_label(ctx), where, text, other[1], other[2], name))
