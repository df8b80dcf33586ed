package devicecode

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

// TestPage checks that docs/reference/post-link.md has a row for each property, with its number or
// metadata.
func TestPage(t *testing.T) {
	rows := map[string]string{}
	for line := range strings.Lines(testkit.ReadFile(t, "../../../../docs/reference/post-link.md")) {
		cells := strings.Split(line, "|")
		if len(cells) < 3 || !strings.HasPrefix(cells[1], " `sycl-") {
			continue
		}
		for name := range strings.SplitSeq(cells[1], ",") {
			rows[strings.Trim(name, " `")] = line
		}
	}
	has := func(name, want string) {
		if row := rows[name]; !strings.Contains(row, want) {
			t.Errorf("%s: no %s in %q", name, want, row)
		}
		if !isKnown(name) {
			t.Errorf("%s is not known", name)
		}
	}
	for name, p := range properties {
		number := p.decoration
		if p.controls != nil {
			number = p.controls.decoration
		}
		has(name, fmt.Sprintf(" %d `", number))
		delete(rows, name)
	}
	for _, p := range kernelProperties {
		if rows[p.name] != "" && !(p.name == attrGRFSize && p.metadata == maximumRegisters) {
			has(p.name, p.metadata)
		}
	}
	for _, p := range kernelProperties {
		delete(rows, p.name)
	}
	for _, name := range []string{attrPipelined, attrFloatingPoint, "sycl-device-has"} {
		has(name, "")
		delete(rows, name)
	}
	for name := range rows {
		t.Errorf("%s has a row, but is no property", name)
	}
}
