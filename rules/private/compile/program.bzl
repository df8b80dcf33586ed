"""Functions that the rules for ordinary SYCL programs share. Each source is compiled for devices and for the host."""

load("@rules_cc//cc/common:cc_common.bzl", "cc_common")
load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")
load("//rules:find_sycl_toolchain.bzl", "find_sycl_toolchain")
load("//rules:providers.bzl", "SyclDeviceInfo", "SyclProgramInfo", "SyclRuntimeInfo")
load("//rules/private/actions:assemble.bzl", "assemble_action")
load("//rules/private/actions:compile.bzl", "wants_debug_info")
load("//rules/private/actions:pack.bzl", "pack_action", "wrap_action")
load("//rules/private/actions:tools.bzl", "need")
load("//rules/private/compat:compat.bzl", "check_action", "report_action")
load("//rules/private/options:device_options.bzl", "all_options", "chosen_standard", "device_line", "host_line")
load("//rules/private/options:flags.bzl", "PREVIEW", "attribute_value", "check_command_line", "link_options", "read_options", "split_of")
load("//rules/private/options:settings.bzl", "chosen_targets")
load("//rules/private/targets:names.bzl", "shown", "user_label")
load("//rules/private/targets:resolve.bzl", "resolve_targets")
load(":compile.bzl", "all_deps", "compile_sources", "compiler_name", "runfiles_of")
load(":coverage.bzl", "instrumented_files")
load(":headers.bzl", "cc_of", "is_header", "without_module_maps")
load(":host.bzl", "compile_host", "host_compiler", "unique_symbol")
load(":images.bzl", "build_images", "device_build", "post_link_options")
load(":linked_code.bzl", "LinkedCodeInfo")
load(":precompiled.bzl", "check_srcs", "linker_scripts", "precompiled")

def program_toolchain(ctx):
    """Returns the toolchain. Fails if it cannot build ordinary SYCL programs.

    Args:
        ctx: the rule context.
    Returns:
        SyclToolchainInfo.
    """
    toolchain = find_sycl_toolchain(ctx)
    if not toolchain.dpcpp:
        fail("%s: ordinary SYCL programs need DPC++, but the device compiler is %s, which has no <sycl/sycl.hpp>; add sycl.dpcpp(version = \"2026.2.0\") to MODULE.bazel, after sycl = use_extension(\"@rules_sycl//rules:extensions.bzl\", \"sycl\"), and do not set device_compiler to a different compiler" % (user_label(ctx), compiler_name(toolchain)))
    need(ctx, toolchain.dpcpp)
    if not toolchain.libsycl:
        fail("%s: the sycl_toolchain of %s has no libsycl, to which programs are linked; set its attribute libsycl, for example to @sycl_dpcpp" % (user_label(ctx), compiler_name(toolchain)))
    return toolchain

def build_program(ctx, link_dependencies):
    """Declares the actions of a library, or of a program except its link.

    Args:
        ctx: the context of a rule with PROGRAM_ATTRS.
        link_dependencies: whether to link the device code of dependencies with rdc = True.
    Returns:
        list of providers.
    """
    toolchain = program_toolchain(ctx)
    check_srcs(ctx)
    cc = cc_of(ctx)
    is_intel = cc.toolchain.compiler.startswith("ic")
    check_command_line(ctx, is_intel)
    options = read_options(ctx, is_intel)
    line = host_line(ctx, without_module_maps(ctx, cc))
    host = host_compiler(ctx, toolchain, cc, line, options)
    libsycl = _linked_libsycl(ctx, toolchain, options)
    line = device_line(line, chosen_standard(ctx))
    rdc = attribute_value(ctx, options, "rdc", False)
    targets = chosen_targets(ctx, attribute_value(ctx, options, "sycl_targets", []))
    split = split_of(ctx, options)
    compiled = compile_sources(
        ctx,
        toolchain,
        options,
        line,
        host,
        post_link = None if rdc else post_link_options(ctx, toolchain, split),
    )
    if link_dependencies:
        if not ctx.attr.deps and not [f for f in ctx.files.srcs if not is_header(f)]:
            fail("%s: no sources: set srcs, or add a library that defines main to deps" % user_label(ctx))
        _check_runtime(ctx, toolchain, libsycl, options)
    waiting = depset(transitive = [d[LinkedCodeInfo].sources for d in _libraries(ctx)])
    linked = ([struct(symbol = _symbol(ctx), **_fields(s)) for s in compiled.own] if rdc else [])
    asks = linked and not link_dependencies
    code = compile_host(ctx, toolchain, host, compiled, options, _symbol(ctx) if asks else "")
    images = None
    if rdc and not link_dependencies:
        # Programs set their own targets, but an invalid name is an error here, too.
        resolve_targets(user_label(ctx), targets)
        if options.backend:
            fail("%s: %s: this library builds no device images; set backend_options on the sycl_cc_binary or sycl_cc_test that links its device code" % (user_label(ctx), options.backend[0].where))
        device = [SyclDeviceInfo(sources = depset(linked, transitive = [waiting]))]
    else:
        device = []
        below = waiting.to_list() if link_dependencies else []
        build = device_build(
            separate = [] if rdc else compiled.own,
            linked = linked + below,
            sycl_targets = targets,
            split = split,
            keep_debug_info = wants_debug_info(ctx, toolchain.copts + all_options(line) + options.device),
            specialize = ctx.attr.specialize,
            backend = options.backend,
        )
        if build.separate or build.linked:
            images = _embed(ctx, toolchain, host, build, [s.symbol for s in below if hasattr(s, "symbol")])
    if ctx.attr.specialize and not images:
        fail("%s: specialize requires device images, and this target has none; set it on the sycl_cc_binary or sycl_cc_test that links the device code" % user_label(ctx))
    program = struct(
        cc = host.cc,
        code = code,
        compiled = compiled,
        images = images,
        is_linked = link_dependencies,
        libsycl = libsycl,
        link = options.link,
        precompiled = precompiled(ctx, host.cc),
    )
    return _providers(ctx, program) + device

