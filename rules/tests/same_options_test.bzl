"""Analysis tests that the host compile and the device compile of a source get the same options."""

load("@bazel_skylib//lib:unittest.bzl", "analysistest", "asserts")
load("@rules_cc//cc:cc_library.bzl", "cc_library")
load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")
load("//rules:sycl_binary.bzl", "sycl_binary")
load("//rules:sycl_cc_binary.bzl", "sycl_cc_binary")
load("//rules:sycl_cc_library.bzl", "sycl_cc_library")
load(":analysis.bzl", "DPCPP", "by_mnemonic", "make_fails_test")

def _host_compile(env):
    """Returns the host compile of the first source, or None if the rule has none."""
    compiles = by_mnemonic(env).get("CppCompile", [])
    found = [c for c in compiles if [a for a in c.argv if ".host/0/" in a and not a.endswith((".o", ".d"))]]
    return found[0] if found else None

def _in_order(env, argv, words, name):
    """Fails unless a command line contains words in this order."""
    rest = argv
    for word in words:
        if word not in rest:
            asserts.true(env, False, "%s lacks %s, in the order of %s: %s" % (name, word, words, argv))
            return
        rest = rest[rest.index(word) + 1:]

def _same_impl(ctx):
    env = analysistest.begin(ctx)
    compiles = {"the device compile": by_mnemonic(env)["SyclCompile"][0], "the host compile": _host_compile(env)}
    for name, action in compiles.items():
        if action:
            _in_order(env, action.argv, ctx.attr.both, name)
    _in_order(env, compiles["the device compile"].argv, ctx.attr.device, "the device compile")
    for word in ctx.attr.device:
        host = compiles["the host compile"]
        asserts.false(env, host and word in host.argv, "the host compile has " + word)
    for word in ctx.attr.host:
        asserts.true(env, word in compiles["the host compile"].argv, "the host compile lacks " + word)
        asserts.false(env, word in compiles["the device compile"].argv, "the device compile has " + word)
    for word in ctx.attr.neither:
        for name, action in compiles.items():
            asserts.false(env, action and word in action.argv, "%s has %s" % (name, word))
    return analysistest.end(env)

def _make_same_test(settings = {}, **flags):
    return analysistest.make(
        _same_impl,
        attrs = {
            "both": attr.string_list(),
            "device": attr.string_list(),
            "host": attr.string_list(),
            "neither": attr.string_list(),
        },
        config_settings = {"//command_line_option:" + name: value for name, value in flags.items()} | settings | {
            "//command_line_option:extra_toolchains": DPCPP,
        },
    )

_plain_test = _make_same_test()
_copt_test = _make_same_test(copt = ["-DWIDE", "-D", "NARROW=1", "-fno-gnu-unique", "-include", "first.hpp"])
_cxxopt_test = _make_same_test(cxxopt = ["-std=c++20", "-UWIDE", "-Wall"])
_device_copts_test = _make_same_test({str(Label("//rules/settings:device_copts")): ["-DTILE=1,2", "-O1"]})
_opt_test = _make_same_test(compilation_mode = "opt", copt = ["-g"])

def _wrapper_impl(ctx):
    env = analysistest.begin(ctx)
    for action in by_mnemonic(env)["FileWrite"]:
        name = action.outputs.to_list()[0].short_path

        # Bazel writes parameter files in mapped actions, and no mapped action reads compile.args.
        if not name.endswith((".params", "/compile.args")):
            asserts.false(env, "bazel-out/" in (action.content or ""), "%s has a path of an output" % name)
    wrapper = [a for a in _host_compile(env).argv if ".host/0/" in a][0]
    asserts.true(env, wrapper.endswith(ctx.attr.source), "--per_file_copt does not match " + wrapper)
    text = [a.content for a in by_mnemonic(env)["FileWrite"] if a.outputs.to_list()[0].path == wrapper][0]
    base = "#define __BASE_FILE__ \"%s\"" % ctx.attr.base_file
    asserts.true(env, base in text, "no %s in %s" % (base, text))
    return analysistest.end(env)

_wrapper_test = analysistest.make(
    _wrapper_impl,
    attrs = {"base_file": attr.string(), "source": attr.string()},
    config_settings = {"//command_line_option:extra_toolchains": DPCPP},
)

