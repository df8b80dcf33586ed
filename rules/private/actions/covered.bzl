"""The action that compiles a source for the host in a coverage build."""

load("@rules_cc//cc:action_names.bzl", "CPP_COMPILE_ACTION_NAME")
load("@rules_cc//cc/common:cc_common.bzl", "cc_common")

# The options that make GCC and clang write a notes file next to the object. It contains the
# lines of each function, which are needed to interpret the counters of a run.
_WRITES_NOTES = ["--coverage", "-ftest-coverage"]

def writes_notes(cc):
    """Returns whether the C++ toolchain's compilations write notes, unlike clang with LLVM's own kind of coverage.

    Args:
        cc: struct(toolchain, features): the C++ toolchain.
    Returns:
        bool.
    """
    options = host_compile_options(cc, cc_common.create_compile_variables(
        cc_toolchain = cc.toolchain,
        feature_configuration = cc.features,
        variables_extension = {"gcov_gcno_file": "notes.gcno"},
    ))
    return any([option in _WRITES_NOTES for option in options])

def covered_action(ctx, cc, name, source, inputs, context, local_defines, flags):
    """Declares CppCompile of a coverage build, whose object counts the executed lines.

    cc_common.compile provides the notes of a coverage build only to Bazel's own rules.

    Args:
        ctx: the rule context.
        cc: struct(toolchain, features): a C++ toolchain that writes_notes.
        name: path of the outputs below the package, without extension.
        source: the source File.
        inputs: list of File that the source includes, in addition to headers.
        context: the compilation context of the source.
        local_defines: definitions for the target only.
        flags: the rule's own options.
    Returns:
        struct(outputs, notes): CcCompilationOutputs and the File of notes.
    """
    out = ctx.actions.declare_file(name + ".pic.o")
    notes = ctx.actions.declare_file(name + ".pic.gcno")
    compile = host_compile_variables(ctx, cc, source, out.path, context, local_defines, flags, {"gcov_gcno_file": notes.path})
    ctx.actions.run(
        executable = cc_common.get_tool_for_action(feature_configuration = cc.features, action_name = CPP_COMPILE_ACTION_NAME),
        arguments = host_compile_options(cc, compile),
        # The program writes its counters to a path that starts with this directory.
        env = cc_common.get_environment_variables(
            feature_configuration = cc.features,
            action_name = CPP_COMPILE_ACTION_NAME,
            variables = compile,
        ) | {"PWD": "/proc/self/cwd"},
        inputs = depset([source] + inputs, transitive = [context.headers, cc.toolchain.all_files]),
        outputs = [out, notes],
        mnemonic = "CppCompile",
        progress_message = "Compiling %s" % source.short_path,
        toolchain = "@bazel_tools//tools/cpp:toolchain_type",
    )
    return struct(
        notes = notes,
        # Position-independent code also links if Bazel requests the other kind, as with -c opt.
        outputs = cc_common.create_compilation_outputs(objects = depset([out]), pic_objects = depset([out])),
    )

def host_compile_variables(ctx, cc, source, output, context, local_defines, flags, extension = {}):
    """Returns the variables of a host compilation that cc_common.compile does not declare.

    Args:
        ctx: the rule context.
        cc: struct(toolchain, features): the C++ toolchain.
        source: the source File.
        output: path of the object file.
        context: the compilation context of the source.
        local_defines: definitions for the target only.
        flags: the rule's own options.
        extension: dict of more variables.
    Returns:
        the variables.
    """
    return cc_common.create_compile_variables(
        cc_toolchain = cc.toolchain,
        feature_configuration = cc.features,
        include_directories = context.includes,
        output_file = output,
        preprocessor_defines = depset(local_defines, transitive = [context.defines]),
        quote_include_directories = context.quote_includes,
        source_file = source.path,
        system_include_directories = depset(transitive = [context.external_includes, context.system_includes]),
        use_pic = True,
        user_compile_flags = ctx.fragments.cpp.copts + ctx.fragments.cpp.cxxopts + flags,
        variables_extension = extension,
    )

def host_compile_options(cc, variables):
    """Returns the options of a host compilation.

    Args:
        cc: struct(toolchain, features): the C++ toolchain.
        variables: the result of host_compile_variables.
    Returns:
        list of string.
    """
    return cc_common.get_memory_inefficient_command_line(
        feature_configuration = cc.features,
        action_name = CPP_COMPILE_ACTION_NAME,
        variables = variables,
    )
