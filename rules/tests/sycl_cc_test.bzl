"""Analysis tests of sycl_cc_library and sycl_cc_binary: their actions, and rejected attributes."""

load("@bazel_skylib//lib:unittest.bzl", "analysistest", "asserts")
load("@rules_cc//cc:cc_binary.bzl", "cc_binary")
load("@rules_cc//cc:cc_import.bzl", "cc_import")
load("@rules_cc//cc:cc_library.bzl", "cc_library")
load("@rules_cc//cc:cc_shared_library.bzl", "cc_shared_library")
load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")
load("//rules:providers.bzl", "SyclDeviceInfo", "SyclDpcppInfo", "SyclProgramInfo", "SyclRuntimeInfo")
load("//rules:sycl_binary.bzl", "sycl_binary")
load("//rules:sycl_cc_binary.bzl", "sycl_cc_binary")
load("//rules:sycl_cc_library.bzl", "sycl_cc_library")
load("//rules:sycl_cc_test.bzl", "sycl_cc_test")
load("//rules:sycl_compat_report.bzl", "sycl_compat_report")
load("//rules:sycl_library.bzl", "sycl_library")
load("//rules:toolchain.bzl", "sycl_toolchain")
load(":analysis.bzl", "COMPLETE", "DPCPP", "by_mnemonic", "counts", "local_programs", "make_fails_test")

_TARGETS = ["spir64", "intel_gpu_pvc", "intel_gpu_acm_g10"]

def _fake_dpcpp_impl(ctx):
    library = ctx.actions.declare_file("libsycl-jit.so")
    ctx.actions.write(library, "")
    return [SyclDpcppInfo(
        driver = ctx.attr._driver[DefaultInfo].files_to_run,
        files = depset([library]),
        library = library,
        missing = "",
        version = "0",
    )]

_fake_dpcpp = rule(
    implementation = _fake_dpcpp_impl,
    attrs = {"_driver": attr.label(cfg = "exec", default = "//tools/devicec", executable = True)},
)

def _fake_libsycl_impl(ctx):
    devices = ctx.actions.declare_file(ctx.label.name + ".devices")
    ctx.actions.write(devices, "")
    return [
        ctx.attr.library[CcInfo],
        SyclRuntimeInfo(cpu_device = [], cpu_driver = None, devices = devices, devices_runfiles = ctx.runfiles(), preview = ctx.attr.preview),
    ]

_fake_libsycl = rule(
    implementation = _fake_libsycl_impl,
    attrs = {"library": attr.label(providers = [CcInfo]), "preview": attr.label(providers = [CcInfo])},
)

def _wrapped_headers(env):
    """Returns the integration headers that are compared to find kernels with the same name."""
    wrap = by_mnemonic(env)["SyclWrap"][0]
    inputs = [f.path for f in wrap.inputs.to_list()]
    headers = [wrap.argv[i + 1] for i, a in enumerate(wrap.argv) if a == "--header"]
    for header in headers:
        asserts.true(env, header in inputs, header)
    return [header.split("/")[-1] for header in headers]

