"""Constraints whose names state why a target cannot be built on this system.

Bazel skips a target that needs a constraint that its platform lacks. If you request such a
target by name, the error shows only the label of the constraint. Therefore the label is the
explanation.
"""

# The reason if no toolchain with a device compiler is found, and none states what it lacks.
NOTHING = "no registered sycl_toolchain has a device compiler for the execution platform; the toolchains of rules_sycl are only for Linux"

# The readable characters that may be in the name of a target.
_ALLOWED = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 !#$%&'()*+,-./;<=>?@[]^_{|}~"

# Replacements for characters that may not be in the name of a target.
_ALIKE = {
    "\n": " ",
    "\"": "'",
    ":": ",",
    "`": "'",
}

def reason_name(text):
    """Returns a text as the name of a target.

    Args:
        text: any text.
    Returns:
        the text, with characters replaced that are not allowed in the name of a target.
    """
    name = "".join([c if c in _ALLOWED else _ALIKE.get(c, "_") for c in text.elems()])

    # A name is a path without empty components, . and ..
    parts = [part for part in name.strip(" ").split("/") if part]
    return "/".join(["_" if part in [".", ".."] else part for part in parts])

def reason(name, text):
    """Declares a constraint that no platform has, with the reason as its name.

    Args:
        name: name of an alias of the constraint.
        text: the reason.
    """
    native.constraint_setting(name = name + "_setting", visibility = ["//visibility:private"])
    native.constraint_value(
        name = reason_name(text),
        constraint_setting = name + "_setting",
        visibility = ["//visibility:public"],
    )
    native.alias(
        name = name,
        actual = reason_name(text),
        visibility = ["//visibility:public"],
    )
