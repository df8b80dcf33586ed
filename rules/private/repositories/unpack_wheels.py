"""Unpacks the files in wheels that match patterns.

  unpack_wheels.py DIRECTORY WHEEL... -- PATTERN...

A wheel contains the files of the installation in NAME-VERSION.data/data. Its license,
NAME-VERSION.dist-info/LICENSE.txt, is unpacked as licenses/NAME-VERSION.txt. Each pattern must
match a file, unless a '?' precedes it.
"""

import fnmatch
import os
import shutil
import sys
import zipfile


def placed(member):
    """Returns the path of a wheel's file below the directory, or "" if it is not unpacked."""
    name, _, path = member.partition(".data/data/")
    if path:
        return path
    name, _, path = member.partition(".dist-info/")
    return "licenses/%s.txt" % name if path == "LICENSE.txt" else ""


def main(directory, wheels, patterns):
    unused = set(p for p in patterns if not p.startswith("?"))
    patterns = [p.lstrip("?") for p in patterns]
    for wheel in wheels:
        if not zipfile.is_zipfile(wheel):
            sys.exit("%s is not a wheel: not a zip file" % os.path.basename(wheel))
        with zipfile.ZipFile(wheel) as archive:
            for member in archive.namelist():
                path = placed(member)
                matching = [p for p in patterns if fnmatch.fnmatchcase(path, p)]
                if not matching or path.endswith("/") or os.path.normpath(path) != path:
                    continue
                unused.difference_update(matching)
                target = os.path.join(directory, path)
                os.makedirs(os.path.dirname(target), exist_ok=True)
                with archive.open(member) as source, open(target, "wb") as out:
                    shutil.copyfileobj(source, out, 1 << 20)
    if unused:
        sys.exit("no wheel has " + ", ".join(sorted(unused)))


if __name__ == "__main__":
    cut = sys.argv.index("--")
    main(sys.argv[1], sys.argv[2:cut], sys.argv[cut + 1 :])
