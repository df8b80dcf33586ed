"""The `sycl` module extension: finds the device compilers of this machine.

```starlark
sycl = use_extension("@rules_sycl//rules:extensions.bzl", "sycl")
sycl.local(llvm = "/opt/llvm-22", ocloc = "/opt/neo/bin/ocloc")  # optional
```

Without a tag, the newest of clang 22 and 21 is taken that comes with what turns
its output into SPIR-V. Looked at, in this order: the tag's folder, the folder in
the environment variable SYCL_LLVM_ROOT, Debian's /usr/lib/llvm-NN, PATH.
"""

load("//rules/private:local_toolchain.bzl", "sycl_local_toolchain", "sycl_toolchains_hub")

def _sycl_impl(mctx):
    llvm = ""
    ocloc = ""
    for module in mctx.modules:
        if not module.is_root:
            # The root module decides what this machine's compilers are.
            continue
        for tag in module.tags.local:
            if llvm or ocloc:
                fail("sycl.local may be given once; it stands twice in the module " + module.name)
            llvm = tag.llvm
            ocloc = tag.ocloc
    sycl_local_toolchain(name = "sycl_local", llvm = llvm, ocloc = ocloc)
    sycl_toolchains_hub(name = "sycl_toolchains", toolchain = "@sycl_local//:toolchain")
    return mctx.extension_metadata(reproducible = True)

_local = tag_class(
    doc = "Where this machine's device compilers are. Only the root module's tag counts.",
    attrs = {
        "llvm": attr.string(doc = "Folder of an LLVM installation with bin/clang++ of version 21 or newer."),
        "ocloc": attr.string(doc = "Path of ocloc."),
    },
)

sycl = module_extension(
    implementation = _sycl_impl,
    doc = "Finds the device compilers of this machine and registers them as a toolchain.",
    tag_classes = {"local": _local},
)
