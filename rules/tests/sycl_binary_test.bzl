"""Analysis tests of sycl_binary: the declared actions, and the rejected attributes."""

load("@bazel_skylib//lib:unittest.bzl", "analysistest", "asserts")
load("//rules:providers.bzl", "SyclbinInfo")
load("//rules:sycl_binary.bzl", "sycl_binary")
load("//rules:sycl_library.bzl", "sycl_library")
load("//rules:toolchain.bzl", "sycl_toolchain")
load(":analysis.bzl", "COMPLETE", "NO_OCLOC", "by_mnemonic", "counts", "local_programs", "make_fails_test", "values_of")

# These targets are never built, so the sources need not exist.
_SOURCES = ["a.cpp", "dir/b.cpp", "c.cpp"]
_TARGETS = ["intel_gpu_pvc", "spir64", "intel_gpu_acm_g10", "intel_gpu_12_60_7"]

def _actions_impl(ctx):
    env = analysistest.begin(ctx)
    actions = by_mnemonic(env)

    # Aliases and duplicates count as one target: three targets remain, one of which is SPIR-V.
    asserts.equals(env, {
        "SyclAot": 3 * 2,
        "SyclAotFilter": 3,
        "SyclAotPlan": 1,
        "SyclCompatCheck": 1,
        "SyclCompatReport": 1,
        "SyclCompile": 3,
        "SyclDeviceLink": 1,
        "SyclPostLink": 1,
        "SyclTranslate": 3,
        "SyclbinPack": 1,
    }, counts(actions))

    compile = actions["SyclCompile"][0]
    argv = compile.argv
    asserts.equals(env, "/test/clang++", argv[argv.index("--") + 1])
    for want in ["-fsycl", "-fsycl-device-only", "-DANSWER=42", "-Wall", "-std=c++20", "-gline-tables-only", "-ffile-compilation-dir=."]:
        asserts.true(env, want in argv, "SyclCompile lacks %s: %s" % (want, argv))
    inputs = [f.basename for f in compile.inputs.to_list() if "devicec" not in f.basename]
    asserts.equals(env, ["a.cpp", "clang.stamp", "headers.stamp"], sorted(inputs))

    # The file with which Bazel omits headers that the source does not include.
    asserts.equals(env, ["a.cpp.bc", "a.cpp.unused"], sorted([f.basename for f in compile.outputs.to_list()]))

    # Unrequested debug information would make device code depend on line numbers.
    for translate in actions["SyclTranslate"]:
        asserts.false(env, "--keep-debug-info" in translate.argv, str(translate.argv))

    # An image depends on its own module, but not on other sources.
    for aot in actions["SyclAot"]:
        spirv = [f.basename for f in aot.inputs.to_list() if f.extension == "spv"]
        asserts.equals(env, 1, len(spirv))
        asserts.true(env, "/test/ocloc" in aot.argv, str(aot.argv))

        # One process of ocloc compiles many modules.
        server = [f for f in aot.inputs.to_list() if f.extension == "so"]
        asserts.equals(env, ["libbuilt_ocloc_server.so"], [f.basename for f in server])
        asserts.equals(env, [f.path for f in server], values_of(aot.argv, "--server"))
    devices = sorted({aot.argv[aot.argv.index("--device") + 1]: None for aot in actions["SyclAot"]}.keys())
    asserts.equals(env, ["acm-g10", "pvc"], devices)
    return analysistest.end(env)

_actions_test = analysistest.make(
    _actions_impl,
    config_settings = {"//command_line_option:extra_toolchains": COMPLETE},
)

def _no_server_impl(ctx):
    env = analysistest.begin(ctx)
    for aot in by_mnemonic(env)["SyclAot"]:
        asserts.equals(env, [], [f for f in aot.inputs.to_list() if f.extension == "so"])
        asserts.false(env, "--server" in aot.argv, str(aot.argv))
    return analysistest.end(env)

_no_server_test = analysistest.make(
    _no_server_impl,
    config_settings = {
        "//command_line_option:extra_toolchains": COMPLETE,
        str(Label("//rules/settings:ocloc_server")): False,
    },
)

