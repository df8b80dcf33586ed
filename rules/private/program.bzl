"""What the rules for ordinary SYCL programs share: each source is compiled for devices and for the host."""

load("@rules_cc//cc/common:cc_common.bzl", "cc_common")
load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")
load("//rules:find_sycl_toolchain.bzl", "find_sycl_toolchain")
load("//rules:providers.bzl", "SyclDeviceInfo", "SyclProgramInfo")
load("//rules/private:compat.bzl", "COMPAT_ATTRS", "check_action", "report_action")
load("//rules/private:compile.bzl", "IMAGE_ATTRS", "LIBRARY_ATTRS", "RDC_ATTRS", "SOURCE_ATTRS", "all_deps", "compile_sources", "compiler_name", "runfiles_of")
load("//rules/private:coverage.bzl", "instrumented_files")
load("//rules/private:device_compiler.bzl", "DEVICE_COMPILER_ATTRS", "device_compiler_transition")
load("//rules/private:enabled.bzl", "REQUIRES_SYCL_ATTRS")
load("//rules/private:flags.bzl", "BACKEND_ATTRS", "SPLITS", "attribute_value", "check_command_line", "link_options", "read_options", "split_of")
load("//rules/private:headers.bzl", "HEADERS", "HOST_SOURCES", "SOURCES", "cc_of", "is_header")
load("//rules/private:images.bzl", "SPECIALIZE_ATTRS", "build_images", "device_build")
load("//rules/private:libsycl.bzl", "LIBSYCL_ATTRS")
load("//rules/private:resolve.bzl", "resolve_targets")
load("//rules/private:settings.bzl", "SYCL_TARGETS_ATTRS", "chosen_targets")
load("//rules/private/actions:compile.bzl", "wants_debug_info")
load("//rules/private/actions:covered.bzl", "covered_action", "writes_notes")
load("//rules/private/actions:host_check.bzl", "host_check_action")
load("//rules/private/actions:pack.bzl", "pack_action", "wrap_action")
load("//rules/private/actions:tools.bzl", "TOOL_ATTRS", "need")

_LinkedCodeInfo = provider(
    doc = "The device code of dependencies that the program must link.",
    fields = {"sources": "depset of the structs of SyclDeviceInfo."},
)

def _linked_code_impl(target, ctx):
    if SyclDeviceInfo in target:
        return [_LinkedCodeInfo(sources = target[SyclDeviceInfo].sources)]
    return [_LinkedCodeInfo(sources = depset(transitive = [
        dep[_LinkedCodeInfo].sources
        for attribute in ["deps", "implementation_deps"]
        for dep in getattr(ctx.rule.attr, attribute, None) or []
        if type(dep) == "Target" and _LinkedCodeInfo in dep
    ]))]

_linked_code = aspect(
    implementation = _linked_code_impl,
    doc = "Finds libraries with rdc = True, also through C++ libraries.",
    attr_aspects = ["deps", "implementation_deps"],
    provides = [_LinkedCodeInfo],
)

# Warnings that are about device code: the device compile has them where there is a reason.
_DEVICE_WARNINGS = {
    "clang": ["-Wno-unknown-attributes"],
    "gcc": ["-Wno-attributes=sycl::", "-Wno-attributes=intel::", "-Wno-unknown-pragmas"],
}

# Headers in front of libsycl's, for the host compile.
_HOST_ATTRS = {
    "_host_headers": attr.label(default = "//rules/dpcpp:host", providers = [CcInfo]),
}

