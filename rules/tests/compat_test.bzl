"""Analysis tests of the rules that report on and check compatibility."""

load("@bazel_skylib//lib:unittest.bzl", "analysistest", "asserts", "unittest")
load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")
load("//rules:providers.bzl", "SyclCompatInfo")
load("//rules:sycl_binary.bzl", "sycl_binary")
load("//rules:sycl_cc_library.bzl", "sycl_cc_library")
load("//rules:sycl_compat_report.bzl", "sycl_compat_report")
load("//rules:sycl_compat_test.bzl", "sycl_compat_test")
load("//rules:sycl_device_config.bzl", "sycl_device_config")
load("//rules:syclbin_import.bzl", "syclbin_import")
load("//rules:syclbin_link.bzl", "syclbin_link")
load("//rules/private/compat:compat_baseline.bzl", "baseline_problem")
load(":analysis.bzl", "COMPLETE", "DPCPP", "make_fails_test")

_TOOLCHAIN = {"//command_line_option:extra_toolchains": COMPLETE}
_SETTING = str(Label("//rules/settings:compat"))

def _action(env, mnemonic):
    found = [a for a in analysistest.target_actions(env) if a.mnemonic == mnemonic]
    asserts.equals(env, 1, len(found), mnemonic)
    return found[0]

def _after(argv, flag):
    """Returns the arguments that follow each occurrence of a flag."""
    return [argv[i + 1].split("/")[-1] for i in range(len(argv)) if argv[i] == flag]

def _report_impl(ctx):
    env = analysistest.begin(ctx)
    target = analysistest.target_under_test(env)
    action = _action(env, "SyclCompatReport")

    # Two SYCLBINs, each of them once. One is found through a filegroup.
    asserts.equals(
        env,
        ["compat_a.syclbin", "compat_b.syclbin"],
        sorted([a.split("/")[-1] for a in action.argv if a.endswith(".syclbin")]),
    )

    # The configuration that compat_b was built with precedes the report's own.
    asserts.equals(env, ["base.yaml", "more.yaml", "own.yaml"], _after(action.argv, "--device-config"))
    asserts.equals(env, ["intel_gpu_pvc,my_device"], _after(action.argv, "--devices"))
    asserts.equals(env, [], _after(action.argv, "--targets"))
    asserts.equals(env, target[SyclCompatInfo].report, action.outputs.to_list()[0])
    return analysistest.end(env)

_report_test = analysistest.make(_report_impl, config_settings = _TOOLCHAIN)

def _targets_impl(ctx):
    env = analysistest.begin(ctx)
    action = _action(env, "SyclCompatReport")
    asserts.equals(env, [ctx.attr.targets] if ctx.attr.targets else [], _after(action.argv, "--targets"))
    asserts.equals(env, [], _after(action.argv, "--devices"))
    return analysistest.end(env)

_targets_test = analysistest.make(_targets_impl, attrs = {"targets": attr.string()}, config_settings = _TOOLCHAIN)

_TARGETS = ["spir64", "intel_gpu_pvc", "intel_gpu_acm_g10"]

def _targets():
    """Declares the tests of the targets that a report covers. Returns their names."""
    manual = {"tags": ["manual"]}
    sycl_binary(name = "compat_three", srcs = ["a.cpp"], sycl_targets = _TARGETS, **manual)
    sycl_binary(name = "compat_no_ir", srcs = ["a.cpp"], ir = "none", sycl_targets = _TARGETS, **manual)
    sycl_binary(name = "compat_fixed", srcs = ["b.cpp"], fixed_targets = ["intel_gpu_12_60_7"], sycl_targets = _TARGETS, **manual)
    sycl_binary(name = "compat_fixed_any", srcs = ["b.cpp"], fixed_targets = ["intel_gpu_pvc", "spir64"], sycl_targets = _TARGETS, **manual)
    syclbin_import(name = "compat_imported", src = "c.syclbin", state = "executable", sycl_targets = ["intel_gpu_dg2_g10"], **manual)
    syclbin_import(name = "compat_unknown", src = "d.syclbin", **manual)
    syclbin_link(name = "compat_linked", deps = [":compat_fixed", ":compat_imported"], **manual)
    sycl_compat_report(name = "compat_of_all", deps = [":compat_linked", ":compat_unknown"], **manual)
    sycl_compat_report(name = "compat_of_unknown", deps = [":compat_unknown"], **manual)
    cases = {
        # A target without an image is also reported.
        "compat_three": "intel_gpu_acm_g10,intel_gpu_pvc,spir64",
        # The file has no SPIR-V.
        "compat_no_ir": "intel_gpu_acm_g10,intel_gpu_pvc",
        "compat_fixed": "intel_gpu_pvc,spir64",
        "compat_fixed_any": "intel_gpu_acm_g10,intel_gpu_pvc,spir64",
        "compat_imported": "intel_gpu_acm_g10",
        "compat_unknown": "",
        "compat_linked": "intel_gpu_acm_g10,intel_gpu_pvc,spir64",
        "compat_of_all": "intel_gpu_acm_g10,intel_gpu_pvc,spir64",
        "compat_of_unknown": "",
    }
    for target, targets in cases.items():
        _targets_test(name = target + "_targets_test", target_under_test = ":" + target, targets = targets)
    return [target + "_targets_test" for target in cases]

