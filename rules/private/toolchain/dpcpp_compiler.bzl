"""DPC++ as a device compiler: libsycl-jit, called by a driver."""

load("@rules_cc//cc:find_cc_toolchain.bzl", "use_cc_toolchain")
load("//rules:providers.bzl", "SyclDpcppInfo")
load("//rules/private/actions:compile.bzl", "system_headers")
load(":device_compiler.bzl", "without_device_compiler")

def _dpcpp_compiler_impl(ctx):
    if ctx.attr.missing:
        return [SyclDpcppInfo(driver = None, files = depset(), library = None, missing = ctx.attr.missing, version = "")]
    driver = ctx.attr.driver[DefaultInfo].files_to_run
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
    """Declares the action SyclCompilerCheck, which compiles one kernel and checks the images.

    Its output is an input of every compilation, so it runs once, before all of them.
    """
    out = ctx.actions.declare_file(ctx.label.name + ".checked")
    system = system_headers(ctx)
    options = system.options + [ctx.expand_location(option, ctx.attr.headers) for option in ctx.attr.copts]
    ctx.actions.run_shell(
        command = "driver=$1 library=$2 out=$3; shift 3; \"$driver\" check --library \"$library\" -- \"$@\" && : > \"$out\"",
        arguments = [driver.executable.path, library.path, out.path] + options,
        tools = [driver],
        inputs = depset(ctx.files.headers, transitive = [files, system.files]),
        outputs = [out],
        mnemonic = "SyclCompilerCheck",
        progress_message = "Checking the device compiler of DPC++ " + ctx.attr.version,
        env = {"PATH": "/usr/bin:/bin"},
    )
    return out

dpcpp_compiler = rule(
    implementation = _dpcpp_compiler_impl,
    doc = "A driver and the compiler that it runs, which is checked before its first use.",
    attrs = {
        "copts": attr.string_list(doc = "Options for the check, from the toolchain."),
        "data": attr.label_list(allow_files = True, doc = "Files that the compiler loads and reads."),
        "driver": attr.label(
            cfg = "exec",
            default = "//rules/dpcpp:driver",
            executable = True,
        ),
        "headers": attr.label_list(allow_files = True, doc = "Headers that the check reads, from the toolchain."),
        "library": attr.label(allow_single_file = True, doc = "libsycl-jit."),
        "missing": attr.string(doc = "Why the library is missing. Empty if it is available."),
        "version": attr.string(doc = "The version of DPC++, for messages."),
    },
    cfg = without_device_compiler,
    provides = [SyclDpcppInfo],
    toolchains = use_cc_toolchain(mandatory = False),
)
