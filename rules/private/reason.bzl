"""Constraints whose names say why a target cannot be built on this machine.

Bazel skips a target that needs a constraint that its platform lacks. When such a target is
asked for by name, the error has the label of the constraint and nothing else. So the label
is the explanation.
"""

# Where no toolchain with a device compiler is found, and none says what it lacks.
NOTHING = "no registered sycl_toolchain has a device compiler for the execution platform; those of rules_sycl are for Linux"

# Of what may be in the name of a target, all that reads well.
_ALLOWED = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 !#$%&'()*+,-./;<=>?@[]^_{|}~"

# Of the characters that may not be, those that have a like one.
_ALIKE = {
    "\n": " ",
    "\"": "'",
    ":": ",",
    "`": "'",
}

def reason_name(text):
    """A text as the name of a target.

    Args:
        text: any text.
    Returns:
        the text with the characters replaced that the name of a target may not have.
    """
    name = "".join([c if c in _ALLOWED else _ALIKE.get(c, "_") for c in text.elems()])

    # A name is a path: it has no empty part, and none of dots only.
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