def _test_impl(ctx):
    env = analysistest.begin(ctx)
    script = _action(env, "FileWrite").content
    asserts.true(env, " --workspace= --undetermined error 'rules/tests/compat_test.compat.json'\n" in script, script)

    # The test runs in its runfiles, but the command that it prints is for the workspace.
    report = _action(env, "SyclCompatReport").outputs.to_list()[0].path
    fix = "check --program 'bazel run @rules_sycl//rules:compat --' --fix-command 'bazel run @rules_sycl//rules:compat -- fix --workspace $PWD $PWD/%s' " % report
    asserts.true(env, fix in script, script)

    # The test uses the same program as the action that writes the report, so that only one is
    # built.
    runfiles = analysistest.target_under_test(env)[DefaultInfo].default_runfiles.files.to_list()
    tool = _action(env, "SyclCompatReport").argv[0]
    asserts.true(env, tool in [f.path for f in runfiles], "%s is not in %s" % (tool, runfiles))
    return analysistest.end(env)

_test_test = analysistest.make(_test_impl, config_settings = _TOOLCHAIN)

def _script_impl(ctx):
    env = analysistest.begin(ctx)
    script = _action(env, "FileWrite").content
    for part in ctx.attr.parts:
        asserts.true(env, part in script, "%r is not in %s" % (part, script))
    for part in ctx.attr.absent:
        asserts.false(env, part in script, "%r is in %s" % (part, script))
    return analysistest.end(env)

_script_test = analysistest.make(
    _script_impl,
    attrs = {"absent": attr.string_list(), "parts": attr.string_list()},
    config_settings = _TOOLCHAIN,
)

_POLICY = "--policy 'rules/tests/policy.yaml'"
_RUNFILES_POLICY = "--policy \"$runfiles\"/'rules/tests/policy.yaml'"
_BASELINE = "--baseline 'rules/tests/known.json'"

def _scripts():
    """Declares the tests of baselines and policies. Returns their names."""
    for name, target, parts, absent in [
        # The file is written in the source tree, regardless of the directory in which 'bazel run'
        # is called.
        ("update", "compat_known.update", [
            "cd \"${BUILD_WORKSPACE_DIRECTORY:?bazel run sets it}\" || exit 4\nexport RULES_SYCL_PROGRAM='bazel run @rules_sycl//rules:compat --'\nexec ",
            " baseline update %s %s \"$runfiles\"/'rules/tests/compat_known.compat.json'\n" % (_BASELINE, _RUNFILES_POLICY),
        ], []),
        ("baseline", "compat_known.baseline_test", [
            "cd \"$runfiles\" || exit 4\n",
            " baseline verify %s %s 'rules/tests/compat_known.compat.json'\n" % (_POLICY, _BASELINE),
            "echo 'To accept the current problems: bazel run //rules/tests:compat_known.update' >&2",
        ], []),
        ("no_baseline", "compat_first.baseline_test", [
            " baseline verify --baseline 'rules/tests/not yet '\\''there'\\''.json' 'rules/tests/compat_first.compat.json'",
        ], ["--policy"]),
        ("policy", "compat_policy_test", [
            " --workspace= %s %s 'rules/tests/compat_policy_test.compat.json'\n" % (_POLICY, _BASELINE),
            "bazel run //rules/tests:compat_policy_test.update'",
        ], ["--undetermined"]),
        ("policy_update", "compat_policy_test.update", [" baseline update %s %s " % (_BASELINE, _RUNFILES_POLICY)], []),
        ("first_test", "compat_first_test", [" --workspace= 'rules/tests/compat_first_test.compat.json'"], ["--baseline"]),
        ("show", "compat_report", ["cd \"${BUILD_WORKING_DIRECTORY:-.}\" || exit 4\nexport RULES_SYCL_PROGRAM='bazel run @rules_sycl//rules:compat --'\nexec ", " show --command 'bazel run //rules/tests:compat_report --' \"$@\" \"$runfiles\"/'rules/tests/compat_report.compat.json'\n"], []),
    ]:
        _script_test(name = "compat_script_%s_test" % name, absent = absent, parts = parts, target_under_test = ":" + target)
    _script_test(
        name = "compat_script_packager_test",
        parts = ["export RULES_SYCL_PROGRAM='bazel run @rules_sycl//rules:packager --'\nexec "],
        target_under_test = "//rules:packager",
    )
    return ["compat_script_%s_test" % n for n in ["update", "baseline", "no_baseline", "policy", "policy_update", "first_test", "show", "packager"]]

