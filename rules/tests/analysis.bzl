"""Helpers of the analysis tests."""

load("@bazel_skylib//lib:unittest.bzl", "analysistest", "asserts")
load("//rules:toolchain.bzl", "sycl_local_program")

# Toolchains of sycl_binary_test.bzl. Their programs do not exist, so that the tests do not depend
# on the system.
COMPLETE = "//rules/tests:complete_toolchain"
DPCPP = "//rules/tests:dpcpp_toolchain"  # of sycl_cc_test.bzl
NO_LLVM_SPIRV = "//rules/tests:no_llvm_spirv_toolchain"
NO_OCLOC = "//rules/tests:no_ocloc_toolchain"

def local_programs(name, paths, stamps = {}):
    """Declares programs that do not exist, for a sycl_toolchain.

    Args:
        name: prefix of the names of the targets.
        paths: dict of attribute -> path; an attribute without a path is not declared.
        stamps: dict of attribute -> label of its stamp.
    Returns:
        dict of attribute -> label.
    """
    for attribute, path in paths.items():
        if path:
            sycl_local_program(
                name = "%s_%s" % (name, attribute),
                path = path,
                stamps = [stamps[attribute]] if attribute in stamps else [],
                tags = ["manual"],
            )
    return {attribute: ":%s_%s" % (name, attribute) for attribute, path in paths.items() if path}

def by_mnemonic(env):
    """Returns the actions of the target under test.

    Args:
        env: the result of analysistest.begin.
    Returns:
        dict of mnemonic -> list of Action.
    """
    actions = {}
    for action in analysistest.target_actions(env):
        actions.setdefault(action.mnemonic, []).append(action)
    return actions

def counts(actions):
    """Returns the number of actions of each mnemonic."""
    return {mnemonic: len(list) for mnemonic, list in actions.items()}

def values_of(argv, option):
    """Returns all values of a repeated option in an action's arguments."""
    return [argv[i + 1] for i in range(len(argv) - 1) if argv[i] == option]

def _fails_impl(ctx):
    env = analysistest.begin(ctx)
    for text in ctx.attr.texts:
        asserts.expect_failure(env, text)
    return analysistest.end(env)

def make_fails_test(toolchain = None, flags = {}):
    """Returns a test rule that checks that the analysis of a target fails.

    Args:
        toolchain: label of the toolchain that is registered first, or None.
        flags: dict of label of a flag -> value.
    Returns:
        A test rule with the attributes target_under_test and texts. The error must contain all of the texts.
    """
    return analysistest.make(
        _fails_impl,
        attrs = {"texts": attr.string_list()},
        config_settings = flags | ({"//command_line_option:extra_toolchains": toolchain} if toolchain else {}),
        expect_failure = True,
    )