def _alone_impl(ctx):
    env = analysistest.begin(ctx)
    actions = by_mnemonic(env)
    asserts.equals(env, {
        "SyclAot": 3 * 2,
        "SyclAotFilter": 3,
        "SyclAotPlan": 1,
        "SyclCompatCheck": 1,
        "SyclCompatReport": 1,
        "SyclCompile": 3,
        "SyclPostLink": 3,
        "SyclTranslate": 3,
        "SyclbinPack": 1,
    }, counts(actions))
    for post_link in actions["SyclPostLink"]:
        bitcode = [f.basename for f in post_link.inputs.to_list() if f.extension == "bc"]
        asserts.equals(env, 1, len(bitcode), "a source is divided apart from the others: %s" % bitcode)
        asserts.true(env, "--allow-no-kernels" in post_link.argv, str(post_link.argv))
    return analysistest.end(env)

# Without rdc, sources do not depend on each other.
_alone_test = analysistest.make(
    _alone_impl,
    config_settings = {"//command_line_option:extra_toolchains": COMPLETE},
)

def _library_impl(ctx):
    env = analysistest.begin(ctx)
    actions = by_mnemonic(env)

    # The library's sources are compiled by the library, and translated here.
    asserts.equals(env, [1, 1, 3], [len(actions[m]) for m in ["SyclCompile", "SyclDeviceLink", "SyclTranslate"]])
    linked = [a.split("=")[0] for a in actions["SyclDeviceLink"][0].argv if a.endswith(".bc") and "=" in a]
    asserts.equals(
        env,
        ["rules/tests/a.cpp", "rules/tests/c.cpp", "rules/tests/dir/b.cpp"],
        sorted(linked),
    )
    return analysistest.end(env)

_library_test = analysistest.make(
    _library_impl,
    config_settings = {"//command_line_option:extra_toolchains": COMPLETE},
)

_SAME = [
    "rules/tests/a.cpp",
    "rules/tests/a.cpp of //rules/tests:same_library",
    "rules/tests/a.cpp of //rules/tests:third_library",
]

def _source_twice_impl(ctx):
    env = analysistest.begin(ctx)
    actions = by_mnemonic(env)
    split = actions["SyclPostLink"]
    if "SyclDeviceLink" in actions:
        linked = [a.rpartition("=")[0] for a in actions["SyclDeviceLink"][0].argv if a.endswith(".bc") and "=" in a]
        asserts.equals(env, _SAME, sorted(linked))
        asserts.equals(env, _SAME, sorted([a.removeprefix("--module=").rpartition("=")[0] for a in split[0].argv if a.startswith("--module=")]))
    else:
        asserts.equals(env, _SAME, sorted([values_of(a.argv, "--source")[0] for a in split]))
    asserts.equals(env, 3, len(actions["SyclTranslate"]))

    # The binary's own compilation, in which constants have different names than in the libraries.
    asserts.equals(env, 1, len(actions["SyclCompile"]))
    return analysistest.end(env)

# Several targets can compile the same source.
_source_twice_test = analysistest.make(
    _source_twice_impl,
    config_settings = {"//command_line_option:extra_toolchains": COMPLETE},
)

def _equals_impl(ctx):
    env = analysistest.begin(ctx)
    actions = by_mnemonic(env)
    ids = ["rules/tests/100%25.cpp", "rules/tests/a%3Db.cpp"]
    asserts.equals(env, ids, sorted([a.partition("=")[0] for a in actions["SyclDeviceLink"][0].argv if a.endswith(".bc") and "=" in a and not a.startswith("-") and "linked" not in a]))
    asserts.equals(env, ids, sorted([a.removeprefix("--module=").partition("=")[0] for a in actions["SyclPostLink"][0].argv if a.startswith("--module=")]))
    tables = [a for a in actions["SyclbinPack"][0].argv if a.startswith("--table=")]
    asserts.equals(env, 2, len([t for t in tables if t.startswith("--table=spir64-unknown-unknown==bazel-out/")]), str(tables))
    return analysistest.end(env)

# Names with = are escaped in arguments of the tools.
_equals_test = analysistest.make(
    _equals_impl,
    config_settings = {"//command_line_option:extra_toolchains": COMPLETE},
)

def _split_off_impl(ctx):
    env = analysistest.begin(ctx)
    actions = by_mnemonic(env)
    asserts.equals(env, [3, 1], [len(actions[m]) for m in ["SyclCompile", "SyclTranslate"]])
    asserts.false(env, "SyclAot" in actions, "SPIR-V needs no ahead-of-time compiler")
    translate = actions["SyclTranslate"][0]
    asserts.true(env, "--keep-debug-info" in translate.argv, "-g is for the shipped code: %s" % translate.argv)
    return analysistest.end(env)

