"""The sycl_cc_test rule."""

load("//rules/private/compile:common_attributes.bzl", "common_attributes")
load("//rules/private/kinds:sycl_cc_test.bzl", _sycl_cc_test = "sycl_cc_test")
load("//rules/private/toolchain:current_runtime.bzl", "runtime_of")
load(":sycl_cc_binary.bzl", "declare_program")
load(":sycl_test.bzl", "declare_test")

# Attributes of the test itself; all others are passed to its program.
_TEST = ["args", "env", "env_inherit", "flaky", "local", "required", "runtime", "shard_count", "size", "timeout"]

# The execution groups of cc_binary.
_LINK = ["cpp_link"]

def sycl_cc_test(name, *, device = "cpu", visibility = None, **kwargs):
    """Builds an ordinary SYCL program and runs it as a test on a local SYCL device.

    ```starlark
    sycl_cc_test(
        name = "blur_test",
        srcs = ["blur_test.cpp"],
        deps = [":blur"],
    )
    ```

    The test passes if the program exits with 0. If the system has no `pocl`, `gpu` or `any`
    device, the test passes and its log says `skipped`; with `required = True`, it fails
    instead. A test whose `cpu` device does not load always fails.

    Args:
        name: A unique name for this target.
        device: The device to run on: `cpu` is Intel's OpenCL CPU device, which comes
            with the runtime; `pocl` is an installed PoCL; `gpu` is any GPU; `any` is the device
            that the runtime chooses.
        visibility: Visibility of the test. Its program, `NAME.run`, is private.
        **kwargs: Attributes of the test: `args`, `env`, `env_inherit`, `flaky`, `local`, `required`,
            `runtime`, `shard_count`, `size` and `timeout`, as in [sycl_test](#sycl_test);
            and all attributes of [sycl_cc_binary](#sycl_cc_binary).
    """
    own = {key: kwargs.pop(key) for key in _TEST if key in kwargs}
    own["runtime"] = own.get("runtime") or runtime_of(name + ".run", kwargs.get("device_compiler"))
    both = common_attributes(kwargs, groups = ["test"])
    program = kwargs | common_attributes(kwargs, groups = _LINK) | {
        "testonly": True,
        "visibility": ["//visibility:private"],
    }
    data = program.pop("data", [])
    declare_program("sycl_cc_test", name, name + ".run", data, program, _TEST + ["device"])
    declare_test(
        _sycl_cc_test,
        name,
        device,
        both.pop("tags", []),
        binary = ":" + name + ".run",
        data = data,
        srcs = program.get("srcs", []),
        visibility = visibility,
        **(own | both)
    )
