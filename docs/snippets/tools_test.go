package snippets

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

// toolsPage contains the --help output of every program that users run.
const toolsPage = "docs/reference/tools.md"

// TestToolsPage checks that the page contains the help of every tool and subcommand.
func TestToolsPage(t *testing.T) {
	var b strings.Builder
	for i, name := range []string{"compat", "packager", "aspectfilter", "syclc++", "postlink", "devicec", "aot"} {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "## %s\n\n```\n%s\n```\n", name, strings.TrimSpace(help(t, name)))
		for _, sub := range subcommands(t, name) {
			fmt.Fprintf(&b, "\n### %s %s\n\n```\n%s\n```\n", name, sub, strings.TrimSpace(help(t, name, sub)))
		}
	}
	text := regexp.MustCompile(`(?m)[ \t]+$`).ReplaceAllString(b.String(), "")
	testkit.GoldenSection(t, filepath.Join(root, toolsPage), "commands", text)
}
