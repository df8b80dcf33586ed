"""Analysis tests of the attributes that sycl_* rules share with cc_library."""

load("@bazel_skylib//lib:unittest.bzl", "analysistest", "asserts")
load("@rules_cc//cc:cc_library.bzl", "cc_library")
load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")
load("//rules:sycl_binary.bzl", "sycl_binary")
load("//rules:sycl_cc_library.bzl", "sycl_cc_library")
load("//rules:sycl_cc_test.bzl", "sycl_cc_test")
load("//rules:sycl_library.bzl", "sycl_library")
load("//rules:syclbin_link.bzl", "syclbin_link")
load("//rules/private/targets:names.bzl", "PROGRAM_SUFFIX")
load(":analysis.bzl", "COMPLETE", "DPCPP", "by_mnemonic", "make_fails_test")

def _options_impl(ctx):
    env = analysistest.begin(ctx)
    for mnemonic in ctx.attr.compiles:
        compiles = [a for a in by_mnemonic(env).get(mnemonic, []) if ".images" not in a.outputs.to_list()[0].path and ".layouts" not in a.outputs.to_list()[0].path]
        asserts.true(env, compiles, "there is no %s" % mnemonic)
        for action in compiles:
            argv = [a.replace(analysistest.target_bin_dir_path(env), "BIN") for a in action.argv]
            for want in ctx.attr.has:
                asserts.true(env, want in argv, "%s lacks %s: %s" % (mnemonic, want, argv))
            for name in ctx.attr.has_not:
                asserts.false(env, any([name in a for a in argv]), "%s has %s: %s" % (mnemonic, name, argv))
            inputs = [f.basename for f in action.inputs.to_list()]
            for want in ctx.attr.inputs if mnemonic == "SyclCompile" else []:
                asserts.true(env, want in inputs, "%s is no input of %s: %s" % (want, mnemonic, inputs))
    return analysistest.end(env)

_ATTRS = {
    "compiles": attr.string_list(doc = "mnemonics of the compiles"),
    "has": attr.string_list(doc = "arguments that each of them has"),
    "has_not": attr.string_list(doc = "texts that no argument of them has"),
    "inputs": attr.string_list(doc = "names of files that each SyclCompile reads"),
}

_options_test = analysistest.make(
    _options_impl,
    attrs = _ATTRS,
    config_settings = {"//command_line_option:extra_toolchains": COMPLETE},
)

_program_options_test = analysistest.make(
    _options_impl,
    attrs = _ATTRS,
    config_settings = {"//command_line_option:extra_toolchains": DPCPP},
)

# Definitions on the command line apply to both compiles, other options only to the host compile.
_command_line_test = analysistest.make(
    _options_impl,
    attrs = _ATTRS,
    config_settings = {
        "//command_line_option:copt": ["-DTILE=32", "-Wextra"],
        "//command_line_option:cxxopt": ["-UOLD"],
        "//command_line_option:extra_toolchains": DPCPP,
    },
)

def _sources_impl(ctx):
    env = analysistest.begin(ctx)
    compiled = {a.argv[-1].split("/")[-1]: None for a in by_mnemonic(env)["SyclCompile"]}
    asserts.equals(env, ["made.cpp"], compiled.keys())
    return analysistest.end(env)

_sources_test = analysistest.make(
    _sources_impl,
    config_settings = {"//command_line_option:extra_toolchains": COMPLETE},
)

def _directory_test_impl(ctx):
    env = analysistest.begin(ctx)
    compile = by_mnemonic(env)["SyclCompile"][0]
    asserts.true(env, compile.argv[-1].endswith("/directory_library.sources/rules/tests/sources.cpp"), "the compile reads " + compile.argv[-1])
    asserts.equals(env, ["sources"], [f.basename for f in compile.inputs.to_list() if f.is_directory])
    return analysistest.end(env)

_directory_test = analysistest.make(
    _directory_test_impl,
    config_settings = {"//command_line_option:extra_toolchains": COMPLETE},
)

