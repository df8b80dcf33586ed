"""The actions that report on and check compatibility."""

load("@bazel_skylib//rules:common_settings.bzl", "BuildSettingInfo")
load("//rules/private/actions:tools.bzl", "run_tool")
load("//rules/private/targets:names.bzl", "user_label")
load("//rules/private/targets:resolve.bzl", "takes_all")

# The command in messages that runs the program.
COMPAT_COMMAND = "bazel run @rules_sycl//rules:compat --"

COMPAT_ATTRS = {
    # Tests and `bazel run` use the same program as actions, in the exec configuration, because
    # a program for the target platform would be built separately.
    "_compat": attr.label(default = "//rules/private:compat", executable = True, cfg = "exec"),
    "_compat_setting": attr.label(default = "//rules/settings:compat"),
}

def report_action(ctx, files, devices, device_config, out, embedded = [], targets = []):
    """Declares the action SyclCompatReport, which writes one report on SYCLBINs as if on one program.

    Args:
        ctx: the rule context.
        files: list of SYCLBIN Files.
        devices: list of device names. If empty, the devices that the files are built for.
        device_config: list of Files merged over the built-in device table.
        out: the File to write.
        embedded: list of the Files of SYCLBINs whose images are inside programs.
        targets: list of the names of targets that the files are built for. Without devices,
            the report covers them even if they have no image.
    """
    args = ctx.actions.args()
    args.add("report")
    args.add("--output", out)

    # Reports show the label in the BUILD file.
    args.add(user_label(ctx), format = "--name=%s")  # one argument, see names.bzl
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
        progress_message = "Reporting the compatibility of " + user_label(ctx),
        toolchain = None,
    )

def check_action(ctx, report, name, targets, device_config):
    """Declares the action SyclCompatCheck, which prints a report's problems as warnings or errors.

    Args:
        ctx: the rule context.
        report: the report's File.
        name: path of the output below the package, without extension.
        targets: list of the names of targets that the report covers. If empty, the targets that
            the files are built for.
        device_config: list of Files merged over the built-in device table.
    Returns:
        list of File: the output of the check. Empty if it is off or cannot find anything.
    """
    level = ctx.attr._compat_setting[BuildSettingInfo].value
    if level == "off" or targets and all([takes_all(t, device_config) for t in targets]):
        return []
    result = ctx.actions.declare_file(name + ".check.sarif")
    args = ctx.actions.args()
    args.add("check")

    # The inputs of an action are symbolic links, and the sources are not among them.
    args.add("--workspace=")
    if level == "warn":
        args.add("--warn-only")

    args.add("--program", COMPAT_COMMAND)

    # SPIR-V can run on any device: repeating that in every build would be noise.
    args.add("--undetermined", "ignore")

    # A SYCLBIN can contain only functions for other files, and no kernel.
    args.add("--fail-on-empty=false")

    # SARIF does not contain the path of the report, which depends on the configuration.
    args.add("--sarif-file", result)
    args.add(report)
    run_tool(
        ctx,
        ctx.executable._compat,
        args,
        inputs = [report],
        outputs = [result],
        mnemonic = "SyclCompatCheck",
        progress_message = "Checking the compatibility of " + user_label(ctx),
        toolchain = None,
    )
    return [result]

def quoted(text):
    """Returns a text as one argument for a shell."""
    return "'" + text.replace("'", "'\\''") + "'"

def script_head(ctx, directory):
    """Returns the first lines of a script, in which `$runfiles` is the workspace's directory in the runfiles.

    Args:
        ctx: the rule context.
        directory: the directory to change to, as text for the shell within double quotes.
    Returns:
        list of string.
    """
    return [
        "#!/bin/sh",
        "runfiles=${RUNFILES_DIR:-$0.runfiles}",
        "case $runfiles in /*) ;; *) runfiles=$PWD/$runfiles ;; esac",
        "runfiles=$runfiles/" + quoted(ctx.workspace_name),
        "cd \"%s\" || exit 4" % directory,
    ]

def launcher(ctx, name, tool, arguments, runfiles, directory = "${BUILD_WORKING_DIRECTORY:-.}", hint = "", command = COMPAT_COMMAND):
    """Returns an executable that runs a tool on files in the runfiles.

    Args:
        ctx: the rule context.
        name: name of the script.
        tool: the tool's Target.
        arguments: list of string, for the shell. Use `runfile` and `near_runfile` for files.
        runfiles: the Files that the arguments refer to.
        directory: the directory in which the tool runs, as text for the shell within double quotes.
            Defaults to the user's current directory.
        hint: text to print if the tool exits with 1.
        command: the command in the tool's help and messages.
    Returns:
        struct(executable, runfiles).
    """
    script = ctx.actions.declare_file(name)
    lines = script_head(ctx, directory) + ["export RULES_SYCL_PROGRAM=" + quoted(command)]
    call = " ".join([runfile(tool[DefaultInfo].files_to_run.executable)] + arguments)
    if hint:
        lines += [call, "code=$?", "test $code -ne 1 || echo %s >&2" % quoted(hint), "exit $code"]
    else:
        lines.append("exec " + call)
    ctx.actions.write(script, "\n".join(lines) + "\n", is_executable = True)
    return struct(
        executable = script,
        runfiles = ctx.runfiles(runfiles).merge(tool[DefaultInfo].default_runfiles),
    )

def runfile(file):
    """Returns the launcher's argument for a file."""
    return "\"$runfiles\"/" + quoted(file.short_path)

def near_runfile(file):
    """Returns the launcher's argument for a file if its directory is `$runfiles`."""
    return quoted(file.short_path)
