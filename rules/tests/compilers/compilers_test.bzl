"""Analysis tests of the selection of a device compiler, and of DPC++ as device compiler."""

load("@bazel_skylib//lib:unittest.bzl", "analysistest", "asserts")
load("//rules:find_sycl_toolchain.bzl", "find_sycl_toolchain")
load("//rules:providers.bzl", "SyclDpcppInfo")
load("//rules:sycl_binary.bzl", "sycl_binary")
load("//rules:sycl_library.bzl", "sycl_library")
load("//rules:syclbin_link.bzl", "syclbin_link")
load("//rules:toolchain.bzl", "sycl_toolchain")
load("//rules/private/compile:attributes.bzl", "DEVICE_COMPILER_ATTRS")
load("//rules/private/repositories:toolchains_hub.bzl", "declare_toolchains")
load("//rules/private/toolchain:device_compiler.bzl", "compiler_rule", "declare_device_target", "device_compiler_transition", "device_rule")
load("//rules/private/toolchain:dpcpp_compiler.bzl", "dpcpp_compiler")
load("//rules/tests:analysis.bzl", "local_programs", "make_fails_test")

_FLAG = str(Label("//rules/settings:device_compiler"))
_TOOLCHAINS = "//rules/tests/compilers:all"

_ToolchainInfo = provider(doc = "The toolchain of a target.", fields = {
    "deps": "those of its deps.",
    "dirs": "the output directories of the target, of its first dep, and so on.",
    "sycl": "SyclToolchainInfo.",
})

def _probe_impl(ctx):
    return [_ToolchainInfo(
        deps = [dep[_ToolchainInfo].sycl for dep in ctx.attr.deps],
        dirs = [ctx.bin_dir.path] + [f for dep in ctx.attr.deps for f in dep[_ToolchainInfo].dirs],
        sycl = find_sycl_toolchain(ctx),
    )]

# Compiles nothing, and provides the name of the compiler that it would use.
_PROBE_RULE = dict(
    implementation = _probe_impl,
    attrs = DEVICE_COMPILER_ATTRS | {"deps": attr.label_list(cfg = device_compiler_transition, providers = [_ToolchainInfo])},
)

_probe_rule = device_rule(**_PROBE_RULE)

_probe_of_compiler = compiler_rule(**_PROBE_RULE)

def _probe(**kwargs):
    declare_device_target((_probe_rule, _probe_of_compiler), kwargs)

def _name(sycl):
    """Returns the name of a toolchain: the version of its DPC++ or the path of its clang."""
    return sycl.dpcpp.version if sycl.dpcpp else sycl.clang.executable

def _chosen_impl(ctx):
    env = analysistest.begin(ctx)
    info = analysistest.target_under_test(env)[_ToolchainInfo]
    asserts.equals(env, ctx.attr.compiler, _name(info.sycl))
    asserts.equals(env, [ctx.attr.compiler], [_name(sycl) for sycl in info.deps])
    return analysistest.end(env)

def _chosen_test(value):
    return analysistest.make(
        _chosen_impl,
        attrs = {"compiler": attr.string()},
        config_settings = {"//command_line_option:extra_toolchains": _TOOLCHAINS} | ({_FLAG: value} if value else {}),
    )

_chosen_by_default_test = _chosen_test("")
_chosen_auto_test = _chosen_test("auto")
_chosen_second_test = _chosen_test("second")
_chosen_clang_test = _chosen_test("clang")

def _dirs_impl(ctx):
    env = analysistest.begin(ctx)
    dirs = analysistest.target_under_test(env)[_ToolchainInfo].dirs

    # Only targets that do not select a compiler are built once per compiler.
    asserts.equals(env, ctx.attr.dirs, ["same" if f == dirs[0] else "other" for f in dirs])
    return analysistest.end(env)

def _dirs_test(value):
    return analysistest.make(
        _dirs_impl,
        attrs = {"dirs": attr.string_list()},
        config_settings = {"//command_line_option:extra_toolchains": _TOOLCHAINS, _FLAG: value},
    )

_dirs_by_attribute_test = _dirs_test("second")
_dirs_by_both_test = _dirs_test("clang")

def _unknown_impl(ctx):
    env = analysistest.begin(ctx)
    asserts.equals(env, "unknown", analysistest.target_under_test(env)[config_common.FeatureFlagInfo].value)
    return analysistest.end(env)

_MISSPELLED = {_FLAG: "secnd"}

_unknown_test = analysistest.make(_unknown_impl, config_settings = _MISSPELLED)

