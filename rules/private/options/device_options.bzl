"""Derives the options of the device compilation from the command line of the host compilation."""

load("@rules_cc//cc:action_names.bzl", "CPP_COMPILE_ACTION_NAME")
load("@rules_cc//cc/common:cc_common.bzl", "cc_common")
load("//rules/private/generated:compile_spec.bzl", "DEBUG_LEVELS", "FEATURES", "FEATURE_FAMILIES", "RULES")

# Positions in a command line, between lists of options.
DEFINES = "defines"
COPTS = "copts"

_LONGEST_NAME = max([len(name) for name in RULES])

# Definitions that mark the positions of the target's definitions and copts in a command line.
_MARKS = {"-DRULES_SYCL_DEFINES": DEFINES, "-DRULES_SYCL_COPTS": COPTS}

# Names of C++ standards that are too old for SYCL, in g++ and clang.
_OLD_STANDARDS = ["98", "03", "0x", "11", "1y", "14"]

def _find(option):
    """Returns the longest name in RULES that an option starts with, or None."""
    for size in range(min(len(option), _LONGEST_NAME), 0, -1):
        name = option[:size]
        form = RULES[name][0] if name in RULES else ""
        if form and (size == len(option) or form in ["joined", "either"] or (form == "equals" and option[size] == "=")):
            return name
    return None

def _optimization(option, value):
    if value == "":
        return ["-O1"]
    if value == "fast":  # clang warns about -Ofast
        return ["-O3", "-ffast-math"]
    return [option if value in ["0", "1", "2", "3", "s", "z", "g"] else "-O3"]

def _debug(option, value):
    if value in ["0", "gdb0"]:
        return ["-g0"]
    if value.startswith("dwarf-") and len(value) == len("dwarf-5"):
        return [option]
    return ["-g"] if value in DEBUG_LEVELS or value.startswith("gdb") or value.startswith("stabs") else []

def _is_feature(option):
    name = option[len("-f"):].removeprefix("no-")
    if "=" in name:
        name = name.split("=")[0] + "="
    return name in FEATURES or any([option.startswith(family) for family in FEATURE_FAMILIES])

def read_line(line):
    """Splits a command line of gcc or clang into options.

    Args:
        line: list of string.
    Returns:
        list of struct(words, name, value): an option as it is written, its name in RULES or None,
        and its value.
    """
    options, skip = [], False
    for i, word in enumerate(line):
        if skip:
            skip = False
            continue
        name = _find(word)
        value = word[len(name):] if name else ""
        form = RULES[name][0] if name else ""
        skip = bool(name) and not value and form in ["separate", "either", "equals"] and i + 1 < len(line)
        if form == "equals" and value:
            value = value[1:]
        options.append(struct(words = line[i:i + 2] if skip else [word], name = name, value = line[i + 1] if skip else value))
    return options

def device_options(line, warnings = True):
    """Returns the options of a gcc or clang command line that the device compilation gets.

    Args:
        line: list of string.
        warnings: whether to include warning options.
    Returns:
        list of string.
    """
    out = []
    for option in read_line(line):
        reading = RULES[option.name][1] if option.name else ""
        if reading == "copy" or (reading == "standard" and "++" in option.value) or (reading == "warning" and warnings):
            out += option.words
        elif reading == "optimization":
            out += _optimization(option.words[0], option.value)
        elif reading == "debug":
            out += _debug(option.words[0], option.value)
        elif reading == "feature" and _is_feature(option.words[0]):
            out += option.words
        elif reading == "sysroot":
            out.append("--sysroot=" + option.value)
    return out

def standard(line):
    """Returns the option that selects the C++ standard in a command line.

    Args:
        line: list of string.
    Returns:
        string, or None if no option selects a standard.
    """
    found = None
    for option in read_line(line):
        found = _standard_of(option) or found
    return found

