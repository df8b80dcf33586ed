"""The C++ toolchain that builds SYCL: the toolchain that Bazel configures, with the feature `sycl`."""

load("@bazel_skylib//rules:common_settings.bzl", "BuildSettingInfo")
load("@rules_cc//cc:action_names.bzl", "ACTION_NAMES")
load("@rules_cc//cc:cc_toolchain_config_lib.bzl", "action_config", "feature", "feature_set", "flag_group", "flag_set", "tool", "tool_path", "with_feature_set")
load("@rules_cc//cc/common:cc_common.bzl", "cc_common")
load("@rules_cc//cc/toolchains:cc_toolchain.bzl", "cc_toolchain")
load("@rules_cc//cc/toolchains:cc_toolchain_config_info.bzl", "CcToolchainConfigInfo")
load("//rules/private/options:settings.bzl", "chosen_targets")

# The name of the cc_toolchain in the repository.
CC_TOOLCHAIN = "sycl_cc_toolchain"

_CPP = [
    ACTION_NAMES.cpp_compile,
    ACTION_NAMES.cpp_header_parsing,
    ACTION_NAMES.cpp_module_codegen,
    ACTION_NAMES.cpp_module_compile,
    ACTION_NAMES.linkstamp_compile,
]

_COMPILE = _CPP + [
    ACTION_NAMES.assemble,
    ACTION_NAMES.c_compile,
    ACTION_NAMES.clif_match,
    ACTION_NAMES.lto_backend,
    ACTION_NAMES.preprocess_assemble,
]

_LINK = [
    ACTION_NAMES.cpp_link_dynamic_library,
    ACTION_NAMES.cpp_link_executable,
    ACTION_NAMES.cpp_link_nodeps_dynamic_library,
]

_IN_LINK = [
    "strip_debug_symbols",
    "linkstamps",
    "output_execpath_flags",
    "runtime_library_search_directories",
    "library_search_directories",
    "libraries_to_link",
    "force_pic_flags",
    "user_link_flags",
    "legacy_link_flags",
    "linker_param_file",
    "fission_support",
    "sysroot",
]

_IN_LIBRARY = [
    "build_interface_libraries",
    "dynamic_library_linker_tool",
    "shared_flag",
]

# Action of syclc++ in targets with the feature sycl -> Bazel's own features, which the action
# has in every toolchain.
_ACTIONS = {
    ACTION_NAMES.cpp_compile: [
        "legacy_compile_flags",
        "sysroot",
        "compiler_input_flags",
        "compiler_output_flags",
    ],
    ACTION_NAMES.cpp_link_dynamic_library: _IN_LIBRARY + _IN_LINK,
    ACTION_NAMES.cpp_link_executable: _IN_LINK,
    ACTION_NAMES.cpp_link_nodeps_dynamic_library: _IN_LIBRARY + _IN_LINK,
}

_SANITIZERS = {
    "asan": "address",
    "tsan": "thread",
    "ubsan": "undefined",
}

def _flags(actions, flags, features = [], without = []):
    """Returns a list of one flag_set, or an empty list if there are no flags."""
    if not flags:
        return []
    return [flag_set(
        actions = actions,
        flag_groups = [flag_group(flags = flags)],
        with_features = [with_feature_set(features = features, not_features = without)] if features or without else [],
    )]

def _each(actions, variable, flags):
    """Returns a flag_set with flags for each value of a variable."""
    return flag_set(actions = actions, flag_groups = [flag_group(
        expand_if_available = variable,
        flags = flags,
        iterate_over = variable,
    )])

def _layering_check(compiler, more):
    """Returns the features of clang's check that a target includes only headers of its deps.

    libsycl-jit, and the headers that precede libsycl's, do not support module maps.
    """
    if compiler != "clang":
        return []
    return [
        feature(name = "module_maps", enabled = True),
        feature(
            name = "use_module_maps",
            flag_sets = _flags(_CPP + [ACTION_NAMES.c_compile], [
                "-fmodule-name=%{module_name}",
                "-fmodule-map-file=%{module_map_file}",
            ] + more, without = ["sycl"]),
            requires = [feature_set(features = ["module_maps"])],
        ),
        feature(
            name = "layering_check",
            flag_sets = [
                flag_set(
                    actions = _CPP + [ACTION_NAMES.c_compile],
                    flag_groups = [
                        flag_group(flags = ["-fmodules-strict-decluse", "-Wprivate-header"]),
                        flag_group(
                            flags = ["-fmodule-map-file=%{dependent_module_map_files}"],
                            iterate_over = "dependent_module_map_files",
                        ),
                    ],
                    with_features = [with_feature_set(not_features = ["sycl"])],
                ),
            ],
            implies = ["use_module_maps"],
        ),
    ]

