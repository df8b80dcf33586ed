"""The sycl_cc_test rule."""

load("//rules/private:common_attributes.bzl", "common_attributes")
load("//rules/private:current_runtime.bzl", "runtime_of")
load(":sycl_cc_binary.bzl", "sycl_cc_binary")
load(":sycl_test.bzl", "sycl_test")

# Attributes of the test itself; all others are those of its program.
_TEST = ["args", "env", "env_inherit", "flaky", "local", "required", "runtime", "shard_count", "size", "timeout"]

# The execution groups of cc_binary.
_LINK = ["cpp_link"]

def sycl_cc_test(name, device = "cpu", visibility = None, **kwargs):
    """A test that is an ordinary SYCL program, run on a SYCL device of this machine.

    ```starlark
    sycl_cc_test(
        name = "blur_test",
        srcs = ["blur_test.cpp"],
        deps = [":blur"],
    )
    ```

    The test passes when the program exits with 0. On a machine without a `pocl`, `gpu` or
    `any` device the test passes, and its log says `skipped`. With `required = True` it fails
    instead, and so does a test whose `cpu` device does not load.

    Args:
        name: A unique name for this target.
        device: What the program runs on: `cpu` is Intel's OpenCL CPU device, which comes
            with the runtime; `pocl` the machine's PoCL; `gpu` any GPU; `any` the device that
            the runtime chooses.
        visibility: Visibility of the test. Its program, `NAME.run`, is private.
        **kwargs: Attributes of the test, `args`, `env`, `env_inherit`, `flaky`, `local`, `required`,
            `runtime`, `shard_count`, `size` and `timeout`, as [sycl_test](#sycl_test) has
            them; and all attributes of [sycl_cc_binary](#sycl_cc_binary).
    """
    own = {key: kwargs.pop(key) for key in _TEST if key in kwargs}
    own["runtime"] = own.get("runtime") or runtime_of(name + ".run", kwargs.get("device_compiler"))
    both = common_attributes(kwargs, groups = ["test"])
    program = common_attributes(kwargs, groups = _LINK) | {"testonly": True}
    sycl_cc_binary(
        name = name + ".run",
        visibility = ["//visibility:private"],
        **(kwargs | program)
    )
    sycl_test(
        name = name,
        binary = ":" + name + ".run",
        data = kwargs.get("data", []),
        device = device,
        visibility = visibility,
        **(own | both)
    )
