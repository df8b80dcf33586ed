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

// TestIDs: ids.md lists all ids that messages have, each with the page that explains it.
func TestIDs(t *testing.T) {
	var rows []string
	row := func(id, page, where, short string) {
		if !strings.Contains(page, "\n## "+id+"\n") && !strings.Contains(page, "\n### "+id+"\n") {
			t.Errorf("%s has no section %s", where, id)
		}
		by, page, _ := strings.Cut(where, ": ")
		rows = append(rows, fmt.Sprintf("| [%s](%s#%s) | %s | %s |\n", id, page, id, by, strings.TrimSuffix(short, ".")))
	}
	for _, r := range gate.Rules() {
		row(string(r.ID), rulesPage, "reports, the gate: gate-rules.md", r.Short)
	}
	for _, r := range link.Rules() {
		if strings.Contains(verifyFile, "\n### "+r.ID+"\n") {
			row(r.ID, verifyFile, "`packager verify`: packager-rules.md", r.Short)
		} else {
			row(r.ID, verifyImages, "`packager verify`: verify-images.md", r.Short)
		}
	}
	for _, id := range link.IDs() {
		_, section, _ := strings.Cut(linkingProblems, "\n## "+string(id)+"\n\n")
		sentence, _, _ := strings.Cut(strings.ReplaceAll(section, "\n", " "), ". ")
		row(string(id), linkingProblems, "`packager link`: linking-problems.md", sentence)
	}
	slices.Sort(rows)
	testkit.GoldenFile(t, "reference/ids.md", `# Ids of messages

Written by `+"`go test ./docs -update`"+`; do not edit.

Findings of tools have an id, such as `+"`[missing-aspect]`"+` at the end of a line. Ids keep their names and meanings. Messages without
one are in [messages.md](messages.md).

| id | of | what is wrong, or for packager verify what has to be |
|---|---|---|
`+strings.Join(rows, ""))
}
