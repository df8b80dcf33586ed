"""Actions from bitcode to device images, and to a SYCLBIN."""

load("//rules:providers.bzl", "SyclbinInfo")
load("//rules/private/actions:aot.bzl", "aot_action", "filter_action", "plan_action")
load("//rules/private/actions:gpu.bzl", "gpu_action")
load("//rules/private/actions:link.bzl", "link_action")
load("//rules/private/actions:pack.bzl", "pack_action")
load("//rules/private/actions:postlink.bzl", "postlink_action")
load("//rules/private/actions:translate.bzl", "dpcpp_images_action", "specialize_action", "translate_action")
load("//rules/private/compat:compat.bzl", "check_action", "report_action")
load("//rules/private/options:flags.bzl", "backend_options")
load("//rules/private/targets:gpus.bzl", "EMULATED")
load("//rules/private/targets:names.bzl", "shown", "user_label")
load("//rules/private/targets:resolve.bzl", "compiler_of", "families_of", "known_targets", "resolve_targets", "takes_all")
load(":compile.bzl", "compiler_name", "linkable", "output_stem")

def device_build(
        separate = [],
        linked = [],
        sycl_targets = [],
        split = "auto",
        kernels_only = True,
        dependencies = False,
        keep_debug_info = False,
        syclbin = False,
        specialize = {},
        backend = []):
    """Describes the outputs to build from device code.

    Args:
        separate: list of the structs of SyclDeviceInfo whose code is independent.
        linked: list of the structs whose code is linked first.
        sycl_targets: list of string.
        split: device_code_split.
        kernels_only: whether nothing is ever linked to the images.
        dependencies: whether an image may use functions that another image defines.
        keep_debug_info: whether SPIR-V, and images for NVIDIA and AMD GPUs, keep debug information.
        syclbin: whether the images are for a SYCLBIN.
        specialize: dict of specialization constant -> its value.
        backend: options for the compilers of native code, as in read_options.
    Returns:
        struct with these fields.
    """
    return struct(
        separate = separate,
        linked = linked,
        sycl_targets = sycl_targets,
        split = split,
        kernels_only = kernels_only,
        dependencies = dependencies,
        keep_debug_info = keep_debug_info,
        syclbin = syclbin,
        specialize = specialize,
        backend = backend,
    )

