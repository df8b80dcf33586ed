"""Tests of what is skipped on machines without device compilers."""

load("@bazel_skylib//lib:unittest.bzl", "analysistest", "asserts", "unittest")
load("//rules:requires_sycl.bzl", "requires_sycl")
load("//rules:sycl_binary.bzl", "sycl_binary")
load("//rules:sycl_library.bzl", "sycl_library")
load("//rules:syclbin_import.bzl", "syclbin_import")
load("//rules:syclbin_link.bzl", "syclbin_link")
load("//rules:toolchain.bzl", "sycl_toolchain")
load("//rules/private:reason.bzl", "reason_name")
load(":analysis.bzl", "COMPLETE")

def _state_impl(ctx):
    env = analysistest.begin(ctx)
    target = analysistest.target_under_test(env)
    asserts.equals(env, ctx.attr.state, target[config_common.FeatureFlagInfo].value)
    return analysistest.end(env)

def _state_test(toolchain):
    return analysistest.make(
        _state_impl,
        attrs = {"state": attr.string()},
        config_settings = {"//command_line_option:extra_toolchains": toolchain},
    )

_present_test = _state_test(COMPLETE)
_missing_test = _state_test("//rules/tests:no_compiler_toolchain")

_RequirementInfo = provider(doc = "What the target requires.", fields = {"label": "Label of its requirement, or None."})

def _requirement_impl(_target, ctx):
    found = getattr(ctx.rule.attr, "_requires_sycl", None)
    return [_RequirementInfo(label = found.label if found else None)]

_requirement = aspect(implementation = _requirement_impl)

# Bazel skips the test of a skipped target. So this looks at what the target depends on.
def _requires_impl(ctx):
    env = analysistest.begin(ctx)
    label = analysistest.target_under_test(env)[_RequirementInfo].label
    asserts.equals(env, Label("//rules/private:requires_sycl") if ctx.attr.required else None, label)
    return analysistest.end(env)

_requires_test = analysistest.make(
    _requires_impl,
    attrs = {"required": attr.bool()},
    config_settings = {"//command_line_option:extra_toolchains": COMPLETE},
    extra_target_under_test_aspects = [_requirement],
)

def _reason_impl(ctx):
    env = unittest.begin(ctx)
    for text, name in {
        "/opt//x/../y/.": "opt/x/_/y/_",
        "clang++ is missing: no bin/clang++ in /usr/lib/llvm-21 (Debian's llvm-21)": "clang++ is missing, no bin/clang++ in /usr/lib/llvm-21 (Debian's llvm-21)",
        "two\nlines ": "two lines",
        "back\\slash": "back_slash",
    }.items():
        asserts.equals(env, name, reason_name(text))
    return unittest.end(env)

_reason_test = unittest.make(_reason_impl)

def requires_sycl_test_suite(name):
    """All tests of this file.

    Args:
        name: name of the suite.
    """
    manual = {"tags": ["manual"]}
    sycl_toolchain(
        name = "no_compiler_toolchain_impl",
        missing = {"clang": "not in PATH"},
        **manual
    )
    native.toolchain(
        name = "no_compiler_toolchain",
        toolchain = "no_compiler_toolchain_impl",
        toolchain_type = "//rules/toolchain:toolchain_type",
    )
    state = "//rules/toolchain:device_compiler"
    _present_test(name = "device_compiler_present_test", state = "present", target_under_test = state)
    _missing_test(name = "device_compiler_missing_test", state = "missing", target_under_test = state)

    native.filegroup(name = "measure_kernels", target_compatible_with = requires_sycl(), **manual)
    sycl_library(name = "requiring_library", srcs = ["a.cpp"], **manual)
    sycl_binary(name = "requiring_binary", srcs = ["a.cpp"], **manual)
    syclbin_import(name = "first_import", src = "first.syclbin", **manual)
    syclbin_import(name = "second_import", src = "second.syclbin", **manual)
    imports = ["first_import", "second_import"]
    syclbin_link(name = "requiring_link", mode = "ir", deps = imports, **manual)
    syclbin_link(name = "combining_link", deps = imports, **manual)
    tests = ["device_compiler_present_test", "device_compiler_missing_test"]
    for target, required in {
        "combining_link": False,
        "first_import": False,
        "requiring_binary": True,
        "requiring_library": True,
        "requiring_link": True,
    }.items():
        _requires_test(name = target + "_test", required = required, target_under_test = target)
        tests.append(target + "_test")
    unittest.suite(name + "_names", _reason_test)
    native.test_suite(name = name, tests = tests + [name + "_names"])
