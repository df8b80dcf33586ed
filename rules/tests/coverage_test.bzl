"""Analysis tests of the support for `bazel coverage`."""

load("@bazel_skylib//lib:unittest.bzl", "analysistest", "asserts")
load("//rules:sycl_binary.bzl", "sycl_binary")
load("//rules:sycl_cc_binary.bzl", "sycl_cc_binary")
load("//rules:sycl_cc_library.bzl", "sycl_cc_library")
load("//rules:sycl_library.bzl", "sycl_library")
load(":analysis.bzl", "COMPLETE", "DPCPP", "by_mnemonic")

def _coverage_impl(ctx):
    env = analysistest.begin(ctx)
    info = analysistest.target_under_test(env)[InstrumentedFilesInfo]
    asserts.equals(env, ctx.attr.sources, sorted([f.short_path.removeprefix("rules/tests/") for f in info.instrumented_files.to_list()]))
    notes = [f.short_path.removeprefix("rules/tests/") for f in info.metadata_files.to_list() if f.extension == "gcno"]
    asserts.equals(env, ctx.attr.notes, sorted(notes))
    return analysistest.end(env)

def _make_test(toolchain):
    return analysistest.make(
        _coverage_impl,
        attrs = {"notes": attr.string_list(), "sources": attr.string_list()},
        config_settings = {
            "//command_line_option:collect_code_coverage": True,
            "//command_line_option:extra_toolchains": toolchain,
            "//command_line_option:instrumentation_filter": "//rules/tests",
        },
    )

_clang_coverage_test = _make_test(COMPLETE)

_dpcpp_coverage_test = _make_test(DPCPP)

def _host_impl(ctx):
    env = analysistest.begin(ctx)
    compiles = {a.outputs.to_list()[0].basename: a for a in by_mnemonic(env)["CppCompile"]}
    covered = compiles["a.cpp.pic.o"]
    asserts.equals(env, ["a.cpp.pic.gcno", "a.cpp.pic.o"], sorted([f.basename for f in covered.outputs.to_list()]))
    for want in ["-std=c++17", "-DANSWER=42", "-DOWN=1", "-fhost-only", "-fPIC"]:
        asserts.true(env, want in covered.argv, "CppCompile lacks %s: %s" % (want, covered.argv))
    asserts.true(env, "/proc/self/cwd" == covered.env.get("PWD"), str(covered.env))
    return analysistest.end(env)

_host_test = analysistest.make(
    _host_impl,
    config_settings = {
        "//command_line_option:collect_code_coverage": True,
        "//command_line_option:extra_toolchains": DPCPP,
        "//command_line_option:instrumentation_filter": "//rules/tests",
    },
)

def _without_notes_impl(ctx):
    env = analysistest.begin(ctx)
    outputs = [f.basename for a in by_mnemonic(env)["CppCompile"] for f in a.outputs.to_list()]
    asserts.true(env, [f for f in outputs if f.startswith("a.") and f.endswith(".o")], "a.cpp is not compiled: %s" % outputs)
    asserts.equals(env, [], [f for f in outputs if f.endswith(".gcno")])
    asserts.equals(env, [], analysistest.target_under_test(env)[InstrumentedFilesInfo].metadata_files.to_list())
    return analysistest.end(env)

_without_notes_test = analysistest.make(
    _without_notes_impl,
    config_settings = {
        "//command_line_option:collect_code_coverage": True,
        "//command_line_option:extra_toolchains": DPCPP,
        "//command_line_option:instrumentation_filter": "//rules/tests",
    },
)

def coverage_test_suite(name):
    """Declares all tests of this file.

    Args:
        name: name of the suite.
    """
    manual = {"tags": ["manual"]}
    sycl_library(name = "covered_library", srcs = ["a.cpp"], hdrs = ["a.hpp"], **manual)
    sycl_binary(name = "covered_binary", srcs = ["b.cpp"], data = ["data.txt"], deps = [":covered_library"], **manual)
    sycl_cc_library(
        name = "covered_cc_library",
        srcs = ["a.cpp"],
        hdrs = ["a.hpp"],
        defines = ["ANSWER=42"],
        host_copts = ["-fhost-only"],
        local_defines = ["OWN=1"],
        **manual
    )
    sycl_cc_binary(name = "covered_program", srcs = ["c.cpp"], deps = [":covered_cc_library"], **manual)

    _clang_coverage_test(name = "coverage_library_test", sources = ["a.cpp", "a.hpp"], target_under_test = ":covered_library")
    _clang_coverage_test(name = "coverage_binary_test", sources = ["a.cpp", "a.hpp", "b.cpp"], target_under_test = ":covered_binary")
    _dpcpp_coverage_test(
        name = "coverage_cc_library_test",
        notes = ["covered_cc_library.host/0/rules/tests/a.cpp.pic.gcno"],
        sources = ["a.cpp", "a.hpp"],
        target_under_test = ":covered_cc_library",
    )
    _dpcpp_coverage_test(
        name = "coverage_program_test",
        notes = ["covered_cc_library.host/0/rules/tests/a.cpp.pic.gcno", "covered_program.program.host/0/rules/tests/c.cpp.pic.gcno"],
        sources = ["a.cpp", "a.hpp", "c.cpp"],
        target_under_test = ":covered_program",
    )

    # A C++ toolchain whose compiles write no notes.
    sycl_cc_library(name = "without_notes_library", srcs = ["a.cpp"], features = ["-coverage"], **manual)
    _without_notes_test(name = "coverage_without_notes_test", target_under_test = ":without_notes_library")
    _host_test(name = "coverage_host_test", target_under_test = ":covered_cc_library")
    native.test_suite(
        name = name,
        tests = [
            "coverage_binary_test",
            "coverage_cc_library_test",
            "coverage_host_test",
            "coverage_library_test",
            "coverage_program_test",
            "coverage_without_notes_test",
        ],
    )
