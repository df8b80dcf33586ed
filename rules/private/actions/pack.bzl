"""The actions that put device images into SYCLBINs and programs."""

load("@bazel_skylib//rules:common_settings.bzl", "BuildSettingInfo")
load("//rules/private/targets:names.bzl", "user_label")
load(":tools.bzl", "run_tool")

def pack_action(ctx, packed, state, out, ir = "any", embedded = False):
    """Declares SyclbinPack, which packs all images into one SYCLBIN.

    Args:
        ctx: the rule context.
        packed: struct(images, required, runtime): a list of struct(target, table, files), a
            target's table and the files that it names; the Files of actions that must succeed
            before anything is packed; and the release of the runtime that will load the images.
        state: input, object or executable.
        out: the File to write.
        ir: which devices IR is for: any, or cpu.
        embedded: whether the file only describes images that are part of a program.
    """
    flags = ["--state", state]
    if ir != "any":
        flags += ["--ir", ir]
    if embedded:
        flags.append("--embedded")
    _packager_action(ctx, ["pack"] + flags, packed, out, mnemonic = "SyclbinPack", progress_message = "Packing %{output}")

def wrap_action(ctx, packed, headers, options, out):
    """Declares SyclWrap, which writes the source of an object that registers all images with libsycl.

    Paths of images in it are relative to its own directory, so that it is the same in each
    configuration.

    Args:
        ctx: the rule context.
        packed: as for pack_action.
        headers: the integration headers of the sources.
        options: list of string: the options with which the runtime compiles SPIR-V.
        out: the File to write, which ends with .s.
    """
    flags = ["--allow-empty", "--relative"] + ["--option=" + option for option in options]
    if ctx.attr.require_images or ctx.attr._require_images[BuildSettingInfo].value:
        flags.append("--require-images")
    _packager_action(ctx, ["wrap"] + flags, packed, out, headers, mnemonic = "SyclWrap", progress_message = "Wrapping device images of " + user_label(ctx))

def _packager_action(ctx, command, packed, out, headers = [], **kwargs):
    args = ctx.actions.args()
    args.add_all(command)
    args.add("--runtime", packed.runtime)
    args.add("--output", out)
    for image in packed.images:
        args.add(image.table, format = _table(image.target))
    args.add_all(headers, before_each = "--header")
    run_tool(
        ctx,
        ctx.executable._packager,
        args,
        inputs = packed.required + headers + [f for i in packed.images for f in [i.table] + i.files],
        outputs = [out],
        toolchain = None,
        **kwargs
    )

def _table(target):
    """Returns the format of the packager's argument for a target's table."""
    return "--table=%s=%s=%%s" % (target.triple, target.name if target.compiler else "")

def combine_action(ctx, files, state, allow_unresolved, runtime, out):
    """Declares SyclbinLink, which combines the modules of several SYCLBINs into one, and resolves their symbols.

    Args:
        ctx: the rule context.
        files: list of SYCLBIN Files.
        state: input, object or executable, or empty to let the tool choose.
        allow_unresolved: whether imports that no file exports are allowed.
        runtime: release of the runtime that will load the file.
        out: the File to write.
    """
    args = ctx.actions.args()
    args.add("link")
    args.add("--mode", "combine")
    args.add("--runtime", runtime)
    if state:
        args.add("--state", state)
    if allow_unresolved:
        args.add("--allow-unresolved")
    args.add("--output", out)
    args.add_all(files)
    run_tool(
        ctx,
        ctx.executable._packager,
        args,
        inputs = files,
        outputs = [out],
        mnemonic = "SyclbinLink",
        progress_message = "Linking %{output}",
        toolchain = None,
    )