# spir64 alone must not need ocloc.
_split_off_test = analysistest.make(
    _split_off_impl,
    config_settings = {"//command_line_option:extra_toolchains": NO_OCLOC},
)

def _same_chip_impl(ctx):
    env = analysistest.begin(ctx)
    actions = by_mnemonic(env)["SyclAot"]

    # There is one action for the two names of a chip, and one for the other chip.
    outputs = [sorted([f.basename for f in a.outputs.to_list() if f.extension == "table"]) for a in actions]
    asserts.equals(env, [
        ["%s.intel_gpu_acm_g10.table", "%s.intel_gpu_dg2.table"],
        ["%s.intel_gpu_pvc.table"],
    ], [[name.replace(name.split(".intel")[0], "%s") for name in names] for names in outputs])
    argv = actions[0].argv
    devices = [argv[i + 1] for i in range(len(argv)) if argv[i] == "--device"]
    asserts.equals(env, ["acm-g10", "dg2"], devices)
    return analysistest.end(env)

_same_chip_test = analysistest.make(
    _same_chip_impl,
    config_settings = {"//command_line_option:extra_toolchains": COMPLETE},
)

def _specialize_impl(ctx):
    env = analysistest.begin(ctx)
    actions = by_mnemonic(env)
    asserts.equals(env, 1, len(actions["SyclSpecialize"]))
    argv = actions["SyclSpecialize"][0].argv
    for text in ["--set=app::scale=0.5", "--set=app::tile={x: 32, y: 4}", "--label=//rules/tests:specialize_binary"]:
        asserts.true(env, text in argv, str(argv))
    asserts.false(env, any([a.startswith("@") for a in argv]), "an argument begins like a parameter file: %s" % argv)
    asserts.equals(env, 3, len([a for a in argv if a == "--table"]))

    # Later actions have the new values: compilation of images, packing, and planning.
    for mnemonic in ["SyclAot", "SyclbinPack"]:
        for action in actions[mnemonic]:
            for f in action.inputs.to_list():
                if f.extension in ["spv", "properties"]:
                    asserts.true(env, ".specialized." in f.basename, "%s reads %s" % (mnemonic, f.basename))
    for mnemonic in ["SyclAotFilter", "SyclAotPlan"]:
        for action in actions[mnemonic]:
            for f in action.inputs.to_list():
                if f.extension == "properties":
                    asserts.true(env, ".specialized." in f.basename, "%s reads %s" % (mnemonic, f.basename))
    return analysistest.end(env)

_specialize_test = analysistest.make(
    _specialize_impl,
    config_settings = {"//command_line_option:extra_toolchains": COMPLETE},
)

def _pack_impl(ctx):
    env = analysistest.begin(ctx)
    packs = by_mnemonic(env)["SyclbinPack"]
    asserts.equals(env, ctx.attr.files, [f.basename for f in analysistest.target_under_test(env)[SyclbinInfo].files])
    asserts.equals(env, len(ctx.attr.files), len(packs))
    for pack in packs:
        argv = pack.argv
        asserts.equals(env, ctx.attr.runtime, argv[argv.index("--runtime") + 1])
        asserts.equals(env, ctx.attr.ir, argv[argv.index("--ir") + 1] if "--ir" in argv else "any")
        tables = [a.split("=")[1] for a in argv if a.startswith("--table=")]
        name = pack.outputs.to_list()[0].basename
        asserts.equals(env, ctx.attr.spirv[name] == "yes", "spir64-unknown-unknown" in tables, name)
        asserts.equals(env, ctx.attr.native[name] == "yes", "spir64_gen-unknown-unknown" in tables, name)
    return analysistest.end(env)

# Checks which files are written, and what is packed into each of them.
_pack_test = analysistest.make(
    _pack_impl,
    attrs = {
        "files": attr.string_list(),
        "ir": attr.string(default = "any"),
        "native": attr.string_dict(),
        "runtime": attr.string(),
        "spirv": attr.string_dict(),
    },
    config_settings = {"//command_line_option:extra_toolchains": COMPLETE},
)

_fails_test = make_fails_test(COMPLETE)

