"""Nearest names, for errors about a misspelled one."""

def _distance(a, b):
    """Edits (insert, delete, replace one character) that turn a into b."""
    row = list(range(len(b) + 1))
    for i in range(len(a)):
        previous = row
        row = [i + 1]
        for j in range(len(b)):
            row.append(min(
                previous[j + 1] + 1,
                row[j] + 1,
                previous[j] + (0 if a[i] == b[j] else 1),
            ))
    return row[-1]

def nearest_names(name, known, count = 3):
    """The known names that are most like a given one.

    Args:
        name: what was written.
        known: list of the names that exist.
        count: how many to return at the most.
    Returns:
        The nearest names, best first; none that shares next to nothing with it.
    """
    limit = max(2, len(name) // 2)
    ranked = sorted([(_distance(name, k), k) for k in known])
    return [k for d, k in ranked if d <= limit][:count]