def _context_impl(ctx):
    env = analysistest.begin(ctx)
    context = analysistest.target_under_test(env)[CcInfo].compilation_context
    asserts.equals(env, ["OWN=1"], context.local_defines.to_list())
    asserts.equals(env, ctx.attr.direct, sorted([f.basename for f in context.direct_headers]))
    asserts.true(env, "ABOVE=1" in context.defines.to_list(), "definitions of deps apply to dependents")
    return analysistest.end(env)

_context_test = analysistest.make(
    _context_impl,
    attrs = {"direct": attr.string_list()},
    config_settings = {"//command_line_option:extra_toolchains": DPCPP},
)

_fails_test = make_fails_test(DPCPP)
_old_toolchain_test = make_fails_test(DPCPP, flags = {"//command_line_option:cxxopt": ["-std=c++14"]})

# Attributes with definitions that contradict the ABOVE=1 of a dependency, and the end of the error.
_ABOVE = "'ABOVE=1' in defines of //rules/tests:same_above; define ABOVE once, or give both the same value"
_CONTRADICTIONS = {
    "copts": ({"copts": ["-DABOVE=2"]}, "copts: 'ABOVE=2' contradicts " + _ABOVE),
    "defines": ({"defines": ["ABOVE=2"]}, "defines: 'ABOVE=2' contradicts " + _ABOVE),
    "local_defines": ({"local_defines": ["ABOVE="]}, "local_defines: 'ABOVE=' contradicts " + _ABOVE),
}

