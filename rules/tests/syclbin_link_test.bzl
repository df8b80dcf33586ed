"""Analysis tests of syclbin_link and syclbin_import, and of SYCLBINs in deps."""

load("@bazel_skylib//lib:unittest.bzl", "analysistest", "asserts")
load("//rules:providers.bzl", "SyclDeviceInfo", "SyclbinInfo")
load("//rules:sycl_binary.bzl", "sycl_binary")
load("//rules:sycl_library.bzl", "sycl_library")
load("//rules:syclbin_import.bzl", "syclbin_import")
load("//rules:syclbin_link.bzl", "syclbin_link")
load(":analysis.bzl", "COMPLETE", "NO_LLVM_SPIRV", "by_mnemonic", "counts", "make_fails_test")

def _syclbins(action):
    return sorted([f.basename for f in action.inputs.to_list() if f.extension == "syclbin"])

def _combine_impl(ctx):
    env = analysistest.begin(ctx)
    actions = by_mnemonic(env)
    asserts.equals(env, {"SyclCompatCheck": 1, "SyclCompatReport": 1, "SyclbinImport": 1, "SyclbinLink": 1}, counts(actions))
    link = actions["SyclbinLink"][0]
    asserts.equals(env, ["library.syclbin", "main.syclbin", "prebuilt.syclbin"], _syclbins(link))
    info = analysistest.target_under_test(env)[SyclbinInfo]
    asserts.equals(env, "", info.state, "what the files import decides")
    asserts.equals(env, ["intel_gpu_pvc", "spir64"], info.targets)
    asserts.equals(env, ["devices.yaml"], [f.basename for f in info.device_config])
    asserts.true(env, SyclDeviceInfo in analysistest.target_under_test(env), "it can be linked when it is in object state")
    return analysistest.end(env)

_combine_test = analysistest.make(
    _combine_impl,
    config_settings = {"//command_line_option:extra_toolchains": COMPLETE},
)

def _finished_impl(ctx):
    env = analysistest.begin(ctx)
    target = analysistest.target_under_test(env)
    asserts.equals(env, "executable", target[SyclbinInfo].state)
    asserts.false(env, SyclDeviceInfo in target, "executable code cannot be linked")
    return analysistest.end(env)

_finished_test = analysistest.make(
    _finished_impl,
    config_settings = {"//command_line_option:extra_toolchains": COMPLETE},
)

def _unresolved_impl(ctx):
    env = analysistest.begin(ctx)
    actions = by_mnemonic(env)

    # All targets that link the result share one import, which runs only if needed.
    asserts.equals(env, 1, len(actions["SyclbinImport"]))
    asserts.equals(env, ["unresolved.syclbin"], _syclbins(actions["SyclbinImport"][0]))
    target = analysistest.target_under_test(env)
    asserts.equals(env, "object", target[SyclbinInfo].state)
    sources = target[SyclDeviceInfo].sources.to_list()
    asserts.equals(env, ["rules/tests/unresolved.syclbin"], [s.module for s in sources])
    return analysistest.end(env)

_unresolved_test = analysistest.make(
    _unresolved_impl,
    config_settings = {"//command_line_option:extra_toolchains": COMPLETE},
)

def _ir_impl(ctx):
    env = analysistest.begin(ctx)
    actions = by_mnemonic(env)

    # The link and all later actions are the same as for a sycl_binary with the same number of
    # sources.
    asserts.equals(env, {
        "SyclAot": 3,
        "SyclAotFilter": 3,
        "SyclAotPlan": 1,
        "SyclCompatCheck": 1,
        "SyclCompatReport": 1,
        "SyclDeviceLink": 1,
        "SyclPostLink": 1,
        "SyclTranslate": 3,
        "SyclbinPack": 1,
    }, counts(actions))
    link = actions["SyclDeviceLink"][0]
    linked = [a.split("=")[0] for a in link.argv if "=" in a]
    asserts.equals(env, ["rules/tests/library.syclbin", "rules/tests/main.syclbin", "rules/tests/prebuilt.syclbin"], sorted(linked))

    # Only the import of a SYCLBIN reads it.
    for mnemonic, list in actions.items():
        if mnemonic not in ["SyclCompatReport", "SyclCompatCheck"]:
            for action in list:
                asserts.equals(env, [], _syclbins(action), mnemonic)
    postlink = actions["SyclPostLink"][0]
    asserts.true(env, "--emit-only-kernels-as-entry-points" in postlink.argv, str(postlink.argv))
    asserts.false(env, "--allow-device-image-dependencies" in postlink.argv, str(postlink.argv))
    for aot in actions["SyclAot"]:
        asserts.false(env, "--library" in aot.argv, str(aot.argv))
    asserts.equals(env, "executable", analysistest.target_under_test(env)[SyclbinInfo].state)
    return analysistest.end(env)

