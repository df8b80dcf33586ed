"""Tests of toolchains whose programs are targets, and of third-party rules that use them."""

load("@bazel_skylib//lib:unittest.bzl", "analysistest", "asserts")
load("@bazel_skylib//rules:build_test.bzl", "build_test")
load("//rules:defs.bzl", "requires_sycl", "sycl_binary", "sycl_local_program", "sycl_toolchain")
load("//rules/tests:analysis.bzl", "by_mnemonic", "make_fails_test")
load(":programs.bzl", "machine_program")
load(":spirv_kernel.bzl", "spirv_kernel")

_PROGRAMS = ["clang", "llc", "lld", "llvm_dis", "llvm_link", "llvm_spirv", "ocloc", "opt", "spirv_val"]

# Mnemonic -> programs of the toolchain that are inputs of the action.
_INPUTS = {
    "SyclAot": ["data.txt", "ocloc.sh"],
    "SyclCompile": ["clang.sh", "data.txt", "header.txt"],
    "SyclDeviceLink": ["data.txt", "llvm_dis.sh", "llvm_link.sh"],
    "SyclPostLink": ["data.txt", "llvm_dis.sh", "opt.sh"],
    "SyclTranslate": ["data.txt", "llvm_spirv.sh", "spirv_val.sh"],
    "SyclbinPack": [],
}

def _inputs_impl(ctx):
    env = analysistest.begin(ctx)
    actions = by_mnemonic(env)
    for mnemonic, want in _INPUTS.items():
        action = actions[mnemonic][0]
        inputs = action.inputs.to_list()
        scripts = {f.basename: f for f in inputs if f.basename.endswith(".sh") or f.basename in ["data.txt", "header.txt"]}
        asserts.equals(env, want, sorted(scripts.keys()), mnemonic)

        # The command contains the path of the program's file.
        for name, script in scripts.items():
            if name.endswith(".sh"):
                asserts.true(env, script.path in action.argv, "%s lacks %s: %s" % (mnemonic, script.path, action.argv))
    return analysistest.end(env)

_inputs_test = analysistest.make(_inputs_impl)

def _options_impl(ctx):
    env = analysistest.begin(ctx)
    sycl = analysistest.target_under_test(env)[platform_common.ToolchainInfo].sycl
    asserts.equals(env, ["-isystem", "rules/tests/toolchain/header.txt"], sycl.copts)
    asserts.equals(env, "", sycl.missing)
    return analysistest.end(env)

_options_test = analysistest.make(_options_impl)

_fails_test = make_fails_test()

def toolchain_test_suite(name):
    """Declares all tests of this file.

    Args:
        name: name of the suite.
    """
    manual = {"tags": ["manual"]}
    for program in _PROGRAMS:
        machine_program(name = program, data = "data.txt", tool = program, **manual)

    # A sycl.toolchain tag in MODULE.bazel gives it the name of a device compiler.
    sycl_toolchain(
        name = "test_programs",
        headers = ["header.txt"],
        **(manual | {program: program for program in _PROGRAMS})
    )
    labels = {"device_compiler": "test-programs"} | manual

    # Only analyzed, because it also has images for a GPU.
    sycl_binary(
        name = "for_gpu",
        srcs = ["kernel.cpp"],
        rdc = True,
        sycl_targets = ["spir64", "intel_gpu_pvc"],
        deps = ["//rules/device:sycl_lite"],
        **labels
    )
    _inputs_test(name = "inputs_test", target_under_test = "for_gpu")

    sycl_toolchain(
        name = "with_options",
        clang = "clang",
        copts = ["-isystem", "$(execpath header.txt)"],
        headers = ["header.txt"],
        **manual
    )
    _options_test(name = "options_test", target_under_test = "with_options")

    native.filegroup(name = "two_files", srcs = ["data.txt", "header.txt"], **manual)
    sycl_toolchain(name = "no_program", clang = "two_files", **manual)
    _fails_test(name = "no_program_test", target_under_test = "no_program", texts = ["toolchain:two_files is not a program"])
    sycl_local_program(name = "relative", path = "bin/clang++", **manual)
    _fails_test(name = "relative_test", target_under_test = "relative", texts = ["path: 'bin/clang++' is not an absolute path"])

    # Built with labels, and with the system's programs by a third-party rule.
    sycl_binary(
        name = "kernel",
        srcs = ["kernel.cpp"],
        sycl_targets = ["spir64"],
        deps = ["//rules/device:sycl_lite"],
        **labels
    )
    spirv_kernel(name = "spirv", src = "kernel.cpp", **manual)
    build_test(
        name = "build_test",
        target_compatible_with = requires_sycl(),
        targets = ["kernel", "spirv"],
    )

    # Authors of rules can document them, because one library contains all loaded files.
    native.starlark_doc_extract(
        name = "documentation",
        src = "spirv_kernel.bzl",
        deps = ["//rules:starlark"],
        **manual
    )
    build_test(
        name = "documentation_test",
        targets = ["documentation"],
    )
    native.test_suite(
        name = name,
        tests = ["build_test", "documentation_test", "inputs_test", "no_program_test", "options_test", "relative_test"],
    )
