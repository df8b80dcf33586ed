"""The tools that actions run.

The actions of a device build are in the other files of this directory, one file per step: compile,
link, postlink, translate, aot, gpu, pack. Each function declares one action. Outputs are named by
content: `NAME.device/SOURCE.bc` is a source's bitcode, `NAME.device/SOURCE.split` the
directory of its split modules, `NAME.device/SOURCE.spv` the directory of the modules as SPIR-V, and
`NAME.device/SOURCE.TARGET.bin` the directory of their images for a target. Outputs are directories
because the number of modules is known only after post-link has run.
"""

load("@bazel_skylib//rules:common_settings.bzl", "BuildSettingInfo")
load("//rules:find_sycl_toolchain.bzl", "SYCL_TOOLCHAIN_TYPE")
load("//rules/private/targets:names.bzl", "user_label")

def need(ctx, tool):
    """Fails with the toolchain's own explanation if a program is missing."""
    if tool.missing:
        fail("%s: %s" % (user_label(ctx), tool.missing))
    return tool

def escaped(module):
    """Returns a module id for an argument `ID=PATH`."""
    return module.replace("%", "%25").replace("=", "%3D")

# For actions of our own tools: with --experimental_output_paths=strip, paths do not contain the
# configuration, and two configurations share the results of equal actions.
_PATH_MAPPING = {"supports-path-mapping": "1"}

# For actions of tools that support persistent workers.
_WORKER = {
    "requires-worker-protocol": "json",
    "supports-multiplex-workers": "1",
    "supports-worker-cancellation": "1",
    "supports-workers": "1",
}

def own_toolchain(ctx, type):
    """Returns the argument `toolchain` of an action, which is for toolchains of the rule itself.

    Args:
        ctx: the rule context.
        type: the type of the toolchain whose programs the action runs, or None. A target with
            the attribute device_compiler has the SYCL toolchain through a dependency.
    Returns:
        the type, or None.
    """
    return type if type and type in ctx.toolchains else None

def _in_param_file(args, use_always = False):
    """Allows a long command line of one of our tools to be in a file, with one argument per line."""
    args.use_param_file("@%s", use_always = use_always)
    args.set_param_file_format("multiline")

def run_tool(ctx, tool, args, inputs, outputs, mnemonic, progress_message, transitive = [], tools = [], programs = [], toolchain = SYCL_TOOLCHAIN_TYPE, worker = None, mapped = True):
    """Declares an action that runs one of the tools.

    Args:
        ctx: the rule context.
        tool: the tool, of ctx.executable.
        args: its Args. Paths are added as Files, which Bazel may map.
        inputs: list of File.
        outputs: list of File.
        mnemonic: the action's mnemonic.
        progress_message: the action's progress message.
        transitive: list of depsets with more inputs.
        tools: FilesToRunProviders of other programs that the tool runs. Actions with them do
            not have their paths mapped.
        programs: SyclToolInfos of the toolchain's programs that the tool runs.
        toolchain: the type of the toolchain whose programs it runs, or None.
        worker: list of inputs, other than the programs, that a persistent worker uses across
            actions; None if the tool is not a worker.
        mapped: whether all paths are of Files in args, which Bazel may map.
    """
    if worker != None and not ctx.attr._workers[BuildSettingInfo].value:
        worker = None

    # A worker gets the lines of the file in each request.
    _in_param_file(args, use_always = worker != None)
    more = transitive + [p.files for p in programs]
    if worker != None:
        # Bazel starts a new worker if a tool has changed, but not if an input has.
        tools = tools + worker + more
        more = []
    ctx.actions.run(
        executable = tool,
        arguments = [args],
        inputs = depset(inputs, transitive = more) if more else inputs,
        tools = tools + [p.files_to_run for p in programs if p.files_to_run],
        outputs = outputs,
        mnemonic = mnemonic,
        progress_message = progress_message,
        # The device compilers find their helpers (ld, ar, libraries) in these directories. A fixed
        # environment keeps the system's environment out of the cache key. The user does not run our tools, so
        # their messages must not refer to --help.
        env = {"PATH": "/usr/bin:/bin", "RULES_SYCL_PROGRAM": ""},
        execution_requirements = (_PATH_MAPPING if mapped and not tools else {}) | ({} if worker == None else _WORKER),
        toolchain = own_toolchain(ctx, toolchain),
    )

# Attributes of rules that compile sources.
COMPILE_TOOL_ATTRS = {
    "_devicec": attr.label(default = "//rules/private:devicec", executable = True, cfg = "exec"),
}

# Attributes of rules that have these actions.
TOOL_ATTRS = COMPILE_TOOL_ATTRS | {
    "_aot": attr.label(default = "//rules/private:aot", executable = True, cfg = "exec"),
    "_aspectfilter": attr.label(default = "//rules/private:aspectfilter", executable = True, cfg = "exec"),
    "_ocloc_server": attr.label(default = "//rules/private:ocloc_server", cfg = "exec"),
    "_share_gpu_families": attr.label(default = "//rules/settings:share_gpu_families", providers = [BuildSettingInfo]),
    "_skip_rejected_images": attr.label(default = "//rules/settings:skip_rejected_images", providers = [BuildSettingInfo]),
    "_packager": attr.label(default = "//rules/private:packager", executable = True, cfg = "exec"),
    "_postlink": attr.label(default = "//rules/private:postlink", executable = True, cfg = "exec"),
    "_warnings_as_errors": attr.label(default = "//rules/settings:warnings_as_errors"),
    "_workers": attr.label(default = "//rules/private:workers"),
}
