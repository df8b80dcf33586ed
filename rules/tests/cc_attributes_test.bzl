"""Compares the attributes of sycl_cc_* with Bazel's own cc_*.

native.existing_rule does not list label attributes without a value, such as win_def_file.
"""

load("@bazel_skylib//lib:unittest.bzl", "asserts", "unittest")
load("@rules_cc//cc:cc_binary.bzl", "cc_binary")
load("@rules_cc//cc:cc_library.bzl", "cc_library")
load("@rules_cc//cc:cc_test.bzl", "cc_test")
load("//rules:sycl_cc_binary.bzl", "sycl_cc_binary", "unknown_attribute")
load("//rules:sycl_cc_library.bzl", "sycl_cc_library")
load("//rules:sycl_cc_test.bzl", "sycl_cc_test")
load("//rules/private/targets:names.bzl", "PROGRAM_SUFFIX")

# Attributes that have no effect in Bazel 7.7.
_WITHOUT_EFFECT = ["hdrs_check", "licenses"]

# Attributes that the macro sycl_cc_binary passes to cc_binary.
_OF_LINK = ["linkstatic"]

def _same_impl(ctx):
    env = unittest.begin(ctx)
    asserts.equals(env, [], ctx.attr.missing, "attributes without an effect")
    asserts.equals(env, [], ctx.attr.stale, "exceptions that Bazel's rule does not need")
    return unittest.end(env)

_same_test = unittest.make(_same_impl, attrs = {"missing": attr.string_list(), "stale": attr.string_list()})

def _compare(name, theirs, ours, exceptions):
    missing = [a for a in theirs if a not in ours]
    _same_test(
        name = name,
        missing = sorted([a for a in missing if a not in exceptions]),
        stale = sorted([a for a in exceptions if a not in missing]),
    )

def cc_attributes_test_suite(name):
    """Declares all tests of this file.

    Args:
        name: name of the suite.
    """
    manual = {"tags": ["manual"]}
    cc_library(name = "same_attributes_cc_library", **manual)
    cc_binary(name = "same_attributes_cc_binary", **manual)
    cc_test(name = "same_attributes_cc_test", **manual)
    sycl_cc_library(name = "same_attributes_library", **manual)
    sycl_cc_binary(name = "same_attributes_binary", srcs = ["a.cpp"], **manual)
    sycl_cc_test(name = "same_attributes_program_test", srcs = ["a.cpp"], **manual)
    rules = {each: native.existing_rule(each) for each in [
        "same_attributes_cc_library",
        "same_attributes_cc_binary",
        "same_attributes_cc_test",
        "same_attributes_library",
        "same_attributes_binary" + PROGRAM_SUFFIX,
        "same_attributes_program_test",
    ]}
    attributes = {each: rule.keys() for each, rule in rules.items()}
    _compare("same_attributes_library_test", attributes["same_attributes_cc_library"], attributes["same_attributes_library"], _WITHOUT_EFFECT)

    # The macro passes link attributes to a cc_binary.
    compiles = [a for a in attributes["same_attributes_cc_binary"] if a in attributes["same_attributes_cc_library"]]
    _compare("same_attributes_binary_test", compiles, attributes["same_attributes_binary" + PROGRAM_SUFFIX], _WITHOUT_EFFECT + _OF_LINK)

    # The macro passes test attributes to a sycl_test, and all others to a sycl_cc_binary.
    of_test = [a for a in attributes["same_attributes_cc_test"] if a not in attributes["same_attributes_cc_binary"]]
    _compare("same_attributes_test_test", of_test, attributes["same_attributes_program_test"], [])

    # Bazel's errors contain the name of the rule.
    names = {
        "same_attributes_binary" + PROGRAM_SUFFIX: "sycl_cc_binary",
        "same_attributes_library": "sycl_cc_library",
        "same_attributes_program_test": "sycl_cc_test",
    }
    _same_test(name = "same_names_test", missing = ["%s is a %s" % (each, rules[each]["kind"]) for each, want in names.items() if rules[each]["kind"] != want])

    # Attributes that the macro does not pass to any target are reported as unknown, with the name
    # that the user writes.
    theirs = [a for a in attributes["same_attributes_cc_binary"] if a not in ["deprecation", "generator_function", "generator_location", "generator_name", "kind", "name"]]
    _same_test(name = "same_unknown_test", missing = [p for p in [unknown_attribute("sycl_cc_binary", "a", [a]) for a in theirs] if p])
    misspelled = {
        unknown_attribute("sycl_cc_test", "a", [wrong], ["timeout"]): "sycl_cc_test(name = \"a\"): unknown attribute %r; did you mean %s?" % (wrong, near)
        for wrong, near in {"dats": "data", "lincopts": "linkopts", "timeouts": "timeout"}.items()
    }
    _same_test(name = "same_misspelled_test", missing = [message for message, want in misspelled.items() if message != want])
    native.test_suite(name = name, tests = ["same_attributes_binary_test", "same_attributes_library_test", "same_attributes_test_test", "same_misspelled_test", "same_names_test", "same_unknown_test"])
