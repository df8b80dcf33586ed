"""What the rules for ordinary SYCL programs share: each source is compiled for devices and for the host."""

load("@rules_cc//cc:find_cc_toolchain.bzl", "find_cc_toolchain")
load("@rules_cc//cc/common:cc_common.bzl", "cc_common")
load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")
load("//rules:find_sycl_toolchain.bzl", "find_sycl_toolchain")
load("//rules:providers.bzl", "SyclDeviceInfo", "SyclProgramInfo")
load("//rules/private:compat.bzl", "COMPAT_ATTRS", "check_action", "report_action")
load("//rules/private:compile.bzl", "IMAGE_ATTRS", "LIBRARY_ATTRS", "RDC_ATTRS", "SOURCE_ATTRS", "all_deps", "compile_sources", "compiler_name", "runfiles_of")
load("//rules/private:coverage.bzl", "instrumented_files")
load("//rules/private:device_compiler.bzl", "DEVICE_COMPILER_ATTRS")
load("//rules/private:enabled.bzl", "REQUIRES_SYCL_ATTRS")
load("//rules/private:images.bzl", "SPECIALIZE_ATTRS", "build_images")
load("//rules/private:libsycl.bzl", "LIBSYCL_ATTRS")
load("//rules/private:options.bzl", "expanded_options")
load("//rules/private:resolve.bzl", "resolve_targets")
load("//rules/private:settings.bzl", "SYCL_TARGETS_ATTRS", "chosen_targets")
load("//rules/private/actions:compile.bzl", "wants_debug_info")
load("//rules/private/actions:covered.bzl", "covered_action", "writes_notes")
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

PROGRAM_ATTRS = SOURCE_ATTRS | {
    "copts": attr.string_list(
        doc = "Options of the compiles for devices and for the host, after the toolchain's own. Make variables and `$(execpath)` are expanded, and quotes and spaces mean what they mean to a shell. With `-g` or the like, the device code keeps its debug information.",
    ),
    "deps": attr.label_list(
        aspects = [_linked_code],
        doc = "Libraries of SYCL code (`sycl_cc_library`) and of C++ code.",
        providers = [[CcInfo]],
    ),
    "device_code_split": attr.string(
        default = "auto",
        doc = "Which kernels become one image, as `-fsycl-device-code-split=` takes it: `per_source` one for each source, `per_kernel` one for each kernel, `off` one for all that is linked; `auto` is `per_source`. In each case, kernels that need different optional features are in different images.",
        values = ["auto", "per_source", "per_kernel", "off"],
    ),
    "device_copts": attr.string_list(
        doc = "As `copts`, for the compile for devices only.",
    ),
    "host_copts": attr.string_list(
        doc = "As `copts`, for the compile for the host only.",
    ),
} | DEVICE_COMPILER_ATTRS | IMAGE_ATTRS | LIBSYCL_ATTRS | RDC_ATTRS | REQUIRES_SYCL_ATTRS | SPECIALIZE_ATTRS | SYCL_TARGETS_ATTRS | TOOL_ATTRS | COMPAT_ATTRS

# Attributes of sycl_cc_library. In sycl_cc_binary, implementation_deps have no use.
PROGRAM_LIBRARY_ATTRS = LIBRARY_ATTRS | {
    "additional_linker_inputs": attr.label_list(
        allow_files = True,
        doc = "Files that the link of programs reads, such as one that `linkopts` names by `$(execpath)`.",
    ),
    "alwayslink": attr.bool(
        doc = "Link all host code of the library into programs, even code that nothing calls. Device images are always linked.",
    ),
    "implementation_deps": attr.label_list(
        aspects = [_linked_code],
        doc = "Libraries whose headers and `defines` are for this target's sources only. Dependents link them, and do not see their headers.",
        providers = [[CcInfo]],
    ),
    "linkopts": attr.string_list(
        doc = "Options of the host link of all programs with this library. Make variables and `$(execpath)` are expanded, and quotes and spaces mean what they mean to a shell.",
    ),
}