PROGRAM_ATTRS = SOURCE_ATTRS | {
    "additional_linker_inputs": attr.label_list(
        allow_files = True,
        doc = "Files that the link of programs reads, such as one that `linkopts` names by `$(execpath)`.",
    ),
    "copts": attr.string_list(
        doc = "Options of the compiles for devices and for the host, after the toolchain's own. Those of icpx go to the step that they are for ([flags.md](flags.md)). Make variables and `$(execpath)` are expanded, and quotes and spaces mean what they mean to a shell. With `-g` or the like, the device code keeps its debug information.",
    ),
    "deps": attr.label_list(
        aspects = [_linked_code],
        cfg = device_compiler_transition,
        doc = "Libraries of SYCL code (`sycl_cc_library`) and of C++ code.",
        providers = [[CcInfo]],
    ),
    "device_code_split": attr.string(
        default = "auto",
        doc = "Which kernels become one image, as `-fsycl-device-code-split=` takes it: `per_source` one for each source, `per_kernel` one for each kernel, `off` one for all that is linked; `auto` is `per_source`. In each case, kernels that need different optional features are in different images.",
        values = SPLITS,
    ),
    "device_copts": attr.string_list(
        doc = "As `copts`, for the compile for devices only.",
    ),
    "host_copts": attr.string_list(
        doc = "As `copts`, for the compile for the host only.",
    ),
    "linkopts": attr.string_list(
        doc = "Options of the host link, for a library of all programs with it. Make variables and `$(execpath)` are expanded, and quotes and spaces mean what they mean to a shell.",
    ),
    "srcs": attr.label_list(
        allow_files = SOURCES + HEADERS + HOST_SOURCES,
        doc = "SYCL sources, headers that only they include, and sources in C and in assembler (`.c`, `.s`, `.S`), which are for the host alone.",
    ),
} | _HOST_ATTRS | BACKEND_ATTRS | DEVICE_COMPILER_ATTRS | IMAGE_ATTRS | LIBSYCL_ATTRS | RDC_ATTRS | REQUIRES_SYCL_ATTRS | SPECIALIZE_ATTRS | SYCL_TARGETS_ATTRS | TOOL_ATTRS | COMPAT_ATTRS

# Attributes of sycl_cc_library. In sycl_cc_binary, implementation_deps have no use.
PROGRAM_LIBRARY_ATTRS = LIBRARY_ATTRS | {
    "alwayslink": attr.bool(
        doc = "Link all host code of the library into programs, even code that nothing calls. Device images are always linked.",
    ),
    "implementation_deps": attr.label_list(
        aspects = [_linked_code],
        cfg = device_compiler_transition,
        doc = "Libraries whose headers and `defines` are for this target's sources only. Dependents link them, and do not see their headers.",
        providers = [[CcInfo]],
    ),
}

# The standard that libsycl's headers are written for; copts can choose another. Newer
# compilers have newer defaults, with which some releases of the headers do not compile.
_STANDARD = ["-std=c++17"]

# Macros that libsycl-jit defines, and that g++ and clang lack. Those of icpx are in _macros.
_HOST_MACROS = ["-D__SYCL_ID_QUERIES_FIT_IN_INT__=1", "-D__SYCL_UNNAMED_LAMBDA__=1"]

def program_toolchain(ctx):
    """The toolchain. Fails when it cannot build ordinary SYCL programs.

    Args:
        ctx: the rule context.
    Returns:
        SyclToolchainInfo.
    """
    toolchain = find_sycl_toolchain(ctx)
    if not toolchain.dpcpp:
        fail("%s: ordinary SYCL programs need DPC++, and the device compiler is %s, which has no <sycl/sycl.hpp>. Add sycl.dpcpp(version = \"2026.2.0\") to MODULE.bazel, after sycl = use_extension(\"@rules_sycl//rules:extensions.bzl\", \"sycl\"), and do not choose another compiler by device_compiler" % (ctx.label, compiler_name(toolchain)))
    need(ctx, toolchain.dpcpp)
    if not toolchain.libsycl:
        fail("%s: the sycl_toolchain of %s has no libsycl, to which programs are linked: give its attribute libsycl, such as @sycl_dpcpp" % (ctx.label, compiler_name(toolchain)))
    return toolchain

