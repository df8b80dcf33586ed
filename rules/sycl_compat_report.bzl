"""The sycl_compat_report rule."""

load("//rules/private/compat:compat_baseline.bzl", "declare_baseline_test", "declare_update")
load("//rules/private/kinds:sycl_compat_report.bzl", _sycl_compat_report = "sycl_compat_report")

# The reference page has its attributes, which the macro passes on.
sycl_compat_report_rule = _sycl_compat_report

def sycl_compat_report(name, *, baseline = None, policy = None, **kwargs):
    """Reports which kernel runs on which device, with the reason if it does not.

    ```starlark
    sycl_compat_report(
        name = "compat",
        deps = [":kernels"],
    )
    ```

    Building the target writes `NAME.compat.json`. The content of the report never fails the
    build. `bazel run` prints the report as a table. Arguments after `--` are passed to
    `compat show`: `bazel run //:compat -- --open` shows the report in a browser,
    `bazel run //:compat -- --format markdown --output report.md` writes it to a file in
    the current directory.

    All `deps` count as parts of one program. A kernel that is in two of them runs on a
    device if it runs in one of them.

    With `baseline`, there are two more targets:

    - `bazel run //:compat.update` writes the baseline, which lists known and accepted
      problems. It writes no other file, and refuses to run if the variable `CI` is set.
    - The test `compat.baseline_test` fails if `compat.update` would write a different
      baseline.

    ```starlark
    sycl_compat_report(
        name = "compat",
        baseline = "sycl-compat-baseline.json",
        policy = "sycl-compat.yaml",
        deps = [":kernels"],
    )
    ```

    Args:
        name: A unique name for this target.
        baseline: Path of a JSON file in the package with the known problems. The first
            `NAME.update` creates it.
        policy: Label of a YAML file, the policy for the baseline. It determines which problems
            count, and has its own exceptions. Requires `baseline`.
        **kwargs: Attributes of every Bazel rule, such as `visibility`, `tags` and `testonly`.
            They also apply to `NAME.update` and `NAME.baseline_test`.
    """
    if policy and not baseline:
        fail("//%s:%s: policy requires baseline; set it, or use sycl_compat_test to check a report against a policy without a baseline" % (native.package_name(), name))
    _sycl_compat_report(name = name, **kwargs)
    if baseline:
        declare_update(name, baseline, policy, kwargs)
        declare_baseline_test(name, baseline, policy, kwargs)
