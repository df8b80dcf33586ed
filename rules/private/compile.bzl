"""What the rules that compile SYCL sources share."""

load("@rules_cc//cc/common:cc_common.bzl", "cc_common")
load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")
load("//rules:providers.bzl", "SyclDeviceInfo", "SyclbinInfo")
load("//rules/private/actions:compile.bzl", "compile_action")
load("//rules/private/actions:link.bzl", "import_action")

_SOURCES = [".cpp", ".cc", ".cxx", ".c++", ".C"]
_HEADERS = [".h", ".hh", ".hpp", ".hxx", ".inc", ".inl"]

SOURCE_ATTRS = {
    "defines": attr.string_list(
        doc = "Preprocessor definitions (`NAME` or `NAME=VALUE`) for this target's sources.",
    ),
    "hdrs": attr.label_list(
        allow_files = _HEADERS,
        doc = "Headers that the sources include.",
    ),
    "includes": attr.string_list(
        doc = "Folders to search for headers, relative to this package.",
    ),
    "srcs": attr.label_list(
        allow_files = _SOURCES,
        doc = "SYCL sources.",
    ),
}

COMPILE_ATTRS = SOURCE_ATTRS | {
    "copts": attr.string_list(
        doc = "Options of the device compile, after the toolchain's own. Make variables are expanded. With `-g` or the like, the device code keeps its debug information.",
    ),
    "deps": attr.label_list(
        doc = "`sycl_library` targets and SYCLBINs in input or object state (`sycl_binary`, `syclbin_import` and `syclbin_link` targets), whose device code is linked in, and C++ libraries whose headers the sources include. Only the headers of C++ libraries are used.",
        providers = [[CcInfo], [SyclbinInfo]],
    ),
}

# Releases of the runtime, as package sycl/release knows them.
_RUNTIMES = ["2025.3", "2026.0", "2026.2"]

IMAGE_ATTRS = {
    "device_config": attr.label(
        allow_files = [".yaml", ".yml"],
        doc = "A device configuration file or a `sycl_device_config`, with what targets support. It is merged over the built-in configuration.",
    ),
    "fixed_targets": attr.string_list(
        doc = "The only targets that the kernels are for, as `-fsycl-fixed-targets=` takes it. A kernel that one of them cannot run is a warning of the build.",
    ),
    "post_link": attr.string(
        doc = "What divides device code into modules and finds what they need: `rules_sycl`, or `dpcpp` for DPC++'s own post-link. The default is `dpcpp` for sources that DPC++ compiles, else `rules_sycl`.",
        values = ["", "dpcpp", "rules_sycl"],
    ),
}

RUNTIME_ATTRS = {
    "runtime": attr.string(
        doc = "Release of DPC++'s runtime that loads the file, `2025.3`, `2026.0` or `2026.2`. The container format and the numbers of aspects depend on it. Without it, that of the toolchain, whose default is `2026.0`: every runtime of 2026 loads such a file.",
        values = [""] + _RUNTIMES,
    ),
}

RDC_ATTRS = {
    "rdc": attr.bool(
        doc = "Link device code across sources, as `-fsycl-rdc` does: kernels can call `SYCL_EXTERNAL` functions of other sources and of `deps`. Without it, the device code of each source stands alone.",
    ),
}

def compilation_context(ctx):
    """The headers and include folders of a rule with COMPILE_ATTRS.

    Args:
        ctx: the rule context.
    Returns:
        The C++ compilation context.
    """
    own = [ctx.label.package] if ctx.label.package else []
    folders = []
    for include in ctx.attr.includes:
        path = "/".join(own + [include]) if include != "." else (ctx.label.package or ".")
        folders += [path, ctx.bin_dir.path + "/" + path]
    return cc_common.merge_compilation_contexts(compilation_contexts = [
        cc_common.create_compilation_context(
            headers = depset(ctx.files.hdrs),
            quote_includes = depset([".", ctx.bin_dir.path]),
            includes = depset(folders),
        ),
    ] + [dep[CcInfo].compilation_context for dep in ctx.attr.deps if CcInfo in dep])