def _toolchain(name, missing = {}, **paths):
    programs = local_programs(name, {
        "clang": "/test/clang++",
        "llvm_dis": "/test/llvm-dis",
        "llvm_link": "/test/llvm-link",
        "llvm_spirv": "/test/llvm-spirv",
        "opt": "/test/opt",
        "spirv_val": "/test/spirv-val",
    } | paths, stamps = {"clang": "clang.stamp"})
    sycl_toolchain(
        name = name + "_impl",
        headers = ["headers.stamp"],
        missing = missing,
        tags = ["manual"],
        **programs
    )
    native.toolchain(
        name = name,
        toolchain = name + "_impl",
        toolchain_type = "//rules/toolchain:toolchain_type",
    )

def _binary(name, **kwargs):
    sycl_binary(name = name, tags = ["manual"], **kwargs)
    return name

def sycl_binary_test_suite(name):
    """Declares all tests of this file.

    Args:
        name: name of the suite.
    """
    _toolchain("complete_toolchain", ocloc = "/test/ocloc")
    _toolchain("no_llvm_spirv_toolchain", llvm_spirv = "", llc = "/test/llc", ocloc = "/test/ocloc")
    _toolchain("no_ocloc_toolchain", missing = {"ocloc": "not in PATH"})

    _actions_test(
        name = "actions_test",
        target_under_test = _binary(
            "actions_binary",
            srcs = _SOURCES,
            copts = ["-Wall"],
            defines = ["ANSWER=42"],
            rdc = True,
            sycl_targets = _TARGETS,
        ),
    )
    _alone_test(
        name = "alone_test",
        target_under_test = _binary("alone_binary", srcs = _SOURCES, sycl_targets = _TARGETS),
    )
    _no_server_test(
        name = "no_server_test",
        target_under_test = _binary("no_server_binary", srcs = _SOURCES, sycl_targets = _TARGETS),
    )
    _same_chip_test(
        name = "same_chip_test",
        target_under_test = _binary(
            "same_chip_binary",
            srcs = _SOURCES[:1],
            sycl_targets = [
                "intel_gpu_dg2",
                "intel_gpu_pvc",
                "intel_gpu_acm_g10",
            ],
        ),
    )
    _split_off_test(
        name = "split_off_test",
        target_under_test = _binary(
            "split_off_binary",
            srcs = _SOURCES,
            copts = [
                "-O1",
                "-g",
            ],
            device_code_split = "off",
            rdc = True,
        ),
    )
    _equals_test(
        name = "equals_test",
        target_under_test = _binary("x=y", srcs = ["a=b.cpp", "100%.cpp"], rdc = True),
    )
    _pack_test(
        name = "pack_test",
        files = ["pack_binary.syclbin"],
        native = {"pack_binary.syclbin": "yes"},
        runtime = "2026.0",
        spirv = {"pack_binary.syclbin": "yes"},
        target_under_test = _binary("pack_binary", srcs = _SOURCES, sycl_targets = _TARGETS),
    )
    _pack_test(
        name = "pack_cpu_test",
        files = ["pack_cpu_binary.syclbin"],
        ir = "cpu",
        native = {"pack_cpu_binary.syclbin": "yes"},
        runtime = "2025.3",
        spirv = {"pack_cpu_binary.syclbin": "yes"},
        target_under_test = _binary("pack_cpu_binary", srcs = _SOURCES, ir = "cpu", runtime = "2025.3", sycl_targets = _TARGETS),
    )
    _pack_test(
        name = "pack_separate_test",
        files = [
            "pack_separate_binary.syclbin",
            "pack_separate_binary.ir.syclbin",
        ],
        native = {
            "pack_separate_binary.ir.syclbin": "no",
            "pack_separate_binary.syclbin": "yes",
        },
        runtime = "2026.2",
        spirv = {
            "pack_separate_binary.ir.syclbin": "yes",
            "pack_separate_binary.syclbin": "no",
        },
        target_under_test = _binary("pack_separate_binary", srcs = _SOURCES, ir = "separate", runtime = "2026.2", sycl_targets = _TARGETS),
    )
    _pack_test(
        name = "pack_none_test",
        files = ["pack_none_binary.syclbin"],
        native = {"pack_none_binary.syclbin": "yes"},
        runtime = "2026.0",
        spirv = {"pack_none_binary.syclbin": "no"},
        target_under_test = _binary("pack_none_binary", srcs = _SOURCES, ir = "none", sycl_targets = _TARGETS),
    )
    _fails_test(
        name = "ir_without_native_test",
        target_under_test = _binary("ir_without_native_binary", srcs = _SOURCES, ir = "none"),
        texts = ["ir = \"none\" requires both spir64 and a target with native images"],
    )
    _fails_test(
        name = "ir_of_object_test",
        target_under_test = _binary("ir_of_object_binary", srcs = _SOURCES, ir = "separate", state = "object", sycl_targets = _TARGETS),
        texts = ["ir = \"separate\" requires executable state"],
    )
    _specialize_test(
        name = "specialize_test",
        target_under_test = _binary("specialize_binary", srcs = _SOURCES, specialize = {"app::scale": "0.5", "app::tile": "{x: 32, y: 4}"}, sycl_targets = _TARGETS),
    )
    _fails_test(
        name = "specialize_nothing_test",
        target_under_test = _binary("specialize_nothing_binary", srcs = _SOURCES, specialize = {"app::scale": ""}),
        texts = ["specialize: invalid entry \"app::scale\": \"\"; expected the name of a constant and its value"],
    )
    sycl_library(name = "deep_library", srcs = ["c.cpp"], tags = ["manual"])
    sycl_library(name = "one_library", srcs = ["dir/b.cpp"], tags = ["manual"], deps = [":deep_library"])
    sycl_library(name = "other_library", tags = ["manual"], deps = [":deep_library"])
    sycl_library(name = "same_library", srcs = ["a.cpp"], tags = ["manual"])
    _library_test(
        name = "library_test",
        target_under_test = _binary("library_binary", srcs = ["a.cpp"], rdc = True, deps = [":one_library", ":other_library"]),
    )
    sycl_library(name = "third_library", srcs = ["a.cpp"], local_defines = ["THIRD"], tags = ["manual"])
    _source_twice_test(
        name = "source_twice_test",
        target_under_test = _binary("source_twice_binary", srcs = ["a.cpp"], deps = [":same_library", ":third_library"]),
    )
    _source_twice_test(
        name = "source_twice_rdc_test",
        target_under_test = _binary("source_twice_rdc_binary", srcs = ["a.cpp"], rdc = True, deps = [":same_library", ":third_library"]),
    )
    _fails_test(
        name = "no_source_test",
        target_under_test = _binary("no_source_binary"),
        texts = ["no sources: set srcs"],
    )
    _fails_test(
        name = "unknown_fixed_target_test",
        target_under_test = _binary("unknown_fixed_target_binary", srcs = _SOURCES, fixed_targets = ["intel_gpu_pcv"]),
        texts = ["fixed_targets: unknown target \"intel_gpu_pcv\"; did you mean intel_gpu_pvc"],
    )
    _fails_test(
        name = "no_target_left_test",
        target_under_test = _binary("no_target_left_binary", srcs = _SOURCES, fixed_targets = ["intel_gpu_tgllp", "intel_gpu_12_60_7"], sycl_targets = ["intel_gpu_dg1"]),
        texts = ["no_target_left_binary: fixed_targets: sycl_targets contains none of them", "add one of intel_gpu_tgllp, intel_gpu_12_60_7 to sycl_targets"],
    )
    _fails_test(
        name = "unknown_target_test",
        target_under_test = _binary("unknown_target_binary", srcs = _SOURCES, sycl_targets = ["intel_gpu_pcv"]),
        texts = ["unknown target \"intel_gpu_pcv\"; did you mean intel_gpu_pvc"],
    )
    _fails_test(
        name = "unsupported_target_test",
        target_under_test = _binary("unsupported_target_binary", srcs = _SOURCES, sycl_targets = ["x86_64"]),
        texts = ["images for 'x86_64' need", "use spir64"],
    )
    native.test_suite(
        name = name,
        tests = [
            "actions_test",
            "alone_test",
            "equals_test",
            "ir_of_object_test",
            "ir_without_native_test",
            "library_test",
            "no_server_test",
            "no_source_test",
            "no_target_left_test",
            "pack_cpu_test",
            "pack_none_test",
            "pack_separate_test",
            "pack_test",
            "source_twice_rdc_test",
            "source_twice_test",
            "specialize_nothing_test",
            "specialize_test",
            "split_off_test",
            "unknown_fixed_target_test",
            "unknown_target_test",
            "unsupported_target_test",
        ],
    )