def _runfiles_impl(ctx):
    env = analysistest.begin(ctx)
    runfiles = [f.basename for f in analysistest.target_under_test(env)[DefaultInfo].default_runfiles.files.to_list()]
    asserts.true(env, "numbers.txt" in runfiles, "what a linked SYCLBIN needs is no runfile: %s" % runfiles)
    asserts.false(env, "needs_data.syclbin" in runfiles, "a linked SYCLBIN is a runfile")
    return analysistest.end(env)

_runfiles_test = analysistest.make(
    _runfiles_impl,
    config_settings = {"//command_line_option:extra_toolchains": COMPLETE},
)

def _exports_impl(ctx):
    env = analysistest.begin(ctx)
    target = analysistest.target_under_test(env)
    context = target[CcInfo].compilation_context
    asserts.equals(env, ["PUBLIC=1"], context.defines.to_list())
    headers = [f.short_path for f in context.headers.to_list()]
    asserts.true(env, "rules/tests/_virtual_includes/%s/app/api.hpp" % target.label.name in headers, str(headers))
    asserts.true(env, "rules/tests/include/list.def" in headers, str(headers))
    asserts.false(env, "rules/tests/hidden.hpp" in headers, str(headers))
    bin = analysistest.target_bin_dir_path(env)
    asserts.equals(env, ["%s/rules/tests/_virtual_includes/%s" % (bin, target.label.name)], context.includes.to_list())
    asserts.equals(env, ["rules/include", bin + "/rules/include"], context.system_includes.to_list())
    runfiles = [f.basename for f in target[DefaultInfo].default_runfiles.files.to_list()]
    for want in ["numbers.txt", "more.txt"]:
        asserts.true(env, want in runfiles, "%s is no runfile: %s" % (want, runfiles))
    options = [o for i in target[CcInfo].linking_context.linker_inputs.to_list() for o in i.user_link_flags]
    asserts.equals(env, ctx.attr.linkopts, options)
    return analysistest.end(env)

_exports_test = analysistest.make(
    _exports_impl,
    attrs = {"linkopts": attr.string_list()},
    config_settings = {"//command_line_option:extra_toolchains": COMPLETE},
)

_program_exports_test = analysistest.make(
    _exports_impl,
    attrs = {"linkopts": attr.string_list()},
    config_settings = {"//command_line_option:extra_toolchains": DPCPP},
)

_CONTEXT = ["defines", "external_includes", "framework_includes", "headers", "includes", "quote_includes", "system_includes"]

def _context(target, bin):
    """Returns the fields of a target's compilation context, without parts that differ between targets."""
    context = target[CcInfo].compilation_context
    return {
        field: sorted([
            getattr(value, "path", value).replace(bin, "BIN").replace(target.label.name, "NAME")
            for value in getattr(context, field).to_list()
        ])
        for field in _CONTEXT
    }

def _same_impl(ctx):
    env = analysistest.begin(ctx)
    own = _context(analysistest.target_under_test(env), analysistest.target_bin_dir_path(env))
    cc = _context(ctx.attr.cc, ctx.bin_dir.path)
    for field in _CONTEXT:
        asserts.equals(env, cc[field], own[field], field)
    return analysistest.end(env)

# Dependents get the same headers as from a cc_library with the same attributes.
_same_test = analysistest.make(
    _same_impl,
    attrs = {"cc": attr.label(providers = [CcInfo])},
    config_settings = {"//command_line_option:extra_toolchains": COMPLETE},
)

def _unused_impl(ctx):
    env = analysistest.begin(ctx)
    argv = by_mnemonic(env)["SyclCompile"][0].argv
    candidates = [a.split("/")[-1] for a in argv[argv.index("--unused") + 2:argv.index("--")]]
    names = [a for a in candidates if not a.startswith("--")]

    # The list of other inputs starts with the source.
    asserts.equals(env, ["api.hpp"], names[:names.index("a.cpp")])
    asserts.true(env, "headers.stamp" in names, str(names))
    return analysistest.end(env)

# Files that a compiler reads without reporting them are never listed as unread headers.
_unused_test = analysistest.make(
    _unused_impl,
    config_settings = {"//command_line_option:extra_toolchains": COMPLETE},
)

