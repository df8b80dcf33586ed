"""Analysis tests of sycl_compat_aspect without other rules, as applied by `--aspects` on a command line."""

load("@bazel_skylib//lib:unittest.bzl", "analysistest", "asserts")
load("@rules_cc//cc:cc_binary.bzl", "cc_binary")
load("@rules_cc//cc:cc_library.bzl", "cc_library")
load("//rules:providers.bzl", "SyclCompatSetInfo")
load("//rules:sycl_binary.bzl", "sycl_binary")
load("//rules:sycl_cc_library.bzl", "sycl_cc_library")
load("//rules:sycl_compat_aspect.bzl", "sycl_compat_aspect")
load(":analysis.bzl", "COMPLETE", "DPCPP")

_SeenInfo = provider(doc = "What the aspect adds to a target.", fields = ["binaries", "group", "reports"])

def _seen_impl(ctx):
    info = ctx.attr.target[SyclCompatSetInfo]
    return [_SeenInfo(
        binaries = {b.file.basename: b.embedded for b in info.binaries.to_list()},
        group = ctx.attr.target[OutputGroupInfo].sycl_compat.to_list(),
        reports = info.reports.to_list(),
    )]

_seen = rule(
    implementation = _seen_impl,
    attrs = {"target": attr.label(aspects = [sycl_compat_aspect])},
)

def _aspect_impl(ctx):
    env = analysistest.begin(ctx)
    seen = analysistest.target_under_test(env)[_SeenInfo]
    asserts.equals(env, sorted(ctx.attr.loaded), sorted([name for name, embedded in seen.binaries.items() if not embedded]))
    asserts.equals(env, sorted(ctx.attr.embedded), sorted([name for name, embedded in seen.binaries.items() if embedded]))
    asserts.equals(env, sorted(ctx.attr.reports), sorted([f.basename for f in seen.reports]))
    asserts.equals(env, seen.reports, seen.group, "the output group has other files")
    return analysistest.end(env)

def _make(toolchain):
    return analysistest.make(
        _aspect_impl,
        attrs = {name: attr.string_list() for name in ["embedded", "loaded", "reports"]},
        config_settings = {"//command_line_option:extra_toolchains": toolchain},
    )

_clang_test = _make(COMPLETE)
_dpcpp_test = _make(DPCPP)

def aspect_test_suite(name):
    """Declares all tests of this file.

    Args:
        name: name of the suite.
    """
    manual = {"tags": ["manual"]}
    sycl_binary(name = "aspect_kernels", srcs = ["a.cpp"], **manual)
    sycl_cc_library(name = "aspect_sycl", srcs = ["a.cpp"], **manual)
    cc_library(name = "aspect_loads", srcs = ["b.cpp"], data = [":aspect_kernels"], **manual)
    cc_library(name = "aspect_links", srcs = ["b.cpp"], deps = [":aspect_sycl"], **manual)
    cc_library(name = "aspect_plain", srcs = ["b.cpp"], **manual)

    # A program that the build runs, and a SYCLBIN that is in the data of a different SYCLBIN.
    native.genrule(name = "aspect_generate", outs = ["aspect_generated.txt"], cmd = "touch $@", tools = [":aspect_loads_program"], **manual)
    cc_library(name = "aspect_built", srcs = ["b.cpp"], data = [":aspect_generate"], **manual)
    sycl_binary(name = "aspect_more_kernels", srcs = ["b.cpp"], data = [":aspect_kernels"], **manual)
    cc_library(name = "aspect_loads_both", srcs = ["b.cpp"], data = [":aspect_more_kernels"], **manual)
    tests = []
    for case, test, libraries, expected in [
        ("loads", _clang_test, ["loads", "plain"], {"loaded": ["aspect_kernels.syclbin"], "reports": ["aspect_kernels.binary.compat.json"]}),
        ("links", _dpcpp_test, ["links", "plain"], {"embedded": ["aspect_sycl.syclbin"], "reports": ["aspect_sycl.program.compat.json"]}),
        ("loads_both", _clang_test, ["loads_both"], {
            "loaded": ["aspect_kernels.syclbin", "aspect_more_kernels.syclbin"],
            "reports": ["aspect_kernels.binary.compat.json", "aspect_more_kernels.binary.compat.json"],
        }),
        ("built", _clang_test, ["built"], {}),
        ("none", _clang_test, ["plain"], {}),
    ]:
        cc_binary(name = "aspect_%s_program" % case, srcs = ["c.cpp"], deps = [":aspect_" + library for library in libraries], **manual)
        _seen(name = "aspect_%s_seen" % case, target = ":aspect_%s_program" % case, **manual)
        tests.append("aspect_%s_test" % case)
        test(name = tests[-1], target_under_test = ":aspect_%s_seen" % case, **expected)
    native.test_suite(name = name, tests = tests)
