"""The actions of a device build, in the order in which they run.

One function declares each. File names say what they hold:
`NAME.device/SOURCE.bc` is a source's bitcode, `NAME.device/SOURCE.split` the folder of
its split modules, `NAME.device/SOURCE.spv` that of the modules as SPIR-V,
`NAME.device/SOURCE.TARGET.bin` that of their images for a target. Outputs are folders
because the number of modules is known only after post-link has run.
"""

load("@bazel_skylib//rules:common_settings.bzl", "BuildSettingInfo")
load("@rules_cc//cc:find_cc_toolchain.bzl", find_cpp_toolchain = "find_cc_toolchain")
load("//rules:toolchain.bzl", "TOOLCHAIN_TYPE")

def need(ctx, tool):
    """Fails with the toolchain's own explanation when a program is missing."""
    if tool.missing:
        fail("%s: %s" % (ctx.label, tool.missing))
    return tool

# Reports use line tables to show where a kernel is and which function makes it need an
# aspect. SPIR-V is shipped without them. The option for profiling adds the names of inlined
# functions. DWARF 4 and the compilation folder keep the source's checksum and the build's
# folder out of the bitcode.
_LINE_TABLES = [
    "-gdwarf-4",
    "-gline-tables-only",
    "-fdebug-info-for-profiling",
    "-ffile-compilation-dir=.",
]

def wants_debug_info(copts):
    """Whether options ask for debug information in the shipped code."""
    return any([c.startswith("-g") and c != "-g0" and not c.startswith("-gno-") for c in copts])

# The same for DPC++, whose driver ignores -g options for device code.
_DPCPP_LINE_TABLES = [
    "-Xclang",
    "-debug-info-kind=line-tables-only",
    "-Xclang",
    "-dwarf-version=4",
    "-fdebug-info-for-profiling",
    "-ffile-compilation-dir=.",
    "-Xclang",
    "-fdebug-compilation-dir=.",
]

def _unique_prefix(source):
    """What names of a source's internal specialization constants and device globals begin with.

    Hosts find them by name. Without a prefix, those of two sources of a program that have the
    same name would be one. DPC++'s own driver makes the prefix of the name of the file.
    """
    path = source.short_path
    word = "".join([c if c.isalnum() else "_" for c in path.elems()])
    return "uid%x_%s" % (hash(path) % 0x100000000, word)

def compile_action(ctx, toolchain, source, name, compilation_context, defines, copts, host = False):
    """SyclCompile: one source to device bitcode.

    Args:
        ctx: the rule context.
        toolchain: SyclToolchainInfo.
        source: the source File.
        name: path of the output below the package, without its extension.
        compilation_context: headers, include folders and the dependencies' defines.
        defines: the target's own definitions.
        copts: the target's own options.
        host: whether a host compiler compiles the source as well.
    Returns:
        struct(bitcode, header, footer): Files. The last two are DPC++'s integration header
        and footer for the host compile, None without host.
    """
    out = struct(
        bitcode = ctx.actions.declare_file(name + ".bc"),
        header = ctx.actions.declare_file(name + ".integration.h") if host else None,
        footer = ctx.actions.declare_file(name + ".footer.h") if host else None,
    )
    options = ctx.actions.args()
    options.add_all(toolchain.copts)
    options.add_all(compilation_context.defines, format_each = "-D%s")
    options.add_all(defines, format_each = "-D%s")
    options.add_all(compilation_context.quote_includes, before_each = "-iquote")
    options.add_all(compilation_context.includes, before_each = "-I")
    options.add_all(compilation_context.external_includes, before_each = "-isystem")
    options.add_all(compilation_context.system_includes, before_each = "-isystem")
    options.add_all(copts)
    compile = _dpcpp_compile if toolchain.dpcpp else _clang_compile
    command = compile(ctx, toolchain, source, name, compilation_context.headers, out, options)
    ctx.actions.run(
        executable = command.executable,
        arguments = command.arguments,
        inputs = depset([source], transitive = [compilation_context.headers, command.files]),
        outputs = [f for f in [out.bitcode, out.header, out.footer, command.unused] if f],
        unused_inputs_list = command.unused,
        mnemonic = "SyclCompile",
        progress_message = "Compiling %s for SYCL devices" % source.short_path,
        toolchain = TOOLCHAIN_TYPE,
    )
    return out

def _clang_compile(ctx, toolchain, source, _name, _headers, out, options):
    """The command of compile_action for clang: struct(executable, arguments, files, unused)."""
    clang = need(ctx, toolchain.clang)
    first = ctx.actions.args()
    first.add_all(["-fsycl", "-fsycl-device-only"])
    first.add_all(_LINE_TABLES)
    last = ctx.actions.args()
    last.add("-c", source)
    last.add("-o", out.bitcode)
    return struct(executable = clang.path, arguments = [first, options, last], files = clang.files, unused = None)

