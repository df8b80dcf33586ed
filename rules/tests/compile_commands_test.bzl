"""Analysis tests of sycl_compile_commands and its aspect."""

load("@bazel_skylib//lib:unittest.bzl", "analysistest", "asserts")
load("@rules_cc//cc:cc_binary.bzl", "cc_binary")
load("@rules_cc//cc:cc_library.bzl", "cc_library")
load("//rules:sycl_binary.bzl", "sycl_binary")
load("//rules:sycl_cc_library.bzl", "sycl_cc_library")
load("//rules:sycl_cc_test.bzl", "sycl_cc_test")
load("//rules:sycl_compile_commands.bzl", "sycl_compile_commands", "sycl_compile_commands_aspect")
load("//rules:sycl_library.bzl", "sycl_library")
load(":analysis.bzl", "COMPLETE", "DPCPP")

def _database(actions, name):
    """Returns the entries of a JSON file that an action writes: dict of file -> entry."""
    content = [a.content for a in actions if a.outputs.to_list()[0].basename == name][0]
    return {entry["file"]: entry for entry in json.decode(content)}

def _clang_impl(ctx):
    env = analysistest.begin(ctx)
    entries = _database(analysistest.target_actions(env), "commands.template.json")
    asserts.equals(env, ["@WORKSPACE@/rules/tests/a.cpp", "@WORKSPACE@/rules/tests/b.cpp"], sorted(entries))
    entry = entries["@WORKSPACE@/rules/tests/a.cpp"]
    asserts.equals(env, "@WORKSPACE@", entry["directory"])
    command = entry["arguments"]
    asserts.equals(env, ["/test/clang++", "-fsycl", "-fsycl-device-only"], command[:3])
    asserts.equals(env, entry["file"], command[-1])
    for want in ["-DANSWER=42", "-DOWN=1", "-Wall"]:
        asserts.true(env, want in command, "no %s in %s" % (want, command))
    for unwanted in ["-o", "-c"]:
        asserts.false(env, unwanted in command, "%s in %s" % (unwanted, command))

    # The directories exist regardless of the latest build.
    for option, path in zip(command, command[1:]):
        if option in ["-iquote", "-isystem"]:
            asserts.true(env, path == "." or path.startswith("@EXECUTION_ROOT@/bazel-out/") or path.startswith("@OUTPUT_BASE@/external/"), path)

    # Definitions of a target do not apply to its dependencies.
    asserts.false(env, "-DOWN=1" in entries["@WORKSPACE@/rules/tests/b.cpp"]["arguments"])
    return analysistest.end(env)

_clang_test = analysistest.make(_clang_impl, config_settings = {"//command_line_option:extra_toolchains": COMPLETE})

def _dpcpp_impl(ctx):
    env = analysistest.begin(ctx)
    target = analysistest.target_under_test(env)
    entries = _database(analysistest.target_actions(env), "program_commands.template.json")
    entry = entries["@WORKSPACE@/rules/tests/a.cpp"]
    command = entry["arguments"]
    asserts.equals(env, entry["file"], command[-1])
    header = command[command.index("-include") + 1]
    asserts.true(env, header.startswith("@EXECUTION_ROOT@/bazel-out/") and header.endswith("/a.cpp.integration.h"), header)
    for want in ["-DOWN=1", "-Wall", "-fhost-only"]:
        asserts.true(env, want in command, "no %s in %s" % (want, command))
    for unwanted in ["-o", "-c", "-MD", "-MF", "-fdevice-only", "-fno-canonical-system-headers"]:
        asserts.false(env, unwanted in command, "%s in %s" % (unwanted, command))
    asserts.equals(env, [], [a for a in command if a.endswith("/a.cpp") and ".host/" in a])

    # Files that only the host compiler reads.
    for name in ["a.hpp", "alone.c"]:
        command = entries["@WORKSPACE@/rules/tests/" + name]["arguments"]
        for want in ["-DOWN=1", "-fhost-only", "@WORKSPACE@/rules/tests/" + name]:
            asserts.true(env, want in command, "no %s in %s" % (want, command))
        asserts.false(env, "-include" in command, str(command))

    # The run builds the files that the commands read.
    asserts.true(env, header.removeprefix("@EXECUTION_ROOT@/") in [f.path for f in target[DefaultInfo].files.to_list()])
    return analysistest.end(env)

_dpcpp_test = analysistest.make(_dpcpp_impl, config_settings = {"//command_line_option:extra_toolchains": DPCPP})

def _generated_impl(ctx):
    env = analysistest.begin(ctx)
    target = analysistest.target_under_test(env)
    entries = _database(analysistest.target_actions(env), "generated_commands.template.json")
    asserts.equals(env, 1, len(entries))
    file = entries.keys()[0]
    asserts.true(env, file.startswith("@EXECUTION_ROOT@/bazel-out/") and file.endswith("/rules/tests/generated.cpp"), file)

    # The run builds the files that the command reads.
    built = [f.basename for f in target[DefaultInfo].files.to_list()]
    for name in ["generated.cpp", "generated.hpp"]:
        asserts.true(env, name in built, "no %s in %s" % (name, built))
    return analysistest.end(env)

_generated_test = analysistest.make(_generated_impl, config_settings = {"//command_line_option:extra_toolchains": COMPLETE})

