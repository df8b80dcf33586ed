"""The action that compiles a source to device bitcode."""

load("@rules_cc//cc:find_cc_toolchain.bzl", find_cpp_toolchain = "find_cc_toolchain")
load("//rules:find_sycl_toolchain.bzl", "SYCL_TOOLCHAIN_TYPE")
load("//rules/private/options:device_options.bzl", "COPTS", "DEFINES")
load(":tools.bzl", "need", "own_toolchain")

# Reports use line tables to show the location of a kernel and the function that requires an
# aspect. They are removed from SPIR-V. The profiling option adds the names of inlined
# functions. DWARF 4 and the compilation directory keep the source's checksum and the build
# directory out of the bitcode.
_LINE_TABLES = [
    "-gdwarf-4",
    "-gline-tables-only",
    "-fdebug-info-for-profiling",
    "-ffile-compilation-dir=.",
]

# Options by compilation mode (`-c`), before the options of the toolchain and the target.
# Without optimization, libraries check more, with functions that devices do not have.
_MODES = {
    "dbg": ["-O0", "-g", "-D_GLIBCXX_NO_ASSERTIONS"],
    "fastbuild": ["-O2"],
    "opt": ["-O2"],
}

def wants_debug_info(ctx, copts):
    """Returns whether images have debug information.

    Args:
        ctx: the rule context.
        copts: options of the toolchain and the target; the last relevant one counts.
    Returns:
        bool.
    """
    asked = [c for c in _MODES[ctx.var["COMPILATION_MODE"]] + copts if c.startswith("-g") and not c.startswith("-gno-")]
    return bool(asked) and asked[-1] != "-g0"

# As above, for DPC++, whose driver ignores -g options for device code.
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

# DPC++'s linker does not find constructors that a different source defines as aliases.
_DPCPP_LINKED = ["-Xclang", "-mno-constructor-aliases"]

def unique_prefix(label, path):
    """Returns the prefix for the names of a source's internal specialization constants and device globals.

    Hosts find both by name. Without a prefix, equal names in two sources of a program would stand
    for one object. This also applies to a source that two targets compile.

    Args:
        label: label of the target that compiles the source.
        path: the source's path.
    Returns:
        string.
    """
    text = "%s %s" % (label, path)
    halves = ["%x" % (hash(each) % 0x100000000) for each in [text, text[::-1]]]
    return "uid" + "".join(["0" * (8 - len(half)) + half for half in halves])

def compile_action(ctx, toolchain, source, name, options, host_name = None, family = None, post_link = None):
    """Declares SyclCompile, which compiles one source to device bitcode.

    Args:
        ctx: the rule context.
        toolchain: SyclToolchainInfo.
        source: the source File.
        name: path of the output below the package, without its extension.
        options: struct(context, local_defines, line, copts, apart): the compilation context;
            definitions for the target only; the result of device_line; the target's own options;
            and macros that the target defines for one of the two compilations.
        host_name: as name, for the files that a host compilation of the source includes; None if
            there is none.
        family: the family of GPUs to compile for, from gpus.bzl; None for SPIR-V.
        post_link: options of DPC++'s post-link step, whose images are kept; or None.
    Returns:
        struct(bitcode, header, footer, compare, images): Files. The second and third are DPC++'s
        integration header and footer for the host compilation, and the fourth is a header that
        compares the macros of the two compilations; None without a host compilation. The last is
        the output directory of DPC++'s post-link step for this source alone, None without
        post_link. DPC++'s library always runs that step, so it costs nothing here.
    """
    out = struct(
        bitcode = ctx.actions.declare_file(name + ".bc"),
        header = ctx.actions.declare_file(host_name + ".integration.h") if host_name else None,
        footer = ctx.actions.declare_file(host_name + ".footer.h") if host_name else None,
        compare = ctx.actions.declare_file(host_name + ".compare.h") if host_name else None,
        images = ctx.actions.declare_directory(name + ".images") if post_link != None else None,
    )
    args = ctx.actions.args()
    args.add_all(_MODES[ctx.var["COMPILATION_MODE"]])
    args.add_all(toolchain.copts)
    for piece in options.line:
        if piece == DEFINES:
            args.add_all(options.context.defines, format_each = "-D%s")
            args.add_all(options.local_defines, format_each = "-D%s")
            args.add_all(options.context.quote_includes, before_each = "-iquote")
            args.add_all(options.context.includes, before_each = "-I")
            args.add_all(options.context.external_includes, before_each = "-isystem")
            args.add_all(options.context.system_includes, before_each = "-isystem")
        elif piece == COPTS:
            args.add_all(options.copts)
        else:
            args.add_all(piece)
    if family:
        args.add_all(family.options)
    args.add_all(post_link or [])

    # A change in a header that the source does not include must not recompile it.
    unused = ctx.actions.declare_file(name + ".unused")
    candidates = ctx.actions.args()
    candidates.add_all(_may_be_unused(ctx, options.context.headers))
    candidates.set_param_file_format("multiline")
    candidates.use_param_file("--candidates=%s", use_always = True)

    # Without a sandbox, the compiler finds headers that are not inputs.
    others = ctx.actions.args()
    others.set_param_file_format("multiline")
    others.use_param_file("--inputs=%s", use_always = True)
    compile = _dpcpp_compile if toolchain.dpcpp else _clang_compile
    if toolchain.dpcpp and post_link == None:
        args.add_all(_DPCPP_LINKED)
    command = compile(ctx, toolchain, source, out, unused, [candidates, others], args, options.apart)
    others.add_all([source] + ctx.files.additional_compiler_inputs)
    others.add_all(command.files, expand_directories = False, map_each = _file_or_repository, uniquify = True)
    ctx.actions.run(
        executable = command.executable,
        arguments = command.arguments,
        inputs = depset([source] + ctx.files.additional_compiler_inputs, transitive = [options.context.headers, command.files]),
        tools = command.tools,
        outputs = [f for f in [out.bitcode, out.header, out.footer, out.compare, out.images, unused] if f],
        unused_inputs_list = unused,
        mnemonic = "SyclCompile",
        progress_message = "Compiling %s for %s" % (source.short_path, family.name if family else "SYCL devices"),
        toolchain = own_toolchain(ctx, SYCL_TOOLCHAIN_TYPE),
    )
    return out

