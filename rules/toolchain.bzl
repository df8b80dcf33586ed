"""The sycl_toolchain rule."""

load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")
load(":providers.bzl", "SyclDpcppInfo", "SyclRuntimeInfo", "SyclToolInfo", "SyclToolchainInfo")

TOOLCHAIN_TYPE = "//rules/toolchain:toolchain_type"

# Attribute -> (what the program is, the Debian package that has it).
TOOLS = {
    "clang": ("clang++ 21 or newer", "clang-21"),
    "llc": ("LLVM's llc", "llvm-21"),
    "llvm_dis": ("llvm-dis", "llvm-21, or llvm-22 for the bitcode of DPC++"),
    "llvm_link": ("llvm-link", "llvm-21, or llvm-22 for the bitcode of DPC++"),
    "llvm_spirv": ("llvm-spirv", "llvm-spirv-21"),
    "ocloc": ("ocloc with the Intel graphics compiler", "intel-ocloc and libigc2"),
    "opt": ("LLVM's opt", "llvm-21, or llvm-22 for the bitcode of DPC++"),
    "spirv_val": ("spirv-val", "spirv-tools"),
}

def _sycl_toolchain_impl(ctx):
    stamps = {name: [] for name in TOOLS}
    for target, name in ctx.attr.stamps.items():
        if name not in stamps:
            fail("%s: stamps: %s is not one of %s" % (ctx.label, name, ", ".join(sorted(TOOLS))))
        stamps[name].append(target[DefaultInfo].files)
    for name in ctx.attr.missing:
        if name not in TOOLS:
            fail("%s: missing: %s is not one of %s" % (ctx.label, name, ", ".join(sorted(TOOLS))))

    base = ctx.attr.base[platform_common.ToolchainInfo].sycl if ctx.attr.base else None
    tools = {}
    for name, (what, package) in TOOLS.items():
        path = getattr(ctx.attr, name)
        if base and not path and name not in ctx.attr.missing:
            tools[name] = getattr(base, name)
            continue
        tools[name] = SyclToolInfo(
            path = path,
            files = depset(transitive = stamps[name]),
            missing = "" if path else (
                "{what} is missing: {why}. Install it (Debian: {package}) and build again, or set the attribute '{attr}' of the sycl_toolchain {label}.".format(
                    what = what,
                    why = ctx.attr.missing.get(name, "the toolchain has no path for it"),
                    package = package,
                    attr = name,
                    label = ctx.label,
                )
            ),
        )
    return [platform_common.ToolchainInfo(
        sycl = SyclToolchainInfo(
            copts = ctx.attr.copts,
            dpcpp = ctx.attr.dpcpp[SyclDpcppInfo] if ctx.attr.dpcpp else None,
            libsycl = ctx.attr.libsycl,
            runtime = ctx.attr.runtime,
            **tools
        ),
    )]

sycl_toolchain = rule(
    implementation = _sycl_toolchain_impl,
    doc = """Names the programs that SYCL device code is built with.

The device compiler is `clang`, or DPC++ when there is `dpcpp`, which the repositories
of `sycl.dpcpp` tags set.

Every program may be missing. A target that needs a missing one fails with a
message that names the program, the package that has it, and the attribute.

Programs that are not Bazel targets are invisible to Bazel's caches: give a file
in `stamps` whose content changes when the program does, as the `sycl` module
extension does with versions and checksums.
""",
    attrs = {
        "base": attr.label(
            doc = "Another `sycl_toolchain`, whose programs are taken where this one has none.",
            providers = [platform_common.ToolchainInfo],
        ),
        "clang": attr.string(doc = "Path of clang++, version 21 or newer."),
        "copts": attr.string_list(
            default = ["-std=c++20", "-O2", "-fno-math-errno"],
            doc = "Options of every device compile, before the target's own `copts`.",
        ),
        "dpcpp": attr.label(
            cfg = "exec",
            doc = "DPC++ as the device compiler, in place of `clang`: a target with SyclDpcppInfo, such as `@sycl_dpcpp//:compiler`.",
            providers = [SyclDpcppInfo],
        ),
        "libsycl": attr.label(
            doc = "DPC++'s runtime, which ordinary SYCL programs are linked to, such as `@sycl_dpcpp`.",
            providers = [[CcInfo, SyclRuntimeInfo]],
        ),
        "llc": attr.string(doc = "Path of llc, used to write SPIR-V when there is no `llvm_spirv`."),
        "llvm_dis": attr.string(doc = "Path of llvm-dis."),
        "llvm_link": attr.string(doc = "Path of llvm-link."),
        "llvm_spirv": attr.string(doc = "Path of llvm-spirv."),
        "missing": attr.string_dict(doc = "For a program that is missing: where it was looked for."),
        "ocloc": attr.string(doc = "Path of ocloc, needed by the `intel_gpu_*` targets."),
        "opt": attr.string(doc = "Path of opt."),
        "runtime": attr.string(
            default = "2026.0",
            doc = "Release of DPC++'s runtime that SYCLBINs are for, unless their target says otherwise: 2025.3, 2026.0 (which all of 2026 load) or 2026.2.",
            values = ["2025.3", "2026.0", "2026.2"],
        ),
        "spirv_val": attr.string(doc = "Path of spirv-val."),
        "stamps": attr.label_keyed_string_dict(
            allow_files = True,
            doc = "Files that change when a program changes, each with the name of that program's attribute.",
        ),
    },
)
