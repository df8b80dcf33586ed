package docs

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/gate"
	"github.com/rules-sycl/rules_sycl/sycl/link"
)

// TestIDs checks the table of all message ids. Each id must link to the section that explains it.
func TestIDs(t *testing.T) {
	verify, linking := packagerParts(t)
	var rows []string
	row := func(id, command, page, short string) {
		rows = append(rows, fmt.Sprintf("| [%s](%s) | %s | %s |\n", id, page, command, strings.TrimSuffix(short, ".")))
	}
	for _, r := range gate.Rules() {
		row(string(r.ID), "reports, `compat check`", "gate-rules.md#"+string(r.ID), r.Short)
	}
	for _, r := range link.Rules() {
		row(r.ID, "`packager verify`", "packager-rules.md#"+r.ID, "Violated: "+r.Short)
	}
	for _, id := range link.IDs() {
		_, section, _ := strings.Cut(linking, "\n### "+string(id)+"\n\n")
		sentence, _, _ := strings.Cut(strings.ReplaceAll(section, "\n", " "), ". ")
		anchor := string(id)
		if slices.Contains(idSections(verify), anchor) {
			anchor += "-1" // suffix of the second heading with this text on a page
		}
		row(string(id), "`packager link`", "packager-rules.md#"+anchor, sentence)
	}
	slices.Sort(rows)
	testkit.GoldenSection(t, "reference/messages.md", "ids", "| Id | Printed by | Meaning |\n|---|---|---|\n"+strings.Join(rows, ""))
}
