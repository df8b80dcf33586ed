"""The rule of the macro sycl_test, in its own file so that it can have the same name as the macro."""

load("//rules:providers.bzl", "SyclRuntimeInfo")
load("//rules/private/compat:compat.bzl", "quoted", "runfile", "script_head")
load("//rules/private/compile:coverage.bzl", "COVERAGE_ATTRS")
load("//rules/private/options:options.bzl", "expanded_text")
load("//rules/private/targets:names.bzl", "shown")

# Device -> (its name in the message if it is missing, shell commands that set up the runtime). The
# runtime gets devices from OpenCL's loader, which reads the OCL_ICD_ variables.
_DEVICES = {
    "any": ("device", []),
    "cpu": ("Intel OpenCL CPU device", [
        "mkdir -p \"$scratch/vendors\" || exit 4",
        "export ONEAPI_DEVICE_SELECTOR=opencl:cpu OCL_ICD_VENDORS=\"$scratch/vendors\" OCL_ICD_FILENAMES=%s",
    ]),
    "gpu": ("GPU", ["export ONEAPI_DEVICE_SELECTOR='level_zero:gpu;opencl:gpu'"]),
    "pocl": ("PoCL device", [
        "driver=$(cat \"${OCL_ICD_VENDORS:-/etc/OpenCL/vendors}\"/pocl*.icd 2> /dev/null)",
        "test \"$driver\" || absent",
        "mkdir -p \"$scratch/vendors\" || exit 4",
        "export ONEAPI_DEVICE_SELECTOR='opencl:*' OCL_ICD_VENDORS=\"$scratch/vendors\" OCL_ICD_FILENAMES=\"$driver\"",
        "export POCL_CACHE_DIR=\"$scratch/pocl\"",
    ]),
}

_SKIP = """absent() {
  echo "skipped: $reason"
  test -z "${TEST_SHARD_STATUS_FILE:-}" || touch "$TEST_SHARD_STATUS_FILE"
  test -z "${XML_OUTPUT_FILE:-}" || cat > "$XML_OUTPUT_FILE" << EOF
<testsuites><testsuite name="$name" tests="1" skipped="1"><testcase name="$name"><skipped message="$reason"/></testcase></testsuite></testsuites>
EOF
  exit 0
}"""

_FAIL = """absent() {
  echo "$name: $reason" >&2
  exit 1
}"""

# The CPU device comes with the runtime, so it is an error on any system if it does not work.
_NO_CPU = ", which comes with DPC++; see the reason above; fix the problem, or set the attribute device to any, gpu or pocl"
_NO_CPU_DRIVER = "the runtime %s has no Intel OpenCL CPU device (lib/libintelocl.so); use sycl.dpcpp or sycl.runtime with a version, or set the attribute device to any, gpu or pocl"

def _sycl_test_impl(ctx):
    runtime = ctx.attr.runtime[SyclRuntimeInfo]
    what, setup = _DEVICES[ctx.attr.device]
    reason = "the SYCL runtime finds no " + what
    files = []
    if ctx.attr.device == "cpu":
        files = runtime.cpu_device
        if runtime.cpu_driver:
            setup = setup[:-1] + [setup[-1] % runfile(runtime.cpu_driver)]
            reason += _NO_CPU
        else:
            setup = ["absent"]
            reason = _NO_CPU_DRIVER % shown(ctx.attr.runtime.label)
    elif ctx.attr.required:
        reason += ", but the attribute required is set"
    lines = script_head(ctx, "$runfiles") + [
        "scratch=${TEST_TMPDIR:-$(mktemp -d)}",
        "name=" + quoted(shown(ctx.label)),
        "reason=" + quoted(reason),
        _FAIL if ctx.attr.device == "cpu" or ctx.attr.required else _SKIP,
    ] + setup + [
        runfile(runtime.devices),
        "case $? in 0) ;; 3) absent ;; *) exit 4 ;; esac",
        "exec %s \"$@\"" % runfile(ctx.executable.binary),
    ]
    script = ctx.actions.declare_file(ctx.label.name + ".sh")
    ctx.actions.write(script, "\n".join(lines) + "\n", is_executable = True)
    runfiles = ctx.runfiles([ctx.executable.binary, runtime.devices] + files + ctx.files.data)
    return [
        DefaultInfo(
            executable = script,
            files = depset([script]),
            runfiles = runfiles.merge_all(
                [t[DefaultInfo].default_runfiles for t in [ctx.attr.binary] + ctx.attr.data] +
                [runtime.devices_runfiles],
            ),
        ),
        RunEnvironmentInfo(
            environment = {
                key: expanded_text(ctx, "env", value)
                for key, value in ctx.attr.env.items()
            },
            inherited_environment = ctx.attr.env_inherit,
        ),
        coverage_common.instrumented_files_info(ctx, dependency_attributes = ["binary", "data"]),
    ]

# sycl_cc_test is the same rule with a different name.
SYCL_TEST_RULE = dict(
    implementation = _sycl_test_impl,
    doc = "The rule behind the macro sycl_test.",
    attrs = {
        "binary": attr.label(
            cfg = "target",
            doc = "The program, such as a `cc_binary`.",
            executable = True,
            mandatory = True,
        ),
        "data": attr.label_list(
            allow_files = True,
            doc = "Files that the program reads.",
        ),
        "device": attr.string(
            default = "cpu",
            values = sorted(_DEVICES),
        ),
        "env": attr.string_dict(
            doc = "Environment variables of the program. `$(rootpath)` and similar variables refer to files in `data`, and Make variables are expanded.",
        ),
        "env_inherit": attr.string_list(
            doc = "Environment variables that the program inherits from the environment of `bazel test`.",
        ),
        "required": attr.bool(doc = "If True, the test fails instead of being skipped if the system does not have the device. Tests with `device = \"cpu\"` always do so."),
        "runtime": attr.label(providers = [SyclRuntimeInfo]),
    } | COVERAGE_ATTRS,
    fragments = ["coverage"],
    test = True,
)

sycl_test = rule(**SYCL_TEST_RULE)