def build_program(ctx, link_dependencies):
    """Declares the actions of a library, or of a program but for its link.

    Args:
        ctx: the context of a rule with PROGRAM_ATTRS.
        link_dependencies: whether to link the device code of dependencies with rdc = True.
    Returns:
        list of providers.
    """
    toolchain = program_toolchain(ctx)
    cc = cc_of(ctx)
    intel_host = cc.toolchain.compiler.startswith("ic")  # icx, icpx
    knows_headers = toolchain.runtime.startswith("2026")
    unnamed = knows_headers or _is_clang(cc)
    check_command_line(ctx, intel_host)
    options = read_options(ctx, intel_host)
    rdc = attribute_value(ctx, options, "rdc", False)
    targets = chosen_targets(ctx, attribute_value(ctx, options, "sycl_targets", []))
    split = split_of(ctx, options)
    compiled = compile_sources(
        ctx,
        toolchain,
        options,
        # Only clang, and the headers of //rules/dpcpp:host, find kernels without names.
        _build_definitions(ctx) + _STANDARD + _macros(toolchain, cc) + ([] if unnamed else ["-fno-sycl-unnamed-lambda"]),
        host = True,
    )
    if link_dependencies:
        if not ctx.attr.deps and not [f for f in ctx.files.srcs if not is_header(f)]:
            fail("%s: there is no source: give srcs, or deps with a library that has the function main" % ctx.label)
        _check_runtime(ctx, toolchain)
    waiting = depset(transitive = [d[_LinkedCodeInfo].sources for d in all_deps(ctx)])
    linked = ([struct(symbol = _symbol(ctx), **_fields(s)) for s in compiled.own] if rdc else [])
    host = _compile_host(ctx, toolchain, cc, compiled, options.host, linked and not link_dependencies, unnamed, knows_headers)
    objects = [host]
    info = None
    if rdc and not link_dependencies:
        # Programs choose targets of their own: a name that is wrong is an error all the same.
        resolve_targets(ctx.label, targets)
        if options.backend:
            fail("%s: %s: this library makes no device images: set backend_options on the sycl_cc_binary or sycl_cc_test that links its device code" % (ctx.label, options.backend[0].where))
        device = [SyclDeviceInfo(sources = depset(linked, transitive = [waiting]))]
    else:
        device = []
        below = waiting.to_list() if link_dependencies else []
        build = device_build(
            separate = [] if rdc else compiled.own,
            linked = linked + below,
            sycl_targets = targets,
            split = split,
            keep_debug_info = wants_debug_info(ctx, toolchain.copts + options.device),
            specialize = ctx.attr.specialize,
            backend = options.backend,
        )
        if build.separate or build.linked:
            info = _embed(ctx, toolchain, cc, build, objects, [s.symbol for s in below if hasattr(s, "symbol")])
    if ctx.attr.specialize and not info:
        fail("%s: specialize sets constants in device images, and this target has none: set it on the sycl_cc_binary or sycl_cc_test that links the device code" % ctx.label)
    return _providers(ctx, toolchain, cc, compiled, objects, info, options.link, link_dependencies) + device

def _build_definitions(ctx):
    """Those definitions of --copt and --cxxopt that the host compile gets: both must see the same code."""
    return [option for option in ctx.fragments.cpp.copts + ctx.fragments.cpp.cxxopts if option[:2] in ["-D", "-U"]]

def _macros(toolchain, cc):
    """Options by which both compiles have the macros of icpx, or none of the two.

    Code that asks for them expects clang as the host's compiler: ESIMD does not compile with g++.
    """
    names = ["__INTEL_CLANG_COMPILER", "__INTEL_LLVM_COMPILER"]
    parts = toolchain.dpcpp.version.split(".")
    if cc.toolchain.compiler.startswith("ic"):
        return []  # icpx has them
    if not _is_clang(cc) or len(parts) != 3 or not "".join(parts).isdigit():
        return ["-U" + name for name in names]
    year, update, patch = [int(part) for part in parts]
    return ["-D%s=%d" % (name, year * 10000 + update * 100 + patch) for name in names]

def _is_clang(cc):
    return cc.toolchain.compiler.startswith("clang")

def _check_runtime(ctx, toolchain):
    """Fails when a dependency brings another libsycl than that of the device compiler."""
    own = {f: None for f in _libsycl([toolchain.libsycl])}
    if not [library for library in _libsycl(all_deps(ctx)) if library not in own]:
        return
    for dep in all_deps(ctx):
        for library in _libsycl([dep]):
            if library not in own:
                fail("%s: deps: %s brings the runtime %s, and this target is built for %s of %s, which registers images in another way: depend on %s, the runtime of the device compiler, or choose another compiler by device_compiler" % (
                    ctx.label,
                    dep.label,
                    library.path,
                    ", ".join([f.path for f in own]),
                    compiler_name(toolchain),
                    toolchain.libsycl.label,
                ))

def _libsycl(targets):
    """The Files of libsycl that some targets link, in their own repository."""
    inputs = depset(transitive = [target[CcInfo].linking_context.linker_inputs for target in targets])
    files = [
        library.resolved_symlink_dynamic_library or library.dynamic_library
        for each in inputs.to_list()
        for library in each.libraries
    ]
    return [f for f in files if f and f.basename.startswith("libsycl.so")]

