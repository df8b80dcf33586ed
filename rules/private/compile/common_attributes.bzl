"""Attributes of every rule, for macros that declare several targets."""

# Attributes that all targets of a macro get, except visibility.
COMMON = [
    "compatible_with",
    "exec_compatible_with",
    "exec_properties",
    "features",
    "restricted_to",
    "tags",
    "target_compatible_with",
    "testonly",
    "toolchains",
]

def common_attributes(kwargs, groups):
    """Returns the attributes of a macro that are passed to a target that it declares.

    Args:
        kwargs: the attributes of the macro.
        groups: execution groups of the target's rule: `exec_properties` can name one, as in
            "test.Pool", and Bazel rejects others.
    Returns:
        dict of attribute -> value.
    """
    own = {key: kwargs[key] for key in COMMON if key in kwargs}

    # The keys of a select are unknown in macros.
    if type(own.get("exec_properties")) == "dict":
        own["exec_properties"] = {
            key: value
            for key, value in own["exec_properties"].items()
            if "." not in key or key.split(".")[0] in groups
        }
    return own
