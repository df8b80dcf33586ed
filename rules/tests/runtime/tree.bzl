"""A repository like the result of http_archive for an archive with DPC++."""

def _dpcpp_tree_impl(rctx):
    for dir in ["include", "lib"]:
        rctx.symlink(rctx.path(rctx.attr.of).dirname.get_child(dir), dir)
    rctx.symlink(rctx.attr.build_file, "BUILD.bazel")

dpcpp_tree = repository_rule(
    implementation = _dpcpp_tree_impl,
    doc = "The files of another repository with DPC++, and a BUILD file.",
    attrs = {
        "build_file": attr.label(),
        "of": attr.label(),
    },
)
