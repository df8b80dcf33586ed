package report_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/docs"
	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/report"
)

// everyMember is a report with every member that reports can have.
const everyMember = `{
  "schema": "SCHEMA",
  "devices": [
    {"architecture": "pvc", "aspects": [{"name": "gpu", "value": 2}], "backend": "spirv", "local-memory-size": 65536, "matrix-combinations": ["m=8"],
     "max-work-group-size": 1024, "max-work-item-sizes": [1024, 1024, 1024], "name": "D", "open-world": false, "sub-group-sizes": [16]}
  ],
  "files": [{"digest": "00", "name": "a.o"}],
  "generator": {"name": "compat", "version": "1"},
  "image-kinds": [
    {"architecture": "pvc", "compile-options": "-a", "compile-target": "intel_gpu_pvc", "esimd": true, "files": [0], "fixed-targets": ["d"], "format": "native", "link-options": "-b",
     "requirements": {"aspects": [{"name": "fp64", "value": 6}], "joint-matrix": ["m"], "joint-matrix-mad": ["m"], "reqd-sub-group-sizes": [8], "reqd-work-group-size": [1], "work-group-num-dim": 1},
     "specialization-constants": [{"display-name": "scale", "name": "_Z5scale", "parts": [{"default": "2.5", "number": 3, "offset": 0, "size": 4, "type": "float"}]}], "triple": "spir64_gen", "unknown-properties": ["p"]}
  ],
  "images": [{"digest": "DIGEST", "kind": 0}],
  "kernels": [
    {"display-name": "K", "forms": {"reduction": ["kq"], "rounded-range": ["kr"]}, "images": [0], "location": {"column": 3, "line": 2, "path": "a.cpp"}, "name": "k",
     "requirement-origin": [{"aspect": {"name": "fp64", "value": 6}, "function": "f", "location": {"column": 3, "line": 2, "path": "a.cpp"}}], "row": 0},
    {"display-name": "L", "images": [], "name": "l", "row": 0, "target": 1}
  ],
  "outcomes": [
    {"holds": "ir", "reasons": [
      {"available": "16", "property": "reqd_sub_group_size", "required": "8", "rule": "unsupported-sub-group-size", "status": "incompatible", "text": "no"}
    ], "scope": "kernel", "status": "incompatible"}
  ],
  "rows": [[0]],
  "source": {"commit": "1234567", "date": "2027-03-31"},
  "statistics": {"compatible": 0, "incompatible": 2, "not-applicable": 0, "undetermined": 0},
  "targets": ["//p:t", "//q:t"]
}`

// TestStrict checks that the reader rejects what the schema rejects, and vice versa, except for
// what a schema cannot express.
func TestStrict(t *testing.T) {
	text := strings.NewReplacer("DIGEST", strings.Repeat("0", 32), "SCHEMA", report.Schema).Replace(everyMember)
	if _, err := report.Decode("r.json", strings.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	stricter := regexp.MustCompile(`a duplicate|^duplicate |refers to \w+ -?\d+, which does not exist$|the statistics, .* do not match the rows|but its reasons imply|outcomes for \d+ devices|one without a label`)
	s, err := testkit.CompileSchema(docs.ReportSchema)
	testkit.NoError(t, err)
	testkit.NoError(t, s.ValidateJSON([]byte(text)))
	n := 0
	for name, data := range testkit.JSONMutations([]byte(text)) {
		n++
		wrong := s.ValidateJSON(data)
		_, refused := report.Decode("r.json", strings.NewReader(string(data)))
		switch {
		case wrong != nil && refused == nil:
			t.Errorf("%s: accepted by the reader, but not by the schema", name)
		case wrong == nil && refused != nil && !stricter.MatchString(refused.Error()):
			t.Errorf("%s: accepted by the schema, but not by the reader: %v", name, refused)
		}
	}
	if n < 500 {
		t.Errorf("only %d mutations", n)
	}
}
