"""Looks up the names in `sycl_targets`."""

load("//rules/private/generated:targets.bzl", "ALIASES", "FAMILIES", "TARGETS")
load(":gpus.bzl", "family_of")
load(":names.bzl", "name_distance")

# ocloc's names for several chips, and the chip that it then compiles for. Only targets that may
# be the same chip share an action; the step queries ocloc whether they are.
_CHIPS = {
    "bmg": "bmg-g21",
    "dg2": "acm-g10",
    "mtl": "mtl-u",
    "ptl": "ptl-h",
}

def resolve_targets(label, names):
    """Checks target names and looks them up.

    Args:
        label: label of the rule, for errors.
        names: the names, in any order. They may repeat.
    Returns:
        Sorted list of struct(name, triple, compiler, device, chip, family): compiler is
        empty for SPIR-V that is compiled at run time, else "ocloc" or "llvm"; device is
        the compiler's own name for the target; chip is equal for targets that may
        share a compilation: two names for one device, or devices of one family; family
        is the family of NVIDIA and AMD GPUs, whose code does not come from SPIR-V, and
        None for others.
    """
    resolved = {}
    for canonical in known_targets(label, "sycl_targets", names):
        triple, compiler, device = TARGETS[canonical]
        if compiler not in ("", "ocloc", "llvm"):
            fail("%s: sycl_targets: images for '%s' need %s; use spir64 (compiled when the program runs), intel_gpu_*, nvidia_gpu_sm_* or amd_gpu_gfx* targets" % (label, canonical, compiler))
        found = family_of(device) if compiler == "llvm" else struct(family = None, reason = "")
        if found.reason:
            fail("%s: sycl_targets: cannot build for '%s': %s" % (label, canonical, found.reason))
        chip = _CHIPS.get(device, device)
        resolved[canonical] = struct(name = canonical, triple = triple, compiler = compiler, device = device, chip = FAMILIES.get(chip, chip), family = found.family)
    return [resolved[name] for name in sorted(resolved)]

def known_targets(label, attribute, names):
    """Returns the canonical names of targets.

    Args:
        label: label of the rule, for errors.
        attribute: the attribute that contains the names, for errors. Empty if label is a flag.
        names: the names, with aliases.
    Returns:
        list of names, one per target.
    """
    for name in names:
        if ALIASES.get(name, name) not in TARGETS:
            near = nearest_targets(name)
            fail("%s: unknown target \"%s\"%s" % (
                label + (": " + attribute if attribute else ""),
                name,
                "; did you mean %s?" % " or ".join(near) if near else "; `bazel run @rules_sycl//rules:aspectfilter -- devices` lists all targets",
            ))
    return [ALIASES.get(name, name) for name in names]

# Prefixes of the names of targets of one kind.
_PREFIXES = ["intel_gpu_", "intel_cpu_", "nvidia_gpu_", "amd_gpu_"]

def _without_prefix(name):
    """Returns struct(prefix, rest) for the name of a target."""
    for prefix in _PREFIXES:
        if name.startswith(prefix):
            return struct(prefix = prefix, rest = name.removeprefix(prefix))
    return struct(prefix = "", rest = name)

def nearest_targets(name):
    """Returns the targets that a name may be a misspelling of, as package deviceconfig does.

    Args:
        name: the unknown name.
    Returns:
        list of at most three names.
    """
    wanted = _without_prefix(name.lower().replace("-", "_"))
    candidates = {}
    for known in TARGETS.keys() + ALIASES.keys():
        target = _without_prefix(known)
        if not wanted.prefix or wanted.prefix == target.prefix:
            candidates.setdefault(target.rest, known)
    if wanted.rest in candidates:
        return [candidates[wanted.rest]]
    most = 1 + len(wanted.rest) // 4
    near = sorted([(name_distance(wanted.rest, rest), known) for rest, known in candidates.items() if abs(len(rest) - len(wanted.rest)) <= most])
    return [known for distance, known in near if distance <= most][:3]

def needs_ocloc(names):
    """Returns whether ocloc compiles for one of the targets, whose names may be unknown."""
    return any([TARGETS.get(ALIASES.get(name, name), ("", "", ""))[1] == "ocloc" for name in names])

def compiler_of(name):
    """Returns the compiler of a known target's native images, or an empty string if its images are SPIR-V."""
    return TARGETS[name][1]

def takes_all(name, device_config):
    """Returns whether a known target accepts every module, because SPIR-V can run on any device.

    Args:
        name: the target's name, without alias.
        device_config: list of Files that may describe the target. Can be empty.
    """
    return not compiler_of(name) and not device_config

def families_of(targets):
    """Returns the families of GPUs of the targets in the result of resolve_targets, without duplicates."""
    return {t.family.name: t.family for t in targets if t.family}.values()
