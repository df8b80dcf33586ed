"""The macro sycl_dpcpp_toolchain."""

load("//rules/private/repositories:sycl_runtime_targets.bzl", "libsycl_files", "problem_of_dpcpp", "sycl_runtime_targets")
load("//rules/private/repositories:sycl_runtime_versions.bzl", "RELEASES")
load("//rules/private/targets:names.bzl", "is_own_target")

def sycl_dpcpp_toolchain(name, base, copts = ["-std=c++17"], headers = [], version = ""):
    """Declares a [sycl_toolchain](#sycl_toolchain) for the DPC++ in the package's directory.

    Use it in the BUILD file of a repository that contains oneAPI's compiler or a build of
    intel/llvm, in the directory with `lib` and `include`. The device compiler is
    `lib/libsycl-jit.so`, and its files are inputs of the actions that run it.
    [docs/build/toolchains.md](../build/toolchains.md#use-dpc-from-a-repository) is the guide.

    ```starlark
    sycl_dpcpp_toolchain(
        name = "toolchain",
        base = "@sycl_local//:with_dpcpp",
    )
    ```

    It also declares the targets of [sycl.runtime](#syclruntime): `sycl`, `cpu_device`,
    `cpu_driver`, `devices`, and `runtime`, which contains all of them.

    Args:
        name: name of the toolchain.
        base: the `sycl_toolchain` that provides the other programs: ocloc, spirv-val, and LLVM's programs.
        copts: options for every device compilation, as in [sycl_toolchain](#sycl_toolchain).
        headers: the headers of the C++ and the C library, which are inputs of every compilation.
            Name their directory in `copts`. Defaults to the headers of `base`. The headers of a
            C++ toolchain from a repository are always inputs.
        version: the version of DPC++, for messages.
    """
    if name != "toolchain" and (name == "runtime" or is_own_target(name)):
        fail("sycl_dpcpp_toolchain: the name %r is reserved; use a different name, such as toolchain" % name)
    directory = "//" + native.package_name()
    libsycl = libsycl_files()
    problem = problem_of_dpcpp(
        libsycl,
        native.glob(["lib/libsycl-jit.so*"], allow_empty = True),
        native.glob(["include/sycl/sycl.hpp"], allow_empty = True),
    )
    if problem:
        fail("sycl_dpcpp_toolchain %s: the directory of %s %s" % (name, directory, problem))
    number = libsycl[0].removeprefix("lib/libsycl.so.")
    sycl_runtime_targets(
        name = "runtime",
        compiler = {
            "copts": copts,
            "headers": headers,
            "programs": base,
            "runtime": RELEASES[number],
            "version": version or "libsycl.so.%s of @@%s%s" % (number, native.repo_name(), directory),
        },
        missing = "",
    )
    if name != "toolchain":
        native.alias(name = name, actual = "toolchain", visibility = ["//visibility:public"])
