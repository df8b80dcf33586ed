"""The action that assembles generated code."""

load("@rules_cc//cc:action_names.bzl", "ASSEMBLE_ACTION_NAME")
load("@rules_cc//cc/common:cc_common.bzl", "cc_common")

def _directory(file):
    return file.dirname

def assemble_action(ctx, cc, source, files = []):
    """Declares SyclAssemble, which assembles a file without the user's options, which are for the user's code.

    Args:
        ctx: the rule context.
        cc: struct(toolchain, features): the C++ toolchain.
        source: the File, which ends with .s.
        files: list of depsets of Files that the source includes by paths relative to its directory.
    Returns:
        the File of the object, which is also used for position-independent code.
    """
    out = ctx.actions.declare_file(source.basename.removesuffix(".s") + ".o", sibling = source)
    variables = cc_common.create_compile_variables(cc_toolchain = cc.toolchain, feature_configuration = cc.features)
    args = ctx.actions.args()
    args.add_all(cc_common.get_memory_inefficient_command_line(
        action_name = ASSEMBLE_ACTION_NAME,
        feature_configuration = cc.features,
        variables = variables,
    ))

    # Clang warns about options that are only for compiling.
    if cc.toolchain.compiler.startswith("clang"):
        args.add("-Wno-unused-command-line-argument")
    args.add_all([source], map_each = _directory, before_each = "-I")
    args.add("-c", source)
    args.add("-o", out)
    ctx.actions.run(
        executable = cc_common.get_tool_for_action(action_name = ASSEMBLE_ACTION_NAME, feature_configuration = cc.features),
        arguments = [args],
        env = {"PATH": "/usr/bin:/bin"} | cc_common.get_environment_variables(
            action_name = ASSEMBLE_ACTION_NAME,
            feature_configuration = cc.features,
            variables = variables,
        ),
        execution_requirements = {"supports-path-mapping": "1"},
        inputs = depset([source], transitive = files + [cc.toolchain.all_files]),
        mnemonic = "SyclAssemble",
        outputs = [out],
        progress_message = "Assembling %{output}",
        toolchain = "@bazel_tools//tools/cpp:toolchain_type",
    )
    return out
