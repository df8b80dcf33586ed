package docs

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
)

// TestDeviceTable checks the table of Intel GPUs by product name.
func TestDeviceTable(t *testing.T) {
	var b strings.Builder
	b.WriteString("| GPU | Products | `double` | Sub-groups |\n|---|---|---|---|\n")
	rows := 0
	for _, d := range deviceconfig.Default().Devices() {
		name := deviceconfig.DisplayName(d.Name)
		if name == d.Name {
			continue
		}
		name, _, _ = strings.Cut(name, " (")
		double := "no"
		if slices.Contains(d.Aspects, aspect.FP64) {
			double = "yes"
		}
		sizes := strings.Trim(strings.ReplaceAll(fmt.Sprint(d.SubGroupSizes), " ", ", "), "[]")
		fmt.Fprintf(&b, "| %s (`%s`) | %s | %s | %s |\n", name, d.Name, strings.Join(deviceconfig.ProductNames(d.Name), ", "), double, sizes)
		rows++
	}
	if rows < 15 {
		t.Errorf("only %d GPUs have a name", rows)
	}
	testkit.GoldenSection(t, "build/targets.md", "devices", b.String())
}