def _mode_impl(ctx):
    env = analysistest.begin(ctx)
    actions = by_mnemonic(env)
    argv = actions["SyclCompile"][0].argv
    first = argv.index(ctx.attr.options[0])
    asserts.equals(env, ctx.attr.options, argv[first:first + len(ctx.attr.options)])
    for name in ["NDEBUG", "-O0", "-g"]:
        want = any([name in o for o in ctx.attr.options + ctx.attr.of_toolchain])
        asserts.equals(env, want, name in argv or "-D" + name in argv, "%s: %s" % (name, argv))
    asserts.true(env, first < argv.index("-std=c++20"), "the toolchain's own options come later")
    asserts.equals(env, ctx.attr.debug, "--keep-debug-info" in actions["SyclTranslate"][0].argv)
    return analysistest.end(env)

def _make_mode_test(mode):
    return analysistest.make(
        _mode_impl,
        attrs = {"debug": attr.bool(), "of_toolchain": attr.string_list(), "options": attr.string_list()},
        config_settings = {
            "//command_line_option:compilation_mode": mode,
            "//command_line_option:extra_toolchains": COMPLETE,
        },
    )

_dbg_test = _make_mode_test("dbg")
_fastbuild_test = _make_mode_test("fastbuild")
_opt_test = _make_mode_test("opt")

_fails_test = make_fails_test(COMPLETE)

def _config_impl(ctx):
    out = ctx.actions.declare_file("config.h")
    ctx.actions.write(out, "")
    return [DefaultInfo(files = depset([out]))]

_config = rule(implementation = _config_impl)

def _directory_impl(ctx):
    out = ctx.actions.declare_directory("sources")
    ctx.actions.run_shell(outputs = [out], command = "touch %s/a.cpp" % out.path)
    return [DefaultInfo(files = depset([out]))]

_directory = rule(implementation = _directory_impl)

_variables = rule(implementation = lambda ctx: [platform_common.TemplateVariableInfo({"OPTIONS": "-DD=1 -DE=2", "TILE": "16"})])

# All command lines of the compiles of these targets contain these options.
_HAS = ["-DPUBLIC=1", "-DLOCAL=two words", "-DHIDDEN", "-DA=x y", "-DB", "-DC=$(x)", "BIN/rules/tests/config.h", "-Dmode=fastbuild"]

