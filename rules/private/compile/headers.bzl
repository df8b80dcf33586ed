"""Headers and include directories of a target's sources."""

load("@bazel_skylib//lib:paths.bzl", "paths")
load("@rules_cc//cc:find_cc_toolchain.bzl", "find_cc_toolchain")
load("@rules_cc//cc/common:cc_common.bzl", "cc_common")
load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")
load("//rules/private/options:options.bzl", "expanded_defines", "expanded_texts")
load("//rules/private/targets:names.bzl", "user_label")

# Extensions of sources.
SOURCES = [".cpp", ".cc", ".cxx", ".c++", ".C"]

# Extensions of sources for the host only, which only ordinary SYCL programs have.
C_SOURCES = [".c"]
ASSEMBLER_SOURCES = [".s", ".S", ".asm"]
HOST_SOURCES = C_SOURCES + ASSEMBLER_SOURCES

# Extensions of headers in srcs.
HEADERS = [".h", ".hh", ".hpp", ".hxx", ".h++", ".inc", ".inl", ".ipp", ".tcc", ".tlh", ".tli", ".H"]

def is_header(file):
    """Returns whether a file in srcs is a header."""
    return "." + file.extension in HEADERS

def compilation_contexts(ctx, libsycl, local_defines):
    """Returns the headers and include directories of a rule with SOURCE_ATTRS.

    They are the same as for a `cc_library` with the same attributes, with a module map if the C++
    toolchain supports module maps.

    Args:
        ctx: the rule context.
        libsycl: list with the C++ compilation context of libsycl, for dependents; empty for rules
            that compile for devices only.
        local_defines: definitions for the target only.
    Returns:
        struct(exported, own): the C++ compilation contexts for the host compilation and for
        dependents, and for the device compilation, which finds libsycl's headers by itself.
    """
    roots = _roots(ctx)
    moved = _moved_headers(ctx)

    # A directory in srcs can contain headers, and the source that includes its sources reads it.
    private = [f for f in ctx.files.srcs if is_header(f) or f.is_directory]
    directories = {
        "includes": moved.directories,
        "quote_includes": roots,
        "system_includes": [
            paths.normalize(paths.join(root, directory))
            for directory in [_include_directory(ctx, include) for include in expanded_texts(ctx, "includes")]
            for root in roots
        ],
    }
    defines = expanded_defines(ctx, "defines")
    deps = _contexts(ctx.attr.deps)

    own = cc_common.merge_compilation_contexts(compilation_contexts = [
        cc_common.create_compilation_context(
            # Dependents get private headers, too: public headers include them.
            headers = depset(ctx.files.hdrs + ctx.files.textual_hdrs + private + moved.headers),
            **{name: depset(each) for name, each in directories.items()}
        ),
    ] + deps + [
        # Like in cc_library, the target's definitions follow those of its dependencies.
        cc_common.create_compilation_context(defines = depset(defines)),
    ])

    # The host compiler may not be able to parse headers for devices.
    cc = cc_of(ctx, unsupported = ["parse_headers"], mandatory = False)
    if cc:
        context, _ = cc_common.compile(
            actions = ctx.actions,
            cc_toolchain = cc.toolchain,
            compilation_contexts = deps + libsycl,
            defines = defines,
            local_defines = local_defines,
            feature_configuration = cc.features,
            name = ctx.label.name,
            private_hdrs = private,
            public_hdrs = ctx.files.hdrs + moved.headers,
            textual_hdrs = ctx.files.textual_hdrs,
            **directories
        )
        return struct(exported = context, own = own)
    return struct(exported = own, own = own)