def _library_impl(ctx):
    env = analysistest.begin(ctx)
    actions = by_mnemonic(env)
    found = counts(actions)
    asserts.equals(env, {
        "SyclAot": 2 * 2,
        "SyclAotFilter": 2,
        "SyclAotPlan": 1,
        "SyclAssemble": 2,
        "SyclCompatCheck": 1,
        "SyclCompatReport": 1,
        "SyclCompile": 2,
        "SyclHostCheck": 1,
        "SyclImages": 2,
        "SyclWrap": 1,
        "SyclbinPack": 1,
    }, {m: n for m, n in found.items() if m.startswith("Sycl")})

    for compile in actions["SyclCompile"]:
        for want in ["build", "--library", "--output-dir", "--header", "--footer", "-std=c++17", "-DANSWER=42", "-Wall", "-fdevice-only", "-U__INTEL_LLVM_COMPILER"]:
            asserts.true(env, want in compile.argv, "SyclCompile lacks %s: %s" % (want, compile.argv))
        for unwanted in ["-fhost-only", "-fno-sycl-unnamed-lambda"]:
            asserts.false(env, unwanted in compile.argv, str(compile.argv))
    prefixes = [a for compile in actions["SyclCompile"] for a in compile.argv if a.startswith("-fsycl-unique-prefix=uid")]
    asserts.equals(env, 2, len({p: None for p in prefixes}), "names of internal constants of two sources: %s" % prefixes)
    for compile in actions["CppCompile"]:
        if compile.argv[-1].endswith(".o") and ".images" not in compile.argv[-1] and "layouts" not in compile.argv[-1]:
            for want in ["-DANSWER=42", "-Wall", "-fhost-only", "-U__INTEL_LLVM_COMPILER", "-D__SYCL_UNNAMED_LAMBDA__=1"]:
                asserts.true(env, want in compile.argv, "CppCompile lacks %s: %s" % (want, compile.argv))
    checked = actions["SyclHostCheck"][0].outputs.to_list()[0]
    asserts.true(env, [a for a in actions["SyclAssemble"] if checked in a.inputs.to_list()], "nothing is linked before the compiles are compared")
    asserts.equals(env, 2, len(_wrapped_headers(env)))
    report = actions["SyclCompatReport"][0].argv
    asserts.equals(env, "intel_gpu_acm_g10,intel_gpu_pvc,spir64", report[report.index("--targets") + 1])
    target = analysistest.target_under_test(env)
    asserts.true(env, SyclProgramInfo in target)
    asserts.false(env, SyclDeviceInfo in target, "its device code is complete")
    return analysistest.end(env)

def _any_device_impl(ctx):
    """SPIR-V is for any device. Without a device configuration, nothing is filtered, planned or checked."""
    env = analysistest.begin(ctx)
    actions = by_mnemonic(env)
    names = {"SyclAotFilter": 1, "SyclCompatCheck": 1} if ctx.attr.described else {}
    asserts.equals(env, names, {m: n for m, n in counts(actions).items() if m in ["SyclAotFilter", "SyclCompatCheck"]})
    inputs = [f.basename for f in actions["SyclWrap"][0].inputs.to_list()]
    for suffix in [".plan.json", ".filtered.table"]:
        asserts.equals(env, ctx.attr.described, bool([i for i in inputs if i.endswith(suffix)]), str(inputs))
    return analysistest.end(env)

def _make_any_device_test(described):
    return analysistest.make(
        _any_device_impl,
        attrs = {"described": attr.bool(default = described)},
        config_settings = {"//command_line_option:extra_toolchains": DPCPP},
    )

_any_device_test = _make_any_device_test(False)
_described_test = _make_any_device_test(True)

_library_test = analysistest.make(
    _library_impl,
    config_settings = {"//command_line_option:extra_toolchains": DPCPP},
)

def _specialize_impl(ctx):
    env = analysistest.begin(ctx)
    actions = by_mnemonic(env)
    argv = actions["SyclSpecialize"][0].argv
    for text in ["--set=app::scale=0.5", ctx.attr.label]:
        asserts.true(env, text in argv, str(argv))

    # The registration of images, the SYCLBIN for the report, and native images have the values.
    for mnemonic in ["SyclAot", "SyclWrap", "SyclbinPack"]:
        for action in actions[mnemonic]:
            for f in action.inputs.to_list():
                if f.extension in ["spv", "properties"]:
                    asserts.true(env, ".specialized." in f.basename, "%s reads %s" % (mnemonic, f.basename))
    return analysistest.end(env)

_specialize_test = analysistest.make(
    _specialize_impl,
    attrs = {"label": attr.string()},
    config_settings = {"//command_line_option:extra_toolchains": DPCPP},
)

def _data_impl(ctx):
    env = analysistest.begin(ctx)
    for mnemonic in ["CppCompile", "SyclCompile"]:
        argv = by_mnemonic(env)[mnemonic][0].argv
        asserts.true(env, "-DDATA=rules/tests/clang.stamp" in argv, str(argv))
    return analysistest.end(env)

