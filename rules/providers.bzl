"""Providers of rules_sycl."""

SyclToolInfo = provider(
    doc = "A program that a SYCL build runs. Load this provider from `@rules_sycl//rules:providers.bzl`.",
    fields = {
        "executable": "File: the program. For a program of the machine, its absolute path as a string. None when it is missing.",
        "files": "depset of File: inputs of every action that runs the program. They change when the program changes.",
        "files_to_run": "FilesToRunProvider: the program with its runfiles, for `executable` or `tools` of an action. None when it is a program of the machine or missing.",
        "missing": "string: why the program is missing and what to do about it. Empty when it is there.",
    },
)

SyclDpcppInfo = provider(
    doc = "DPC++ as a device compiler: its library libsycl-jit, and the driver that calls it. Load this provider from `@rules_sycl//rules:providers.bzl`.",
    fields = {
        "driver": "FilesToRunProvider: `//rules/dpcpp:driver`. None when the library is missing.",
        "files": "depset of File: inputs of every action that runs the driver: the library, what it loads and reads, and the result of its check.",
        "library": "File: libsycl-jit. None when it is missing.",
        "missing": "string: why the library is missing and what to do about it. Empty when it is there.",
        "version": "string: the release, such as 2026.2.0, or the library and folder that it is taken from.",
    },
)

SyclToolchainInfo = provider(
    doc = "The programs and settings that SYCL device code is built with.",
    fields = {
        "clang": "SyclToolInfo: clang++, version 21 or newer.",
        "copts": "list of string: the toolchain's own options of every device compile. Those of the build's mode, such as `-O2`, come before them and are not in this list.",
        "dpcpp": "SyclDpcppInfo: the device compiler when it is DPC++. None when it is `clang`.",
        "headers": "depset of File: inputs of every compile, which stand for or are the headers that the compiler finds on its own.",
        "libclc": "SyclToolInfo: libclc's bitcode for NVIDIA GPUs, which LLVM's bitcode linker reads.",
        "libsycl": "Target with CcInfo and SyclRuntimeInfo: the runtime that ordinary SYCL programs are linked to, or None.",
        "llc": "SyclToolInfo: LLVM's code generator, for NVIDIA and AMD GPUs and for SPIR-V where llvm-spirv is missing.",
        "lld": "SyclToolInfo: LLVM's linker ld.lld, for AMD GPUs.",
        "llvm_dis": "SyclToolInfo: LLVM's disassembler.",
        "llvm_link": "SyclToolInfo: LLVM's bitcode linker.",
        "llvm_spirv": "SyclToolInfo: the LLVM to SPIR-V translator.",
        "missing": "string: why there is no device compiler. Empty when there is one.",
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
        "files": "list of File: the SYCLBIN, and the SYCLBIN with the SPIR-V when that is a separate file.",
        "report": "File: the compatibility report on it and its targets.",
        "reported": "list of string: those of `targets` that a report without `devices` is on, even when no image is for them. With `fixed_targets` these only.",
        "runfiles": "runfiles: what programs that load the SYCLBIN, or another one that it is linked to, need besides.",
        "state": "string: input, object or executable. Empty when it depends on what the file imports.",
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
        "binaries": "depset of struct(file, device_config, embedded, reported): a SYCLBIN, or an object file with device images; a tuple of the device configuration Files that it was built with; whether a program holds the images itself; and a tuple of the targets that a report is on, even when no image is for them.",
        "reports": "depset of File: the report on each SYCLBIN.",
    },
)

SyclProgramInfo = provider(
    doc = "The device images inside a program or a library.",
    fields = {
        "device_config": "list of File: device configurations that they were built with, each merged over those before.",
        "file": "File: a SYCLBIN with the same images, for tools that read SYCLBINs.",
        "report": "File: the compatibility report on them and their targets.",
        "reported": "list of string: those of `targets` that a report without `devices` is on, even when no image is for them. With `fixed_targets` these only.",
        "targets": "list of string: the sycl_targets that they were built for.",
    },
)

SyclDeviceInfo = provider(
    doc = "Device code that is not linked yet.",
    fields = {
        "sources": "depset of struct(module, bitcode, compiler, header, images, gpu_bitcode): the module id, which is the path of a source or of a SYCLBIN; the File of its device bitcode; the device compiler, such as clang; the File of its integration header, or None; the folder of the images that DPC++'s post-link makes of it alone, or None; and a struct with the Files of its bitcode for families of NVIDIA and AMD GPUs, and for Intel GPUs that emulate conversions of double, empty when there are none.",
    },
)

SyclRuntimeInfo = provider(
    doc = "A SYCL runtime that programs are linked to, such as that of a `sycl.runtime` tag.",
    fields = {
        "cpu_device": "list of File: Intel's OpenCL CPU device. Empty without one.",
        "cpu_driver": "File: the library of that device that an OpenCL loader opens. None without one.",
        "devices": "File: a program that lists the devices that the runtime finds.",
        "devices_runfiles": "runfiles: what that program needs.",
    },
)