def _dpcpp_compile(ctx, toolchain, source, name, headers, out, options):
    """The command of compile_action for DPC++."""
    dpcpp = need(ctx, toolchain.dpcpp)

    # A change in a header that the source does not include must not compile it again.
    unused = ctx.actions.declare_file(name + ".unused")
    candidates = ctx.actions.args()
    candidates.add_all(headers)
    candidates.set_param_file_format("multiline")
    candidates.use_param_file("--candidates=%s", use_always = True)
    first = ctx.actions.args()
    first.add("compile")
    first.add("--library", dpcpp.library)
    first.add("--output", out.bitcode)
    if out.header:
        first.add("--header", out.header)
        first.add("--footer", out.footer)
    first.add("--unused", unused)
    last = ctx.actions.args()
    last.add(source)
    last.add("--")
    last.add_all(_DPCPP_LINE_TABLES)
    last.add_all(["-Xclang", "-fsycl-unique-prefix=" + _unique_prefix(source)])
    system = system_headers(ctx)
    last.add_all(system.options)
    return struct(
        executable = dpcpp.driver,
        arguments = [first, candidates, last, options],
        files = depset(transitive = [dpcpp.files, system.files]),
        unused = unused,
    )

def system_headers(ctx):
    """The options by which DPC++ finds the C and C++ headers of the C++ toolchain.

    Args:
        ctx: the context of a rule with the C++ toolchain.
    Returns:
        struct(options, files): options of the compiler, and a depset of the toolchain's
        own Files.
    """
    cc = find_cpp_toolchain(ctx, mandatory = False)
    if not cc:
        return struct(options = [], files = depset())
    options = ["--sysroot=" + cc.sysroot] if cc.sysroot else []
    for folder in cc.built_in_include_directories:
        # GCC's own headers are in the folder of its version, from which clang finds libstdc++.
        if "/lib/gcc/" in folder and folder.endswith("/include"):
            options.append("--gcc-install-dir=" + folder[:-len("/include")])
            break
    return struct(options = options, files = cc.all_files)

def link_action(ctx, toolchain, bitcode, name):
    """SyclDeviceLink: links the bitcode of all sources; kernels keep the id of their source.

    Args:
        ctx: the rule context.
        toolchain: SyclToolchainInfo.
        bitcode: list of (module id, bitcode File).
        name: path of the output below the package, without its extension.
    Returns:
        The linked bitcode File.
    """
    dis, link = need(ctx, toolchain.llvm_dis), need(ctx, toolchain.llvm_link)
    out = ctx.actions.declare_file(name + ".linked.bc")
    args = ctx.actions.args()
    args.add("link")
    args.add("--llvm-dis", dis.path)
    args.add("--llvm-link", link.path)
    args.add("--output", out)
    args.add_all(["%s=%s" % (module, f.path) for module, f in bitcode])
    _run_tool(
        ctx,
        ctx.executable._devicec,
        args,
        inputs = depset([f for _, f in bitcode], transitive = [dis.files, link.files]),
        outputs = [out],
        mnemonic = "SyclDeviceLink",
        progress_message = "Linking SYCL device code of %{label}",
    )
    return out

