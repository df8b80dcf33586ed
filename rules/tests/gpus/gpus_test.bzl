"""Analysis tests of targets for NVIDIA and AMD GPUs."""

load("@bazel_skylib//lib:unittest.bzl", "analysistest", "asserts")
load("//rules:sycl_binary.bzl", "sycl_binary")
load("//rules:sycl_library.bzl", "sycl_library")
load("//rules:toolchain.bzl", "sycl_toolchain")
load("//rules/tests:analysis.bzl", "COMPLETE", "by_mnemonic", "counts", "local_programs", "make_fails_test")

_GPUS = "//rules/tests/gpus:gpus_toolchain"

def _actions_impl(ctx):
    env = analysistest.begin(ctx)
    actions = by_mnemonic(env)
    counted = counts(actions)
    asserts.equals(env, ctx.attr.counts, {m: str(counted.get(m, 0)) for m in ctx.attr.counts})
    triples = {}
    for compile in actions["SyclCompile"]:
        argv = compile.argv
        triple = argv[argv.index("-triple") + 2] if "-triple" in argv else "SPIR-V"
        triples[triple] = triples.get(triple, 0) + 1
        asserts.true(env, "-DANSWER=42" in argv and "-Wall" in argv, str(argv))
    asserts.equals(env, ctx.attr.triples, {triple: str(n) for triple, n in triples.items()})
    for gpu in actions.get("SyclGpu", []):
        argv = gpu.argv
        device = argv[argv.index("--device") + 1]
        asserts.true(env, "/test/llc" in argv and "/test/opt" in argv, str(argv))
        asserts.equals(env, device.startswith("gfx"), "/test/ld.lld" in argv, device)
        asserts.equals(env, device.startswith("sm_"), "/test/nvptx64--.bc" in argv and "/test/llvm-link" in argv, device)
        asserts.equals(env, ctx.attr.debug, "--keep-debug-info" in argv, device)

        # The image of one source does not depend on other sources.
        split = [f.basename for f in gpu.inputs.to_list() if f.extension == "split"]
        asserts.equals(env, 1, len(split), str(split))
    if ctx.attr.tables:
        tables = sorted({":".join(a.split("=")[1:-1]): None for a in actions["SyclbinPack"][0].argv if a.startswith("--table=")}.keys())
        asserts.equals(env, ctx.attr.tables, tables)
    return analysistest.end(env)

_actions_test = analysistest.make(
    _actions_impl,
    attrs = {
        "counts": attr.string_dict(),
        "debug": attr.bool(),
        "tables": attr.string_list(),
        "triples": attr.string_dict(),
    },
    config_settings = {"//command_line_option:extra_toolchains": _GPUS},
)

_fails_test = make_fails_test(_GPUS)

_fails_without_llc_test = make_fails_test(COMPLETE)

_SOURCES = ["a.cpp", "b.cpp"]

def _binary(name, **kwargs):
    sycl_binary(
        name = name,
        srcs = kwargs.pop("srcs", _SOURCES),
        copts = kwargs.pop("copts", ["-Wall"]),
        defines = ["ANSWER=42"],
        tags = ["manual"],
        **kwargs
    )
    return name