_ir_test = analysistest.make(
    _ir_impl,
    config_settings = {"//command_line_option:extra_toolchains": COMPLETE},
)

def _import_impl(ctx):
    env = analysistest.begin(ctx)
    actions = by_mnemonic(env)
    asserts.equals(env, {"SyclCompatReport": 1, "SyclbinImport": 1}, counts(actions))
    action = actions["SyclbinImport"][0]
    asserts.equals(env, ["prebuilt.syclbin"], _syclbins(action))
    for want in ["/test/llvm-spirv", "/test/llvm-dis", "/test/llvm-link", "rules/tests/prebuilt.syclbin"]:
        asserts.true(env, want in action.argv, "SyclbinImport lacks %s: %s" % (want, action.argv))
    info = analysistest.target_under_test(env)[SyclbinInfo]
    asserts.equals(env, ["prebuilt.syclbin", "object"], [info.file.basename, info.state])
    asserts.equals(env, ["intel_gpu_pvc"], info.targets)
    return analysistest.end(env)

_import_test = analysistest.make(
    _import_impl,
    config_settings = {"//command_line_option:extra_toolchains": COMPLETE},
)

def _deps_impl(ctx):
    env = analysistest.begin(ctx)
    actions = by_mnemonic(env)

    # The SYCLBIN is a dependency in two ways, but is imported once.
    linked = [a.split("=")[0] for a in actions["SyclDeviceLink"][0].argv if a.endswith(".bc") and "=" in a]
    asserts.equals(env, ["rules/tests/a.cpp", "rules/tests/dir/b.cpp", "rules/tests/prebuilt.syclbin"], sorted(linked))
    asserts.false(env, "SyclbinImport" in actions, "the import belongs to the SYCLBIN")
    asserts.equals(env, 1, len(actions["SyclCompile"]))
    return analysistest.end(env)

_deps_test = analysistest.make(
    _deps_impl,
    config_settings = {"//command_line_option:extra_toolchains": COMPLETE},
)

def _object_impl(ctx):
    env = analysistest.begin(ctx)
    actions = by_mnemonic(env)
    argv = actions["SyclPostLink"][0].argv
    asserts.true(env, "--allow-device-image-dependencies" in argv, str(argv))
    asserts.false(env, "--emit-only-kernels-as-entry-points" in argv, str(argv))
    aot = actions["SyclAot"][0].argv
    asserts.true(env, "--library" in aot, str(aot))
    return analysistest.end(env)

_object_test = analysistest.make(
    _object_impl,
    config_settings = {"//command_line_option:extra_toolchains": COMPLETE},
)

_fails_test = make_fails_test(COMPLETE)

_fails_without_llvm_spirv_test = make_fails_test(NO_LLVM_SPIRV)

def _link(name, **kwargs):
    syclbin_link(name = name, tags = ["manual"], **kwargs)
    return name

