package lint

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// TestRegistry checks that the files for the Bazel Central Registry refer to files that exist: the
// archive of .ci/release, and a test module.
func TestRegistry(t *testing.T) {
	dir := filepath.Join(tree(t), ".bcr")
	read := func(name string, decode func([]byte, any) error, into any) {
		t.Helper()
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := decode(data, into); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}

	var metadata struct {
		Homepage   string
		Repository []string
	}
	read("metadata.template.json", json.Unmarshal, &metadata)
	if want := "github:" + strings.TrimPrefix(metadata.Homepage, "https://github.com/"); len(metadata.Repository) != 1 || metadata.Repository[0] != want {
		t.Errorf("metadata.template.json: the repository is %q, the homepage %s", metadata.Repository, metadata.Homepage)
	}

	var source struct {
		Prefix string `json:"strip_prefix"`
		URL    string
	}
	read("source.template.json", json.Unmarshal, &source)
	release, err := os.ReadFile(filepath.Join(dir, "../.ci/release"))
	if err != nil {
		t.Fatal(err)
	}
	prefix := strings.ReplaceAll(source.Prefix, "{VERSION}", "$version")
	for _, want := range []string{`--prefix="` + prefix + `/"`, `> "$directory/` + prefix + `.tar.gz"`} {
		if !strings.Contains(string(release), want) {
			t.Errorf(".ci/release has no %s, as source.template.json has it", want)
		}
	}
	if want := "https://github.com/{OWNER}/{REPO}/releases/download/{TAG}/" + source.Prefix + ".tar.gz"; source.URL != want {
		t.Errorf("source.template.json: the URL is %s, not %s", source.URL, want)
	}

	var presubmit struct {
		Module struct {
			Path string `yaml:"module_path"`
		} `yaml:"bcr_test_module"`
	}
	read("presubmit.yml", yaml.Unmarshal, &presubmit)
	if _, err := os.Stat(filepath.Join(dir, "..", presubmit.Module.Path, "MODULE.bazel")); err != nil {
		t.Errorf("presubmit.yml: %v", err)
	}

	var config struct {
		Roots []string `yaml:"moduleRoots"`
	}
	read("config.yml", yaml.Unmarshal, &config)
	for _, root := range config.Roots {
		if _, err := os.Stat(filepath.Join(dir, "..", root, "MODULE.bazel")); err != nil {
			t.Errorf("config.yml: %v", err)
		}
	}
}