_data_test = analysistest.make(
    _data_impl,
    config_settings = {"//command_line_option:extra_toolchains": DPCPP},
)

def _rdc_library_impl(ctx):
    env = analysistest.begin(ctx)
    target = analysistest.target_under_test(env)
    actions = by_mnemonic(env)
    asserts.equals(env, ["SyclAssemble", "SyclCompile", "SyclHostCheck"], sorted([m for m in actions if m.startswith("Sycl")]))
    asserts.false(env, SyclProgramInfo in target, "it has no images")
    asserts.equals(env, ["rules/tests/b.cpp"], [s.module for s in target[SyclDeviceInfo].sources.to_list()])
    return analysistest.end(env)

_rdc_library_test = analysistest.make(
    _rdc_library_impl,
    config_settings = {"//command_line_option:extra_toolchains": DPCPP},
)

def _rdc_program_impl(ctx):
    env = analysistest.begin(ctx)
    actions = by_mnemonic(env)

    # The library is also linked through a C++ library.
    modules = [a.split("=")[0] for a in actions["SyclDeviceLink"][0].argv if "=" in a and a.endswith(".bc")]
    asserts.equals(env, ctx.attr.linked, sorted(modules))
    asserts.equals(env, ctx.attr.images, len(actions["SyclImages"]))
    asserts.equals(env, ctx.attr.headers, sorted(_wrapped_headers(env)))
    defined = [
        line.removeprefix("\t.globl ")
        for a in actions["FileWrite"]
        if a.outputs.to_list()[0].basename.endswith(".linked.s")
        for line in a.content.split("\n")
        if line.startswith("\t.globl ")
    ]
    asserts.equals(env, ctx.attr.symbols, defined)
    return analysistest.end(env)

_rdc_program_test = analysistest.make(
    _rdc_program_impl,
    attrs = {
        # Includes the headers of libraries.
        "headers": attr.string_list(default = ["b.cpp.integration.h", "c.cpp.integration.h"]),
        "images": attr.int(),
        "linked": attr.string_list(),
        "symbols": attr.string_list(default = ["sycl_device_code_of_rules_tests_rdc_library_is_linked_by_sycl_cc_binary"]),
    },
    config_settings = {"//command_line_option:extra_toolchains": DPCPP},
)

def _report_impl(ctx):
    env = analysistest.begin(ctx)
    report = [a for a in by_mnemonic(env)["SyclCompatReport"]][0]
    embedded = [report.argv[i + 1].split("/")[-1] for i, a in enumerate(report.argv) if a == "--embedded"]
    asserts.equals(env, ["plain_library.syclbin", "program.program.syclbin"], sorted(embedded))

    # The targets of the library. The program is built only for spir64.
    asserts.equals(env, "intel_gpu_acm_g10,intel_gpu_pvc,spir64", report.argv[report.argv.index("--targets") + 1])
    return analysistest.end(env)

_report_test = analysistest.make(
    _report_impl,
    config_settings = {"//command_line_option:extra_toolchains": DPCPP},
)

def _links_impl(ctx):
    env = analysistest.begin(ctx)
    link = [a for a in by_mnemonic(env)["CppLink"] if a.outputs.to_list()[0].basename == ctx.attr.output][0]
    inputs = [f.basename for f in link.inputs.to_list()]
    archives = [name.partition(".pic.")[0] + ".a" if ".pic." in name else name.removesuffix(".lo") + ".a" for name in inputs if name.endswith(".lo")]
    for want in ctx.attr.linked:
        asserts.true(env, want in inputs + archives, "%s does not link %s: %s" % (ctx.attr.output, want, inputs))
    for unwanted in ctx.attr.not_linked:
        asserts.false(env, unwanted in inputs + archives, "%s links %s: %s" % (ctx.attr.output, unwanted, inputs))
    return analysistest.end(env)

