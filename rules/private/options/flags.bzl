"""Passes the options in copts, device_copts, host_copts and linkopts to the steps of a build."""

load("@bazel_skylib//rules:common_settings.bzl", "BuildSettingInfo")
load("//rules/private/generated:icpx_flags.bzl", "FLAGS")
load("//rules/private/targets:names.bzl", "user_label")
load("//rules/private/targets:resolve.bzl", "known_targets")
load(":device_options.bzl", "device_options", "read_line", "standard")
load(":options.bzl", "expanded_options", "expanded_text", "words")

# The values of device_code_split.
SPLITS = ["auto", "per_source", "per_kernel", "off"]

# Options whose value is the next argument, whatever it is.
_WITH_VALUES = ["-Xassembler", "-Xclang", "-Xlinker", "-Xpreprocessor", "-mllvm"]

# Options of ocloc itself, with the attribute to use instead. All others are compiler options.
_OCLOC = {
    "-device": "list the devices in sycl_targets, as intel_gpu_* targets",
    "-device_options": "use {\"intel_gpu_...\": [...]} in backend_options",
    "-internal_options": "the driver sets them at run time; remove it",
    "-revision_id": "list the device in sycl_targets",
}

# Options whose value is options of one of the two compilations.
_ONE_SIDED = [name for name, flag in FLAGS.items() if flag.next and "{}" in flag.device + flag.host]

def shared_options(options):
    """Returns options without those of one compilation, such as `-Xarch_host -DX`.

    Args:
        options: list of string.
    Returns:
        list of string.
    """
    return [
        option
        for i, option in enumerate(options)
        if option not in _ONE_SIDED and (not i or options[i - 1] not in _ONE_SIDED)
    ]

def _parsed(label, where, options):
    """Returns options as a list of struct(flag, name, value, target, words).

    The flag is from the table, or None; the name is the option without a value in the next
    argument; words are the option as it is written.
    """
    out, skip = [], False
    for i, option in enumerate(options):
        if skip:
            skip = False
            continue
        found = _find(option) or struct(flag = None, name = option, value = "", target = "")
        skip = option in _WITH_VALUES or found.value == None or (not found.flag and len(read_line([option, ""])) == 1 and i + 1 < len(options))
        following = options[i + 1:i + 2] if skip else []
        if found.value == None and not following:
            fail("%s: %s: '%s' requires a value in the next option" % (label, where, option))
        out.append(struct(
            flag = found.flag,
            name = found.name,
            value = following[0] if found.value == None else found.value,
            target = found.target,
            words = [option] + following,
        ))
    return out

def _find(option):
    """Returns struct(flag, name, value, target) for an option, or None. The value is None if it is the next option."""
    if option in FLAGS:
        return struct(flag = FLAGS[option], name = option, value = None if FLAGS[option].next else "", target = "")
    name, equals, value = option.partition("=")
    if equals and name + "=" in FLAGS:
        flag = FLAGS[name + "="]
        return struct(flag = flag, name = option, value = None if flag.next else value, target = value if flag.next else "")
    if option.startswith("-Xs") and not option.startswith("-Xsycl-"):
        return struct(flag = FLAGS["-Xs"], name = "-Xs", value = "-" + option.removeprefix("-Xs"), target = "")
    return None

# Attributes with options, in addition to copts -> how _take reads them.
_KINDS = {
    "cxxopts": "copts",
    "device_copts": "device_copts",
    "host_copts": "host_copts",
    "linkopts": "linkopts",
}

# The option that selects libsycl's next ABI. The device compiler has the same option.
PREVIEW = "-fpreview-breaking-changes"

# The flag with options of all device compilations.
_DEVICE_FLAG = "--@rules_sycl//rules/settings:device_copts"

