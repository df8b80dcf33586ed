"""The sycl_toolchain rule."""

load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")
load(":providers.bzl", "SyclDpcppInfo", "SyclRuntimeInfo", "SyclToolInfo", "SyclToolchainInfo")

# Attribute -> (what the program is, the Debian package that has it).
TOOLS = {
    "clang": ("clang++ 21 or newer", "clang-21"),
    "llc": ("LLVM's llc", "llvm-21"),
    "lld": ("ld.lld", "lld-21"),
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
                    why = ctx.attr.missing.get(name, "the toolchain has no path of it"),
                    package = package,
                    attr = name,
                    label = ctx.label,
                )
            ),
        )
    dpcpp = ctx.attr.dpcpp[SyclDpcppInfo] if ctx.attr.dpcpp else None
    return [platform_common.ToolchainInfo(
        sycl = SyclToolchainInfo(
            copts = ctx.attr.copts,
            dpcpp = dpcpp,
            libsycl = ctx.attr.libsycl,
            missing = dpcpp.missing if dpcpp else tools["clang"].missing,
            runtime = ctx.attr.runtime,
            **tools
        ),
    )]

sycl_toolchain = rule(
    implementation = _sycl_toolchain_impl,
    doc = """Names the programs that SYCL device code is built with.

The device compiler is `clang`, or DPC++ when `dpcpp` is set, as in the repositories of
`sycl.dpcpp` tags.

Every program may be missing. A target that needs a missing program fails: the error names
the program, the package that has it, and the attribute.

Bazel does not see when a program that is not a Bazel target changes. For such a program,
give a file in `stamps` whose content changes with it. The `sycl` module extension does so
with versions and checksums.
""",
    attrs = {
        "base": attr.label(
            doc = "Another `sycl_toolchain`. Its programs are used where this one has none.",
            providers = [platform_common.ToolchainInfo],
        ),
        "clang": attr.string(doc = "Path of clang++, version 21 or newer."),
        "copts": attr.string_list(
            default = ["-std=c++20", "-fno-math-errno"],
            doc = "Options of every device compile, after those of the build's mode and before the target's own `copts`. The mode `-c opt` gives `-O2 -DNDEBUG`, `fastbuild` gives `-O2`, and `dbg` gives `-O0 -g`, which keeps debug information in the shipped code.",
        ),
        "dpcpp": attr.label(
            cfg = "exec",
            doc = "DPC++ as the device compiler, in place of `clang`: a target with [SyclDpcppInfo](#sycldpcppinfo), such as `@sycl_dpcpp//:compiler`.",
            providers = [SyclDpcppInfo],
        ),
        "libsycl": attr.label(
            doc = "DPC++'s runtime that ordinary SYCL programs are linked to, such as `@sycl_dpcpp`.",
            providers = [[CcInfo, SyclRuntimeInfo]],
        ),
        "llc": attr.string(doc = "Path of llc, for `nvidia_gpu_sm_*` and `amd_gpu_gfx*` targets, and for SPIR-V where `llvm_spirv` is missing."),
        "lld": attr.string(doc = "Path of ld.lld, for `amd_gpu_gfx*` targets."),
        "llvm_dis": attr.string(doc = "Path of llvm-dis."),
        "llvm_link": attr.string(doc = "Path of llvm-link."),
        "llvm_spirv": attr.string(doc = "Path of llvm-spirv."),
        "missing": attr.string_dict(doc = "Attribute of a missing program -> where it was looked for, for the error."),
        "ocloc": attr.string(doc = "Path of ocloc, for `intel_gpu_*` targets."),
        "opt": attr.string(doc = "Path of opt."),
        "runtime": attr.string(
            default = "2026.0",
            doc = "Release of DPC++'s runtime that SYCLBINs are for, unless their target says otherwise: 2025.3, 2026.0 (which all of 2026 load) or 2026.2.",
            values = ["2025.3", "2026.0", "2026.2"],
        ),
        "spirv_val": attr.string(doc = "Path of spirv-val."),
        "stamps": attr.label_keyed_string_dict(
            allow_files = True,
            doc = "File that changes when a program changes -> the attribute of that program.",
        ),
    },
)
