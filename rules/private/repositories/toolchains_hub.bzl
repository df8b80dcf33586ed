"""The repository @sycl_toolchains of the `sycl` extension, which registers the toolchains."""

load("@bazel_skylib//rules:common_settings.bzl", "BuildSettingInfo")
load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")
load("//rules:providers.bzl", "SyclRuntimeInfo")
load("//rules:toolchain.bzl", "sycl_toolchain")
load("//rules/private/targets:names.bzl", "is_own_target", "nearest_names")
load("//rules/private/toolchain:cc_toolchain.bzl", "CC_TOOLCHAIN")
load("//rules/private/toolchain:reason.bzl", "NOTHING")
load(":sycl_runtime_versions.bzl", "DEFAULT_RUNTIME")

_FLAG = Label("//rules/settings:device_compiler")
_TYPE = Label("//rules/toolchain:toolchain_type")
_CC_TYPE = "@bazel_tools//tools/cpp:toolchain_type"
_CC_IS_ON = Label("//rules/settings:cc_toolchain_is_on")

# Values of the flag that are not names of repositories.
RESERVED_COMPILERS = ["auto", "chosen", "clang", "missing", "unknown", "unknown_compiler"]

# Repositories that the extension creates without a tag, and the prefixes of other names.
_OWN_REPOSITORIES = ["sycl_cc", "sycl_local", "sycl_toolchains", "sycl_tools"]
_OWN_PREFIXES = ("sycl_local_", "sycl_tools_")

# The repository of a sycl.runtime tag without a name.
DEFAULT_RUNTIME_REPOSITORY = "sycl_runtime"

_EXEC_LINUX = ["@platforms//os:linux"]
_EXEC_X86 = ["@platforms//cpu:x86_64"]

# The value of the flag if no toolchain has that name.
_UNKNOWN = "unknown"

def _chosen_impl(ctx):
    value = ctx.attr._flag[BuildSettingInfo].value
    if value == "auto":
        value = ctx.attr.names[0]
    return [config_common.FeatureFlagInfo(value = value if value in ctx.attr.names else _UNKNOWN)]

_chosen = rule(
    implementation = _chosen_impl,
    doc = "Resolves the flag to one of the names (auto to the first), which config_settings match.",
    attrs = {
        "names": attr.string_list(),
        "_flag": attr.label(default = _FLAG),
    },
)

def _unknown_compiler_impl(ctx):
    value = ctx.attr._flag[BuildSettingInfo].value
    near = nearest_names(value, ctx.attr.names)
    return [platform_common.ToolchainInfo(
        # Targets with an unknown compiler are not skipped.
        sycl = struct(libsycl = None, missing = "", ocloc = struct(missing = "")),
        unknown = "unknown device compiler %r%s The attribute device_compiler and the flag --@rules_sycl//rules/settings:device_compiler accept: %s. The sycl.dpcpp, sycl.local and sycl.toolchain tags in the MODULE.bazel of the root module add names" % (
            value,
            "; did you mean %s?" % " or ".join(near) if near else ".",
            ", ".join(["auto"] + ctx.attr.names),
        ),
    )]

_unknown_compiler = rule(
    implementation = _unknown_compiler_impl,
    doc = "The toolchain for an unknown value. find_sycl_toolchain fails for it, so that the error names the target.",
    attrs = {
        "names": attr.string_list(),
        "_flag": attr.label(default = _FLAG),
    },
)

def check_repository(kind, name):
    """Fails if the name of a tag is not a valid name for a repository with a runtime.

    The repository also has a target with this name.

    Args:
        kind: runtime or dpcpp.
        name: the name.
    """
    if name in _OWN_REPOSITORIES or name.startswith(_OWN_PREFIXES) or name in RESERVED_COMPILERS or is_own_target(name):
        fail("sycl.%s: the name %r is reserved; use a different name" % (kind, name))

