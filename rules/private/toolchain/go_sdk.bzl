"""Fails before the programs are compiled if the Go SDK of a build is too old for them."""

_GO = "@rules_go//go:toolchain"

# The version in go.mod, and in MODULE.bazel.
_NEEDED = (1, 26)

def is_too_old(version):
    """Returns whether a Go SDK is too old for the programs.

    Args:
        version: version of the SDK, such as 1.22.12 or 1.27rc1. Empty if it is not known.
    Returns:
        bool.
    """
    found = []
    for part in version.split(".")[:2]:
        digits = part[:len(part) - len(part.lstrip("0123456789"))]
        if not digits:
            return False
        found.append(int(digits))
    return tuple(found) < _NEEDED

def _go_sdk_impl(ctx):
    version = ctx.toolchains[_GO].sdk.version
    if is_too_old(version):
        needed = "%d.%d" % _NEEDED
        fail(("the programs of rules_sycl need Go %s or newer, but this build uses Go %s; either set a newer version in the first go_sdk tag of your " +
              "MODULE.bazel: go_sdk.download(version = \"%s.0\"), or use prebuilt programs: see sycl.tools in docs/reference/rules.md") %
             (needed, version, needed))
    return []

go_sdk = rule(
    implementation = _go_sdk_impl,
    doc = "Fails if the Go SDK is too old for the programs.",
    toolchains = [_GO],
)
