"""The action that compares the two compiles of sources."""

load("@rules_cc//cc:action_names.bzl", "CPP_COMPILE_ACTION_NAME")
load("@rules_cc//cc/common:cc_common.bzl", "cc_common")
load(":covered.bzl", "host_compile_options", "host_compile_variables")
load(":tools.bzl", "run_tool")

# Where the object file of a second compile is named in its command.
_OBJECT = "rules_sycl_object"

def host_check_action(ctx, cc, sources, context, local_defines, flags, symbol):
    """SyclHostCheck: finds kernels that only one of the two compiles has, and those that differ.

    Where GCC captures a constant that DPC++ does not, the source is compiled again, with debug
    information, which says where the captures are. So is one whose object file is for the linker
    to compile, which has no symbols.

    Args:
        ctx: the rule context.
        cc: struct(toolchain, features): the C++ toolchain.
        sources: list of struct(source, header, footer, wrapper, object): Files of each.
        context: the compilation context of the host compile.
        local_defines: its definitions for the target only.
        flags: the rule's own options of it.
        symbol: name of the table of the kernels' layouts.
    Returns:
        File: C code with the table.
    """
    out = ctx.actions.declare_file("%s.host/layouts.c" % ctx.label.name)
    args = ctx.actions.args()
    args.add("host")
    args.add("--layouts", out)
    args.add("--symbol", symbol)
    inputs, transitive = [], []
    options = [
        host_compile_options(cc, host_compile_variables(ctx, cc, s.wrapper, _OBJECT, context, local_defines, flags))
        for s in sources
    ]
    again = not cc.toolchain.compiler.startswith("clang") or any([o.startswith("-flto") for o in options[0]])
    for i, s in enumerate(sources):
        args.add("--header", s.header)
        args.add("--object", s.object)
        inputs += [s.source, s.header, s.object]
        if again:
            command = ctx.actions.declare_file("%s.host/%d/compile.args" % (ctx.label.name, i))
            lines = ctx.actions.args()
            lines.set_param_file_format("multiline")
            lines.add(cc_common.get_tool_for_action(feature_configuration = cc.features, action_name = CPP_COMPILE_ACTION_NAME))
            lines.add_all(options[i])
            ctx.actions.write(command, lines)
            args.add("--compile", command)
            inputs += [command, s.wrapper, s.footer]
        args.add(s.source)
    if again:
        inputs += ctx.files.additional_compiler_inputs
        transitive = [context.headers, cc.toolchain.all_files]
    run_tool(
        ctx,
        ctx.executable._devicec,
        args,
        inputs = inputs,
        transitive = transitive,
        outputs = [out],
        mnemonic = "SyclHostCheck",
        progress_message = "Comparing host and device code of %{label}",
        mapped = not again,
        toolchain = None,
    )
    return out