def _check_impl(ctx):
    env = analysistest.begin(ctx)
    target = analysistest.target_under_test(env)
    checks = target[OutputGroupInfo]._validation.to_list()
    if ctx.attr.level == "off":
        asserts.equals(env, [], checks)
        return analysistest.end(env)
    action = _action(env, "SyclCompatCheck")
    asserts.equals(env, checks, action.outputs.to_list())
    asserts.equals(env, ctx.attr.level == "warn", "--warn-only" in action.argv)
    return analysistest.end(env)

def _library_check_impl(ctx):
    """Targets that link a library build its device code; targets that include its headers do not."""
    env = analysistest.begin(ctx)
    target = analysistest.target_under_test(env)
    check = _action(env, "SyclCompatCheck").outputs.to_list()
    asserts.equals(env, [], target[OutputGroupInfo]._validation.to_list())
    asserts.equals(env, check, target[OutputGroupInfo]._hidden_top_level_INTERNAL_.to_list())
    own = [i for i in target[CcInfo].linking_context.linker_inputs.to_list() if i.owner == target.label]
    asserts.equals(env, check, own[0].additional_inputs)
    return analysistest.end(env)

_library_check_test = analysistest.make(_library_check_impl, config_settings = {"//command_line_option:extra_toolchains": DPCPP})

def _make_check_test(level):
    return analysistest.make(
        _check_impl,
        attrs = {"level": attr.string(default = level)},
        config_settings = _TOOLCHAIN | {_SETTING: level},
    )

_check_warn_test = _make_check_test("warn")
_check_error_test = _make_check_test("error")
_check_off_test = _make_check_test("off")

def _config_impl(ctx):
    env = analysistest.begin(ctx)
    target = analysistest.target_under_test(env)
    action = _action(env, "SyclDeviceConfig")
    asserts.equals(env, ["base.yaml", "more.yaml"], _after(action.argv, "--device-config-file"))
    asserts.equals(env, ["base.yaml", "more.yaml"], [f.basename for f in target[DefaultInfo].files.to_list()])
    asserts.true(env, action.outputs.to_list()[0] in target[OutputGroupInfo]._validation.to_list(), "nothing asks for the check")
    return analysistest.end(env)

_config_test = analysistest.make(_config_impl)

def _nothing_impl(ctx):
    env = analysistest.begin(ctx)
    asserts.expect_failure(env, "deps have no device code: none of them is, or depends on, a sycl_binary, a sycl_cc_* target or a C++ target with the feature sycl")
    return analysistest.end(env)

_nothing_test = analysistest.make(_nothing_impl, expect_failure = True)

_unknown_device_test = make_fails_test(COMPLETE)

# Value of the attribute baseline -> part of the error.
_BASELINES = {
    "../known.json": "is not a path in the package",
    "./known.json": "is not a path in the package",
    "/known.json": "is not a path in the package",
    "//other:known.json": "is not a path in the package",
    ":known.json": "is not a path in the package",
    "folder//known.json": "is not a path in the package",
    "known": "does not end with .json",
    "*.json": "is a pattern",
    "known?.json": "is a pattern",
    "folder/": "is not a path in the package",
}

