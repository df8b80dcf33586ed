"""The actions that filter modules by target, and compile them ahead of time."""

load("@bazel_skylib//rules:common_settings.bzl", "BuildSettingInfo")
load("//rules/private/targets:names.bzl", "user_label")
load(":tools.bzl", "need", "run_tool")

def filter_action(ctx, table, properties, tables, device_config, sycl_targets = [], fixed_targets = [], options = {}):
    """Declares SyclAotFilter, which keeps the rows of a table that each target can run.

    One action handles all targets, because starting several actions takes more time. A target
    is recompiled only if its own table changes.

    Args:
        ctx: the rule context.
        table: the table's File.
        properties: list of the Files in the table's column Properties.
        tables: dict of target -> the table File to write.
        device_config: list of Files merged over the built-in device table.
        sycl_targets: the targets of the build, which are checked against fixed_targets. Can be empty.
        fixed_targets: the only targets that keep rows. If empty, all targets do.
        options: dict of target -> list of string: options for the compiler of its native code, which
            can change how much a kernel may use.
    """
    args = ctx.actions.args()
    args.add_all(device_config, before_each = "--device-config-file")
    args.add_joined("--targets", sycl_targets, join_with = ",")
    args.add_joined("--fixed-targets", fixed_targets, join_with = ",")
    for target, out in tables.items():
        args.add("--target", target)
        args.add("--output", out)
        for option in options.get(target, []):
            args.add("--option=%s=%s" % (target, option))
    args.add(table)
    run_tool(
        ctx,
        ctx.executable._aspectfilter,
        args,
        inputs = [table] + properties + device_config,
        outputs = tables.values(),
        mnemonic = "SyclAotFilter",
        progress_message = "Filtering %s for %s" % (table.short_path, ", ".join(tables.keys())),
        toolchain = None,
    )

def aot_action(ctx, toolchain, form, tables, targets, name, options, library):
    """Declares SyclAot, which compiles the modules that the filter kept for a target.

    Targets that may share a compilation have one action: two names for one device, and the
    devices of a family, whose images differ only in a note.

    Args:
        ctx: the rule context.
        toolchain: SyclToolchainInfo.
        form: the result of translate_action.
        tables: dict of target -> its filtered table File.
        targets: list of structs from resolve_targets, with the same chip.
        name: path of the outputs below the package, without target and extension.
        options: list of string: options for ocloc's compiler.
        library: whether images of other SYCLBINs may be linked to these.
    Returns:
        dict of target -> struct(code, table): the directory of native images, and the
        table of the target's images.
    """
    ocloc = need(ctx, toolchain.ocloc)
    code = ctx.actions.declare_directory("%s.%s.bin" % (name, targets[0].name))
    outs = {t.name: struct(code = code, table = ctx.actions.declare_file("%s.%s.table" % (name, t.name))) for t in targets}
    args = ctx.actions.args()
    args.add("--ocloc", ocloc.executable)
    server = ctx.files._ocloc_server
    args.add_all(server, before_each = "--server")
    if library:
        args.add("--library")
    args.add(ctx.attr._share_gpu_families[BuildSettingInfo].value, format = "--share=%s")
    if getattr(ctx.attr, "skip_rejected_images", False) or ctx.attr._skip_rejected_images[BuildSettingInfo].value:
        args.add("--skip-rejected-images")
    args.add_all("--code-dir", [code], expand_directories = False)
    for option in options:
        args.add("--option=" + option)
    for target in targets:
        args.add("--device", target.device)
        args.add("--output", outs[target.name].table)
    filtered = [tables[t.name] for t in targets]
    args.add_all(filtered)
    run_tool(
        ctx,
        ctx.executable._aot,
        args,
        inputs = filtered + [form.code] + server,
        programs = [ocloc],
        outputs = [code] + [out.table for out in outs.values()],
        mnemonic = "SyclAot",
        progress_message = "Compiling %s for %s" % (form.code.short_path, ", ".join([t.name for t in targets])),
        worker = server,
    )
    return outs

def plan_action(ctx, forms, targets, device_config, name):
    """Declares SyclAotPlan, which writes the decision about every module and target as JSON.

    The action fails if no target can run one of the modules, because its kernels would be missing
    at run time.

    Args:
        ctx: the rule context.
        forms: list of results of translate_action.
        targets: list of structs from resolve_targets.
        device_config: list of Files merged over the built-in device table.
        name: path of the output below the package, without extension.
    Returns:
        The JSON File.
    """
    plan = ctx.actions.declare_file(name + ".plan.json")
    args = ctx.actions.args()
    args.add("--plan")
    args.add("--fail-on-unused-row")
    args.add_joined("--targets", [t.name for t in targets], join_with = ",")
    args.add_all(device_config, before_each = "--device-config-file")
    args.add("--output", plan)
    args.add_all([f.table for f in forms])
    run_tool(
        ctx,
        ctx.executable._aspectfilter,
        args,
        inputs = [f.table for f in forms] + [f.properties for f in forms] + device_config,
        outputs = [plan],
        mnemonic = "SyclAotPlan",
        progress_message = "Planning device images of " + user_label(ctx),
        toolchain = None,
    )
    return plan
