"""The actions that translate split modules to SPIR-V, and set constants in it."""

load("//rules/private/targets:names.bzl", "user_label")
load(":tools.bzl", "need", "run_tool")

def dpcpp_images_action(ctx, toolchain, build, unit, name):
    """Declares SyclImages, which creates device images with DPC++'s own post-link step and translator.

    Args:
        ctx: the rule context.
        toolchain: SyclToolchainInfo, of DPC++.
        build: the result of device_build in images.bzl.
        unit: struct(bitcode, images, source): the File of the bitcode of one or several
            sources; the directory of DPC++'s images from compile_action, or None; and
            the path of the source, if there is only one.
        name: path of the outputs below the package, without extension.
    Returns:
        a struct like the result of translate_action.
    """
    out = _form(ctx, name)
    args = ctx.actions.args()
    args.add("images")
    if unit.images:
        args.add_all("--built", [unit.images], expand_directories = False)
    else:
        args.add("--driver", toolchain.dpcpp.driver.executable)
        args.add("--library", toolchain.dpcpp.library)
        args.add("--split", build.split)
    if build.dependencies:
        args.add("--allow-device-image-dependencies")
    if build.keep_debug_info:
        args.add("--keep-debug-info")
    args.add_all("--code-dir", [out.code], expand_directories = False)
    args.add_all("--properties-dir", [out.properties], expand_directories = False)
    args.add("--table", out.table)
    args.add(unit.source if unit.images else unit.bitcode)
    run_tool(
        ctx,
        ctx.executable._devicec,
        args,
        inputs = [unit.images or unit.bitcode],
        transitive = [] if unit.images else [toolchain.dpcpp.files],
        tools = [] if unit.images else [toolchain.dpcpp.driver],
        outputs = [out.code, out.properties, out.table],
        mnemonic = "SyclImages",
        progress_message = "Creating SYCL device images of %s" % (unit.source or unit.bitcode.short_path),
    )
    return out

def _form(ctx, name):
    """Returns the files of a source's SPIR-V: struct(code, properties, table)."""
    return struct(
        code = ctx.actions.declare_directory(name + ".spv"),
        # Separate from the directory of the code, so that native code is not recompiled if only the
        # properties change.
        properties = ctx.actions.declare_directory(name + ".properties"),
        table = ctx.actions.declare_file(name + ".table"),
    )

def translate_action(ctx, toolchain, build, modules, name, emulate = False):
    """Declares SyclTranslate, which translates split modules to SPIR-V, and writes their property and symbol files.

    Args:
        ctx: the rule context.
        toolchain: SyclToolchainInfo.
        build: the result of device_build in images.bzl.
        modules: the result of postlink_action for a source.
        name: path of the outputs below the package, without extension.
        emulate: whether the compiler of native images replaces conversions of double.
    Returns:
        struct(code, properties, table): the directory of SPIR-V modules, the directory of their
        property and symbol files, and the table.
    """
    out = _form(ctx, name)
    args = ctx.actions.args()
    args.add("translate")
    if toolchain.dpcpp:
        args.add("--driver", toolchain.dpcpp.driver.executable)
        args.add("--library", toolchain.dpcpp.library)
        files = [toolchain.dpcpp.files]
        programs = []
    else:
        val = need(ctx, toolchain.spirv_val)
        if not toolchain.llvm_spirv.missing:
            translator = toolchain.llvm_spirv
            args.add("--llvm-spirv", translator.executable)
        else:
            translator = need(ctx, toolchain.llc)
            args.add("--llc", translator.executable)
        args.add("--spirv-val", val.executable)
        files = []
        programs = [translator, val]
    args.add_all("--code-dir", [out.code], expand_directories = False)
    args.add_all("--properties-dir", [out.properties], expand_directories = False)
    args.add("--table", out.table)
    if build.keep_debug_info:
        args.add("--keep-debug-info")
    if emulate:
        args.add("--fsycl-fp64-conv-emu")
    args.add(modules.table)
    run_tool(
        ctx,
        ctx.executable._devicec,
        args,
        inputs = [modules.table, modules.code],
        transitive = files,
        tools = [toolchain.dpcpp.driver] if toolchain.dpcpp else [],
        programs = programs,
        outputs = [out.code, out.properties, out.table],
        mnemonic = "SyclTranslate",
        progress_message = "Translating %s to SPIR-V" % modules.code.short_path,
        # A worker does not cache DPC++'s outputs.
        worker = None if toolchain.dpcpp else [],
    )
    return out

def specialize_action(ctx, forms, values):
    """Declares SyclSpecialize, which sets specialization constants in the SPIR-V of all sources.

    One action handles all sources, because not every source has every constant.

    Args:
        ctx: the rule context.
        forms: dict of path below the package, without extension -> the result of
            translate_action.
        values: dict of constant -> value.
    Returns:
        a dict like forms, with the specialized files.
    """
    outs = {name: _form(ctx, name + ".specialized") for name in forms}
    args = ctx.actions.args()
    args.add("specialize")
    args.add(user_label(ctx), format = "--label=%s")  # one argument, see names.bzl
    for name, value in values.items():
        args.add("--set=%s=%s" % (name, value))
    for name, form in forms.items():
        out = outs[name]
        args.add_all("--code-dir", [out.code], expand_directories = False)
        args.add_all("--properties-dir", [out.properties], expand_directories = False)
        args.add("--table", out.table)
        args.add(form.table)
    run_tool(
        ctx,
        ctx.executable._devicec,
        args,
        inputs = [f for form in forms.values() for f in [form.code, form.properties, form.table]],
        outputs = [f for out in outs.values() for f in [out.code, out.properties, out.table]],
        mnemonic = "SyclSpecialize",
        progress_message = "Setting specialization constants of " + user_label(ctx),
        toolchain = None,
    )
    return outs
