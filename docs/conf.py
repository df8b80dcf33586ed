"""Makes the site of these pages with Sphinx: .ci/docs runs it. GitHub shows the same pages without it."""

import pathlib
import re

PAGES = pathlib.Path(__file__).resolve().parent
PROJECT = PAGES.parent
REPOSITORY = "https://github.com/rules-sycl/rules_sycl"

project = "rules_sycl"
extensions = ["myst_parser"]
root_doc = "README"
myst_heading_anchors = 4  # as on GitHub
smartquotes = False
highlight_language = "none"
suppress_warnings = ["misc.highlighting_failure"]  # "..." in an example is not C++

html_theme = "furo"
html_title = "rules_sycl"
html_theme_options = {
    "source_repository": REPOSITORY,
    "source_branch": "main",
    "source_directory": "docs/",
}
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
html_use_index = False

LINK = re.compile(r"\]\(([^()\s#]+)(#[^()\s]*)?\)")
FENCE = re.compile(r"(^ *```.*?^ *```$)", re.MULTILINE | re.DOTALL)


def is_stub(page):
    """Reports whether a page only says where its text went."""
    return page.read_text().startswith("# Moved\n")


def to_repository(directory, link):
    """Links files that are not part of the site to the repository."""
    path = directory / link[1]
    if "://" in link[1] or not path.exists():
        return link[0]  # Sphinx reports a missing page
    path = path.resolve()
    if path.is_relative_to(PAGES) and path.suffix in (".md", ".png"):
        return link[0]
    kind = "tree" if path.is_dir() else "blob"
    return "](%s/%s/main/%s%s)" % (REPOSITORY, kind, path.relative_to(PROJECT), link[2] or "")


def contents(index):
    """The parts of the index page are the parts of the site; their tables have the pages in order."""
    for part in re.split(r"^## ", index, flags=re.MULTILINE)[1:]:
        rows = [line.split("|")[1] for line in part.splitlines() if line.startswith("| [")]
        pages = [page for row in rows for page in re.findall(r"\]\(([\w/-]+)\.md\)", row)]
        if pages:
            yield "```{toctree}\n:hidden:\n:caption: %s\n\n%s\n```\n" % (part.splitlines()[0], "\n".join(pages))


def read(app, page, source):
    index = source[0]
    parts = FENCE.split(index)
    directory = (PAGES / page).parent
    parts[::2] = [LINK.sub(lambda link: to_repository(directory, link), text) for text in parts[::2]]
    source[0] = "".join(parts)
    if page == root_doc:
        source[0] += "\n" + "\n".join(contents(index))


exclude_patterns = ["_build", *(str(page.relative_to(PAGES)) for page in PAGES.glob("*.md") if is_stub(page))]


def setup(app):
    app.connect("source-read", read)
    return {"parallel_read_safe": True}