def _fields(source):
    return {name: getattr(source, name) for name in ["bitcode", "compiler", "gpu_bitcode", "header", "module"]}

def _symbol(ctx):
    """The symbol that a library's host code needs, and that its linked device code defines.

    A program with the host code and without the device code would throw when it submits
    a kernel. With this symbol, the linker reports that the device code is missing.
    """
    return _unique(ctx, "sycl_device_code_of_") + "_is_linked_by_sycl_cc_binary"

def _unique(ctx, prefix):
    """A symbol of a target's own."""
    label = "/".join([part for part in [ctx.label.repo_name, ctx.label.package, ctx.label.name] if part])
    return prefix + "".join([c if c.isalnum() else "_" for c in label.elems()])

def _compile_host(ctx, toolchain, cc, compiled, options, asks, unnamed, knows_headers):
    """The compile of a rule's sources for the host.

    Args:
        ctx: the rule context.
        toolchain: SyclToolchainInfo.
        cc: the C++ toolchain, of cc_of.
        compiled: what compile_sources returned.
        options: those of the target.
        asks: whether the host code asks for linked device code.
        unnamed: whether kernels may be without names.
        knows_headers: whether the headers of //rules/dpcpp:host are for this libsycl.
    Returns:
        struct(context, outputs, notes, parsed): the compilation context of dependents, the
        CcCompilationOutputs, the notes of a coverage build, and a depset of what shows that
        headers compile by themselves.
    """
    flags = (
        _STANDARD + _macros(toolchain, cc) +
        # So that __FILE__ and diagnostics name a source as both compiles do.
        ["-ffile-prefix-map=./="] +
        # Where the wrapper finds the source. A target of another repository has only that
        # repository's folder.
        ["-iquote", "."] +
        (["-Xclang", "-fsycl-is-host"] if _is_clang(cc) else []) +
        (_HOST_MACROS if unnamed else []) +
        options +
        _DEVICE_WARNINGS["clang" if _is_clang(cc) else "gcc"]
    )
    libsycl = toolchain.libsycl[CcInfo].compilation_context
    front = [
        ctx.attr._host_headers[CcInfo].compilation_context,
        # What DPC++ adds to standard headers, which its own compiler finds by itself.
        cc_common.create_compilation_context(system_includes = depset([
            folder + "/sycl/stl_wrappers"
            for folders in [libsycl.external_includes, libsycl.includes, libsycl.system_includes]
            for folder in folders.to_list()
        ])),
    ] if knows_headers else []
    contexts = front + compiled.contexts + [libsycl]
    sees = cc_common.merge_compilation_contexts(compilation_contexts = contexts)
    own = compiled.context.direct_headers
    parsed = depset()
    if cc_common.is_enabled(feature_configuration = cc.features, feature_name = "parse_headers"):
        context, _ = cc_common.compile(
            actions = ctx.actions,
            cc_toolchain = cc.toolchain,
            compilation_contexts = contexts,
            feature_configuration = cc.features,
            local_defines = compiled.local_defines,
            name = ctx.label.name + ".headers",
            public_hdrs = compiled.context.direct_public_headers + compiled.context.direct_private_headers,
            textual_hdrs = compiled.context.direct_textual_headers,
            user_compile_flags = flags,
        )
        parsed = context.validation_artifacts

    # The commands of own actions know no module maps.
    unchecked = cc
    if cc_common.is_enabled(feature_configuration = cc.features, feature_name = "use_module_maps"):
        unchecked = cc_of(ctx, unsupported = ["layering_check", "use_module_maps"])
    covers = ctx.coverage_instrumented() and writes_notes(cc)
    layouts = _unique(ctx, "rules_sycl_layouts_of_") + "_%x" % (hash(str(ctx.label)) % 0x100000000)
    outputs, notes, sources = [], [], []
    for i, c in enumerate(compiled.compiled):
        # The folders keep apart sources of the same name. The wrapper's own name differs from
        # that of any source: the compiler would find it first when a source includes that name.
        wrapper = ctx.actions.declare_file("%s.host/%d/%s.host.cpp" % (ctx.label.name, i, c.source.basename))
        header, source, footer = ["#include \"%s\"" % f.path for f in [c.header, c.source, c.footer]]

        # GCC warns of the header when a kernel is named in an anonymous namespace.
        lines = ["#pragma GCC diagnostic push", "#pragma GCC diagnostic ignored \"-Wattributes\"", header, "#pragma GCC diagnostic pop"]
        if knows_headers:
            lines += [
                "#define RULES_SYCL_LAYOUTS " + layouts,
                "#define RULES_SYCL_SOURCE \"%s\"" % c.source.short_path,
                "#include <rules_sycl/kernels.hpp>",
                "#undef RULES_SYCL_LAYOUTS",
                "#undef RULES_SYCL_SOURCE",
            ]
        lines += [source, footer]
        if asks and i == 0:
            lines += ["extern \"C\" char %s;" % _symbol(ctx), "__attribute__((used)) static char *const device_code = &%s;" % _symbol(ctx)]
        ctx.actions.write(wrapper, "\n".join(lines) + "\n")

        inputs = [c.source, c.header, c.footer] + ctx.files.additional_compiler_inputs
        if covers:
            covered = covered_action(ctx, unchecked, "%s.host/%d/%s" % (ctx.label.name, i, c.source.basename), wrapper, inputs, sees, compiled.local_defines, flags)
            output = covered.outputs
            notes.append(covered.notes)
        else:
            # One compile for each source, so that none depends on the other sources.
            _, output = cc_common.compile(
                actions = ctx.actions,
                additional_inputs = inputs,
                cc_toolchain = cc.toolchain,
                compilation_contexts = contexts,
                feature_configuration = cc.features,
                local_defines = compiled.local_defines,
                name = "%s.%d" % (ctx.label.name, i),
                srcs = [wrapper],
                # All that the wrapper includes is of one module, as a cc_library's source and
                # its headers are.
                textual_hdrs = own + [c.source, c.header, c.footer],
                user_compile_flags = flags,
            )
        outputs.append(output)
        sources.append(struct(
            source = c.source,
            footer = c.footer,
            header = c.header,
            object = (output.pic_objects or output.objects)[0],
            wrapper = wrapper,
        ))
    alone = [f for f in ctx.files.srcs if "." + f.extension in HOST_SOURCES]
    if alone:
        _, output = cc_common.compile(
            actions = ctx.actions,
            additional_inputs = ctx.files.additional_compiler_inputs,
            cc_toolchain = cc.toolchain,
            compilation_contexts = compiled.contexts + [libsycl],
            feature_configuration = cc.features,
            local_defines = compiled.local_defines,
            name = ctx.label.name + ".alone",
            srcs = alone,
            textual_hdrs = own,
            user_compile_flags = options,
        )
        outputs.append(output)
    if knows_headers and sources:
        # Nothing is linked before the compiles are compared.
        _, output = cc_common.compile(
            actions = ctx.actions,
            cc_toolchain = cc.toolchain,
            feature_configuration = cc.features,
            name = ctx.label.name + ".layouts",
            srcs = [host_check_action(ctx, unchecked, sources, sees, compiled.local_defines, flags, layouts)],
        )
        outputs.append(output)
    return struct(
        context = cc_common.merge_compilation_contexts(compilation_contexts = [compiled.context, libsycl]),
        notes = notes,
        parsed = parsed,
        outputs = cc_common.merge_compilation_outputs(compilation_outputs = outputs),
    )

