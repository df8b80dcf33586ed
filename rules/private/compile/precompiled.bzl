"""Objects and libraries in `srcs`, which are linked as in `cc_library`."""

load("@rules_cc//cc/common:cc_common.bzl", "cc_common")
load("//rules/private/targets:names.bzl", "shown", "user_label")
load(":headers.bzl", "HEADERS", "HOST_SOURCES", "SOURCES")

# Extensions of linker scripts in deps.
LINKER_SCRIPTS = [".ld", ".lds", ".ldscript"]

_OBJECTS = (".o", ".obj")

# Extensions of libraries: their kinds of library, longer extensions first.
_LIBRARIES = {
    ".nopic.a": "static",
    ".pic.a": "pic_static",
    ".pic.lo": "pic_alwayslink",
    ".a": "static",
    ".dll": "dynamic",
    ".dylib": "dynamic",
    ".lib": "static",
    ".lo": "alwayslink",
    ".so": "dynamic",
}

def _library_of(file):
    """Returns struct(name, kind) for a library, and None for other files."""
    path = file.short_path
    for extension, kind in _LIBRARIES.items():
        if path.endswith(extension):
            return struct(name = path.removesuffix(extension), kind = kind)
    for extension in [".so.", ".dylib."]:
        name, _, version = path.rpartition(extension)
        if name and version and not [part for part in version.split(".") if not part[:1].isdigit()]:
            return struct(name = path, kind = "dynamic")
    return None

def _is_supported(file):
    return file.is_directory or "." + file.extension in SOURCES + HEADERS + HOST_SOURCES or file.basename.endswith(_OBJECTS) or bool(_library_of(file))

def check_srcs(ctx):
    """Fails if an entry of `srcs` has no file that the rule compiles, includes or links.

    Args:
        ctx: the context of a rule with PROGRAM_ATTRS.
    """
    for target in ctx.attr.srcs:
        files = target[DefaultInfo].files.to_list()
        if not [f for f in files if _is_supported(f)]:
            fail("%s: srcs: %s %s; rename C++ sources to end with %s, and add files that the program reads to data, and files that compilations read to additional_compiler_inputs or textual_hdrs" % (
                user_label(ctx),
                shown(target.label),
                "is not a source, header, object or library" if [f for f in files if f.is_source and f.owner == target.label] else "has no sources, headers, objects or libraries",
                " or ".join([", ".join(SOURCES[:-1]), SOURCES[-1]]),
            ))

def precompiled(ctx, cc):
    """Returns the objects and libraries in `srcs`.

    Args:
        ctx: the context of a rule with PROGRAM_ATTRS.
        cc: struct(toolchain, features): the C++ toolchain.
    Returns:
        struct(dynamic, libraries, outputs): the Files of shared libraries, the LibraryToLinks, and
        the CcCompilationOutputs with the objects.
    """
    objects = [f for f in ctx.files.srcs if f.basename.endswith(_OBJECTS)]

    # Files that differ only in the extension are forms of one library.
    forms = {}
    for file in ctx.files.srcs:
        library = _library_of(file)
        if library:
            other = forms.setdefault(library.name, {}).setdefault(library.kind, file)
            if other != file:
                fail("%s: srcs: %s and %s are the same library; remove one of them" % (user_label(ctx), other.short_path, file.short_path))
    libraries = [
        cc_common.create_library_to_link(
            actions = ctx.actions,
            alwayslink = "alwayslink" in form or "pic_alwayslink" in form,
            cc_toolchain = cc.toolchain,
            dynamic_library = form.get("dynamic"),
            feature_configuration = cc.features,
            pic_static_library = form.get("pic_static", form.get("pic_alwayslink")),
            static_library = form.get("static", form.get("alwayslink")),
        )
        for form in forms.values()
    ]
    return struct(
        dynamic = [library.dynamic_library for library in libraries if library.dynamic_library and not library.static_library and not library.pic_static_library],
        libraries = libraries,
        outputs = cc_common.create_compilation_outputs(
            objects = depset(objects),
            # As in cc_library, all other objects are position-independent.
            pic_objects = depset([f for f in objects if not f.basename.endswith(".nopic.o")]),
        ),
    )

def linker_scripts(ctx):
    """Returns the linker scripts in `deps`: list of File."""
    return [f for f in ctx.files.deps if "." + f.extension in LINKER_SCRIPTS]
