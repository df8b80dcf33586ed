"""The rules sycl_toolchain and sycl_local_program."""

load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")
load("//rules/private/targets:names.bzl", "shown", "user_label")
load(":providers.bzl", "SyclDpcppInfo", "SyclRuntimeInfo", "SyclToolInfo", "SyclToolchainInfo")

# Attribute -> (name of the program in messages, the Debian package that contains it).
_PROGRAMS = {
    "clang": ("clang++ 21 or newer", "clang-21"),
    "libclc": ("libclc's nvptx64--.bc", "libclc-21"),
    "llc": ("LLVM's llc", "llvm-21"),
    "lld": ("ld.lld", "lld-21"),
    "llvm_dis": ("llvm-dis", "llvm-21, or llvm-22 for the bitcode of DPC++"),
    "llvm_link": ("llvm-link", "llvm-21, or llvm-22 for the bitcode of DPC++"),
    "llvm_spirv": ("llvm-spirv", "llvm-spirv-21"),
    "ocloc": ("ocloc with the Intel graphics compiler", "intel-ocloc and libigc2"),
    "opt": ("LLVM's opt", "llvm-21, or llvm-22 for the bitcode of DPC++"),
    "spirv_val": ("spirv-val", "spirv-tools"),
}

def _sycl_local_program_impl(ctx):
    if not ctx.attr.path.startswith("/"):
        fail("%s: path: '%s' is not an absolute path; for a program in a repository, use its label instead of a sycl_local_program" % (user_label(ctx), ctx.attr.path))
    return [SyclToolInfo(
        executable = ctx.attr.path,
        files = depset(ctx.files.stamps),
        files_to_run = None,
        missing = "",
    )]

sycl_local_program = rule(
    implementation = _sycl_local_program_impl,
    doc = """Declares an installed program, for the attributes of a [sycl_toolchain](#sycl_toolchain).

Bazel does not track installed programs, and a remote worker may have a different version.
For a hermetic toolchain, use labels of the programs themselves instead. The `sycl` module
extension declares a `sycl_local_program` for each program that it finds, with a stamp of its
version and checksums.
""",
    attrs = {
        "path": attr.string(doc = "The program's absolute path.", mandatory = True),
        "stamps": attr.label_list(
            allow_files = True,
            doc = "Files whose content changes with the program. They are inputs of the actions that run it.",
        ),
    },
    provides = [SyclToolInfo],
)

def _tool(ctx, name, target):
    """Returns the SyclToolInfo of the target in an attribute."""
    if SyclToolInfo in target:
        return target[SyclToolInfo]
    files_to_run = target[DefaultInfo].files_to_run
    if not files_to_run or not files_to_run.executable:
        fail("%s: %s: %s is not a program; expected an executable target, a file, a filegroup of one file with everything that the program needs as data, or a sycl_local_program" % (user_label(ctx), name, shown(target.label)))
    return SyclToolInfo(
        executable = files_to_run.executable,
        files = depset(
            [files_to_run.executable],
            transitive = [target[DefaultInfo].files, target[DefaultInfo].default_runfiles.files],
        ),
        files_to_run = files_to_run,
        missing = "",
    )

def _missing(ctx, name):
    """Returns the SyclToolInfo of a program that the toolchain does not have."""
    what, package = _PROGRAMS[name]
    return SyclToolInfo(
        executable = None,
        files = depset(),
        files_to_run = None,
        missing = "{what} is missing: {why}. Install it (Debian: {package}) and build again, or set the attribute '{attr}' of the sycl_toolchain {label}.".format(
            what = what,
            why = ctx.attr.missing.get(name, "it is not set in the toolchain"),
            package = package,
            attr = name,
            label = ctx.label,
        ),
    )

