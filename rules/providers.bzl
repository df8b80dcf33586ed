"""Providers of rules_sycl."""

SyclToolInfo = provider(
    doc = "One program that a SYCL build runs.",
    fields = {
        "files": "depset of File: what an action that runs it must list as inputs, so that another version of it is another action.",
        "missing": "string: empty, or why there is no such program and what to do about it.",
        "path": "string: the program's path, empty when it is missing.",
    },
)

SyclDpcppInfo = provider(
    doc = "DPC++ as a device compiler: its library libsycl-jit or the programs of an installation, and what calls them.",
    fields = {
        "driver": "FilesToRunProvider: `//rules/dpcpp:driver` for the library, `//tools/dpcppdriver` for an installation, None when the library is missing.",
        "files": "depset of File: what an action that runs the driver must list as inputs: the library, what it loads and reads, and the result of its check.",
        "library": "File: libsycl-jit, or the list of an installation's programs, None when it is missing.",
        "missing": "string: empty, or why there is no library and what to do about it.",
        "version": "string: the release, such as 2026.2.0, or the library and folder that it is taken from.",
    },
)

SyclToolchainInfo = provider(
    doc = "The programs and settings that SYCL device code is built with.",
    fields = {
        "clang": "SyclToolInfo: clang++, version 21 or newer.",
        "copts": "list of string: options of every device compile.",
        "dpcpp": "SyclDpcppInfo: the device compiler when it is DPC++, None when it is `clang`.",
        "libsycl": "Target with CcInfo and SyclRuntimeInfo: what ordinary SYCL programs are linked to, None without one.",
        "llc": "SyclToolInfo: LLVM's code generator, whose SPIR-V target stands in for llvm-spirv.",
        "llvm_dis": "SyclToolInfo: LLVM's disassembler.",
        "llvm_link": "SyclToolInfo: LLVM's bitcode linker.",
        "llvm_spirv": "SyclToolInfo: the LLVM to SPIR-V translator.",
        "ocloc": "SyclToolInfo: the ahead-of-time compiler for Intel GPUs.",
        "opt": "SyclToolInfo: LLVM's optimizer.",
        "runtime": "string: the release of DPC++'s runtime that SYCLBINs are for.",
        "spirv_val": "SyclToolInfo: the SPIR-V validator.",
    },
)

SyclbinInfo = provider(
    doc = "A SYCLBIN.",
    fields = {
        "device_config": "list of File: device configurations that it was built with, each merged over those before.",
        "file": "File: the SYCLBIN.",
        "files": "list of File: the SYCLBIN, and that of the SPIR-V when it is a file of its own.",
        "report": "File: the compatibility report on it and its targets.",
        "state": "string: input, object or executable; empty when it depends on what the file imports.",
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
        "binaries": "depset of struct(file, device_config, embedded): each SYCLBIN; a tuple of the device configuration Files that it was built with; and whether it stands for the images that a program holds itself.",
        "reports": "depset of File: the report on each.",
    },
)

SyclProgramInfo = provider(
    doc = "Device images that a program or a library holds itself.",
    fields = {
        "device_config": "list of File: device configurations that they were built with, each merged over those before.",
        "file": "File: a SYCLBIN with the same images, for tools that read such files.",
        "report": "File: the compatibility report on them and their targets.",
        "targets": "list of string: the sycl_targets that they were built for.",
    },
)

SyclDeviceInfo = provider(
    doc = "Device code that is not linked yet.",
    fields = {
        "sources": "depset of struct(module, bitcode, compiler): the module id of a source or of a SYCLBIN, which is its path; the File of its device bitcode; and what compiled it, such as clang.",
    },
)

SyclRuntimeInfo = provider(
    doc = "A SYCL runtime that programs are linked to, as `sycl.runtime` makes it.",
    fields = {
        "cpu_device": "list of File: Intel's OpenCL CPU device, empty without one.",
        "cpu_driver": "File: the library of it that an OpenCL loader opens, None without one.",
        "devices": "File: the program that lists the devices that the runtime finds.",
        "devices_runfiles": "runfiles: what that program needs.",
    },
)
