"""The action that compares the two compiles of sources."""

load(":tools.bzl", "run_tool")

def host_check_action(ctx, compiled, outputs):
    """SyclHostCheck: finds kernels that only one of the two compiles has, and those that differ.

    Args:
        ctx: the rule context.
        compiled: list of struct(source, header): those of compile_sources.
        outputs: the CcCompilationOutputs of each.
    Returns:
        File, without contents.
    """
    out = ctx.actions.declare_file("%s.host/checked" % ctx.label.name)
    args = ctx.actions.args()
    args.add("host")
    args.add("--output", out)
    inputs = []
    for c, o in zip(compiled, outputs):
        object = (o.pic_objects or o.objects)[0]
        args.add("--header", c.header)
        args.add("--object", object)
        args.add(c.source)
        inputs += [c.header, object, c.source]
    run_tool(
        ctx,
        ctx.executable._devicec,
        args,
        inputs = inputs,
        outputs = [out],
        mnemonic = "SyclHostCheck",
        progress_message = "Comparing host and device code of %{label}",
        toolchain = None,
    )
    return out
