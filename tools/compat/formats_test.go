package main

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/gatefiles"
	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

// TestEveryFormatHasAGolden prints a report, a difference and a result in every format that the
// flags accept. A format without a golden file fails.
func TestEveryFormatHasAGolden(t *testing.T) {
	gateWorkspace(t)
	for _, command := range []struct {
		name    string
		formats []string
		args    []string
	}{
		{"show", slices.Sorted(maps.Keys(writers)), []string{"show", "now.json"}},
		{"diff", slices.Sorted(maps.Keys(diffWriters)), []string{"diff", "before.json", "now.json"}},
		{"check", slices.Sorted(maps.Keys(gatefiles.Writers)), []string{"check", "--today", "2027-01-31", "--workspace", ".", "now.json"}},
	} {
		for _, format := range command.formats {
			t.Run(command.name+" "+format, func(t *testing.T) {
				_, text, stderr := run(t, append(slices.Clone(command.args), "--format", format)...)
				if text == "" || stderr != "" {
					t.Fatalf("%q on standard output, and %q", text, stderr)
				}
				// Pages have the same style and script, which have their own tests.
				if at := strings.Index(text, "<main"); format == "html" && at >= 0 {
					text, _, _ = strings.Cut(text[at:], "<script")
				}
				text = strings.NewReplacer(`"version": "`+cli.Version+`"`, `"version": "VERSION"`, `"version":"`+cli.Version+`"`, `"version":"VERSION"`,
					"compat "+cli.Version+" ", "compat VERSION ").Replace(text)
				testkit.GoldenFile(t, filepath.Join(goldenDir, "formats", command.name+"."+format), text)
			})
		}
	}
}