def _embed(ctx, toolchain, cc, build, objects, symbols):
    """Adds the object that registers the device images; returns their providers and groups."""
    built = build_images(ctx, toolchain, build)
    stem = "%s.device/%s" % (ctx.label.name, ctx.label.name)
    wrapped = ctx.actions.declare_file(stem + ".images.s")
    headers = [s.header for s in build.separate + build.linked if s.header]
    wrap_action(ctx, built.images, headers, built.plan, toolchain.runtime, built.options.get("spir64", []), wrapped)
    sources = [wrapped]
    symbols = {s: None for s in symbols}.keys()
    if symbols:
        linked = ctx.actions.declare_file(stem + ".linked.c")
        ctx.actions.write(linked, "".join(["char %s;\n" % s for s in symbols]))
        sources.append(linked)
    context, outputs = cc_common.compile(
        actions = ctx.actions,
        # The assembler reads the images.
        additional_inputs = depset(transitive = [depset(i.files) for i in built.images]).to_list(),
        cc_toolchain = cc.toolchain,
        feature_configuration = cc.features,
        name = ctx.label.name + ".images",
        srcs = sources,
        # Clang warns of the options that C++ toolchains have for C++ only.
        user_compile_flags = ["-I", wrapped.dirname] + (["-Wno-unused-command-line-argument"] if _is_clang(cc) else []),
    )
    objects.append(struct(context = context, outputs = outputs))

    syclbin = ctx.actions.declare_file(stem + ".syclbin")
    pack_action(ctx, built.images, built.plan, "executable", toolchain.runtime, syclbin, embedded = True)
    report = ctx.actions.declare_file(ctx.label.name + ".program.compat.json")
    reported = [t.name for t in built.reported]
    report_action(ctx, [], [], ctx.files.device_config, report, embedded = [syclbin], targets = reported)
    return struct(
        checks = check_action(ctx, report, stem),
        program = SyclProgramInfo(
            device_config = ctx.files.device_config,
            file = syclbin,
            report = report,
            reported = reported,
            targets = [t.name for t in built.targets],
        ),
        groups = built.groups | {
            "compat_report": depset([report]),
            "syclbin": depset([syclbin]),
        },
    )