def compile_sources(ctx, toolchain, before = [], after = [], host = False, families = []):
    """Declares the compilation of a rule's own sources.

    Args:
        ctx: the context of a rule with COMPILE_ATTRS.
        toolchain: SyclToolchainInfo.
        before: options before those of the rule.
        after: options after them.
        host: whether a host compiler compiles the sources as well.
        families: the families of GPUs, of gpus.bzl, that may be compiled for as well.
    Returns:
        struct(context, own, compiled): the compilation context; the structs of
        SyclDeviceInfo of the rule's own sources; and a list of struct(source, bitcode,
        header, footer), as compile_action returns them.
    """
    context = compilation_context(ctx)
    copts = before + expanded(ctx, "copts") + after
    own = {}
    compiled = []
    for source in ctx.files.srcs:
        # DPC++'s module id: the path of the source in the workspace.
        module = source.short_path
        if module in own:
            fail("%s: srcs names %s twice" % (ctx.label, module))
        out = compile_action(ctx, toolchain, source, output_stem(ctx, module), context, ctx.attr.defines, copts, host)
        compiled.append(struct(source = source, bitcode = out.bitcode, header = out.header, footer = out.footer))
        own[module] = struct(
            module = module,
            bitcode = out.bitcode,
            compiler = compiler_name(toolchain),
            # Actions run only for families that a target asks for.
            gpu_bitcode = struct(**{
                f.name: compile_action(ctx, toolchain, source, "%s.%s" % (output_stem(ctx, module), f.name), context, ctx.attr.defines, copts, family = f).bitcode
                for f in families
                if not toolchain.dpcpp
            }),
        )
    return struct(context = context, own = own.values(), compiled = compiled)

def compiler_name(toolchain):
    """Name of the device compiler of a SyclToolchainInfo, for errors."""
    return "DPC++ " + toolchain.dpcpp.version if toolchain.dpcpp else "clang"

def expanded(ctx, attribute):
    """A list of options of a rule with its Make variables expanded."""
    return [ctx.expand_make_variables(attribute, o, {}) for o in getattr(ctx.attr, attribute)]

def dependencies_code(ctx, toolchain):
    """The device code of all dependencies of a rule with COMPILE_ATTRS: list of depset."""
    return [device_code(ctx, toolchain, dep) for dep in ctx.attr.deps if SyclDeviceInfo in dep or SyclbinInfo in dep]

def device_code(ctx, toolchain, dep):
    """The device code of a dependency.

    Args:
        ctx: the rule context.
        toolchain: SyclToolchainInfo.
        dep: a Target with SyclDeviceInfo or SyclbinInfo.
    Returns:
        The depset of SyclDeviceInfo.
    """
    if SyclDeviceInfo in dep:
        return dep[SyclDeviceInfo].sources
    if dep[SyclbinInfo].state == "executable":
        fail("%s: deps: %s is a SYCLBIN in executable state, which cannot be linked; give it state = \"object\"" % (ctx.label, dep.label))
    fail("%s: deps: the SYCLBIN %s cannot be linked: %s" % (ctx.label, dep.label, toolchain.llvm_spirv.missing))

def linkable(ctx, toolchain, syclbin, state):
    """The providers by which other targets link the code of a SYCLBIN.

    The action belongs to the target that makes the SYCLBIN, so that it runs once for
    all targets that link it, and not at all without one.

    Args:
        ctx: the rule context.
        toolchain: SyclToolchainInfo.
        syclbin: the SYCLBIN's File.
        state: its state, empty when it depends on what the file imports.
    Returns:
        list of SyclDeviceInfo: none when the file cannot be linked.
    """
    if state == "executable" or toolchain.llvm_spirv.missing:
        return []
    source = struct(
        module = syclbin.short_path,
        bitcode = import_action(ctx, toolchain, syclbin, "%s.device/%s" % (ctx.label.name, ctx.label.name)),
        compiler = compiler_name(toolchain),
        gpu_bitcode = struct(),
    )
    return [SyclDeviceInfo(sources = depset([source]))]

def output_stem(ctx, module):
    """Path of a source's outputs below the rule's package, without extension.

    Args:
        ctx: the rule context.
        module: the source's module id.
    Returns:
        string.
    """
    prefix = ctx.label.package + "/" if ctx.label.package else ""
    path = module[len(prefix):] if module.startswith(prefix) else module
    return "%s.device/%s" % (ctx.label.name, path.replace("../", "_/"))
