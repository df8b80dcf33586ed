"""Tests of the targets that are skipped on systems without device compilers."""

load("@bazel_skylib//lib:unittest.bzl", "analysistest", "asserts", "unittest")
load("//rules:sycl_binary.bzl", "sycl_binary")
load("//rules:sycl_cc_library.bzl", "sycl_cc_library")
load("//rules:sycl_library.bzl", "sycl_library")
load("//rules:syclbin_import.bzl", "syclbin_import")
load("//rules:syclbin_link.bzl", "syclbin_link")
load("//rules:toolchain.bzl", "sycl_toolchain")
load("//rules/private/toolchain:reason.bzl", "reason_name")
load(":analysis.bzl", "COMPLETE", "DPCPP", "NO_OCLOC")

def _state_impl(ctx):
    env = analysistest.begin(ctx)
    target = analysistest.target_under_test(env)
    asserts.equals(env, ctx.attr.state, target[config_common.FeatureFlagInfo].value)
    return analysistest.end(env)

def _state_test(toolchain, flags = {}):
    return analysistest.make(
        _state_impl,
        attrs = {"state": attr.string()},
        config_settings = {"//command_line_option:extra_toolchains": toolchain} | {
            str(Label("//rules/settings:" + name)): value
            for name, value in flags.items()
        },
    )

_present_test = _state_test(COMPLETE)
_missing_test = _state_test("//rules/tests:no_compiler_toolchain")
_ocloc_test = _state_test(NO_OCLOC)
_ocloc_flag_test = _state_test(NO_OCLOC, {"sycl_targets": ["spir64", "intel_gpu_dg2"]})
_ocloc_override_test = _state_test(NO_OCLOC, {"override_sycl_targets": ["spir64"]})
_ocloc_override_gpu_test = _state_test(NO_OCLOC, {"override_sycl_targets": ["intel_gpu_pvc"]})
_ocloc_complete_test = _state_test(COMPLETE, {"override_sycl_targets": ["intel_gpu_pvc"]})

_RequirementInfo = provider(doc = "What the target requires.", fields = {"labels": "list of Label."})

def _requirement_impl(_target, ctx):
    found = [getattr(ctx.rule.attr, name, None) or [] for name in ["_requires_sycl", "_requires_ocloc"]]
    return [_RequirementInfo(labels = [f.label for targets in found for f in targets])]

_requirement = aspect(implementation = _requirement_impl)

# Bazel would skip a test of a skipped target, so this rule checks the dependencies of the target.
def _requires_impl(ctx):
    env = analysistest.begin(ctx)
    labels = analysistest.target_under_test(env)[_RequirementInfo].labels
    asserts.equals(env, [Label("//rules/private:requires_" + name) for name in ctx.attr.required], labels)
    return analysistest.end(env)

_requires_test = analysistest.make(
    _requires_impl,
    attrs = {"required": attr.string_list()},
    config_settings = {"//command_line_option:extra_toolchains": COMPLETE},
    extra_target_under_test_aspects = [_requirement],
)

_program_requires_test = analysistest.make(
    _requires_impl,
    attrs = {"required": attr.string_list()},
    config_settings = {"//command_line_option:extra_toolchains": DPCPP},
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
    """Declares all tests of this file.

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

    sycl_library(name = "requiring_library", srcs = ["a.cpp"], **manual)
    sycl_binary(name = "requiring_binary", srcs = ["a.cpp"], **manual)
    syclbin_import(name = "first_import", src = "first.syclbin", **manual)
    syclbin_import(name = "second_import", src = "second.syclbin", **manual)
    imports = ["first_import", "second_import"]
    syclbin_link(name = "requiring_link", mode = "ir", deps = imports, **manual)
    syclbin_link(name = "combining_link", deps = imports, **manual)
    sycl_binary(name = "requiring_ocloc", srcs = ["a.cpp"], sycl_targets = ["spir64", "intel_gpu_dg2"], **manual)
    sycl_cc_library(name = "requiring_images", srcs = ["a.cpp"], sycl_targets = ["intel_gpu_dg2"], **manual)
    sycl_cc_library(name = "requiring_no_images", srcs = ["a.cpp"], rdc = True, sycl_targets = ["intel_gpu_dg2"], **manual)
    syclbin_link(name = "linking_for_gpu", mode = "ir", sycl_targets = ["intel_gpu_pvc"], deps = imports, **manual)
    tests = ["device_compiler_present_test", "device_compiler_missing_test"]
    for target, required in {
        "combining_link": [],
        "first_import": [],
        "linking_for_gpu": ["sycl", "ocloc_for_intel_gpus"],
        "requiring_binary": ["sycl", "ocloc_for_the_flag"],
        "requiring_images": ["sycl", "ocloc_for_intel_gpus"],
        "requiring_library": ["sycl"],
        "requiring_link": ["sycl", "ocloc_for_the_flag"],
        "requiring_no_images": ["sycl"],
        "requiring_ocloc": ["sycl", "ocloc_for_intel_gpus"],
    }.items():
        make = _program_requires_test if "images" in target else _requires_test
        make(name = target + "_test", required = required, target_under_test = target)
        tests.append(target + "_test")
    for test, make, what, state in [
        ("ocloc_for_gpu_test", _ocloc_test, "intel_gpus", "missing"),
        ("ocloc_for_spirv_test", _ocloc_test, "the_flag", "present"),
        ("ocloc_for_flag_test", _ocloc_flag_test, "the_flag", "missing"),
        ("ocloc_overridden_test", _ocloc_override_test, "intel_gpus", "present"),
        ("ocloc_for_override_test", _ocloc_override_gpu_test, "others", "missing"),
        ("ocloc_found_test", _ocloc_complete_test, "intel_gpus", "present"),
        # Here, the device compiler is missing.
        ("ocloc_without_compiler_test", _missing_test, "intel_gpus", "present"),
    ]:
        make(name = test, state = state, target_under_test = "//rules/private:ocloc_for_" + what)
        tests.append(test)
    unittest.suite(name + "_names", _reason_test)
    native.test_suite(name = name, tests = tests + [name + "_names"])
