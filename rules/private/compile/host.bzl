"""The host compilation of sources that are also compiled for devices."""

load("@rules_cc//cc/common:cc_common.bzl", "cc_common")
load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")
load("//rules/private/actions:assemble.bzl", "assemble_action")
load("//rules/private/actions:covered.bzl", "covered_action", "writes_notes")
load("//rules/private/actions:host_check.bzl", "host_check_actions")
load("//rules/private/options:device_options.bzl", "all_options", "chosen_standard", "is_old_standard", "standard")
load("//rules/private/targets:names.bzl", "user_label")
load(":compile.bzl", "host_stem", "path_in_repository")
load(":headers.bzl", "ASSEMBLER_SOURCES", "C_SOURCES", "without_module_maps")

# The C++ standard of a build that does not set one. Newer compilers have newer defaults, with which
# some releases of libsycl's headers do not compile.
_STANDARD = "-std=c++17"

# Macros that libsycl-jit defines and that g++ and clang do not. icpx's macros are in _macros.
_HOST_MACROS = ["-D__SYCL_ID_QUERIES_FIT_IN_INT__=1", "-D__SYCL_UNNAMED_LAMBDA__=1"]

# clang defines this macro. For g++, integration headers do, and compilations of headers do not include them.
_LANGUAGE_VERSION = ["-DSYCL_LANGUAGE_VERSION=202012L"]

# Warnings about device code. The device compilation prints them if there is a reason.
_DEVICE_WARNINGS = {
    "clang": ["-Wno-unknown-attributes"],
    "gcc": ["-Wno-attributes=sycl::", "-Wno-attributes=intel::", "-Wno-unknown-pragmas"],
}

# Generated code must compile with any warnings that the user turns into errors.
_IGNORED_WARNINGS = {
    "clang": ["-Weverything"],
    "gcc": [
        "-Wattributes",
        "-Wconversion",
        "-Wmissing-declarations",
        "-Wold-style-cast",
        "-Wpedantic",
        "-Wredundant-decls",
        "-Wshadow",
        "-Wsign-conversion",
        "-Wundef",
        "-Wunused-const-variable",
        "-Wunused-parameter",
        "-Wunused-variable",
        "-Wuseless-cast",
        "-Wzero-as-null-pointer-constant",
    ],
}

def _quiet(host, lines):
    """Wraps lines of code so that the host compiler prints no warnings about them."""
    warnings = _IGNORED_WARNINGS["clang" if host.is_clang or host.is_intel else "gcc"]
    ignored = ["#pragma GCC diagnostic ignored \"%s\"" % warning for warning in warnings]
    return ["#pragma GCC diagnostic push"] + ignored + lines + ["#pragma GCC diagnostic pop"]

# Images then describe the classes of kernels, which g++ can lay out differently.
_CLASSES = ["-Xclang", "-debug-info-kind=limited"]

# A user's options come later and override these. libsycl's headers fill g++'s heap to about 200 MB.
# Above 128 MB, g++ collects garbage, which frees almost nothing and takes 10 % more time. g++ also
# prints notes about the size of vectors in these headers, even though they are system headers.
_GCC_OPTIONS = ["--param=ggc-min-heapsize=262144", "-Wno-psabi"]

# Options that replace the beginning of file names.
_PREFIX_MAPS = ["-fdebug-prefix-map=", "-ffile-prefix-map=", "-fmacro-prefix-map="]

def host_compiler(ctx, toolchain, cc, line, options):
    """Returns the inputs and settings that both compilations of a target share.

    Args:
        ctx: the rule context.
        toolchain: SyclToolchainInfo.
        cc: the result of cc_of.
        line: the result of host_line.
        options: the result of read_options.
    Returns:
        struct(cc, is_clang, is_intel, knows_headers, options, device_options, unnamed, maps): the C++
        toolchain; whether it is clang; whether it is icx or icpx; whether the headers in
        //rules/dpcpp:host are for this libsycl; options of the host compilation and of the device
        compilation that precede the target's own; whether kernels may be unnamed; and the prefix
        maps of the host compilation.
    """
    is_clang = cc.toolchain.compiler.startswith("clang")
    is_intel = cc.toolchain.compiler.startswith("ic")
    knows_headers = toolchain.runtime.startswith("2026")

    # Only clang, and the headers in //rules/dpcpp:host, find unnamed kernels.
    unnamed = knows_headers or is_clang
    standards = _standards(ctx, line, options)
    macros = _macros(toolchain, is_clang, is_intel)
    return struct(
        cc = cc,
        is_clang = is_clang,
        is_intel = is_intel,
        knows_headers = knows_headers,
        options = standards.host + macros.host,
        device_options = standards.device + macros.device + ([] if unnamed else ["-fno-sycl-unnamed-lambda"]) + ([] if is_clang or is_intel else _CLASSES),
        unnamed = unnamed,
        maps = [o for o in all_options(line) + options.host if [p for p in _PREFIX_MAPS if o.startswith(p)]],
    )