def declare_toolchains(name, local, dpcpp, others = {}, missing = {}, syclcxx = {}, libsycl = {}, runtime = None):
    """Declares the toolchains that the flag selects from.

    Args:
        name: name of the target that states which one is selected.
        local: dict of name -> label of a sycl_toolchain of installed programs, clang first.
        dpcpp: dict of repository -> label of its sycl_toolchain, the default first.
        others: dict of name -> label of a sycl_toolchain, for any system.
        missing: dict of compiler -> label of a constraint whose name states why it is missing,
            for the alias `missing`. Not declared if empty.
        syclcxx: dict of repository -> label of its syclc++, for the alias `syclc++`. Not
            declared if empty.
        libsycl: dict of repository -> label of its libsycl, for the aliases `libsycl` and `sycl`.
        runtime: label of the libsycl of a sycl.runtime tag, or None.
    """
    toolchains = dpcpp | local | others
    _chosen(name = name, names = toolchains.keys())
    _unknown_compiler(name = "unknown_compiler", names = toolchains.keys(), tags = ["manual"])
    for compiler, toolchain in (toolchains | {_UNKNOWN: ":unknown_compiler"}).items():
        native.config_setting(
            name = compiler + "_is_chosen",
            flag_values = {name: compiler},
        )
        native.toolchain(
            name = compiler,
            exec_compatible_with = (_EXEC_LINUX if compiler in local or compiler in dpcpp else []) + (_EXEC_X86 if compiler in dpcpp else []),
            target_settings = [":%s_is_chosen" % compiler],
            toolchain = toolchain,
            toolchain_type = _TYPE,
        )

    if syclcxx:
        native.alias(
            name = "syclc++",
            actual = select({
                ":%s_is_chosen" % compiler: label
                for compiler, label in syclcxx.items()
            }, no_match_error = "syclc++ runs DPC++, but the flag device_compiler selects a different compiler"),
            tags = ["manual"],  # it may match nothing
            visibility = ["//visibility:public"],
        )

        # For all programs of a project that does not name libsycl in BUILD files, but not for the
        # tools of the toolchain that builds them.
        native.alias(
            name = "libsycl",
            actual = select({
                _CC_IS_ON: ":libsycl_of_chosen",
                "//conditions:default": "@bazel_tools//tools/cpp:empty_lib",
            }),
            visibility = ["//visibility:public"],
        )
        native.alias(
            name = "libsycl_of_chosen",
            actual = select({
                ":%s_is_chosen" % compiler: label
                for compiler, label in libsycl.items()
            } | {"//conditions:default": "@bazel_tools//tools/cpp:empty_lib"}),
        )
    _no_libsycl(name = "no_libsycl", tags = ["manual"])
    native.alias(
        name = "sycl",
        actual = select({
            ":%s_is_chosen" % compiler: label
            for compiler, label in libsycl.items()
        } | {"//conditions:default": runtime or (libsycl.values() + [":no_libsycl"])[0]}),
        tags = ["manual"],  # it may be a target that fails
        visibility = ["//visibility:public"],
    )
    if missing:
        native.alias(
            name = "missing",
            actual = select({":%s_is_chosen" % compiler: label for compiler, label in missing.items()} | {
                "//conditions:default": Label("//rules/toolchain:nothing_to_compile_with"),
            }),
            visibility = ["//visibility:public"],
        )

def _no_libsycl_impl(_ctx):
    fail("@rules_sycl//:sycl: no DPC++ and no runtime; add these lines to the root module's MODULE.bazel: sycl = use_extension(\"@rules_sycl//rules:extensions.bzl\", \"sycl\") and sycl.dpcpp(version = \"%s\")" % DEFAULT_RUNTIME)

_no_libsycl = rule(
    implementation = _no_libsycl_impl,
    doc = "Fails with the lines to add.",
    provides = [CcInfo],
)

def declare_cc_toolchains(name, dpcpp, toolchain):
    """Declares the C++ toolchain that builds SYCL, for each DPC++ that the flag can select.

    Args:
        name: prefix of the names of the toolchains.
        dpcpp: list of the repositories with DPC++.
        toolchain: label of the cc_toolchain.
    """
    for compiler in dpcpp:
        native.toolchain(
            name = "%s_with_%s" % (name, compiler),
            exec_compatible_with = _EXEC_LINUX + _EXEC_X86,
            target_compatible_with = _EXEC_LINUX + _EXEC_X86,
            target_settings = [_CC_IS_ON, "//:%s_is_chosen" % compiler],
            toolchain = toolchain,
            toolchain_type = _CC_TYPE,
        )

def declare_disabled_toolchain(name):
    """Declares the toolchain that is used if no other matches the platforms.

    Without it, targets that compile SYCL would fail there instead of being skipped.

    Args:
        name: name of the toolchain.
    """
    sycl_toolchain(
        name = name + "_impl",
        missing = {program: NOTHING for program in ["clang", "llvm_spirv"]},
        tags = ["manual"],
    )
    native.toolchain(
        name = name,
        toolchain = name + "_impl",
        toolchain_type = _TYPE,
    )

