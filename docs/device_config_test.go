package docs

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
)

//go:embed check/device-config.md
var deviceConfig string

func TestDeviceKeysAreDocumented(t *testing.T) {
	_, keys, _ := strings.Cut(deviceConfig, "\n## Keys\n")
	keys, _, _ = strings.Cut(keys, "\n## ")
	var sections []string
	for line := range strings.Lines(keys) {
		if key, ok := strings.CutPrefix(line, "### "); ok {
			sections = append(sections, strings.TrimSpace(key))
		}
	}
	want := deviceconfig.Keys()
	slices.Sort(sections)
	slices.Sort(want)
	if !slices.Equal(sections, want) {
		t.Errorf("sections %q, keys %q", sections, want)
	}
}

func TestDeviceConfigExamples(t *testing.T) {
	examples := regexp.MustCompile("(?s)```(?:yaml\n|\n\\$[^\n]*\n)(.*?)```").FindAllStringSubmatch(deviceConfig, -1)
	if len(examples) != 2 {
		t.Fatalf("%d examples", len(examples))
	}
	for _, e := range examples {
		c, err := deviceconfig.Read("example", strings.NewReader(e[1]))
		if err != nil || len(c.Devices()) != 1 || len(c.Devices()[0].Aspects) < 3 {
			t.Errorf("%v in\n%s", err, e[1])
		}
	}
}
