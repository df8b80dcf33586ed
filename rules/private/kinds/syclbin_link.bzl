"""The rule of the macro syclbin_link, in its own file so that it can have the same name as the macro."""

load("//rules:find_sycl_toolchain.bzl", "find_sycl_toolchain")
load("//rules:providers.bzl", "SyclbinInfo")
load("//rules/private/actions:pack.bzl", "combine_action")
load("//rules/private/compile:attributes.bzl", "IMAGE_ATTRS", "RUNTIME_ATTRS")
load("//rules/private/compile:compile.bzl", "device_code")
load("//rules/private/compile:images.bzl", "build_syclbin", "device_build", "syclbin_providers")
load("//rules/private/options:settings.bzl", "chosen_targets")
load("//rules/private/targets:names.bzl", "shown", "user_label")
load("//rules/private/toolchain:device_compiler.bzl", "device_compiler_transition", "device_rule")
load("//rules/private/toolchain:enabled.bzl", "requires_ocloc")

# The order of states.
_STATES = ["input", "object", "executable"]

def _syclbin_link_impl(ctx):
    if not ctx.attr.deps:
        fail("%s: deps is empty; add the SYCLBINs to link" % user_label(ctx))
    if ctx.attr.allow_unresolved and ctx.attr.state == "executable":
        fail("%s: allow_unresolved = True cannot be combined with state = \"executable\", which has no unresolved symbols; remove one of them" % user_label(ctx))
    first = {}
    for dep in ctx.attr.deps:
        file = dep[SyclbinInfo].file
        if file in first:
            fail("%s: deps: %s and %s are the same file" % (user_label(ctx), first[file], shown(dep.label)))
        first[file] = shown(dep.label)
    state = _state(ctx)
    toolchain = find_sycl_toolchain(ctx)
    if ctx.attr.mode == "ir":
        build = device_build(
            linked = depset(transitive = [device_code(ctx, toolchain, dep) for dep in ctx.attr.deps]).to_list(),
            sycl_targets = chosen_targets(ctx),
            split = ctx.attr.device_code_split or "auto",
            kernels_only = state == "executable",
            dependencies = ctx.attr.allow_unresolved,
            # The files have debug information if their own builds kept it.
            keep_debug_info = True,
            syclbin = True,
        )
        return build_syclbin(ctx, toolchain, build, state, ir = ctx.attr.ir or "any", runfiles = _runfiles(ctx))
    return _combine(ctx, toolchain, state)

def _all_executable(ctx):
    return all([dep[SyclbinInfo].state == "executable" for dep in ctx.attr.deps])

def _state(ctx):
    """Returns the state of the result, or an empty string if it depends on the imports of the files."""
    if ctx.attr.state:
        return ctx.attr.state
    if ctx.attr.allow_unresolved:
        return "object"
    return "executable" if ctx.attr.mode == "ir" or _all_executable(ctx) else ""

def _combine(ctx, toolchain, state):
    for attribute in ["device_code_split", "fixed_targets", "ir", "sycl_targets", "targets"]:
        if getattr(ctx.attr, attribute):
            fail("%s: %s requires mode = \"ir\"; mode = \"combine\" keeps the existing images" % (user_label(ctx), attribute))
    _check_states(ctx, state)
    infos = [dep[SyclbinInfo] for dep in ctx.attr.deps]
    out = ctx.actions.declare_file(ctx.label.name + ".syclbin")
    runtime = ctx.attr.runtime or toolchain.runtime
    combine_action(ctx, [f for i in infos for f in i.files], ctx.attr.state, ctx.attr.allow_unresolved, runtime, out)
    device_config = {f: None for f in [f for i in infos for f in i.device_config] + ctx.files.device_config}.keys()
    return syclbin_providers(
        ctx,
        toolchain,
        [out],
        state,
        targets = _union([i.targets for i in infos]),
        reported = _union([i.reported for i in infos]),
        device_config = device_config,
        runfiles = _runfiles(ctx),
    )

def _runfiles(ctx):
    return ctx.runfiles().merge_all([dep[SyclbinInfo].runfiles for dep in ctx.attr.deps])

def _union(lists):
    return sorted({t: None for list in lists for t in list}.keys())

def _check_states(ctx, state):
    """Fails during analysis for inputs that the tool would reject."""
    all_executable = _all_executable(ctx)
    for dep in ctx.attr.deps:
        own = dep[SyclbinInfo].state
        if own and state and _STATES.index(own) > _STATES.index(state):
            fail("%s: deps: %s is in %s state, which cannot become %s" % (user_label(ctx), shown(dep.label), own, state))
        if own == "executable" and not all_executable and not ctx.attr.state:
            fail("%s: deps: %s is in executable state but other deps are not, so nothing could call it; set its state = \"object\", or set state = \"executable\" on this target to include it anyway" % (user_label(ctx), shown(dep.label)))

def _requires_sycl(mode):
    return Label("//rules/private:requires_sycl") if mode == "ir" else None

def _requires_ocloc(mode, sycl_targets):
    return requires_ocloc(sycl_targets) if mode == "ir" else None

# Arguments that both rules of the macro share.
SYCLBIN_LINK_RULE = dict(
    implementation = _syclbin_link_impl,
    doc = "The rule behind the macro syclbin_link.",
    attrs = IMAGE_ATTRS | RUNTIME_ATTRS | {
        "allow_unresolved": attr.bool(
            doc = "If True, a later link can resolve imports that no file exports.",
        ),
        "deps": attr.label_list(
            cfg = device_compiler_transition,
            doc = "The SYCLBINs: `sycl_binary`, `syclbin_import` and `syclbin_link` targets, usually in input or object state.",
            providers = [SyclbinInfo],
        ),
        "device_code_split": attr.string(
            doc = "For `mode = \"ir\"`: how device code is split into modules, as in `sycl_binary`. A SYCLBIN counts as a source.",
            values = ["", "auto", "per_source", "per_kernel", "off"],
        ),
        "ir": attr.string(
            doc = "For `mode = \"ir\"`: what to do with SPIR-V if GPUs have native images, as in `sycl_binary`.",
            values = ["", "any", "cpu", "separate", "none"],
        ),
        "mode": attr.string(
            default = "combine",
            doc = "`combine` keeps the modules and resolves their symbols. `ir` links their code.",
            values = ["combine", "ir"],
        ),
        "state": attr.string(
            doc = "The result's bundle state: `input`, `object` or `executable`. Defaults to `object` with `allow_unresolved`. For `combine`, it also defaults to `object` if a module needs a symbol of another module, which `sycl::link` resolves at run time; `executable` is then an error. Otherwise, it defaults to `executable`.",
            values = ["", "input", "object", "executable"],
        ),

        # Combining files needs no compiler.
        "_requires_ocloc": attr.label(cfg = device_compiler_transition, default = _requires_ocloc),
        "_requires_sycl": attr.label(cfg = device_compiler_transition, default = _requires_sycl),
    },
    provides = [SyclbinInfo],
)

syclbin_link = device_rule(**SYCLBIN_LINK_RULE)