def _may_be_unused(ctx, headers):
    """Returns the headers that are not inputs for a different reason: a compiler does not list everything that it reads."""
    needed = {f: None for f in ctx.files.additional_compiler_inputs}
    if not needed:
        return headers
    return [f for f in headers.to_list() if f not in needed]

def _file_or_repository(file):
    """Returns the directory that contains an input of the compiler itself: its repository, unless it is in the workspace."""
    repository = file.owner.workspace_root
    if file.is_source and repository:
        return repository + "/"
    return file.path + ("/" if file.is_directory else "")

def _clang_compile(ctx, toolchain, source, out, unused, lists, options, _apart):
    """Returns the command of compile_action for clang: struct(executable, arguments, files, tools)."""
    clang = need(ctx, toolchain.clang)
    first = ctx.actions.args()
    first.add("compile")
    first.add("--output", out.bitcode)
    first.add("--unused", unused)
    command = ctx.actions.args()
    command.add("--")
    command.add(clang.executable)
    command.add_all(["-fsycl", "-fsycl-device-only"])
    command.add_all(_LINE_TABLES)
    last = ctx.actions.args()
    last.add(source)
    return struct(
        executable = ctx.executable._devicec,
        arguments = [first] + lists + [command, options, last],
        files = depset(transitive = [clang.files, toolchain.headers]),
        tools = [clang.files_to_run] if clang.files_to_run else [],
    )

def _dpcpp_compile(ctx, toolchain, source, out, unused, lists, options, apart):
    """Returns the command of compile_action for DPC++."""
    dpcpp = need(ctx, toolchain.dpcpp)
    first = ctx.actions.args()
    first.add("build" if out.images else "compile")
    first.add("--library", dpcpp.library)
    first.add("--output", out.bitcode)
    if out.images:
        first.add_all("--output-dir", [out.images], expand_directories = False)
    if out.header:
        first.add("--header", out.header)
        first.add("--footer", out.footer)
        first.add("--compare", out.compare)
        first.add_joined("--apart", apart, join_with = ",")
    first.add("--unused", unused)
    last = ctx.actions.args()
    last.add(source)
    last.add("--")
    last.add_all(_DPCPP_LINE_TABLES)
    last.add_all(["-Xclang", "-fsycl-unique-prefix=" + unique_prefix(ctx.label, source.short_path)])
    system = system_headers(ctx)
    last.add_all(system.options)
    return struct(
        executable = dpcpp.driver,
        arguments = [first] + lists + [last, options],
        files = depset(transitive = [dpcpp.files, toolchain.headers, system.files]),
        tools = [],
    )

def system_headers(ctx):
    """Returns the options with which DPC++ finds the C and C++ headers of the C++ toolchain.

    Args:
        ctx: the context of a rule with the C++ toolchain.
    Returns:
        struct(options, files): options for the compiler, and a depset of the toolchain's
        own Files.
    """
    cc = find_cpp_toolchain(ctx, mandatory = False)
    if not cc:
        return struct(options = [], files = depset())
    options = ["--sysroot=" + cc.sysroot] if cc.sysroot else []
    for directory in cc.built_in_include_directories:
        # GCC's own headers are in the directory of its version, from which clang finds libstdc++.
        if "/lib/gcc/" in directory and directory.endswith("/include"):
            options.append("--gcc-install-dir=" + directory[:-len("/include")])
            break
    return struct(options = options, files = cc.all_files)
