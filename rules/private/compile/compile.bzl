"""Functions that the rules for SYCL sources share."""

load("@rules_cc//cc/common:cc_common.bzl", "cc_common")
load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")
load("//rules:providers.bzl", "SyclDeviceInfo", "SyclbinInfo")
load("//rules/private/actions:compile.bzl", "compile_action")
load("//rules/private/actions:link.bzl", "import_action")
load("//rules/private/options:definitions.bzl", "check_definitions")
load("//rules/private/options:device_options.bzl", "chosen_standard", "device_line", "host_line")
load("//rules/private/options:options.bzl", "expanded_defines")
load("//rules/private/targets:gpus.bzl", "EMULATED")
load("//rules/private/targets:names.bzl", "shown", "user_label")
load(":headers.bzl", "SOURCES", "cc_of", "compilation_contexts", "implementation_contexts", "is_header", "without_module_maps")

def compile_line(ctx, toolchain):
    """Returns the options of the device compilation of a rule that compiles for devices only.

    Args:
        ctx: the context of a rule with SOURCE_ATTRS.
        toolchain: SyclToolchainInfo.
    Returns:
        the result of device_line.
    """
    cc = without_module_maps(ctx, cc_of(ctx, mandatory = False))
    return device_line(host_line(ctx, cc), chosen_standard(ctx), bool(toolchain.dpcpp))

def compile_sources(ctx, toolchain, options, line, host = None, families = [], post_link = None):
    """Declares the compilation of a rule's own sources.

    Args:
        ctx: the context of a rule with SOURCE_ATTRS.
        toolchain: SyclToolchainInfo.
        options: the result of read_options.
        line: the result of device_line.
        host: the result of host_compiler if a host compiler compiles the sources, too.
        families: additional families of GPUs, from gpus.bzl, to compile for.
        post_link: the result of post_link_options in images.bzl if the code of each source
            is independent; else None.
    Returns:
        struct(context, contexts, local_defines, own, compiled): the compilation context for
        dependents; the compilation contexts for the rule's sources; the rule's own
        definitions; the structs of SyclDeviceInfo for the rule's own sources; and a list of
        struct(source, bitcode, header, footer, compare), as compile_action returns them.
    """
    check_definitions(ctx)
    local_defines = expanded_defines(ctx, "local_defines") + _runfiles_define(ctx)
    libsycl = [toolchain.libsycl[CcInfo].compilation_context] if host else []
    headers = compilation_contexts(ctx, libsycl, local_defines)
    context = headers.exported
    contexts = implementation_contexts(ctx, context)
    own_options = struct(
        context = cc_common.merge_compilation_contexts(compilation_contexts = implementation_contexts(ctx, headers.own)),
        local_defines = local_defines,
        line = line,
        copts = (host.device_options if host else []) + options.device,
        apart = options.apart,
    )
    own = {}
    compiled = []

    # Clang's bitcode does not depend on the emulation.
    others = ([EMULATED] if options.emulate else []) if toolchain.dpcpp else families
    for source in ctx.files.srcs:
        if source.is_directory:
            source = _united(ctx, source)

        # A rule in srcs can have other outputs in addition to sources. DPC++ does not compile
        # sources that are only for the host.
        if "." + source.extension not in SOURCES:
            continue

        # DPC++'s module id: the path of the source in the workspace.
        module = source.short_path
        host_name = host_stem(ctx, len(compiled), source) if host else None
        out = compile_action(ctx, toolchain, source, output_stem(ctx, module), own_options, host_name, post_link = post_link)
        compiled.append(struct(source = source, bitcode = out.bitcode, header = out.header, footer = out.footer, compare = out.compare))
        own[module] = struct(
            module = module,
            bitcode = out.bitcode,
            compiler = compiler_name(toolchain),
            header = out.header,
            images = out.images,
            # Actions run only for families that a target needs.
            gpu_bitcode = struct(**({
                f.name: compile_action(ctx, toolchain, source, "%s.%s" % (output_stem(ctx, module), f.name), own_options, family = f).bitcode
                for f in others
            } | ({EMULATED.name: out.bitcode} if options.emulate and not toolchain.dpcpp else {}))),
        )
    return struct(
        context = context,
        contexts = contexts,
        local_defines = local_defines,
        own = own.values(),
        compiled = compiled,
    )

def _united(ctx, directory):
    """Returns a source that includes all sources of a directory, whose names are known when actions run."""
    out = ctx.actions.declare_file("%s.sources/%s.cpp" % (ctx.label.name, path_in_repository(directory)))
    lines = ctx.actions.args()
    lines.set_param_file_format("multiline")
    lines.add_all([directory], map_each = _inclusion)
    ctx.actions.write(out, lines)
    return out

def _inclusion(file):
    """Returns the line that includes a file of a directory, None for a header."""
    if "." + file.extension in SOURCES:
        return "#include \"%s\"" % path_in_repository(file)
    if is_header(file):
        return None
    return "#error %s: directories in srcs can contain C++ sources and headers; list other files one by one" % file.basename

