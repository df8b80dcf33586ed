"""Tests of names that the rules make or compare."""

load("@bazel_skylib//lib:unittest.bzl", "asserts", "unittest")
load("//rules/private:names.bzl", "nearest_names")
load("//rules/private:targets.bzl", "TARGETS")
load("//rules/private/actions:compile.bzl", "unique_prefix")

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

_nearest_names_test = unittest.make(_nearest_names_impl)

_unique_prefix_test = unittest.make(_unique_prefix_impl)

def names_test_suite(name):
    unittest.suite(name, _nearest_names_test, _unique_prefix_test)
