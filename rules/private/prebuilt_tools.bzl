"""The tag sycl.tools: the programs of a release in place of those built from source."""

load(":names.bzl", "is_sha256", "nearest_names")
load(":tools.bzl", "TOOLS")

# Platforms of a release -> their constraints and what programs end in.
_PLATFORMS = {
    "darwin-amd64": ("macos", "x86_64", ""),
    "darwin-arm64": ("macos", "aarch64", ""),
    "linux-amd64": ("linux", "x86_64", ""),
    "linux-arm64": ("linux", "aarch64", ""),
    "windows-amd64": ("windows", "x86_64", ".exe"),
}

def _version(text):
    """The version in a MODULE.bazel."""
    for line in text.split("\n"):
        if line.startswith("    version = \""):
            return line.split("\"")[1]
    fail("MODULE.bazel of rules_sycl has no version")

def _archive_impl(rctx):
    rctx.download_and_extract(rctx.attr.urls, sha256 = rctx.attr.sha256)
    suffix = _PLATFORMS[rctx.attr.platform][2]
    files = {name: "sycl-%s%s" % (name, suffix) for name in TOOLS}
    missing = [f for f in files.values() + ["VERSION"] if not rctx.path(f).exists]
    if missing:
        fail("sycl.tools: the archive for %s, %s, has no %s: give a file sycl-tools-*.tar.gz of a release of rules_sycl" % (rctx.attr.platform, ", ".join(rctx.attr.urls), " and no ".join(missing)))
    wanted = _version(rctx.read(rctx.attr._module))
    found = rctx.read("VERSION").strip()
    if found != wanted:
        fail("sycl.tools: the archive for %s is of rules_sycl %s, and the rules are %s: give the archive of the same release, or leave out sycl.tools to build the programs" % (rctx.attr.platform, repr(found), wanted))
    rctx.file("BUILD.bazel", "\n".join([
        "# Made by the sycl module extension.",
        'load("@rules_sycl//rules/private:tools.bzl", "sycl_tools")',
        "",
        "sycl_tools(",
        '    name = "tools",',
    ] + ["    %s = %r," % item for item in files.items()] + [
        '    visibility = ["//visibility:public"],',
        ")",
        "",
    ]))

_archive = repository_rule(
    implementation = _archive_impl,
    doc = "The programs of a release for a platform.",
    attrs = {
        "platform": attr.string(mandatory = True, values = _PLATFORMS.keys()),
        "sha256": attr.string(mandatory = True),
        "urls": attr.string_list(mandatory = True),
        "_module": attr.label(default = "//:MODULE.bazel"),
    },
)

def _hub_impl(rctx):
    lines = ["# Made by the sycl module extension."]
    for platform in rctx.attr.platforms:
        os, cpu, _ = _PLATFORMS[platform]
        lines += [
            "",
            "toolchain(",
            "    name = %r," % platform,
            '    target_compatible_with = ["@platforms//cpu:%s", "@platforms//os:%s"],' % (cpu, os),
            '    toolchain = "@sycl_tools_%s//:tools",' % platform,
            '    toolchain_type = "@rules_sycl//rules/toolchain:tools_type",',
            ")",
        ]
    rctx.file("BUILD.bazel", "\n".join(lines) + "\n")

_hub = repository_rule(
    implementation = _hub_impl,
    doc = "Registers the programs of a release by their labels, so that only those that run are fetched.",
    attrs = {"platforms": attr.string_list()},
)

def check_tools(urls, sha256):
    """Fails unless the attributes of a sycl.tools tag make sense.

    Args:
        urls: dict of platform -> URL.
        sha256: dict of platform -> SHA-256.
    """
    for platform in urls:
        if platform not in _PLATFORMS:
            near = nearest_names(platform, _PLATFORMS.keys())
            fail("sycl.tools: urls: unknown platform %r; %s" % (platform, "did you mean %s?" % " or ".join(near) if near else "give one of " + ", ".join(_PLATFORMS)))
    if sorted(urls) != sorted(sha256):
        fail("sycl.tools: urls is for %s, and sha256 for %s: give both for each platform" % (", ".join(sorted(urls)) or "no platform", ", ".join(sorted(sha256)) or "none"))
    for platform, sum in sha256.items():
        # Bazel checks nothing without a checksum.
        if not is_sha256(sum):
            fail("sycl.tools: sha256: %r of %s is not 64 hexadecimal digits; take the archive's line of the release's checksums.txt" % (sum, platform))

def make_prebuilt_tools(tags):
    """Makes the repository @sycl_tools, and one for each platform.

    Args:
        tags: the sycl.tools tags of the root module.
    """
    if len(tags) > 1:
        fail("sycl.tools may be given only once; give urls and sha256 of all platforms in one tag")
    platforms = []
    for tag in tags:
        check_tools(tag.urls, tag.sha256)
        platforms = sorted(tag.urls)
        for platform in platforms:
            _archive(
                name = "sycl_tools_" + platform,
                platform = platform,
                sha256 = tag.sha256[platform],
                urls = [tag.urls[platform]],
            )
    _hub(name = "sycl_tools", platforms = platforms)

tools_tag = tag_class(
    doc = """The programs of a release, so that Bazel does not build them. Only the root module's tag counts.

```starlark
sycl = use_extension("@rules_sycl//rules:extensions.bzl", "sycl")
sycl.tools(
    sha256 = {"linux-amd64": "<the line of checksums.txt>"},
    urls = {"linux-amd64": "https://example.com/sycl-tools-linux-amd64.tar.gz"},
)
```

Without the tag, the rules build their programs from source, with the Go toolchain that
rules_go fetches. When your `MODULE.bazel` has a `go_sdk` tag, it is that one, which must be
Go 1.26 or newer. With `sycl.tools`, neither the source nor Go is needed on the platforms
that it names, and no Go SDK is fetched. The archives are files of a release of the same
version; `.ci/release` makes them from the source.
""",
    attrs = {
        "sha256": attr.string_dict(doc = "Platform -> SHA-256 of the archive."),
        "urls": attr.string_dict(doc = "Platform -> URL of `sycl-tools-PLATFORM.tar.gz`, also `file:///`. The platforms are " + ", ".join(["`%s`" % p for p in _PLATFORMS]) + "."),
    },
)
