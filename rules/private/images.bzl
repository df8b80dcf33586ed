"""What is done with device code once it is there: from sources' bitcode to a SYCLBIN."""

load("//rules:providers.bzl", "SyclbinInfo")
load("//rules/private:actions.bzl", "aot_action", "filter_action", "link_action", "pack_action", "plan_action", "postlink_action", "translate_action")
load("//rules/private:compat.bzl", "check_action", "report_action")
load("//rules/private:compile.bzl", "linkable", "output_stem")
load("//rules/private:resolve.bzl", "known_targets", "resolve_targets")

def build_syclbin(ctx, toolchain, sources, sycl_targets, device_code_split, state, dependencies, keep_debug_info, ir = "any"):
    """Declares the actions from device code to a SYCLBIN with its report.

    Args:
        ctx: the rule context, with the attributes fixed_targets and device_config.
        toolchain: SyclToolchainInfo.
        sources: list of the structs of SyclDeviceInfo.
        sycl_targets: list of string.
        device_code_split: auto, per_source, per_kernel or off.
        state: input, object or executable.
        dependencies: whether a module may use what another SYCLBIN defines.
        keep_debug_info: whether the SPIR-V keeps its debug information.
        ir: what becomes of SPIR-V, as sycl_binary has it.
    Returns:
        list of providers.
    """
    targets = resolve_targets(ctx.label, sycl_targets)
    _check_ir(ctx, targets, state, ir)
    device_config = ctx.files.device_config
    stems = {}
    for source in sources:
        if source.module in stems:
            fail("%s: %s is compiled by two of the targets that it is linked of; move it to a sycl_library of its own" % (ctx.label, source.module))
        stems[source.module] = output_stem(ctx, source.module)
    stem = "%s.device/%s" % (ctx.label.name, ctx.label.name)
    linked = link_action(ctx, toolchain, [(s.module, s.bitcode) for s in sources], stem)
    if device_code_split == "off":
        stems = {"": stem}
    fixed_targets = known_targets(ctx.label, "fixed_targets", ctx.attr.fixed_targets)
    modules = postlink_action(ctx, toolchain, linked, stems, device_code_split, fixed_targets, device_config, state, dependencies)
    forms = {
        module: translate_action(ctx, toolchain, modules[module], stems[module], keep_debug_info)
        for module in stems
    }

    images = [
        _image(ctx, toolchain, form, "%s.%s" % (stems[module], target.name), target, device_config, state)
        for target in targets
        for module, form in forms.items()
    ]
    plan = plan_action(ctx, forms.values(), targets, device_config, stem)
    out = ctx.actions.declare_file(ctx.label.name + ".syclbin")
    runtime = ctx.attr.runtime or toolchain.runtime
    native = [i for i in images if i.native]
    if ir == "separate":
        ir_out = ctx.actions.declare_file(ctx.label.name + ".ir.syclbin")
        pack_action(ctx, native, plan, state, runtime, out)
        pack_action(ctx, [i for i in images if not i.native], plan, state, runtime, ir_out)
        files = [out, ir_out]
    else:
        pack_action(ctx, native if ir == "none" else images, plan, state, runtime, out, ir = "cpu" if ir == "cpu" else "any")
        files = [out]
    return syclbin_providers(
        ctx,
        toolchain,
        files,
        state,
        targets = [t.name for t in targets],
        device_config = device_config,
        groups = {
            "aot_images": depset([i.native for i in images if i.native]),
            "aot_plan": depset([plan]),
            "device_ir": depset([s.bitcode for s in sources]),
            "device_link": depset([linked]),
            "device_modules": depset([m.code for m in modules.values()]),
            "file_tables": depset([f.table for f in forms.values()] + [i.filtered for i in images]),
            "properties": depset([f.properties for f in forms.values()]),
            "spirv": depset([f.code for f in forms.values()]),
        },
    )

def _check_ir(ctx, targets, state, ir):
    """Fails when there is nothing that the attribute ir could be about."""
    if ir == "any":
        return
    if state != "executable":
        fail("%s: ir = \"%s\" goes with executable state: in %s state the runtime links SPIR-V and passes over native images" % (ctx.label, ir, state))
    if not [t for t in targets if t.compiler] or not [t for t in targets if not t.compiler]:
        fail("%s: ir = \"%s\" needs both spir64 and a target with native images in sycl_targets" % (ctx.label, ir))

def syclbin_providers(ctx, toolchain, files, state, targets, device_config, groups = {}, checked = True):
    """Declares the report on a SYCLBIN, and gives what its rule provides.

    Args:
        ctx: the rule context.
        toolchain: SyclToolchainInfo.
        files: list of File: the SYCLBIN, and that of its SPIR-V when it is a file of its own.
        state: their state, as in SyclbinInfo.
        targets: list of the names of targets that it was built for.
        device_config: list of Files merged over the built-in device table.
        groups: further output groups.
        checked: whether the build warns of what the report says.
    Returns:
        list of providers.
    """
    report = ctx.actions.declare_file(ctx.label.name + ".binary.compat.json")
    report_action(ctx, files, [], device_config, report)
    if checked:
        groups = groups | {"_validation": depset(check_action(ctx, report, "%s.device/%s" % (ctx.label.name, ctx.label.name)))}
    return [
        DefaultInfo(files = depset(files), runfiles = ctx.runfiles(files)),
        SyclbinInfo(
            device_config = device_config,
            file = files[0],
            files = files,
            report = report,
            state = state,
            targets = targets,
        ),
        OutputGroupInfo(compat_report = depset([report]), syclbin = depset(files), **groups),
    ] + linkable(ctx, toolchain, files[0], state)

def _image(ctx, toolchain, form, name, target, device_config, state):
    """A source's images for a target: struct(target, table, files) for pack_action, and what they are made of."""
    filtered = ctx.actions.declare_file(name + ".filtered.table")
    filter_action(ctx, form.table, [form.properties], target.name, device_config, filtered)
    if not target.compiler:
        return struct(target = target, table = filtered, files = [form.properties, form.code], filtered = filtered, native = None)
    image = aot_action(ctx, toolchain, form, filtered, target, name, library = state != "executable")
    return struct(target = target, table = image.table, files = [form.properties, image.code], filtered = filtered, native = image.code)