def _config_impl(ctx):
    a = ctx.attr
    targets = "-fsycl-targets=" + ",".join(chosen_targets(ctx, []))
    overridden = ctx.attr._override_sycl_targets[BuildSettingInfo].value
    sycl = _flags(
        _ACTIONS.keys(),
        ["-fsycl", "-fsycl-host-compiler=" + a.tool_paths["gcc"]] + ([] if overridden else [targets]),
    ) + _flags([ACTION_NAMES.cpp_compile], ["-std=c++17"])
    features = [
        # Bazel selects these with -c and similar options.
        feature(name = name)
        for name in ["dbg", "fastbuild", "opt", "static_linking_mode", "dynamic_linking_mode"]
    ] + [
        feature(name = name, enabled = True)
        for name in ["archive_param_file", "gcc_quoting_for_param_files", "supports_dynamic_linker", "supports_pic"] +
                    (["supports_start_end_lib"] if a.supports_start_end_lib else [])
    ] + [
        feature(
            name = "default_compile_flags",
            enabled = True,
            # Some distributions enable it by default, which only prints a warning without -O.
            flag_sets = _flags(_COMPILE, ["-U_FORTIFY_SOURCE"] + a.compile_flags) +
                        _flags(_COMPILE, a.dbg_compile_flags, features = ["dbg"]) +
                        _flags(_COMPILE, a.opt_compile_flags, features = ["opt"]) +
                        _flags([ACTION_NAMES.c_compile], a.conly_flags) +
                        _flags(_CPP + [ACTION_NAMES.lto_backend], a.cxx_flags),
        ),
        feature(
            name = "default_link_flags",
            enabled = True,
            flag_sets = _flags(_LINK, a.link_flags) +
                        _flags(_LINK, a.opt_link_flags, features = ["opt"]),
        ),
        feature(
            name = "external_include_paths",
            flag_sets = [_each(_CPP + [ACTION_NAMES.c_compile], "external_include_paths", ["-isystem", "%{external_include_paths}"])],
        ),
        feature(
            name = "treat_warnings_as_errors",
            flag_sets = _flags(_CPP + [ACTION_NAMES.c_compile], ["-Werror"]) + _flags(_LINK, ["-Wl,-fatal-warnings"]),
        ),
        feature(
            name = "coverage",
            flag_sets = _flags(_COMPILE, a.coverage_compile_flags) + _flags(_LINK, a.coverage_link_flags),
            provides = ["profile"],
        ),
    ] + [
        feature(
            name = name,
            flag_sets = _flags(_COMPILE, ["-fsanitize=" + kind, "-fno-omit-frame-pointer", "-fno-common", "-fno-sanitize-recover=all"]) + _flags(_LINK, ["-fsanitize=" + kind]),
        )
        for name, kind in _SANITIZERS.items()
    ] + _layering_check(a.compiler, a.use_module_maps_flags) + [
        feature(name = "sycl", flag_sets = sycl),
        # The name of the feature in toolchains for icpx, such as oneDAL's.
        feature(name = "dpc++", implies = ["sycl"]),
        feature(
            name = "user_compile_flags",
            enabled = True,
            flag_sets = [_each(_COMPILE, "user_compile_flags", ["%{user_compile_flags}"])],
        ),
        feature(
            name = "override_sycl_targets",
            enabled = True,
            flag_sets = _flags(_ACTIONS.keys(), [targets] if overridden else [], features = ["sycl"]),
        ),
        feature(
            name = "unfiltered_compile_flags",
            enabled = True,
            flag_sets = _flags(_COMPILE, a.unfiltered_compile_flags),
        ),
        feature(
            name = "default_link_libs",
            enabled = True,
            flag_sets = _flags(_LINK, a.link_libs),
        ),
    ]
    return cc_common.create_cc_toolchain_config_info(
        ctx = ctx,
        abi_libc_version = a.abi_libc_version,
        abi_version = a.abi_version,
        action_configs = [
            action_config(
                action_name = action,
                implies = implies,
                tools = [
                    tool(tool = ctx.executable.syclcxx, with_features = [with_feature_set(features = ["sycl"])]),
                    tool(path = a.tool_paths["gcc"]),
                ],
            )
            for action, implies in _ACTIONS.items()
        ],
        compiler = a.compiler,
        cxx_builtin_include_directories = a.cxx_builtin_include_directories,
        features = features,
        host_system_name = a.host_system_name,
        target_cpu = a.cpu,
        target_libc = a.target_libc,
        target_system_name = a.target_system_name,
        tool_paths = [tool_path(name = name, path = path) for name, path in a.tool_paths.items()],
        toolchain_identifier = a.toolchain_identifier,
    )