def same_options_test_suite(name):
    """Declares all tests of this file.

    Args:
        name: name of the suite.
    """
    manual = {"tags": ["manual"]}
    sycl_cc_binary(name = "same_plain", srcs = ["a.cpp"], **manual)
    sycl_binary(name = "same_device_only", srcs = ["a.cpp"], **manual)
    sycl_cc_library(
        name = "same_copts",
        srcs = ["a.cpp"],
        copts = ["-D WIDE", "-std=c++20", "-march=haswell", "-Wduplicated-cond", "-fno-gnu-unique", "-fsanitize=address", "--coverage", "-fmacro-prefix-map=rules/=lost/", "-ffile-prefix-map=rules/tests/=there/"],
        cxxopts = ["-DCXX=1"],
        local_defines = ["OWN=1"],
        **manual
    )
    sycl_cc_library(name = "same_c", srcs = ["alone.c", "a.cpp"], conlyopts = ["-std=c11"], cxxopts = ["-DCXX=1"], **manual)
    native.genrule(name = "same_generate", outs = ["same_generated.cpp"], cmd = "touch $@", **manual)
    sycl_cc_library(name = "same_of_rule", srcs = ["same_generated.cpp"], **manual)
    cc_library(name = "same_above", hdrs = ["above.hpp"], defines = ["ABOVE=1"], **manual)
    sycl_cc_library(name = "same_context", srcs = ["a.cpp"], hdrs = ["a.hpp"], local_defines = ["OWN=1"], deps = [":same_above"], **manual)
    cc_library(name = "same_plain_context", srcs = ["a.cpp"], hdrs = ["a.hpp"], local_defines = ["OWN=1"], deps = [":same_above"], **manual)
    sycl_cc_library(name = "same_contradiction", srcs = ["a.cpp"], copts = ["-std=c++17"], host_copts = ["-std=c++20"], **manual)
    for case, attributes in _CONTRADICTIONS.items():
        sycl_cc_binary(name = "same_macro_" + case, srcs = ["a.cpp"], deps = [":same_above"], **(attributes[0] | manual))
        _fails_test(
            name = "same_macro_%s_test" % case,
            target_under_test = ":same_macro_%s.program" % case,
            texts = ["//rules/tests:same_macro_%s: %s" % (case, attributes[1])],
        )
    cc_library(name = "same_above_again", defines = ["ABOVE"], **manual)
    sycl_cc_library(
        name = "same_macro",
        srcs = ["a.cpp"],
        copts = ["-UABOVE", "-DABOVE=2"],
        local_defines = ["ABOVE"],
        deps = [":same_above", ":same_above_again"],
        **manual
    )
    _plain_test(name = "same_macro_test", target_under_test = ":same_macro", both = ["-UABOVE", "-DABOVE=2"])
    sycl_cc_library(name = "same_old", srcs = ["a.cpp"], copts = ["-std=gnu++14"], **manual)

    # Bazel's toolchain has -std=c++17 and fixed dates.
    _plain_test(
        name = "same_plain_test",
        target_under_test = ":same_plain.program",
        both = ["-std=c++17", "-U__INTEL_LLVM_COMPILER", "-D__DATE__=\"redacted\""],
        neither = ["-std=gnu++17"],
    )
    _plain_test(
        name = "same_copts_test",
        target_under_test = ":same_copts",
        both = ["-DOWN=1", "-D", "WIDE", "-std=c++20", "-march=haswell", "-Wduplicated-cond", "-ffile-prefix-map=rules/tests/=there/", "-DCXX=1"],
        host = ["-fno-gnu-unique", "-fsanitize=address", "--coverage", "-ffile-prefix-map=./rules/tests/=there/"],
    )
    _copt_test(
        name = "same_copt_test",
        target_under_test = ":same_copts",
        # Definitions on the command line follow the target's definitions.
        both = ["-DOWN=1", "-DWIDE", "-D", "NARROW=1", "-include", "first.hpp", "-std=c++20"],
        host = ["-fno-gnu-unique"],
    )
    _copt_test(
        name = "same_copt_device_only_test",
        target_under_test = ":same_device_only",
        both = ["-DWIDE", "-D", "NARROW=1"],
        neither = ["-fno-gnu-unique"],
    )
    _cxxopt_test(
        name = "same_cxxopt_test",
        target_under_test = ":same_plain.program",
        both = ["-std=c++17", "-std=c++20", "-UWIDE", "-D__TIME__=\"redacted\""],
    )
    sycl_cc_library(name = "same_device_copts", srcs = ["a.cpp"], device_copts = ["-DOWN=1"], **manual)
    _device_copts_test(name = "same_device_copts_test", target_under_test = ":same_device_copts", device = ["-DOWN=1", "-DTILE=1,2", "-O1"])
    _device_copts_test(name = "same_device_copts_alone_test", target_under_test = ":same_device_only", device = ["-DTILE=1,2", "-O1"])
    _opt_test(name = "same_opt_test", target_under_test = ":same_plain.program", both = ["-O2", "-DNDEBUG", "-g"])
    _wrapper_test(name = "same_wrapper_test", target_under_test = ":same_copts", base_file = "there/a.cpp", source = "/rules/tests/a.cpp")
    _wrapper_test(name = "same_generated_test", target_under_test = ":same_of_rule", base_file = "rules/tests/same_generated.cpp", source = "/rules/tests/same_generated.cpp")
    _context_test(name = "same_context_test", target_under_test = ":same_context", direct = ["a.hpp"])
    _context_test(name = "same_plain_context_test", target_under_test = ":same_plain_context", direct = ["a.hpp"])
    _fails_test(
        name = "same_contradiction_test",
        target_under_test = ":same_contradiction",
        texts = ["same_contradiction: different C++ standards: '-std=c++20' from host_copts for the host compilation and '-std=c++17' from copts for the device compilation; set one standard for both in copts"],
    )
    _fails_test(name = "same_old_test", target_under_test = ":same_old", texts = ["copts: '-std=gnu++14' is too old for SYCL"])
    _old_toolchain_test(
        name = "same_old_toolchain_test",
        target_under_test = ":same_plain.program",
        texts = ["same_plain: --copt or --cxxopt: '-std=c++14' is too old for SYCL"],
    )
    native.test_suite(name = name, tests = [
        "same_context_test",
        "same_contradiction_test",
        "same_copt_device_only_test",
        "same_copt_test",
        "same_copts_test",
        "same_cxxopt_test",
        "same_device_copts_alone_test",
        "same_device_copts_test",
        "same_generated_test",
        "same_macro_test",
    ] + ["same_macro_%s_test" % case for case in _CONTRADICTIONS] + [
        "same_old_test",
        "same_old_toolchain_test",
        "same_opt_test",
        "same_plain_context_test",
        "same_plain_test",
        "same_wrapper_test",
    ])
