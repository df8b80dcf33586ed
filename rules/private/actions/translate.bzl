"""The actions that turn split modules into SPIR-V, and set constants in it."""

load("//rules/private:names.bzl", "shown")
load(":tools.bzl", "need", "run_tool")

def dpcpp_images_action(ctx, toolchain, build, unit, name):
    """SyclImages: makes device images with DPC++'s own post-link and translator.

    Args:
        ctx: the rule context.
        toolchain: SyclToolchainInfo, of DPC++.
        build: what device_build of images.bzl returns.
        unit: struct(bitcode, images, source): the File of the bitcode of one or several
            sources; the folder that compile_action has DPC++'s images of it in, or None; and
            the path of the source, when it is one.
        name: path of the outputs below the package, without extension.
    Returns:
        what translate_action returns.
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
        progress_message = "Making SYCL device images of %s" % (unit.source or unit.bitcode.short_path),
    )
    return out

def _form(ctx, name):
    """The files of a source's SPIR-V: struct(code, properties, table)."""
    return struct(
        code = ctx.actions.declare_directory(name + ".spv"),
        # Not in the folder of the code: native code is not compiled again when only the
        # properties change.
        properties = ctx.actions.declare_directory(name + ".properties"),
        table = ctx.actions.declare_file(name + ".table"),
    )

def translate_action(ctx, toolchain, build, modules, name, emulate = False):
    """SyclTranslate: translates split modules to SPIR-V, and writes their property and symbol files.

    Args:
        ctx: the rule context.
        toolchain: SyclToolchainInfo.
        build: what device_build of images.bzl returns.
        modules: what postlink_action returned for a source.
        name: path of the outputs below the package, without extension.
        emulate: whether the compiler of native images replaces conversions of double.
    Returns:
        struct(code, properties, table): the folder of SPIR-V modules, that of their
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
        # A worker keeps nothing that DPC++ made.
        worker = None if toolchain.dpcpp else [],
    )
    return out

def specialize_action(ctx, forms, values):
    """SyclSpecialize: sets specialization constants in the SPIR-V of all sources.

    One action has all sources, as a constant need not be in each of them.

    Args:
        ctx: the rule context.
        forms: dict of path below the package, without extension -> what translate_action
            returned.
        values: dict of constant -> value.
    Returns:
        a dict as forms, with the specialized files.
    """
    outs = {name: _form(ctx, name + ".specialized") for name in forms}
    args = ctx.actions.args()
    args.add("specialize")
    args.add(shown(ctx.label), format = "--label=%s")  # one argument, see shown
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
        progress_message = "Setting specialization constants of %{label}",
        toolchain = None,
    )
    return outs