# An option with a path -> the option in the database.
_PATHS = {
    "--sysroot=external/repo/root": "--sysroot=@OUTPUT_BASE@/external/repo/root",
    "-Bexternal/repo/bin": "-B@OUTPUT_BASE@/external/repo/bin",
    "-DNAME=external": "-DNAME=external",
    "-I../repo/include": "-I@OUTPUT_BASE@/external/repo/include",
    "-Iexternal_headers": "-Iexternal_headers",
    "-Irules/tests/include": "-Irules/tests/include",
    "-idirafterbazel-out/last": "-idirafter@EXECUTION_ROOT@/bazel-out/last",
    "-includeexternal/repo/first.hpp": "-include@OUTPUT_BASE@/external/repo/first.hpp",
    "-iquote external/repo": "-iquote @OUTPUT_BASE@/external/repo",
    "-isystem bazel-out/generated": "-isystem @EXECUTION_ROOT@/bazel-out/generated",
    "-isystem/usr/include/external/": "-isystem/usr/include/external/",
    "@external/repo/options.txt": "@@OUTPUT_BASE@/external/repo/options.txt",
}

def _paths_impl(ctx):
    env = analysistest.begin(ctx)
    entry = _database(analysistest.target_actions(env), "paths_commands.template.json")["@WORKSPACE@/rules/tests/a.cpp"]
    command = " %s " % " ".join(entry["arguments"])
    for option, want in _PATHS.items():
        asserts.true(env, " %s " % want in command, "%s is not %s in %s" % (option, want, command))
    return analysistest.end(env)

_paths_test = analysistest.make(_paths_impl, config_settings = {"//command_line_option:extra_toolchains": COMPLETE})

def _alone_impl(ctx):
    env = analysistest.begin(ctx)
    group = analysistest.target_under_test(env)[OutputGroupInfo].compile_commands.to_list()
    asserts.equals(env, ["commands_binary.compile_commands.json"], [f.basename for f in group])
    return analysistest.end(env)

_alone_test = analysistest.make(
    _alone_impl,
    config_settings = {"//command_line_option:extra_toolchains": COMPLETE},
    extra_target_under_test_aspects = [sycl_compile_commands_aspect],
)

def _none_impl(ctx):
    env = analysistest.begin(ctx)
    asserts.expect_failure(env, "commands_of_none: deps have no SYCL sources")
    return analysistest.end(env)

_none_test = analysistest.make(_none_impl, expect_failure = True)

def compile_commands_test_suite(name):
    """Declares all tests of this file.

    Args:
        name: name of the suite.
    """
    manual = {"tags": ["manual"]}
    sycl_library(name = "commands_library", srcs = ["b.cpp"], defines = ["ANSWER=42"], **manual)
    sycl_binary(
        name = "commands_binary",
        srcs = ["a.cpp"],
        copts = ["-Wall"],
        local_defines = ["OWN=1"],
        deps = [":commands_library"],
        **manual
    )
    cc_library(name = "commands_plain", srcs = ["c.cpp"], **manual)
    cc_binary(name = "commands_loads", srcs = ["c.cpp"], data = [":commands_binary"], deps = [":commands_plain"], **manual)
    sycl_compile_commands(name = "commands", deps = [":commands_loads"], **manual)
    sycl_compile_commands(name = "commands_of_none", deps = [":commands_plain"], **manual)
    sycl_cc_library(
        name = "commands_program",
        srcs = ["a.cpp", "alone.c"],
        hdrs = ["a.hpp"],
        copts = ["-Wall"],
        device_copts = ["-fdevice-only"],
        host_copts = ["-fhost-only"],
        local_defines = ["OWN=1"],
        **manual
    )
    cc_library(name = "commands_above", srcs = ["c.cpp"], deps = [":commands_program"], **manual)
    sycl_cc_test(name = "commands_of_a_test", srcs = ["b.cpp"], deps = [":commands_above"], **manual)
    sycl_compile_commands(name = "program_commands", testonly = True, deps = [":commands_of_a_test"], **manual)
    native.genrule(
        name = "commands_generate",
        outs = ["generated.cpp", "generated.hpp"],
        cmd = "touch $(OUTS)",
        **manual
    )
    sycl_binary(name = "commands_generated", srcs = ["generated.cpp"], hdrs = ["generated.hpp"], **manual)
    sycl_compile_commands(name = "generated_commands", deps = [":commands_generated"], **manual)
    sycl_binary(name = "commands_paths", srcs = ["a.cpp"], copts = _PATHS.keys(), **manual)
    sycl_compile_commands(name = "paths_commands", deps = [":commands_paths"], **manual)
    _paths_test(name = "commands_paths_test", target_under_test = ":paths_commands")
    _clang_test(name = "commands_clang_test", target_under_test = ":commands")
    _dpcpp_test(name = "commands_dpcpp_test", target_under_test = ":program_commands")
    _alone_test(name = "commands_alone_test", target_under_test = ":commands_binary")
    _generated_test(name = "commands_generated_test", target_under_test = ":generated_commands")
    _none_test(name = "commands_none_test", target_under_test = ":commands_of_none")
    native.test_suite(name = name, tests = ["commands_alone_test", "commands_clang_test", "commands_dpcpp_test", "commands_generated_test", "commands_none_test", "commands_paths_test"])
