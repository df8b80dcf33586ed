"""A rule whose output is a directory."""

def _directory_impl(ctx):
    out = ctx.actions.declare_directory(ctx.label.name)
    ctx.actions.run_shell(
        inputs = ctx.files.srcs,
        outputs = [out],
        arguments = [out.path] + [f.path for f in ctx.files.srcs],
        command = "out=$1; shift; cp -L \"$@\" \"$out\"",
    )
    return [DefaultInfo(files = depset([out]))]

directory = rule(
    implementation = _directory_impl,
    doc = "Copies files into a directory.",
    attrs = {"srcs": attr.label_list(allow_files = True)},
)