def cc_of(ctx, unsupported = [], mandatory = True):
    """Returns the C++ toolchain of a rule.

    Args:
        ctx: the rule context.
        unsupported: features to turn off.
        mandatory: whether to fail if there is no toolchain.
    Returns:
        struct(toolchain, features), or None.
    """
    toolchain = find_cc_toolchain(ctx, mandatory = mandatory)
    if not toolchain:
        return None
    return struct(
        toolchain = toolchain,
        features = cc_common.configure_features(
            ctx = ctx,
            cc_toolchain = toolchain,
            requested_features = ctx.features,
            # A toolchain with the feature sycl would also compile for devices.
            unsupported_features = ctx.disabled_features + ["sycl"] + unsupported,
        ),
    )

# Features whose options name the module map of a compilation.
_MODULE_MAP_FEATURES = ["layering_check", "use_module_maps"]

def without_module_maps(ctx, cc):
    """Returns a C++ toolchain for compilations without a module map, in which these features would fail.

    A command line that is only read does not have a module map, either.

    Args:
        ctx: the rule context.
        cc: the result of cc_of, or None.
    Returns:
        a struct of the same form, or None.
    """
    if not cc or not [f for f in _MODULE_MAP_FEATURES if cc_common.is_enabled(feature_configuration = cc.features, feature_name = f)]:
        return cc
    return cc_of(ctx, unsupported = _MODULE_MAP_FEATURES)

def implementation_contexts(ctx, context):
    """Returns the headers that a rule's own sources may include, including headers of implementation_deps.

    Args:
        ctx: the rule context.
        context: the result of compilation_context.
    Returns:
        list of C++ compilation contexts whose headers the sources may include.
    """
    return [context] + _contexts(ctx.attr.deps + getattr(ctx.attr, "implementation_deps", []))

def _contexts(deps):
    return [dep[CcInfo].compilation_context for dep in deps if CcInfo in dep]

def _moved_headers(ctx):
    """Applies strip_include_prefix and include_prefix. Returns struct(headers, directories)."""
    strip, add = getattr(ctx.attr, "strip_include_prefix", ""), getattr(ctx.attr, "include_prefix", "")
    if not strip and not add:
        return struct(headers = [], directories = [])
    for name, value in [("strip_include_prefix", strip.removeprefix("/")), ("include_prefix", add)]:
        if value and (paths.is_absolute(value) or ".." in value.split("/")):
            fail("%s: %s: '%s' is not a directory in the repository; use a path without .. and, in include_prefix, without a leading /" % (user_label(ctx), name, value))
    prefix = paths.normalize(strip[1:] if strip.startswith("/") else paths.join(ctx.label.package, strip))
    virtual = "_virtual_includes/" + ctx.label.name
    headers = []
    for header in ctx.files.hdrs:
        path = header.short_path
        if path.startswith("../"):
            path = path.split("/", 2)[2]
        if prefix not in ["", "."] and not path.startswith(prefix + "/"):
            fail("%s: strip_include_prefix: the header %s is not below %s" % (user_label(ctx), path, prefix))
        below = path if prefix in ["", "."] else path[len(prefix) + 1:]
        link = ctx.actions.declare_file(paths.join(virtual, add, below))
        ctx.actions.symlink(output = link, target_file = header)
        headers.append(link)
    directory = paths.join(ctx.bin_dir.path, "" if ctx.label.workspace_root.startswith("../") else ctx.label.workspace_root, ctx.label.package, virtual)
    return struct(headers = headers, directories = [directory])

def _roots(ctx):
    """Returns the directories of the sources and the outputs of the rule's repository."""
    repository = ctx.label.workspace_root
    roots = [repository or "."]

    # With the sibling repository layout, each repository has its own output directory.
    outputs = ctx.bin_dir.path
    roots.append(outputs if repository.startswith("../") else paths.join(outputs, repository))
    return [root.removesuffix("/") for root in roots]

def _include_directory(ctx, include):
    """Returns an entry of `includes` as a path relative to the root of its repository."""
    directory = paths.normalize(paths.join(ctx.label.package, include))
    if paths.is_absolute(include) or directory == ".." or directory.startswith("../"):
        fail("%s: includes: '%s' is not a directory in the repository; use a path relative to the package" % (user_label(ctx), include))
    return directory