def _baseline_names_impl(ctx):
    env = unittest.begin(ctx)
    for name, want in _BASELINES.items():
        problem = baseline_problem(name)
        asserts.true(env, want in problem and "; use " in problem, "%s: %s" % (name, problem))
    for value in [["known.json"], select({"//conditions:default": "known.json"})]:
        asserts.equals(env, "expected a string, got %s; use the path of one file, such as compat.baseline.json" % type(value), baseline_problem(value))
    for name in ["known.json", "folder/known.json", "a b'[1]..json"]:
        asserts.equals(env, "", baseline_problem(name))
    return unittest.end(env)

_baseline_names_test = unittest.make(_baseline_names_impl)

def compat_test_suite(name):
    """Declares the tests. Their targets are analyzed, but never built.

    Args:
        name: name of the suite.
    """
    manual = {"tags": ["manual"]}
    sycl_device_config(name = "compat_base", srcs = ["base.yaml"], **manual)
    sycl_device_config(name = "compat_config", srcs = ["more.yaml"], deps = [":compat_base"], **manual)
    sycl_binary(name = "compat_a", srcs = ["a.cpp"], sycl_targets = ["spir64", "intel_gpu_pvc"], **manual)
    sycl_binary(name = "compat_b", srcs = ["b.cpp"], device_config = ":compat_config", **manual)
    native.filegroup(name = "compat_group", srcs = [":compat_b"], **manual)
    native.filegroup(name = "compat_none", srcs = ["a.cpp"], **manual)
    sycl_compat_report(
        name = "compat_report",
        device_config = "own.yaml",
        devices = ["intel_gpu_pvc", "my_device"],
        deps = [":compat_a", ":compat_b", ":compat_group"],
        **manual
    )
    sycl_compat_report(name = "compat_unknown_device", devices = ["intel_gpu_pcv"], deps = [":compat_a"], **manual)
    sycl_compat_test(name = "compat_unknown_device_test", devices = ["intel_gpu_pvc", "pvc_gpu"], deps = [":compat_a"], **manual)
    sycl_compat_report(name = "compat_nothing", deps = [":compat_none"], **manual)
    sycl_compat_test(name = "compat_test", undetermined = "error", deps = [":compat_group"], **manual)

    known = "known.json"
    missing = "not yet 'there'.json"
    sycl_compat_report(name = "compat_known", baseline = known, policy = "policy.yaml", deps = [":compat_a"], **manual)
    sycl_compat_report(name = "compat_first", baseline = missing, deps = [":compat_a"], **manual)
    sycl_compat_test(name = "compat_policy_test", baseline = known, policy = "policy.yaml", deps = [":compat_a"], **manual)
    sycl_compat_test(name = "compat_first_test", baseline = missing, deps = [":compat_a"], **manual)
    more = _scripts() + _targets()

    _report_test(name = "compat_report_test", target_under_test = ":compat_report")
    _test_test(name = "compat_test_test", target_under_test = ":compat_test")
    _check_warn_test(name = "compat_check_warn_test", target_under_test = ":compat_a")
    _check_error_test(name = "compat_check_error_test", target_under_test = ":compat_a")
    _check_off_test(name = "compat_check_off_test", target_under_test = ":compat_a")
    sycl_cc_library(name = "compat_library", srcs = ["a.cpp"], sycl_targets = ["intel_gpu_pvc"], **manual)
    _library_check_test(name = "compat_check_library_test", target_under_test = ":compat_library")
    _config_test(name = "compat_config_test", target_under_test = ":compat_config")
    _nothing_test(name = "compat_nothing_test", target_under_test = ":compat_nothing")
    _unknown_device_test(
        name = "compat_unknown_device_report_test",
        target_under_test = ":compat_unknown_device",
        texts = ["compat_unknown_device: devices: unknown target \"intel_gpu_pcv\"; did you mean intel_gpu_pvc"],
    )
    _unknown_device_test(
        name = "compat_unknown_device_test_test",
        target_under_test = ":compat_unknown_device_test",
        texts = ["compat_unknown_device_test: devices: unknown target \"pvc_gpu\""],
    )
    _baseline_names_test(name = "compat_baseline_names_test")
    native.test_suite(
        name = name,
        tests = [
            "compat_baseline_names_test",
            "compat_unknown_device_report_test",
            "compat_unknown_device_test_test",
            "compat_check_error_test",
            "compat_check_library_test",
            "compat_check_off_test",
            "compat_check_warn_test",
            "compat_config_test",
            "compat_nothing_test",
            "compat_report_test",
            "compat_test_test",
        ] + more,
    )
