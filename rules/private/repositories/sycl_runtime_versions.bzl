"""The releases of DPC++ that `sycl.runtime(version = ...)` and `sycl.dpcpp` fetch.

A release consists of the wheels that the metadata of its `dpcpp-cpp-rt` and
`intel-opencl-rt` on PyPI requires, without `intel-openmp` and `intel-cmplr-lic-rt`, because SYCL
programs need none of their files. The checksums are for the files that PyPI serves
for Linux on x86-64.

To add a release: `python3 -m pip download dpcpp-cpp-rt==V intel-opencl-rt==V` fetches the
files, `sha256sum` prints the checksums.
"""

DEFAULT_RUNTIME = "2026.2.0"

# Release -> (MB to download, {wheel: (version, SHA-256)}).
RUNTIMES = {
    "2025.3.1": (401, {
        "intel-cmplr-lib-rt": ("2025.3.1", "57f657aa49442723e59102fb9e3f5eb70799d9371eca7ab2ad46f44facf210cf"),
        "intel-cmplr-lib-ur": ("2025.3.1", "1730cce0c65591d157d5fa1acdc8447a9ed419b527ea52e66db0815a0fb5e444"),
        "intel-opencl-rt": ("2025.3.1", "f54c797fd839b9e5e441c894eab0e1adc8394a06b3c4df3804522d6005a661d9"),
        "intel-sycl-rt": ("2025.3.1", "296d94598e150bf6ea4c5a8f1505f98e8a483bf38b6935b8ddad6f72b1d25b9f"),
        "tbb": ("2022.3.1", "534c089eca6bcf148408684c156229d5f09c01d323b685b15739f41985b529d7"),
        "tcmlib": ("1.6.0", "46c2491988bfd18c4733eeb08aca6a386706a497b92cc51d155f37ddea003c14"),
        "umf": ("1.0.3", "c89c0974daed30a1cac77fb7ce5ff9140d178e286bb2dd91b751486d5d0a65b0"),
    }),
    "2026.0.0": (452, {
        "intel-cmplr-lib-rt": ("2026.0.0", "a8ff1f8ec28a50dddd02e47c6d47eb6b758842103571956f419a53ebb6513d2d"),
        "intel-cmplr-lib-ur": ("2026.0.0", "5fb75293e7f1f8377cda3aac44f4e7c0c1dd38e281fecefa76ca1459382763a4"),
        "intel-opencl-rt": ("2026.0.0", "cd7afb2940c24ede9dadd1dfd772352cf47cbb4852a7d586aee73e19f8d70184"),
        "intel-sycl-rt": ("2026.0.0", "5ae2bf7ec928fe127ad693dd84d8fed27209be0790e36eabffb93a371ba174aa"),
        "tbb": ("2023.2.0", "7d80615b6e970f11671fa05b6eaa9483ac864fbfe525ac280271a78b37870b7c"),
        "tcmlib": ("1.6.0", "46c2491988bfd18c4733eeb08aca6a386706a497b92cc51d155f37ddea003c14"),
        "umf": ("1.1.0", "567152c5ee6b8e16cc56b29a8a9a6b918de1febf89877f71ea2e8247ef39fc32"),
    }),
    "2026.2.0": (482, {
        "intel-cmplr-lib-rt": ("2026.2.0", "9f713083073a820d2496a6da8e8d4f3482aba6640f74521d25ea48dcebe72748"),
        "intel-cmplr-lib-ur": ("2026.2.0", "0d0a5099aa2e1e38375b509c2a8182e719ed74aa656b2a800ddf6cfbd3384b80"),
        "intel-opencl-rt": ("2026.2.0", "6b6215a420598b4999ee01caca6d5cbe106aa4155c46c52377619c5aafce9f67"),
        "intel-sycl-rt": ("2026.2.0", "ad920da1ffcb43edbc03422a7c85094997e6d578f9ab534743442af70bcbfaa1"),
        "tbb": ("2023.2.0", "7d80615b6e970f11671fa05b6eaa9483ac864fbfe525ac280271a78b37870b7c"),
        "tcmlib": ("1.6.0", "46c2491988bfd18c4733eeb08aca6a386706a497b92cc51d155f37ddea003c14"),
        "umf": ("1.2.0", "238d186fdd9e9c0fe1489da95b19b0b79045fe26c4aa98bd0a022a2a3603c195"),
    }),
}

# The part of a file name after the wheel's name and version.
WHEEL_TAG = "py2.py3-none-manylinux_2_28_x86_64"

# Releases whose wheels have an incomplete device compiler, and why.
NO_COMPILER = {
    "2025.3.1": "its wheels lack the device libraries that the compiler links, such as libsycl-crt.bc",
}

# The files to unpack. Compilers, sanitizers, tools, and copies of libraries with other names
# are not unpacked: they are three quarters of the size. A '?' marks files that only some releases have.
UNPACKED = [
    "include/*",
    "lib/cl.cfg",
    "lib/cllibrary*.o",
    "lib/*.rtl",
    "lib/libOpenCL.so.1",
    "lib/libcommon_clang.so.*",
    "lib/libhwloc.so.15",
    "lib/libimf.so",
    "lib/libintelocl.so",
    "lib/libintlc.so.5",
    "lib/libirng.so",
    "lib/libocl_svml_*.so",
    "lib/libsvml.so",
    "?lib/libsycl-preview.so.?",
    "lib/libsycl.so.?",
    "lib/libtbb.so.12",
    "lib/libumf.so.1",
    "lib/libur_adapter_level_zero.so.0",
    "lib/libur_adapter_level_zero_v2.so.0",
    "?lib/libur_adapter_opencl.so.0",
    "lib/libur_loader.so.0",
    "licenses/*",
]

# Additional files for sycl.dpcpp: the compiler library.
COMPILER = ["lib/libsycl-jit.so.*"]

# The number in the name of libsycl.so.N -> the release that SYCLBINs for it are for.
RELEASES = {
    "8": "2025.3",
    "9": "2026.0",
}