def _libraries(ctx):
    """Returns the dependencies without linker scripts."""
    return [dep for dep in all_deps(ctx) if CcInfo in dep]

def _linked_libsycl(ctx, toolchain, options):
    """Returns the target with the libsycl that programs with this code are linked to."""
    if not options.preview:
        return toolchain.libsycl
    preview = getattr(toolchain.libsycl[SyclRuntimeInfo], "preview", None)
    if not preview:
        fail("%s: '%s': %s has no libsycl-preview; use a release of DPC++ with this library, or remove the option" % (user_label(ctx), PREVIEW, shown(toolchain.libsycl.label)))
    return preview

def _check_runtime(ctx, toolchain, libsycl, options):
    """Fails if a dependency links a libsycl other than this target's."""
    own = {f: None for f in _libsycl([libsycl])}
    if not [library for library in _libsycl(_libraries(ctx)) if library not in own]:
        return
    for dep in _libraries(ctx):
        for library in _libsycl([dep]):
            if library not in own:
                if options.preview != library.basename.startswith(_LIBSYCL_PREVIEW):
                    fail("%s: deps: %s links %s, but this target is compiled %s %s; set the option in copts of all SYCL targets of a program, or of none" % (
                        user_label(ctx),
                        shown(dep.label),
                        library.basename,
                        "with" if options.preview else "without",
                        PREVIEW,
                    ))
                fail("%s: deps: %s links the runtime %s, but this target is built for %s of %s, and the two register images differently; depend on %s, the runtime of the device compiler, or set device_compiler" % (
                    user_label(ctx),
                    shown(dep.label),
                    library.path,
                    ", ".join([f.path for f in own]),
                    compiler_name(toolchain),
                    shown(toolchain.libsycl.label),
                ))

_LIBSYCL_PREVIEW = "libsycl-preview.so"

def _libsycl(targets):
    """Returns the Files of libsycl that the given targets link, in their own repository."""
    inputs = depset(transitive = [target[CcInfo].linking_context.linker_inputs for target in targets])
    files = [
        library.resolved_symlink_dynamic_library or library.dynamic_library
        for each in inputs.to_list()
        for library in each.libraries
    ]
    return [f for f in files if f and f.basename.startswith(("libsycl.so", _LIBSYCL_PREVIEW))]

def _fields(source):
    return {name: getattr(source, name) for name in ["bitcode", "compiler", "gpu_bitcode", "header", "images", "module"]}

def _symbol(ctx):
    """Returns the symbol that a library's host code needs and its linked device code defines.

    A program with the host code but without the device code would throw when it submits
    a kernel. With this symbol, the linker reports that the device code is missing.
    """
    return unique_symbol(ctx, "sycl_device_code_of_") + "_is_linked_by_sycl_cc_binary"

