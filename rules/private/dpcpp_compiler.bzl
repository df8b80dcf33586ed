"""DPC++ as a device compiler: libsycl-jit, called by //rules/dpcpp:driver."""

load("//rules:providers.bzl", "SyclDpcppInfo")
load(":device_compiler.bzl", "without_device_compiler")

def _dpcpp_compiler_impl(ctx):
    if ctx.attr.missing:
        return [SyclDpcppInfo(driver = None, files = depset(), library = None, missing = ctx.attr.missing, version = "")]
    driver = ctx.attr._driver[DefaultInfo].files_to_run
    library = ctx.file.library
    files = depset([library] + ctx.files.data)
    checked = _check(ctx, driver, library, files)
    return [
        DefaultInfo(files = depset([checked])),
        SyclDpcppInfo(
            driver = driver,
            files = depset([checked], transitive = [files]),
            library = library,
            missing = "",
            version = ctx.attr.version,
        ),
    ]

def _check(ctx, driver, library, files):
    """SyclCompilerCheck: compiles one kernel and looks at the images.

    The file that it writes is an input of every compile, so that it runs once, before them.
    """
    out = ctx.actions.declare_file(ctx.label.name + ".checked")
    ctx.actions.run_shell(
        command = "\"$1\" check --library \"$2\" && : > \"$3\"",
        arguments = [driver.executable.path, library.path, out.path],
        tools = [driver],
        inputs = files,
        outputs = [out],
        mnemonic = "SyclCompilerCheck",
        progress_message = "Checking the device compiler of DPC++ " + ctx.attr.version,
        env = {"PATH": "/usr/bin:/bin"},
    )
    return out

dpcpp_compiler = rule(
    implementation = _dpcpp_compiler_impl,
    doc = "The library libsycl-jit with what it needs, checked before its first use.",
    attrs = {
        "data": attr.label_list(allow_files = True, doc = "What it loads and reads."),
        "library": attr.label(allow_single_file = True),
        "missing": attr.string(doc = "Why there is no library, or empty."),
        "version": attr.string(doc = "Which DPC++ it is of."),
        "_driver": attr.label(cfg = "exec", default = "//rules/dpcpp:driver", executable = True),
    },
    cfg = without_device_compiler,
    provides = [SyclDpcppInfo],
)