def build_images(ctx, toolchain, build):
    """Declares the actions from device code to the images for each target.

    Args:
        ctx: the context of a rule with IMAGE_ATTRS.
        toolchain: SyclToolchainInfo.
        build: the result of device_build.
    Returns:
        struct(targets, reported, images, required, options, groups): the result of
        resolve_targets; the targets in it that the kernels are for; the images in the form that
        pack_action expects, with native set for native images; the Files of actions that must
        succeed before images are packed; the result of backend_options; and output groups.
    """
    targets = resolve_targets(user_label(ctx), build.sycl_targets)
    for name, value in build.specialize.items():
        if not name or not value or "=" in name:
            fail("%s: specialize: invalid entry \"%s\": \"%s\"; expected the name of a constant and its value" % (user_label(ctx), name, value))
    sources = _named(ctx, toolchain, build.separate + build.linked)
    fixed_targets = known_targets(user_label(ctx), "fixed_targets", ctx.attr.fixed_targets)
    by_dpcpp = _dpcpp_post_link(ctx, toolchain)

    # The kinds of device code, each with its targets.
    emulated = [s for s in sources if hasattr(s.gpu_bitcode, EMULATED.name)]
    emulating = [t for t in targets if not t.family and t.compiler and emulated]
    plain = [t for t in targets if not t.family and t not in emulating]
    options = backend_options(user_label(ctx), build.backend + ([struct(target = "intel_gpu_*", native = EMULATED.ocloc, jit = [], where = "")] if emulating else []), targets)
    kinds = [(None, plain), (EMULATED, emulating)]
    for family in families_of(targets):
        its_targets = [t for t in targets if t.family and t.family.name == family.name]
        _check_family(ctx, toolchain, build, sources, its_targets[0])
        kinds.append((family, its_targets))
    groups = [
        _modules(ctx, toolchain, build, sources, fixed_targets, family, its_targets, by_dpcpp)
        for family, its_targets in kinds
        if its_targets
    ]

    spirv = {name: form for group in groups if not group.by_family for name, form in group.forms.items()}
    if build.specialize:
        spirv = specialize_action(ctx, spirv, build.specialize)
    forms = spirv | {name: form for group in groups if group.by_family for name, form in group.forms.items()}
    filtered = {name: _filtered(ctx, forms[name], name, group.targets, options) for group in groups for name in group.forms}
    compiled = {
        name: _compiled(ctx, toolchain, build, forms[name], name, group.targets, filtered[name], options)
        for group in groups
        for name in group.forms
    }
    images = [
        _image(forms[name], target, filtered[name], compiled[name])
        for target in targets
        for group in groups
        if target in group.targets
        for name in group.forms
    ]

    # Kernels have the same requirements in all forms, so one form is planned for all targets. If
    # some targets emulate double, it is their form.
    planned = groups[1 if emulating and plain else 0].forms
    plan = plan_action(ctx, [forms[name] for name in planned], targets, ctx.files.device_config, _stem(ctx))
    return struct(
        targets = targets,
        reported = [t for t in targets if _is_for(fixed_targets, t)],
        images = images,
        # The plan fails if no target can run one of the modules.
        required = [] if any([takes_all(t.name, ctx.files.device_config) for t in targets]) else [plan],
        options = options,
        groups = {
            "aot_images": depset([code.code for codes in compiled.values() for code in codes.values()]),
            "aot_plan": depset([plan]),
            "device_ir": depset([bitcode for group in groups for bitcode in group.bitcode]),
            "device_link": depset([link for group in groups for link in group.links]),
            "device_modules": depset([module for group in groups for module in group.modules]),
            "file_tables": depset([f.table for f in forms.values()] + [t for tables in filtered.values() for t in tables.values()]),
            "properties": depset([f.properties for f in spirv.values()]),
            "spirv": depset([f.code for f in spirv.values()]),
        },
    )

def _stem(ctx):
    """Returns the path of the outputs of all linked code, below the package."""
    return "%s.device/%s" % (ctx.label.name, ctx.label.name)

def _modules(ctx, toolchain, build, sources, fixed_targets, family, targets, by_dpcpp):
    """Declares the actions from bitcode of one kind to modules.

    Args:
        ctx: the rule context.
        toolchain: SyclToolchainInfo.
        build: the result of device_build.
        sources: the results of _named for its separate sources, then for its linked sources.
        fixed_targets: names of the only targets that the kernels are for. Empty means all.
        family: the family of GPUs that the bitcode is for, None for other SPIR-V.
        targets: the targets that the modules are for.
        by_dpcpp: whether DPC++'s own post-link step creates the images.
    Returns:
        struct(bitcode, by_family, forms, links, modules, targets): the bitcode of the sources;
        whether the modules are for NVIDIA or AMD GPUs, which do not support SPIR-V; dict of the
        path of outputs -> struct(code, properties, table); linked bitcode; directories of
        split modules; and the targets.
    """
    by_family = bool(family) and family != EMULATED
    by_dpcpp = by_dpcpp and not by_family
    units = _units(ctx, toolchain, build, sources, family, build.split == "off" or by_dpcpp)
    forms, modules = {}, []
    for unit in units.units:
        if by_dpcpp:
            name = unit.stems[""]
            forms[name] = dpcpp_images_action(ctx, toolchain, build, unit, name)
            continue
        found = postlink_action(ctx, toolchain, build, unit, fixed_targets, emulate = family == EMULATED)
        for module, name in unit.stems.items():
            directory = found[module].code
            modules.append(directory)
            forms[name] = (
                # Post-link's own files, because there is no SPIR-V to read.
                struct(code = directory, properties = directory, table = found[module].table) if by_family else translate_action(ctx, toolchain, build, found[module], name, emulate = family == EMULATED)
            )
    return struct(bitcode = units.bitcode, by_family = by_family, forms = forms, links = units.links, modules = modules, targets = targets)

