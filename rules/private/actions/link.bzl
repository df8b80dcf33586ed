"""The actions that link device bitcode, and extract it from SYCLBINs."""

load("//rules/private/targets:names.bzl", "user_label")
load(":tools.bzl", "escaped", "need", "run_tool")

def link_action(ctx, toolchain, bitcode, name, emulate = False):
    """Declares SyclDeviceLink, which links the bitcode of all sources. Kernels keep the id of their source.

    Args:
        ctx: the rule context.
        toolchain: SyclToolchainInfo.
        bitcode: list of (module id, bitcode File).
        name: path of the output below the package, without its extension.
        emulate: whether the compiler of native images replaces conversions of double.
    Returns:
        The linked bitcode File.
    """
    dis, link = need(ctx, toolchain.llvm_dis), need(ctx, toolchain.llvm_link)
    out = ctx.actions.declare_file(name + ".linked.bc")
    args = ctx.actions.args()
    args.add("link")
    args.add("--llvm-dis", dis.executable)
    args.add("--llvm-link", link.executable)
    args.add("--output", out)
    if emulate:
        args.add("--fsycl-fp64-conv-emu")
    for module, file in bitcode:
        args.add(file, format = escaped(module).replace("%", "%%") + "=%s")
    run_tool(
        ctx,
        ctx.executable._devicec,
        args,
        inputs = [f for _, f in bitcode],
        programs = [dis, link],
        outputs = [out],
        mnemonic = "SyclDeviceLink",
        progress_message = "Linking SYCL device code of " + user_label(ctx),
    )
    return out

def import_action(ctx, toolchain, syclbin, name):
    """Declares SyclbinImport, which converts the IR of a SYCLBIN to bitcode that can be linked.

    Args:
        ctx: the rule context.
        toolchain: SyclToolchainInfo.
        syclbin: the SYCLBIN's File.
        name: path of the output below the package, without its extension.
    Returns:
        The bitcode File.
    """
    dis, link, spirv = need(ctx, toolchain.llvm_dis), need(ctx, toolchain.llvm_link), need(ctx, toolchain.llvm_spirv)
    out = ctx.actions.declare_file(name + ".imported.bc")
    args = ctx.actions.args()
    args.add("import")
    args.add("--llvm-spirv", spirv.executable)
    args.add("--llvm-dis", dis.executable)
    args.add("--llvm-link", link.executable)
    args.add("--module", syclbin.short_path)
    args.add("--output", out)
    args.add(syclbin)
    run_tool(
        ctx,
        ctx.executable._devicec,
        args,
        inputs = [syclbin],
        programs = [dis, link, spirv],
        outputs = [out],
        mnemonic = "SyclbinImport",
        progress_message = "Extracting the device code from %s" % syclbin.short_path,
    )
    return out