# The flag has an unknown value.
_misspelled_test = make_fails_test(_TOOLCHAINS, _MISSPELLED)

# Two versions of clang.
_mixed_test = make_fails_test(_TOOLCHAINS)

def _rules_impl(ctx):
    env = analysistest.begin(ctx)

    # The flag selects a different toolchain, which has none of the programs.
    action = [a for a in analysistest.target_actions(env) if a.mnemonic == ctx.attr.mnemonic][0]
    asserts.true(env, ctx.attr.program in action.argv, str(action.argv))
    return analysistest.end(env)

_rules_test = analysistest.make(
    _rules_impl,
    attrs = {
        "mnemonic": attr.string(),
        "program": attr.string(),
    },
    config_settings = {"//command_line_option:extra_toolchains": _TOOLCHAINS},
)

def _base_impl(ctx):
    env = analysistest.begin(ctx)
    sycl = analysistest.target_under_test(env)[platform_common.ToolchainInfo].sycl
    asserts.equals(env, "/test/ocloc", sycl.ocloc.executable, "it has none, and the base does")
    asserts.equals(env, "/test/llvm-22/llvm-link", sycl.llvm_link.executable, "it has another than the base")
    asserts.equals(env, ["clang.stamp"], [f.basename for f in sycl.clang.files.to_list()])
    asserts.equals(env, [None, True], [sycl.opt.executable, "opt is missing: too old" in sycl.opt.missing])
    asserts.equals(env, ["clang.stamp"], [f.basename for f in sycl.headers.to_list()])
    asserts.equals(env, None, sycl.dpcpp)
    asserts.equals(env, None, sycl.libsycl)
    return analysistest.end(env)

_base_test = analysistest.make(_base_impl)

def _compiler_impl(ctx):
    env = analysistest.begin(ctx)
    dpcpp = analysistest.target_under_test(env)[SyclDpcppInfo]
    check = [a for a in analysistest.target_actions(env) if a.mnemonic == "SyclCompilerCheck"][0]
    inputs = [f.basename for f in check.inputs.to_list()]
    for file in ["clang.stamp", "driver", "libimf.so", "libsycl-jit.so"]:
        asserts.true(env, file in inputs, "%s is not in %s" % (file, inputs))
    asserts.true(env, "--sysroot=rules/tests/clang.stamp" in check.argv, str(check.argv))

    # A compile runs after the check of its compiler.
    needed = [f.basename for f in dpcpp.files.to_list()]
    asserts.equals(env, ["first_compiler.checked", "libimf.so", "libsycl-jit.so"], sorted(needed))
    asserts.equals(env, ["libsycl-jit.so", "driver", "", "first"], [
        dpcpp.library.basename,
        dpcpp.driver.executable.basename,
        dpcpp.missing,
        dpcpp.version,
    ])
    return analysistest.end(env)

_compiler_test = analysistest.make(_compiler_impl)

def _missing_impl(ctx):
    env = analysistest.begin(ctx)
    dpcpp = analysistest.target_under_test(env)[SyclDpcppInfo]
    asserts.equals(env, [None, "no pip", []], [dpcpp.library, dpcpp.missing, dpcpp.files.to_list()])
    asserts.equals(env, [], analysistest.target_actions(env))
    return analysistest.end(env)

_missing_test = analysistest.make(_missing_impl)

