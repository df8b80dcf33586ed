"""Analysis tests of the flags with targets, and of tools that do not depend on flags."""

load("@bazel_skylib//lib:unittest.bzl", "analysistest", "asserts")
load("@bazel_skylib//rules:common_settings.bzl", "BuildSettingInfo")
load("//rules:providers.bzl", "SyclProgramInfo", "SyclbinInfo")
load("//rules:sycl_binary.bzl", "sycl_binary")
load("//rules:sycl_cc_library.bzl", "sycl_cc_library")
load("//rules:syclbin_link.bzl", "syclbin_link")
load("//rules/private/compile:attributes.bzl", "DEVICE_COMPILER_ATTRS")
load("//rules/private/toolchain:device_compiler.bzl", "compiler_rule", "declare_device_target", "device_compiler_transition", "device_rule")
load("//rules/private/toolchain:tools.bzl", "TOOLS", "TOOLS_TYPE", "sycl_tool", "sycl_tools")
load(":analysis.bzl", "COMPLETE", "DPCPP", "make_fails_test")

_FLAG = str(Label("//rules/settings:sycl_targets"))
_OVERRIDE = str(Label("//rules/settings:override_sycl_targets"))
_COMPILER = str(Label("//rules/settings:device_compiler"))
_ORIGINAL = str(Label("//rules/settings:original_device_compiler"))

def _targets_impl(ctx):
    env = analysistest.begin(ctx)
    target = analysistest.target_under_test(env)
    info = target[SyclbinInfo] if SyclbinInfo in target else target[SyclProgramInfo]
    asserts.equals(env, ctx.attr.targets, info.targets)
    return analysistest.end(env)

def _targets_test(toolchain, flags):
    return analysistest.make(
        _targets_impl,
        attrs = {"targets": attr.string_list()},
        config_settings = {"//command_line_option:extra_toolchains": toolchain} | flags,
    )

# An alias and its target count as one.
_SET = {_FLAG: ["intel_gpu_pvc", "spir64", "intel_gpu_12_60_7"]}
_OVERRIDDEN = {_FLAG: ["spir64"], _OVERRIDE: ["intel_gpu_bmg_g21"]}

_default_test = _targets_test(COMPLETE, {})
_flag_test = _targets_test(COMPLETE, _SET)
_override_test = _targets_test(COMPLETE, _OVERRIDDEN)
_program_default_test = _targets_test(DPCPP, {})
_program_flag_test = _targets_test(DPCPP, _SET)
_program_override_test = _targets_test(DPCPP, _OVERRIDDEN)

_unknown_test = make_fails_test(COMPLETE, {_FLAG: ["spir64", "intel_gpu_pcv"]})
_unknown_override_test = make_fails_test(COMPLETE, {_OVERRIDE: ["intel_gpu_pcv"]})
_empty_test = make_fails_test(COMPLETE, {_FLAG: []})

def _seen_impl(ctx):
    name = "%s and %r" % (ctx.attr._compiler[BuildSettingInfo].value, ctx.attr._original[BuildSettingInfo].value)
    out = ctx.actions.declare_file("%s.settings/%s" % (ctx.label.name, name))
    ctx.actions.write(out, "", is_executable = True)
    return [DefaultInfo(executable = out, runfiles = ctx.runfiles([out]))]

# A program whose name contains the settings of its configuration.
_seen = rule(
    implementation = _seen_impl,
    attrs = {
        "_compiler": attr.label(default = _COMPILER),
        "_original": attr.label(default = _ORIGINAL),
    },
    executable = True,
)

_ToolInfo = provider(doc = "A tool.", fields = {"files": "list of File: its runfiles, of this target and of its deps."})

def _user_impl(ctx):
    program = ctx.executable.tool.basename
    files = [f.basename for f in ctx.attr.tool[DefaultInfo].default_runfiles.files.to_list() if f.basename != program]
    return [_ToolInfo(files = [files] + [f for dep in ctx.attr.deps for f in dep[_ToolInfo].files])]

# A rule like the rules that compile: it can select a compiler, and runs a tool.
_USER_RULE = dict(
    implementation = _user_impl,
    attrs = DEVICE_COMPILER_ATTRS | {
        "deps": attr.label_list(cfg = device_compiler_transition, providers = [_ToolInfo]),
        "tool": attr.label(cfg = "exec", executable = True, mandatory = True),
    },
)

_user_rule = device_rule(**_USER_RULE)