def _named(ctx, toolchain, sources):
    """Returns a unique name for every source that a target links.

    The module id of a source is its path. If several targets compile the same source, for example
    with different definitions, the ids of all but the linking target's own contain the target.

    Args:
        ctx: the rule context.
        toolchain: SyclToolchainInfo.
        sources: list of the structs of SyclDeviceInfo.
    Returns:
        list of struct(module, bitcode, gpu_bitcode, images, stem): a unique module id; the Files
        of bitcode and the directory of images as in SyclDeviceInfo; and the path of outputs below
        the package, without extension.
    """
    counts = {}
    for source in sources:
        if source.compiler != compiler_name(toolchain):
            fail("%s: %s is compiled by %s and this target by %s, so their device code cannot be linked; use the same device_compiler for both" % (user_label(ctx), source.module, source.compiler, compiler_name(toolchain)))
        counts[source.module] = counts.get(source.module, 0) + 1
    named = {}
    for source in sources:
        module, path = source.module, source.module
        owner = source.bitcode.owner
        if counts[module] > 1 and owner != ctx.label:
            module = "%s of %s" % (module, shown(owner))
            path = "../" + source.bitcode.short_path.removesuffix(".bc")
        if module in named:
            fail("%s: links %s twice, in different configurations; use the same settings (such as device_compiler) in all targets that depend on it" % (user_label(ctx), shown(owner)))
        named[module] = struct(module = module, bitcode = source.bitcode, gpu_bitcode = source.gpu_bitcode, images = source.images, stem = output_stem(ctx, path))
    return named.values()

def _units(ctx, toolchain, build, sources, family, whole):
    """Returns the inputs of the post-link actions.

    Args:
        ctx: the rule context.
        toolchain: SyclToolchainInfo.
        build: the result of device_build.
        sources: the results of _named for its separate sources, then for its linked sources.
        family: the family of GPUs that the bitcode is for, None for other SPIR-V.
        whole: whether linked code is not split by sources.
    Returns:
        struct(bitcode, links, units): the bitcode of the sources; the linked bitcode; and a
        list of struct(bitcode, images, source, stems): bitcode, the result of DPC++'s post-link
        step for it or None, and the sources into which post-link splits it.
    """
    suffix = "." + family.name if family else ""
    bitcode = {s.module: getattr(s.gpu_bitcode, family.name, s.bitcode) if family else s.bitcode for s in sources}
    separate, linked = sources[:len(build.separate)], sources[len(build.separate):]
    units = [
        struct(bitcode = bitcode[s.module], images = None if family else s.images, source = s.module, stems = {"": s.stem + suffix})
        for s in separate
    ]
    links = []
    if linked:
        stem = _stem(ctx) + suffix
        links = [link_action(ctx, toolchain, [(s.module, bitcode[s.module]) for s in linked], stem, emulate = family == EMULATED)]
        units.append(struct(
            bitcode = links[0],
            images = None,
            source = "",
            stems = {"": stem} if whole else {s.module: s.stem + suffix for s in linked},
        ))
    return struct(bitcode = bitcode.values(), links = links, units = units)

def _check_family(ctx, toolchain, build, sources, target):
    """Fails if code for an NVIDIA or AMD GPU cannot be built."""
    name = target.name
    if toolchain.dpcpp:
        fail("%s: sycl_targets: '%s' needs clang, but the device compiler is %s, which only generates SPIR-V; write the kernels with sycl_lite.hpp and build them as a sycl_binary with device_compiler = \"clang\"" % (user_label(ctx), name, compiler_name(toolchain)))
    if not build.kernels_only:
        fail("%s: sycl_targets: '%s' requires state = \"executable\", because code for NVIDIA and AMD GPUs cannot be linked at run time" % (user_label(ctx), name))
    if build.specialize:
        fail("%s: specialize has no effect on '%s', because it sets constants in SPIR-V; remove one of them" % (user_label(ctx), name))
    for source in sources:
        if not hasattr(source.gpu_bitcode, target.family.name):
            fail("%s: deps: %s is a SYCLBIN, which has no code that can be linked for '%s'; use a sycl_binary instead, with the sources of the SYCLBIN in srcs, or in a sycl_library in deps" % (user_label(ctx), source.module, name))