def compilers_test_suite(name):
    """Declares all tests of this file.

    Args:
        name: name of the suite.
    """
    manual = {"tags": ["manual"]}
    for compiler in ["first", "second"]:
        dpcpp_compiler(
            name = compiler + "_compiler",
            copts = ["--sysroot=$(execpath //rules/tests:clang.stamp)"],
            data = ["libimf.so"],
            headers = ["//rules/tests:clang.stamp"],
            library = "libsycl-jit.so",
            version = compiler,
            **manual
        )
        sycl_toolchain(name = compiler + "_impl", dpcpp = compiler + "_compiler", **manual)
    programs = local_programs("test", {
        "clang": "/test/clang++",
        "llvm_dis": "/test/llvm-dis",
        "llvm_link": "/test/llvm-link",
        "llvm_spirv": "/test/llvm-spirv",
        "ocloc": "/test/ocloc",
        "opt": "/test/opt",
        "spirv_val": "/test/spirv-val",
    }, stamps = {"clang": "//rules/tests:clang.stamp"})
    sycl_toolchain(name = "clang_impl", headers = ["//rules/tests:clang.stamp"], **(manual | programs))
    declare_toolchains(
        name = "chosen",
        dpcpp = {
            "first": ":first_impl",
            "second": ":second_impl",
        },
        local = {
            "clang": ":clang_impl",
            "newer": ":newer_impl",
        },
        others = {"own": ":over_base"},
    )

    tests = []
    for case, test, arguments, compiler in [
        ("by_default", _chosen_by_default_test, {}, "first"),
        ("auto", _chosen_auto_test, {}, "first"),
        ("second", _chosen_second_test, {}, "second"),
        ("clang", _chosen_clang_test, {}, "/test/clang++"),
        ("by_attribute", _chosen_clang_test, {"device_compiler": "second"}, "second"),
        ("clang_by_attribute", _chosen_second_test, {"device_compiler": "clang"}, "/test/clang++"),
        ("newer_by_attribute", _chosen_clang_test, {"device_compiler": "newer"}, "/test/llvm-22/clang++"),
        ("own_by_attribute", _chosen_clang_test, {"device_compiler": "own"}, "/test/clang++"),
    ]:
        _probe(name = case + "_dep", **manual)
        _probe(name = case + "_probe", deps = [case + "_dep"], **(manual | arguments))
        test(name = case + "_test", compiler = compiler, target_under_test = case + "_probe")
        tests.append(case + "_test")

    # The attribute does not change the location of outputs, even for dependencies of other targets.
    _probe(name = "dirs_lowest", device_compiler = "clang", **manual)
    _probe(name = "dirs_dep", deps = ["dirs_lowest"], **manual)
    _probe(name = "dirs_chosen", device_compiler = "clang", deps = ["dirs_dep"], **manual)
    _probe(name = "dirs_above", deps = ["dirs_chosen"], **manual)
    for test, make, below in [
        ("dirs_by_attribute_test", _dirs_by_attribute_test, "other"),
        ("dirs_by_both_test", _dirs_by_both_test, "same"),
    ]:
        make(name = test, dirs = ["same", "same", below, "same"], target_under_test = "dirs_above")
        tests.append(test)

    _unknown_test(name = "unknown_test", target_under_test = "chosen")
    _probe(name = "misspelled_probe", **manual)
    _misspelled_test(
        name = "misspelled_test",
        target_under_test = "misspelled_probe",
        texts = ["misspelled_probe: unknown device compiler \"secnd\"; did you mean second?", "accept: auto, first, second, clang, newer, own.", "in the MODULE.bazel of the root module add names"],
    )

    clang = {"device_compiler": "clang"} | manual
    sycl_library(name = "library", srcs = ["a.cpp"], **clang)
    sycl_binary(name = "binary", srcs = ["a.cpp"], state = "object", **clang)
    syclbin_link(name = "link", mode = "ir", deps = ["binary"], **clang)
    for target, mnemonic, program in [
        ("binary", "SyclCompile", "/test/clang++"),
        ("library", "SyclCompile", "/test/clang++"),
        ("link", "SyclDeviceLink", "/test/llvm-link"),
    ]:
        _rules_test(
            name = target + "_test",
            mnemonic = mnemonic,
            program = program,
            target_under_test = target,
        )
        tests.append(target + "_test")

    sycl_library(name = "newer_library", srcs = ["a.cpp"], device_compiler = "newer", **manual)
    sycl_binary(name = "mixed", srcs = ["b.cpp"], deps = ["newer_library"], **clang)
    _mixed_test(
        name = "mixed_test",
        target_under_test = "mixed",
        texts = ["a.cpp is compiled by /test/llvm-22/clang++ and this target by /test/clang++, so their device code cannot be linked"],
    )
    tests.append("mixed_test")

    newest = local_programs("newest", {"clang": "/test/llvm-22/clang++"})
    sycl_toolchain(name = "newer_impl", **(manual | newest))
    newer = local_programs("newer", {"llvm_link": "/test/llvm-22/llvm-link"})
    sycl_toolchain(
        name = "over_base",
        base = "clang_impl",
        missing = {"opt": "too old"},
        **(manual | newer)
    )
    _base_test(name = "base_test", target_under_test = "over_base")
    _compiler_test(name = "compiler_test", target_under_test = "first_compiler")
    dpcpp_compiler(name = "missing_compiler", missing = "no pip", **manual)
    _missing_test(name = "missing_test", target_under_test = "missing_compiler")
    native.test_suite(
        name = name,
        tests = tests + [
            "base_test",
            "compiler_test",
            "misspelled_test",
            "missing_test",
            "unknown_test",
        ],
    )