def _embed(ctx, toolchain, host, build, symbols):
    """Declares the objects that register the device images.

    Args:
        ctx: the rule context.
        toolchain: SyclToolchainInfo.
        host: the result of host_compiler.
        build: the result of device_build.
        symbols: list of string: symbols that the host code of linked libraries needs.
    Returns:
        struct(outputs, checks, program, groups): CcCompilationOutputs; files that show that kernels
        run on all targets; SyclProgramInfo; and output groups.
    """
    built = build_images(ctx, toolchain, build)
    stem = "%s.device/%s" % (ctx.label.name, ctx.label.name)
    wrapped = ctx.actions.declare_file(stem + ".images.s")
    headers = [s.header for s in build.separate + build.linked if s.header]
    packed = struct(images = built.images, required = built.required, runtime = toolchain.runtime)
    wrap_action(ctx, packed, headers, built.options.get("spir64", []), wrapped)
    objects = [assemble_action(ctx, host.cc, wrapped, [depset(i.files) for i in built.images])]
    symbols = {s: None for s in symbols}.keys()
    if symbols:
        linked = ctx.actions.declare_file(stem + ".linked.s")
        ctx.actions.write(linked, "\t.bss\n" + "".join(["\t.globl %s\n%s:\n\t.zero 1\n" % (s, s) for s in symbols]) + "\t.section .note.GNU-stack,\"\",@progbits\n")
        objects.append(assemble_action(ctx, host.cc, linked))

    syclbin = ctx.actions.declare_file(stem + ".syclbin")
    pack_action(ctx, packed, "executable", syclbin, embedded = True)
    report = ctx.actions.declare_file(ctx.label.name + ".program.compat.json")
    reported = [t.name for t in built.reported]
    report_action(ctx, [], [], ctx.files.device_config, report, embedded = [syclbin], targets = reported)
    return struct(
        outputs = cc_common.create_compilation_outputs(objects = depset(objects), pic_objects = depset(objects)),
        checks = check_action(ctx, report, stem, reported, ctx.files.device_config),
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
    """Returns the CcInfo of a program without linkopts of dependencies that have no effect on the linker."""
    inputs, changed = [], False
    for each in info.linking_context.linker_inputs.to_list():
        options = link_options(user_label(ctx), "deps: linkopts of %s" % shown(each.owner), each.user_link_flags)
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

def _library(ctx, cc, name, outputs, alwayslink):
    """Returns the LibraryToLinks of objects: one, or none if there are no objects."""
    _, linking = cc_common.create_linking_context_from_compilation_outputs(
        actions = ctx.actions,
        alwayslink = alwayslink,
        cc_toolchain = cc.toolchain,
        compilation_outputs = outputs,
        disallow_dynamic_library = True,
        feature_configuration = cc.features,
        name = name,
    )
    return [linking.library_to_link] if linking.library_to_link else []

def _providers(ctx, program):
    """Returns the rule's providers.

    Args:
        ctx: the rule context.
        program: struct(cc, code, compiled, images, is_linked, libsycl, link, precompiled): the C++ toolchain;
            the results of compile_host, compile_sources and _embed, the last None without images;
            whether the target is a program and not a library; the result of _linked_libsycl; linkopts;
            and the result of precompiled.
    Returns:
        list of providers: the objects to link, and the report on the device images.
    """
    given = program.precompiled
    outputs = cc_common.merge_compilation_outputs(compilation_outputs = [program.code.outputs, given.outputs])
    libraries = _library(ctx, program.cc, ctx.label.name, outputs, ctx.attr.alwayslink)
    if program.images:
        # No symbol refers to the images, so the linker would drop them.
        libraries += _library(ctx, program.cc, ctx.label.name + ".images", program.images.outputs, True)

    # A cc_shared_library contains both the host code and the images, or neither: both have one owner.
    checks = program.images.checks if program.images else []
    linked = cc_common.create_linker_input(
        libraries = depset(libraries + given.libraries),
        owner = ctx.label,
        # Bazel runs the validations of all dependencies, even if only their headers are used. A
        # library's validations should only run if it is linked, or built itself.
        additional_inputs = depset(ctx.files.additional_linker_inputs + linker_scripts(ctx) + ([] if program.is_linked else checks)),
        user_link_flags = program.link,
    )
    own = CcInfo(
        compilation_context = program.code.context,
        linking_context = cc_common.create_linking_context(linker_inputs = depset([linked])),
    )
    everything = cc_common.merge_cc_infos(
        direct_cc_infos = [own],
        cc_infos = [d[CcInfo] for d in ctx.attr.deps if CcInfo in d] + [
            CcInfo(linking_context = d[CcInfo].linking_context)
            for d in getattr(ctx.attr, "implementation_deps", [])
        ] + [program.libsycl[CcInfo]],
    )
    if program.is_linked:
        everything = _without_flags(ctx, everything)

    # A merge would lose local_defines, and make the headers of dependencies direct.
    everything = CcInfo(compilation_context = program.code.context, linking_context = everything.linking_context)
    runfiles = runfiles_of(ctx).merge_all([ctx.runfiles(given.dynamic), program.libsycl[DefaultInfo].default_runfiles] + [src[DefaultInfo].default_runfiles for src in ctx.attr.srcs])
    archives = [f for library in libraries for f in [library.static_library or library.pic_static_library] if f]
    return [
        DefaultInfo(files = depset(archives), runfiles = runfiles),
        everything,
        instrumented_files(ctx, program.code.notes),
        OutputGroupInfo(
            _validation = depset(checks if program.is_linked else [], transitive = [program.code.parsed]),
            _hidden_top_level_INTERNAL_ = depset([] if program.is_linked else checks),
            compilation_outputs = depset(outputs.pic_objects or outputs.objects),
            integration_headers = depset([f for c in program.compiled.compiled for f in [c.header, c.footer]]),
            **(program.images.groups if program.images else {})
        ),
    ] + ([program.images.program] if program.images else [])