# The attributes that the BUILD file of Bazel's own toolchain sets.
_STRINGS = ["abi_libc_version", "abi_version", "compiler", "cpu", "host_system_name", "target_libc", "target_system_name", "toolchain_identifier"]
_LISTS = ["compile_flags", "conly_flags", "coverage_compile_flags", "coverage_link_flags", "cxx_builtin_include_directories", "cxx_flags", "dbg_compile_flags", "link_flags", "link_libs", "opt_compile_flags", "opt_link_flags", "unfiltered_compile_flags"]

_config = rule(
    implementation = _config_impl,
    attrs = {name: attr.string() for name in _STRINGS} | {name: attr.string_list() for name in _LISTS} | {
        "supports_start_end_lib": attr.bool(),
        "syclcxx": attr.label(cfg = "exec", executable = True, mandatory = True),
        "tool_paths": attr.string_dict(),
        "use_module_maps_flags": attr.string_list(),
        "_override_sycl_targets": attr.label(default = "//rules/settings:override_sycl_targets"),
        "_sycl_targets": attr.label(default = "//rules/settings:sycl_targets"),
    },
    provides = [CcToolchainConfigInfo],
)

def sycl_cc_toolchain_config(name, extra_flags_per_feature = {}, supports_start_end_lib = False, tool_paths = {}, **kwargs):
    """Replaces cc_toolchain_config in the BUILD file of Bazel's own toolchain.

    Args:
        name: name of the configuration.
        extra_flags_per_feature: dict of feature -> list of flags.
        supports_start_end_lib: whether the linker supports --start-lib.
        tool_paths: dict of tool -> path.
        **kwargs: other attributes. Attributes for compilers that do not build SYCL are ignored.
    """
    _config(
        name = name,
        supports_start_end_lib = supports_start_end_lib,
        syclcxx = "@sycl_toolchains//:syclc++",
        tool_paths = tool_paths,
        use_module_maps_flags = extra_flags_per_feature.get("use_module_maps", []),
        **{key: value for key, value in kwargs.items() if key in _STRINGS + _LISTS}
    )
    native.filegroup(
        name = CC_TOOLCHAIN + "_files",
        srcs = [":compiler_deps", "@sycl_toolchains//:syclc++"],
    )
    module_map = native.glob(["module.modulemap"], allow_empty = True)
    cc_toolchain(
        name = CC_TOOLCHAIN,
        all_files = ":%s_files" % CC_TOOLCHAIN,
        ar_files = ":compiler_deps",
        as_files = ":compiler_deps",
        compiler_files = ":%s_files" % CC_TOOLCHAIN,
        dwp_files = ":empty",
        linker_files = ":%s_files" % CC_TOOLCHAIN,
        module_map = module_map[0] if module_map else None,
        objcopy_files = ":empty",
        strip_files = ":empty",
        supports_param_files = True,
        toolchain_config = ":" + name,
        toolchain_identifier = kwargs.get("toolchain_identifier", ""),
        visibility = ["//visibility:public"],
    )

_LOAD = "load(\":cc_toolchain_config.bzl\", \"cc_toolchain_config\")"
_LOAD_OWN = "load(\"@rules_sycl//rules/private/toolchain:cc_toolchain.bzl\", cc_toolchain_config = \"sycl_cc_toolchain_config\")"

def _sycl_cc_repository_impl(rctx):
    found = rctx.path(rctx.attr._found)
    text = rctx.read(found)
    if text.count(_LOAD) != 1 or text.count("\ncc_toolchain_config(") != 1:
        fail("the C++ toolchain with the feature sycl is derived from the toolchain that Bazel configures, and %s has neither gcc nor clang; unset BAZEL_DO_NOT_DETECT_CPP_TOOLCHAIN, or see docs/build/plain-cc.md of rules_sycl to run syclc++ in your own C++ toolchain" % found)
    for file in found.dirname.readdir():
        if file.basename not in [found.basename, "MODULE.bazel", "REPO.bazel", "WORKSPACE", "WORKSPACE.bazel"]:
            rctx.symlink(file, file.basename)
    rctx.file("BUILD.bazel", text.replace(_LOAD, _LOAD_OWN))

sycl_cc_repository = repository_rule(
    implementation = _sycl_cc_repository_impl,
    doc = "The package of Bazel's own C++ toolchain, with sycl_cc_toolchain_config.",
    attrs = {
        "_found": attr.label(default = "@local_config_cc//:BUILD"),
    },
)
