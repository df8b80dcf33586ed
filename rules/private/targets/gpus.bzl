"""Families of GPUs that clang compiles sources for a second time, without SPIR-V.

Code for a family is compiled and split into modules once for all of its GPUs. Only the
last step, from bitcode to PTX or a code object, runs per GPU.
"""

load("//rules/private/generated:icpx_flags.bzl", "FLAGS")

def _family(name, triple, feature, links = False):
    """Returns a family.

    Args:
        name: the name of its files.
        triple: LLVM's triple.
        feature: the target feature that the header's code needs.
        links: whether ld.lld links the images.
    Returns:
        struct(name, options, links): options are for clang.
    """
    return struct(
        name = name,
        options = ["-Xclang", "-triple", "-Xclang", triple, "-Xclang", "-target-feature", "-Xclang", feature],
        links = links,
    )

# The code for AMD GPUs depends on the size of sub-groups.
FAMILIES = [
    _family("nvptx64", "nvptx64-nvidia-cuda", "+ptx60"),
    _family("amdgcn_wave32", "amdgcn-amd-amdhsa", "+wavefrontsize32", links = True),
    _family("amdgcn_wave64", "amdgcn-amd-amdhsa", "+wavefrontsize64", links = True),
]

# Intel GPUs whose compiler replaces conversions from and to double: kernels that only convert
# double do not need fp64. The code is translated to SPIR-V, and the options are DPC++'s.
EMULATED = struct(
    name = "emulated_fp64",
    options = FLAGS["-fsycl-fp64-conv-emu"].device,
    ocloc = FLAGS["-fsycl-fp64-conv-emu"].native,
)

_BY_NAME = {f.name: f for f in FAMILIES}

# The oldest GPUs that LLVM supports.
_FIRST_NVIDIA = 70
_FIRST_AMD = 8

def family_of(device):
    """Returns the family of a GPU.

    Args:
        device: LLVM's name for it: sm_90, gfx90a.
    Returns:
        struct(family, reason): the family, or None and why it is not supported.
    """
    if device.startswith("sm_"):
        number = int("".join([c for c in device[len("sm_"):].elems() if c.isdigit()]))
        if number < _FIRST_NVIDIA:
            return struct(family = None, reason = "LLVM's PTX for GPUs before sm_%d has no ordered atomic operations" % _FIRST_NVIDIA)
        return struct(family = _BY_NAME["nvptx64"], reason = "")

    # Two digits are the minor version and the stepping: gfx90a is 9.0.a, gfx1100 is 11.0.0.
    major = int(device[len("gfx"):-2])
    if major < _FIRST_AMD:
        return struct(family = None, reason = "LLVM cannot exchange values between work-items on GPUs before gfx%d00" % _FIRST_AMD)
    return struct(family = _BY_NAME["amdgcn_wave32" if major >= 10 else "amdgcn_wave64"], reason = "")
