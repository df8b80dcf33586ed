package main

import (
	"io"
	"path/filepath"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

// TestFiles checks that the generated files of this repository are up to date, except for the page
// of the rules, which Bazel generates.
func TestFiles(t *testing.T) {
	for name, write := range map[string]func(io.Writer) error{
		"docs/reference/icpx-options.md":           writePage,
		"rules/private/generated/compile_spec.bzl": writeCompileSpec,
		"rules/private/generated/icpx_flags.bzl":   writeStarlark,
		"rules/private/generated/targets.bzl":      writeTargets,
	} {
		testkit.GoldenFile(t, filepath.Join("..", "..", name), testkit.Written(t, write))
	}
}
