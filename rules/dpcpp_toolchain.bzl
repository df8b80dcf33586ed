"""The macro sycl_dpcpp_toolchain."""

load("//rules/private:sycl_runtime_targets.bzl", "libsycl_files", "sycl_runtime_targets")
load("//rules/private:sycl_runtime_versions.bzl", "RELEASES")

def sycl_dpcpp_toolchain(name, base, version = ""):
    """A [sycl_toolchain](#sycl_toolchain) of the DPC++ in the package's folder, all by labels.

    For an archive of oneAPI's compiler or of intel/llvm that is a repository of its own: the
    BUILD file is that of the folder with `lib` and `include`. The device compiler is
    `lib/libsycl-jit.so`, and its files are inputs of the actions that run it.
    [docs/toolchains.md](toolchains.md#dpc-of-labels) is the guide.

    ```starlark
    sycl_dpcpp_toolchain(
        name = "toolchain",
        base = "@sycl_local//:with_dpcpp",
    )
    ```

    It also declares the targets of [sycl.runtime](#syclruntime): `sycl`, `cpu_device`,
    `cpu_driver`, `devices`, and `runtime` for all of it.

    Args:
        name: name of the toolchain.
        base: the `sycl_toolchain` that has the other programs: ocloc, spirv-val, and LLVM's.
        version: the version of DPC++, for messages.
    """
    if name in ["cpu_device", "cpu_driver", "devices", "runtime", "sycl"]:
        fail("sycl_dpcpp_toolchain %s: name: there is a target of this name already; take another one, such as toolchain" % name)
    folder = "//" + native.package_name()
    found = [f.removeprefix("lib/libsycl.so.") for f in libsycl_files()]
    if len(found) != 1 or not native.glob(["lib/libsycl-jit.so*"], allow_empty = True) or not native.glob(["include/sycl/sycl.hpp"], allow_empty = True):
        fail("sycl_dpcpp_toolchain %s: the folder of %s has no DPC++: it needs lib/libsycl-jit.so, which oneAPI has since 2025.3 and which the target sycl-jit of an intel/llvm build makes, one lib/libsycl.so.N, and include/sycl" % (name, folder))
    release = RELEASES.get(found[0])
    if not release:
        fail("sycl_dpcpp_toolchain %s: this release of rules_sycl does not know the release of DPC++ that lib/libsycl.so.%s is of; it knows libsycl.so.%s" % (name, found[0], " and libsycl.so.".join(RELEASES.keys())))
    sycl_runtime_targets(
        name = "runtime",
        compiler = {
            "programs": base,
            "runtime": release,
            "version": version or "libsycl.so.%s of %s%s" % (found[0], native.repository_name(), folder),
        },
        missing = "",
    )
    if name != "toolchain":
        native.alias(name = name, actual = "toolchain", visibility = ["//visibility:public"])