def _standard_of(option):
    """Returns the C++ standard that an option selects, in the form -std=X, or None."""
    return "-std=" + option.value if option.name in ["-std=", "--std"] and "++" in option.value else None

def is_old_standard(option):
    """Returns whether an option -std= selects a C++ standard that is too old for SYCL."""
    return option.split("++")[-1] in _OLD_STANDARDS

def host_line(ctx, cc):
    """Returns the command line of a host compilation without the options that the target adds.

    Args:
        ctx: the context of a rule with the fragment cpp.
        cc: the result of cc_of, or None.
    Returns:
        list of lists of options of the C++ toolchain, its features and Bazel's command line.
        Between them, DEFINES is the position of the target's definitions and include directories,
        and COPTS the position of its copts.
    """
    if not cc:
        return [["-DNDEBUG"] if ctx.var["COMPILATION_MODE"] == "opt" else [], DEFINES, COPTS]
    line = cc_common.get_memory_inefficient_command_line(
        action_name = CPP_COMPILE_ACTION_NAME,
        feature_configuration = cc.features,
        variables = cc_common.create_compile_variables(
            cc_toolchain = cc.toolchain,
            feature_configuration = cc.features,
            preprocessor_defines = depset(["RULES_SYCL_DEFINES"]),
            user_compile_flags = ctx.fragments.cpp.copts + ctx.fragments.cpp.cxxopts + ["-DRULES_SYCL_COPTS"],
        ),
    )
    out, piece = [], []
    for option in line:
        if option in _MARKS:
            out += [piece, _MARKS[option]]
            piece = []
        else:
            piece.append(option)
    out.append(piece)

    # The toolchain may not have the features that pass them.
    return out + [mark for mark in [DEFINES, COPTS] if mark not in out]

def chosen_standard(ctx):
    """Returns the option in --copt or --cxxopt that selects the C++ standard, or None."""
    return standard(ctx.fragments.cpp.copts + ctx.fragments.cpp.cxxopts)

def device_line(line, chosen, dpcpp = True):
    """Returns the part of a host_line that the device compilation gets.

    Args:
        line: the result of host_line.
        chosen: the result of chosen_standard. A different standard that is too old for SYCL is the
            C++ toolchain's default, which the device compilation does not get.
        dpcpp: whether DPC++ compiles for devices. Other compilers get no debug information
            options, which turn off line tables, no CPU options, and no C++ standard except
            `chosen`, because the SYCL toolchain selects one.
    Returns:
        a list of the same form as line.
    """
    out = []
    for piece in line:
        if type(piece) == "list":
            piece = [
                word
                for option in read_line(device_options(piece, warnings = False))
                if not _is_compiler_directory(option) and not _is_default(option, chosen) and (dpcpp or not _is_for_dpcpp(option, chosen))
                for word in option.words
            ]

            # Toolchains define __DATE__ and similar macros as constants.
            if [option for option in piece if option.startswith("-D__")]:
                piece = ["-Wno-builtin-macro-redefined"] + piece
        out.append(piece)
    return out

def _is_compiler_directory(option):
    """Returns whether an option names clang's own headers. The device compiler has its own."""
    return option.name in ["-isystem", "-I", "-idirafter"] and "/lib/clang/" in option.value

def _is_default(option, chosen):
    """Returns whether an option selects a standard that is too old for SYCL and that the user did not choose."""
    standard = _standard_of(option)
    return bool(standard) and standard != chosen and is_old_standard(standard)

def _is_for_dpcpp(option, chosen):
    """Returns whether an option of the host compilation is passed only to DPC++."""
    return (option.name in ["-std=", "--std"] and _standard_of(option) != chosen) or option.name == "-g" or (option.name or "").startswith("-m") or option.value.startswith("_FORTIFY_SOURCE")

def all_options(line):
    """Returns all options of a host_line or a device_line in one list."""
    return [option for piece in line if type(piece) == "list" for option in piece]
