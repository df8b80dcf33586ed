"""Analysis tests of icpx options: the actions that get them, and the rejected options."""

load("@bazel_skylib//lib:unittest.bzl", "analysistest", "asserts")
load("@rules_cc//cc:cc_library.bzl", "cc_library")
load("//rules:sycl_binary.bzl", "sycl_binary")
load("//rules:sycl_cc_binary.bzl", "sycl_cc_binary")
load("//rules:sycl_cc_library.bzl", "sycl_cc_library")
load("//rules:sycl_library.bzl", "sycl_library")
load("//rules/private/targets:names.bzl", "PROGRAM_SUFFIX")
load(":analysis.bzl", "COMPLETE", "DPCPP", "by_mnemonic", "make_fails_test")

_EMULATE = "-Xclang -fsycl-fp64-conv-emu"

def _takes_impl(ctx):
    env = analysistest.begin(ctx)
    actions = by_mnemonic(env)
    for mnemonic, wants in ctx.attr.has.items():
        lines = [_line(a) for a in actions.get(mnemonic, [])]
        for want in wants:
            asserts.true(env, [line for line in lines if want + " " in line], "no %s has %s: %s" % (mnemonic, want, lines))
    for mnemonic, unwanted in ctx.attr.has_not.items():
        asserts.true(env, mnemonic in actions, "there is no " + mnemonic)
        for line in [_line(a) for a in actions[mnemonic]]:
            for text in unwanted:
                asserts.false(env, text in line, "%s has %s: %s" % (mnemonic, text, line))
    for mnemonic, count in ctx.attr.counts.items():
        asserts.equals(env, int(count), len(actions.get(mnemonic, [])), "actions " + mnemonic)
    return analysistest.end(env)

def _line(action):
    # The compile of the object with device images is not for a source.
    return " ".join(action.argv or []) + " " if not action.outputs.to_list()[0].basename.startswith("flags_images") else ""

_ATTRS = {
    "counts": attr.string_dict(doc = "mnemonic -> number of actions"),
    "has": attr.string_list_dict(doc = "mnemonic -> texts, each in the command of one of the actions"),
    "has_not": attr.string_list_dict(doc = "mnemonic -> texts that no command contains"),
}

_takes_test = analysistest.make(
    _takes_impl,
    attrs = _ATTRS,
    config_settings = {"//command_line_option:extra_toolchains": DPCPP},
)

_clang_takes_test = analysistest.make(
    _takes_impl,
    attrs = _ATTRS,
    config_settings = {"//command_line_option:extra_toolchains": COMPLETE},
)

_fails_test = make_fails_test(DPCPP)
_clang_fails_test = make_fails_test(COMPLETE)

def _make_command_line_test(flag, option):
    return make_fails_test(DPCPP, {"//command_line_option:" + flag: [option]})

_copt_test = _make_command_line_test("copt", "-fsycl")
_copt_host_test = make_fails_test(DPCPP, {"//command_line_option:copt": ["-Xarch_host", "-DX"]})
_cxxopt_test = _make_command_line_test("cxxopt", "-fsycl-targets=spir64")
_linkopt_test = _make_command_line_test("linkopt", "-fsycl-max-parallel-link-jobs=16")

_ALL = ["spir64", "intel_gpu_pvc", "intel_gpu_acm_g10"]

