"""The action that compares the two compilations of sources."""

load("@rules_cc//cc:action_names.bzl", "CPP_COMPILE_ACTION_NAME")
load("@rules_cc//cc/common:cc_common.bzl", "cc_common")
load("//rules/private/targets:names.bzl", "user_label")
load(":covered.bzl", "host_compile_options", "host_compile_variables")
load(":tools.bzl", "run_tool")

# The placeholder for the object file in the command of a second compilation.
_OBJECT = "rules_sycl_object"

def host_check_actions(ctx, cc, sources, context, local_defines, flags, symbol):
    """Declares SyclHostCheck, which finds kernels that only one of the two compilations has, or that differ.

    If GCC captures a constant and DPC++ does not, the source is compiled again with debug
    information, which shows the layout of the captures. This also applies to a source that the
    linker compiles, because its object file has no symbols.

    Args:
        ctx: the rule context.
        cc: struct(toolchain, features): the C++ toolchain.
        sources: list of struct(source, header, footer, compare, wrapper, output): Files of each, and the
            CcCompilationOutputs of its host compilation.
        context: the compilation context of the host compilation.
        local_defines: its definitions for the target only.
        flags: the rule's own options for it.
        symbol: name of the table of the kernels' layouts.
    Returns:
        struct(nopic, pic): Files of assembler code with the table, for the objects without and with
        position-independent code. A link uses one of the two, so nothing is compiled without being
        linked. None if there are no objects of that kind.
    """
    commands = [None for _ in sources]
    options = [
        host_compile_options(cc, host_compile_variables(ctx, cc, s.wrapper, _OBJECT, context, local_defines, flags))
        for s in sources
    ]
    if not cc.toolchain.compiler.startswith("clang") or any([o.startswith("-flto") for o in options[0]]):
        commands = [_command(ctx, cc, i, each) for i, each in enumerate(options)]
    tables = {}
    for kind, objects in {
        "nopic": [o for s in sources for o in s.output.objects],
        "pic": [o for s in sources for o in s.output.pic_objects],
    }.items():
        tables[kind] = _host_check_action(ctx, cc, sources, objects, commands, context, symbol, kind) if objects else None
    return struct(**tables)

def _command(ctx, cc, i, options):
    """Writes the command of a source's host compilation to a file."""
    command = ctx.actions.declare_file("%s.host/%d/compile.args" % (ctx.label.name, i))
    lines = ctx.actions.args()
    lines.set_param_file_format("multiline")
    lines.add(cc_common.get_tool_for_action(feature_configuration = cc.features, action_name = CPP_COMPILE_ACTION_NAME))
    lines.add_all(options)
    ctx.actions.write(command, lines)
    return command

def _host_check_action(ctx, cc, sources, objects, commands, context, symbol, kind):
    out = ctx.actions.declare_file("%s.host/layouts.%s.s" % (ctx.label.name, kind))
    args = ctx.actions.args()
    args.add("host")
    args.add("--layouts", out)
    args.add("--symbol", symbol)
    inputs, transitive = [], []
    for s, object, command in zip(sources, objects, commands):
        args.add("--header", s.header)
        args.add("--object", object)
        inputs += [s.source, s.header, object]
        if command:
            args.add("--compile", command)
            inputs += [command, s.wrapper, s.footer, s.compare]
        args.add(s.source)
    again = any(commands)
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
        progress_message = "Comparing host and device code of " + user_label(ctx),
        mapped = not again,
        toolchain = None,
    )
    return out