# The standard that libsycl's headers are written for; copts can choose another. Newer
# compilers have newer defaults, with which some releases of the headers do not compile.
_STANDARD = ["-std=c++17"]

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
    cc = _cc(ctx)
    unnamed = cc.toolchain.compiler.startswith("clang")
    device_copts = expanded_options(ctx, "device_copts")
    compiled = compile_sources(
        ctx,
        toolchain,
        # Only clang gives unnamed kernels the names that DPC++ gives them.
        _build_definitions(ctx) + _STANDARD + ([] if unnamed else ["-fno-sycl-unnamed-lambda"]),
        device_copts,
        host = True,
    )
    if link_dependencies:
        _check_runtime(ctx, toolchain)
    waiting = depset(transitive = [d[_LinkedCodeInfo].sources for d in all_deps(ctx)])
    linked = ([struct(symbol = _symbol(ctx), **_fields(s)) for s in compiled.own] if ctx.attr.rdc else [])
    objects = [_compile_host(ctx, toolchain, cc, compiled, unnamed, linked and not link_dependencies)]
    info = None
    if ctx.attr.rdc and not link_dependencies:
        # Programs choose targets of their own: a name that is wrong is an error all the same.
        resolve_targets(ctx.label, chosen_targets(ctx))
        device = [SyclDeviceInfo(sources = depset(linked, transitive = [waiting]))]
    else:
        device = []
        below = waiting.to_list() if link_dependencies else []
        code = struct(
            separate = [] if ctx.attr.rdc else compiled.own,
            linked = linked + below,
        )
        if code.separate or code.linked:
            debug = wants_debug_info(ctx, toolchain.copts + compiled.copts + device_copts)
            info = _embed(ctx, toolchain, cc, code, debug, objects, [s.symbol for s in below if hasattr(s, "symbol")])
    if ctx.attr.specialize and not info:
        fail("%s: specialize sets constants in device images, and this target has none: set it on the sycl_cc_binary or sycl_cc_test that links the device code" % ctx.label)
    return _providers(ctx, toolchain, cc, compiled, objects, info) + device

def _build_definitions(ctx):
    """Those definitions of --copt and --cxxopt that the host compile gets: both must see the same code."""
    return [option for option in ctx.fragments.cpp.copts + ctx.fragments.cpp.cxxopts if option[:2] in ["-D", "-U"]]

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

def _cc(ctx):
    """The C++ toolchain: struct(toolchain, features)."""
    toolchain = find_cc_toolchain(ctx)
    return struct(
        toolchain = toolchain,
        features = cc_common.configure_features(
            ctx = ctx,
            cc_toolchain = toolchain,
            requested_features = ctx.features,
            unsupported_features = ctx.disabled_features,
        ),
    )

def _symbol(ctx):
    """The symbol that a library's host code needs, and that its linked device code defines.

    A program with the host code and without the device code would throw when it submits
    a kernel. With this symbol, the linker reports that the device code is missing.
    """
    label = "/".join([part for part in [ctx.label.repo_name, ctx.label.package, ctx.label.name] if part])
    name = "".join([c if c.isalnum() else "_" for c in label.elems()])
    return "sycl_device_code_of_%s_is_linked_by_sycl_cc_binary" % name