_links_test = analysistest.make(
    _links_impl,
    attrs = {
        "linked": attr.string_list(),
        "not_linked": attr.string_list(),
        "output": attr.string(),
    },
    config_settings = {
        "//command_line_option:extra_toolchains": DPCPP,
        # Otherwise, some toolchains link the objects in archives individually.
        "//command_line_option:start_end_lib": False,
    },
)

def _compiled_once_impl(ctx):
    env = analysistest.begin(ctx)
    checks = by_mnemonic(env)["SyclHostCheck"]
    for check in checks:
        table = check.outputs.to_list()[0].basename
        objects = [f.basename for f in check.inputs.to_list() if f.extension == "o"]
        asserts.true(env, objects, "%s is made of no object" % table)
        for name in objects:
            asserts.equals(env, table == "layouts.pic.s", name.endswith(".pic.o"), "%s in %s" % (name, table))
    assembled = [f.basename for action in by_mnemonic(env)["SyclAssemble"] for f in action.outputs.to_list()]
    for archive in by_mnemonic(env)["CppArchive"]:
        pic = ".pic." in archive.outputs.to_list()[0].basename
        for f in archive.inputs.to_list():
            # Objects of SyclAssemble contain data, and are linked with both kinds of code.
            if f.extension == "o" and f.basename not in assembled:
                asserts.equals(env, pic, f.basename.endswith(".pic.o"), f.basename)
    asserts.equals(env, ["layouts.nopic.s", "layouts.pic.s"], sorted([c.outputs.to_list()[0].basename for c in checks]))
    return analysistest.end(env)

# With -c opt, Bazel links position-independent code only into shared libraries. Each link has a
# table of the kernels in its own objects. With one table for both, each source would be compiled
# twice.
_compiled_once_test = analysistest.make(
    _compiled_once_impl,
    config_settings = {
        "//command_line_option:compilation_mode": "opt",
        "//command_line_option:extra_toolchains": DPCPP,
        "//command_line_option:start_end_lib": False,
    },
)

_fails_test = make_fails_test(DPCPP)

_fails_with_clang_test = make_fails_test(COMPLETE)

_fails_without_preview_test = make_fails_test("//rules/tests:no_preview_toolchain")

_fails_without_libsycl_test = make_fails_test("//rules/tests:no_libsycl_toolchain")

def _c_alone_impl(ctx):
    env = analysistest.begin(ctx)
    asserts.true(env, analysistest.target_under_test(env)[DefaultInfo].files.to_list(), "nothing is built of a source in C")
    return analysistest.end(env)

_c_alone_test = analysistest.make(_c_alone_impl, config_settings = {"//command_line_option:extra_toolchains": DPCPP})

def _precompiled_impl(ctx):
    """The objects and libraries in srcs are linked as cc_library links them."""
    env = analysistest.begin(ctx)
    target = analysistest.target_under_test(env)
    found = {}
    for each in target[CcInfo].linking_context.linker_inputs.to_list():
        if each.owner == target.label:
            asserts.true(env, "exports.lds" in [f.basename for f in each.additional_inputs], "the linker script is no input")
            for library in each.libraries:
                files = [f and f.basename for f in [library.static_library, library.pic_static_library, library.resolved_symlink_dynamic_library]]
                found[files[0] or files[1] or files[2]] = (files[1], files[2], library.alwayslink)
    for name, want in {
        "libforms.a": ("libforms.pic.a", "libforms.so", False),
        "libversion.so.1.2": (None, "libversion.so.1.2", False),
        "whole.lo": (None, None, True),
        "whole_pic.pic.lo": ("whole_pic.pic.lo", None, True),
    }.items():
        asserts.equals(env, want, found.get(name), "%s in %s" % (name, found))
    objects = {
        f.basename: None
        for archive in by_mnemonic(env)["CppArchive"]
        for f in archive.inputs.to_list()
        if f.is_source and f.extension == "o"
    }
    asserts.equals(env, ["one.o", "two.nopic.o", "two.pic.o"], sorted(objects))
    asserts.true(env, "libversion.so.1.2" in [f.basename for f in target[DefaultInfo].default_runfiles.files.to_list()], "runfiles lack the library")
    return analysistest.end(env)

