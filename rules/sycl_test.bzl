"""The sycl_test rule."""

load("//rules/private/kinds:sycl_test.bzl", _sycl_test = "sycl_test")

# The reference page has its attributes, which the macro passes on.
sycl_test_rule = _sycl_test

def declare_test(rule, name, device, tags, **kwargs):
    """Declares a test.

    Args:
        rule: the rule.
        name: name of the test.
        device: the attribute device.
        tags: the attribute tags.
        **kwargs: all other attributes.
    """

    # In Bazel 8, macros pass None for inherited attributes that are not set.
    device = device or "cpu"
    rule(
        name = name,
        device = device,
        tags = (tags or []) + (["external"] if device != "cpu" else []),
        **kwargs
    )

def sycl_test(name, *, device = "cpu", runtime = None, tags = [], **kwargs):
    """Runs a program as a test on a local SYCL device.

    ```starlark
    cc_binary(
        name = "program",
        srcs = ["program.cpp"],
        copts = ["-std=c++17"],
        deps = ["@sycl_runtime//:sycl"],
    )

    sycl_test(
        name = "program_test",
        args = ["$(rootpath :kernels)"],
        binary = ":program",
        data = [":kernels"],
        device = "cpu",
    )
    ```

    The test passes if the program exits with 0. It first prints the devices that the
    runtime finds. If the system has no `pocl`, `gpu` or `any` device, the test passes, and
    its log and XML show `skipped` and the reason. With `required`, it fails instead. It also fails
    if the `cpu` device, which comes with DPC++, does not load; the log contains the loader's
    error. The program runs in the workspace's directory of the runfiles.

    By default, the runtime is `@sycl_runtime`, the repository of a `sycl.runtime` tag in
    `MODULE.bazel`. On a system that cannot fetch it because `pip` is missing,
    `bazel test //...` skips the test.

    Args:
        name: A unique name for this target.
        device: The device to run on: `cpu` is Intel's OpenCL CPU device, which comes
            with the runtime; `pocl` is an installed PoCL; `gpu` is any GPU, through Level Zero
            or OpenCL; `any` is the device that the runtime chooses.
        runtime: The repository of the `sycl.runtime` or `sycl.dpcpp` tag whose runtime the
            program is linked to. Defaults to `@sycl_runtime`.
        tags: Tags of the test. If `device` is not `cpu`, the tag `external` is added, because
            Bazel does not track the devices of the system.
        **kwargs: Attributes of every Bazel test, such as `args`, which are passed to the program,
            `size` and `visibility`.
    """
    declare_test(_sycl_test, name, device, tags, runtime = runtime or Label("@sycl_toolchains//runtime"), **kwargs)
