"""The sycl_compat_test rule."""

load("//rules/private/compat:compat_baseline.bzl", "declare_update", "existing")
load("//rules/private/kinds:sycl_compat_test.bzl", _sycl_compat_test = "sycl_compat_test")

# The reference page has its attributes, which the macro passes on.
sycl_compat_test_rule = _sycl_compat_test

def sycl_compat_test(name, *, baseline = None, policy = None, **kwargs):
    """Tests that every kernel runs on the devices that you require.

    ```starlark
    sycl_compat_test(
        name = "compat_test",
        devices = ["intel_gpu_pvc", "intel_gpu_bmg_g21"],
        deps = [":kernels"],
    )
    ```

    With `baseline`, known problems do not fail the test, and
    `bazel run //:compat_test.update` writes the baseline.

    Args:
        name: A unique name for this target.
        baseline: Path of a JSON file in the package with the known problems. If the file
            does not exist, no problem is known.
        policy: Label of a YAML file, the policy, which determines which kernels must run
            on which devices. Without a policy, each kernel must run on each device.
        **kwargs: Attributes of every Bazel test, such as `size`, `tags` and `visibility`.
    """
    _sycl_compat_test(
        name = name,
        baseline = existing(name, baseline) if baseline else None,
        policy = policy,
        **kwargs
    )
    if baseline:
        declare_update(name, baseline, policy, kwargs | {"testonly": True})
