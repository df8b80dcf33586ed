"""The actions that report on and check compatibility."""

load("@bazel_skylib//rules:common_settings.bzl", "BuildSettingInfo")
load("//rules/private/actions:tools.bzl", "run_tool")
load(":names.bzl", "shown")
load(":resolve.bzl", "takes_all")

# Suffix of the target that compiles a program.
PROGRAM_SUFFIX = ".program"

# How users run the program that messages name.
COMPAT_COMMAND = "bazel run @rules_sycl//rules:compat --"

COMPAT_ATTRS = {
    # Tests and `bazel run` use the program that actions use, in the configuration of tools.
    # One for the target platform would be built a second time.
    "_compat": attr.label(default = "//rules/private:compat", executable = True, cfg = "exec"),
    "_compat_setting": attr.label(default = "//rules/settings:compat"),
}

def report_action(ctx, files, devices, device_config, out, embedded = [], targets = []):
    """SyclCompatReport: SYCLBINs to one report, as on one program.

    Args:
        ctx: the rule context.
        files: list of SYCLBIN Files.
        devices: list of device names, or none for what the files are built for.
        device_config: list of Files merged over the built-in device table.
        out: the File to write.
        embedded: list of the Files of SYCLBINs whose images are inside programs.
        targets: list of the names of targets that the files are built for. Without devices,
            the report is on them, also when no image is for them.
    """
    label = shown(ctx.label)
    args = ctx.actions.args()
    args.add("report")
    args.add("--output", out)

    # Reports show the label that users wrote.
    args.add(label.removesuffix(PROGRAM_SUFFIX) if embedded and not files else label, format = "--name=%s")  # one argument, see shown
    if devices:
        args.add_joined("--devices", devices, join_with = ",")
    else:
        args.add_joined("--targets", targets, join_with = ",")
    args.add_all(device_config, before_each = "--device-config")
    args.add_all(embedded, before_each = "--embedded")
    args.add_all(files)
    run_tool(
        ctx,
        ctx.executable._compat,
        args,
        inputs = files + embedded + device_config,
        outputs = [out],
        mnemonic = "SyclCompatReport",
        progress_message = "Reporting the compatibility of %{label}",
        toolchain = None,
    )

def check_action(ctx, report, name, targets, device_config):
    """SyclCompatCheck: warns of a report's problems or fails, as the setting says.

    Args:
        ctx: the rule context.
        report: the report's File.
        name: path of the output below the package, without extension.
        targets: list of the names of targets that the report is on, or none for those that the
            files are built for.
        device_config: list of Files merged over the built-in device table.
    Returns:
        list of File: the output of the check, none when it is off or would find nothing.
    """
    level = ctx.attr._compat_setting[BuildSettingInfo].value
    if level == "off" or targets and all([takes_all(t, device_config) for t in targets]):
        return []
    result = ctx.actions.declare_file(name + ".check.sarif")
    args = ctx.actions.args()
    args.add("check")

    # The inputs of an action are links, and it does not see the sources.
    args.add("--workspace=")
    if level == "warn":
        args.add("--warn-only")

    args.add("--program", COMPAT_COMMAND)

    # SPIR-V can meet any device: that is no news at every build.
    args.add("--undetermined", "ignore")

    # A SYCLBIN can hold functions for others only, and no kernel.
    args.add("--fail-on-empty=false")

    # SARIF does not name the report, whose path has the configuration.
    args.add("--sarif-file", result)
    args.add(report)
    run_tool(
        ctx,
        ctx.executable._compat,
        args,
        inputs = [report],
        outputs = [result],
        mnemonic = "SyclCompatCheck",
        progress_message = "Checking the compatibility of %{label}",
        toolchain = None,
    )
    return [result]

def quoted(text):
    """A text as one argument for a shell."""
    return "'" + text.replace("'", "'\\''") + "'"

def script_head(ctx, folder):
    """The first lines of a script, in which `$runfiles` is the workspace's folder of the runfiles.

    Args:
        ctx: the rule context.
        folder: where the script goes on, as text for the shell within double quotes.
    Returns:
        list of string.
    """
    return [
        "#!/bin/sh",
        "runfiles=${RUNFILES_DIR:-$0.runfiles}",
        "case $runfiles in /*) ;; *) runfiles=$PWD/$runfiles ;; esac",
        "runfiles=$runfiles/" + quoted(ctx.workspace_name),
        "cd \"%s\" || exit 4" % folder,
    ]

def launcher(ctx, name, tool, arguments, runfiles, folder = "${BUILD_WORKING_DIRECTORY:-.}", hint = ""):
    """An executable that runs the compat tool on files of the runfiles.

    Args:
        ctx: the rule context.
        name: name of the script.
        tool: the compat tool's Target.
        arguments: list of string, for the shell; `runfile` and `near_runfile` make those that are files.
        runfiles: the Files that the arguments name.
        folder: where the tool runs, as text for the shell within double quotes. The default
            is the user's current folder.
        hint: text to print when the tool exits with 1.
    Returns:
        struct(executable, runfiles).
    """
    script = ctx.actions.declare_file(name)
    lines = script_head(ctx, folder)
    command = " ".join([runfile(tool[DefaultInfo].files_to_run.executable)] + arguments)
    if hint:
        lines += [command, "code=$?", "test $code -ne 1 || echo %s >&2" % quoted(hint), "exit $code"]
    else:
        lines.append("exec " + command)
    ctx.actions.write(script, "\n".join(lines) + "\n", is_executable = True)
    return struct(
        executable = script,
        runfiles = ctx.runfiles(runfiles).merge(tool[DefaultInfo].default_runfiles),
    )

def runfile(file):
    """The launcher's argument that names a file."""
    return "\"$runfiles\"/" + quoted(file.short_path)

def near_runfile(file):
    """The launcher's argument that names a file when its folder is `$runfiles`."""
    return quoted(file.short_path)
