"""The action that compiles bitcode for NVIDIA and AMD GPUs."""

load(":tools.bzl", "need", "run_tool")

def gpu_action(ctx, toolchain, form, table, target, name, keep_debug_info):
    """Declares SyclGpu, which compiles the modules that the filter kept for an NVIDIA or AMD GPU.

    Args:
        ctx: the rule context.
        toolchain: SyclToolchainInfo.
        form: struct(code, properties, table) of the modules as bitcode.
        table: the filtered table File.
        target: struct from resolve_targets.
        name: path of the outputs below the package, without extension.
        keep_debug_info: whether the images keep their debug information.
    Returns:
        struct(code, table): the directory of native images, and their table.
    """
    opt, llc = need(ctx, toolchain.opt), need(ctx, toolchain.llc)
    out = struct(
        code = ctx.actions.declare_directory(name + ".bin"),
        table = ctx.actions.declare_file(name + ".table"),
    )
    args = ctx.actions.args()
    args.add("gpu")
    args.add("--opt", opt.executable)
    args.add("--llc", llc.executable)
    programs = [opt, llc]
    if target.family.links:
        lld = need(ctx, toolchain.lld)
        args.add("--lld", lld.executable)
        programs.append(lld)
    elif toolchain.libclc.executable:
        link = need(ctx, toolchain.llvm_link)
        args.add("--libclc", toolchain.libclc.executable)
        args.add("--llvm-link", link.executable)
        programs += [toolchain.libclc, link]
    args.add("--device", target.device)
    if keep_debug_info:
        args.add("--keep-debug-info")
    args.add_all("--code-dir", [out.code], expand_directories = False)
    args.add("--output", out.table)
    args.add(table)
    run_tool(
        ctx,
        ctx.executable._devicec,
        args,
        # The step checks the properties again.
        inputs = [table, form.code, form.properties],
        programs = programs,
        outputs = [out.code, out.table],
        mnemonic = "SyclGpu",
        progress_message = "Compiling %s for %s" % (form.code.short_path, target.name),
        worker = [],
    )
    return out