def _is_for(fixed_targets, target):
    """Returns whether kernels with these fixed targets are for a target.

    SPIR-V is always kept, so that the report shows which devices it is not for.
    """
    if not fixed_targets or not target.compiler or target.name in fixed_targets:
        return True
    return any([not compiler_of(name) for name in fixed_targets])

def _dpcpp_post_link(ctx, toolchain):
    """Returns whether DPC++'s own post-link step creates the images."""
    if ctx.attr.post_link == "dpcpp" and not toolchain.dpcpp:
        fail("%s: post_link = \"dpcpp\" requires sources that DPC++ compiles; add sycl.dpcpp(version = ...) to MODULE.bazel, or remove post_link" % user_label(ctx))
    if not toolchain.dpcpp or ctx.attr.post_link == "rules_sycl":
        return False
    if ctx.attr.fixed_targets:
        fail("%s: fixed_targets requires post_link = \"rules_sycl\"; DPC++'s post-link step does not support it" % user_label(ctx))
    return True

def post_link_options(ctx, toolchain, split, dependencies = False):
    """Returns the options of DPC++'s own post-link step, for sources whose code is independent.

    Args:
        ctx: the context of a rule with IMAGE_ATTRS.
        toolchain: SyclToolchainInfo.
        split: device_code_split.
        dependencies: whether an image may use functions that another image defines.
    Returns:
        list of string, None if the step does not create the images.
    """
    if not _dpcpp_post_link(ctx, toolchain):
        return None
    return ["-fsycl-device-code-split=" + split] + (["-fsycl-allow-device-image-dependencies"] if dependencies else [])

def build_syclbin(ctx, toolchain, build, state, ir = "any", runfiles = None):
    """Declares the actions from device code to a SYCLBIN with its report.

    Args:
        ctx: the context of a rule with IMAGE_ATTRS.
        toolchain: SyclToolchainInfo.
        build: the result of device_build with syclbin = True.
        state: input, object or executable.
        ir: how to write SPIR-V, as in sycl_binary.
        runfiles: additional files for programs that load the SYCLBIN, or None.
    Returns:
        list of providers.
    """
    built = build_images(ctx, toolchain, build)
    _check_backend(ctx, built, build.backend)
    images = built.images
    if not built.reported:
        fail("%s: fixed_targets: sycl_targets contains none of them, so there would be no image; add one of %s to sycl_targets, or remove fixed_targets" % (user_label(ctx), ", ".join(ctx.attr.fixed_targets)))
    _check_ir(ctx, built.targets, state, ir)
    out = ctx.actions.declare_file(ctx.label.name + ".syclbin")
    native = [i for i in images if i.native]
    files = [out]
    packed = struct(
        images = native if ir in ["none", "separate"] else images,
        required = built.required,
        runtime = ctx.attr.runtime or toolchain.runtime,
    )
    pack_action(ctx, packed, state, out, ir = "cpu" if ir == "cpu" else "any")
    if ir == "separate":
        files.append(ctx.actions.declare_file(ctx.label.name + ".ir.syclbin"))
        pack_action(ctx, struct(images = [i for i in images if not i.native], required = packed.required, runtime = packed.runtime), state, files[1])
    return syclbin_providers(
        ctx,
        toolchain,
        files,
        state,
        targets = [t.name for t in built.targets],
        reported = [t.name for t in built.reported if ir != "none" or t.compiler],
        device_config = ctx.files.device_config,
        groups = built.groups,
        runfiles = runfiles,
    )

