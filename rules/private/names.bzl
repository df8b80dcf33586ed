"""Names and checksums in messages, and checks of those that users write."""

def _distance(a, b):
    """Edits that turn a into b: insert, delete or replace a character, or swap two neighbors."""
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
    """The known names that are nearest to a given one.

    Args:
        name: what was written.
        known: list of the names that exist.
        count: how many to return at most.
    Returns:
        The nearest names, sorted; none when all of them are too far from it.
    """
    ranked = sorted([(_distance(name, k), k) for k in known])
    if not ranked or ranked[0][0] > max(2, len(name) // 2):
        return []
    return [k for d, k in ranked if d == ranked[0][0]][:count]

def is_sha256(text):
    """Whether a text is 64 hexadecimal digits."""
    return len(text) == 64 and not text.lower().strip("0123456789abcdef")

def shown(label):
    """A label as people write it: without @@ in the main repository, else as a canonical label.

    A program that reads parameter files takes an argument that begins with @ for one.

    Args:
        label: the Label.
    Returns:
        string.
    """
    text = str(label)
    return text if label.repo_name else text.lstrip("@")

# Targets that sycl_runtime_targets declares, beside the one with the name that it gets.
_OWN_TARGETS = ["compiler", "cpu_device", "cpu_driver", "devices", "headers", "missing", "missing_setting", "sycl", "syclc++", "toolchain"]

def is_own_target(name):
    """Whether sycl_runtime_targets has a target of its own with this name."""
    return name in _OWN_TARGETS
