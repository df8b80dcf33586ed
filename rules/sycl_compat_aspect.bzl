"""The sycl_compat_aspect aspect."""

load(":providers.bzl", "SyclCompatSetInfo", "SyclbinInfo")

def _sets(rule_attr):
    """The SyclCompatSetInfo of everything that a rule's attributes name."""
    found = []
    for name in dir(rule_attr):
        value = getattr(rule_attr, name)
        if type(value) == "dict":
            value = value.keys() + value.values()
        elif type(value) != "list":
            value = [value]
        found += [v[SyclCompatSetInfo] for v in value if type(v) == "Target" and SyclCompatSetInfo in v]
    return found

def _sycl_compat_aspect_impl(target, ctx):
    own = [target[SyclbinInfo]] if SyclbinInfo in target else []
    sets = [] if own else _sets(ctx.rule.attr)
    binaries = depset(
        [struct(file = f, device_config = tuple(b.device_config)) for b in own for f in b.files],
        transitive = [s.binaries for s in sets],
    )
    reports = depset([b.report for b in own], transitive = [s.reports for s in sets])
    return [
        SyclCompatSetInfo(binaries = binaries, reports = reports),
        OutputGroupInfo(sycl_compat = reports),
    ]

sycl_compat_aspect = aspect(
    implementation = _sycl_compat_aspect_impl,
    doc = """Finds every SYCLBIN that a target depends on, however far away.

`sycl_compat_report` and `sycl_compat_test` use it on their `deps`. On a command
line it builds a report for each `sycl_binary` of a whole repository:

```
bazel build //... --aspects=@rules_sycl//rules:defs.bzl%sycl_compat_aspect --output_groups=sycl_compat
```
""",
    attr_aspects = ["*"],
    provides = [SyclCompatSetInfo],
)
