"""The sycl_compat_aspect aspect."""

load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")
load(":providers.bzl", "SyclCompatSetInfo", "SyclProgramInfo", "SyclbinInfo")

# Attributes with programs that the build runs.
_TOOLS = ["exec_tools", "toolchains", "tools"]

def _sets(rule_attr, names):
    """Returns the SyclCompatSetInfo of all targets in the given attributes of a rule."""
    found = []
    for name in names:
        value = getattr(rule_attr, name, None)
        if type(value) == "dict":
            value = value.keys() + value.values()
        elif type(value) != "list":
            value = [value]
        found += [v[SyclCompatSetInfo] for v in value if type(v) == "Target" and SyclCompatSetInfo in v]
    return found

def _objects(target, ctx):
    """Returns the object files of a C++ target that is built with the feature sycl."""
    if "sycl" not in ctx.features or CcInfo not in target or not hasattr(target[OutputGroupInfo], "compilation_outputs"):
        return []
    return target[OutputGroupInfo].compilation_outputs.to_list()

def _sycl_compat_aspect_impl(target, ctx):
    binaries, reports, below = [], [], []
    if SyclbinInfo in target:
        # A SYCLBIN contains the code of its dependencies, and may load files in data.
        below = _sets(ctx.rule.attr, ["data"])
        info = target[SyclbinInfo]
        binaries = [struct(file = f, device_config = tuple(info.device_config), embedded = False, reported = tuple(info.reported)) for f in info.files]
        reports = [info.report]
    else:
        below = _sets(ctx.rule.attr, [name for name in dir(ctx.rule.attr) if not name.startswith("_") and name not in _TOOLS])
    if SyclProgramInfo in target:
        info = target[SyclProgramInfo]
        binaries = [struct(file = info.file, device_config = tuple(info.device_config), embedded = True, reported = tuple(info.reported))]
        reports = [info.report]
    elif SyclbinInfo not in target:
        binaries = [struct(file = f, device_config = (), embedded = True, reported = ()) for f in _objects(target, ctx)]
    reports = depset(reports, transitive = [s.reports for s in below])
    return [
        SyclCompatSetInfo(
            binaries = depset(binaries, transitive = [s.binaries for s in below]),
            reports = reports,
        ),
        OutputGroupInfo(sycl_compat = reports),
    ]

sycl_compat_aspect = aspect(
    implementation = _sycl_compat_aspect_impl,
    doc = """Finds all SYCLBINs and SYCL programs and libraries that a target depends on, directly or
indirectly, except programs that only its build runs (`tools`). For C++ targets with the feature
`sycl` ([plain-cc.md](../build/plain-cc.md)), it finds the object files.

`sycl_compat_report` and `sycl_compat_test` use it on their `deps`. On a command line, it
builds a report for each `sycl_binary` and each `sycl_cc_*` target in a repository:

```
bazel build //... --aspects=@rules_sycl//rules:defs.bzl%sycl_compat_aspect --output_groups=sycl_compat
```
""",
    attr_aspects = ["*"],
    provides = [SyclCompatSetInfo],
)