# Name -> attributes of a sycl_cc_library, and the expectations of _takes_test.
_TAKES = {
    "agrees": struct(
        attributes = {"copts": ["-fsycl-targets=intel_gpu_pvc,spir64-unknown-unknown", "-fno-sycl-rdc"], "sycl_targets": ["spir64", "intel_gpu_pvc"]},
        counts = {"SyclAot": "1"},
    ),
    "backend": struct(
        attributes = {
            "backend_options": {"*": ["-a"], "intel_gpu_*": ["-b"], "intel_gpu_pvc": ["-c 'd e'"], "spir64": ["-f"]},
            "require_images": True,
            "skip_rejected_images": True,
            "sycl_targets": _ALL,
        },
        has = {
            "SyclAotFilter": ["--option=intel_gpu_pvc=-a --option=intel_gpu_pvc=-b --option=intel_gpu_pvc=-c 'd e'"],
            "SyclAot": ["--option=-a --option=-b --option=-c 'd e' --device pvc", "--option=-a --option=-b --device acm-g10", "--share=families --skip-rejected-images --code-dir"],
            "SyclWrap": ["--option=-a --option=-f --require-images"],
        },
        counts = {"SyclAot": "2"},
    ),
    "backend_flags": struct(
        attributes = {
            "copts": ["-Xs '-options \"-a -b\"'", "-Xsc", "-Xsycl-target-backend=intel_gpu_12_60_7 -d", "-Xsycl-target-backend=spir64 \"-e -f\""],
            "linkopts": ["-Xsycl-target-backend=spir64_gen -g"],
            "sycl_targets": _ALL,
        },
        has = {
            "SyclAot": ["--option=-a -b --option=-c --option=-d --option=-g --device pvc", "--option=-c --option=-g --device acm-g10"],
            "SyclWrap": ["--option=-c --option=-e --option=-f"],
        },
        has_not = {"CppCompile": ["-X"], "SyclCompile": ["-Xs"], "SyclWrap": ["--option=-a", "--option=-g"]},
    ),
    "backend_of_one": struct(
        attributes = {"copts": ["-Xsycl-target-backend -cl-opt-disable", "-ftarget-compile-fast", "-foffload-fp32-prec-div"]},
        has = {"SyclWrap": ["--option=-cl-opt-disable --option=-ftarget-compile-fast --option=-foffload-fp32-prec-div"]},
        has_not = {"CppCompile": ["-ftarget", "-foffload"], "SyclCompile": ["-ftarget", "-foffload"]},
    ),
    "backend_of_gpus": struct(
        attributes = {"copts": ["-ftarget-compile-fast", "-foffload-fp32-prec-sqrt"], "sycl_targets": ["intel_gpu_pvc"]},
        has = {"SyclAot": ["--option=-igc_opts --option='PartitionUnit=1,SubroutineThreshold=50000' --option=-ze-fp32-correctly-rounded-divide-sqrt"]},
        has_not = {"SyclWrap": ["--option", "--require-images"]},
    ),
    "both": struct(
        attributes = {"copts": ["-fno-sycl-id-queries-fit-in-int", "-fsycl-range-rounding=disable", "-fp-model=precise"]},
        has = {
            "CppCompile": ["-U__SYCL_ID_QUERIES_FIT_IN_INT__", "-D__SYCL_DISABLE_PARALLEL_FOR_RANGE_ROUNDING__=1"],
            "SyclCompile": ["-fno-sycl-id-queries-fit-in-int -fsycl-range-rounding=disable -fp-model=precise"],
        },
        has_not = {"CppCompile": ["-fno-sycl", "-fsycl", "-fp-model"]},
    ),
    "device": struct(
        attributes = {
            "copts": ["-fsycl-allow-func-ptr", "-fsycl-default-sub-group-size=16", "-Xsycl-target-frontend '-DFRONT -O1'", "-Xclang -fsycl-of-cc1"],
            "device_copts": ["-fp-model=fast", "-fsycl-new-option"],
            "host_copts": ["-ffast-math"],
        },
        has = {
            "CppCompile": ["-ffast-math", "-Xclang -fsycl-of-cc1"],
            "SyclCompile": ["-Xclang -fsycl-allow-func-ptr", "-fsycl-default-sub-group-size=16", "-DFRONT -O1", "-fp-model=fast", "-fsycl-new-option", "-Xclang -fsycl-of-cc1"],
        },
        has_not = {"CppCompile": ["func-ptr", "sub-group-size", "-DFRONT", "-fp-model"], "SyclCompile": ["-ffast-math"]},
    ),
    "fp_model_of_both": struct(
        attributes = {"copts": ["-ffp-model=fast"]},
        has = {"CppCompile": ["-ffast-math"], "SyclCompile": ["-ffp-model=fast"]},
        has_not = {"CppCompile": ["-ffp-model"], "SyclCompile": ["-ffast-math"]},
    ),
    "emulation": struct(
        attributes = {"copts": ["-fsycl-fp64-conv-emu"], "sycl_targets": _ALL},
        has = {"SyclAot": ["--option=-ze-fp64-gen-conv-emu"], "SyclCompile": [_EMULATE]},
        has_not = {"CppCompile": ["fp64"], "SyclWrap": ["--option"]},
        counts = {"SyclCompile": "2", "SyclImages": "2"},
    ),
    "emulation_in_spirv": struct(
        attributes = {"device_copts": ["-fsycl-fp64-conv-emu"]},
        has_not = {"SyclWrap": ["--option"]},
        counts = {"SyclImages": "1"},
    ),
    "host": struct(
        attributes = {"copts": ["-fopenmp", "-march=native", "-Xarch_host -DHOST"], "linkopts": ["-fopenmp"]},
        has = {"CppCompile": ["-fopenmp", "-march=native", "-DHOST"], "SyclCompile": ["-march=native"]},
        has_not = {"CppCompile": ["-Xarch"], "SyclCompile": ["-fopenmp", "-DHOST"]},
    ),
    "one_sided": struct(
        attributes = {
            "copts": ["-Xarch_host", "-fp-model=fast", "-Xarch_host '-fsycl-range-rounding=disable -DSIDE=1 -fsycl'", "-Xarch_device", "'-DSIDE=2 -fsycl-default-sub-group-size=16'", "-Xsycl-target-frontend -DFRONT"],
            "linkopts": ["-Xarch_host '-fopenmp -fsycl-range-rounding=disable'"],
            "local_defines": ["OTHER=1"],
        },
        has = {
            "CppCompile": ["-ffast-math -D__SYCL_DISABLE_PARALLEL_FOR_RANGE_ROUNDING__=1 -DSIDE=1"],
            "SyclCompile": ["-DSIDE=2 -fsycl-default-sub-group-size=16 -DFRONT", "--apart SIDE,FRONT"],
        },
        has_not = {"CppCompile": ["-Xarch", "-fp-model", "-fsycl", "SIDE=2", "FRONT"], "SyclCompile": ["-Xarch", "-ffast-math", "-fp-model", "SIDE=1", "-fsycl-range"]},
    ),
    "nothing": struct(
        attributes = {"copts": ["-fsycl", "-fsycl-unnamed-lambda", "-shared-intel"], "host_copts": ["-fsycl"], "device_copts": ["-fsycl"]},
        has = {"CppCompile": [""]},
        has_not = {"CppCompile": ["-fsycl", "-shared-intel"], "SyclCompile": ["-fsycl ", "-fsycl-unnamed", "-shared-intel"]},
    ),
    "preview": struct(
        attributes = {"copts": ["-fpreview-breaking-changes"], "linkopts": ["-fpreview-breaking-changes"]},
        has = {"CppCompile": ["-D__INTEL_PREVIEW_BREAKING_CHANGES=1"], "SyclCompile": ["-fpreview-breaking-changes"]},
        has_not = {"CppCompile": ["-fpreview"]},
    ),
    "split": struct(
        attributes = {"linkopts": ["-fsycl", "-fsycl-device-code-split=per_source", "-fsycl-device-code-split=per_kernel"]},
        has = {"SyclCompile": ["-fsycl-device-code-split=per_kernel"]},
    ),
    "split_auto": struct(
        attributes = {"copts": ["-fsycl-device-code-split"]},
        has = {"SyclCompile": ["-fsycl-device-code-split=auto"]},
    ),
    "targets": struct(
        attributes = {"copts": ["-fsycl-targets=spir64,intel_gpu_pvc"]},
        counts = {"SyclAot": "1"},
    ),
}

