"""Providers of rules_sycl."""

SyclToolInfo = provider(
    doc = "A program that SYCL builds run. Load this provider from `@rules_sycl//rules:providers.bzl`.",
    fields = {
        "executable": "File: the program. For an installed program, its absolute path as a string. None if it is missing.",
        "files": "depset of File: inputs of every action that runs the program. Their content changes with the program.",
        "files_to_run": "FilesToRunProvider: the program with its runfiles, for `executable` or `tools` of an action. None for an installed or missing program.",
        "missing": "string: why the program is missing, and the fix. Empty if it is available.",
    },
)

SyclDpcppInfo = provider(
    doc = "DPC++ as a device compiler: its library libsycl-jit, and the driver that calls it. Load this provider from `@rules_sycl//rules:providers.bzl`.",
    fields = {
        "driver": "FilesToRunProvider: `//rules/dpcpp:driver`. None if the library is missing.",
        "files": "depset of File: inputs of every action that runs the driver: the library, the files that it loads and reads, and the result of its check.",
        "library": "File: libsycl-jit. None if it is missing.",
        "missing": "string: why the library is missing, and the fix. Empty if it is available.",
        "version": "string: the release, such as 2026.2.0, or the name and directory of the library.",
    },
)

SyclToolchainInfo = provider(
    doc = "The programs and settings for building SYCL device code.",
    fields = {
        "clang": "SyclToolInfo: clang++, version 21 or newer.",
        "copts": "list of string: the toolchain's own options for every device compilation. Options of the compilation mode, such as `-O2`, precede them and are not in this list.",
        "dpcpp": "SyclDpcppInfo: the device compiler if it is DPC++. None if it is `clang`.",
        "headers": "depset of File: inputs of every compilation: the headers that the compiler finds by default, or files that change with them.",
        "libclc": "SyclToolInfo: libclc's bitcode for NVIDIA GPUs, which LLVM's bitcode linker reads.",
        "libsycl": "Target with CcInfo and SyclRuntimeInfo: the runtime that ordinary SYCL programs are linked to, or None.",
        "llc": "SyclToolInfo: LLVM's code generator, for NVIDIA and AMD GPUs, and for SPIR-V if llvm-spirv is missing.",
        "lld": "SyclToolInfo: LLVM's linker ld.lld, for AMD GPUs.",
        "llvm_dis": "SyclToolInfo: LLVM's disassembler.",
        "llvm_link": "SyclToolInfo: LLVM's bitcode linker.",
        "llvm_spirv": "SyclToolInfo: the LLVM to SPIR-V translator.",
        "missing": "string: why the device compiler is missing. Empty if it is available.",
        "ocloc": "SyclToolInfo: the ahead-of-time compiler for Intel GPUs.",
        "opt": "SyclToolInfo: LLVM's optimizer.",
        "runtime": "string: the release of DPC++'s runtime that SYCLBINs are for.",
        "spirv_val": "SyclToolInfo: the SPIR-V validator.",
    },
)

SyclbinInfo = provider(
    doc = "A SYCLBIN.",
    fields = {
        "device_config": "list of File: device configurations that it was built with, each merged over the preceding ones.",
        "file": "File: the SYCLBIN.",
        "files": "list of File: the SYCLBIN, and the SYCLBIN with the SPIR-V if that is a separate file.",
        "report": "File: the compatibility report on it and its targets.",
        "reported": "list of string: the elements of `targets` that a report without `devices` covers, even if they have no image. With `fixed_targets`, only these.",
        "runfiles": "runfiles: additional files for programs that load the SYCLBIN, or a SYCLBIN that it is linked into.",
        "state": "string: input, object or executable. Empty if it depends on what the file imports.",
        "targets": "list of string: the sycl_targets that it was built for.",
    },
)

SyclCompatInfo = provider(
    doc = "A compatibility report.",
    fields = {
        "report": "File: the report as JSON.",
    },
)

SyclCompatSetInfo = provider(
    doc = "The SYCLBINs and programs that a target depends on.",
    fields = {
        "binaries": "depset of struct(file, device_config, embedded, reported): a SYCLBIN, or an object file with device images; a tuple of the device configuration Files that it was built with; whether the images are inside a program; and a tuple of the targets that a report covers, even if they have no image.",
        "reports": "depset of File: the reports, one per SYCLBIN.",
    },
)

SyclProgramInfo = provider(
    doc = "The device images inside a program or a library.",
    fields = {
        "device_config": "list of File: device configurations that they were built with, each merged over the preceding ones.",
        "file": "File: a SYCLBIN with the same images, for tools that read SYCLBINs.",
        "report": "File: the compatibility report on them and their targets.",
        "reported": "list of string: the elements of `targets` that a report without `devices` covers, even if they have no image. With `fixed_targets`, only these.",
        "targets": "list of string: the sycl_targets that they were built for.",
    },
)

SyclDeviceInfo = provider(
    doc = "Device code before linking.",
    fields = {
        "sources": "depset of struct(module, bitcode, compiler, header, images, gpu_bitcode): the module id, which is the path of a source or of a SYCLBIN; the File of its device bitcode; the device compiler, such as clang; the File of its integration header, or None; the directory of the images that DPC++'s post-link step creates for this source only, or None; and a struct with the Files of its bitcode for families of NVIDIA and AMD GPUs, and for Intel GPUs that emulate conversions of double. The struct is empty if there are none.",
    },
)

SyclRuntimeInfo = provider(
    doc = "A SYCL runtime that programs are linked to, such as the runtime of a `sycl.runtime` tag.",
    fields = {
        "cpu_device": "list of File: Intel's OpenCL CPU device. Empty if there is none.",
        "cpu_driver": "File: the CPU device's library, which an OpenCL loader opens. None if there is no CPU device.",
        "devices": "File: a program that lists the devices that the runtime finds.",
        "devices_runfiles": "runfiles: what that program needs.",
        "preview": "Target with CcInfo: libsycl-preview, for programs that are compiled with -fpreview-breaking-changes. None if the release does not have it.",
    },
)