def _no_runtime_impl(ctx):
    fail("sycl_test: runtime: the default runtime @%s does not exist; %s" % (DEFAULT_RUNTIME_REPOSITORY, _no_runtime_fix(ctx.attr.repositories)))

_no_runtime = rule(
    implementation = _no_runtime_impl,
    doc = "Fails with the list of runtimes.",
    attrs = {"repositories": attr.string_list()},
    provides = [SyclRuntimeInfo],
)

def _no_runtime_fix(repositories):
    """Returns the fix if the default runtime is missing but these repositories have runtimes."""
    if repositories:
        return "set the attribute to the runtime that the program is linked to: %s" % "; or ".join([
            "runtime = \"@%s\", with use_repo(sycl, \"%s\") in MODULE.bazel" % (name, name)
            for name in repositories
        ])
    return "add these lines to MODULE.bazel, after sycl = use_extension(\"@rules_sycl//rules:extensions.bzl\", \"sycl\"): sycl.runtime(version = \"%s\") and use_repo(sycl, \"%s\")" % (DEFAULT_RUNTIME, DEFAULT_RUNTIME_REPOSITORY)

def declare_default_runtime(name, repositories):
    """Declares the runtime of tests that do not set one.

    Args:
        name: name of the target.
        repositories: dict of the name of a repository with a runtime -> its label.
    """
    actual = repositories.get(DEFAULT_RUNTIME_REPOSITORY)
    if not actual:
        actual = name + "_missing"
        _no_runtime(name = actual, repositories = repositories.keys(), tags = ["manual"])
    native.alias(
        name = name,
        actual = actual,
        tags = ["manual"],  # it may be a target that fails
        visibility = ["//visibility:public"],
    )

def _sycl_toolchains_hub_impl(rctx):
    dpcpp = {name: "@" + name for name in rctx.attr.dpcpp}
    rctx.file("BUILD.bazel", """# Generated by the sycl module extension.
load("@rules_sycl//rules/private/repositories:toolchains_hub.bzl", "declare_toolchains")

declare_toolchains(
    name = "chosen",
    dpcpp = %r,
    libsycl = %r,
    local = %r,
    missing = %r,
    others = %r,
    runtime = %r,
    syclcxx = %r,
)
""" % (
        {name: repository + "//:toolchain" for name, repository in dpcpp.items()},
        {name: repository + "//:sycl" for name, repository in dpcpp.items()},
        {name: repository + "//:toolchain" for name, repository in rctx.attr.local.items()},
        {name: repository + "//:missing" for name, repository in (dpcpp | rctx.attr.local).items()},
        rctx.attr.others,
        "@%s//:sycl" % rctx.attr.runtimes[0] if rctx.attr.runtimes else None,
        {name: repository + "//:syclc++" for name, repository in dpcpp.items()},
    ))
    rctx.file("cc/BUILD.bazel", """# Generated by the sycl module extension.
load("@rules_sycl//rules/private/repositories:toolchains_hub.bzl", "declare_cc_toolchains")

declare_cc_toolchains(
    name = "cc",
    dpcpp = %r,
    toolchain = "@sycl_cc//:%s",
)
""" % (rctx.attr.dpcpp, CC_TOOLCHAIN))
    rctx.file("runtime/BUILD.bazel", """# Generated by the sycl module extension.
load("@rules_sycl//rules/private/repositories:toolchains_hub.bzl", "declare_default_runtime")

declare_default_runtime(
    name = "runtime",
    repositories = %r,
)
""" % {name: "@" + name for name in rctx.attr.runtimes})
    rctx.file("disabled/BUILD.bazel", """# Generated by the sycl module extension.
load("@rules_sycl//rules/private/repositories:toolchains_hub.bzl", "declare_disabled_toolchain")

declare_disabled_toolchain(name = "disabled")
""")

sycl_toolchains_hub = repository_rule(
    implementation = _sycl_toolchains_hub_impl,
    doc = "Registers toolchains by their labels, so that they are only fetched when they are used.",
    attrs = {
        "dpcpp": attr.string_list(doc = "Repositories of sycl.dpcpp tags, the default first."),
        "local": attr.string_dict(doc = "Device compiler -> repository of a sycl.local tag, clang first."),
        "others": attr.string_dict(doc = "Device compiler -> label of the sycl_toolchain of a sycl.toolchain tag."),
        "runtimes": attr.string_list(doc = "Repositories of sycl.runtime and sycl.dpcpp tags."),
    },
)
