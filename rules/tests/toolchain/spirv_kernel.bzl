"""A rule like the rules of other rule sets, which uses only documented features of rules_sycl."""

load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")
load("//rules:find_sycl_toolchain.bzl", "SYCL_TOOLCHAIN_TYPE", "find_sycl_toolchain", "use_sycl_toolchain")

def _run(ctx, tool, **kwargs):
    """Declares an action that runs a SyclToolInfo."""
    if tool.missing:
        fail("%s: %s" % (ctx.label, tool.missing))
    inputs = kwargs.pop("inputs")
    ctx.actions.run(
        executable = tool.files_to_run or tool.executable,
        inputs = depset(transitive = [inputs, tool.files]),
        toolchain = SYCL_TOOLCHAIN_TYPE,
        **kwargs
    )

def _spirv_kernel_impl(ctx):
    sycl = find_sycl_toolchain(ctx)
    context = ctx.attr.header[CcInfo].compilation_context
    bitcode = ctx.actions.declare_file(ctx.label.name + ".bc")
    compile = ctx.actions.args()
    compile.add_all(["-fsycl", "-fsycl-device-only", "-O2", "-c"])
    compile.add_all(sycl.copts)
    compile.add_all(context.includes, before_each = "-I")
    compile.add_all(context.system_includes, before_each = "-isystem")
    compile.add(ctx.file.src)
    compile.add("-o", bitcode)
    _run(
        ctx,
        sycl.clang,
        arguments = [compile],
        inputs = depset([ctx.file.src], transitive = [context.headers, sycl.headers]),
        outputs = [bitcode],
        mnemonic = "KernelCompile",
    )
    spirv = ctx.actions.declare_file(ctx.label.name + ".spv")
    translate = ctx.actions.args()
    if sycl.llvm_spirv.missing:
        translator = sycl.llc
        translate.add_all(["-mtriple=spirv64", "--filetype=obj"])
    else:
        translator = sycl.llvm_spirv
    translate.add("-o", spirv)
    translate.add(bitcode)
    _run(
        ctx,
        translator,
        arguments = [translate],
        inputs = depset([bitcode]),
        outputs = [spirv],
        mnemonic = "KernelTranslate",
    )
    return [DefaultInfo(files = depset([spirv]))]

spirv_kernel = rule(
    implementation = _spirv_kernel_impl,
    doc = "The SPIR-V of one source.",
    attrs = {
        "header": attr.label(default = "//rules/device:sycl_lite", providers = [CcInfo]),
        "src": attr.label(allow_single_file = [".cpp"], mandatory = True),
    },
    toolchains = use_sycl_toolchain(),
)