def syclbin_link_test_suite(name):
    """Declares all tests of this file.

    Args:
        name: name of the suite.
    """
    sycl_binary(name = "main", srcs = ["a.cpp"], state = "object", sycl_targets = ["spir64", "intel_gpu_pvc"], tags = ["manual"])
    sycl_binary(name = "library", srcs = ["dir/b.cpp"], device_config = "devices.yaml", state = "input", sycl_targets = ["spir64"], tags = ["manual"])
    sycl_binary(name = "finished", srcs = ["c.cpp"], tags = ["manual"])
    syclbin_import(name = "prebuilt", src = "prebuilt.syclbin", sycl_targets = ["intel_gpu_12_60_7"], tags = ["manual"])
    syclbin_import(name = "again", src = "prebuilt.syclbin", tags = ["manual"])
    sycl_library(name = "with_syclbin", srcs = ["dir/b.cpp"], tags = ["manual"], deps = [":prebuilt"])
    files = [":main", ":library", ":prebuilt"]
    tests = []

    _combine_test(name = "combine_test", target_under_test = _link("combined", deps = files))
    _finished_test(name = "all_executable_test", target_under_test = _link("all_executable", deps = [":finished"]))
    _finished_test(name = "asked_executable_test", target_under_test = _link("asked_executable", deps = files, state = "executable"))
    _unresolved_test(name = "unresolved_test", target_under_test = _link("unresolved", allow_unresolved = True, deps = files))
    _ir_test(
        name = "ir_test",
        target_under_test = _link("linked", mode = "ir", sycl_targets = ["spir64", "intel_gpu_pvc"], deps = files),
    )
    _import_test(name = "import_test", target_under_test = "prebuilt")
    sycl_binary(name = "deps_binary", srcs = ["a.cpp"], rdc = True, tags = ["manual"], deps = [":with_syclbin", ":prebuilt"])
    _deps_test(name = "deps_test", target_under_test = "deps_binary")
    _object_test(name = "object_test", target_under_test = "main")
    for test, arguments, texts in [
        ("no_deps", {}, ["deps is empty; add the SYCLBINs to link"]),
        ("same_file", {"deps": [":prebuilt", ":again"]}, ["//rules/tests:again are the same file"]),
        ("executable_beside", {"deps": [":main", ":finished"]}, ["deps: //rules/tests:finished is in executable state but other deps are not", "state = \"object\""]),
        ("executable_to_object", {"deps": [":finished"], "state": "object"}, ["deps: //rules/tests:finished is in executable state, which cannot become object"]),
        ("executable_ir", {"deps": [":finished"], "mode": "ir"}, ["//rules/tests:finished is a SYCLBIN in executable state", "set its state = \"object\""]),
        ("targets_to_combine", {"deps": [":main"], "sycl_targets": ["spir64"]}, ["sycl_targets requires mode = \"ir\""]),
        ("unresolved_executable", {"allow_unresolved": True, "deps": [":main"], "state": "executable"}, ["allow_unresolved = True cannot be combined with state = \"executable\""]),
        ("unknown_link_target", {"deps": [":main"], "mode": "ir", "sycl_targets": ["intel_gpu_pcv"]}, ["unknown target \"intel_gpu_pcv\"; did you mean intel_gpu_pvc"]),
    ]:
        _fails_test(
            name = test + "_test",
            target_under_test = _link(test, **arguments),
            texts = texts,
        )
        tests.append(test + "_test")
    sycl_binary(name = "executable_dep_binary", srcs = ["a.cpp"], tags = ["manual"], deps = [":finished"])
    _fails_test(
        name = "executable_dep_test",
        target_under_test = "executable_dep_binary",
        texts = ["deps: //rules/tests:finished is a SYCLBIN in executable state, which cannot be linked"],
    )
    _fails_without_llvm_spirv_test(
        name = "missing_llvm_spirv_test",
        target_under_test = _link("without_llvm_spirv", mode = "ir", deps = [":main"]),
        texts = ["//rules/tests:main cannot be linked: llvm-spirv is missing", "attribute 'llvm_spirv'"],
    )
    native.test_suite(
        name = name,
        tests = tests + [
            "all_executable_test",
            "asked_executable_test",
            "combine_test",
            "deps_test",
            "executable_dep_test",
            "import_test",
            "ir_test",
            "missing_llvm_spirv_test",
            "object_test",
            "unresolved_test",
        ],
    )
