"""syclc++ as a tool of C++ toolchains: one program, with the programs that it runs next to it."""

load("//rules/private/targets:names.bzl", "user_label")
load("//rules/private/toolchain:device_compiler.bzl", "without_device_compiler")

# Starts the compiler with the files in this directory, regardless of the current directory.
_LAUNCHER = """#!/bin/sh
files=$0.files
root=${{0%bazel-out/*}}
exec "$files/syclc++" --dpcpp="${{root}}{dpcpp}" --driver="$files/driver" --host-headers="${{root}}{headers}"{ocloc} "$@"
"""

def _in_execroot(label, path):
    return "/".join([part for part in [label.workspace_root, path] if part]) or "."

def _syclcxx_impl(ctx):
    toolchain = ctx.attr.toolchain[platform_common.ToolchainInfo].sycl
    dpcpp = toolchain.dpcpp
    if dpcpp.missing:
        fail("%s: %s" % (user_label(ctx), dpcpp.missing))
    name = ctx.label.name
    inputs = []
    for link, file in {
        "driver": dpcpp.driver.executable,
        "syclc++": ctx.executable._syclcxx,
    }.items():
        out = ctx.actions.declare_file("%s.files/%s" % (name, link))
        ctx.actions.symlink(output = out, target_file = file, is_executable = True)
        inputs.append(out)
    ocloc = ""
    if type(toolchain.ocloc.executable) == "string":
        ocloc = " --ocloc=" + toolchain.ocloc.executable
    elif toolchain.ocloc.executable:
        ocloc = " --ocloc=\"${root}%s\"" % toolchain.ocloc.executable.path
    launcher = ctx.actions.declare_file(name)
    ctx.actions.write(launcher, _LAUNCHER.format(
        dpcpp = _in_execroot(ctx.label, ""),
        headers = _in_execroot(ctx.attr._host_headers.label, "rules/dpcpp/host"),
        ocloc = ocloc,
    ), is_executable = True)
    files = depset(
        [launcher] + inputs + ctx.files.directory + ctx.files._host_headers,
        transitive = [dpcpp.files, toolchain.headers, toolchain.ocloc.files],
    )
    return [DefaultInfo(executable = launcher, files = files, runfiles = ctx.runfiles(transitive_files = files))]

syclcxx = rule(
    implementation = _syclcxx_impl,
    doc = "Declares syclc++ with the DPC++ in its package's directory. Its files are the inputs of an action that runs it.",
    attrs = {
        "directory": attr.label_list(allow_files = True, doc = "The headers in the directory, and libsycl, which identifies the release."),
        "toolchain": attr.label(doc = "The sycl_toolchain of the directory.", mandatory = True),
        "_host_headers": attr.label(default = "//rules/dpcpp:host_files"),
        "_syclcxx": attr.label(cfg = "exec", default = "//rules/private:syclcxx", executable = True),
    },
    cfg = without_device_compiler,
    executable = True,
)
