"""The macro sycl_dpcpp_toolchain."""

load("//rules/private:names.bzl", "is_own_target")
load("//rules/private:sycl_runtime_targets.bzl", "libsycl_files", "problem_of_dpcpp", "sycl_runtime_targets")
load("//rules/private:sycl_runtime_versions.bzl", "RELEASES")

def sycl_dpcpp_toolchain(name, base, copts = ["-std=c++17"], headers = [], version = ""):
    """A [sycl_toolchain](#sycl_toolchain) of the DPC++ in the package's folder, all by labels.

    For an archive of oneAPI's compiler or of intel/llvm that is a repository of its own: the
    BUILD file is that of the folder with `lib` and `include`. The device compiler is
    `lib/libsycl-jit.so`, and its files are inputs of the actions that run it.
    [docs/build/toolchains.md](../build/toolchains.md#use-dpc-from-a-repository) is the guide.

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
        copts: options of every device compile, as [sycl_toolchain](#sycl_toolchain) has them.
        headers: the headers of the C++ and the C library, which are inputs of every compile.
            Without any, those of `base`. `copts` name their folder. The headers of a C++
            toolchain of labels are inputs in any case.
        version: the version of DPC++, for messages.
    """
    if name != "toolchain" and (name == "runtime" or is_own_target(name)):
        fail("sycl_dpcpp_toolchain: the name %r is reserved; give the toolchain another name, such as toolchain" % name)
    folder = "//" + native.package_name()
    libsycl = libsycl_files()
    problem = problem_of_dpcpp(
        libsycl,
        native.glob(["lib/libsycl-jit.so*"], allow_empty = True),
        native.glob(["include/sycl/sycl.hpp"], allow_empty = True),
    )
    if problem:
        fail("sycl_dpcpp_toolchain %s: the folder of %s %s" % (name, folder, problem))
    number = libsycl[0].removeprefix("lib/libsycl.so.")
    sycl_runtime_targets(
        name = "runtime",
        compiler = {
            "copts": copts,
            "headers": headers,
            "programs": base,
            "runtime": RELEASES[number],
            "version": version or "libsycl.so.%s of @@%s%s" % (number, native.repo_name(), folder),
        },
        missing = "",
    )
    if name != "toolchain":
        native.alias(name = name, actual = "toolchain", visibility = ["//visibility:public"])