# Name -> attributes of a sycl_cc_library, and parts of the error.
_FAILS = {
    "both_in_device": ({"device_copts": ["-fsycl-range-rounding=force"]}, "device_copts: '-fsycl-range-rounding=force': both compilations must agree on this option; move it to copts"),
    "both_in_host": ({"host_copts": ["-fsycl-id-queries-range=uint"]}, "host_copts: '-fsycl-id-queries-range=uint': both compilations must agree on this option; move it to copts"),
    "device_in_host": ({"host_copts": ["-fsycl-early-optimizations"]}, "host_copts: '-fsycl-early-optimizations': this option is for device code; move it to copts"),
    "emulation_in_host": ({"host_copts": ["-fsycl-fp64-conv-emu"]}, "host_copts: '-fsycl-fp64-conv-emu': this option is for device code"),
    "fixed": ({"copts": ["-fsycl-fixed-targets=intel_gpu_pvc"]}, "copts: '-fsycl-fixed-targets=intel_gpu_pvc': set fixed_targets = [\"intel_gpu_pvc\"]"),
    "fp_model": ({"copts": ["-fp-model=source"]}, "copts: '-fp-model=source': unknown model; expected precise, fast"),
    "host_in_device": ({"device_copts": ["-fopenmp"]}, "device_copts: '-fopenmp': this option is for the host; move it to host_copts"),
    "intel": ({"copts": ["-qopenmp"]}, "copts: '-qopenmp': use -fopenmp in host_copts and linkopts"),
    "intel_link": ({"linkopts": ["-qmkl=parallel"]}, "linkopts: '-qmkl=parallel': oneMKL is not part of the rules; add it to deps as a cc_library"),
    "intel_of_host": ({"copts": ["-Xarch_host -ftz"]}, "copts: '-Xarch_host -ftz': an icpx option; g++ and clang flush denormals"),
    "device_of_host": ({"copts": ["-Xarch_host -fsycl-early-optimizations"]}, "copts: '-Xarch_host -fsycl-early-optimizations': this option is for device code"),
    "quote_of_host": ({"copts": ["-Xarch_host", "\\'-a"]}, "copts: '-Xarch_host '-a': its value lacks the closing '"),
    "lacks_value": ({"copts": ["-Xs"]}, "copts: '-Xs' requires a value in the next option"),
    "link": ({"linkopts": ["-fsycl-link"]}, "linkopts: '-fsycl-link': libraries do not link device code; set rdc = True"),
    "ocloc": ({"copts": ["-Xs '-device pvc'"]}, "copts: '-Xs -device pvc': -device is an option of ocloc itself; list the devices in sycl_targets"),
    "preview_in_device": ({"device_copts": ["-fpreview-breaking-changes"]}, "device_copts: '-fpreview-breaking-changes': both compilations must agree on this option; move it to copts"),
    "quote": ({"copts": ["-Xs", "\\'-a"]}, "copts: '-Xs '-a': its value lacks the closing '"),
    "rdc": ({"copts": ["-fsycl-rdc"]}, "'-fsycl-rdc': use the attribute rdc = True instead"),
    "rdc_backend": ({"backend_options": {"*": ["-a"]}, "rdc": True}, "backend_options: this library builds no device images; set backend_options on the sycl_cc_binary"),
    "preview_in_link": ({"linkopts": ["-fpreview-breaking-changes"]}, "linkopts: '-fpreview-breaking-changes': has no effect without the same option in copts; add it there"),
    "rdc_contradicts": ({"linkopts": ["-fno-sycl-rdc"], "rdc": True}, "'-fno-sycl-rdc' contradicts the attribute rdc = True; remove one of them"),
    "several_targets": ({"copts": ["-Xsycl-target-backend -g"], "sycl_targets": _ALL}, "copts: '-Xsycl-target-backend -g': ambiguous with several targets; specify one"),
    "split": ({"copts": ["-fsycl-device-code-split=kernel"]}, "unknown mode in '-fsycl-device-code-split=kernel'; use one of auto, per_source, per_kernel, off"),
    "split_contradicts": ({"copts": ["-fsycl-device-code-split=per_kernel"], "device_code_split": "off"}, "'-fsycl-device-code-split=per_kernel' contradicts the attribute device_code_split = \"off\""),
    "target": ({"copts": ["-Xsycl-target-backend=intel_gpu_pvd -g"], "sycl_targets": _ALL}, "copts: '-Xsycl-target-backend=intel_gpu_pvd -g': unknown target \"intel_gpu_pvd\"; did you mean intel_gpu_pvc"),
    "targets": ({"copts": ["-fsycl-targets=spir64_gen"]}, "sycl_targets: images for 'spir64_gen' need a compiler"),
    "targets_contradict": ({"copts": ["-fsycl-targets=spir64"], "sycl_targets": _ALL}, "'-fsycl-targets=spir64' contradicts the attribute sycl_targets = "),
    "unknown": ({"copts": ["-fsycl-new-option"]}, "copts: '-fsycl-new-option': unknown icpx option, see docs/reference/icpx-options.md; if the device compiler supports it, move it to device_copts"),
}

