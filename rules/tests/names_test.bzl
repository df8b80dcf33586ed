"""Tests of names that the rules generate or compare."""

load("@bazel_skylib//lib:unittest.bzl", "asserts", "unittest")
load("//rules/private/actions:compile.bzl", "unique_prefix")
load("//rules/private/generated:targets.bzl", "TARGETS")
load("//rules/private/targets:names.bzl", "is_own_target", "is_sha256", "nearest_names", "shown")
load("//rules/private/targets:resolve.bzl", "nearest_targets")
load("//rules/private/toolchain:go_sdk.bzl", "is_too_old")

def _nearest_names_impl(ctx):
    env = unittest.begin(ctx)
    known = ["spir64", "intel_gpu_pvc", "intel_gpu_pvc_vg", "intel_gpu_dg1"]
    asserts.equals(env, "intel_gpu_pvc", nearest_names("intel_gpu_pcv", known)[0])
    asserts.equals(env, "spir64", nearest_names("spirv64", known)[0])
    asserts.equals(env, ["intel_gpu_dg1"], nearest_names("intel_gpu_dg1", known, count = 1))
    asserts.equals(env, [], nearest_names("zzz", known))
    asserts.equals(env, [], nearest_names("", []))
    asserts.equals(env, "intel_gpu_acm_g10", nearest_names("intel_gpu_acm-g10", TARGETS.keys())[0])
    return unittest.end(env)

def _nearest_targets_impl(ctx):
    """The command-line tools suggest the same targets, see TestNearestWithoutFamily in sycl/deviceconfig."""
    env = unittest.begin(ctx)
    for name, want in {
        "PVC": ["intel_gpu_pvc"],
        "acm-g10": ["intel_gpu_acm_g10"],
        "gfx90a": ["amd_gpu_gfx90a"],
        "intel_gpu_acm-g10": ["intel_gpu_acm_g10"],
        "intel_gpu_nope": [],
        "intel_gpu_pcv": ["intel_gpu_pvc"],
        "nothing": [],
        "nvidia_gpu_sm80": ["nvidia_gpu_sm_80"],
        "pvc": ["intel_gpu_pvc"],
        "sm_80": ["nvidia_gpu_sm_80"],
        "spir_64": ["spir64"],
        "spr": ["intel_cpu_spr"],
    }.items():
        asserts.equals(env, want, nearest_targets(name)[:1], name)
        asserts.true(env, len(nearest_targets(name)) <= 3, name)
    return unittest.end(env)

def _unique_prefix_impl(ctx):
    env = unittest.begin(ctx)
    prefixes = {
        unique_prefix(Label("//rules/tests:" + name), path): None
        for name in ["one", "two"]
        for path in ["rules/tests/a.cpp", "rules/tests/b.cpp"]
    }
    asserts.equals(env, 4, len(prefixes))
    for prefix in prefixes:
        asserts.equals(env, len("uid") + 16, len(prefix))
    return unittest.end(env)

def _shown_impl(ctx):
    env = unittest.begin(ctx)
    asserts.equals(env, "//rules/tests:one", shown(Label("//rules/tests:one")))
    asserts.equals(env, "//:one", shown(Label("//:one")))

    # Without @@, commands would not accept the label.
    other = Label("@rules_sycl_test_external//pkg:library")
    asserts.equals(env, "@@%s//pkg:library" % other.repo_name, shown(other))
    return unittest.end(env)

def _checks_impl(ctx):
    env = unittest.begin(ctx)
    for name in ["compiler", "headers", "missing_setting", "sycl", "toolchain"]:
        asserts.true(env, is_own_target(name), name)
    for name in ["runtime", "sycl_runtime", "dpcpp", "installed"]:
        asserts.false(env, is_own_target(name), name)
    asserts.true(env, is_sha256("0aF" + "1" * 61))
    for text in ["", "0" * 63, "0" * 65, "g" * 64, " " * 64]:
        asserts.false(env, is_sha256(text), text)
    for version in ["1.22.12", "1.25rc1", "1.9"]:
        asserts.true(env, is_too_old(version), version)
    for version in ["1.26.0", "1.26rc1", "1.126", "2.0", ""]:
        asserts.false(env, is_too_old(version), version)
    return unittest.end(env)

_checks_test = unittest.make(_checks_impl)

_nearest_names_test = unittest.make(_nearest_names_impl)

_nearest_targets_test = unittest.make(_nearest_targets_impl)

_shown_test = unittest.make(_shown_impl)

_unique_prefix_test = unittest.make(_unique_prefix_impl)

def names_test_suite(name):
    unittest.suite(name, _checks_test, _nearest_names_test, _nearest_targets_test, _shown_test, _unique_prefix_test)