def _check_backend(ctx, built, backend):
    """Fails for options that would have no effect, because a SYCLBIN cannot store options for SPIR-V."""
    native = [t for t in built.targets if t.compiler]
    for each in backend:
        if each.jit and (each.target == "spir64" or not native):
            fail("%s: %s: a SYCLBIN cannot store options for DPC++'s runtime; pass them to sycl::build at run time, or name an intel_gpu_* target, whose images are compiled with them" % (user_label(ctx), each.where))

def _check_ir(ctx, targets, state, ir):
    """Fails if the attribute ir would have no effect."""
    if ir == "any":
        return
    if state != "executable":
        fail("%s: ir = \"%s\" requires executable state; in %s state, the runtime links the SPIR-V and ignores native images" % (user_label(ctx), ir, state))
    if not [t for t in targets if t.compiler] or not [t for t in targets if not t.compiler]:
        fail("%s: ir = \"%s\" requires both spir64 and a target with native images in sycl_targets" % (user_label(ctx), ir))

def syclbin_providers(ctx, toolchain, files, state, targets, reported, device_config, groups = {}, checked = True, runfiles = None):
    """Declares the report on a SYCLBIN, and returns its rule's providers.

    Args:
        ctx: the rule context.
        toolchain: SyclToolchainInfo.
        files: list of File: the SYCLBIN, and the SYCLBIN with the SPIR-V if that is separate.
        state: their state, as in SyclbinInfo.
        targets: list of the names of targets that it was built for.
        reported: list of the targets that the report covers, even without an image.
        device_config: list of Files merged over the built-in device table.
        groups: more output groups.
        checked: whether the build prints warnings about problems in the report.
        runfiles: additional files for programs that load the SYCLBIN, or None.
    Returns:
        list of providers.
    """
    report = ctx.actions.declare_file(ctx.label.name + ".binary.compat.json")
    report_action(ctx, files, [], device_config, report, targets = reported)
    if checked:
        groups = groups | {"_validation": depset(check_action(ctx, report, _stem(ctx), reported, device_config))}
    runfiles = runfiles or ctx.runfiles()
    return [
        DefaultInfo(files = depset(files), runfiles = ctx.runfiles(files).merge(runfiles)),
        SyclbinInfo(
            device_config = device_config,
            file = files[0],
            files = files,
            report = report,
            reported = reported,
            runfiles = runfiles,
            state = state,
            targets = targets,
        ),
        OutputGroupInfo(compat_report = depset([report]), syclbin = depset(files), **groups),
    ] + linkable(ctx, toolchain, files[0], state)

def _filtered(ctx, form, name, targets, options):
    """Returns the filtered table of a source for each target: dict of target -> File."""
    tables = {
        target.name: ctx.actions.declare_file("%s.%s.filtered.table" % (name, target.name))
        for target in targets
        if not takes_all(target.name, ctx.files.device_config)
    }
    if tables:
        filter_action(ctx, form.table, [form.properties], tables, ctx.files.device_config, options = options)
    return {target.name: tables.get(target.name, form.table) for target in targets}

def _compiled(ctx, toolchain, build, form, name, targets, filtered, options):
    """Returns a source's native images: dict of target -> struct(code, table)."""
    chips, compiled = {}, {}
    for target in targets:
        if not target.compiler:
            continue
        if target.family:
            compiled[target.name] = gpu_action(ctx, toolchain, form, filtered[target.name], target, "%s.%s" % (name, target.name), build.keep_debug_info)
        else:
            chips.setdefault((target.chip, tuple(options.get(target.name, []))), []).append(target)
    for (_, own), same in chips.items():
        compiled |= aot_action(ctx, toolchain, form, filtered, same, name, own, library = not build.kernels_only)
    return compiled

def _image(form, target, filtered, compiled):
    """Returns a source's images for a target: struct(target, table, files, native)."""
    if not target.compiler:
        return struct(target = target, table = filtered[target.name], files = [form.properties, form.code], native = None)
    image = compiled[target.name]
    return struct(target = target, table = image.table, files = [form.properties, image.code], native = image.code)