def flags_test_suite(name):
    """Declares all tests of this file.

    Args:
        name: name of the suite.
    """
    manual = {"tags": ["manual"]}
    tests = []
    for case, want in _TAKES.items():
        sycl_cc_library(name = "flags_" + case, srcs = ["a.cpp"], **(want.attributes | manual))
        _takes_test(
            name = "flags_%s_test" % case,
            counts = getattr(want, "counts", {}),
            has = getattr(want, "has", {}),
            has_not = getattr(want, "has_not", {}),
            target_under_test = ":flags_" + case,
        )
        tests.append("flags_%s_test" % case)
    for case, (attributes, text) in _FAILS.items():
        sycl_cc_library(name = "flags_wrong_" + case, srcs = ["a.cpp"], **(attributes | manual))
        _fails_test(name = "flags_wrong_%s_test" % case, target_under_test = ":flags_wrong_" + case, texts = ["flags_wrong_%s: %s" % (case, text)])
        tests.append("flags_wrong_%s_test" % case)

    # Link options of a program: its own linkopts, and linkopts of C++ libraries.
    cc_library(name = "flags_mkl", linkopts = ["-fsycl", "-lmkl", "-fsycl-max-parallel-link-jobs=16"], **manual)
    sycl_cc_binary(name = "flags_program", srcs = ["c.cpp"], linkopts = ["-fsycl", "-lown", "-fsycl-max-parallel-link-jobs=8"], deps = [":flags_mkl"], **manual)
    _takes_test(
        name = "flags_link_test",
        has = {"CppLink": ["-lown", "-lmkl"]},
        has_not = {"CppLink": ["-fsycl"]},
        target_under_test = ":flags_program",
    )
    cc_library(name = "flags_splitting", linkopts = ["-fsycl-device-code-split=per_kernel"], **manual)
    sycl_cc_binary(name = "flags_wrong_program", srcs = ["c.cpp"], deps = [":flags_splitting"], **manual)
    _fails_test(
        name = "flags_wrong_deps_test",
        target_under_test = ":flags_wrong_program" + PROGRAM_SUFFIX,
        texts = ["deps: linkopts of //rules/tests:flags_splitting: '-fsycl-device-code-split=per_kernel' would apply to the device code of the program; set the program's attribute device_code_split instead"],
    )

    # The command line applies to all C++ code.
    sycl_cc_library(name = "flags_none", srcs = ["a.cpp"], **manual)
    _copt_host_test(name = "flags_copt_host_test", target_under_test = ":flags_none", texts = ["--copt='-Xarch_host -DX' applies to all C++ compiles", "remove it; add it to copts of the targets with device code, or its value to --copt"])
    _copt_test(name = "flags_copt_test", target_under_test = ":flags_none", texts = ["--copt='-fsycl' applies to all C++ compiles", "remove it; the rule compiles and links SYCL"])
    _cxxopt_test(name = "flags_cxxopt_test", target_under_test = ":flags_none", texts = ["--cxxopt='-fsycl-targets=spir64' applies to all C++ compiles", "set the attribute sycl_targets of the targets with device code"])
    _linkopt_test(name = "flags_linkopt_test", target_under_test = ":flags_none", texts = ["--linkopt='-fsycl-max-parallel-link-jobs=16' applies to all C++ compiles"])

    # Rules that compile for devices only. With clang, only post-link supports emulation.
    sycl_binary(
        name = "flags_binary",
        srcs = ["a.cpp"],
        copts = ["-fsycl", "-fsycl-device-code-split=per_kernel", "-fsycl-targets=intel_gpu_acm_g10,spir64", "-Xs -a", "-fsycl-fp64-conv-emu", "-fsycl-new-option"],
        **manual
    )
    _clang_takes_test(
        name = "flags_binary_test",
        counts = {"SyclCompile": "1", "SyclPostLink": "2"},
        has = {"SyclAot": ["--option=-a --option=-ze-fp64-gen-conv-emu --device acm-g10"], "SyclCompile": ["-fsycl-new-option"], "SyclPostLink": ["--split per_kernel", "--fsycl-fp64-conv-emu"], "SyclTranslate": ["--fsycl-fp64-conv-emu"]},
        has_not = {"SyclCompile": ["-fsycl-targets", "-Xs", "fp64"]},
        target_under_test = ":flags_binary",
    )
    sycl_binary(name = "flags_binary_spirv", srcs = ["a.cpp"], backend_options = {"*": ["-a"]}, **manual)
    sycl_library(name = "flags_library", srcs = ["a.cpp"], copts = ["-fsycl-targets=spir64"], **manual)
    sycl_library(name = "flags_backend_library", srcs = ["a.cpp"], copts = ["-Xs -a"], **manual)
    sycl_library(name = "flags_library_targets", srcs = ["a.cpp"], targets = ["intel_gpu_pvc"], **manual)
    sycl_binary(name = "flags_nvidia", srcs = ["a.cpp"], backend_options = {"nvidia_gpu_sm_90": ["-a"]}, sycl_targets = ["nvidia_gpu_sm_90"], **manual)
    for target, text in {
        "flags_backend_library": "copts: '-Xs -a': set backend_options on the target that builds device images of this code",
        "flags_binary_spirv": "backend_options: a SYCLBIN cannot store options for DPC++'s runtime",
        "flags_library": "copts: '-fsycl-targets=spir64': this rule has no attribute sycl_targets, which the option sets",
        "flags_library_targets": "targets: a library is compiled once for all targets; set sycl_targets on the sycl_binary",
        "flags_nvidia": "backend_options: not supported for nvidia_gpu_sm_90",
    }.items():
        _clang_fails_test(name = target + "_test", target_under_test = ":" + target, texts = [text])
        tests.append(target + "_test")

    native.test_suite(
        name = name,
        tests = tests + [
            "flags_binary_test",
            "flags_copt_host_test",
            "flags_copt_test",
            "flags_cxxopt_test",
            "flags_link_test",
            "flags_linkopt_test",
            "flags_wrong_deps_test",
        ],
    )