def gpus_test_suite(name):
    """Declares all tests of this file.

    Args:
        name: name of the suite.
    """
    programs = local_programs("gpus_toolchain", {
        "clang": "/test/clang++",
        "libclc": "/test/nvptx64--.bc",
        "llc": "/test/llc",
        "lld": "/test/ld.lld",
        "llvm_dis": "/test/llvm-dis",
        "llvm_link": "/test/llvm-link",
        "llvm_spirv": "/test/llvm-spirv",
        "ocloc": "/test/ocloc",
        "opt": "/test/opt",
        "spirv_val": "/test/spirv-val",
    })
    sycl_toolchain(
        name = "gpus_toolchain_impl",
        tags = ["manual"],
        **programs
    )
    native.toolchain(
        name = "gpus_toolchain",
        toolchain = "gpus_toolchain_impl",
        toolchain_type = "//rules/toolchain:toolchain_type",
    )

    # For two GPUs of a family, each source has one compile and one post-link step.
    _actions_test(
        name = "alone_test",
        counts = {"SyclAot": "0", "SyclAotPlan": "1", "SyclGpu": "4", "SyclPostLink": "2", "SyclTranslate": "0", "SyclbinPack": "1"},
        tables = ["nvptx64-nvidia-cuda:nvidia_gpu_sm_80", "nvptx64-nvidia-cuda:nvidia_gpu_sm_90"],
        target_under_test = _binary("alone", sycl_targets = ["nvidia_gpu_sm_90", "nvidia_gpu_sm_80"]),
        # Nothing depends on the SPIR-V, so its compile does not run.
        triples = {"SPIR-V": "2", "nvptx64-nvidia-cuda": "2"},
    )
    _actions_test(
        name = "many_test",
        counts = {"SyclAot": "2", "SyclGpu": "6", "SyclPostLink": "8", "SyclTranslate": "2"},
        debug = True,
        tables = [
            "amdgcn-amd-amdhsa:amd_gpu_gfx1100",
            "amdgcn-amd-amdhsa:amd_gpu_gfx90a",
            "nvptx64-nvidia-cuda:nvidia_gpu_sm_90",
            "spir64-unknown-unknown:",
            "spir64_gen-unknown-unknown:intel_gpu_pvc",
        ],
        target_under_test = _binary(
            "many",
            copts = [
                "-Wall",
                "-g",
            ],
            sycl_targets = ["spir64", "intel_gpu_pvc", "nvidia_gpu_sm_90", "amd_gpu_gfx1100", "amd_gpu_gfx90a"],
        ),
        triples = {"SPIR-V": "2", "amdgcn-amd-amdhsa": "4", "nvptx64-nvidia-cuda": "2"},
    )
    _actions_test(
        name = "linked_test",
        counts = {"SyclDeviceLink": "2", "SyclGpu": "2", "SyclPostLink": "2"},
        target_under_test = _binary("linked", rdc = True, sycl_targets = ["spir64", "nvidia_gpu_sm_90"]),
        triples = {"SPIR-V": "2", "nvptx64-nvidia-cuda": "2"},
    )

    # A library does not depend on targets.
    sycl_library(
        name = "library",
        srcs = _SOURCES,
        copts = ["-Wall"],
        defines = ["ANSWER=42"],
        tags = ["manual"],
    )
    _actions_test(
        name = "library_test",
        target_under_test = "library",
        triples = {"SPIR-V": "2", "amdgcn-amd-amdhsa": "4", "nvptx64-nvidia-cuda": "2"},
    )

    for test, texts, arguments in [
        ("old_nvidia", ["cannot build for 'nvidia_gpu_sm_60': LLVM's PTX for GPUs before sm_70 has no ordered atomic operations"], {"sycl_targets": ["nvidia_gpu_sm_60"]}),
        ("old_amd", ["cannot build for 'amd_gpu_gfx701': LLVM cannot exchange values between work-items on GPUs before gfx800"], {"sycl_targets": ["amd_gpu_gfx701"]}),
        ("object", ["'nvidia_gpu_sm_90' requires state = \"executable\""], {"state": "object", "sycl_targets": ["nvidia_gpu_sm_90"]}),
        ("specialize", ["specialize has no effect on 'amd_gpu_gfx90a'"], {"specialize": {"a": "1"}, "sycl_targets": ["spir64", "amd_gpu_gfx90a"]}),
        ("cpu", ["images for 'x86_64' need opencl-aot, which only Intel's oneAPI contains"], {"sycl_targets": ["x86_64"]}),
    ]:
        _fails_test(name = test + "_test", target_under_test = _binary(test, **arguments), texts = texts)
    _fails_without_llc_test(
        name = "no_llc_test",
        target_under_test = _binary("no_llc", sycl_targets = ["nvidia_gpu_sm_90"]),
        texts = ["LLVM's llc is missing", "set the attribute 'llc'"],
    )
    native.test_suite(
        name = name,
        tests = [test + "_test" for test in ["alone", "many", "linked", "library", "old_nvidia", "old_amd", "object", "specialize", "cpu", "no_llc"]],
    )
