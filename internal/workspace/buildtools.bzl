"""The packages of github.com/bazelbuild/buildtools that read and write BUILD files."""

_PACKAGES = {
    "build": ["labels", "tables"],
    "labels": [],
    "tables": [],
}

def _buildtools_impl(rctx):
    module = rctx.path(rctx.attr.go_mod).dirname
    for package, deps in _PACKAGES.items():
        sources = [f for f in module.get_child(package).readdir() if f.basename.endswith(".go") and not f.basename.endswith("_test.go")]
        for source in sources:
            rctx.symlink(source, package + "/" + source.basename)
        rctx.file(package + "/BUILD.bazel", """\
load("@rules_go//go:def.bzl", "go_library")

go_library(
    name = "{name}",
    srcs = glob(["*.go"]),
    importpath = "github.com/bazelbuild/buildtools/{name}",
    visibility = ["//visibility:public"],
    deps = {deps},
)
""".format(name = package, deps = ["//" + dep for dep in deps]))

buildtools = repository_rule(
    implementation = _buildtools_impl,
    doc = """Go packages of buildtools, without its own BUILD files.

buildtools' BUILD files generate the parser with goyacc, which would fetch and build golang.org/x/tools in every
workspace that builds the tools. The module also contains the generated parser.
""",
    attrs = {"go_mod": attr.label(doc = "`go.mod` of the module, as Gazelle fetched it.", mandatory = True)},
)