def _compile_host(ctx, toolchain, cc, compiled, unnamed, asks):
    """The compile of a rule's sources for the host: struct(context, outputs, notes)."""
    flags = (
        _STANDARD +
        # So that __FILE__ and diagnostics name a source as both compiles do.
        ["-ffile-prefix-map=./="] +
        # Where the wrapper finds the source. A target of another repository has only that
        # repository's folder.
        ["-iquote", "."] +
        (["-Xclang", "-fsycl-is-host", "-D__SYCL_UNNAMED_LAMBDA__=1"] if unnamed else []) +
        compiled.copts + expanded_options(ctx, "host_copts")
    )
    libsycl = toolchain.libsycl[CcInfo].compilation_context
    sees = cc_common.merge_compilation_contexts(compilation_contexts = [compiled.implementation, libsycl])
    covers = ctx.coverage_instrumented() and writes_notes(cc)
    outputs, notes = [], []
    for i, c in enumerate(compiled.compiled):
        # The folders keep apart sources of the same name. The wrapper's own name differs from
        # that of any source: the compiler would find it first when a source includes that name.
        wrapper = ctx.actions.declare_file("%s.host/%d/%s.host.cpp" % (ctx.label.name, i, c.source.basename))
        header, source, footer = ["#include \"%s\"" % f.path for f in [c.header, c.source, c.footer]]

        # GCC warns of the header when a kernel is named in an anonymous namespace.
        lines = ["#pragma GCC diagnostic push", "#pragma GCC diagnostic ignored \"-Wattributes\"", header, "#pragma GCC diagnostic pop", source, footer]
        if asks and i == 0:
            lines += ["extern \"C\" char %s;" % _symbol(ctx), "__attribute__((used)) static char *const device_code = &%s;" % _symbol(ctx)]
        ctx.actions.write(wrapper, "\n".join(lines) + "\n")

        inputs = [c.source, c.header, c.footer] + ctx.files.additional_compiler_inputs
        if covers:
            covered = covered_action(ctx, cc, "%s.host/%d/%s" % (ctx.label.name, i, c.source.basename), wrapper, inputs, sees, compiled.local_defines, flags)
            outputs.append(covered.outputs)
            notes.append(covered.notes)
            continue

        # One compile for each source, so that none depends on the other sources.
        _, output = cc_common.compile(
            actions = ctx.actions,
            additional_inputs = inputs,
            cc_toolchain = cc.toolchain,
            compilation_contexts = [sees],
            feature_configuration = cc.features,
            local_defines = compiled.local_defines,
            name = "%s.%d" % (ctx.label.name, i),
            srcs = [wrapper],
            user_compile_flags = flags,
        )
        outputs.append(output)
    return struct(
        context = cc_common.merge_compilation_contexts(compilation_contexts = [compiled.context, libsycl]),
        notes = notes,
        outputs = cc_common.merge_compilation_outputs(compilation_outputs = outputs),
    )

def _embed(ctx, toolchain, cc, code, debug, objects, symbols):
    """Adds the object that registers the device images; returns their providers and groups."""
    built = build_images(
        ctx,
        toolchain,
        code.separate,
        code.linked,
        chosen_targets(ctx),
        ctx.attr.device_code_split,
        kernels_only = True,
        dependencies = False,
        keep_debug_info = debug,
        specialize = ctx.attr.specialize,
    )
    stem = "%s.device/%s" % (ctx.label.name, ctx.label.name)
    wrapped = ctx.actions.declare_file(stem + ".images.s")
    headers = [s.header for s in code.separate + code.linked if s.header]
    wrap_action(ctx, built.images, headers, built.plan, toolchain.runtime, wrapped)
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
        user_compile_flags = ["-I", wrapped.dirname] + (["-Wno-unused-command-line-argument"] if cc.toolchain.compiler.startswith("clang") else []),
    )
    objects.append(struct(context = context, outputs = outputs))

    syclbin = ctx.actions.declare_file(stem + ".syclbin")
    pack_action(ctx, built.images, built.plan, "executable", toolchain.runtime, syclbin, embedded = True)
    report = ctx.actions.declare_file(ctx.label.name + ".program.compat.json")
    reported = [t.name for t in built.reported]
    report_action(ctx, [], [], ctx.files.device_config, report, embedded = [syclbin], targets = reported)
    checks = check_action(ctx, report, stem)
    return struct(
        program = SyclProgramInfo(
            device_config = ctx.files.device_config,
            file = syclbin,
            report = report,
            reported = reported,
            targets = [t.name for t in built.targets],
        ),
        groups = built.groups | {
            "_validation": depset(checks),
            "compat_report": depset([report]),
            "syclbin": depset([syclbin]),
        },
    )

def _link(ctx):
    """What a library adds to the host link of programs."""
    if not hasattr(ctx.attr, "linkopts"):
        return {}
    return {
        "additional_inputs": depset(ctx.files.additional_linker_inputs),
        "user_link_flags": expanded_options(ctx, "linkopts"),
    }

def _providers(ctx, toolchain, cc, compiled, objects, info):
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
    linked = cc_common.create_linker_input(
        libraries = depset(libraries),
        owner = ctx.label,
        **_link(ctx)
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
    runfiles = runfiles_of(ctx).merge(toolchain.libsycl[DefaultInfo].default_runfiles)
    archives = [f for library in libraries for f in [library.static_library or library.pic_static_library] if f]
    return [
        DefaultInfo(files = depset(archives), runfiles = runfiles),
        everything,
        instrumented_files(ctx, objects[0].notes),
        OutputGroupInfo(
            integration_headers = depset([f for c in compiled.compiled for f in [c.header, c.footer]]),
            **(info.groups if info else {})
        ),
    ] + ([info.program] if info else [])