_precompiled_test = analysistest.make(
    _precompiled_impl,
    config_settings = {
        "//command_line_option:compilation_mode": "opt",
        "//command_line_option:extra_toolchains": DPCPP,
        "//command_line_option:start_end_lib": False,
    },
)

def sycl_cc_test_suite(name):
    """Declares all tests of this file.

    Args:
        name: name of the suite.
    """
    manual = {"tags": ["manual"]}
    _fake_dpcpp(name = "fake_dpcpp", **manual)
    cc_import(name = "own_libsycl", shared_library = "libsycl.so.9", **manual)
    cc_import(name = "own_preview", shared_library = "libsycl-preview.so.9", **manual)
    _fake_libsycl(name = "fake_libsycl", library = ":own_libsycl", preview = ":own_preview", **manual)
    _fake_libsycl(name = "fake_libsycl_alone", library = ":own_libsycl", **manual)
    programs = local_programs("dpcpp_toolchain", {
        "llvm_dis": "/test/llvm-dis",
        "llvm_link": "/test/llvm-link",
        "ocloc": "/test/ocloc",
        "opt": "/test/opt",
    })
    sycl_toolchain(
        name = "dpcpp_toolchain_impl",
        copts = ["-std=c++17"],
        dpcpp = ":fake_dpcpp",
        libsycl = ":fake_libsycl",
        headers = ["headers.stamp"],
        **(manual | programs)
    )
    native.toolchain(
        name = "dpcpp_toolchain",
        toolchain = "dpcpp_toolchain_impl",
        toolchain_type = "//rules/toolchain:toolchain_type",
    )
    for lacks, libsycl in {"libsycl": None, "preview": ":fake_libsycl_alone"}.items():
        sycl_toolchain(
            name = "no_%s_toolchain_impl" % lacks,
            dpcpp = ":fake_dpcpp",
            libsycl = libsycl,
            **(manual | programs)
        )
        native.toolchain(
            name = "no_%s_toolchain" % lacks,
            toolchain = "no_%s_toolchain_impl" % lacks,
            toolchain_type = "//rules/toolchain:toolchain_type",
        )
    sycl_cc_library(
        name = "plain_library",
        srcs = ["a.cpp", "dir/b.cpp"],
        copts = ["-Wall"],
        defines = ["ANSWER=42"],
        device_copts = ["-fdevice-only"],
        host_copts = ["-fhost-only"],
        sycl_targets = _TARGETS,
        **manual
    )
    specialize = {"specialize": {"app::scale": "0.5"}, "sycl_targets": _TARGETS} | manual
    sycl_cc_library(name = "specialize_library", srcs = ["a.cpp"], **specialize)
    sycl_cc_binary(name = "specialize_program", srcs = ["c.cpp"], post_link = "rules_sycl", **specialize)
    sycl_cc_test(name = "specialize_program_test", srcs = ["c.cpp"], post_link = "rules_sycl", **specialize)
    sycl_cc_test(name = "data_program_test", srcs = ["c.cpp"], copts = ["-DDATA=$(execpath clang.stamp)"], data = ["clang.stamp"], **manual)
    sycl_cc_library(name = "specialize_rdc_library", srcs = ["b.cpp"], rdc = True, **specialize)
    sycl_cc_library(name = "rdc_library", srcs = ["b.cpp"], rdc = True, **manual)
    cc_library(name = "between", deps = [":rdc_library"], **manual)
    sycl_cc_binary(name = "program", srcs = ["c.cpp"], deps = [":plain_library"], **manual)
    sycl_cc_binary(name = "rdc_program", srcs = ["c.cpp"], rdc = True, deps = [":between"], **manual)
    sycl_cc_binary(name = "linking_program", srcs = ["c.cpp"], deps = [":between"], **manual)
    sycl_cc_binary(name = "fixed_program", srcs = ["c.cpp"], fixed_targets = ["intel_gpu_pvc"], **manual)
    sycl_cc_binary(name = "nvidia_program", srcs = ["c.cpp"], sycl_targets = ["nvidia_gpu_sm_90"], **manual)
    sycl_binary(name = "dpcpp_post_link", srcs = ["c.cpp"], post_link = "dpcpp", **manual)
    cc_import(name = "other_libsycl", shared_library = "libsycl.so.8", **manual)
    cc_library(name = "with_other_libsycl", deps = [":other_libsycl"], **manual)
    sycl_cc_binary(name = "two_runtimes_program", srcs = ["c.cpp"], deps = [":with_other_libsycl"], **manual)
    preview = {"copts": ["-fpreview-breaking-changes"]} | manual
    sycl_cc_library(name = "preview_library", srcs = ["a.cpp"], **preview)
    sycl_cc_binary(name = "preview_program", srcs = ["c.cpp"], deps = [":preview_library"], **preview)
    sycl_cc_binary(name = "mixed_program", srcs = ["c.cpp"], deps = [":preview_library"], **manual)
    sycl_cc_binary(name = "mixed_preview_program", srcs = ["c.cpp"], deps = [":plain_library"], **preview)
    cc_shared_library(name = "preview_shared", deps = [":preview_library"], **manual)
    sycl_cc_library(name = "headers_library", hdrs = ["headers.hpp"], **manual)
    sycl_library(name = "device_library", srcs = ["b.cpp"], **manual)
    sycl_cc_binary(name = "device_library_program", srcs = ["c.cpp"], deps = [":device_library", ":headers_library"], **manual)
    cc_shared_library(name = "shared", deps = [":plain_library"], **manual)
    cc_binary(name = "above_shared", srcs = ["c.cpp"], dynamic_deps = [":shared"], deps = [":plain_library"], **manual)
    cc_shared_library(name = "rdc_shared", deps = [":between"], **manual)
    sycl_cc_binary(name = "above_rdc_shared", srcs = ["c.cpp"], dynamic_deps = [":rdc_shared"], deps = [":between"], **manual)
    sycl_compat_report(name = "program_report", deps = [":program"], **manual)

    _library_test(name = "cc_library_test", target_under_test = ":plain_library")
    _any_device_test(name = "cc_any_device_test", target_under_test = ":program.program")
    sycl_cc_binary(name = "described_program", srcs = ["c.cpp"], device_config = "own.yaml", **manual)
    _described_test(name = "cc_described_test", target_under_test = ":described_program.program")
    for case, target in {
        "specialize_library": "specialize_library",
        "specialize_program": "specialize_program.program",
        "specialize_test_program": "specialize_program_test.program",
    }.items():
        _specialize_test(
            name = "cc_%s_test" % case,
            label = "--label=//rules/tests:" + target.removesuffix(".program"),
            target_under_test = ":" + target,
        )
    _data_test(name = "cc_data_test", target_under_test = ":data_program_test.program")
    _fails_test(
        name = "cc_specialize_nothing_test",
        target_under_test = ":specialize_rdc_library",
        texts = ["specialize_rdc_library: specialize requires device images, and this target has none", "sycl_cc_test that links the device code"],
    )
    _rdc_library_test(name = "cc_rdc_library_test", target_under_test = ":rdc_library")
    _rdc_program_test(
        name = "cc_rdc_program_test",
        images = 1,
        linked = ["rules/tests/b.cpp", "rules/tests/c.cpp"],
        target_under_test = ":rdc_program.program",
    )

    # The program's own source is not linked.
    _rdc_program_test(
        name = "cc_linking_program_test",
        images = 2,
        linked = ["rules/tests/b.cpp"],
        target_under_test = ":linking_program.program",
    )
    _rdc_program_test(
        name = "cc_device_library_test",
        # A sycl_library has no integration header.
        headers = ["c.cpp.integration.h"],
        images = 2,
        linked = ["rules/tests/b.cpp"],
        symbols = [],
        target_under_test = ":device_library_program.program",
    )
    _compiled_once_test(name = "cc_compiled_once_test", target_under_test = ":program.program")
    images = ["libplain_library.a", "libplain_library.images.a"]
    for case, target, output, linked, not_linked in [
        ("above_shared", "above_shared", "above_shared", ["libshared.so", "libsycl.so.9"], images),
        ("preview_program", "preview_program", "preview_program", ["libpreview_library.a", "libsycl-preview.so.9"], ["libsycl.so.9"]),
        ("preview_shared", "preview_shared", "libpreview_shared.so", ["libpreview_library.a", "libsycl-preview.so.9"], ["libsycl.so.9"]),
        ("program", "program", "program", images + ["libprogram.program.a", "libprogram.program.images.a", "libsycl.so.9"], []),
        ("shared", "shared", "libshared.so", images + ["libsycl.so.9"], []),

        # The shared library contains the host code, and the program that depends on it contains the
        # device code.
        ("rdc_shared", "rdc_shared", "librdc_shared.so", ["librdc_library.a", "libsycl.so.9"], ["librdc_library.images.a"]),
        ("above_rdc_shared", "above_rdc_shared", "above_rdc_shared", ["libabove_rdc_shared.program.images.a", "librdc_shared.so", "libsycl.so.9"], ["librdc_library.a"]),
    ]:
        _links_test(name = "cc_links_%s_test" % case, linked = linked, not_linked = not_linked, output = output, target_under_test = ":" + target)
    _rdc_program_test(
        name = "cc_above_rdc_shared_test",
        images = 2,
        linked = ["rules/tests/b.cpp"],
        target_under_test = ":above_rdc_shared.program",
    )
    _report_test(name = "cc_report_test", target_under_test = ":program_report")
    _fails_test(
        name = "cc_fixed_targets_test",
        target_under_test = ":fixed_program.program",
        texts = ["fixed_targets requires post_link = \"rules_sycl\""],
    )
    sycl_cc_binary(name = "no_source_program", hdrs = ["headers.hpp"], **manual)
    _fails_test(
        name = "cc_no_source_test",
        target_under_test = ":no_source_program.program",
        texts = ["no_source_program: no sources: set srcs, or add a library"],
    )
    sycl_cc_binary(name = "c_alone", srcs = ["in_c.c"], **manual)
    _c_alone_test(name = "cc_c_alone_test", target_under_test = ":c_alone.program")
    compiled = {
        "srcs": ["c.cpp", "libforms.a", "libforms.pic.a", "libforms.so", "libversion.so.1.2", "one.o", "two.nopic.o", "two.pic.o", "whole.lo", "whole_pic.pic.lo"],
        "deps": ["exports.lds"],
        "linkopts": ["-Wl,--version-script=$(location exports.lds)"],
    } | manual
    sycl_cc_library(name = "precompiled_library", **compiled)
    sycl_cc_binary(name = "precompiled_program", **compiled)
    _precompiled_test(name = "cc_precompiled_library_test", target_under_test = ":precompiled_library")
    _precompiled_test(name = "cc_precompiled_program_test", target_under_test = ":precompiled_program.program")
    native.filegroup(name = "no_sources", srcs = ["clang.stamp"], **manual)
    for case, (attributes, text) in {
        "file": ({"srcs": ["clang.stamp"]}, "srcs: //rules/tests:clang.stamp is not a source, header, object or library; rename C++ sources to end with .cpp, .cc, .cxx, .c++ or .C, and add files that the program reads to data"),
        "library": ({"srcs": ["libtwice.a", "libtwice.nopic.a"]}, "srcs: rules/tests/libtwice.a and rules/tests/libtwice.nopic.a are the same library; remove one of them"),
        "rule": ({"srcs": ["no_sources"]}, "srcs: //rules/tests:no_sources has no sources, headers, objects or libraries; rename C++ sources"),
        "version": ({"srcs": ["libv.so.x"]}, "srcs: //rules/tests:libv.so.x is not a source"),
    }.items():
        sycl_cc_library(name = "wrong_srcs_" + case, **(attributes | manual))
        _fails_test(name = "cc_wrong_srcs_%s_test" % case, target_under_test = ":wrong_srcs_" + case, texts = ["//rules/tests:wrong_srcs_%s: %s" % (case, text)])
    sycl_cc_binary(name = "wrong_attribute_program", srcs = ["c.cpp"], targets = ["intel_gpu_pvc"], **manual)
    _fails_test(
        name = "cc_wrong_attribute_test",
        target_under_test = ":wrong_attribute_program.program",
        texts = ["targets: not supported; use sycl_targets = [\"intel_gpu_pvc\"]"],
    )
    _fails_test(
        name = "cc_nvidia_test",
        target_under_test = ":nvidia_program.program",
        texts = ["sycl_targets: 'nvidia_gpu_sm_90' needs clang, but the device compiler is DPC++ 0, which only generates SPIR-V"],
    )
    _fails_test(
        name = "cc_two_runtimes_test",
        target_under_test = ":two_runtimes_program.program",
        texts = ["with_other_libsycl links the runtime rules/tests/libsycl.so.8", "this target is built for", "DPC++ 0"],
    )
    for program, (dep, library, how) in {
        "mixed_preview_program": ("plain_library", "libsycl.so.9", "with"),
        "mixed_program": ("preview_library", "libsycl-preview.so.9", "without"),
    }.items():
        _fails_test(
            name = "cc_%s_test" % program,
            target_under_test = ":%s.program" % program,
            texts = ["deps: //rules/tests:%s links %s, but this target is compiled %s -fpreview-breaking-changes; set the option in copts of all SYCL targets" % (dep, library, how)],
        )
    _fails_without_preview_test(
        name = "cc_no_preview_test",
        target_under_test = ":preview_library",
        texts = ["preview_library: '-fpreview-breaking-changes': //rules/tests:fake_libsycl_alone has no libsycl-preview"],
    )
    _fails_without_libsycl_test(
        name = "cc_no_libsycl_test",
        target_under_test = ":plain_library",
        texts = ["the sycl_toolchain of DPC++ 0 has no libsycl, to which programs are linked; set its attribute libsycl"],
    )
    _fails_with_clang_test(
        name = "cc_clang_test",
        target_under_test = ":plain_library",
        texts = ["ordinary SYCL programs need DPC++", "the device compiler is /test/clang++", "add sycl.dpcpp"],
    )
    _fails_with_clang_test(
        name = "dpcpp_post_link_test",
        target_under_test = ":dpcpp_post_link",
        texts = ["post_link = \"dpcpp\" requires sources that DPC++ compiles"],
    )
    native.test_suite(
        name = name,
        tests = [
            "cc_above_rdc_shared_test",
            "cc_any_device_test",
            "cc_clang_test",
            "cc_data_test",
            "cc_described_test",
            "cc_device_library_test",
            "cc_fixed_targets_test",
            "cc_nvidia_test",
            "cc_library_test",
            "cc_linking_program_test",
            "cc_links_above_rdc_shared_test",
            "cc_links_above_shared_test",
            "cc_links_preview_program_test",
            "cc_links_preview_shared_test",
            "cc_links_program_test",
            "cc_links_rdc_shared_test",
            "cc_links_shared_test",
            "cc_mixed_preview_program_test",
            "cc_mixed_program_test",
            "cc_no_libsycl_test",
            "cc_no_preview_test",
            "cc_c_alone_test",
            "cc_no_source_test",
            "cc_precompiled_library_test",
            "cc_precompiled_program_test",
            "cc_rdc_library_test",
            "cc_rdc_program_test",
            "cc_report_test",
            "cc_specialize_library_test",
            "cc_specialize_nothing_test",
            "cc_specialize_program_test",
            "cc_specialize_test_program_test",
            "cc_two_runtimes_test",
            "cc_wrong_attribute_test",
            "cc_wrong_srcs_file_test",
            "cc_wrong_srcs_library_test",
            "cc_wrong_srcs_rule_test",
            "cc_wrong_srcs_version_test",
            "dpcpp_post_link_test",
        ],
    )
