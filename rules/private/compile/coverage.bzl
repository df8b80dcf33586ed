"""Support for `bazel coverage`."""

load(":headers.bzl", "HEADERS", "SOURCES")

def instrumented_files(ctx, notes = []):
    """Returns the sources whose lines a coverage report can include.

    Args:
        ctx: the context of a rule with SOURCE_ATTRS.
        notes: list of File: the coverage notes that the C++ compiler wrote.
    Returns:
        InstrumentedFilesInfo.
    """
    return coverage_common.instrumented_files_info(
        ctx,
        dependency_attributes = ["data", "deps", "implementation_deps"],
        extensions = SOURCES + HEADERS,
        metadata_files = notes,
        source_attributes = ["hdrs", "srcs", "textual_hdrs"],
    )

# Attributes of a test rule that Bazel needs to collect the counters of C++ code after the test.
COVERAGE_ATTRS = {
    "_collect_cc_coverage": attr.label(
        cfg = "exec",
        default = "@bazel_tools//tools/test:collect_cc_coverage",
        executable = True,
    ),
    "_lcov_merger": attr.label(
        cfg = "exec",
        default = configuration_field(fragment = "coverage", name = "output_generator"),
        executable = True,
    ),
}
