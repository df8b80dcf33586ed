"""Names and checksums: suggestions for misspelled names, and validation."""

def name_distance(a, b):
    """Returns the number of edits that turn a into b: insert, delete or replace a character, or swap two neighbors.

    Args:
        a: string.
        b: string.
    Returns:
        int.
    """
    before = []
    row = list(range(len(b) + 1))
    for i in range(len(a)):
        above = row
        row = [i + 1]
        for j in range(len(b)):
            best = min(
                above[j + 1] + 1,
                row[j] + 1,
                above[j] + (0 if a[i] == b[j] else 1),
            )
            if i and j and a[i] == b[j - 1] and a[i - 1] == b[j]:
                best = min(best, before[j - 1] + 1)
            row.append(best)
        before = above
    return row[-1]

def nearest_names(name, known, count = 3):
    """Returns the known names that are most similar to a given one.

    Args:
        name: the unknown name.
        known: list of the known names.
        count: the largest number of names to return.
    Returns:
        The most similar names, sorted. Empty if none is similar.
    """
    ranked = sorted([(name_distance(name, k), k) for k in known])
    if not ranked or ranked[0][0] > max(2, len(name) // 2):
        return []
    return [k for d, k in ranked if d == ranked[0][0]][:count]

def is_sha256(text):
    """Returns whether a text consists of 64 hexadecimal digits."""
    return len(text) == 64 and not text.lower().strip("0123456789abcdef")

def shown(label):
    """Returns a label without @@ in the main repository, else as a canonical label.

    Programs that read parameter files interpret an argument that starts with @ as one.

    Args:
        label: the Label.
    Returns:
        string.
    """
    text = str(label)
    return text if label.repo_name else text.lstrip("@")

# Suffix of the target that compiles the sources of a program.
PROGRAM_SUFFIX = ".program"

def user_label(ctx):
    """Returns the label in the BUILD file, for messages.

    Args:
        ctx: the rule context.
    Returns:
        string: for the target that compiles the sources of a program, the program's label.
    """
    label = shown(ctx.label)
    return label.removesuffix(PROGRAM_SUFFIX) if hasattr(ctx.attr, "_is_program") else label

# Targets that sycl_runtime_targets declares, in addition to the one with its name.
_OWN_TARGETS = ["compiler", "cpu_device", "cpu_driver", "devices", "headers", "missing", "missing_setting", "preview", "sycl", "syclc++", "toolchain"]

def is_own_target(name):
    """Returns whether sycl_runtime_targets declares a target with this name."""
    return name in _OWN_TARGETS
