"""The compile for the host of sources that are compiled for devices as well."""

load("@rules_cc//cc/common:cc_common.bzl", "cc_common")
load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")
load("//rules/private:headers.bzl", "HOST_SOURCES", "cc_of")
load("//rules/private/actions:covered.bzl", "covered_action", "writes_notes")
load("//rules/private/actions:host_check.bzl", "host_check_actions")

# The standard that libsycl's headers are written for; copts can choose another. Newer
# compilers have newer defaults, with which some releases of the headers do not compile.
_STANDARD = ["-std=c++17"]

# Macros that libsycl-jit defines, and that g++ and clang lack. Those of icpx are in _macros.
_HOST_MACROS = ["-D__SYCL_ID_QUERIES_FIT_IN_INT__=1", "-D__SYCL_UNNAMED_LAMBDA__=1"]

# Warnings that are about device code: the device compile has them where there is a reason.
_DEVICE_WARNINGS = {
    "clang": ["-Wno-unknown-attributes"],
    "gcc": ["-Wno-attributes=sycl::", "-Wno-attributes=intel::", "-Wno-unknown-pragmas"],
}

# libsycl's headers fill g++'s heap to some 200 MB. From 128 MB on it looks for what to free, finds
# next to nothing, and takes a tenth more time. A user's option comes later and counts.
_HEAP = ["--param=ggc-min-heapsize=262144"]

def host_compiler(ctx, toolchain):
    """What compiles for the host.

    Args:
        ctx: the rule context.
        toolchain: SyclToolchainInfo.
    Returns:
        struct(cc, is_clang, is_intel, knows_headers, options, unnamed): the C++ toolchain, of
        cc_of; whether it is clang; whether it is icx or icpx; whether the headers of
        //rules/dpcpp:host are for this libsycl; options of both compiles, for the host and for
        devices; and whether kernels may be without names.
    """
    cc = cc_of(ctx)
    is_clang = cc.toolchain.compiler.startswith("clang")
    is_intel = cc.toolchain.compiler.startswith("ic")
    knows_headers = toolchain.runtime.startswith("2026")
    return struct(
        cc = cc,
        is_clang = is_clang,
        is_intel = is_intel,
        knows_headers = knows_headers,
        options = _STANDARD + _macros(toolchain, is_clang, is_intel),
        # Only clang, and the headers of //rules/dpcpp:host, find such kernels.
        unnamed = knows_headers or is_clang,
    )

def _macros(toolchain, is_clang, is_intel):
    """Options by which both compiles have the macros of icpx, or none of the two.

    Code that asks for them expects clang as the host's compiler: ESIMD does not compile with g++.
    """
    names = ["__INTEL_CLANG_COMPILER", "__INTEL_LLVM_COMPILER"]
    parts = toolchain.dpcpp.version.split(".")
    if is_intel:
        return []  # icpx has them
    if not is_clang or len(parts) != 3 or not "".join(parts).isdigit():
        return ["-U" + name for name in names]
    year, update, patch = [int(part) for part in parts]
    return ["-D%s=%d" % (name, year * 10000 + update * 100 + patch) for name in names]

def unique_symbol(ctx, prefix):
    """A symbol of a target's own.

    Args:
        ctx: the rule context.
        prefix: what it begins with.
    Returns:
        string.
    """
    label = "/".join([part for part in [ctx.label.repo_name, ctx.label.package, ctx.label.name] if part])
    return prefix + "".join([c if c.isalnum() else "_" for c in label.elems()])

def compile_host(ctx, toolchain, host, compiled, options, symbol = ""):
    """Declares the compile of a rule's sources for the host.

    Args:
        ctx: the context of a rule with PROGRAM_ATTRS.
        toolchain: SyclToolchainInfo.
        host: what host_compiler returns.
        compiled: what compile_sources returned.
        options: those of the target.
        symbol: what the host code asks for, so that it links only with its device code, or empty.
    Returns:
        struct(context, outputs, notes, parsed): the compilation context of dependents, the
        CcCompilationOutputs, the notes of a coverage build, and a depset of what shows that
        headers compile by themselves.
    """
    libsycl = toolchain.libsycl[CcInfo].compilation_context
    build = struct(
        compiled = compiled,
        contexts = (_front(ctx, libsycl) if host.knows_headers else []) + compiled.contexts + [libsycl],
        flags = _flags(host, options),
        host = host,
        layouts = unique_symbol(ctx, "rules_sycl_layouts_of_") + "_%x" % (hash(str(ctx.label)) % 0x100000000),
        # The commands of own actions know no module maps.
        unchecked = _without_module_maps(ctx, host.cc),
    )
    sees = cc_common.merge_compilation_contexts(compilation_contexts = build.contexts)
    outputs, notes, sources = [], [], []
    for i, source in enumerate(compiled.compiled):
        one = _compile_source(ctx, build, sees, i, source, symbol if i == 0 else "")
        outputs.append(one.output)
        notes += one.notes
        sources.append(one.checked)
    alone = [f for f in ctx.files.srcs if "." + f.extension in HOST_SOURCES]
    if alone:
        outputs.append(_compile(
            ctx,
            build,
            additional_inputs = ctx.files.additional_compiler_inputs,
            compilation_contexts = compiled.contexts + [libsycl],
            name = ctx.label.name + ".alone",
            srcs = alone,
            textual_hdrs = compiled.context.direct_headers,
            user_compile_flags = options,
        )[1])
    if host.knows_headers and sources:
        # Nothing is linked before the compiles are compared.
        tables = host_check_actions(ctx, build.unchecked, sources, sees, compiled.local_defines, build.flags, build.layouts)
        outputs += [cc_common.compile(
            actions = ctx.actions,
            cc_toolchain = host.cc.toolchain,
            disallow_nopic_outputs = table == tables.pic,
            disallow_pic_outputs = table == tables.nopic,
            feature_configuration = host.cc.features,
            name = ctx.label.name + ".layouts",
            srcs = [table],
        )[1] for table in [tables.nopic, tables.pic] if table]
    return struct(
        context = cc_common.merge_compilation_contexts(compilation_contexts = [compiled.context, libsycl]),
        notes = notes,
        parsed = _parsed_headers(ctx, build),
        outputs = cc_common.merge_compilation_outputs(compilation_outputs = outputs),
    )