def _without_flags(ctx, info):
    """The CcInfo of a program without those linkopts of dependencies that are nothing to the linker."""
    inputs, changed = [], False
    for each in info.linking_context.linker_inputs.to_list():
        options = link_options(ctx.label, "deps: linkopts of %s" % each.owner, each.user_link_flags)
        if options != each.user_link_flags:
            changed = True
            each = cc_common.create_linker_input(
                additional_inputs = depset(each.additional_inputs),
                libraries = depset(each.libraries),
                owner = each.owner,
                user_link_flags = options,
            )
        inputs.append(each)
    if not changed:
        return info
    return CcInfo(
        compilation_context = info.compilation_context,
        linking_context = cc_common.create_linking_context(linker_inputs = depset(inputs, order = "topological")),
    )

def _providers(ctx, toolchain, cc, compiled, objects, info, link, program):
    """The rule's providers: the objects to link, and the report on the device images."""
    libraries = []
    for i, o in enumerate(objects):
        # No symbol of the images is referenced: alwayslink links them in any case. The same
        # goes for all of a program's own code.
        _, outputs = cc_common.create_linking_context_from_compilation_outputs(
            actions = ctx.actions,
            alwayslink = i == 1 or ctx.attr.alwayslink,
            cc_toolchain = cc.toolchain,
            compilation_outputs = o.outputs,
            disallow_dynamic_library = True,
            feature_configuration = cc.features,
            name = ctx.label.name + (".images" if i == 1 else ""),
        )
        if outputs.library_to_link:
            libraries.append(outputs.library_to_link)

    # A cc_shared_library takes the host code and the images, or neither: both have one owner.
    checks = info.checks if info else []
    linked = cc_common.create_linker_input(
        libraries = depset(libraries),
        owner = ctx.label,
        # Bazel runs the validations of all dependencies, also where only the headers of these are
        # used. Those of a library are for who links it, and for who asks for the library itself.
        additional_inputs = depset(ctx.files.additional_linker_inputs + ([] if program else checks)),
        user_link_flags = link,
    )
    own = CcInfo(
        compilation_context = objects[0].context,
        linking_context = cc_common.create_linking_context(linker_inputs = depset([linked])),
    )
    everything = cc_common.merge_cc_infos(
        direct_cc_infos = [own],
        cc_infos = [d[CcInfo] for d in ctx.attr.deps] + [
            CcInfo(linking_context = d[CcInfo].linking_context)
            for d in getattr(ctx.attr, "implementation_deps", [])
        ] + [toolchain.libsycl[CcInfo]],
    )
    if program:
        everything = _without_flags(ctx, everything)
    runfiles = runfiles_of(ctx).merge(toolchain.libsycl[DefaultInfo].default_runfiles)
    archives = [f for library in libraries for f in [library.static_library or library.pic_static_library] if f]
    return [
        DefaultInfo(files = depset(archives), runfiles = runfiles),
        everything,
        instrumented_files(ctx, objects[0].notes),
        OutputGroupInfo(
            _validation = depset(checks if program else [], transitive = [objects[0].parsed]),
            _hidden_top_level_INTERNAL_ = depset([] if program else checks),
            integration_headers = depset([f for c in compiled.compiled for f in [c.header, c.footer]]),
            **(info.groups if info else {})
        ),
    ] + ([info.program] if info else [])