# Bazel's runfiles libraries, which need the name of the source's repository.
_RUNFILES = [Label("@bazel_tools//tools/cpp/runfiles"), Label("@rules_cc//cc/runfiles")]

def _runfiles_define(ctx):
    """Returns the definition for sources that use such a library, as in `cc_library`."""
    if [dep for dep in all_deps(ctx) if dep.label in _RUNFILES]:
        return ["BAZEL_CURRENT_REPOSITORY=\"%s\"" % ctx.label.repo_name]
    return []

def compiler_name(toolchain):
    """Returns a unique name for the device compiler of a SyclToolchainInfo.

    Args:
        toolchain: SyclToolchainInfo.
    Returns:
        string, which errors show.
    """
    if toolchain.dpcpp:
        return "DPC++ " + toolchain.dpcpp.version
    program = toolchain.clang.executable
    return getattr(program, "short_path", program) or "clang"

def all_deps(ctx):
    """Returns all dependencies of a rule with SOURCE_ATTRS, including implementation_deps."""
    return ctx.attr.deps + getattr(ctx.attr, "implementation_deps", [])

def runfiles_of(ctx):
    """Returns the files that programs with the code of a rule with SOURCE_ATTRS need at run time.

    Args:
        ctx: the rule context.
    Returns:
        runfiles.
    """
    return ctx.runfiles(ctx.files.data).merge_all(
        [target[DefaultInfo].default_runfiles for target in ctx.attr.data] +
        # A SYCLBIN that is linked in is not loaded at run time.
        [dep[SyclbinInfo].runfiles if SyclbinInfo in dep else dep[DefaultInfo].default_runfiles for dep in all_deps(ctx)],
    )

def dependencies_code(ctx, toolchain):
    """Returns the device code of all dependencies of a rule with SOURCE_ATTRS: list of depset."""
    return [device_code(ctx, toolchain, dep) for dep in all_deps(ctx) if SyclDeviceInfo in dep or SyclbinInfo in dep]

def device_code(ctx, toolchain, dep):
    """Returns the device code of a dependency.

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
        fail("%s: deps: %s is a SYCLBIN in executable state, which cannot be linked; set its state = \"object\"" % (user_label(ctx), shown(dep.label)))
    fail("%s: deps: the SYCLBIN %s cannot be linked: %s" % (
        user_label(ctx),
        shown(dep.label),
        _lacking(toolchain) or "its toolchain lacks llvm-spirv, llvm-dis or llvm-link",
    ))

def _lacking(toolchain):
    """Returns why SYCLBINs cannot be linked, or an empty string."""
    return toolchain.llvm_spirv.missing or toolchain.llvm_dis.missing or toolchain.llvm_link.missing

def linkable(ctx, toolchain, syclbin, state):
    """Returns the providers with which other targets link the code of a SYCLBIN.

    The action belongs to the target that builds the SYCLBIN, so that it runs once for
    all targets that link it, and only if there is such a target.

    Args:
        ctx: the rule context.
        toolchain: SyclToolchainInfo.
        syclbin: the SYCLBIN's File.
        state: its state. Empty if it depends on what the file imports.
    Returns:
        list of SyclDeviceInfo. Empty if the file cannot be linked.
    """
    if state == "executable" or _lacking(toolchain):
        return []
    source = struct(
        module = syclbin.short_path,
        bitcode = import_action(ctx, toolchain, syclbin, "%s.device/%s" % (ctx.label.name, ctx.label.name)),
        compiler = compiler_name(toolchain),
        header = None,
        images = None,
        gpu_bitcode = struct(),
    )
    return [SyclDeviceInfo(sources = depset([source]))]

def host_stem(ctx, i, source):
    """Returns the path of the files that replace a source in the host compilation.

    It ends with the source's path, so that the patterns of --per_file_copt match it. The number
    distinguishes sources with the same path in different repositories.

    Args:
        ctx: the rule context.
        i: number of the source.
        source: its File.
    Returns:
        string: a path below the rule's package.
    """
    return "%s.host/%d/%s" % (ctx.label.name, i, path_in_repository(source))

def path_in_repository(file):
    """Returns the path of a File relative to the root of its repository, or of its outputs."""
    path = file.short_path
    return path.split("/", 2)[2] if path.startswith("../") else path

def output_stem(ctx, path):
    """Returns the path of a source's outputs below the rule's package, without extension.

    Args:
        ctx: the rule context.
        path: the source's path, as short_path of its File.
    Returns:
        string.
    """
    repository = "../%s/" % ctx.label.repo_name if ctx.label.repo_name else ""
    package = repository + (ctx.label.package + "/" if ctx.label.package else "")
    if path.startswith(package) and not path.startswith(package + "../"):
        below = path.removeprefix(package)
    else:
        # The outputs for a source in another package must not conflict with this package's.
        below = "_/" + path.replace("../", "_/")
    return "%s.device/%s" % (ctx.label.name, below)