def _front(ctx, libsycl):
    """Compilation contexts in front of libsycl's."""
    return [
        ctx.attr._host_headers[CcInfo].compilation_context,
        # What DPC++ adds to standard headers, which its own compiler finds by itself.
        cc_common.create_compilation_context(system_includes = depset([
            folder + "/sycl/stl_wrappers"
            for folders in [libsycl.external_includes, libsycl.includes, libsycl.system_includes]
            for folder in folders.to_list()
        ])),
    ]

def _flags(host, options):
    """Options of the compile of a source."""
    return (
        host.options +
        # So that __FILE__ and diagnostics name a source as both compiles do.
        ["-ffile-prefix-map=./="] +
        # Where the wrapper finds the source. A target of another repository has only that
        # repository's folder.
        ["-iquote", "."] +
        (["-Xclang", "-fsycl-is-host"] if host.is_clang else []) +
        (_HOST_MACROS if host.unnamed else []) +
        ([] if host.is_clang or host.is_intel else _HEAP) +
        options +
        _DEVICE_WARNINGS["clang" if host.is_clang else "gcc"]
    )

def _without_module_maps(ctx, cc):
    if not cc_common.is_enabled(feature_configuration = cc.features, feature_name = "use_module_maps"):
        return cc
    return cc_of(ctx, unsupported = ["layering_check", "use_module_maps"])

def _compile(ctx, build, **kwargs):
    """cc_common.compile, with what all compiles of the target have."""
    return cc_common.compile(**({
        "actions": ctx.actions,
        "cc_toolchain": build.host.cc.toolchain,
        "compilation_contexts": build.contexts,
        "feature_configuration": build.host.cc.features,
        "local_defines": build.compiled.local_defines,
        "user_compile_flags": build.flags,
    } | kwargs))

def _parsed_headers(ctx, build):
    """A depset of what shows that headers compile by themselves."""
    if not cc_common.is_enabled(feature_configuration = build.host.cc.features, feature_name = "parse_headers"):
        return depset()
    own = build.compiled.context
    context, _ = _compile(
        ctx,
        build,
        name = ctx.label.name + ".headers",
        public_hdrs = own.direct_public_headers + own.direct_private_headers,
        textual_hdrs = own.direct_textual_headers,
    )
    return context.validation_artifacts

def _wrapper(build, source, symbol):
    """The text of the file that is compiled in place of a source."""
    header, included, footer = ["#include \"%s\"" % f.path for f in [source.header, source.source, source.footer]]

    # GCC warns of the header when a kernel is named in an anonymous namespace.
    lines = ["#pragma GCC diagnostic push", "#pragma GCC diagnostic ignored \"-Wattributes\"", header, "#pragma GCC diagnostic pop"]
    if build.host.knows_headers:
        lines += [
            "#define RULES_SYCL_LAYOUTS " + build.layouts,
            "#define RULES_SYCL_SOURCE \"%s\"" % source.source.short_path,
            "#include <rules_sycl/kernels.hpp>",
            "#undef RULES_SYCL_LAYOUTS",
            "#undef RULES_SYCL_SOURCE",
        ]
    lines += [included, footer]
    if symbol:
        lines += ["extern \"C\" char %s;" % symbol, "__attribute__((used)) static char *const device_code = &%s;" % symbol]
    return "\n".join(lines) + "\n"

def _compile_source(ctx, build, sees, i, source, symbol):
    """Declares the compile of a source.

    Args:
        ctx: the rule context.
        build: the struct of compile_host.
        sees: the compilation context of what the source can include.
        i: number of the source.
        source: of what compile_sources returned.
        symbol: what its code asks for, or empty.
    Returns:
        struct(output, notes, checked): the CcCompilationOutputs; those of a coverage build; and
        what host_check_actions takes of it.
    """

    # The folders keep apart sources of the same name. The wrapper's own name differs from
    # that of any source: the compiler would find it first when a source includes that name.
    path = "%s.host/%d/%s" % (ctx.label.name, i, source.source.basename)
    wrapper = ctx.actions.declare_file(path + ".host.cpp")
    ctx.actions.write(wrapper, _wrapper(build, source, symbol))
    files = [source.source, source.header, source.footer]
    inputs = files + ctx.files.additional_compiler_inputs
    notes = []
    if ctx.coverage_instrumented() and writes_notes(build.host.cc):
        covered = covered_action(ctx, build.unchecked, path, wrapper, inputs, sees, build.compiled.local_defines, build.flags)
        output = covered.outputs
        notes.append(covered.notes)
    else:
        # One compile for each source, so that none depends on the other sources.
        _, output = _compile(
            ctx,
            build,
            additional_inputs = inputs,
            name = "%s.%d" % (ctx.label.name, i),
            srcs = [wrapper],
            # All that the wrapper includes is of one module, as a cc_library's source and
            # its headers are.
            textual_hdrs = build.compiled.context.direct_headers + files,
        )
    return struct(
        output = output,
        notes = notes,
        checked = struct(
            source = source.source,
            footer = source.footer,
            header = source.header,
            output = output,
            wrapper = wrapper,
        ),
    )