def import_action(ctx, toolchain, syclbin, name):
    """SyclbinImport: turns the IR of a SYCLBIN into bitcode that can be linked.

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
    args.add("--llvm-spirv", spirv.path)
    args.add("--llvm-dis", dis.path)
    args.add("--llvm-link", link.path)
    args.add("--module", syclbin.short_path)
    args.add("--output", out)
    args.add(syclbin)
    _run_tool(
        ctx,
        ctx.executable._devicec,
        args,
        inputs = depset([syclbin], transitive = [dis.files, link.files, spirv.files]),
        outputs = [out],
        mnemonic = "SyclbinImport",
        progress_message = "Taking the device code out of %s" % syclbin.short_path,
    )
    return out

def postlink_action(ctx, toolchain, bitcode, source, modules, split, fixed_targets, device_config, kernels_only, dependencies, syclbin):
    """SyclPostLink: splits device code into the modules of each source.

    Args:
        ctx: the rule context.
        toolchain: SyclToolchainInfo.
        bitcode: the File of a source's bitcode, or of that of several sources.
        source: module id of the source, empty when link_action has marked all code.
        modules: dict of module id -> path of its outputs below the package, without
            extension. The id is empty for code that is not divided by sources.
        split: device_code_split.
        fixed_targets: names of the only targets that the kernels are for, or none.
        device_config: list of Files merged over the built-in device table.
        kernels_only: whether nothing is linked to the modules later, so that functions are
            kept for their own kernels only.
        dependencies: whether a module may use what another image defines.
        syclbin: whether kernels get the names by which programs look them up in a SYCLBIN.
    Returns:
        dict of module id -> struct(code, table): the folder of modules, and their table.
    """
    dis, opt = need(ctx, toolchain.llvm_dis), need(ctx, toolchain.opt)
    outs = {
        module: struct(
            code = ctx.actions.declare_directory(path + ".split"),
            table = ctx.actions.declare_file(path + ".split.table"),
        )
        for module, path in modules.items()
    }
    args = ctx.actions.args()
    args.add("--llvm-dis", dis.path)
    args.add("--opt", opt.path)
    args.add("--split", split)
    if source:
        args.add("--source", source)
    if syclbin:
        args.add("--syclbin-kernel-names")
    if toolchain.dpcpp:
        args.add("--dpcpp-translator")
    args.add_joined("--fixed-targets", fixed_targets, join_with = ",")
    args.add_all(device_config, before_each = "--device-config-file")
    if kernels_only:
        args.add("--emit-only-kernels-as-entry-points")
    if dependencies:
        args.add("--allow-device-image-dependencies")
    if ctx.attr._warnings_as_errors[BuildSettingInfo].value:
        args.add("--warnings-as-errors")
    for module, out in outs.items():
        # Bazel would expand a folder to its files.
        if module:
            args.add_all([out.code], format_each = "--module=" + module.replace("%", "%%") + "=%s", expand_directories = False)
        else:
            args.add("--allow-no-kernels")
            args.add("--output", out.table)
            args.add_all("--out-dir", [out.code], expand_directories = False)
    args.add(bitcode)
    _run_tool(
        ctx,
        ctx.executable._postlink,
        args,
        inputs = depset([bitcode] + device_config, transitive = [dis.files, opt.files]),
        outputs = [f for out in outs.values() for f in [out.code, out.table]],
        mnemonic = "SyclPostLink",
        progress_message = "Splitting SYCL device code of %{label}",
    )
    return outs

def dpcpp_images_action(ctx, toolchain, bitcode, name, split, dependencies, keep_debug_info):
    """SyclImages: makes device images with DPC++'s own post-link and translator.

    Args:
        ctx: the rule context.
        toolchain: SyclToolchainInfo, of DPC++.
        bitcode: the File of a source's bitcode, or of that of several sources.
        name: path of the outputs below the package, without extension.
        split: device_code_split.
        dependencies: whether an image may use what another one defines.
        keep_debug_info: whether the SPIR-V keeps its debug information.
    Returns:
        what translate_action returns.
    """
    out = _form(ctx, name)
    args = ctx.actions.args()
    args.add("images")
    args.add("--driver", toolchain.dpcpp.driver.executable)
    args.add("--library", toolchain.dpcpp.library)
    args.add("--split", split)
    if dependencies:
        args.add("--allow-device-image-dependencies")
    if keep_debug_info:
        args.add("--keep-debug-info")
    args.add_all("--code-dir", [out.code], expand_directories = False)
    args.add_all("--properties-dir", [out.properties], expand_directories = False)
    args.add("--table", out.table)
    args.add(bitcode)
    _run_tool(
        ctx,
        ctx.executable._devicec,
        args,
        inputs = depset([bitcode], transitive = [toolchain.dpcpp.files]),
        tools = [toolchain.dpcpp.driver],
        outputs = [out.code, out.properties, out.table],
        mnemonic = "SyclImages",
        progress_message = "Making SYCL device images of %s" % bitcode.short_path,
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

def translate_action(ctx, toolchain, modules, name, keep_debug_info):
    """SyclTranslate: translates split modules to SPIR-V, and writes their property and symbol files.

    Args:
        ctx: the rule context.
        toolchain: SyclToolchainInfo.
        modules: what postlink_action returned for a source.
        name: path of the outputs below the package, without extension.
        keep_debug_info: whether the SPIR-V keeps its debug information.
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
    else:
        val = need(ctx, toolchain.spirv_val)
        if toolchain.llvm_spirv.path:
            translator = toolchain.llvm_spirv
            args.add("--llvm-spirv", translator.path)
        else:
            translator = need(ctx, toolchain.llc)
            args.add("--llc", translator.path)
        args.add("--spirv-val", val.path)
        files = [translator.files, val.files]
    args.add_all("--code-dir", [out.code], expand_directories = False)
    args.add_all("--properties-dir", [out.properties], expand_directories = False)
    args.add("--table", out.table)
    if keep_debug_info:
        args.add("--keep-debug-info")
    args.add(modules.table)
    _run_tool(
        ctx,
        ctx.executable._devicec,
        args,
        inputs = depset([modules.table, modules.code], transitive = files),
        tools = [toolchain.dpcpp.driver] if toolchain.dpcpp else [],
        outputs = [out.code, out.properties, out.table],
        mnemonic = "SyclTranslate",
        progress_message = "Translating %s to SPIR-V" % modules.code.short_path,
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
    args.add("--label", str(ctx.label).lstrip("@"))
    for name, value in values.items():
        args.add("--set", "%s=%s" % (name, value))
    for name, form in forms.items():
        out = outs[name]
        args.add_all("--code-dir", [out.code], expand_directories = False)
        args.add_all("--properties-dir", [out.properties], expand_directories = False)
        args.add("--table", out.table)
        args.add(form.table)
    _run_tool(
        ctx,
        ctx.executable._devicec,
        args,
        inputs = [f for form in forms.values() for f in [form.code, form.properties, form.table]],
        outputs = [f for out in outs.values() for f in [out.code, out.properties, out.table]],
        mnemonic = "SyclSpecialize",
        progress_message = "Setting specialization constants of %{label}",
    )
    return outs

def filter_action(ctx, table, properties, target, device_config, out, sycl_targets = [], fixed_targets = []):
    """SyclAotFilter: keeps the rows of a table that a target can take.

    Args:
        ctx: the rule context.
        table: the table's File.
        properties: list of the Files that the table's column Properties names.
        target: name of the target.
        device_config: list of Files merged over the built-in device table.
        out: the table File to write.
        sycl_targets: the targets of the build, to check them against fixed_targets, or none.
        fixed_targets: the only targets that keep rows, or none when all do.
    """
    args = ctx.actions.args()
    args.add("--target", target)
    args.add_all(device_config, before_each = "--device-config-file")
    args.add_joined("--targets", sycl_targets, join_with = ",")
    args.add_joined("--fixed-targets", fixed_targets, join_with = ",")
    args.add("--output", out)
    args.add(table)
    _run_tool(
        ctx,
        ctx.executable._aspectfilter,
        args,
        inputs = depset([table] + properties + device_config),
        outputs = [out],
        mnemonic = "SyclAotFilter",
        progress_message = "Filtering %s for %s" % (table.short_path, target),
    )

def aot_action(ctx, toolchain, form, table, target, name, library):
    """SyclAot: compiles the modules that the filter kept for a target.

    Args:
        ctx: the rule context.
        toolchain: SyclToolchainInfo.
        form: what translate_action returned.
        table: the filtered table File.
        target: struct of resolve_targets.
        name: path of the outputs below the package, without extension.
        library: whether images of other SYCLBINs may be linked to these.
    Returns:
        struct(code, table): the folder of native images, and their table.
    """
    ocloc = need(ctx, toolchain.ocloc)
    out = struct(
        code = ctx.actions.declare_directory(name + ".bin"),
        table = ctx.actions.declare_file(name + ".table"),
    )
    args = ctx.actions.args()
    args.add("aot")
    args.add("--ocloc", ocloc.path)
    args.add("--device", target.device)
    if library:
        args.add("--library")
    args.add_all("--code-dir", [out.code], expand_directories = False)
    args.add("--output", out.table)
    args.add(table)
    _run_tool(
        ctx,
        ctx.executable._devicec,
        args,
        inputs = depset([table, form.code], transitive = [ocloc.files]),
        outputs = [out.code, out.table],
        mnemonic = "SyclAot",
        progress_message = "Compiling %s for %s" % (form.code.short_path, target.name),
    )
    return out

def plan_action(ctx, forms, targets, device_config, name):
    """SyclAotPlan: writes the decision about every module and target as JSON.

    Fails when no target can take one of the modules: its kernels would be missing
    at run time.

    Args:
        ctx: the rule context.
        forms: list of what translate_action returned.
        targets: list of structs of resolve_targets.
        device_config: list of Files merged over the built-in device table.
        name: path of the output below the package, without extension.
    Returns:
        The JSON File.
    """
    plan = ctx.actions.declare_file(name + ".plan.json")
    args = ctx.actions.args()
    args.add("--plan")
    args.add("--require-taken")
    args.add_joined("--targets", [t.name for t in targets], join_with = ",")
    args.add_all(device_config, before_each = "--device-config-file")
    args.add("--output", plan)
    args.add_all([f.table for f in forms])
    _run_tool(
        ctx,
        ctx.executable._aspectfilter,
        args,
        inputs = depset([f.table for f in forms] + [f.properties for f in forms] + device_config),
        outputs = [plan],
        mnemonic = "SyclAotPlan",
        progress_message = "Planning device images of %{label}",
    )
    return plan

def pack_action(ctx, images, plan, state, runtime, out, ir = "any", embedded = False):
    """SyclbinPack: packs all images into one SYCLBIN.

    Args:
        ctx: the rule context.
        images: list of struct(target, table, files): a target's table and the files that it names.
        plan: the plan's File; it must succeed before anything is packed.
        state: input, object or executable.
        runtime: release of the runtime that will load the file.
        out: the File to write.
        ir: which devices IR is for: any, or cpu.
        embedded: whether the file only describes images that are inside a program.
    """
    flags = ["--state", state]
    if ir != "any":
        flags += ["--ir", ir]
    if embedded:
        flags.append("--embedded")
    _packager_action(ctx, "pack", flags, images, plan, runtime, out, "SyclbinPack", "Packing %{output}")

def wrap_action(ctx, images, plan, runtime, out):
    """SyclWrap: writes the source of an object that registers all images with libsycl.

    Args:
        ctx: the rule context.
        images: as for pack_action.
        plan: the plan's File; it must succeed before anything is wrapped.
        runtime: release of the runtime that the program is linked to.
        out: the File to write, which ends in .s.
    """
    _packager_action(ctx, "wrap", ["--allow-empty"], images, plan, runtime, out, "SyclWrap", "Wrapping device images of %{label}")

def _packager_action(ctx, command, flags, images, plan, runtime, out, mnemonic, progress_message):
    args = ctx.actions.args()
    args.use_param_file("@%s")
    args.set_param_file_format("multiline")
    args.add(command)
    args.add_all(flags)
    args.add("--runtime", runtime)
    args.add("--output", out)
    args.add_all([_table(i) for i in images])
    _run_tool(
        ctx,
        ctx.executable._packager,
        args,
        inputs = depset([plan], transitive = [depset([i.table] + i.files) for i in images]),
        outputs = [out],
        mnemonic = mnemonic,
        progress_message = progress_message,
    )

def _table(image):
    """A target's images as an argument of the packager."""
    return "--table=%s%s=%s" % (
        image.target.triple,
        "=" + image.target.name if image.target.compiler else "",
        image.table.path,
    )

def combine_action(ctx, files, state, allow_unresolved, runtime, out):
    """SyclbinLink: puts the modules of several SYCLBINs into one, and resolves their symbols.

    Args:
        ctx: the rule context.
        files: list of SYCLBIN Files.
        state: input, object or executable, or empty to let the tool choose.
        allow_unresolved: whether imports that no file exports are allowed.
        runtime: release of the runtime that will load the file.
        out: the File to write.
    """
    args = ctx.actions.args()
    args.use_param_file("@%s")
    args.set_param_file_format("multiline")
    args.add("link")
    args.add("--mode", "combine")
    args.add("--runtime", runtime)
    if state:
        args.add("--state", state)
    if allow_unresolved:
        args.add("--allow-unresolved")
    args.add("--output", out)
    args.add_all(files)
    _run_tool(
        ctx,
        ctx.executable._packager,
        args,
        inputs = depset(files),
        outputs = [out],
        mnemonic = "SyclbinLink",
        progress_message = "Linking %{output}",
    )

def _run_tool(ctx, tool, args, inputs, outputs, mnemonic, progress_message, tools = []):
    ctx.actions.run(
        executable = tool,
        arguments = [args],
        inputs = inputs,
        tools = tools,
        outputs = outputs,
        mnemonic = mnemonic,
        progress_message = progress_message,
        # The device compilers find their helpers (ld, ar, libraries) in these folders. A fixed
        # environment keeps that of the machine out of the cache key.
        env = {"PATH": "/usr/bin:/bin"},
        toolchain = TOOLCHAIN_TYPE,
    )

TOOL_ATTRS = {
    "_aspectfilter": attr.label(default = "//rules/private:aspectfilter", executable = True, cfg = "exec"),
    "_devicec": attr.label(default = "//rules/private:devicec", executable = True, cfg = "exec"),
    "_packager": attr.label(default = "//rules/private:packager", executable = True, cfg = "exec"),
    "_postlink": attr.label(default = "//rules/private:postlink", executable = True, cfg = "exec"),
    "_warnings_as_errors": attr.label(default = "//rules/settings:warnings_as_errors"),
}