def attributes_test_suite(name):
    """Declares all tests of this file.

    Args:
        name: name of the suite.
    """
    manual = {"tags": ["manual"]}
    _config(name = "config", **manual)
    cc_library(name = "hidden", hdrs = ["hidden.hpp"], data = ["more.txt"], defines = ["HIDDEN"], **manual)
    attributes = {
        "additional_compiler_inputs": [":config"],
        "copts": ["-DA='x y' -DB", "-DC=$$(x)", "-include $(execpath :config)", "-Dmode=$(COMPILATION_MODE)"],
        "data": ["numbers.txt"],
        "defines": ["PUBLIC=1"],
        "hdrs": ["include/api.hpp"],
        "implementation_deps": [":hidden"],
        "include_prefix": "app",
        "includes": ["../include"],
        "local_defines": ["LOCAL='two words'"],
        "srcs": ["a.cpp", "private.hpp"],
        "strip_include_prefix": "include",
        "tags": ["manual"],
        # Textual headers are included by their original paths, which need not be below
        # strip_include_prefix.
        "textual_hdrs": ["include/list.def", "other/list.inc"],
    }
    sycl_library(name = "attributes_library", **attributes)
    sycl_cc_library(name = "attributes_cc_library", linkopts = ["-Xlinker -la -Xlinker -z$(COMPILATION_MODE)"], **attributes)
    _options_test(
        name = "attributes_library_test",
        compiles = ["SyclCompile"],
        has = _HAS,
        inputs = ["config.h", "hidden.hpp", "list.def", "private.hpp"],
        target_under_test = ":attributes_library",
    )
    _program_options_test(
        name = "attributes_cc_library_test",
        compiles = ["CppCompile", "SyclCompile"],
        has = _HAS,
        inputs = ["config.h", "hidden.hpp", "list.def", "private.hpp"],
        target_under_test = ":attributes_cc_library",
    )
    _exports_test(name = "attributes_exports_test", target_under_test = ":attributes_library")
    _program_exports_test(
        name = "attributes_cc_exports_test",
        linkopts = ["-Xlinker", "-la", "-Xlinker", "-zfastbuild"],
        target_under_test = ":attributes_cc_library",
    )
    cc_library(name = "attributes_plain_library", **attributes)
    _same_test(name = "attributes_same_test", cc = ":attributes_plain_library", target_under_test = ":attributes_library")
    sycl_binary(name = "attributes_dependent", srcs = ["c.cpp"], deps = [":attributes_library"], **manual)
    _options_test(
        name = "attributes_dependent_test",
        compiles = ["SyclCompile"],
        has = ["-DPUBLIC=1"],
        has_not = ["LOCAL", "HIDDEN", "-DA"],
        target_under_test = ":attributes_dependent",
    )

    sycl_library(
        name = "additional_header_library",
        srcs = ["a.cpp"],
        hdrs = ["api.hpp", ":config"],
        additional_compiler_inputs = [":config"],
        **manual
    )
    _unused_test(name = "attributes_unused_test", target_under_test = ":additional_header_library")

    sycl_binary(name = "mode_binary", srcs = ["a.cpp"], **manual)
    sycl_binary(name = "mode_g0_binary", srcs = ["a.cpp"], copts = ["-g0"], **manual)
    _dbg_test(name = "mode_dbg_test", debug = True, options = ["-O0", "-g"], target_under_test = ":mode_binary")
    _dbg_test(name = "mode_dbg_g0_test", options = ["-O0", "-g"], target_under_test = ":mode_g0_binary")
    _fastbuild_test(name = "mode_fastbuild_test", options = ["-O2"], target_under_test = ":mode_binary")
    _opt_test(name = "mode_opt_test", of_toolchain = ["-DNDEBUG"], options = ["-O2"], target_under_test = ":mode_binary")

    _command_line_test(
        name = "attributes_command_line_test",
        compiles = ["CppCompile", "SyclCompile"],
        has = ["-DTILE=32", "-UOLD"],
        target_under_test = ":attributes_cc_library",
    )
    _command_line_test(
        name = "attributes_command_line_device_test",
        compiles = ["SyclCompile"],
        has_not = ["-Wextra"],
        target_under_test = ":attributes_cc_library",
    )

    sycl_cc_library(name = "finds_runfiles", srcs = ["a.cpp"], deps = ["@bazel_tools//tools/cpp/runfiles"], **manual)
    _program_options_test(
        name = "attributes_runfiles_library_test",
        compiles = ["CppCompile", "SyclCompile"],
        has = ["-DBAZEL_CURRENT_REPOSITORY=\"\""],
        target_under_test = ":finds_runfiles",
    )

    native.genrule(name = "make_sources", outs = ["made.cpp", "made.json"], cmd = "touch $(OUTS)", **manual)
    sycl_library(name = "made_library", srcs = [":make_sources"], **manual)
    _sources_test(name = "attributes_sources_test", target_under_test = ":made_library")
    _directory(name = "directory_of_sources", **manual)
    sycl_library(name = "directory_library", srcs = [":directory_of_sources"], **manual)
    _directory_test(name = "attributes_directory_test", target_under_test = ":directory_library")

    sycl_binary(name = "needs_data", srcs = ["a.cpp"], data = ["numbers.txt"], state = "object", **manual)
    sycl_binary(name = "linked_needs_data", srcs = ["b.cpp"], deps = [":needs_data"], **manual)
    syclbin_link(name = "combined_needs_data", deps = [":needs_data"], **manual)
    for linked in ["linked_needs_data", "combined_needs_data"]:
        _runfiles_test(name = "attributes_%s_test" % linked, target_under_test = ":" + linked)

    # Attributes of all rules are passed to the compiles, and attributes of an execution group to
    # its rule.
    _variables(name = "variables", **manual)
    sycl_cc_test(
        name = "attributes_of_a_test",
        srcs = ["a.cpp"],
        copts = ["-DTILE=$(TILE)", "-DDATA=$(rootpath numbers.txt)"],
        data = ["numbers.txt"],
        exec_properties = {"Pool": "large", "cpp_link.Pool": "link", "test.Pool": "gpu"},
        tags = ["manual"],
        testonly = True,
        toolchains = [":variables"],
    )
    _program_options_test(
        name = "attributes_of_a_test_test",
        compiles = ["CppCompile", "SyclCompile"],
        has = ["-DTILE=16", "-DDATA=rules/tests/numbers.txt"],
        target_under_test = ":attributes_of_a_test" + PROGRAM_SUFFIX,
    )

    sycl_library(
        name = "whole_copts",
        srcs = ["a.cpp"],
        copts = ["-DA=x y", "$(OPTIONS)", "-DF=$(TILE) z"],
        features = ["no_copts_tokenization"],
        tags = ["manual"],
        toolchains = [":variables"],
    )
    _options_test(
        name = "attributes_whole_copts_test",
        compiles = ["SyclCompile"],
        has = ["-DA=x y", "-DD=1", "-DE=2", "-DF=16 z"],
        target_under_test = ":whole_copts",
    )

    _program_options_test(name = "attributes_of_a_test_itself_test", target_under_test = ":attributes_of_a_test")

    # A macro of Bazel 8 passes None for inherited attributes that its caller omits.
    unset = {key: None for key in ["args", "copts", "data", "device", "device_compiler", "env", "linkopts", "required", "runtime", "size", "visibility"]}
    sycl_cc_test(name = "unset_attributes", srcs = ["a.cpp"], tags = ["manual"], **unset)
    sycl_cc_test(name = "unset_tags", srcs = ["a.cpp"], device = "gpu", tags = None, target_compatible_with = ["@platforms//:incompatible"])
    _program_options_test(name = "attributes_unset_test", target_under_test = ":unset_attributes")

    wrong = {
        "copts_location": ({"copts": ["$(location :missing)"]}, ":missing"),
        "copts_quote": ({"copts": ["-DA='x"]}, "copts: '-DA='x' lacks the closing '"),
        "copts_variable": ({"copts": ["$(COMPILATION_MODE"]}, "copts: '$(COMPILATION_MODE': unterminated $(COMPILATION_MODE"),
        "defines_words": ({"defines": ["A=x y"]}, "defines: definition 'A=x y' has 2 words"),
        "includes_above": ({"includes": ["../../.."]}, "includes: '../../..' is not a directory in the repository"),
        "include_prefix_above": ({"include_prefix": "../x"}, "include_prefix: '../x' is not a directory in the repository"),
        "strip_include_prefix_elsewhere": ({"strip_include_prefix": "other"}, "the header rules/tests/api.hpp is not below rules/tests/other"),
    }
    for test, (attribute, text) in wrong.items():
        sycl_library(name = test + "_library", hdrs = ["api.hpp"], **({"srcs": ["a.cpp"]} | attribute | manual))
        _fails_test(name = test + "_test", target_under_test = ":%s_library" % test, texts = [text])

    native.test_suite(
        name = name,
        tests = [test + "_test" for test in wrong] + [
            "attributes_cc_exports_test",
            "attributes_cc_library_test",
            "attributes_combined_needs_data_test",
            "attributes_command_line_device_test",
            "attributes_command_line_test",
            "attributes_dependent_test",
            "attributes_directory_test",
            "attributes_exports_test",
            "attributes_library_test",
            "attributes_linked_needs_data_test",
            "attributes_of_a_test_itself_test",
            "attributes_of_a_test_test",
            "attributes_runfiles_library_test",
            "attributes_same_test",
            "attributes_sources_test",
            "attributes_unset_test",
            "attributes_unused_test",
            "attributes_whole_copts_test",
            "mode_dbg_g0_test",
            "mode_dbg_test",
            "mode_fastbuild_test",
            "mode_opt_test",
        ],
    )