def _standards(ctx, line, options):
    """Returns the options that select a C++ standard if the build does not: struct(host, device)."""
    build = standard(all_options(line))
    if build and is_old_standard(build) and not chosen_standard(ctx):
        build = None  # the default of the C++ toolchain, such as -std=c++14 in Bazel 7
    device, host = standard(options.device), standard(options.host)
    of_build = "--copt or --cxxopt" if build and build == chosen_standard(ctx) else "the C++ toolchain" if build else "the default"
    places = options.standards
    for where, chosen in [(of_build, None if device and host else build), (places.get(device or host), device or host)]:
        if chosen and is_old_standard(chosen):
            fail("%s: %s: '%s' is too old for SYCL, which needs C++17; use -std=c++17 in copts" % (user_label(ctx), where, chosen))
    default = [] if build else [_STANDARD]
    if (device or build or _STANDARD) != (host or build or _STANDARD):
        fail("%s: different C++ standards: '%s' from %s for the host compilation and '%s' from %s for the device compilation; set one standard for both in copts" % (
            user_label(ctx),
            host or build or _STANDARD,
            places.get(host, of_build),
            device or build or _STANDARD,
            places.get(device, of_build),
        ))
    return struct(host = [] if host else default, device = [] if device else default)

def _macros(toolchain, is_clang, is_intel):
    """Returns options with which either both compilations have icpx's macros, or neither has.

    Code that checks for them expects clang as the host compiler: ESIMD does not compile with g++.
    The device compiler defines them, too, and its number can differ from the version of the pip
    package: the compiler of package 2026.1.2 says 20260101.

    Returns:
        struct(host, device): options of the two compilations.
    """
    if is_intel:
        return struct(host = [], device = [])  # icpx defines them
    names = ["__INTEL_CLANG_COMPILER", "__INTEL_LLVM_COMPILER"]
    undefined = ["-U" + name for name in names]
    parts = toolchain.dpcpp.version.split(".")
    if not is_clang or len(parts) != 3 or not "".join(parts).isdigit():
        return struct(host = undefined, device = undefined)
    year, update, patch = [int(part) for part in parts]
    defined = ["-D%s=%d" % (name, year * 10000 + update * 100 + patch) for name in names]
    return struct(host = defined, device = undefined + defined)

def unique_symbol(ctx, prefix):
    """Returns a symbol that is unique to a target.

    Args:
        ctx: the rule context.
        prefix: the start of the symbol.
    Returns:
        string.
    """
    label = "/".join([part for part in [ctx.label.repo_name, ctx.label.package, ctx.label.name] if part])
    return prefix + "".join([c if c.isalnum() else "_" for c in label.elems()])