_user_of_compiler = compiler_rule(**_USER_RULE)

def _user(**kwargs):
    declare_device_target((_user_rule, _user_of_compiler), kwargs)

def _tool_impl(ctx):
    env = analysistest.begin(ctx)
    asserts.equals(env, [[ctx.attr.seen]] * 3, analysistest.target_under_test(env)[_ToolInfo].files)
    return analysistest.end(env)

def _tool_test(flags):
    return analysistest.make(
        _tool_impl,
        attrs = {"seen": attr.string()},
        config_settings = {"//command_line_option:extra_toolchains": "//rules/tests:settings_tools_toolchain"} | flags,
    )

_default_tool_test = _tool_test({})
_flag_tool_test = _tool_test({_COMPILER: "second"})

def settings_test_suite(name):
    """Declares all tests of this file.

    Args:
        name: name of the suite.
    """
    manual = {"tags": ["manual"]}
    own = {"sycl_targets": ["intel_gpu_acm_g10"]}
    sycl_binary(name = "settings_binary", srcs = ["a.cpp"], state = "object", **manual)
    sycl_binary(name = "settings_empty", srcs = ["a.cpp"], sycl_targets = [], **manual)
    sycl_binary(name = "settings_own", srcs = ["a.cpp"], **(own | manual))
    sycl_cc_library(name = "settings_program", srcs = ["a.cpp"], **manual)
    sycl_cc_library(name = "settings_own_program", srcs = ["a.cpp"], **(own | manual))
    syclbin_link(name = "settings_link", mode = "ir", deps = [":settings_binary"], **manual)
    syclbin_link(name = "settings_own_link", mode = "ir", deps = [":settings_binary"], **(own | manual))
    kernels = {"default": _default_test, "flag": _flag_test, "override": _override_test}
    programs = {"default": _program_default_test, "flag": _program_flag_test, "override": _program_override_test}
    tests = []
    for target, rules, has_own in [
        ("binary", kernels, False),
        ("empty", kernels, False),
        ("link", kernels, False),
        ("own", kernels, True),
        ("own_link", kernels, True),
        ("own_program", programs, True),
        ("program", programs, False),
    ]:
        for case, targets in {
            "default": own["sycl_targets"] if has_own else ["spir64"],
            "flag": own["sycl_targets"] if has_own else ["intel_gpu_pvc", "spir64"],
            "override": ["intel_gpu_bmg_g21"],
        }.items():
            tests.append("settings_%s_%s_test" % (target, case))
            rules[case](name = tests[-1], target_under_test = ":settings_" + target, targets = targets)

    flag = "--@rules_sycl//rules/settings:"
    wrong = "unknown target \"intel_gpu_pcv\"; did you mean intel_gpu_pvc"
    _unknown_test(name = "settings_unknown_test", target_under_test = ":settings_binary", texts = [flag + "sycl_targets: " + wrong])
    _unknown_override_test(name = "settings_unknown_override_test", target_under_test = ":settings_own", texts = [flag + "override_sycl_targets: " + wrong])
    _empty_test(name = "settings_no_target_test", target_under_test = ":settings_binary", texts = [flag + "sycl_targets: the flag is empty"])

    # Tools have one configuration, the command line's, regardless of attributes.
    _seen(name = "settings_seen", **manual)
    sycl_tools(name = "settings_tools", tags = ["manual"], **{tool: ":settings_seen" for tool in TOOLS})
    native.toolchain(name = "settings_tools_toolchain", toolchain = ":settings_tools", toolchain_type = TOOLS_TYPE)
    sycl_tool(name = "settings_tool", tool = "compat", **manual)
    _user(name = "settings_user_below", device_compiler = "second", tool = ":settings_tool", **manual)
    _user(name = "settings_user", device_compiler = "clang", deps = [":settings_user_below"], tool = ":settings_tool", **manual)
    _user(name = "settings_user_above", deps = [":settings_user"], tool = ":settings_tool", **manual)
    _default_tool_test(name = "settings_default_tool_test", seen = "auto and \"\"", target_under_test = ":settings_user_above")
    _flag_tool_test(name = "settings_flag_tool_test", seen = "second and \"\"", target_under_test = ":settings_user_above")
    native.test_suite(
        name = name,
        tests = tests + [
            "settings_default_tool_test",
            "settings_flag_tool_test",
            "settings_no_target_test",
            "settings_unknown_override_test",
            "settings_unknown_test",
        ],
    )