def _sycl_toolchain_impl(ctx):
    for name in ctx.attr.missing:
        if name not in _PROGRAMS:
            fail("%s: missing: unknown program %s; expected one of %s" % (user_label(ctx), name, ", ".join(sorted(_PROGRAMS))))
    base = ctx.attr.base[platform_common.ToolchainInfo].sycl if ctx.attr.base else None
    tools = {}
    for name in _PROGRAMS:
        target = getattr(ctx.attr, name)
        if target:
            tools[name] = _tool(ctx, name, target)
        elif base and name not in ctx.attr.missing:
            tools[name] = getattr(base, name)
        else:
            tools[name] = _missing(ctx, name)
    dpcpp = ctx.attr.dpcpp[SyclDpcppInfo] if ctx.attr.dpcpp else None
    return [platform_common.ToolchainInfo(
        sycl = SyclToolchainInfo(
            copts = [ctx.expand_location(option, ctx.attr.headers) for option in ctx.attr.copts],
            dpcpp = dpcpp,
            headers = base.headers if base and not ctx.files.headers else depset(ctx.files.headers),
            libsycl = ctx.attr.libsycl,
            missing = dpcpp.missing if dpcpp else tools["clang"].missing,
            runtime = ctx.attr.runtime,
            **tools
        ),
    )]

def _program(doc):
    return attr.label(allow_files = True, cfg = "exec", doc = doc)

sycl_toolchain = rule(
    implementation = _sycl_toolchain_impl,
    doc = """Declares the programs that build SYCL device code.

The device compiler is `clang`, or DPC++ if `dpcpp` is set, as in the repositories of
`sycl.dpcpp` tags.

A program is an executable target, a file, or a `filegroup` of one file whose `data` contains
everything that the program reads. It and its files are inputs only of the actions that run it.
For an installed program, use a [sycl_local_program](#sycl_local_program).

Every program may be missing. A target that needs a missing program fails with an error that
names the program, its package and the attribute. Without a device compiler, the
toolchain is disabled: `bazel build //...` skips the targets that compile SYCL.

[docs/build/toolchains.md](../build/toolchains.md) has complete examples.
""",
    attrs = {
        "base": attr.label(
            doc = "Another `sycl_toolchain`. It provides the programs and headers that this toolchain does not set.",
            providers = [platform_common.ToolchainInfo],
        ),
        "clang": _program("clang++, version 21 or newer."),
        "copts": attr.string_list(
            default = ["-std=c++20", "-fno-math-errno"],
            doc = "Options for every device compilation, after the options of the compilation mode and before the target's own `copts`. `$(execpath LABEL)` is the path of a target in `headers`. The mode `-c opt` adds `-O2 -DNDEBUG`, `fastbuild` adds `-O2`, and `dbg` adds `-O0 -g`, which keeps debug information in the images.",
        ),
        "dpcpp": attr.label(
            cfg = "exec",
            doc = "DPC++ as the device compiler, instead of `clang`: a target with [SyclDpcppInfo](#sycldpcppinfo), such as `@sycl_dpcpp//:compiler`.",
            providers = [SyclDpcppInfo],
        ),
        "headers": attr.label_list(
            allow_files = True,
            cfg = "exec",
            doc = "Headers that the compiler finds without an option of the target: its own headers, and the headers of the C++ and C libraries. They are inputs of every compilation. For installed headers, use a file whose content changes with them.",
        ),
        "libclc": _program("libclc's bitcode nvptx64--.bc of LLVM 21, for `nvidia_gpu_sm_*` targets: [mathematical functions](../build/stock-clang.md#mathematical-functions). Optional."),
        "libsycl": attr.label(
            doc = "DPC++'s runtime that ordinary SYCL programs are linked to, such as `@sycl_dpcpp`.",
            providers = [[CcInfo, SyclRuntimeInfo]],
        ),
        "llc": _program("llc, for `nvidia_gpu_sm_*` and `amd_gpu_gfx*` targets, and for SPIR-V if `llvm_spirv` is missing."),
        "lld": _program("ld.lld, for `amd_gpu_gfx*` targets."),
        "llvm_dis": _program("llvm-dis."),
        "llvm_link": _program("llvm-link."),
        "llvm_spirv": _program("llvm-spirv."),
        "missing": attr.string_dict(doc = "Attribute of a missing program -> where it was looked up, for the error."),
        "ocloc": _program("ocloc, for `intel_gpu_*` targets."),
        "opt": _program("opt."),
        "runtime": attr.string(
            default = "2026.0",
            doc = "Release of DPC++'s runtime that SYCLBINs are for, unless their target sets a different one: 2025.3, 2026.0 (which all 2026 releases load) or 2026.2.",
            values = ["2025.3", "2026.0", "2026.2"],
        ),
        "spirv_val": _program("spirv-val."),
    },
)
