"""Analysis tests of targets in an external repository."""

load("@bazel_skylib//lib:unittest.bzl", "analysistest", "asserts")
load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")
load("//rules:sycl_binary.bzl", "sycl_binary")
load(":analysis.bzl", "COMPLETE", "by_mnemonic", "values_of")

_ROOT = Label("@rules_sycl_test_external").workspace_root

def _library_impl(ctx):
    env = analysistest.begin(ctx)
    compile = by_mnemonic(env)["SyclCompile"][0]
    bin = analysistest.target_bin_dir_path(env)
    asserts.equals(env, [_ROOT, "%s/%s" % (bin, _ROOT)], values_of(compile.argv, "-iquote"))
    asserts.equals(
        env,
        [root + "/pkg/include" for root in [_ROOT, "%s/%s" % (bin, _ROOT)]],
        values_of(compile.argv, "-isystem"),
    )
    asserts.equals(env, _ROOT + "/pkg/src/scale.cpp", compile.argv[-1])
    bitcode = compile.outputs.to_list()[0].path
    asserts.equals(env, "%s/%s/pkg/library.device/src/scale.cpp.bc" % (bin, _ROOT), bitcode)

    # Dependents also find the headers.
    context = analysistest.target_under_test(env)[CcInfo].compilation_context
    asserts.equals(env, [_ROOT, "%s/%s" % (bin, _ROOT)], context.quote_includes.to_list())
    return analysistest.end(env)

_library_test = analysistest.make(
    _library_impl,
    config_settings = {"//command_line_option:extra_toolchains": COMPLETE},
)

def _binary_impl(ctx):
    env = analysistest.begin(ctx)
    actions = by_mnemonic(env)
    asserts.true(env, _ROOT in values_of(actions["SyclCompile"][0].argv, "-iquote"), "the library's headers are not found: %s" % actions["SyclCompile"][0].argv)
    split = sorted([values_of(a.argv, "--source")[0] for a in actions["SyclPostLink"]])
    asserts.equals(env, ["../%s/pkg/src/scale.cpp" % _ROOT.removeprefix("external/"), "rules/tests/a.cpp"], split)
    return analysistest.end(env)

_binary_test = analysistest.make(
    _binary_impl,
    config_settings = {"//command_line_option:extra_toolchains": COMPLETE},
)

def _report_impl(ctx):
    env = analysistest.begin(ctx)
    label = "@@%s//pkg:report" % Label("@rules_sycl_test_external").repo_name
    actions = by_mnemonic(env)

    # An argument that begins with @ would be the name of a parameter file.
    asserts.true(env, "--name=" + label in actions["SyclCompatReport"][0].argv, str(actions["SyclCompatReport"][0].argv))
    script = actions["FileWrite"][0].content
    asserts.true(env, "'bazel run %s --'" % label in script, script)
    return analysistest.end(env)

_report_test = analysistest.make(
    _report_impl,
    config_settings = {"//command_line_option:extra_toolchains": COMPLETE},
)

def external_test_suite(name):
    """Declares all tests of this file.

    Args:
        name: name of the suite.
    """
    sycl_binary(
        name = "binary_with_external",
        srcs = ["a.cpp"],
        tags = ["manual"],
        deps = ["@rules_sycl_test_external//pkg:library"],
    )
    _library_test(name = "external_library_test", target_under_test = "@rules_sycl_test_external//pkg:library")
    _binary_test(name = "external_binary_test", target_under_test = ":binary_with_external")
    _report_test(name = "external_report_test", target_under_test = "@rules_sycl_test_external//pkg:report")
    native.test_suite(
        name = name,
        tests = [
            "external_binary_test",
            "external_library_test",
            "external_report_test",
        ],
    )
