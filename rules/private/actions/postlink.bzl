"""The action that splits device code into modules."""

load("@bazel_skylib//rules:common_settings.bzl", "BuildSettingInfo")
load("//rules/private/targets:names.bzl", "user_label")
load(":tools.bzl", "escaped", "need", "run_tool")

def postlink_action(ctx, toolchain, build, unit, fixed_targets, emulate = False):
    """Declares SyclPostLink, which splits device code into the modules of each source.

    Args:
        ctx: the rule context.
        toolchain: SyclToolchainInfo.
        build: the result of device_build in images.bzl.
        unit: struct(bitcode, source, stems): the File of the bitcode of one or several sources;
            module id of the source, empty if link_action has marked all
            code; and dict of module id -> path of its outputs below the package, without
            extension. The id is empty for code that is not split by sources.
        fixed_targets: names of the only targets that the kernels are for. Empty means all.
        emulate: whether the compiler of native images replaces conversions of double.
    Returns:
        dict of module id -> struct(code, table): the directory of modules, and their table.
    """
    dis, opt = need(ctx, toolchain.llvm_dis), need(ctx, toolchain.opt)
    outs = {
        module: struct(
            code = ctx.actions.declare_directory(path + ".split"),
            table = ctx.actions.declare_file(path + ".split.table"),
        )
        for module, path in unit.stems.items()
    }
    args = ctx.actions.args()
    args.add("--llvm-dis", dis.executable)
    args.add("--opt", opt.executable)
    args.add("--split", build.split)
    if unit.source:
        args.add("--source", unit.source)
    if build.syclbin:
        args.add("--syclbin-kernel-names")
    if emulate:
        args.add("--fsycl-fp64-conv-emu")
    if toolchain.dpcpp:
        args.add("--dpcpp-translator")
    args.add_joined("--fixed-targets", fixed_targets, join_with = ",")

    # Only fixed targets are compared with devices.
    devices = ctx.files.device_config if fixed_targets else []
    args.add_all(devices, before_each = "--device-config-file")
    if build.kernels_only:
        args.add("--emit-only-kernels-as-entry-points")
    if build.dependencies:
        args.add("--allow-device-image-dependencies")
    if ctx.attr._warnings_as_errors[BuildSettingInfo].value:
        args.add("--warnings-as-errors")
    for module, out in outs.items():
        # Bazel would expand a directory to its files.
        if module:
            args.add_all([out.code], format_each = "--module=" + escaped(module).replace("%", "%%") + "=%s", expand_directories = False)
        else:
            args.add("--allow-no-kernels")
            args.add("--output", out.table)
            args.add_all("--out-dir", [out.code], expand_directories = False)
    args.add(unit.bitcode)
    run_tool(
        ctx,
        ctx.executable._postlink,
        args,
        inputs = [unit.bitcode] + devices,
        programs = [dis, opt],
        outputs = [f for out in outs.values() for f in [out.code, out.table]],
        mnemonic = "SyclPostLink",
        progress_message = "Splitting SYCL device code of " + user_label(ctx),
        worker = [],
    )
    return outs