def read_options(ctx, intel_host = False):
    """Reads the options of a rule.

    Args:
        ctx: the context of a rule with copts. If the rule has no host_copts, copts are for
            the device compilation.
        intel_host: whether the host compiler is Intel's, which supports all options.
    Returns:
        struct(apart, assembler, c, device, host, link, standards, attributes, backend, emulate, preview):
        macros that options define for one compilation only; options for assembler and C sources; options
        of the device compilation, the host compilation and the link; dict of the option that sets a
        C++ standard -> attribute that has it; dict of attribute ->
        struct(option, value) of the last option that sets it; a list of
        struct(target, native, jit, where) for backend_options; whether conversions of
        double are emulated; and whether programs are linked to libsycl-preview.
    """
    out = struct(device = [], host = [], link = [], attributes = {}, backend = _of_attribute(ctx), emulate = [], preview_link = [], one_sided = [])
    kinds = {"copts": "copts" if hasattr(ctx.attr, "host_copts") else "device_copts"}
    kinds |= {name: kind for name, kind in _KINDS.items() if hasattr(ctx.attr, name)}
    texts = {attribute: expanded_options(ctx, attribute) for attribute in kinds}
    kinds[_DEVICE_FLAG] = "device_copts"
    texts[_DEVICE_FLAG] = ctx.attr._device_copts[BuildSettingInfo].value
    cxx_begin, cxx_end = 0, 0
    for attribute, kind in kinds.items():
        cxx_begin = len(out.host) if attribute == "cxxopts" else cxx_begin
        for option in _parsed(user_label(ctx), attribute, texts[attribute]):
            take = _take_host if option.name == "-Xarch_host" and kind != "device_copts" else _take
            wrong = take(ctx, out, kind, attribute, option, intel_host)
            if wrong:
                fail("%s: %s: '%s': %s" % (user_label(ctx), attribute, " ".join(option.words), wrong))
        cxx_end = len(out.host) if attribute == "cxxopts" else cxx_end
    if out.preview_link and PREVIEW not in out.device:
        fail("%s: linkopts: '%s': has no effect without the same option in copts; add it there" % (user_label(ctx), PREVIEW))
    assembler = out.host[:cxx_begin] + out.host[cxx_end:]
    if "copts" in kinds.values() and [option for option in out.device if option.startswith("-W")]:
        out.device.append("-Wno-unknown-warning-option")
    apart = {}
    if "copts" in kinds.values():
        for options in [out.one_sided] + [shared_options(texts[a]) for a in ["device_copts", "host_copts", _DEVICE_FLAG] if a in texts]:
            for option in read_line(options):
                if option.name in ["-D", "-U"]:
                    apart[option.value.split("=")[0]] = None
    return struct(
        apart = apart.keys(),
        assembler = assembler,
        c = assembler + (expanded_options(ctx, "conlyopts") if hasattr(ctx.attr, "conlyopts") else []),
        device = out.device,
        host = out.host,
        link = out.link,
        standards = {standard(text): attribute for attribute, text in texts.items() if standard(text)},
        attributes = out.attributes,
        backend = out.backend,
        emulate = bool(out.emulate),
        preview = PREVIEW in out.device,
    )

def _take(ctx, out, kind, attribute, option, intel_host):
    """Adds an option to the steps that it applies to. Returns an error message, or None."""
    flag = option.flag
    destination = flag.destination if flag else ""

    # Floating-point models may differ between the host and devices.
    agree = destination == "both" and flag.host and "fp-model=" not in option.name
    if kind == "host_copts" and destination in ["attribute", "backend", "device", "emulation"]:
        return "this option is for device code; move it to copts"
    unreadable = words(option.value).error if flag and flag.next else ""
    if unreadable:
        return "its value " + unreadable
    if option.name in _ONE_SIDED and kind != "linkopts":
        out.one_sided.extend(words(option.value).words)
    if not flag:
        if kind != "device_copts" and _looks_like_sycl(option.name):
            return "unknown icpx option, see docs/reference/icpx-options.md; if the device compiler supports it, move it to device_copts"
        if kind == "device_copts":
            out.device.extend(option.words)
        elif kind == "copts":
            # Options that only the host compiler has are passed only to it.
            out.device.extend(device_options(option.words))
        if kind in ["copts", "host_copts"]:
            out.host.extend(option.words)
        if kind == "linkopts":
            out.link.extend(option.words)
    elif destination == "error" or (destination == "intel" and kind != "device_copts" and not intel_host):
        return flag.why.replace("{}", option.value)
    elif destination == "attribute":
        if not hasattr(ctx.attr, flag.attribute):
            return "this rule has no attribute %s, which the option sets; set it on the target that builds device images of this code" % flag.attribute
        out.attributes[flag.attribute] = struct(option = option.name, value = flag.means or option.value)
    elif destination == "backend":
        if not hasattr(ctx.attr, "backend_options"):
            return "set backend_options on the target that builds device images of this code"
        return _take_backend(out, attribute, option)
    elif destination == "emulation":
        if kind != "linkopts":
            out.emulate.append(True)
    elif kind == "linkopts":
        if option.name == PREVIEW:
            out.preview_link.append(True)
        elif destination in ["host", "intel"]:
            out.link.extend(_replaced(flag.host, option))
    elif destination == "host" and kind == "device_copts":
        return "this option is for the host; move it to host_copts"
    elif agree and kind == "device_copts" and hasattr(ctx.attr, "host_copts"):
        return "both compilations must agree on this option; move it to copts"
    elif agree and kind == "host_copts":
        return "both compilations must agree on this option; move it to copts"
    elif destination != "nothing":
        if kind in ["copts", "device_copts"] and destination != "host":
            out.device.extend(_replaced(flag.device, option))
        if kind in ["copts", "host_copts"] and destination != "device":
            out.host.extend(flag.host if destination == "both" else _replaced(flag.host, option))
    return ""

