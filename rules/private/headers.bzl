"""Where the sources of a target find headers."""

load("@bazel_skylib//lib:paths.bzl", "paths")
load("@rules_cc//cc/common:cc_common.bzl", "cc_common")
load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")

def compilation_context(ctx):
    """The headers and include folders of a rule with COMPILE_ATTRS.

    They are those of a `cc_library` with the same attributes.

    Args:
        ctx: the rule context.
    Returns:
        The C++ compilation context.
    """
    roots = _roots(ctx)
    return cc_common.merge_compilation_contexts(compilation_contexts = [
        cc_common.create_compilation_context(
            headers = depset(ctx.files.hdrs),
            quote_includes = depset(roots),
            includes = depset([
                paths.normalize(paths.join(root, folder))
                for folder in [_folder(ctx, include) for include in ctx.attr.includes]
                for root in roots
            ]),
        ),
    ] + [dep[CcInfo].compilation_context for dep in ctx.attr.deps if CcInfo in dep])

def _roots(ctx):
    """The folders with the sources and the outputs of the rule's repository."""
    repository = ctx.label.workspace_root
    roots = [repository or "."]
    for outputs in [ctx.bin_dir.path, ctx.genfiles_dir.path]:
        # With the layout of sibling repositories, each repository has its own folder of outputs.
        roots.append(outputs if repository.startswith("../") else paths.join(outputs, repository))
    return {root.removesuffix("/"): None for root in roots}.keys()

def _folder(ctx, include):
    """An entry of `includes` as a path below the root of its repository."""
    folder = paths.normalize(paths.join(ctx.label.package, include))
    if paths.is_absolute(include) or folder == ".." or folder.startswith("../"):
        fail("%s: includes: '%s' is not a folder of the repository; give a path relative to the package" % (ctx.label, include))
    return folder
