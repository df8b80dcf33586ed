"""The runtime of ordinary SYCL programs as a dependency, for `cc_shared_library`."""

load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")
load("@rules_cc//cc/common:cc_shared_library_hint_info.bzl", "CcSharedLibraryHintInfo")
load("//rules:find_sycl_toolchain.bzl", "SYCL_TOOLCHAIN_TYPE", "use_sycl_toolchain")
load("//rules:providers.bzl", "SyclRuntimeInfo")

def _libsycl_impl(ctx):
    libsycl = ctx.toolchains[SYCL_TOOLCHAIN_TYPE].sycl.libsycl
    linking = libsycl[CcInfo].linking_context if libsycl else None
    preview = getattr(libsycl[SyclRuntimeInfo], "preview", None) if libsycl else None
    owners = {i.owner: None for i in linking.linker_inputs.to_list()} if linking else {}
    if preview:
        owners[preview.label] = None
    return [
        CcInfo(linking_context = linking),
        CcSharedLibraryHintInfo(attributes = [], owners = owners.keys() or [ctx.label]),
    ]

libsycl = rule(
    implementation = _libsycl_impl,
    doc = """Provides the device compiler's libsycl.

    `cc_shared_library`, and `cc_binary` with `dynamic_deps`, link only what they find through
    attributes of rules, not through toolchains. Without this target, libsycl would not be linked.
    """,
    provides = [CcInfo],
    toolchains = use_sycl_toolchain(),
)