def compile_host(ctx, toolchain, host, compiled, options, symbol = ""):
    """Declares the host compilation of a rule's sources.

    Args:
        ctx: the context of a rule with PROGRAM_ATTRS.
        toolchain: SyclToolchainInfo.
        host: the result of host_compiler.
        compiled: the result of compile_sources.
        options: the result of read_options.
        symbol: a symbol that the host code refers to, so that it links only with its device code.
            Empty if not needed.
    Returns:
        struct(context, outputs, notes, parsed): the compilation context for dependents, the
        CcCompilationOutputs, the notes of a coverage build, and a depset of outputs that show
        that headers compile on their own.
    """
    libsycl = toolchain.libsycl[CcInfo].compilation_context
    build = struct(
        compiled = compiled,
        contexts = (_front(ctx, libsycl) if host.knows_headers else []) + compiled.contexts + [_generated(compiled), libsycl],
        flags = _flags(host, options.host),
        host = host,
        layouts = unique_symbol(ctx, "rules_sycl_layouts_of_") + "_%x" % (hash(str(ctx.label)) % 0x100000000),
        # The commands of our own actions do not support module maps.
        unchecked = without_module_maps(ctx, host.cc),
    )
    sees = cc_common.merge_compilation_contexts(compilation_contexts = build.contexts)
    outputs, notes, sources = [], [], []
    for i, source in enumerate(compiled.compiled):
        one = _compile_source(ctx, build, sees, i, source, symbol if i == 0 else "")
        outputs.append(one.output)
        notes += one.notes
        sources.append(one.checked)
    for name, extensions, flags in [(".c", C_SOURCES, options.c), (".alone", ASSEMBLER_SOURCES, options.assembler)]:
        alone = [f for f in ctx.files.srcs if "." + f.extension in extensions]
        if alone:
            outputs.append(_compile(
                ctx,
                build,
                additional_inputs = ctx.files.additional_compiler_inputs,
                compilation_contexts = compiled.contexts + [libsycl],
                name = ctx.label.name + name,
                srcs = alone,
                textual_hdrs = compiled.context.direct_headers,
                user_compile_flags = flags,
            )[1])
    if host.knows_headers and sources:
        # The comparison of the compilations must succeed before linking.
        tables = host_check_actions(ctx, build.unchecked, sources, sees, compiled.local_defines, build.flags, build.layouts)
        if tables.nopic:
            outputs.append(cc_common.create_compilation_outputs(objects = depset([assemble_action(ctx, host.cc, tables.nopic)])))
        if tables.pic:
            outputs.append(cc_common.create_compilation_outputs(pic_objects = depset([assemble_action(ctx, host.cc, tables.pic)])))
    return struct(
        context = compiled.context,
        notes = notes,
        parsed = _parsed_headers(ctx, build),
        outputs = cc_common.merge_compilation_outputs(compilation_outputs = outputs),
    )

def _front(ctx, libsycl):
    """Returns the compilation contexts that precede libsycl's."""
    return [
        ctx.attr._host_headers[CcInfo].compilation_context,
        # DPC++'s additions to standard headers, which its own compiler finds by itself.
        cc_common.create_compilation_context(system_includes = depset([
            directory + "/sycl/stl_wrappers"
            for directories in [libsycl.external_includes, libsycl.includes, libsycl.system_includes]
            for directory in directories.to_list()
            if not directory.endswith("rules/dpcpp/plain")
        ])),
    ]

def _generated(compiled):
    """Returns the compilation context in which wrappers find generated sources."""
    return cc_common.create_compilation_context(quote_includes = depset([
        c.source.path.removesuffix("/" + path_in_repository(c.source))
        for c in compiled.compiled
        if not c.source.is_source
    ]))

def _flags(host, options):
    """Returns the options for compiling a source."""
    return (
        host.options +
        # __FILE__ and diagnostics show the same path in both compilations.
        ["-ffile-prefix-map=./="] +
        # The directory where the wrapper finds the source. A target in a different repository has
        # only that repository's directory.
        ["-iquote", "."] +
        (["-Xclang", "-fsycl-is-host"] if host.is_clang else []) +
        (_HOST_MACROS if host.unnamed else []) +
        ([] if host.is_clang or host.is_intel else _GCC_OPTIONS + _LANGUAGE_VERSION) +
        options +
        # The wrapper includes the source as ./PATH, which -ffile-prefix-map=PATH=OTHER does not match.
        [o if o.partition("=")[2].startswith(("./", "/")) else o.replace("=", "=./", 1) for o in host.maps] +
        _DEVICE_WARNINGS["clang" if host.is_clang else "gcc"] +
        # The wrapper redefines __BASE_FILE__.
        ["-Wno-builtin-macro-redefined"]
    )

def _compile(ctx, build, **kwargs):
    """Calls cc_common.compile with the arguments that all compilations of the target share."""
    return cc_common.compile(**({
        "actions": ctx.actions,
        "cc_toolchain": build.host.cc.toolchain,
        "compilation_contexts": build.contexts,
        "feature_configuration": build.host.cc.features,
        "local_defines": build.compiled.local_defines,
        "user_compile_flags": build.flags,
    } | kwargs))