def _take_host(ctx, out, kind, attribute, option, intel_host):
    """Adds the options in `-Xarch_host`, as syclc++ does. Returns an error message, or None."""
    read = words(option.value)
    if read.error:
        return "its value " + read.error
    if kind != "linkopts":
        out.one_sided.extend(read.words)
    for each in _parsed(user_label(ctx), attribute, read.words):
        if kind != "linkopts" and each.flag and each.flag.destination == "both":
            out.host.extend(each.flag.host)
            continue
        wrong = _take(ctx, out, "linkopts" if kind == "linkopts" else "host_copts", attribute, each, intel_host)
        if wrong:
            return wrong
    return ""

def _looks_like_sycl(name):
    return name.startswith("-fsycl") or name.startswith("-fno-sycl")

def _replaced(wanted, option):
    """Returns the replacement of an option, or the option itself if there is none."""
    if not wanted:
        return option.words
    if wanted == ["{}"]:
        return words(option.value).words
    return wanted

def _of_attribute(ctx):
    """Returns the attribute backend_options in the form of read_options."""
    out = []
    for key, texts in getattr(ctx.attr, "backend_options", {}).items():
        texts = [expanded_text(ctx, "backend_options", text) for text in texts]
        out.append(struct(target = key, native = texts, jit = texts, where = "backend_options"))
    return out

def _take_backend(out, attribute, option):
    """Adds an option for the compilers of native code."""
    ahead, jit = list(option.flag.native), list(option.flag.jit)
    target = "*"
    if not ahead:
        ocloc = None
        for word in words(option.value).words:
            if ocloc:
                ahead.append(word)
                ocloc = None
            elif word == "-options":
                ocloc = word
            elif word in _OCLOC:
                return "%s is an option of ocloc itself; %s" % (word, _OCLOC[word])
            else:
                ahead.append(word)
                jit.append(word)
        if ocloc:
            return "missing value after -options"
    if option.target:
        target = option.target.removesuffix("-unknown-unknown")
        target = {"spir64_gen": "intel_gpu_*"}.get(target, target)
    elif option.name == "-Xsycl-target-backend":
        target = ""
    out.backend.append(struct(target = target, native = ahead, jit = jit, where = "%s: '%s'" % (attribute, " ".join(option.words))))
    return ""

def attribute_value(ctx, options, name, default):
    """Returns the value of an attribute that an option can set, too.

    Args:
        ctx: the rule context.
        options: the result of read_options.
        name: the name of the attribute, whose value is a string, a bool or a list of strings.
        default: its default.
    Returns:
        the value.
    """
    own = getattr(ctx.attr, name)
    asked = options.attributes.get(name)
    if not asked:
        return own
    value = asked.value
    if type(default) == "list":
        value = [each.removesuffix("-unknown-unknown") for each in value.split(",")]
        agree = sorted(own) == sorted(value)
    elif type(default) == "bool":
        value = value == "True"
        agree = own == value

        # The outputs of the rule depend on the attribute.
        if value and not own:
            fail("%s: '%s': use the attribute %s = True instead" % (user_label(ctx), asked.option, name))
    else:
        agree = own == value
    if own != default and not agree:
        fail("%s: '%s' contradicts the attribute %s = %r; remove one of them" % (user_label(ctx), asked.option, name, own))
    return value

