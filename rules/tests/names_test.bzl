"""Tests of //rules/private:names.bzl."""

load("@bazel_skylib//lib:unittest.bzl", "asserts", "unittest")
load("//rules/private:names.bzl", "nearest_names")
load("//rules/private:targets.bzl", "TARGETS")

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

_nearest_names_test = unittest.make(_nearest_names_impl)

def names_test_suite(name):
    unittest.suite(name, _nearest_names_test)