def _parsed_headers(ctx, build):
    """Returns a depset of outputs that show that headers compile on their own."""
    if not cc_common.is_enabled(feature_configuration = build.host.cc.features, feature_name = "parse_headers"):
        return depset()
    own = build.compiled.context
    context, _ = _compile(
        ctx,
        build,
        name = ctx.label.name + ".headers",
        public_hdrs = [f for f in own.direct_public_headers + own.direct_private_headers if f not in ctx.files.srcs or not f.is_directory],
        textual_hdrs = own.direct_textual_headers,
    )
    return context.validation_artifacts

def _include_path(source):
    """Returns the path by which a wrapper includes a source."""
    return source.path if source.is_source else path_in_repository(source)

def _mapped(path, maps):
    """Returns a path as __FILE__ shows it: the last map that matches applies."""
    for option in reversed(maps):
        old, _, new = option.partition("=")[2].partition("=")
        if not option.startswith("-fdebug-") and path.startswith(old):
            return new + path[len(old):]
    return path

def _wrapper(build, source, symbol):
    """Returns the text of the file that is compiled instead of a source.

    It contains no path of an output, so that Bazel can map the paths of the compilation.
    """
    path = _include_path(source.source)
    compare, header, included, footer = ["#include \"%s\"" % name for name in [source.compare.basename, source.header.basename, path, source.footer.basename]]

    # The user's warnings do not apply to generated code. GCC warns about the header if a
    # kernel's name is in an anonymous namespace.
    lines = [compare] + _quiet(build.host, ["#undef __BASE_FILE__", "#define __BASE_FILE__ \"%s\"" % _mapped(path, build.host.maps), header])
    if build.host.knows_headers:
        lines += [
            "#define RULES_SYCL_LAYOUTS " + build.layouts,
            "#define RULES_SYCL_SOURCE \"%s\"" % source.source.short_path,
            "#include <rules_sycl/kernels.hpp>",
            "#undef RULES_SYCL_LAYOUTS",
            "#undef RULES_SYCL_SOURCE",
        ]
    asks = ["extern \"C\" char %s;" % symbol, "__attribute__((used)) static char *const device_code = &%s;" % symbol] if symbol else []
    return "\n".join(lines + [included] + _quiet(build.host, [footer] + asks)) + "\n"

def _compile_source(ctx, build, sees, i, source, symbol):
    """Declares the compilation of a source.

    Args:
        ctx: the rule context.
        build: the struct of compile_host.
        sees: the compilation context of headers that the source can include.
        i: number of the source.
        source: a source in the result of compile_sources.
        symbol: the symbol that its code refers to, or empty.
    Returns:
        struct(output, notes, checked): the CcCompilationOutputs; the notes of a coverage build;
        and the argument for host_check_actions.
    """

    # The wrapper has the name of the source, because patterns of --per_file_copt are written for
    # it. In the package at the root, the wrapper would then include itself.
    path = host_stem(ctx, i, source.source)
    wrapper = ctx.actions.declare_file(path if "/" in _include_path(source.source) else path + ".host.cpp")
    ctx.actions.write(wrapper, _wrapper(build, source, symbol))
    files = [source.source, source.header, source.footer, source.compare]
    inputs = files + ctx.files.additional_compiler_inputs
    notes = []
    if ctx.coverage_instrumented() and writes_notes(build.host.cc):
        covered = covered_action(ctx, build.unchecked, path, wrapper, inputs, sees, build.compiled.local_defines, build.flags)
        output = covered.outputs
        notes.append(covered.notes)
    else:
        # Each source is compiled separately, so that it does not depend on the others.
        _, output = _compile(
            ctx,
            build,
            additional_inputs = inputs,
            # Clang assigns the files of a directory to the module of the target, not of this compilation.
            feature_configuration = (build.host.cc if source.source in ctx.files.srcs else build.unchecked).features,
            name = "%s.%d" % (ctx.label.name, i),
            srcs = [wrapper],
            # Everything that the wrapper includes is in one module, like a cc_library's source
            # and its headers.
            textual_hdrs = build.compiled.context.direct_headers + files,
        )
    return struct(
        output = output,
        notes = notes,
        checked = struct(
            compare = source.compare,
            source = source.source,
            footer = source.footer,
            header = source.header,
            output = output,
            wrapper = wrapper,
        ),
    )