def split_of(ctx, options):
    """Returns the attribute device_code_split, which an option can set, too.

    Args:
        ctx: the rule context.
        options: the result of read_options.
    Returns:
        one of SPLITS.
    """
    split = attribute_value(ctx, options, "device_code_split", "auto")
    if split not in SPLITS:
        fail("%s: unknown mode in '%s'; use one of %s" % (user_label(ctx), options.attributes["device_code_split"].option, ", ".join(SPLITS)))
    return split

def backend_options(label, backend, targets):
    """Returns the options for compiling code for each target.

    Args:
        label: label of the rule, for errors.
        backend: backend in the result of read_options.
        targets: the result of resolve_targets.
    Returns:
        dict of name of a target -> list of string; targets without options are not in it.
    """
    out = {}
    for each in backend:
        chosen = each.target
        if not chosen and len(targets) > 1:
            fail("%s: %s: ambiguous with several targets; specify one, as in -Xsycl-target-backend=%s, or use backend_options" % (label, each.where, targets[0].name))
        if chosen not in ["", "*", "intel_gpu_*"]:
            chosen = known_targets(label, each.where, [chosen])[0]
        for target in targets:
            if target.family:
                if chosen == target.name:
                    fail("%s: %s: not supported for %s, whose images LLVM compiles; use copts" % (label, each.where, target.name))
                continue
            if chosen in ["", "*", target.name] or (chosen == "intel_gpu_*" and target.compiler):
                more = each.native if target.compiler else each.jit
                if more:
                    out[target.name] = out.get(target.name, []) + more
    return out

def check_command_line(ctx, intel_host):
    """Fails for options in --copt, --cxxopt and --linkopt that the host compiler must not get.

    Args:
        ctx: the context of a rule with the fragment cpp.
        intel_host: whether the host compiler is Intel's.
    """
    cpp = ctx.fragments.cpp
    for where, options in {"--copt": cpp.copts, "--cxxopt": cpp.cxxopts, "--linkopt": cpp.linkopts}.items():
        for option in _parsed(user_label(ctx), where, options):
            destination = option.flag.destination if option.flag else ""
            if destination in ["nothing", "error"] or (destination == "intel" and not intel_host):
                wrong = option.flag.why.replace("{}", option.value)
            elif destination == "attribute":
                wrong = "set the attribute %s of the targets with device code" % option.flag.attribute
            elif destination == "backend":
                wrong = "set the attribute backend_options of the targets with device code"
            elif option.name == "-Xarch_host":
                wrong = "add it to copts of the targets with device code, or its value to --copt"
            elif destination in ["both", "device", "emulation"] or (not destination and _looks_like_sycl(option.name)):
                wrong = "add it to copts of the targets with device code"
            else:
                continue
            fail("%s: %s='%s' applies to all C++ compiles and is passed through unchanged; remove it; %s" % (user_label(ctx), where, " ".join(option.words), wrong))

def link_options(label, where, options):
    """Returns a dependency's link options without the options that have no effect there.

    Args:
        label: label of the program, for errors.
        where: the location of the options, for errors.
        options: list of string.
    Returns:
        list of string.
    """
    out = []
    for option in _parsed(label, where, options):
        destination = option.flag.destination if option.flag else ""
        if destination in ["", "host", "intel"]:
            out += _replaced(option.flag.host, option) if option.flag else option.words
        elif destination == "attribute":
            fail("%s: %s: '%s' would apply to the device code of the program; set the program's attribute %s instead" % (label, where, option.name, option.flag.attribute))
        elif destination == "backend":
            fail("%s: %s: '%s' would apply to the device code of the program; set the program's attribute backend_options instead" % (label, where, " ".join(option.words)))
        elif destination == "error":
            fail("%s: %s: '%s': %s" % (label, where, " ".join(option.words), option.flag.why.replace("{}", option.value)))
    return out
